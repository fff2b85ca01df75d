"""Which engine runs, and the few settings that ops and layers share.

The engine is chosen once, when this module is first imported: `KERAS_BACKEND`, then `keras.json` in
`KERAS_HOME` (default `~/.keras`), then TensorFlow; when nothing was asked for and TensorFlow is not installed,
the first installed of JAX, PyTorch and NumPy. Choosing imports no engine: see `kops.engine`.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any, Callable

from kspec import public

BACKENDS = ("tensorflow", "jax", "torch", "numpy", "openvino")
_FLOATX = ("bfloat16", "float16", "float32", "float64")
_DATA_FORMATS = ("channels_last", "channels_first")


def keras_home() -> str:
    """The folder of `keras.json` and of downloads: `KERAS_HOME`, else `~/.keras`, else in the temporary folder."""
    home = os.environ.get("KERAS_HOME")
    if home:
        return home
    base = os.path.expanduser("~")
    if not os.access(base, os.W_OK):
        import tempfile

        base = tempfile.gettempdir()
    return os.path.join(base, ".keras")


def _read_file() -> dict[str, Any]:
    path = os.path.join(keras_home(), "keras.json")
    if not os.path.exists(path):
        return {}
    import json

    with open(path, encoding="utf-8") as file:
        try:
            content = json.load(file)
        except ValueError as error:
            raise ValueError(f"{path} is not valid JSON ({error}). Correct or delete it.") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(content).__name__}.")
    return content


def _check(kind: str, value: Any, allowed: tuple[str, ...], source: str = "") -> str:
    if value not in allowed:
        origin = f" (from {source})" if source else ""
        raise ValueError(f"Unknown {kind} {value!r}{origin}. Choose one of: {', '.join(allowed)}.")
    return str(value)


def _choose_backend(file: dict[str, Any]) -> str:
    asked = os.environ.get("KERAS_BACKEND")
    if asked:
        return _check("backend", asked, BACKENDS, "KERAS_BACKEND")
    if "backend" in file:
        return _check("backend", file["backend"], BACKENDS, "keras.json")
    if find_spec("tensorflow"):
        return "tensorflow"
    found = next((name for name in ("jax", "torch") if find_spec(name)), "numpy")
    import logging

    logging.getLogger("keras").warning(
        "TensorFlow is not installed; using %s. Set KERAS_BACKEND to choose yourself.", found
    )
    return found


def _env_int(name: str) -> int | None:
    text = os.environ.get(name)
    return int(text) if text else None


class Settings:
    """The one mutable context of this library."""

    def __init__(self) -> None:
        file = _read_file()
        self.backend = _choose_backend(file)
        self.floatx = _check("floatx", file.get("floatx", "float32"), _FLOATX)
        self.epsilon = float(file.get("epsilon", 1e-7))
        self.image_data_format = _check(
            "image data format", file.get("image_data_format", "channels_last"), _DATA_FORMATS
        )
        self.nnx = bool(file.get("nnx_enabled", os.environ.get("KERAS_NNX_ENABLED", "") in ("1", "true", "True")))
        self.flash_attention = True
        self.traceback_filtering = True
        self.interactive_logging = True
        self.max_epochs = _env_int("KERAS_MAX_EPOCHS")
        self.max_steps_per_epoch = _env_int("KERAS_MAX_STEPS_PER_EPOCH")
        self.engine_loaded = False
        self.on_change: list[Callable[[], None]] = []  # called when what ops depend on was set
        if self.backend != "tensorflow":
            # TensorFlow may still be imported by somebody (tf.data): it must leave GPU memory to the engine.
            os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")


settings = Settings()


def _announce() -> None:
    """Something changed that plans of ops depend on."""
    for listener in settings.on_change:
        listener()


@public("keras.config.backend", "keras.backend.backend")
def backend() -> str:
    """The name of the active engine: "tensorflow", "jax", "torch", "numpy" or "openvino"."""
    return settings.backend


@public("keras.config.set_backend")
def set_backend(backend: str) -> None:
    """Choose the engine from code, before anything has used one.

    Raises:
        ValueError: for an unknown name.
        RuntimeError: when another engine is in use already; a process keeps its first one.
    """
    _check("backend", backend, BACKENDS, "set_backend")
    if settings.engine_loaded and backend != settings.backend:
        raise RuntimeError(
            f"The {settings.backend} backend is already in use and cannot be changed to {backend} in this process. "
            f"Call set_backend first, or start Python with KERAS_BACKEND={backend}."
        )
    settings.backend = backend


@public("keras.config.floatx", "keras.backend.floatx")
def floatx() -> str:
    """The default float dtype, "float32" unless it was set otherwise."""
    return settings.floatx


@public("keras.config.set_floatx", "keras.backend.set_floatx")
def set_floatx(value: str) -> None:
    """Set the default float dtype: "bfloat16", "float16", "float32" or "float64"."""
    settings.floatx = _check("floatx", value, _FLOATX)
    _announce()


@public("keras.config.epsilon", "keras.backend.epsilon")
def epsilon() -> float:
    """The small number that keeps divisions and logarithms finite; 1e-7 unless it was set otherwise."""
    return settings.epsilon


@public("keras.config.set_epsilon", "keras.backend.set_epsilon")
def set_epsilon(value: float) -> None:
    """Set the small number that `epsilon` returns."""
    settings.epsilon = value
    _announce()


@public("keras.config.image_data_format", "keras.backend.image_data_format")
def image_data_format() -> str:
    """The default place of the channels axis: "channels_last" or "channels_first"."""
    return settings.image_data_format


@public("keras.config.set_image_data_format", "keras.backend.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    """Set the default place of the channels axis."""
    settings.image_data_format = _check("image data format", str(data_format).lower(), _DATA_FORMATS)
    _announce()


def standardize_data_format(data_format: str | None) -> str:
    """`data_format` checked, or the default for None."""
    if data_format is None:
        return settings.image_data_format
    return _check("data_format", str(data_format).lower(), _DATA_FORMATS)


@public("keras.config.enable_flash_attention")
def enable_flash_attention() -> None:
    """Let attention use the engine's fused kernel where its conditions hold (the default)."""
    settings.flash_attention = True
    _announce()


