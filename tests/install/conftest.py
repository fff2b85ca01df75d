"""Fresh environments that hold one of our wheels and only what it declares."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).resolve().parent / "data"


def run(command: list[str], **kw) -> str:
    # Nothing of the surrounding environment: no PYTHONPATH, no settings of Pants' own pip.
    hidden = ("PYTHONPATH", "PIP_CONFIG_FILE", "KERAS_BACKEND")
    env = {k: v for k, v in os.environ.items() if k not in hidden and not k.startswith(("PEX", "__PEX"))}
    env.update(kw.pop("env", {}))
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env, **kw)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def pip() -> list[str]:
    """A pip that installs into any environment (`--python`)."""
    home = os.environ.get("KERAS_VENV")
    python = os.path.join(home, "bin/python") if home else sys.executable
    return [python, "-m", "pip", "--disable-pip-version-check", "-q"]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory, pip) -> Path:
    """The folder with all our wheels: as Pants built them, or built here when Pants does not run."""
    if list(ROOT.glob("*.whl")):
        return ROOT
    made, copies = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("sources")
    ignore = shutil.ignore_patterns("*_test.py", "build", "*.egg-info", "__pycache__")
    for project in [*ROOT.glob("libs/*/pyproject.toml"), ROOT / "keras/pyproject.toml"]:
        copy = shutil.copytree(project.parent, copies / project.parent.name, ignore=ignore)
        run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", made, copy])
    return made


class Environment:
    """One fresh environment; `python` runs code in it, cut off from everything else."""

    def __init__(self, folder: Path, pip: list[str], wheels: Path, packages: list[str]) -> None:
        self.folder, self.pip = folder, pip
        run([sys.executable, "-m", "venv", "--without-pip", folder])
        self.interpreter = folder / "bin/python"
        # Ours and no namesake: an index may have other projects of the same names.
        ours = folder / "ours.txt"
        rows = [f"{wheel.name.split('-')[0]} @ {wheel.resolve().as_uri()}" for wheel in wheels.glob("*.whl")]
        ours.write_text("\n".join(rows))
        self.install("-c", ours, *packages)

    def install(self, *arguments) -> None:
        run([*self.pip[:3], "--python", self.interpreter, *self.pip[3:], "install", "--no-compile", *arguments])

    def check(self) -> str:
        return run([*self.pip[:3], "--python", self.interpreter, "check"])

    def python(self, code: str, *arguments, **env: str) -> str:
        return run([self.interpreter, "-I", "-c", code, *arguments], cwd=self.folder, env=env).strip()

    def installed(self) -> set[str]:
        code = "from importlib.metadata import distributions as d; print(*(x.metadata['Name'] for x in d()))"
        return {name.lower().replace("-", "_") for name in self.python(code).split()}


@pytest.fixture(scope="session")
def environment(tmp_path_factory, pip, wheels):
    """A function: packages -> an environment with them and their declared dependencies."""
    made: dict[tuple[str, ...], Environment] = {}

    def make(*packages: str) -> Environment:
        if packages not in made:
            folder = tmp_path_factory.mktemp("env") / "venv"
            made[packages] = Environment(folder, pip, wheels, list(packages))
        return made[packages]

    return make
