from __future__ import annotations

import pytest

import kops
from klayers.input_spec import InputSpec, assert_input_compatibility


def tensor(*shape, dtype="float32"):
    return kops.KerasTensor(shape, dtype=dtype)


def test_config_and_words():
    spec = InputSpec(shape=(None, 3))
    assert spec.ndim == 2 and repr(spec) == "InputSpec(shape=(None, 3), ndim=2)"
    assert InputSpec(ndim=2).get_config() == {
        "dtype": None,
        "shape": None,
        "ndim": 2,
        "max_ndim": None,
        "min_ndim": None,
        "axes": {},
        "optional": False,
    }
    assert InputSpec.from_config(spec.get_config()).shape == (None, 3)
    assert InputSpec(axes={"1": 3}).axes == {1: 3}
    with pytest.raises(TypeError, match="axes must be a dictionary"):
        InputSpec(axes={"a": 3})
    with pytest.raises(ValueError, match="names axis 3, but inputs have at most 2"):
        InputSpec(ndim=2, axes={3: 4})


@pytest.mark.parametrize(
    ("spec", "shape", "words"),
    [
        (InputSpec(ndim=2), (None, 2, 3), "takes an input of 2 axes, not 3"),
        (InputSpec(min_ndim=2), (3,), "at least 2 axes; its shape is"),
        (InputSpec(max_ndim=2), (1, 2, 3), "at most 2 axes; its shape is"),
        (InputSpec(axes={-1: 4}), (None, 3), "axis -1 has size 4, not shape"),
        (InputSpec(axes={2: 4}), (None, 3), "has an axis 2"),
        (InputSpec(shape=(None, 4)), (2, 3), "axis 1 has size 4"),
        (InputSpec(dtype="int32"), (2, 3), "dtype int32, not float32"),
        (InputSpec(shape=(None, 4), allow_last_axis_squeeze=True), (2, 4, 2), "2 axes, not 3"),
    ],
)
def test_what_does_not_fit_is_named(spec, shape, words):
    with pytest.raises(ValueError, match=f"Layer 'dense' .*{words}"):
        assert_input_compatibility(spec, tensor(*shape), "dense")


def test_what_fits_passes():
    for spec, shape in [
        (InputSpec(ndim=2, axes={-1: 4}), (None, 4)),
        (InputSpec(axes={-1: 4}), (2, None)),
        (InputSpec(axes={-1: None}), (2, 3)),
        (InputSpec(shape=(None, 4), allow_last_axis_squeeze=True), (2, 4, 1)),
        (InputSpec(shape=(None, 1), allow_last_axis_squeeze=True), (2,)),
    ]:
        assert_input_compatibility(spec, tensor(*shape), "dense")
    assert_input_compatibility(InputSpec(ndim=2, axes={1: 3}), kops.ones((2, 3)), "d")


def test_several_inputs_named_and_optional():
    specs = [InputSpec(ndim=2), InputSpec(ndim=1, optional=True)]
    assert_input_compatibility(specs, [tensor(1, 2), None], "add")
    with pytest.raises(ValueError, match="Input 1 of layer 'add' takes an input of 1 axes"):
        assert_input_compatibility(specs, [tensor(1, 2), tensor(1, 2)], "add")
    with pytest.raises(ValueError, match="takes 2 inputs, but 1 were given"):
        assert_input_compatibility(specs, [tensor(1, 2)], "add")
    named = {"a": InputSpec(ndim=2, name="a"), "b": InputSpec(ndim=1, name="b")}
    assert_input_compatibility(named, {"b": tensor(1), "a": tensor(1, 2)}, "add")
    with pytest.raises(ValueError, match="misses the input 'b'"):
        assert_input_compatibility(named, {"a": tensor(1, 2)}, "add")
    with pytest.raises(ValueError, match="takes a tensor, not None"):
        assert_input_compatibility(InputSpec(ndim=2), None, "add")
