from __future__ import annotations

from kspec import protocols


def test_an_object_with_a_config_is_saveable():
    class Rate:
        def get_config(self):
            return {}

        @classmethod
        def from_config(cls, config):
            return cls()

    assert isinstance(Rate(), protocols.Saveable)
    assert not isinstance(object(), protocols.Saveable)


def test_a_spec_is_whatever_has_a_shape_and_a_dtype():
    class Spec:
        shape = (None, 3)
        dtype = "float32"

    assert isinstance(Spec(), protocols.TensorSpecLike)
    assert not isinstance((None, 3), protocols.TensorSpecLike)


def test_schemes_formats_and_placements_are_told_by_their_methods():
    class Onnx:
        def write(self, model, path, **options): ...

    assert isinstance(Onnx(), protocols.ExportFormat)
    assert not isinstance(Onnx(), protocols.QuantizationScheme)
    assert not isinstance(Onnx(), protocols.Placement)
