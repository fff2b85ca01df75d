"""How a layer is written to and made from files."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Iterator

import ksave
from klayers import dtype_policies, regularizers, tracking
from kops import tree
from kops.keras_tensor import KerasTensor
from kops.operation import Operation


class LayerSaving:
    """Mixin of `Layer`."""

    def get_config(self: Any) -> dict[str, Any]:
        """Constructor arguments from which `from_config` makes an equal layer."""
        base = {"name": self.name, "trainable": self.trainable, "dtype": dtype_policies.serialize(self._dtype_policy)}
        if self._activity_regularizer is not None:
            base["activity_regularizer"] = regularizers.serialize(self._activity_regularizer)
        if type(self).get_config is not LayerSaving.get_config:
            return base  # a subclass adds its own arguments
        own = Operation.get_config(self)
        for key in ("trainable", "dtype", "activity_regularizer"):
            own.pop(key, None)
        return {**base, **{k: ksave.serialize_keras_object(v) for k, v in own.items()}}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        dtype = config.get("dtype")
        if isinstance(dtype, dict):
            config["dtype"] = dtype_policies.deserialize(dtype)
        if cls.get_config is LayerSaving.get_config:
            # Nobody but us serialized the arguments, so we make the objects again.
            config = {
                k: ksave.deserialize_keras_object(v) if isinstance(v, dict) and "class_name" in v else v
                for k, v in config.items()
            }
        # A constructor that takes neither these nor **kwargs still gets its layer back as it was.
        parameters = inspect.signature(cls.__init__).parameters
        later = {}
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            later = {k: config.pop(k) for k in ("name", "trainable", "dtype") if k in config and k not in parameters}
        layer = super().from_config(config)  # type: ignore[misc]  # Operation's, the next class in every layer
        if "name" in later:
            layer.name = later["name"]
        if later.get("trainable") is False:
            layer.trainable = False
        if "dtype" in later:
            layer.dtype_policy = later["dtype"]
        return layer

    def get_build_config(self) -> dict[str, Any] | None:
        """What `build_from_config` needs to make the variables again."""
        shapes = self._build_shapes
        if shapes is None:
            return None
        if isinstance(shapes, dict) and all(name.endswith("_shape") for name in shapes):
            # One shape per argument; a dictionary with other keys is the structure of a single argument.
            return {"shapes_dict": shapes} if len(shapes) > 1 else {"input_shape": next(iter(shapes.values()))}
        return {"input_shape": shapes}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build with the shapes of a file."""
        if not config or self.built:
            return
        shapes = config.get("shapes_dict")
        if shapes and self._default_build:
            self._build_by_calling({k[: -len("_shape")]: tuples(v) for k, v in shapes.items()})
        elif shapes:
            self.build(**{k: tuples(v) for k, v in shapes.items()})
        elif config.get("input_shape") is not None:
            self.build(tuples(config["input_shape"]))

    def _build_by_calling(self, shapes: Any) -> None:
        """Build the sublayers of a layer without its own build: a symbolic call makes their variables.

        Args:
            shapes: of the first argument, or a dictionary from argument names to shapes.
        """
        if not self._sublayers():
            self._after_build(None)
            return

        def spec(shape: Any) -> KerasTensor:
            return KerasTensor(shape, self.compute_dtype, record_history=False)

        signature = self._call_signature
        args: tuple[Any, ...] = ()
        named: dict[str, Any] = {}
        if isinstance(shapes, dict) and shapes.keys() <= signature.all_names:
            named = {k: tree.map_shape_structure(spec, v) for k, v in shapes.items()}
        else:
            args = (tree.map_shape_structure(spec, shapes),)
        self._build_symbolically(signature.bind(type(self).__name__, args, named), args, named)
        if not named:
            self._build_shapes = shapes

    def save_own_variables(self, store: Any) -> None:
        """Put the layer's own variables into a mapping from names to arrays."""
        for i, v in enumerate(self._file_variables()):
            store[str(i)] = v

    def _file_variables(self) -> list[Any]:
        """The own variables in the order of files; a quantization scheme may have its own."""
        if self._scheme is not None and hasattr(self._scheme, "file_variables"):
            return self._scheme.file_variables(self)
        return sum(tracking.own_variables(self), [])

    def load_own_variables(self, store: Any) -> None:
        """Take the layer's own variables from a mapping that `save_own_variables` filled."""
        mine = self._file_variables()
        if len(store.keys()) != len(mine):
            hint = ""
            if not mine and not self.built:
                hint = (
                    " The layer is not built, so it has no variables yet: define get_build_config() and "
                    "build_from_config(), or build it in its own build()."
                )
            raise ValueError(
                f"{type(self).__name__} {self.name!r} expects {len(mine)} variables, but the file has "
                f"{len(store.keys())}.{hint}"
            )
        for i, v in enumerate(mine):
            ksave.load_variable(v, store, str(i))

    def _saveable_children(self) -> Iterator[tuple[str, Any]]:
        return ksave.attribute_children(self, skip=own_names())


def tuples(shape: Any) -> Any:
    if isinstance(shape, list):
        return tuple(shape) if all(d is None or isinstance(d, int) for d in shape) else [tuples(s) for s in shape]
    if isinstance(shape, dict):
        return {k: tuples(v) for k, v in shape.items()}
    return shape


@functools.lru_cache(maxsize=1)
def own_names() -> frozenset[str]:
    """Names that are the machinery's, not a subclass's."""
    from klayers.layer import Layer

    return frozenset(dir(Layer())) | tracking.MACHINERY
