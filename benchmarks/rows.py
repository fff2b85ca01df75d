"""What is timed. `prepare(row, side, engine)` returns a function that does it once and says how many times.

Sides: "ours" and "oracle" run the Keras code of a row; "native" runs what one would write without Keras.
"""

import os
import tempfile

import numpy as np


class NotHere(Exception):
    """The row has no meaning on this side or engine."""


RNG = np.random.default_rng(0)
LOG = open(os.environ.get("BENCHMARK_LOG", os.devnull), "a")  # noqa: SIM115 - open as long as the process
ROWS = {}


def row(function):
    ROWS[function.__name__] = function
    return function


def prepare(name, side, engine):
    return ROWS[name](side, engine)


def native_tensor(engine, x):
    if engine == "torch":
        import torch

        return torch.from_numpy(np.array(x))
    if engine == "jax":
        import jax.numpy as jnp

        return jnp.asarray(x)
    if engine == "tensorflow":
        import tensorflow as tf

        return tf.constant(x)
    return np.asarray(x)


def native_add(engine):
    import importlib

    module = {"torch": "torch", "jax": "jax.numpy", "tensorflow": "tensorflow"}.get(engine, "numpy")
    return importlib.import_module(module).add


def repeat(function, count):
    def run():
        for _ in range(count):
            function()
        return count

    return run


@row
def eager_add(side, engine):
    x = native_tensor(engine, np.ones(3, "float32"))
    if side == "native":
        add = native_add(engine)
    else:
        import keras

        add = keras.ops.add
    return repeat(lambda: add(x, x), 2000)


@row
def eager_add_variable(side, engine):
    x = native_tensor(engine, np.ones(3, "float32"))
    if side == "native":
        add = native_add(engine)
        v = x
        if engine == "torch":
            import torch

            v = torch.nn.Parameter(x.clone())
        elif engine == "tensorflow":
            import tensorflow as tf

            v = tf.Variable(x)
        return repeat(lambda: add(v, x), 2000)
    import keras

    v = keras.Variable(np.ones(3, "float32"))
    return repeat(lambda: keras.ops.add(v, x), 2000)


@row
def dense_call(side, engine):
    x = native_tensor(engine, np.ones((2, 16), "float32"))
    if side == "native":
        k, b = (native_tensor(engine, np.ones((16, 8), "float32")), native_tensor(engine, np.ones(8, "float32")))
        if engine == "torch":
            import torch

            k, b = torch.nn.Parameter(k), torch.nn.Parameter(b)
        if engine == "tensorflow":
            import tensorflow as tf

            k, b = tf.Variable(k), tf.Variable(b)
            return repeat(lambda: tf.matmul(x, k) + b, 500)
        return repeat(lambda: x @ k + b, 500)
    import keras

    layer = keras.layers.Dense(8)
    layer(x)
    return repeat(lambda: layer(x), 500)


@row
def mlp_50_layers(side, engine):
    x = native_tensor(engine, np.ones((8, 32), "float32"))
    if side == "native":
        if engine == "torch":
            import torch

            layers = []
            for _ in range(50):
                layers += [torch.nn.Linear(32, 32), torch.nn.ReLU()]
            model = torch.nn.Sequential(*layers)
            return repeat(lambda: model(x), 20)
        weights = [
            (native_tensor(engine, np.ones((32, 32), "float32")), native_tensor(engine, np.ones(32, "float32")))
            for _ in range(50)
        ]
        if engine == "tensorflow":
            import tensorflow as tf

            relu, matmul = tf.nn.relu, tf.matmul
            weights = [(tf.Variable(k), tf.Variable(b)) for k, b in weights]
        elif engine == "jax":
            import jax

            relu, matmul = jax.nn.relu, jax.numpy.matmul
        else:
            relu, matmul = (lambda v: np.maximum(v, 0)), np.matmul

        def forward():
            h = x
            for k, b in weights:
                h = relu(matmul(h, k) + b)
            return h

        return repeat(forward, 20)
    import keras

    model = keras.Sequential([keras.Input((32,))] + [keras.layers.Dense(32, activation="relu") for _ in range(50)])
    model(x)
    return repeat(lambda: model(x), 20)


