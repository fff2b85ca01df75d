"""The command line as it is used: arguments in, text, files and exit codes out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import ksave
from ksave.__main__ import main
from ksave.contents import open_contents

DATA = os.path.join(os.path.dirname(os.path.dirname(__file__)), "testdata")


def _data(name):
    return os.path.join(DATA, name)


@pytest.fixture
def keras_file(tmp_path):
    return shutil.copy(_data("seq_plain.keras"), tmp_path / "m.keras")


@pytest.fixture
def trained(tmp_path, capsys):
    path = str(tmp_path / "trained.keras")
    assert main(["convert", _data("h5_compiled_adam.h5"), path]) == 0
    capsys.readouterr()
    return path


def _arrays(path):
    with open_contents(str(path)) as contents:
        return {name: array.read() for name, array in contents.arrays.items()}


def _config(path):
    with open_contents(str(path)) as contents:
        return contents.config


def test_inspect(capsys, keras_file, trained):
    assert main(["inspect", str(keras_file)]) == 0
    said = capsys.readouterr().out
    assert "written by Keras 3.15.1" in said and "─ batch_normalization" in said and "(5, 8)" in said
    assert main(["inspect", "--json", trained, _data("w_dense.weights.h5")]) == 0
    model, weights = json.loads(capsys.readouterr().out)
    assert model["optimizer"] == "Adam" and model["compiled"]
    # Dense 6 to 8 and 8 to 1; Adam has two numbers for each of them, and its counter and rate.
    assert model["parameters"] == 6 * 8 + 8 + 8 + 1 and model["optimizer_bytes"] == 4 * (2 * 65 + 2)
    assert [layer["parameters"] for layer in model["layers"]] == [0, 0, 56, 9]
    assert weights["kind"] == "weights" and "layers" not in weights
    assert main(["inspect", "--weights", str(keras_file)]) == 0
    assert "layers/dense/vars/0" in capsys.readouterr().out


def test_without_rich_the_text_is_plain(capsys, keras_file, monkeypatch):
    for name in ("rich", "rich.console", "rich.table", "rich.text", "rich.box"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["inspect", str(keras_file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if "batch_normalization" in line)
    head = next(line for line in lines if "parameters" in line and "class" in line)
    assert row.index("BatchNormalization") == head.index("class")


def test_verify(capsys, tmp_path, keras_file):
    assert main(["verify", _data("w_sharded.weights.json"), _data("h5_compiled_adam.h5")]) == 0
    assert capsys.readouterr().out.count(": ok\n") == 2
    config = json.dumps(_config(keras_file)).replace('"use_bias": true', '"use_bias": false')
    (tmp_path / "c.json").write_text(config)
    with open_contents(str(keras_file)) as contents:
        from ksave.rewrite import write

        contents.config = json.loads(config)
        write(contents, str(tmp_path / "bad.keras"))
    assert main(["verify", "--json", str(tmp_path / "bad.keras"), str(tmp_path / "none.keras")]) == 1
    bad, none = json.loads(capsys.readouterr().out).values()
    assert any("2 arrays in the file, the config asks for 1 (kernel)" in text for text in bad)
    assert "There is no file" in none[0]
    assert main(["verify", "--quiet", _data("w_dense.weights.h5")]) == 0
    assert capsys.readouterr().out == ""


def test_weights_that_belong_to_no_layer(capsys, tmp_path, keras_file):
    with open_contents(str(keras_file)) as contents:
        from ksave.rewrite import write

        contents.arrays["layers/other/vars/0"] = contents.arrays["layers/dense/vars/0"]
        write(contents, str(tmp_path / "more.keras"))
    assert main(["verify", str(tmp_path / "more.keras")]) == 1
    assert "layers/other: 1 arrays, which belong to no layer" in capsys.readouterr().out


def test_diff(capsys, tmp_path, keras_file):
    other = str(tmp_path / "other.keras")
    assert main(["diff", str(keras_file), str(keras_file)]) == 0
    kernel = _arrays(keras_file)["layers/dense/vars/0"].copy()
    kernel[1, 2] += 0.5
    np.save(tmp_path / "k.npy", kernel)
    changes = ["--put", "layers/dense", "0", str(tmp_path / "k.npy"), "--set", "dense", "activation", '"tanh"']
    assert main(["edit", str(keras_file), *changes, "-o", other]) == 0
    capsys.readouterr()
    assert main(["diff", "--json", str(keras_file), other]) == 1
    found = json.loads(capsys.readouterr().out)
    (row,) = found["weights"]
    assert row["path"] == "layers/dense/vars/0" and row["change"] == "1 of 40 numbers"
    assert row["max"] == pytest.approx(0.5) and found["different"]
    norm = np.linalg.norm(_arrays(keras_file)["layers/dense/vars/0"])
    assert row["relative"] == pytest.approx(0.5 / norm, rel=1e-6)
    assert [entry["where"] for entry in found["config"]] == ["dense.activation"]
    assert main(["diff", "-q", "--weights-only", "--atol", "0.6", str(keras_file), other]) == 0
    assert main(["diff", str(keras_file), str(tmp_path / "none.keras")]) == 2
    assert main(["diff", str(keras_file), _data("w_dense.weights.h5")]) == 1
    assert "removed" in capsys.readouterr().out


def test_rename_layers(capsys, tmp_path, trained):
    assert main(["rename", trained, "dense_1", "logits", "dense", "hidden"]) == 0
    text = json.dumps(_config(trained))
    assert '"logits"' in text and '"dense_1"' not in text and '"dense"' not in text
    assert main(["verify", trained]) == 0
    with open_contents(trained) as contents:
        assert contents.names["layers/dense_1"] == "logits"
    capsys.readouterr()
    assert main(["diff", "--json", _data("h5_compiled_adam.h5"), trained]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["layers"]] == ["dense became hidden", "dense_1 became logits"]
    assert found["weights"] == []
    before = open(trained, "rb").read()  # noqa: SIM115
    assert main(["rename", trained, "hidden", "logits"]) == 2
    assert main(["rename", trained, "nothing", "x"]) == 2
    assert main(["rename", trained, "hidden"]) == 2
    assert open(trained, "rb").read() == before  # noqa: SIM115
    said = capsys.readouterr().err
    assert "'logits' beside 'hidden' already" in said and "no layer 'nothing'" in said and "in pairs" in said


def test_rename_weights(tmp_path):
    path = shutil.copy(_data("w_dense.weights.h5"), tmp_path / "w.weights.h5")
    before = _arrays(path)
    assert main(["rename", str(path), "layers/dense", "first"]) == 0
    after = _arrays(path)
    assert {name.replace("layers/first/", "layers/dense/") for name in after} == set(before)
    assert main(["rename", str(path), "layers/first", "layers/dense_1"]) == 2  # is there already


def test_strip(capsys, trained):
    size = os.path.getsize(trained)
    before = _arrays(trained)
    assert main(["strip", trained]) == 0
    saved = size - os.path.getsize(trained)
    assert saved > 4 * 132 and "10 arrays of the optimizer (528 B)" in capsys.readouterr().out
    after = _arrays(trained)
    assert set(before) - set(after) == {f"optimizer/vars/{index}" for index in range(10)}
    assert "compile_config" in _config(trained)
    assert main(["strip", trained]) == 0 and "nothing was changed" in capsys.readouterr().out
    assert main(["strip", "--compile", trained]) == 0 and "compile_config" not in _config(trained)


@pytest.mark.parametrize("ending", [".weights.h5", ".npz", ".safetensors", ".h5"])
def test_convert_there_and_back(tmp_path, trained, ending):
    other, back = str(tmp_path / f"x{ending}"), str(tmp_path / "back.keras")
    assert main(["convert", trained, other]) == 0
    needs = [] if ending == ".h5" else ["--config", trained]
    assert main(["convert", other, back, *needs]) == 0
    assert main(["diff", "-q", trained, back]) == 0
    assert _config(back) == _config(trained)


def test_convert_keeps_other_files(tmp_path):
    source, npz = _data("string_lookup_int.keras"), str(tmp_path / "v.npz")
    assert main(["convert", source, str(tmp_path / "again.keras")]) == 0
    assert main(["diff", "-q", source, str(tmp_path / "again.keras")]) == 0
    assert main(["convert", source, npz]) == 0
    assert main(["convert", npz, str(tmp_path / "back.keras"), "--config", source]) == 0
    assert main(["diff", "-q", source, str(tmp_path / "back.keras")]) == 0


def test_npz_is_for_numpy(tmp_path):
    assert main(["convert", _data("seq_plain.keras"), str(tmp_path / "x.npz")]) == 0
    with np.load(tmp_path / "x.npz") as arrays:
        assert set(arrays) == set(_arrays(_data("seq_plain.keras")))
        np.testing.assert_array_equal(
            arrays["layers/dense/vars/0"], _arrays(_data("seq_plain.keras"))["layers/dense/vars/0"]
        )


def test_what_cannot_be_converted(capsys, tmp_path, trained):
    for source, target, words in (
        (_data("w_dense.weights.h5"), "x.keras", "holds weights alone"),
        (_data("w_dense.weights.h5"), "x.h5", "--config"),
        (_data("string_lookup_int.keras"), "x.h5", "vocabulary.txt"),
        (trained, "x.pb", "is not known"),
        (str(tmp_path / "none"), "x.keras", "There is no file"),
    ):
        assert main(["convert", source, str(tmp_path / target)]) == 2
        assert words in capsys.readouterr().err
        assert not (tmp_path / target).exists()
    options = ["--config", trained]
    assert main(["convert", _data("w_dense.weights.h5"), str(tmp_path / "x.keras"), *options]) == 2
    assert "does not hold the weights of" in capsys.readouterr().err and not (tmp_path / "x.keras").exists()
    (tmp_path / "there.npz").write_bytes(b"old")
    assert main(["convert", trained, str(tmp_path / "there.npz")]) == 2
    assert "--force" in capsys.readouterr().err and (tmp_path / "there.npz").read_bytes() == b"old"
    assert main(["convert", trained, str(tmp_path / "there.npz"), "--force"]) == 0


def test_legacy_weights_need_the_model(capsys, tmp_path, trained):
    import h5py

    weights = str(tmp_path / "w.h5")
    with h5py.File(_data("h5_compiled_adam.h5")) as source, h5py.File(weights, "w") as file:
        for key, value in source["model_weights"].attrs.items():
            file.attrs[key] = value
        for name in source["model_weights"]:
            source.copy(f"model_weights/{name}", file, name)
    assert main(["convert", weights, str(tmp_path / "x.weights.h5")]) == 2
    assert "legacy layout" in capsys.readouterr().err
    (tmp_path / "m.json").write_text(json.dumps(_config(trained)))
    options = ["--config", str(tmp_path / "m.json")]
    assert main(["convert", weights, str(tmp_path / "x.weights.h5"), *options]) == 0
    options = ["--weights-only", "--no-optimizer"]
    assert main(["diff", "-q", *options, trained, str(tmp_path / "x.weights.h5")]) == 0
    assert main(["convert", weights, str(tmp_path / "plain.npz")]) == 0
    assert main(["convert", str(tmp_path / "plain.npz"), str(tmp_path / "plain.safetensors")]) == 0
    assert "dense/dense/kernel" in _arrays(tmp_path / "plain.safetensors")


def _editor(tmp_path, monkeypatch, script):
    (tmp_path / "editor.py").write_text(f"import sys\npath = sys.argv[1]\ntext = open(path).read()\n{script}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {tmp_path / 'editor.py'}")


def test_edit_in_an_editor(capsys, tmp_path, keras_file, monkeypatch):
    _editor(tmp_path, monkeypatch, "open(path, 'w').write(text.replace('\"relu\"', '\"gelu\"'))")
    assert main(["edit", str(keras_file)]) == 0
    assert '"gelu"' in json.dumps(_config(keras_file))
    _editor(tmp_path, monkeypatch, "")
    assert main(["edit", str(keras_file)]) == 0 and "Nothing was changed" in capsys.readouterr().out
    before = keras_file.read_bytes()
    for script, words in (
        ("open(path, 'w').write('{')", "not valid JSON"),
        ("open(path, 'w').write('[]')", "describes no model"),
        ("open(path, 'w').write(text.replace('\"use_bias\": true', '\"use_bias\": false'))", "asks for 1"),
        ("sys.exit(3)", "ended with code 3"),
    ):
        _editor(tmp_path, monkeypatch, script)
        assert main(["edit", str(keras_file)]) == 2
        assert words in capsys.readouterr().err and keras_file.read_bytes() == before
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    assert main(["edit", str(keras_file)]) == 2 and "does not start" in capsys.readouterr().err


def test_edit_by_options(capsys, tmp_path):
    path = shutil.copy(_data("w_dense.weights.h5"), tmp_path / "w.weights.h5")
    np.savez(tmp_path / "new.npz", **{"0": np.ones((2, 2)), "1": np.zeros(2)})
    changes = ["--rename", "layers/dense", "head", "--add", "layers/new", str(tmp_path / "new.npz")]
    changes += ["--delete-weight", "new", "1"]
    assert main(["edit", str(path), *changes]) == 0
    found = _arrays(path)
    assert "layers/head/vars/0" in found and "layers/dense/vars/0" not in found
    assert found["layers/new/vars/0"].sum() == 4 and "layers/new/vars/1" not in found
    before = path.read_bytes()
    assert main(["edit", str(path), "--delete", "head", "--delete", "head"]) == 2  # none when one fails
    assert main(["edit", str(path), "--delete", "head", "--dry-run"]) == 0
    assert main(["edit", str(path)]) == 2 and "has no config" in capsys.readouterr().err
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    assert main(["edit", str(path), "--put", "head", "0", str(tmp_path / "objects.npy")]) == 2
    assert path.read_bytes() == before


def test_edit_refuses_configs_that_do_not_fit(capsys, tmp_path, keras_file):
    before = keras_file.read_bytes()
    for changes, words in (
        (["--set", "dense", "use_bias", "false"], "do not fit any more"),
        (["--set", "dense", "colour", "1"], "has no argument 'colour'"),
        (["--set", "dense", "activation", "relu"], "is not JSON"),
        (["--set", "zz", "activation", "1"], "no layer 'zz'"),
        (["--config-from", str(tmp_path / "none.json")], "none.json"),
    ):
        assert main(["edit", str(keras_file), *changes]) == 2
        assert words in capsys.readouterr().err
    assert keras_file.read_bytes() == before


def test_folders_stay_folders(tmp_path):
    folder = tmp_path / "model"
    shutil.unpack_archive(_data("seq_plain.keras"), folder, "zip")
    assert main(["rename", str(folder), "dense", "first"]) == 0
    assert sorted(os.listdir(folder)) == ["assets", "config.json", "metadata.json", "model.weights.h5"]
    assert main(["verify", str(folder)]) == 0


@pytest.mark.parametrize("command", ["inspect", "verify", "diff", "rename", "strip", "convert", "edit"])
def test_bad_input_is_never_a_traceback(capsys, tmp_path, command):
    more = {
        "diff": [str(tmp_path / "x")],
        "rename": ["a", "b"],
        "convert": [str(tmp_path / "y.npz")],
        "edit": ["--delete", "a"],
    }
    for content in (b"", b"\x80\x04x", b"PK\x03\x04 not a zip", b"\x89HDF\r\n\x1a\n", bytes(600), b"{}"):
        for ending in (".keras", ".weights.h5", ".h5", ".npz", ".safetensors", ".weights.json", ""):
            path = tmp_path / f"x{ending}"
            path.write_bytes(content)
            shutil.copy(path, tmp_path / "x") if ending else None
            if ending == ".weights.json" and content == b"{}" and command == "convert":
                continue
            assert main([command, str(path), *more.get(command, [])]) in (1, 2)
            captured = capsys.readouterr()
            assert "Traceback" not in captured.err + captured.out and (captured.err or captured.out)
    assert main([command, str(tmp_path / "none"), *more.get(command, [])]) in (1, 2)


def test_names_cannot_steer_the_terminal(capsys, tmp_path, keras_file):
    path = shutil.copy(keras_file, tmp_path / "evil.keras")
    assert main(["edit", str(path), "--set", "dense", "activation", '"\\u001b[2J"']) == 0
    assert main(["diff", str(keras_file), str(path)]) == 1
    assert "\x1b[2J" not in capsys.readouterr().out


def test_help_and_versions(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out == f"ksave {ksave.__version__}\n"
    for command in ("inspect", "verify", "diff", "rename", "strip", "convert", "edit"):
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0 and "examples:" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2


def test_as_a_process_with_a_pipe_that_closes(keras_file):
    command = f"{sys.executable} -m ksave inspect --weights {keras_file} | head -1"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, timeout=60, check=True)
    assert "m.keras" in done.stdout and done.stderr == ""