@public("keras.config.disable_flash_attention")
def disable_flash_attention() -> None:
    """Make attention use the plain formula everywhere."""
    settings.flash_attention = False
    _announce()


@public("keras.config.is_flash_attention_enabled")
def is_flash_attention_enabled() -> bool:
    """Whether attention may use the engine's fused kernel."""
    return settings.flash_attention


@public("keras.config.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Hide library frames in tracebacks (the default)."""
    settings.traceback_filtering = True


@public("keras.config.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Show every frame in tracebacks."""
    settings.traceback_filtering = False


@public("keras.config.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether library frames are hidden in tracebacks."""
    return settings.traceback_filtering


@public("keras.utils.enable_interactive_logging", "keras.config.enable_interactive_logging")
def enable_interactive_logging() -> None:
    """Show progress on the terminal (the default)."""
    settings.interactive_logging = True


@public("keras.utils.disable_interactive_logging", "keras.config.disable_interactive_logging")
def disable_interactive_logging() -> None:
    """Send progress to the logger "keras" (level INFO) instead of the terminal."""
    settings.interactive_logging = False


@public("keras.utils.is_interactive_logging_enabled", "keras.config.is_interactive_logging_enabled")
def is_interactive_logging_enabled() -> bool:
    """Whether progress is shown on the terminal."""
    return settings.interactive_logging


@public("keras.config.is_nnx_enabled")
def is_nnx_enabled() -> bool:
    """Whether layers are Flax NNX modules on JAX."""
    return settings.nnx


@public("keras.config.max_epochs")
def max_epochs() -> int | None:
    """The cap on epochs of any `fit`, or None."""
    return settings.max_epochs


@public("keras.config.set_max_epochs")
def set_max_epochs(max_epochs: int | None) -> None:
    """Cap the epochs of any `fit` (for smoke tests of long scripts)."""
    settings.max_epochs = max_epochs


@public("keras.config.max_steps_per_epoch")
def max_steps_per_epoch() -> int | None:
    """The cap on steps of any epoch, or None."""
    return settings.max_steps_per_epoch


@public("keras.config.set_max_steps_per_epoch")
def set_max_steps_per_epoch(max_steps_per_epoch: int | None) -> None:
    """Cap the steps of any epoch of `fit`, `evaluate` and `predict`."""
    settings.max_steps_per_epoch = max_steps_per_epoch
