"""Constructor arguments of public classes, drawn by what the arguments are called."""

from __future__ import annotations

import inspect
import random
from typing import Any

from custom import Alternating, Bounded, Halving, Small, bent, plain_activation

FLAGS = (True, False)
# What an argument of this name may be, in any class.
OPTIONS: dict[str, tuple[Any, ...]] = {
    "units": (3, 4),
    "filters": (2, 4),
    "kernel_size": (1, 2, 3),
    "strides": (1, 2),
    "padding": ("valid", "same"),
    "dilation_rate": (1, 2),
    "groups": (1, 2),
    "depth_multiplier": (1, 2),
    "output_padding": (None,),
    "pool_size": (1, 2, 3),
    "output_size": (1, 2, 3),
    "data_format": (None, "channels_last"),
    "rate": (0.1, 0.5),
    "stddev": (0.1, 1),
    "seed": (None, 3, 1337),
    "alpha": (0.1, 0.5),
    "negative_slope": (0.0, 0.2, 1),
    "max_value": (None, 1.5, 6),
    "threshold": (0.0, 0.1),
    "epsilon": (1e-3, 1e-5),
    "momentum": (0.9, 0.5),
    "renorm": FLAGS,
    "renorm_clipping": (None, {"rmin": 0.5, "rmax": 2.0, "dmax": 1.0}),
    "renorm_momentum": (0.9,),
    "center": FLAGS,
    "scale": FLAGS,
    "keepdims": FLAGS,
    "cropping": (1, (1, 0)),
    "size": (1, 2),
    "interpolation": ("nearest", "bilinear"),
    "n": (1, 2),
    "mask_value": (0.0, -1.0, 2),
    "return_sequences": FLAGS,
    "go_backwards": FLAGS,
    "unroll": FLAGS,
    "stateful": (False,),
    "reset_after": FLAGS,
    "unit_forget_bias": FLAGS,
    "dropout": (0.0, 0.3),
    "recurrent_dropout": (0.0, 0.2),
    "zero_output_for_mask": FLAGS,
    "merge_mode": ("concat", "sum", "mul", "ave"),
    "use_scale": FLAGS,
    "score_mode": ("dot", "concat"),
    "num_heads": (1, 2),
    "key_dim": (2, 3),
    "value_dim": (None, 2, 5),
    "head_dim": (2, 4),
    "num_query_heads": (2, 4),
    "num_key_value_heads": (1, 2),
    "sliding_window": (None, 2),
    "use_gate": FLAGS,
    "output_shape": (None, 5),
    "attention_axes": (None,),
    "power_iterations": (1, 2),
    "l1": (0.0, 0.01),
    "l2": (0.0, 0.02),
    "height": (3, 5),
    "width": (3, 4),
    "value_range": ((0, 255), (0, 1), [0.0, 1.0]),
    "bins": (16,),
    "tile_grid_size": ((2, 2),),
    "offset": (0.0, -0.5, 1),
    "crop_to_aspect_ratio": FLAGS,
    "antialias": FLAGS,
    "fill_value": (0.0, 1.5),
    "fill_mode": ("constant", "reflect", "nearest"),
    "factor": (0.2, (0.1, 0.3)),
    "height_factor": (0.1, (-0.1, 0.2)),
    "width_factor": (0.1, (0.0, 0.2)),
    "mode": ("horizontal", "vertical", "horizontal_and_vertical"),
    "num_tokens": (7,),
    "input_dim": (7,),
    "output_dim": (3, 4),
    "mask_zero": FLAGS,
    "tie_weights": FLAGS,
    "num_bins": (5, 6),
    "bin_boundaries": ([-0.5, 0.0, 1.0],),
    "salt": (None, 5, [5, 7]),
    "output_mode": ("int", "one_hot", "multi_hot", "count"),
    "num_oov_indices": (0, 1, 2),
    "pad_to_max_tokens": FLAGS,
    "factor_": (0.2,),
    # optimizers
    "learning_rate": (0.01, 0.1, 0.003),
    "clipnorm": (None, 1.0),
    "weight_decay": (None, 0.01),
    "use_ema": FLAGS,
    "ema_momentum": (0.9,),
    "ema_overwrite_frequency": (None, 1, 5),
    "loss_scale_factor": (None, 4.0),
    "gradient_accumulation_steps": (None, 2),
    "amsgrad": FLAGS,
    "nesterov": FLAGS,
    "centered": FLAGS,
    "beta_1": (0.8,),
    "beta_2": (0.95,),
    "rho": (0.9,),
    "initial_accumulator_value": (0.2,),
    "l1_regularization_strength": (0.0, 0.01),
    "relative_step": FLAGS,
    "warmup_steps": (0, 3),
    "exclude_embeddings": FLAGS,
    "ns_steps": (3,),
    "initial_scale": (64.0,),
    "dynamic_growth_steps": (1, 10),
    # schedules
    "initial_learning_rate": (0.05, 0.01),
    "decay_steps": (3, 10),
    "first_decay_steps": (2, 4),
    "decay_rate": (0.9, 0.5),
    "staircase": FLAGS,
    "boundaries": ([1, 3],),
    "values": ([0.1, 0.05, 0.01],),
    "end_learning_rate": (0.001,),
    "power": (1.0, 2.0),
    "cycle": FLAGS,
    "warmup_target": (None, 0.1),
    "t_mul": (2.0, 1.0),
    "m_mul": (1.0, 0.9),
    # losses and metrics
    "from_logits": (False,),
    "label_smoothing": (0.0, 0.1),
    "apply_class_balancing": FLAGS,
    "gamma": (2.0, 1.0),
    "reduction": ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight"),
    "delta": (1.0, 0.5),
    "q": (0.5, 0.7),
    "beta": (0.5, 1.0),
    "num_thresholds": (20,),
    "curve": ("ROC", "PR"),
    "summation_method": ("interpolation", "minoring", "majoring"),
    "thresholds": (None, 0.4, [0.3, 0.6]),
    "multi_label": FLAGS,
    "top_k": (None, 1),
    "class_id": (None, 0),
    "average": (None, "macro", "micro", "weighted"),
    "k": (1, 2),
    "recall": (0.5,),
    "precision": (0.4,),
    "sensitivity": (0.5,),
    "specificity": (0.5,),
    "num_classes": (2, 3),
    "target_class_ids": ([0], (0, 1), [1]),
    "class_aggregation": ("uniform_average", "variance_weighted_average"),
}
# The same for one class.
OWN: dict[str, dict[str, tuple[Any, ...]]] = {
    "ReLU": {"threshold": (0.0, 0.1), "negative_slope": (0.0, 0.1)},
    "Softmax": {"axis": (-1, 1)},
    "BatchNormalization": {"axis": (-1, 1)},
    "LayerNormalization": {"axis": (-1, [-1])},
    "RMSNormalization": {"axis": (-1, [-1])},
    "UnitNormalization": {"axis": (-1, 1)},
    "GroupNormalization": {"groups": (1, 2, -1), "axis": (-1,)},
    "PReLU": {"shared_axes": (None, [1])},
    "Rescaling": {"scale": (2.0, 1 / 255, 3)},
    "Normalization": {"mean": (0.5,), "variance": (2.0,), "invert": FLAGS, "axis": (None,)},
    "Reshape": {"target_shape": ((-1,), (-1, 1), (1, -1))},
    "Dropout": {"noise_shape": (None,)},
    "UpSampling1D": {"size": (1, 2)},
    "ZeroPadding1D": {"padding": (1, (1, 2))},
    "ZeroPadding2D": {"padding": (1, (1, 2), ((1, 0), (0, 2)))},
    "ZeroPadding3D": {"padding": (1, (1, 0, 1))},
    "Cropping2D": {"cropping": (1, (1, 0), ((1, 0), (0, 2)))},
    "Cropping3D": {"cropping": (0, ((0, 1), (1, 0), (0, 0)))},
    "Conv1D": {"padding": ("valid", "same", "causal"), "data_format": (None, "channels_last", "channels_first")},
    "Conv2D": {"data_format": (None, "channels_last", "channels_first"), "kernel_size": (1, 2, (2, 1), [1, 3])},
    "Conv2DTranspose": {"output_padding": (None, 1, (1, 0)), "strides": (1, 2, (2, 1))},
    "Conv1DTranspose": {"output_padding": (None, 1)},
    "Attention": {"dropout": (0.0, 0.2)},
    "MultiHeadAttention": {"output_shape": (None, 5, (4,))},
    "Resizing": {"height": (3, 4), "width": (3, 5)},
    "RandomCrop": {"height": (2, 3), "width": (2, 3)},
    "RandomContrast": {"factor": (0.2,)},
    "RandomBrightness": {"factor": (0.2, (-0.1, 0.1))},
    "RandomPosterization": {"factor": (4, 6)},
    "RandomZoom": {"height_factor": (0.1, (-0.2, 0.1)), "width_factor": (None, 0.1)},
    "Permute": {"dims": ((1, 2), (2, 1))},
    "CategoryEncoding": {"output_mode": ("multi_hot", "count")},
    "Hashing": {"output_mode": ("multi_hot", "count"), "mask_value": (None, 2)},
    "IntegerLookup": {
        "vocabulary": ([1, 2, 5], (3, 4)),
        "output_mode": ("multi_hot", "count"),
        "mask_token": (None, 0),
    },
    "Discretization": {"output_mode": ("multi_hot", "count")},
    "Dot": {"axes": (1, -1, (1, 1)), "normalize": FLAGS},
    "Concatenate": {"axis": (-1, 1)},
    "UpSampling2D": {"size": (1, 2, (2, 1)), "interpolation": ("nearest", "bilinear")},
    "Ftrl": {"beta": (0.0, 0.1)},
    "Lamb": {"weight_decay": (None, 0.01)},
    "Dice": {"axis": (None, -1)},
    "Tversky": {"axis": (None, -1), "alpha": (0.3,), "beta": (0.7,)},
    "SGD": {"momentum": (0.0, 0.9)},
    "Adadelta": {"learning_rate": (1.0, 0.1)},
    "MeanIoU": {"num_classes": (3,), "sparse_y_true": (False,), "sparse_y_pred": (False,)},
    "IoU": {"num_classes": (3,), "sparse_y_true": (False,), "sparse_y_pred": (False,)},
    "OneHotIoU": {"num_classes": (3,)},
    "OneHotMeanIoU": {"num_classes": (3,)},
    "CosineDecay": {"alpha": (0.0, 0.1)},
    "CosineDecayRestarts": {"alpha": (0.0, 0.1)},
    "BinaryFocalCrossentropy": {"alpha": (0.25, 0.4)},
    "CategoricalFocalCrossentropy": {"alpha": (0.25, [0.2, 0.3, 0.5])},
    "VarianceScaling": {"mode": ("fan_in", "fan_out", "fan_avg"), "distribution": ("uniform", "truncated_normal")},
}
ACTIVATIONS = "relu elu selu tanh sigmoid softplus gelu silu hard_sigmoid softsign linear leaky_relu mish"
# Arguments that are the same as leaving them out, or need what only some machines have.
LEFT = {"kwargs", "args", "self", "name", "dtype", "weights", "use_cudnn", "flash_attention", "quantization_config"}


