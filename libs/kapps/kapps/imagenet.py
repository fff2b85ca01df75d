"""What ImageNet models share: preprocessing of pixels, names of the classes, input shapes."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from kops import config
from kops.keras_tensor import KerasTensor
from ksave import get_file
from kspec import public

CLASS_INDEX = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
CLASS_INDEX_HASH = "c2c37ea517e94d9795004a39431a14cb"

# Means and deviations of ImageNet's channels, red first (mode "torch") or blue first (mode "caffe").
_TORCH_MEAN, _TORCH_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_CAFFE_MEAN = (103.939, 116.779, 123.68)


@public("keras.applications.imagenet_utils.preprocess_input")
def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Bring pixels from 0..255 into the range that a model was trained on.

    Args:
        x: images `(..., height, width, 3)` (or channels first), RGB, as array, tensor or symbolic tensor.
        data_format: where the channels are; default `image_data_format()`.
        mode: "caffe" (BGR minus the mean), "tf" (-1..1) or "torch" (0..1, then mean 0 and deviation 1 per channel).

    Returns:
        An array for an array (a float copy), a tensor for a tensor.
    """
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"mode must be 'caffe', 'tf' or 'torch', not {mode!r}.")
    data_format = config.standardize_data_format(data_format)
    if isinstance(x, np.ndarray):
        x = x.astype(config.floatx() if config.floatx() != "bfloat16" else "float32", copy=False)
    elif not isinstance(x, KerasTensor) or x.dtype != config.floatx():
        from kops.ops.core import cast, convert_to_tensor

        x = cast(convert_to_tensor(x), config.floatx())
    if mode == "tf":
        return x / 127.5 - 1.0
    axis = -1 if data_format == "channels_last" else -3
    if mode == "torch":
        return (x / 255.0 - _channels(_TORCH_MEAN, axis)) / _channels(_TORCH_STD, axis)
    if isinstance(x, np.ndarray):
        x = np.flip(x, axis)
    else:
        from kops.ops.manipulation import flip

        x = flip(x, axis)
    return x - _channels(_CAFFE_MEAN, axis)


def _channels(values: tuple[float, ...], axis: int) -> np.ndarray:
    array = np.asarray(values, "float32")
    return array if axis == -1 else array.reshape(-1, 1, 1)


@public("keras.applications.imagenet_utils.decode_predictions")
def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """The best classes of each prediction: lists of `(WordNet id, name, score)`.

    Args:
        preds: `(samples, 1000)`.
        top: how many.
    """
    preds = np.asarray(preds)
    if preds.ndim != 2 or preds.shape[1] != 1000:
        raise ValueError(f"decode_predictions takes ImageNet predictions of shape (samples, 1000), not {preds.shape}.")
    path = get_file("imagenet_class_index.json", CLASS_INDEX, cache_subdir="models", file_hash=CLASS_INDEX_HASH)
    with open(path, encoding="utf-8") as file:
        names = json.load(file)
    return [
        [(*names[str(i)], float(row[i])) for i in np.argsort(row)[::-1][:top]]  # type: ignore[misc]
        for row in preds
    ]


def input_shape_of(
    input_shape: Any, default_size: int, min_size: int, data_format: str, require_flatten: bool, weights: Any
) -> tuple[int | None, ...]:
    """The shape (without batch) of a model's input, checked.

    Raises:
        ValueError: for another rank, too small images, or a shape that the pretrained classifier cannot take.
    """
    first = data_format == "channels_first"
    default: tuple[int | None, ...] = (3, default_size, default_size) if first else (default_size, default_size, 3)
    if weights == "imagenet" and require_flatten:
        if input_shape is not None and tuple(input_shape) != default:
            raise ValueError(
                f"With include_top=True and ImageNet weights the input shape is {default}, not {tuple(input_shape)}. "
                "Use include_top=False for images of another size."
            )
        return default
    if input_shape is None:
        if require_flatten:
            return default
        return (3, None, None) if first else (None, None, 3)
    input_shape = tuple(input_shape)
    if len(input_shape) != 3:
        raise ValueError(f"input_shape has three dimensions (without the batch), not {input_shape}.")
    channels = input_shape[0] if first else input_shape[-1]
    if weights == "imagenet" and channels != 3:
        raise ValueError(f"ImageNet weights need three channels; input_shape is {input_shape}.")
    if weights != "imagenet" and channels not in (1, 3):
        warnings.warn(f"Images with {channels} channels are unusual (input_shape={input_shape}).", stacklevel=3)
    sizes = input_shape[1:] if first else input_shape[:-1]
    if any(size is not None and size < min_size for size in sizes):
        raise ValueError(f"Images must be at least {min_size}x{min_size}; input_shape is {input_shape}.")
    if require_flatten and None in input_shape:
        raise ValueError(f"With include_top=True the input shape must be known, but it is {input_shape}.")
    return input_shape


def check_arguments(weights: Any, include_top: bool, classes: int, classifier_activation: Any) -> None:
    """The checks that all architectures share."""
    import os

    if weights not in ("imagenet", None) and not os.path.exists(weights):
        raise ValueError(f"weights is None, 'imagenet', or the path of a weights file; {weights!r} is none of these.")
    if weights == "imagenet" and include_top and classes != 1000:
        raise ValueError(f"ImageNet weights with include_top=True have 1000 classes, not {classes}.")
    if weights == "imagenet" and include_top and classifier_activation not in (None, "softmax"):
        raise ValueError(f"The ImageNet classifier has activation 'softmax' or None, not {classifier_activation!r}.")
