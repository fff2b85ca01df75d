"""What this library brings along: next to nothing when it is imported, numpy and h5py when a file is read."""

from __future__ import annotations

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "testdata", "seq_plain.keras")
ENGINES = {"jax", "torch", "tensorflow", "openvino", "keras", "klayers", "kops", "optree", "scipy", "pandas"}


def _imported(code):
    code += "\nimport sys; print(' '.join(sorted(sys.modules)))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_it_imports_almost_nothing():
    # Time on a busy machine says little; which modules are loaded says where it goes.
    modules = _imported("import ksave")
    slow = {"numpy", "h5py", "ml_dtypes", "rich", "asyncio", "urllib.request", "http.client", "zipfile", "tarfile"}
    assert modules & (ENGINES | slow) == set()
    own = {name for name in modules if name.split(".")[0] in ("ksave", "kspec")}
    assert own - {name for name in own if name.startswith("kspec")} == {"ksave"}


def test_looking_into_a_file_needs_no_framework():
    modules = _imported(f"import ksave\nksave.inspect({FILE!r})\nksave.verify({FILE!r})")
    assert {"numpy", "h5py"} <= modules
    # The tables of installed libraries are looked into for names; their packages import nothing themselves.
    engines = ENGINES - {"klayers", "kops", "keras"}
    assert modules & (engines | {"rich", "asyncio", "urllib.request", "multiprocessing"}) == set()
