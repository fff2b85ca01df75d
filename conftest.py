"""Puts the third-party environment behind everything that Pants laid in the sandbox.

Under `./pants test` KERAS_VENV (KERAS_VENV_39 on Python 3.9) names that environment. Outside of Pants (an
ordinary pytest in the environment itself) it is unset, and the libraries come from the folders of this
checkout.
"""

from __future__ import annotations

import os
import random
import re
import site
import sys
from pathlib import Path

import pytest

# TensorFlow announces its CPU features on stderr at every start; tests compare output.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# Several test processes share the processors; threads of each that wait for one another make PyTorch ten times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

_venv = os.environ.get("KERAS_VENV" if sys.version_info >= (3, 10) else "KERAS_VENV_39")
if _venv:
    _packages = os.path.join(_venv, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
    site.addsitedir(_packages)  # appended: first-party sources win
    _roots = [os.path.abspath(p) for p in os.environ.get("__PEX_EXTRA_SYS_PATH__", "").split(":") if p]
    _roots.append(_packages)
else:
    _here = Path(__file__).resolve().parent
    _roots = [str(p) for p in (*sorted((_here / "libs").iterdir()), _here / "keras") if p.is_dir()]
    sys.path[:0] = [root for root in _roots if root not in sys.path]
# The same for Python processes that a test starts itself (sys.executable).
os.environ["PYTHONPATH"] = os.pathsep.join([*_roots, *filter(None, [os.environ.get("PYTHONPATH")])])


_engine = os.environ.get("KERAS_BACKEND")
_of_engine = re.compile(r"/(?:backends|engines)/(numpy|jax|torch|tensorflow|openvino)[/_]")


class OfAnotherEngine(pytest.Module):
    """Tests in the folder of one engine are about that engine: on another one there are none."""

    def collect(self):
        return []


def pytest_pycollect_makemodule(module_path, parent):
    found = _of_engine.search(module_path.as_posix())
    if found and _engine and found[1] != _engine:
        return OfAnotherEngine.from_parent(parent, path=module_path)
    return None


@pytest.fixture(autouse=True)
def same_numbers_in_every_run():
    """Seeds that nobody gave come from `random`: a test that fails in one run fails in the next one too."""
    random.seed(0)
    seeding = sys.modules.get("kops.seeding")  # not every library knows kops
    if seeding is not None:
        seeding.forget_global_generator()


def pytest_sessionfinish(session, exitstatus):
    # A batch whose modules are all skipped collects nothing: not a failure.
    if exitstatus == 5:
        session.exitstatus = 0
