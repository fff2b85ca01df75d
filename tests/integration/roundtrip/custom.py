"""Classes and functions of a user: registered under a package, and not registered, to be handed in."""

from __future__ import annotations

import keras
from keras import layers, ops

register = keras.saving.register_keras_serializable(package="roundtrip")


@register
class ScaleShift(layers.Layer):
    """`x * scale * factor + shift`, with a frozen count beside."""

    def __init__(self, factor=1.0, initializer="ones", **kwargs):
        super().__init__(**kwargs)
        self.factor = factor
        self.initializer = keras.initializers.get(initializer)

    def build(self, input_shape):
        self.count = self.add_weight(shape=(), initializer="zeros", trainable=False, dtype="int32", name="count")
        self.scale = self.add_weight(shape=(), initializer=self.initializer, name="scale")
        self.shift = self.add_weight(shape=(input_shape[-1],), initializer="zeros", name="shift")

    def call(self, inputs):
        return inputs * self.scale * self.factor + self.shift

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        initializer = keras.initializers.serialize(self.initializer)
        return {**super().get_config(), "factor": self.factor, "initializer": initializer}


@register
class Gated(layers.Wrapper):
    """`sigmoid(layer(x)) * layer(x)`."""

    def call(self, inputs):
        y = self.layer(inputs)
        return ops.sigmoid(y) * y


@register
class Block(layers.Layer):
    """Layers in a list, a dictionary and a tuple; more of them inside."""

    def __init__(self, inner, width=3, **kwargs):
        super().__init__(**kwargs)
        self.inner, self.width = inner, width
        self.sums = [layers.Dense(width), {"scale": ScaleShift(0.5)}]
        self.named = {"b": layers.Dense(width, activation="tanh"), "a": layers.LayerNormalization()}
        self._hidden = (layers.Dense(width, use_bias=False), None)

    def call(self, inputs, training=False):
        x = self.sums[1]["scale"](self.sums[0](self.inner(inputs, training=training)))
        return self._hidden[0](self.named["a"](self.named["b"](x)) + x)

    def get_config(self):
        inner = keras.saving.serialize_keras_object(self.inner)
        return {**super().get_config(), "inner": inner, "width": self.width}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "inner": keras.saving.deserialize_keras_object(config["inner"])})


@register
class AddIfGiven(layers.Layer):
    """`x + y`, or `x` alone."""

    def build(self, x_shape, y_shape=None):
        pass

    def call(self, x, y=None):
        return x if y is None else x + y

    def compute_output_shape(self, x_shape, y_shape=None):
        return x_shape


class Plain(ScaleShift):
    """A layer that is not registered."""


@register
class Net(keras.Model):
    """A model as a class: layers given as a list, with a head of its own."""

    def __init__(self, blocks, out=2, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.blocks, self.out = blocks, out
        self.activation = keras.activations.get(activation)
        self.head = layers.Dense(out)
        self.extra = {"mix": ScaleShift(0.5)}

    def call(self, inputs, training=False):
        x = inputs
        for block in self.blocks:
            x = block(x)
        x = ops.reshape(x, (ops.shape(x)[0], -1))
        return self.activation(self.extra["mix"](self.head(x)))

    def get_config(self):
        blocks = [keras.saving.serialize_keras_object(block) for block in self.blocks]
        activation = keras.activations.serialize(self.activation)
        return {**super().get_config(), "blocks": blocks, "out": self.out, "activation": activation}

    @classmethod
    def from_config(cls, config):
        blocks = [keras.saving.deserialize_keras_object(block) for block in config["blocks"]]
        return cls(**{**config, "blocks": blocks})


@register
def bent(x):
    return 1.5 * ops.softsign(x)


def plain_activation(x):
    return ops.tanh(x) * 0.5


@register
def weighted_square(y_true, y_pred):
    return ops.mean(ops.square(ops.subtract(y_true, y_pred)) * 2.0, axis=-1)


def plain_loss(y_true, y_pred):
    return ops.mean(ops.abs(ops.subtract(y_true, y_pred)), axis=-1)


@register
class Tilted(keras.losses.Loss):
    def __init__(self, tilt=0.3, **kwargs):
        super().__init__(**kwargs)
        self.tilt = tilt

    def call(self, y_true, y_pred):
        error = ops.subtract(y_true, y_pred)
        return ops.mean(ops.maximum(self.tilt * error, (self.tilt - 1) * error), axis=-1)

    def get_config(self):
        return {**super().get_config(), "tilt": self.tilt}


@register
class Largest(keras.metrics.Metric):
    """The largest prediction that was seen."""

    def __init__(self, floor=-10.0, name="largest", **kwargs):
        super().__init__(name=name, **kwargs)
        self.floor = floor
        self.value = self.add_weight(shape=(), initializer="zeros", name="value")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.value.assign(ops.maximum(self.value, ops.cast(ops.max(y_pred), self.value.dtype)))

    def result(self):
        return self.value + 0.0

    def get_config(self):
        return {**super().get_config(), "floor": self.floor}


@register
class Alternating(keras.initializers.Initializer):
    def __init__(self, size=0.1):
        self.size = size

    def __call__(self, shape, dtype=None):
        return ops.ones(shape, dtype=dtype) * self.size

    def get_config(self):
        return {"size": self.size}


@register
class Small(keras.regularizers.Regularizer):
    def __init__(self, factor=0.01):
        self.factor = factor

    def __call__(self, x):
        return self.factor * ops.sum(ops.square(x))

    def get_config(self):
        return {"factor": self.factor}


@register
class Bounded(keras.constraints.Constraint):
    def __init__(self, limit=2.0):
        self.limit = limit

    def __call__(self, w):
        return ops.clip(w, -self.limit, self.limit)

    def get_config(self):
        return {"limit": self.limit}


@register
class Halving(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, start=0.1):
        self.start = start

    def __call__(self, step):
        return self.start / (1.0 + ops.cast(step, "float32"))

    def get_config(self):
        return {"start": self.start}


@register
class SignedSGD(keras.optimizers.Optimizer):
    """An optimizer with one slot for each variable."""

    def __init__(self, learning_rate=0.01, decay=0.9, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.decay = decay

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.averages = [self.add_variable_from_reference(v, name="average") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        average = self.averages[self._get_variable_index(variable)]
        self.assign(average, average * self.decay + ops.cast(gradient, average.dtype))
        self.assign_sub(variable, ops.cast(learning_rate, variable.dtype) * ops.cast(average, variable.dtype))

    def get_config(self):
        return {**super().get_config(), "decay": self.decay}


UNREGISTERED = {"Plain": Plain, "plain_activation": plain_activation, "plain_loss": plain_loss}
