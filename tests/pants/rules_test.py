"""Pants refuses an import that goes up or sideways: shown on a small repository with our macros."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    if "KERAS_PANTS_BIN" in os.environ:
        return dict(os.environ)
    command = f"read -r env _ < <(bash {ROOT}/tools/pants/bootstrap.sh | tail -1); . $env; env"
    lines = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout.splitlines()
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    certificates = found.get("PIP_CERT") or found.get("SSL_CERT_FILE")
    return {**found, **({"PANTS_CA_CERTS_PATH": certificates} if certificates else {})}


@pytest.fixture
def repository(tmp_path, environment):
    """A function: files -> what `pants dependencies ::` says of a repository that has them."""
    settings = tmp_path / "tools/pants"
    settings.mkdir(parents=True)
    shutil.copy(ROOT / "pants.toml", tmp_path)
    shutil.copy(ROOT / "tools/pants/prelude.py", settings)
    (tmp_path / "BUILD").write_text('python_test_utils(name="conftest", sources=["conftest.py"])\n')
    (tmp_path / "conftest.py").touch()
    for library, below in {"kspec": [], "kops": ["kspec"], "ksave": ["kspec"], "klayers": ["kops", "kspec"]}.items():
        folder = tmp_path / "libs" / library
        (folder / library).mkdir(parents=True)
        (folder / library / "__init__.py").touch()
        (folder / "BUILD").write_text(f'keras_library("{library}", may_import={below})\n')

    def run(**files: str) -> subprocess.CompletedProcess:
        for name, text in files.items():
            library, module = name.split("__", 1)
            (tmp_path / "libs" / library / library / f"{module}.py").write_text(text)
        command = [environment["KERAS_PANTS_BIN"], "dependencies", "::"]
        inside = {k: v for k, v in environment.items() if k not in ("PYTHONPATH", "PEX_EXTRA_SYS_PATH")}
        inside = {k: v for k, v in inside.items() if not k.startswith("__PEX")}
        return subprocess.run(command, cwd=tmp_path, env=inside, capture_output=True, text=True)

    return run


def test_imports_that_go_down_are_accepted(repository):
    done = repository(
        kops__ops="import kspec\n",
        klayers__layer="import kops.ops\n",
        klayers__layer_test="import kspec\nimport klayers.layer\n",
    )
    assert done.returncode == 0, done.stderr
    assert "libs/kops/kops/ops.py" in done.stdout


@pytest.mark.parametrize(
    "file, text, refused",
    [
        ("kops__ops", "import klayers\n", "libs/klayers/klayers/__init__.py"),
        ("kops__ops_test", "import ksave\n", "libs/ksave/ksave/__init__.py"),
    ],
    ids=["up", "sideways in a test"],
)
def test_other_imports_are_refused_by_name(repository, file, text, refused):
    done = repository(**{file: text})
    assert done.returncode != 0
    assert "DependencyRuleActionDeniedError" in done.stderr
    assert refused in done.stderr
