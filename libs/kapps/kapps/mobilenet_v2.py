"""MobileNetV2 (Sandler et al. 2018, MobileNetV2: Inverted Residuals and Linear Bottlenecks)."""

from __future__ import annotations

import warnings
from typing import Any

from kapps import imagenet
from kapps.pretrained import load_pretrained
from klayers.input_layer import Input
from klayers.layers.batch_normalization import BatchNormalization
from klayers.layers.conv import Conv2D
from klayers.layers.cropping import ZeroPadding2D
from klayers.layers.dense import Dense
from klayers.layers.depthwise_conv import DepthwiseConv2D
from klayers.layers.global_pooling import GlobalAveragePooling2D, GlobalMaxPooling2D
from klayers.layers.merging import Add
from klayers.layers.rectifiers import ReLU
from kops import config
from kspec import public, resolve

WEIGHTS = "https://storage.googleapis.com/tensorflow/keras-applications/mobilenet_v2/"
SIZES = (96, 128, 160, 192, 224)

# Blocks: (expansion, channels, stride), repeated.
_BLOCKS = (
    [(1, 16, 1)]
    + [(6, 24, 2), (6, 24, 1)]
    + [(6, 32, 2), (6, 32, 1), (6, 32, 1)]
    + [(6, 64, 2), (6, 64, 1), (6, 64, 1), (6, 64, 1)]
    + [(6, 96, 1), (6, 96, 1), (6, 96, 1)]
    + [(6, 160, 2), (6, 160, 1), (6, 160, 1)]
    + [(6, 320, 1)]
)


@public("keras.applications.MobileNetV2", "keras.applications.mobilenet_v2.MobileNetV2")
def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = None,
) -> Any:
    """The MobileNetV2 image classifier.

    Args:
        input_shape: without the batch; default `(224, 224, 3)`, or any size without the top.
        alpha: multiplies the number of channels of every layer.
        include_top: whether the classifier belongs to the model.
        weights: "imagenet" (downloaded), None (random), or the path of a weights file.
        input_tensor: symbolic tensor to build on.
        pooling: without the top: None (feature maps), "avg" or "max".
        classes: number of classes.
        classifier_activation: of the top; None gives logits.
        name: of the model.

    Returns:
        A model whose inputs are pixels from -1 to 1 (see `preprocess_input`).
    """
    imagenet.check_arguments(weights, include_top, classes, classifier_activation)
    data_format = config.image_data_format()
    channels_axis = 1 if data_format == "channels_first" else -1
    if input_shape is None and input_tensor is not None:
        input_shape = input_tensor.shape[1:]
    default = 224
    if weights == "imagenet":
        if alpha not in (0.35, 0.50, 0.75, 1.0, 1.3, 1.4):
            raise ValueError(f"There are ImageNet weights for alpha 0.35, 0.5, 0.75, 1.0, 1.3 and 1.4, not {alpha}.")
        if input_shape is not None:
            rows, columns = input_shape[1:] if channels_axis == 1 else input_shape[:-1]
            if rows == columns and rows in SIZES:
                default = rows
            else:
                warnings.warn(
                    f"There are no weights for images of {rows}x{columns}; those for 224x224 are loaded.", stacklevel=2
                )
    shape = imagenet.input_shape_of(input_shape, default, 32, data_format, include_top, weights)
    size = default if weights == "imagenet" else shape[1 if channels_axis == 1 else 0]
    inputs = Input(shape) if input_tensor is None else input_tensor

    def normalize(x: Any, label: str) -> Any:
        return BatchNormalization(axis=channels_axis, epsilon=1e-3, momentum=0.999, name=label)(x)

    x = Conv2D(_divisible(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1")(inputs)
    x = ReLU(6.0, name="Conv1_relu")(normalize(x, "bn_Conv1"))
    for i, (expansion, channels, stride) in enumerate(_BLOCKS):
        x = _block(x, i, expansion, _divisible(channels * alpha), stride, channels_axis, normalize)
    last = _divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    x = ReLU(6.0, name="out_relu")(normalize(x, "Conv_1_bn"))
    if include_top:
        x = GlobalAveragePooling2D()(x)
        x = Dense(classes, activation=classifier_activation, name="predictions")(x)
    elif pooling == "avg":
        x = GlobalAveragePooling2D()(x)
    elif pooling == "max":
        x = GlobalMaxPooling2D()(x)
    model = resolve("keras.Model")(inputs, x, name=name or f"mobilenetv2_{alpha:0.2f}_{size}")
    top = "" if include_top else "_no_top"
    load_pretrained(
        model, weights, WEIGHTS, f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{size}{top}.h5"
    )
    return model


def _block(inputs: Any, index: int, expansion: int, channels: int, stride: int, axis: int, normalize: Any) -> Any:
    """An inverted residual: widen, filter each channel, narrow; added to the input where the shapes allow."""
    prefix = f"block_{index}_" if index else "expanded_conv_"
    entering = inputs.shape[axis]
    x = inputs
    if index:
        x = Conv2D(expansion * entering, 1, use_bias=False, name=prefix + "expand")(x)
        x = ReLU(6.0, name=prefix + "expand_relu")(normalize(x, prefix + "expand_BN"))
    if stride == 2:
        x = ZeroPadding2D(_padding(x, axis), name=prefix + "pad")(x)
    padding = "same" if stride == 1 else "valid"
    x = DepthwiseConv2D(3, strides=stride, use_bias=False, padding=padding, name=prefix + "depthwise")(x)
    x = ReLU(6.0, name=prefix + "depthwise_relu")(normalize(x, prefix + "depthwise_BN"))
    x = Conv2D(channels, 1, use_bias=False, name=prefix + "project")(x)
    x = normalize(x, prefix + "project_BN")
    if entering == channels and stride == 1:
        return Add(name=prefix + "add")([inputs, x])
    return x


def _padding(x: Any, axis: int) -> Any:
    """Padding by which a 3x3 window with stride 2 covers the image as in the original training."""
    rows, columns = x.shape[2:] if axis == 1 else x.shape[1:-1]

    def pair(size: int | None) -> tuple[int, int]:
        return (1 if size is not None and size % 2 else 0, 1)

    return pair(rows), pair(columns)


def _divisible(value: float, by: int = 8) -> int:
    """The multiple of `by` next to a number of channels, but not more than 10 % below it."""
    rounded = max(by, int(value + by / 2) // by * by)
    return rounded + by if rounded < 0.9 * value else rounded


@public("keras.applications.mobilenet_v2.preprocess_input")
def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Pixels 0..255 as -1..1."""
    return imagenet.preprocess_input(x, data_format=data_format, mode="tf")


@public("keras.applications.mobilenet_v2.decode_predictions")
def decode_predictions(preds: Any, top: int = 5) -> Any:
    """See `keras.applications.imagenet_utils.decode_predictions`."""
    return imagenet.decode_predictions(preds, top=top)
