"""How a layer gets its variables: `build`, wrapped so that it can be called by anybody, and `add_weight`."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import ksave
from klayers import constraints, initializers, regularizers, tracking
from klayers.call_arguments import has_shape, shape_of, shapes_for_config
from klayers.context import context
from klayers.layer_state import ACTIVITY, COMPOSITE, HOOKS, LOSSES, SCHEME, TRAINING
from klayers.signature import CallSignature, build_parameters, signature_of
from kops.dtypes import is_float_dtype, itemsize, standardize_dtype
from kops.scopes import current_path, name_scope
from kops.shapes import standardize_shape
from kops.variable import Variable


def building_scope(layer: Any) -> Any:
    """The name scope of a layer, unless its `build` runs and has opened it already."""
    if context.building and context.building[-1] is layer:
        return contextlib.nullcontext()
    if layer._path:  # built: what is made later stands beside what was made then
        parent, _, name = layer._path.rpartition("/")
        return name_scope(name, deduplicate=False, override_parent=parent)
    return name_scope(layer.name, caller=layer)


def around_build(build: Any) -> Any:
    """A `build` that runs below the layer's name and leaves the layer built, whoever calls it."""
    if getattr(build, "_is_wrapped", False):
        return build

    @functools.wraps(build)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        if context.building and context.building[-1] is self:
            return build(self, *args, **kwargs)  # super().build()
        outer = context.building
        context.building = (*outer, self)
        try:
            with name_scope(self.name, caller=self):
                self._path = current_path()
                mode = self._policy_here.quantization_mode
                if mode and self._scheme is None:
                    self._scheme = self._find_scheme(mode)
                build(self, *args, **kwargs)
        finally:
            context.building = outer
        names = build_parameters(build.__get__(self))
        shapes = {**dict(zip(names, args)), **kwargs}
        self._after_build(next(iter(shapes.values())) if len(shapes) == 1 else shapes or None)
        return None

    wrapped._is_wrapped = True  # type: ignore[attr-defined]
    return wrapped


class LayerBuilding:
    """Mixin of `Layer`."""

    _needs: int
    _signature: CallSignature | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in cls.__dict__:
            cls.build = around_build(cls.__dict__["build"])  # type: ignore[method-assign]

    @around_build
    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of this shape (or shapes: one parameter `x_shape` per argument `x`)."""
        if input_shape is not None and any(not layer.built for layer in self._sublayers()):
            self._build_by_calling(input_shape)

    @property
    def _default_build(self) -> bool:
        return type(self).build is LayerBuilding.build

    def _after_build(self, shapes: Any) -> None:
        """Decide what calls will need."""
        self.built = True
        self._locked = True
        if not self._trainable:
            for variable in tracking.own_variables(self)[0]:
                variable.trainable = False
        if shapes is not None:
            self._build_shapes = shapes
        self._decide_needs()

    def _decide_needs(self) -> None:
        self._signature = signature = signature_of(type(self).call)
        policy = self.dtype_policy
        needs = self._needs & (LOSSES | HOOKS)
        if signature.uses_training:
            needs |= TRAINING
        if self._activity_regularizer is not None:
            needs |= ACTIVITY
        if self._scheme is not None:
            needs |= SCHEME
        if self._sublayers():
            needs |= COMPOSITE
        mixed = self.autocast and policy.compute_dtype != policy.variable_dtype
        self._autocast = policy.compute_dtype if mixed else None
        self._needs = needs
        self._seen.clear()

    def _build_by_arguments(self, arguments: dict[str, Any]) -> None:
        """Build a layer at its first call, from the shapes of the arguments."""
        if self._default_build:
            # Sublayers, if any, are built as `call` reaches them.
            self._build_shapes = shapes_for_config(arguments)
            return
        names = build_parameters(self.build)
        shapes = {n: shape_of(x) for n, x in arguments.items() if has_shape(x)}
        if len(names) == 1 and names[0] not in {f"{n}_shape" for n in shapes} - {"input_shape", "inputs_shape"}:
            self.build(next(iter(shapes.values()), None))
            return
        given = {}
        for name in names:
            source = name[: -len("_shape")] if name.endswith("_shape") else name
            if source in shapes:
                given[name] = shapes[source]
            elif len(names) == 1:
                given[name] = next(iter(shapes.values()), None)
        self.build(**given)

    def add_weight(
        self,
        *args: Any,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: str = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
    ) -> Variable:
        """Make a variable that belongs to the layer.

        Args:
            shape: dimensions; `()` when left out.
            initializer: name, callable or `Initializer`; default Glorot uniform for floats and zeros otherwise.
            dtype: default the layer's variable dtype.
            trainable, autocast, regularizer, constraint, aggregation, overwrite_with_gradient, name: see `Variable`.
        """
        if args:
            # Keras 2 took (shape, ...) or (name, shape, ...) by position.
            if isinstance(args[0], str) or args[0] is None:
                name, *args = args  # type: ignore[assignment]
            if args:
                shape = args[0]
        if self._locked:
            raise ValueError(
                f"{type(self).__name__} {self.name!r} is built already; variables cannot be added any more. "
                "Make them in __init__ or build()."
            )
        dtype = self.variable_dtype if dtype is None else standardize_dtype(dtype)
        if initializer is None:
            initializer = "glorot_uniform" if is_float_dtype(dtype) else "zeros"
        initializer = initializers.get(initializer)
        shape = () if shape is None else standardize_shape(shape)
        from_file = None not in shape and ksave.claim_variable(shape, itemsize(dtype))
        with building_scope(self):
            variable = Variable(
                initializer=initializer,
                shape=shape,
                dtype=dtype,
                trainable=trainable,
                autocast=autocast,
                aggregation=aggregation,
                name=name,
                deferred=from_file,
            )
        if from_file:
            ksave.when_loaded(variable.initialize)
        variable.regularizer = regularizers.get(regularizer)
        variable.constraint = constraints.get(constraint)
        variable.overwrite_with_gradient = overwrite_with_gradient
        self._own_variables.append(variable)
        return variable

    def add_variable(
        self,
        shape: Any,
        initializer: Any,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        name: str | None = None,
    ) -> Variable:
        """`add_weight`, under its old name."""
        return self.add_weight(
            shape=shape,
            initializer=initializer,
            dtype=dtype,
            trainable=trainable,
            autocast=autocast,
            regularizer=regularizer,
            constraint=constraint,
            name=name,
        )
