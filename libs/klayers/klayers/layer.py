"""`Layer`: variables and a computation on tensors, with everything Keras promises around them.

How a call is kept cheap: what a layer needs around its `call` (a training flag, a dtype scope, masks, losses,
its own sublayers) is decided when it is built and kept in `_needs`. An input whose type, dtype and shape the layer
has accepted before (`_seen`) goes straight to `call` when nothing is needed. All else takes `_call_fully`.
"""

from __future__ import annotations

import functools
from typing import Any

import ksave
from klayers import dtype_policies, masking, regularizers
from klayers.call_arguments import all_numbers, has_shape, is_mask, is_text, shape_of
from klayers.context import context, new_call_id
from klayers.input_spec import InputSpec, assert_input_compatibility
from klayers.layer_building import LayerBuilding, building_scope
from klayers.layer_quantization import LayerQuantization
from klayers.layer_saving import LayerSaving
from klayers.layer_state import ACTIVITY, COMPOSITE, HOOKS, SCHEME, TRAINING, LayerState, size_of
from klayers.policy_map import DTypePolicyMap
from klayers.signature import CallSignature, build_parameters, signature_of
from kops import tree
from kops.dtypes import FLOATS, standardize_dtype
from kops.engine import engine
from kops.keras_tensor import KerasTensor, any_symbolic
from kops.operation import Operation
from kops.remat import current_remat_mode
from kops.scopes import AutocastScope, ambient, current_path, name_scope
from kops.shapes import standardize_shape
from kops.tape import TraceTensor
from kops.variable import Variable
from kspec import public

_SEEN_LIMIT = 64
_Base: Any = engine().layer_base()
_compiling = engine().compiling


