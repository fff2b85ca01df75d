"""Random models of every kind, the same from the same seed wherever they are made."""

from __future__ import annotations

import zlib
from typing import Any

import custom
import numpy as np
from draw import Draw

ANY = (
    "Dense Dropout AlphaDropout GaussianDropout GaussianNoise ActivityRegularization Activation ReLU LeakyReLU PReLU "
    "ELU Softmax BatchNormalization LayerNormalization RMSNormalization UnitNormalization GroupNormalization Rescaling "
    "Normalization Identity Flatten Reshape Masking ScaleShift Gated Plain Block SpectralNormalization EinsumDense"
)
# What takes a tensor of so many dimensions.
LAYERS = {
    2: f"{ANY} RepeatVector Dense Dense Discretization",
    3: f"{ANY} Conv1D SeparableConv1D DepthwiseConv1D Conv1DTranspose MaxPooling1D AveragePooling1D Cropping1D "
    "GlobalMaxPooling1D GlobalAveragePooling1D AdaptiveAveragePooling1D AdaptiveMaxPooling1D ZeroPadding1D "
    "UpSampling1D Permute SpatialDropout1D SimpleRNN LSTM GRU Bidirectional RNN TimeDistributed Attention "
    "AdditiveAttention MultiHeadAttention GroupQueryAttention LSTM GRU",
    4: f"{ANY} Conv2D SeparableConv2D DepthwiseConv2D Conv2DTranspose MaxPooling2D AveragePooling2D Cropping2D "
    "GlobalMaxPooling2D GlobalAveragePooling2D AdaptiveAveragePooling2D AdaptiveMaxPooling2D ZeroPadding2D "
    "UpSampling2D SpatialDropout2D ConvLSTM1D TimeDistributed Resizing CenterCrop RandomFlip RandomCrop RandomContrast "
    "RandomRotation RandomZoom RandomTranslation RandomBrightness Conv2D",
    5: "Conv3D Conv3DTranspose MaxPooling3D AveragePooling3D GlobalMaxPooling3D GlobalAveragePooling3D Cropping3D "
    "ZeroPadding3D UpSampling3D SpatialDropout3D ConvLSTM2D BatchNormalization Dense TimeDistributed "
    "AdaptiveAveragePooling3D",
}
INTEGER = "Embedding Embedding ReversibleEmbedding CategoryEncoding Hashing IntegerLookup"
RANDOM = ("Dropout", "Noise", "Random", "Spatial")
SHAPES = ((4,), (6,), (5, 4), (4, 3), (4, 4, 2), (5, 4, 3), (3, 4, 4, 2))
POLICIES = ("float32", "float32", "float32", "float64", "mixed_bfloat16", "mixed_float16", "bfloat16", "float16")
BATCH = 4


