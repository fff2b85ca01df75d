"""MobileNetV2 (Sandler et al., 2018) as one writes it without Keras: a list of weights and the engine's functions."""

import numpy as np

# Expansion, channels, repetitions, first stride.
_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def _weights():
    """`(kind, kernel HWIO, scale, offset, mean, variance, stride, relu6?, residual?)` of every convolution."""
    rng = np.random.default_rng(0)
    layers = []

    def convolution(kind, *kernel, stride=1, active=True, joins=""):
        size = kernel[2] if kind == "depthwise" else kernel[3]
        scale = (kernel[0] * kernel[1] * (1 if kind == "depthwise" else kernel[2])) ** -0.5
        norm = [rng.uniform(0.5, 1.5, size).astype("float32") for _ in range(4)]
        w = rng.normal(size=kernel, scale=scale).astype("float32")
        layers.append((kind, w, norm, stride, active, joins))

    convolution("full", 3, 3, 3, 32, stride=2)
    depth = 32
    for factor, channels, count, first in _STAGES:
        for i in range(count):
            stride = first if i == 0 else 1
            joins = stride == 1 and depth == channels
            wide = depth * factor
            if joins:
                layers.append(("keep", None, None, 1, False, ""))
            if factor > 1:
                convolution("full", 1, 1, depth, wide)
            convolution("depthwise", 3, 3, wide, 1, stride=stride)
            convolution("full", 1, 1, wide, channels, active=False, joins="add" if joins else "")
            depth = channels
    convolution("full", 1, 1, depth, 1280)
    head = rng.normal(size=(1280, 1000), scale=0.03).astype("float32"), np.zeros(1000, "float32")
    return layers, head


def _forward(x, layers, convolve, norm, relu6):
    kept = None
    for kind, w, parameters, stride, active, joins in layers:
        if kind == "keep":
            kept = x
            continue
        x = norm(convolve(x, w, stride, kind == "depthwise"), parameters)
        x = relu6(x) if active else x
        x = x + kept if joins else x
    return x


def torch_predict(x):
    import torch
    import torch.nn.functional as F

    layers, (kernel, bias) = _weights()

    def ready(w, kind):
        w = torch.from_numpy(w)
        order = (2, 3, 0, 1) if kind == "depthwise" else (3, 2, 0, 1)
        return w.permute(order).contiguous(memory_format=torch.channels_last)

    layers = [
        (kind, *((None, None) if w is None else (ready(w, kind), [torch.from_numpy(p) for p in norm])), *rest)
        for kind, w, norm, *rest in layers
    ]
    kernel, bias = torch.from_numpy(kernel.T.copy()), torch.from_numpy(bias)

    def convolve(x, w, stride, grouped):
        return F.conv2d(x, w, None, stride, w.shape[-1] // 2, 1, x.shape[1] if grouped else 1)

    def norm(x, p):
        return F.batch_norm(x, p[0], p[1], p[2], p[3], False, 0.0, 1e-3)

    @torch.inference_mode()
    def predict():
        y = _forward(torch.from_numpy(x).permute(0, 3, 1, 2), layers, convolve, norm, F.relu6)
        return torch.softmax(F.linear(y.mean((2, 3)), kernel, bias), -1).numpy()

    return predict


def tensorflow_predict(x):
    import tensorflow as tf

    layers, (kernel, bias) = _weights()
    layers = [
        (kind, *((None, None) if w is None else (tf.Variable(w), [tf.Variable(p) for p in norm])), *rest)
        for kind, w, norm, *rest in layers
    ]
    kernel, bias = tf.Variable(kernel), tf.Variable(bias)

    def convolve(x, w, stride, grouped):
        steps = [1, stride, stride, 1]
        return (tf.nn.depthwise_conv2d if grouped else tf.nn.conv2d)(x, w, steps, "SAME")

    def norm(x, p):
        return tf.nn.batch_normalization(x, p[0], p[1], p[2], p[3], 1e-3)

    @tf.function
    def run(images):
        y = _forward(images, layers, convolve, norm, tf.nn.relu6)
        return tf.nn.softmax(tf.matmul(tf.reduce_mean(y, (1, 2)), kernel) + bias)

    return lambda: run(tf.constant(x)).numpy()
