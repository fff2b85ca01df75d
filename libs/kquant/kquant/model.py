"""`model.quantize`: which layers, and what when there is nothing to do."""

from __future__ import annotations

import re
import warnings
from typing import Any, Callable

from kspec import known_plugins, plugin


@plugin("quantization", "model")
def quantize_model(
    model: Any, mode: Any = None, config: Any = None, filters: Any = None, type_check: bool = True, **kwargs: Any
) -> None:
    """Quantize every layer of a built model for which there is a scheme.

    Args:
        model: a built model.
        mode: "int8", ...
        config: a quantization config instead of a mode, or agreeing with it.
        filters: which layers: a regular expression searched in the name, a list of them (any may match), or a
            function of the layer; None is all.
        type_check: when False, subclasses of a layer with a scheme are quantized as it would be.

    Raises:
        ValueError: for an unbuilt model, an unknown mode, or when no layer was quantized.
    """
    if kwargs:
        raise TypeError(f"quantize() got unknown arguments: {', '.join(kwargs)}.")
    mode = _mode(mode, config)
    if not model.built:
        raise ValueError(f"Cannot quantize {model.name!r} before it is built. Call it on data first.")
    wanted = _filter(filters)
    able = _able(mode)
    done = 0
    already = []
    for layer in model._flatten_layers():
        if _scheme_name(layer, able, type_check) is None or not wanted(layer):
            continue
        if layer.quantization_mode is not None:
            already.append(layer.name)
            continue
        layer.quantize(mode, type_check=type_check, config=config)
        done += 1
    if done:
        return
    if already:
        raise ValueError(f"Already quantized: {', '.join(already)}. A layer is quantized once, from its float weights.")
    if filters is not None:
        warnings.warn(f"No layer was quantized: filters={filters!r} selects none of them.", stacklevel=3)
        return
    raise ValueError(
        f"{model.name!r} has no layer that can be quantized in mode {mode!r}. There are schemes for: "
        f"{', '.join(sorted(able))}."
    )


def _mode(mode: Any, config: Any) -> str:
    modes = sorted({name.split(".")[0] for name in known_plugins("quantization") if "." in name})
    if mode is not None and hasattr(mode, "mode"):
        raise TypeError(f"Pass {type(mode).__name__} by name: quantize(config=...).")
    if mode is None and config is None:
        raise ValueError(f"Give a mode ({', '.join(modes)}) or a config.")
    if mode is not None and config is not None and config.mode != mode:
        raise ValueError(f"mode={mode!r} contradicts the config, whose mode is {config.mode!r}.")
    mode = config.mode if mode is None else mode
    if mode not in modes:
        raise ValueError(f"Unknown quantization mode {mode!r}. Installed: {', '.join(modes)}.")
    return mode


def _able(mode: str) -> set[str]:
    names = (name.split(".") for name in known_plugins("quantization") if "." in name)
    return {cls for kind, cls in names if kind == mode}


def _scheme_name(layer: Any, able: set[str], type_check: bool) -> str | None:
    classes = [type(layer)] if type_check else type(layer).__mro__
    return next((cls.__name__ for cls in classes if cls.__name__ in able and _ours(cls)), None)


def _ours(cls: type) -> bool:
    # A user's class that is merely called Dense has no scheme.
    return bool(vars(cls).get("__public_names__"))


def _filter(filters: Any) -> Callable[[Any], bool]:
    if filters is None:
        return lambda layer: True
    if callable(filters):
        return lambda layer: bool(filters(layer))
    patterns = [filters] if isinstance(filters, str) else filters
    if isinstance(patterns, (list, tuple)) and all(isinstance(p, str) for p in patterns):
        compiled = [re.compile(p) for p in patterns]
        return lambda layer: any(p.search(layer.name) for p in compiled)
    raise ValueError(f"filters is a regular expression, a list of them, or a function of a layer, not {filters!r}.")