def residual_network(keras):
    """ResNet50's shape: 53 convolutions with batch normalization."""
    layers = keras.layers

    def convolve(x, filters, size, strides=1, activation=True):
        x = layers.Conv2D(filters, size, strides=strides, padding="same")(x)
        x = layers.BatchNormalization()(x)
        return layers.Activation("relu")(x) if activation else x

    x = inputs = keras.Input((64, 64, 3))
    x = convolve(x, 64, 7, 2)
    x = layers.MaxPooling2D(3, 2, padding="same")(x)
    for filters, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            s = stride if i == 0 else 1
            short = convolve(x, 4 * filters, 1, s, False) if i == 0 else x
            y = convolve(x, filters, 1, s)
            y = convolve(y, filters, 3)
            y = convolve(y, 4 * filters, 1, 1, False)
            x = layers.Activation("relu")(layers.Add()([y, short]))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(1000)(x))


@row
def build_resnet50(side, engine):
    if side == "native":
        raise NotHere("there is no native graph to build")
    import keras

    def run():
        residual_network(keras)
        return 1

    return run


@row
def rebuild_transformer_24(side, engine):
    if side == "native":
        raise NotHere("there is no native graph to build")
    import keras

    layers = keras.layers

    def run():
        x = inputs = keras.Input((32, 64))
        for _ in range(24):
            a = layers.LayerNormalization()(x)
            x = layers.Add()([x, layers.MultiHeadAttention(4, 16)(a, a)])
            f = layers.LayerNormalization()(x)
            x = layers.Add()([x, layers.Dense(64)(layers.Dense(128, activation="gelu")(f))])
        keras.Model(inputs, x)
        return 1

    return run


def fit_steps(make, x, y, batch, native=None):
    """Microseconds per step in the steady state of `fit`."""

    def prepared(side, engine):
        if side == "native":
            if native is None:
                raise NotHere("no hand-written loop for this row")
            return native(engine, x, y, batch)
        if engine in ("numpy", "openvino"):
            raise NotHere("does not train")
        import keras

        keras.utils.set_random_seed(0)
        model = make(keras)
        model.compile("adam", "mse", jit_compile=engine == "jax")
        model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)

        def run():
            model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)
            return -(-len(x) // batch)

        return run

    return prepared


def mlp(keras):
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((64,)), layers.Dense(256, "relu"), layers.Dense(256, "relu"), layers.Dense(10)]
    )