@public("keras.Layer", "keras.layers.Layer")
class Layer(LayerBuilding, LayerState, LayerSaving, LayerQuantization, _Base, Operation):  # type: ignore[misc]
    """The base of all layers.

    A subclass makes its variables in `build(input_shape)` with `add_weight`, and computes in `call(inputs)`. `call`
    may take `training` and `mask`; both are filled in from the surroundings when the caller leaves them out.

    Args:
        activity_regularizer: regularizer of the output, added to `losses`.
        trainable: whether the variables are to be trained.
        dtype: dtype name or `DTypePolicy`; default the global policy.
        autocast: whether float inputs and variables are cast to the compute dtype.
        name: optional; generated when left out.

    Example:
        >>> class Scale(Layer):
        ...     def build(self, input_shape):
        ...         self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones")
        ...     def call(self, x):
        ...         return x * self.scale
    """

    _own_variables: list[Variable]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = super().__new__(cls, *args, **kwargs)
        # Before __init__, so that a subclass may set attributes before it calls super().__init__().
        values = instance.__dict__
        values["_own_variables"] = []
        values["_seen"] = set()
        values["_needs"] = 0
        values["_autocast"] = None
        values["_losses"] = (0, [])
        values["_last_call"] = 0
        values["_build_shapes"] = None
        values["_scheme"] = None
        values["_locked"] = False
        values["_path"] = None
        return instance

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: Any = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if hasattr(_Base, "_init_native"):
            self._init_native()
        input_shape = kwargs.pop("input_shape", None)
        batch_size = kwargs.pop("batch_size", None)
        if "input_dim" in kwargs:
            input_shape = (kwargs.pop("input_dim"),)
        if kwargs:
            raise TypeError(
                f"{type(self).__name__} got unknown arguments: {', '.join(sorted(kwargs))}. "
                "A layer takes activity_regularizer, trainable, dtype, autocast, name and what its class adds."
            )
        Operation.__init__(self, name=name)
        if input_shape is not None:
            # Sequential makes its InputLayer from this.
            self.batch_input_shape = (batch_size, *standardize_shape(input_shape))
        self._activity_regularizer = regularizers.get(activity_regularizer)
        self._dtype_policy = dtype_policies.get(dtype)
        self.autocast = autocast
        self._input_spec: Any = None
        self._trainable = bool(trainable)
        self._supports_masking = False
        self.supports_jit = True
        self.built = False

    # Calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and not (_compiling is not None and _compiling()):
            x = args[0]
            key = (type(x), getattr(x, "dtype", None), getattr(x, "shape", None))
            if type(x) is not list and key in self._seen and not masking.in_use and not ambient.remat:
                if not self._needs and ambient.autocast == self._autocast:
                    return self.call(x)
                return self._run(args, kwargs, None)
        return self._call_fully(args, kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The layer's computation."""
        raise NotImplementedError(f"{type(self).__name__} must define call(self, inputs).")

    @property
    def _call_signature(self) -> CallSignature:
        return self._signature or signature_of(type(self).call)

    @property
    def call_signature_parameters(self) -> list[str]:
        return [p.name for p in self._call_signature.parameters]

    def _call_fully(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if "_dtype_policy" not in self.__dict__:
            raise RuntimeError(
                f"{type(self).__name__} was not initialized: call super().__init__(**kwargs) first in its __init__."
            )
        signature = self._call_signature
        training = kwargs.pop("training", None) if not signature.takes_training else kwargs.get("training")
        if not signature.takes_mask and not signature.var_keyword and kwargs.get("mask", 0) is None:
            kwargs.pop("mask")
        args = tuple(self._ready(a) for a in args)
        kwargs = {k: v if k == "training" else self._ready(v) for k, v in kwargs.items()}
        if any_symbolic(args, kwargs):
            return self._call_symbolically(args, kwargs, training)
        arguments = signature.bind(type(self).__name__, args, kwargs)
        if signature.takes_training:
            training = arguments.get("training")  # by keyword or by position
        self._check_inputs(arguments)
        if not self.built:
            return self._first_call(arguments, args, kwargs, training)
        result = self._run_with_masks(arguments, args, kwargs, training)
        if len(args) == 1 and not kwargs and not masking.in_use:
            # Also a layer that could make masks: as long as the process has none, this input made none.
            self._remember(args[0])
        return result

    def _remember(self, x: Any) -> None:
        key = (type(x), getattr(x, "dtype", None), getattr(x, "shape", None))
        if key[1] is None or (_compiling is not None and _compiling()):
            return
        if len(self._seen) >= _SEEN_LIMIT:
            self._seen.clear()
        self._seen.add(key)

    def _cast_target(self) -> str | None:
        """What float arguments are cast to. A layer of whole numbers (Discretization in older files) takes floats."""
        return self.compute_dtype if self.autocast and self.compute_dtype in FLOATS else None

    def _ready(self, x: Any) -> Any:
        """An argument with arrays made native tensors and floats cast to the compute dtype."""
        if x is None or type(x) in (bool, int, float, str):
            return x
        e = engine()
        target = self._cast_target()

        def change(leaf: Any) -> Any:
            if isinstance(leaf, KerasTensor):
                return leaf  # see `_computed`
            if isinstance(leaf, TraceTensor):
                if target is not None and leaf.dtype in FLOATS and leaf.dtype != target:
                    from kops.ops.core import cast

                    return cast(leaf, target)
                return leaf
            if isinstance(leaf, Variable):
                return leaf
            if not e.is_tensor(leaf):
                if not hasattr(leaf, "__array__") or isinstance(leaf, str) or is_text(leaf):
                    return leaf
                leaf = e.convert(leaf, None)
            name = e.dtype_name(leaf)
            if target is not None and name in FLOATS and name != target:
                mask = masking.get_mask(leaf) if masking.in_use else None
                leaf = e.cast(leaf, target)
                masking.set_mask(leaf, mask)
            return leaf

        if isinstance(x, (list, tuple)) and x and all_numbers(x):
            return change(e.convert(x, None))
        return tree.map_structure(change, x) if tree.is_nested(x) else change(x)

    def _computed(self, x: Any) -> Any:
        """Symbolic floats in the compute dtype. A graph has the tensors as they were given: running it casts them."""
        target = self._cast_target()

        def change(leaf: Any) -> Any:
            if not isinstance(leaf, KerasTensor) or leaf.dtype not in FLOATS or leaf.dtype == target:
                return leaf
            made = KerasTensor(leaf.shape, target, sparse=leaf.sparse, ragged=leaf.ragged)
            masking.set_mask(made, masking.get_mask(leaf))
            return made

        if target is None:
            return x
        return tree.map_structure(change, x) if tree.is_nested(x) else change(x)

    def _check_inputs(self, arguments: dict[str, Any]) -> None:
        if self._input_spec is not None and arguments:
            assert_input_compatibility(self._input_spec, next(iter(arguments.values())), self.name)

    def _first_call(
        self, arguments: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], training: Any
    ) -> Any:
        self._build_by_arguments(arguments)
        if self.built and self._locked:
            return self._run_with_masks(arguments, args, kwargs, training)
        # A layer without its own build: sublayers get built within this call, below its name.
        with name_scope(self.name, caller=self):
            self._path = self._path or current_path()
            self._decide_needs()
            self._needs |= COMPOSITE
            result = self._run_with_masks(arguments, args, kwargs, training)
        self._after_build(None)
        return result

    def _run_with_masks(
        self, arguments: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], training: Any
    ) -> Any:
        if not masking.in_use and type(self).compute_mask is Layer.compute_mask and kwargs.get("mask") is None:
            return self._run(args, kwargs, training)
        signature = self._call_signature
        masks = {n: masking.get_masks(x) for n, x in arguments.items() if n != "training" and not is_mask(n)}
        if len(masks) == 1 or "mask" in signature.all_names:
            first = next(iter(masks), None)
            if first is not None and signature.takes_mask and arguments.get("mask") is None and first != "mask":
                if masking.any_mask(masks[first]):
                    kwargs = {**kwargs, "mask": masks[first]}
                    args = args[: signature.names.index("mask")] if "mask" in signature.names else args
        for source, name in signature.mask_names.items():
            if arguments.get(name) is None and source in masks and masking.any_mask(masks[source]):
                kwargs = {**kwargs, name: masks[source]}
        result = self._run(args, kwargs, training)
        previous = next(iter(masks.values()), None)
        if kwargs.get("mask") is not None and not masking.any_mask(previous):
            previous = kwargs["mask"]
        self._set_output_masks(arguments, previous, result)
        return result

    def _set_output_masks(self, arguments: dict[str, Any], previous: Any, outputs: Any) -> None:
        produces = type(self).compute_mask is not Layer.compute_mask
        if not produces and (not self._supports_masking or not masking.any_mask(previous)):
            return
        flat = tree.flatten(outputs)
        if all(masking.get_mask(x) is not None for x in flat):
            return
        first = next(iter(arguments.values()), None)
        masking.set_masks(outputs, self.compute_mask(first, previous))

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any) -> Any:
        """`call` with its surroundings: training, dtype scope, losses."""
        needs = self._needs
        outer_training, outer_id = context.training, context.call_id
        if needs & TRAINING:
            given = kwargs.get("training")
            if given is None:
                names = self._call_signature.names
                position = names.index("training") if "training" in names else len(args)
                if position < len(args):
                    given = args[position]
                else:
                    given = outer_training if outer_training is not None else self._call_signature.training_default
                    kwargs = {**kwargs, "training": given}
            training = given
        if outer_id == 0:
            context.call_id = new_call_id()
        if training is not None:
            context.training = training
        self._last_call = context.call_id
        scope = AutocastScope(self._autocast) if ambient.autocast != self._autocast else None
        try:
            if scope is not None:
                scope.__enter__()
            call = self.call
            if needs & SCHEME:
                call = functools.partial(self._scheme.call, self)
            elif needs & HOOKS:
                call = self._call_with_hooks
            if ambient.remat and self._should_remat(args):
                call = self.rematerialized_call(call, *args, **kwargs)
            outputs = call(*args, **kwargs)
            if needs & ACTIVITY:
                for x in tree.flatten(outputs):
                    self.add_loss(self._activity_loss(x))
        finally:
            if scope is not None:
                scope.__exit__()
            context.training, context.call_id = outer_training, outer_id
        return outputs

    def _activity_loss(self, x: Any) -> Any:
        from kops.ops.core import cast, shape

        loss = self._activity_regularizer(x)
        dtype = getattr(loss, "dtype", None)
        # The mean over the batch, so that the strength does not depend on its size.
        size = shape(x)[0]
        size = max(size, 1) if isinstance(size, int) else size
        return loss / cast(size, "float32" if dtype is None else standardize_dtype(dtype))

    def _should_remat(self, args: Any) -> bool:
        mode = current_remat_mode()
        if mode is None or mode.mode is None:
            return False
        if mode.mode == "full":
            return True
        if mode.mode == "list_of_layers":
            return self.name in mode.layer_names
        if mode.mode == "larger_than":
            shapes = tree.flatten(self.compute_output_spec(*args))
            return any(size_of(s.shape) > mode.output_size_threshold for s in shapes)
        return hasattr(self, "activation")

    def rematerialized_call(self, layer_call: Any, *args: Any, **kwargs: Any) -> Any:
        from kops.remat import remat

        return remat(layer_call)

    # Symbolic calls

    def _call_symbolically(self, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any) -> Any:
        ksave.claim_call()
        signature = self._call_signature
        given = args, kwargs
        args = tuple(self._computed(a) for a in args)
        kwargs = {k: self._computed(v) for k, v in kwargs.items()}
        arguments = signature.bind(type(self).__name__, args, kwargs)
        self._check_inputs(arguments)
        if not self.built:
            self._build_symbolically(arguments, args, kwargs)
        masks = {n: masking.get_masks(x) for n, x in arguments.items() if n != "training" and not is_mask(n)}
        run_kwargs = kwargs
        first = next(iter(masks), None)
        if first is not None and signature.takes_mask and arguments.get("mask") is None:
            if masking.any_mask(masks[first]):
                run_kwargs = {**kwargs, "mask": masks[first]}
        outputs = self.compute_output_spec(*args, **run_kwargs)
        self._record(*given, outputs)
        self._set_output_masks(arguments, None if first is None else masks[first], outputs)
        return outputs

    def symbolic_call(self, *args: Any, **kwargs: Any) -> Any:
        outputs = self.compute_output_spec(*args, **kwargs)
        self._record(args, kwargs, outputs)
        return outputs

    def _build_symbolically(self, arguments: dict[str, Any], args: Any, kwargs: Any) -> None:
        self._build_by_arguments(arguments)
        if self.built and self._locked:
            return
        if self._sublayers() or type(self).compute_output_shape is Layer.compute_output_shape:
            # Whether build() opened the scope already.
            with building_scope(self):
                self._path = self._path or current_path()
                Operation.compute_output_spec(self, *args, **kwargs)
        self._after_build(None)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Outputs as KerasTensors; from `compute_output_shape` where that is defined, else by running `call`."""
        if type(self).compute_output_shape is not Layer.compute_output_shape:
            arguments = self._call_signature.bind(type(self).__name__, args, kwargs)
            shapes = {n: shape_of(x) for n, x in arguments.items() if has_shape(x)}
            names = build_parameters(self.compute_output_shape)
            if len(names) == 1:
                result = self.compute_output_shape(next(iter(shapes.values()), None))
            else:
                result = self.compute_output_shape(
                    **{n: shapes.get(n[: -len("_shape")] if n.endswith("_shape") else n) for n in names}
                )
            dtype = self.compute_dtype
            return tree.map_shape_structure(lambda s: KerasTensor(s, dtype=dtype), result)
        return self._infer_by_call(args, kwargs)

    def _infer_by_call(self, args: Any, kwargs: Any) -> Any:
        from kops.symbolic import infer_by_running

        def run(*a: Any, **k: Any) -> Any:
            with AutocastScope(self._autocast):
                return self.call(*a, **k)

        return infer_by_running(run, args, kwargs)

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The output shape(s) for input shape(s)."""

        def spec(shape: Any) -> KerasTensor:
            return KerasTensor(shape, dtype=self.compute_dtype, record_history=False)

        specs = [tree.map_shape_structure(spec, a) for a in args]
        named = {
            (k[: -len("_shape")] if k.endswith("_shape") else k): tree.map_shape_structure(spec, v)
            for k, v in kwargs.items()
        }
        if not self.built:
            arguments = self._call_signature.bind(type(self).__name__, tuple(specs), named)
            self._build_symbolically(arguments, specs, named)
        return tree.map_structure(lambda x: x.shape, self._infer_by_call(specs, named))

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask of the outputs; by default that of the inputs."""
        return previous_mask

    # Dtypes, masks and input specs

    @property
    def dtype_policy(self) -> Any:
        return self._dtype_policy

    @dtype_policy.setter
    def dtype_policy(self, value: Any) -> None:
        policy = dtype_policies.get(value)
        if isinstance(policy, DTypePolicyMap):
            policy = policy[self.path] if self.path else policy.default_policy
        quantized = policy.quantization_mode
        self._dtype_policy = policy
        if self.built and quantized and self._scheme is None:
            self.quantize(quantized)
        if self.built:
            self._decide_needs()

    @property
    def dtype(self) -> str:
        """The dtype of the variables."""
        return self.variable_dtype

    @property
    def compute_dtype(self) -> str:
        """The dtype of the computation, as which inputs and variables are read."""
        return self._policy_here.compute_dtype

    @property
    def variable_dtype(self) -> str:
        """The dtype of the variables."""
        return self._policy_here.variable_dtype

    @property
    def input_dtype(self) -> str:
        """The dtype to which inputs are cast."""
        return self.compute_dtype

    @property
    def _policy_here(self) -> Any:
        policy = self._dtype_policy
        if isinstance(policy, DTypePolicyMap):
            return policy[self.path] if self.path else policy.default_policy
        return policy

    @property
    def supports_masking(self) -> bool:
        """Whether the mask of the input stays valid for the output."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self._supports_masking = value

    @property
    def input_spec(self) -> Any:
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        for spec in tree.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"input_spec takes InputSpec objects, not {type(spec).__name__}.")
        self._input_spec = value
        self._seen.clear()

    @property
    def activity_regularizer(self) -> Any:
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, value: Any) -> None:
        self._activity_regularizer = regularizers.get(value)
        if self.built:
            self._decide_needs()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"

    __str__ = __repr__

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_seen"] = set()
        return state


# TensorFlow's AutoGraph is not to rewrite the machinery around `call`.
Layer.__call__ = engine().adopt(Layer.__call__)  # type: ignore[method-assign]