class Models(Draw):
    """What is made on the way: the model, its inputs, what was refused."""

    def __init__(self, keras: Any, seed: int, quantized: bool = False):
        super().__init__(keras, seed)
        self.seed = seed
        self.refused: list[str] = []
        self.attempts, self.trying = 0, ""
        self.random_numbers = False
        self.used: list[tuple[Any, tuple]] = []
        self.classes: set[str] = set()
        self.quantized = quantized  # which sublayers that a constructor makes cannot know of
        self.outputs: Any = 0  # the structure of the outputs, with their numbers

    def refuse(self, error: Exception) -> None:
        """Note what was refused, with the number of the attempt."""
        self.refused.append(f"#{self.attempts} {self.trying} {type(error).__name__}: {str(error)[:300]}")

    # Layers

    def layer(self, ndim: int, integer: bool = False, name: str | None = None) -> Any:
        """A layer for a tensor of so many dimensions (the batch counts)."""
        k = self.keras.layers
        name = name or self.one((INTEGER if integer else LAYERS[ndim]).split())
        name = "Dense" if name == "Block" and self.quantized else name
        self.classes.add(name)
        self.attempts, self.trying = self.attempts + 1, name
        self.random_numbers = self.random_numbers or name.startswith(RANDOM) or name.endswith(("Dropout", "Noise"))
        common = {}
        if self.chance(0.15):
            common["name"] = f"{name.lower()}_named_{self.random.randrange(1000)}"
        if self.chance(0.08) and name not in ("Discretization", "Hashing", "CategoryEncoding", "IntegerLookup"):
            common["dtype"] = self.one(
                ("float32", "mixed_bfloat16", self.keras.DTypePolicy("mixed_float16"), "bfloat16")
            )
        if self.chance(0.08) and name not in ("Discretization", "SpatialDropout1D", "SpatialDropout2D"):
            common["trainable"] = False
        if name.startswith("SpatialDropout") or name == "Discretization":
            common.pop("trainable", None)
        if name in ("ScaleShift", "Plain"):
            made = getattr(custom, name)(self.one((1.0, 0.5, 2)), self.initializer("scale"), **common)
        elif name == "Gated":
            made = custom.Gated(
                self.layer(ndim, name=self.one(("Dense", "Activation", "LayerNormalization"))), **common
            )
        elif name == "Block":
            made = custom.Block(self.layer(ndim, name=self.one(("Dense", "Dense", "RMSNormalization"))), **common)
        elif name == "SpectralNormalization":
            inner = self.layer(ndim, name="Conv2D" if ndim == 4 else "Dense")
            made = self.make(k.SpectralNormalization, layer=inner, **common)
        elif name == "TimeDistributed":
            inner = self.one(
                ({3: "Dense BatchNormalization Dense", 4: "Conv1D LSTM Dense"}.get(ndim, "Conv2D Dense")).split()
            )
            made = k.TimeDistributed(self.layer(ndim - 1, name=inner), **common)
        elif name == "Bidirectional":
            inner = self.layer(3, name=self.one(("LSTM", "GRU", "SimpleRNN")))
            made = self.make(k.Bidirectional, layer=inner, **common)
        elif name == "RNN":
            made = self.make(k.RNN, cell=self.cells(), **common)
        elif name == "EinsumDense":
            letters = "bcde"[: ndim - 1]
            equation, shape = self.one(
                (
                    (f"a{letters},{letters[-1]}z->a{letters[:-1]}z", (None,) * (ndim - 2) + (3,)),
                    ("...x,xy->...y", 4),
                    (f"a{letters},{letters[-1]}yz->a{letters[:-1]}yz", (None,) * (ndim - 2) + (2, 3)),
                )
            )
            axes = self.one((None, equation[-1]))
            made = self.make(k.EinsumDense, equation=equation, output_shape=shape, bias_axes=axes, **common)
        elif name == "Activation":
            made = k.Activation(self.activation(), **common)
        else:
            made = self.make(getattr(k, name), **common)
        config = made.get_config()
        self.random_numbers = self.random_numbers or bool(config.get("dropout") or config.get("recurrent_dropout"))
        return made

    def cells(self) -> Any:
        k = self.keras.layers
        made = [self.make(getattr(k, self.one(("LSTMCell", "GRUCell", "SimpleRNNCell")))) for _ in range(2)]
        if any(cell.dropout or cell.recurrent_dropout for cell in made):
            self.random_numbers = True
        return self.one((made[0], made, k.StackedRNNCells(made)))

    def apply(self, layer: Any, x: Any) -> list[Any]:
        """The outputs of a call of a layer, in one of the ways in which layers are called."""
        kind = type(layer).__name__
        arguments: dict[str, Any] = {}
        inputs: Any = (x,)
        if kind in ("Attention", "AdditiveAttention"):
            inputs = ([x, x],) if self.chance(0.6) else ([x, x, x],)
            arguments = self.one(({}, {"use_causal_mask": True}, {"return_attention_scores": True}))
        elif kind in ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention"):
            inputs = (x, x) if self.chance(0.6) else (x, x, x)
            arguments = self.one(({}, {"use_causal_mask": True}, {"return_attention_scores": True}))
        out = layer(*inputs, **arguments)
        return list(out) if isinstance(out, (list, tuple)) else [out]

    # Graphs

    def grown(self, pool: list[Any], steps: int) -> list[Any]:
        """More and more tensors, each made of some that are there."""
        for _ in range(steps):
            try:
                new = self.step(pool)
            except Exception as error:  # of any kind: it is compared with the other side's
                self.refuse(error)
                continue
            if self.trying == "EinsumDense":
                continue  # an output shape with None: Keras does not know the size, and the pools would part
            for tensor in new:
                shape = tuple(tensor.shape)
                if None not in shape[1:] and 0 < int(np.prod(shape[1:])) <= 400 and 1 < len(shape) < 6:
                    pool.append(tensor)
        return pool

    def step(self, pool: list[Any]) -> list[Any]:
        self.attempts, self.trying = self.attempts + 1, "op"
        x = self.one(pool[-5:])
        if self.keras.backend.standardize_dtype(x.dtype).startswith(("int", "uint", "bool")):
            return self.apply(self.layer(len(x.shape), integer=True), x)
        kind = self.random.random()
        if kind < 0.55:
            layer = self.layer(len(x.shape))
            made = self.apply(layer, x)
            self.used.append((layer, tuple(x.shape)))
            return made
        if kind < 0.65:
            return self.merged(pool, x)
        if kind < 0.82:
            return self.op(pool, x)
        if kind < 0.92:
            inner = self.nested(tuple(x.shape[1:]), x.dtype)
            self.used.append((inner, tuple(x.shape)))
            return self.apply(inner, x)
        again = [layer for layer, shape in self.used if shape == tuple(x.shape)]
        return self.apply(self.one(again), x) if again else self.op(pool, x)

    def merged(self, pool: list[Any], x: Any) -> list[Any]:
        k = self.keras.layers
        same = [y for y in pool if tuple(y.shape) == tuple(x.shape) and y.dtype == x.dtype]
        name = self.one(("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot"))
        if name == "Dot":
            return [self.make(k.Dot)([x, self.one(same)])]
        count = 2 if name == "Subtract" else self.random.randrange(2, 4)
        return [self.make(getattr(k, name))([self.one(same) for _ in range(count)])]

    def op(self, pool: list[Any], x: Any) -> list[Any]:
        o = self.keras.ops
        last, ndim = x.shape[-1], len(x.shape)
        constant = np.linspace(-1, 1, last).astype("float32")
        kernel = np.linspace(-1, 1, last * 3).reshape(last, 3).astype("float32")
        same = [y for y in pool if tuple(y.shape) == tuple(x.shape)]
        y = self.one(same)
        made = self.one(
            (
                lambda: o.tanh(x),
                lambda: x * 2.0 + 1,
                lambda: 1.0 - x,
                lambda: x[:, :2],
                lambda: x[..., -1:],
                lambda: x[..., None] if ndim < 4 else x[:, 0],
                lambda: o.mean(x, axis=-1, keepdims=True),
                lambda: o.sum(x, axis=1, keepdims=ndim == 2),
                lambda: o.split(x, 2, axis=-1) if last % 2 == 0 else o.abs(x),
                lambda: o.where(x > 0, x, y * 0.1),
                lambda: o.where(o.greater(x, 0.2), x, np.float32(0.5)),
                lambda: x + constant,
                lambda: constant * x,
                lambda: o.matmul(x, kernel),
                lambda: o.concatenate([x, y], axis=-1),
                lambda: o.stack([x, y], axis=1),
                lambda: o.clip(x, -1.0, 1),
                lambda: o.softmax(x, axis=1),
                lambda: o.logsumexp(x, axis=-1, keepdims=True),
                lambda: o.roll(x, 1, axis=1),
                lambda: o.take(x, np.array([0, 1, 0]), axis=1),
                lambda: o.take(x, [1, 0], axis=-1),
                lambda: o.maximum(x, y),
                lambda: o.add(x, y) / 2,
                lambda: o.power(o.abs(x) + 1.0, 0.5),
                lambda: o.expand_dims(x, 1) if ndim < 4 else o.flip(x, axis=1),
                lambda: o.reshape(x, (-1, int(np.prod(x.shape[1:])))),
                lambda: o.reshape(x, (o.shape(x)[0], -1)),
                lambda: o.swapaxes(x, 1, -1),
                lambda: o.transpose(x, (0, *range(ndim - 1, 0, -1))),
                lambda: o.pad(x, [(0, 0)] * (ndim - 1) + [(1, 0)]),
                lambda: o.einsum("b...i,b...i->b...", x, y) if ndim > 2 else o.square(x),
                lambda: o.cast(o.cast(x * 3, "int32"), "float32"),
                lambda: o.one_hot(o.cast(o.abs(x[:, 0]), "int32"), 3) if ndim == 2 else o.relu6(x),
                lambda: o.nn.gelu(x, approximate=False),
                lambda: o.normalize(x, axis=-1, order=2),
                lambda: o.cumsum(x, axis=1),
                lambda: o.repeat(x, 2, axis=1),
                lambda: o.tile(x, (1,) * (ndim - 1) + (2,)),
                lambda: o.linspace(0.0, 1.0, last) + x,
                lambda: o.arange(last, dtype="float32") * x,
                lambda: o.convert_to_tensor(constant) - x,
                lambda: o.top_k(x, 2)[0] if last > 1 else o.sin(x),
                lambda: o.unstack(x, axis=1)[:2],
                lambda: o.linalg.norm(x, axis=-1, keepdims=True),
                lambda: o.log1p(o.square(x)),
                lambda: o.var(x, axis=-1, keepdims=True),
                lambda: x**2,
                lambda: -x,
                lambda: o.moveaxis(x, 1, -1),
                lambda: o.ones_like(x) * 0.5 + x,
                lambda: o.isnan(x) * 1.0 + x,
                lambda: o.logical_not(x > 0) & (x < 1),
                lambda: o.average(x, axis=1, weights=None) if ndim > 2 else o.sign(x),
                lambda: o.erf(x),
                lambda: o.get_item(x, (slice(None), slice(0, 1))),
            )
        )()
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        is_bool = [self.keras.backend.standardize_dtype(t.dtype) == "bool" for t in made]
        return [o.cast(t, "float32") if b else t for t, b in zip(made, is_bool)]

    def nested(self, shape: tuple, dtype: Any) -> Any:
        """A model to be a layer of another one."""
        keras = self.keras
        if self.chance(0.4):
            given = [keras.Input(shape, dtype=dtype)] if self.chance(0.7) else []
            return self.sequential(shape, given)
        x = keras.Input(shape, dtype=dtype)
        pool = self.grown([x], self.random.randrange(1, 3))
        outputs = pool[-1] if self.chance(0.8) or len(pool) < 3 else [pool[-1], pool[-2]]
        return keras.Model(x, outputs, **({"name": f"inner_{self.random.randrange(99)}"} if self.chance(0.5) else {}))

    def sequential(self, shape: tuple, given: list[Any], count: int = 2) -> Any:
        """A Sequential; each layer is tried on what comes out of those before."""
        x = self.keras.Input(shape)
        layers: list[Any] = []
        for _ in range(count):
            try:
                layer = self.layer(len(x.shape))
                copy = type(layer).from_config(layer.get_config())
                out = copy(x)
                if isinstance(out, (list, tuple)) or not 1 < len(out.shape) < 6 or np.prod(out.shape[1:]) > 400:
                    continue
            except Exception as error:
                self.refuse(error)
                continue
            layers.append(layer)
            x = out
        layers = layers or [self.keras.layers.Dense(3)]
        return self.keras.Sequential([*given, *layers])

    # Whole models

    def model(self, kind: str | None = None) -> tuple[Any, Any]:
        """A model and its inputs as arrays."""
        kinds = ("functional",) * 5 + ("sequential", "sequential", "subclass", "deferred", "optional")
        kind = kind or self.one(kinds[:7] if self.quantized else kinds)
        self.kind = kind
        return getattr(self, f"_{kind}")()

    def head(self, x: Any, name: str) -> Any:
        k = self.keras.layers
        x = x if len(x.shape) == 2 else k.Flatten()(x)
        return k.Dense(3, activation=self.one(("softmax", "sigmoid")), name=name)(x)

    def _sequential(self) -> tuple[Any, Any]:
        shape = self.one(SHAPES)
        given = [self.keras.Input(shape, batch_size=self.one((None, None, BATCH)))]
        model = self.sequential(shape, given, self.random.randrange(1, 6))
        return self._headed(model), self.array("x", shape, "float32")

    def _deferred(self) -> tuple[Any, Any]:
        """A Sequential that learns its shapes from what it is called on."""
        shape = self.one(SHAPES)
        model = self._headed(self.sequential(shape, [], self.random.randrange(1, 4)))
        x = self.array("x", shape, "float32")
        model(x)
        return model, x

    def _headed(self, model: Any) -> Any:
        k = self.keras.layers
        model.add(k.Flatten())
        model.add(k.Dense(3, activation="sigmoid"))
        return model

    def _subclass(self) -> tuple[Any, Any]:
        shape = self.one(SHAPES)
        blocks = [self.nested(shape, "float32"), self.keras.layers.Dense(3)]
        model = custom.Net(blocks, out=3, activation=self.one(("sigmoid", "softmax", custom.bent)))
        x = self.array("x", shape, "float32")
        model(x)
        return model, x

    def _optional(self) -> tuple[Any, Any]:
        keras = self.keras
        a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b", optional=True)
        x = custom.AddIfGiven()(a, b)
        pool = self.grown([x], 3)
        given = {"a": self.array("a", (4,), "float32"), "b": self.array("b", (4,), "float32")}
        return keras.Model({"a": a, "b": b}, self.head(pool[-1], "out0")), given

    def _functional(self) -> tuple[Any, Any]:
        keras = self.keras
        inputs, arrays = [], []
        for i in range(self.one((1, 1, 2, 3))):
            shape, dtype = self.one(SHAPES), "float32"
            if self.chance(0.25):
                shape, dtype = (self.one((5, 1)),), self.one(("int32", "int64"))
            named = {"name": f"in{i}"} if self.chance(0.6) else {}
            if self.chance(0.2):
                inputs.append(keras.Input(batch_shape=(BATCH, *shape), dtype=dtype, **named))
            else:
                inputs.append(keras.Input(shape, dtype=dtype, **named))
            arrays.append(self.array(str(i), shape, dtype))
        pool = list(inputs)
        for tensor in inputs:
            pool = self.grown([*pool, tensor], 1)
        pool = self.grown(pool, self.random.randrange(2, 8))
        floats = [t for t in pool if "float" in keras.backend.standardize_dtype(t.dtype) and t not in inputs]
        count = self.one((1, 1, 2, 3))
        ends = [
            self.one(floats[-4:] or [keras.layers.Dense(2)(keras.ops.cast(t, "float32")) for t in inputs])
            for _ in range(count)
        ]
        outputs = [self.head(t, f"out{i}") for i, t in enumerate(ends)]
        structure = (
            self.one(("list", "list", "dict", "nested")) if len(inputs) > 1 else self.one(("one", "list", "dict"))
        )
        out_structure = self.one(("list", "dict", "nested")) if count > 1 else self.one(("one", "one", "list", "dict"))
        names = [f"in{i}" for i in range(len(inputs))] if self.chance(0.6) else [f"key{i}" for i in range(len(inputs))]
        out_names = [f"out{i}" for i in range(count)]
        self.outputs = arranged(out_structure, list(range(count)), out_names)
        model = keras.Model(arranged(structure, inputs, names), arranged(out_structure, outputs, out_names))
        return model, arranged(structure, arrays, names)

    def array(self, name: str, shape: tuple, dtype: str) -> np.ndarray:
        rng = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        if dtype.startswith("int"):
            return rng.integers(0, 7, size=(BATCH, *shape)).astype(dtype)
        return rng.normal(size=(BATCH, *shape)).astype(dtype)


def arranged(structure: str, items: list[Any], names: list[str]) -> Any:
    """The same things alone, in a list, a dictionary, or a dictionary of both."""
    if structure == "one":
        return items[0]
    if structure == "list":
        return list(items)
    if structure == "dict":
        return dict(zip(names, items))
    return {"first": items[0], "rest": [list(items[1:])]} if len(items) > 1 else {"first": [items[0]]}


def randomise(keras: Any, model: Any, seed: int) -> None:
    """Values that are not the first ones, the same for the same shapes."""
    rng = np.random.default_rng(seed)
    for variable in model.weights:
        dtype = keras.backend.standardize_dtype(variable.dtype)
        noise = 0.1 * rng.normal(size=variable.shape)
        if dtype.startswith(("float8", "int", "uint", "bool", "string")):
            continue
        if variable.path.endswith(("/mean", "/variance", "/count")):
            continue  # which Normalization reads when it is finished, not when they are set
        positive = any(word in variable.path for word in ("variance", "stddev"))
        value = np.abs(noise) + 0.5 if positive else noise + rng.choice([-0.2, 0.2, 0.5], size=variable.shape)
        variable.assign(value.astype("float32"))