class Draw:
    """Random choices that are the same wherever they are drawn."""

    def __init__(self, keras: Any, seed: int):
        self.keras = keras
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def one(self, options: Any) -> Any:
        return self.random.choice(list(options))

    def make(self, cls: Any, likely: float = 0.35, **fixed: Any) -> Any:
        """An object of a class with arguments drawn at random."""
        arguments = dict(fixed)
        for parameter in inspect.signature(cls.__init__).parameters.values():
            name = parameter.name
            required = parameter.default is parameter.empty
            if name in LEFT or name in fixed or not (required or self.chance(likely)):
                continue
            options = OWN.get(cls.__name__, {}).get(name) or OPTIONS.get(name)
            if options is not None:
                arguments[name] = self.one(options)
            elif name.endswith("activation"):
                arguments[name] = self.activation()
            elif name.endswith("_initializer"):
                arguments[name] = self.initializer(name)
            elif name.endswith("_regularizer"):
                arguments[name] = self.regularizer()
            elif name.endswith("_constraint"):
                arguments[name] = self.constraint()
            elif name.startswith("use_"):
                arguments[name] = self.one(FLAGS)
        return cls(**arguments)

    def activation(self) -> Any:
        keras = self.keras
        name = self.one(ACTIVATIONS.split())
        kind = self.random.randrange(10)
        if kind < 6:
            return name
        if kind == 6:
            return bent
        if kind == 7:
            return plain_activation
        if kind == 8:
            return keras.layers.LeakyReLU(negative_slope=0.15)
        return getattr(keras.activations, name)

    def initializer(self, name: str) -> Any:
        if name == "recurrent_initializer" or "variance" in name:
            return self.one(("ones", "random_uniform", self.keras.initializers.Constant(0.5)))
        names = "GlorotNormal HeUniform LecunNormal RandomNormal TruncatedNormal VarianceScaling Constant Ones"
        kind = self.random.randrange(6)
        if kind == 0:
            return Alternating(0.2)
        if kind < 3:
            return self.one(("glorot_normal", "he_normal", "zeros", "ones", "random_normal", "lecun_uniform"))
        return self.make(getattr(self.keras.initializers, self.one(names.split())))

    def regularizer(self) -> Any:
        r = self.keras.regularizers
        return self.one((None, "l2", "l1", "L1L2", r.L1(0.02), r.L2(0.03), r.L1L2(0.01, 0.02), Small(0.02)))

    def constraint(self) -> Any:
        c = self.keras.constraints
        return self.one((None, "non_neg", c.MaxNorm(1.5), c.MinMaxNorm(0.1, 1.0, 0.9), "unit_norm", Bounded(1.0)))

    def optimizer(self, lone: bool = False) -> Any:
        """Any optimizer; a name, an object, with a schedule, around another one."""
        keras = self.keras
        names = "Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion Muon Nadam RMSprop SGD ScheduleFreeAdamW"
        name = self.one(names.split())
        kind = self.random.randrange(12)
        if kind == 0 and not lone:
            return name.lower() if name not in ("ScheduleFreeAdamW", "Lamb") else "adam"
        if kind == 1 and not lone:
            return keras.optimizers.LossScaleOptimizer(self.optimizer(lone=True), initial_scale=self.one((64.0, 8.0)))
        if kind == 2:
            from custom import SignedSGD

            return SignedSGD(self.one((0.1, 0.01)), decay=0.8)
        fixed = {"learning_rate": self.schedule()} if self.chance(0.35) else {}
        return self.make(getattr(keras.optimizers, name), likely=0.2, **fixed)

    def schedule(self) -> Any:
        names = (
            "CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay"
        )
        if self.chance(0.15):
            return Halving(0.05)
        return self.make(getattr(self.keras.optimizers.schedules, self.one(names.split())))
