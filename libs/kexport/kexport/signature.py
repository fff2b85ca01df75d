"""The inputs with which a model is exported, and the op tape of its inference."""

from __future__ import annotations

from typing import Any, Collection

import numpy as np

from kops import tree
from kops.dtypes import standardize_dtype
from kops.keras_tensor import KerasTensor
from kops.tape import Tape, record


def input_specs(model: Any, input_signature: Any = None) -> Any:
    """The model's inputs as KerasTensors, in the structure in which it takes them.

    Args:
        input_signature: structure of InputSpecs, KerasTensors or anything with shape and dtype; default: as built.

    Raises:
        ValueError: when the model does not know its inputs.
    """
    if input_signature is not None:
        if isinstance(input_signature, (list, tuple)) and len(input_signature) == 1:
            input_signature = input_signature[0]
        return tree.map_structure(lambda s: KerasTensor(tuple(s.shape), standardize_dtype(s.dtype)), input_signature)
    known = getattr(model, "input", None) if hasattr(type(model), "input") and _is_graph(model) else None
    if known is not None:
        return tree.map_structure(lambda s: KerasTensor(s.shape, s.dtype), known)
    shapes = model._build_shapes
    if not model.built or shapes is None:
        raise ValueError(
            f"{type(model).__name__} {model.name!r} has not been built, so its inputs are unknown. "
            "Call it on data, or pass input_signature."
        )

    def spec(shape: Any) -> KerasTensor:
        return KerasTensor((None, *shape[1:]), model.compute_dtype)

    return tree.map_shape_structure(spec, shapes)


def _is_graph(model: Any) -> bool:
    return hasattr(model, "_function") or hasattr(model, "_tail")


def inference_tape(model: Any, specs: Any, known: Collection[str]) -> Tape:
    """The op calls of the model's inference."""
    takes_training = model._call_signature.takes_training

    def run(x: Any) -> Any:
        return model(x, training=False) if takes_training else model(x)

    return record(run, [specs], known)


def sample_inputs(specs: Any, batch: int = 2, seed: int = 0) -> Any:
    """Arrays that fit the specs: unknown dimensions get `batch` (the first) or 3."""
    rng = np.random.default_rng(seed)

    def sample(spec: KerasTensor) -> np.ndarray:
        shape = tuple((batch if i == 0 else 3) if d is None else d for i, d in enumerate(spec.shape))
        if spec.dtype.startswith(("int", "uint")):
            return rng.integers(0, 3, shape).astype(spec.dtype)
        if spec.dtype == "bool":
            return rng.integers(0, 2, shape).astype(bool)
        return rng.normal(size=shape).astype("float32" if spec.dtype == "bfloat16" else spec.dtype)

    return tree.map_structure(sample, specs)
