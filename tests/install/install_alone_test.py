"""Each library works with nothing but what its wheel declares."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).resolve().parent / "data"
LIBRARIES = ("kspec", "kops", "ksave", "klayers", "kdistribute", "ktrain", "kquant", "kexport", "kapps")
ENGINES = {"jax", "torch", "tensorflow", "openvino"}

PREDICT = """
import sys
import klayers, numpy as np
data = np.load(sys.argv[2])
model = klayers.load_model(sys.argv[1], compile=False)
np.save(sys.argv[3], model.predict(data["x0"]))
print(*sorted(m for m in sys.modules if "." not in m))
"""


def predictions(environment, name, path):
    modules = environment.python(PREDICT, DATA / f"{name}.keras", DATA / f"{name}.npz", path, KERAS_BACKEND="numpy")
    return np.load(path), set(modules.split("\n")[-1].split())


def test_kspec_brings_nothing(environment):
    alone = environment("kspec")
    assert alone.installed() == {"kspec"}
    assert alone.python("import kspec; print(kspec.known_names())") == "{}"


def test_kops_computes_without_h5py_and_the_libraries_above(environment):
    alone = environment("kops")
    assert not alone.installed() & {"h5py", "ksave", "klayers", *ENGINES}
    code = "import kops; print(kops.sum(kops.matmul([[1.0, 2.0]], [[3.0], [4.0]])))"
    assert float(alone.python(code, KERAS_BACKEND="numpy")) == 11.0


def test_ksave_inspects_a_model_with_no_engine_and_no_kops(environment):
    alone = environment("ksave")
    assert not alone.installed() & {"kops", "klayers", *ENGINES}
    code = "import runpy, sys; sys.argv[0] = 'ksave'; runpy.run_module('ksave', run_name='__main__')"
    shown = alone.python(code, "inspect", DATA / "seq_conv.keras")
    assert "Conv2D" in shown and "MaxPooling2D" in shown
    alone.python(code, "verify", DATA / "seq_conv.keras")


def test_klayers_loads_a_model_and_predicts_without_ktrain(environment, tmp_path):
    alone = environment("klayers")
    assert not alone.installed() & {"ktrain", "keras", *ENGINES}
    found, modules = predictions(alone, "seq_conv", tmp_path / "found.npy")
    np.testing.assert_allclose(found, np.load(DATA / "seq_conv.npz")["out0"], rtol=1e-4, atol=1e-5)
    assert not modules & {"ktrain", *ENGINES}


def test_klayers_with_kquant_runs_an_int8_model_without_ktrain(environment, tmp_path):
    alone = environment("klayers", "kquant")
    assert not alone.installed() & {"ktrain", "keras", *ENGINES}
    make = (
        "import sys, klayers, numpy as np\n"
        "model = klayers.Sequential([klayers.Input((8,)), klayers.Dense(6, 'relu'), klayers.Dense(3)])\n"
        "x = np.random.default_rng(0).normal(size=(4, 8)).astype('float32')\n"
        "full = model.predict(x)\n"
        "model.quantize('int8')\n"
        "model.save(sys.argv[1])\n"
        "np.savez(sys.argv[2], x0=x, full=full, out0=model.predict(x))\n"
    )
    path, data, again = (tmp_path / name for name in ("m.keras", "m.npz", "again.npy"))
    alone.python(make, path, data, KERAS_BACKEND="numpy")
    alone.python(PREDICT, path, data, again, KERAS_BACKEND="numpy")
    recorded = np.load(data)
    np.testing.assert_allclose(np.load(again), recorded["out0"], rtol=1e-6)
    np.testing.assert_allclose(recorded["out0"], recorded["full"], atol=0.1)
    assert not np.array_equal(recorded["out0"], recorded["full"])


def test_a_missing_library_is_named_in_the_error(environment):
    code = (
        "import klayers\n"
        "model = klayers.Sequential([klayers.Input((8,)), klayers.Dense(3)])\n"
        "try: model.quantize('int8')\n"
        "except ImportError as error: print(error)\n"
    )
    assert "pip install kquant" in environment("klayers").python(code, KERAS_BACKEND="numpy")


def test_keras_brings_all_libraries_and_is_consistent(environment):
    everything = environment("keras")
    assert set(LIBRARIES) <= everything.installed()
    everything.check()
    shown = everything.python("import keras; print(keras.version(), len(dir(keras.ops)))", KERAS_BACKEND="numpy")
    version, count = shown.split()
    assert version == "3.15.2" and int(count) > 100


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wheel_holds_its_library_and_no_tests(wheels, library):
    (path,) = wheels.glob(f"{library}-*.whl")
    names = zipfile.ZipFile(path).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {library, path.name.rsplit("-", 3)[0] + ".dist-info"}
    assert f"{library}/py.typed" in names
    assert not [name for name in names if name.endswith("_test.py")]
    assert any(name.endswith("LICENSE") for name in names)