def torch_loop(make):
    def native(engine, x, y, batch):
        if engine != "torch":
            raise NotHere("hand-written loop only on torch and jax")
        import torch

        model = make(torch)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        xs, ys = torch.from_numpy(x), torch.from_numpy(y)

        def run():
            total = 0.0
            for start in range(0, len(x), batch):
                optimizer.zero_grad(set_to_none=True)
                loss = torch.nn.functional.mse_loss(model(xs[start : start + batch]), ys[start : start + batch])
                loss.backward()
                optimizer.step()
                total = total + loss.detach()
            float(total)
            return -(-len(x) // batch)

        return run

    return native


def mlp_native(engine, x, y, batch):
    if engine == "torch":
        return torch_loop(
            lambda torch: torch.nn.Sequential(
                torch.nn.Linear(64, 256),
                torch.nn.ReLU(),
                torch.nn.Linear(256, 256),
                torch.nn.ReLU(),
                torch.nn.Linear(256, 10),
            )
        )(engine, x, y, batch)
    if engine == "jax":
        return jax_loop(
            [(64, 256), (256, 256), (256, 10)],
            lambda jax, p, v: jax.nn.relu(jax.nn.relu(v @ p[0][0] + p[0][1]) @ p[1][0] + p[1][1]) @ p[2][0] + p[2][1],
        )(x, y, batch)
    raise NotHere("hand-written loop only on torch and jax")


def jax_loop(shapes, forward):
    def native(x, y, batch):
        import jax
        import jax.numpy as jnp

        parameters = [(jnp.asarray(RNG.normal(size=s, scale=0.1).astype("float32")), jnp.zeros(s[1])) for s in shapes]
        zeros = jax.tree.map(jnp.zeros_like, parameters)

        def step(p, m, v, t, xb, yb):
            loss, g = jax.value_and_grad(lambda p: jnp.mean((forward(jax, p, xb) - yb) ** 2))(p)
            t = t + 1
            m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
            v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
            rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            p = jax.tree.map(lambda w, a, b: w - rate * a / (jnp.sqrt(b) + 1e-7), p, m, v)
            return p, m, v, t, loss

        jitted = jax.jit(step, donate_argnums=(0, 1, 2, 3))
        state = [parameters, zeros, jax.tree.map(jnp.copy, zeros), jnp.float32(0)]

        def run():
            total = 0.0
            for start in range(0, len(x), batch):
                *state[:], loss = jitted(*state, x[start : start + batch], y[start : start + batch])
                total = total + loss
            float(total)
            return -(-len(x) // batch)

        return run

    return native


def cnn(keras):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def cnn_torch(torch):
    nn = torch.nn

    class ChannelsLast(nn.Module):
        def forward(self, x):
            return x.permute(0, 3, 1, 2)

    return nn.Sequential(
        ChannelsLast(),
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(1600, 10),
    )


def lstm(keras):
    return keras.Sequential([keras.Input((32, 16)), keras.layers.LSTM(64), keras.layers.Dense(1)])


def lstm_torch(torch):
    class Last(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = torch.nn.LSTM(16, 64, batch_first=True), torch.nn.Linear(64, 1)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return Last()


def transformer(keras):
    """Two blocks, normalized first, as `torch.nn.TransformerEncoderLayer(norm_first=True)` has them."""
    layers = keras.layers
    x = inputs = keras.Input((32, 64))
    for _ in range(2):
        a = layers.LayerNormalization(epsilon=1e-5)(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 16)(a, a)])
        f = layers.LayerNormalization(epsilon=1e-5)(x)
        x = layers.Add()([x, layers.Dense(64)(layers.Dense(128, activation="gelu")(f))])
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def transformer_torch(torch):
    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            blocks = [
                torch.nn.TransformerEncoderLayer(64, 4, 128, 0.0, "gelu", batch_first=True, norm_first=True)
                for _ in range(2)
            ]
            self.blocks, self.head = torch.nn.Sequential(*blocks), torch.nn.Linear(64, 10)

        def forward(self, x):
            return self.head(self.blocks(x).mean(1))

    return Encoder()


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


ROWS["fit_dense_1"] = fit_steps(
    lambda k: k.Sequential([k.Input((4,)), k.layers.Dense(1)]), floats(6400, 4), floats(6400, 1), 32,
    lambda engine, *a: jax_loop([(4, 1)], lambda jax, p, v: v @ p[0][0] + p[0][1])(*a)
    if engine == "jax" else torch_loop(lambda torch: torch.nn.Linear(4, 1))(engine, *a),
)  # fmt: skip
ROWS["fit_mlp"] = fit_steps(mlp, floats(2048, 64), floats(2048, 10), 64, mlp_native)
ROWS["fit_cnn"] = fit_steps(cnn, floats(256, 28, 28, 1), floats(256, 10), 32, torch_loop(cnn_torch))
ROWS["fit_transformer"] = fit_steps(
    transformer, floats(256, 32, 64), floats(256, 10), 32, torch_loop(transformer_torch)
)
ROWS["fit_lstm"] = fit_steps(lstm, floats(256, 32, 16), floats(256, 1), 32, torch_loop(lstm_torch))


@row
def predict_one(side, engine):
    x = floats(1, 64)
    if side == "native":
        raise NotHere("compared with Keras only")
    import keras

    model = mlp(keras)
    return repeat(lambda: model.predict(x, verbose=0), 5 if side == "oracle" and engine == "tensorflow" else 20)


@row
def predict_mobilenet(side, engine):
    x = floats(32, 96, 96, 3)
    if side == "native":
        import mobilenet_native

        predict = getattr(mobilenet_native, f"{engine}_predict", None)
        if predict is None:
            raise NotHere("written by hand on torch and tensorflow only")
        return repeat(predict(x), 1)
    import keras

    model = keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3))
    return repeat(lambda: model.predict(x, verbose=0), 1)


FOLDER = tempfile.mkdtemp()


def _hundred_megabytes(keras):
    return keras.Sequential([keras.Input((1600,))] + [keras.layers.Dense(1600, use_bias=False) for _ in range(10)])


@row
def save_100_mb(side, engine):
    if side == "native":
        import h5py

        arrays = [floats(1600, 1600) for _ in range(10)]

        def raw():
            # As safe as ours: a new file, on the disk before it gets the name. Wall time is in files.py.
            path = os.path.join(FOLDER, "raw.h5")
            with h5py.File(path + ".new", "w") as file:
                for i, a in enumerate(arrays):
                    file[str(i)] = a
            with open(path + ".new", "rb+") as file:
                os.fsync(file.fileno())
            os.replace(path + ".new", path)
            return 1

        return raw
    import keras

    model = _hundred_megabytes(keras)

    def run():
        model.save(os.path.join(FOLDER, "m.keras"))
        return 1

    return run


@row
def load_100_mb(side, engine):
    save_100_mb(side, engine)()
    if side == "native":
        import h5py

        def raw():
            with h5py.File(os.path.join(FOLDER, "raw.h5")) as file:
                [file[k][()] for k in file]
            return 1

        return raw
    import keras

    def run():
        keras.saving.load_model(os.path.join(FOLDER, "m.keras"))
        return 1

    return run
