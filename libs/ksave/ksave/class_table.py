"""What is known of the public classes of Keras 3.15 without having them: where they are and what they hold.

The command line changes files of models whose classes are not installed. Converting between `.keras` and `.h5`
needs the modules that the one writes and the other leaves out, and the order of variables and of inner layers,
which both go by.
"""

from __future__ import annotations

from typing import Any, Iterator

_NAMES = {
    "keras.layers": """
        Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D
        AdaptiveAveragePooling3D AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add
        AdditiveAttention AlphaDropout Attention AugMix AutoContrast Average AveragePooling1D
        AveragePooling2D AveragePooling3D BatchNormalization Bidirectional CategoryEncoding CenterCrop
        Concatenate ContrastLimitedAdaptiveHistogramEqualization Conv1D Conv1DTranspose Conv2D
        Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Cropping1D Cropping2D
        Cropping3D CutMix Dense DepthwiseConv1D DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense
        Embedding Equalization Flatten FlaxLayer GRU GRUCell GaussianDropout GaussianNoise
        GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPooling1D
        GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization GroupQueryAttention HashedCrossing Hashing
        Identity InputLayer IntegerLookup JaxLayer LSTM LSTMCell Lambda LayerNormalization LeakyReLU Masking
        MaxNumBoundingBoxes MaxPooling1D MaxPooling2D MaxPooling3D Maximum MelSpectrogram Minimum MixUp
        MultiHeadAttention Multiply Normalization PReLU Permute Pipeline RMSNormalization RNN RandAugment
        RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop
        RandomElasticTransform RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHeight
        RandomHue RandomInvert RandomPerspective RandomPosterization RandomRotation RandomSaturation
        RandomSharpness RandomShear RandomTranslation RandomWidth RandomZoom ReLU RepeatVector Rescaling
        Reshape Resizing ReversibleEmbedding STFTSpectrogram SeparableConv1D SeparableConv2D SimpleRNN
        SimpleRNNCell Softmax Solarization SpatialDropout1D SpatialDropout2D SpatialDropout3D
        SpectralNormalization StackedRNNCells StringLookup Subtract TFSMLayer TextVectorization
        ThresholdedReLU TimeDistributed TorchModuleWrapper UnitNormalization UpSampling1D UpSampling2D
        UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D ZeroPadding3D
    """,
    "keras.initializers": """
        Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity IdentityInitializer LecunNormal
        LecunUniform Ones Orthogonal OrthogonalInitializer RandomNormal RandomUniform STFT STFTInitializer
        TruncatedNormal VarianceScaling Zeros
    """,
    "keras.regularizers": """
        L1 L1L2 L2 OrthogonalRegularizer
    """,
    "keras.constraints": """
        MaxNorm MinMaxNorm NonNeg UnitNorm
    """,
    "keras.losses": """
        BinaryCrossentropy BinaryFocalCrossentropy CTC CategoricalCrossentropy CategoricalFocalCrossentropy
        CategoricalGeneralizedCrossEntropy CategoricalHinge Circle CosineSimilarity Dice Hinge Huber
        KLDivergence LogCosh MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError
        MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge Tversky
    """,
    "keras.metrics": """
        AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy CategoricalCrossentropy
        CategoricalHinge ConcordanceCorrelation CosineSimilarity F1Score FBetaScore FalseNegatives
        FalsePositives Hinge IoU KLDivergence LogCoshError Mean MeanAbsoluteError
        MeanAbsolutePercentageError MeanIoU MeanMetricWrapper MeanSquaredError MeanSquaredLogarithmicError
        OneHotIoU OneHotMeanIoU PearsonCorrelation Poisson Precision PrecisionAtRecall R2Score Recall
        RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity SparseCategoricalAccuracy
        SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SpecificityAtSensitivity SquaredHinge
        Sum TopKCategoricalAccuracy TrueNegatives TruePositives
    """,
    "keras.optimizers": """
        Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion LossScaleOptimizer MultiOptimizer Muon
        Nadam OptimizerMap RMSprop SGD ScheduleFreeAdamW
    """,
    "keras.optimizers.schedules": """
        CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay
        PolynomialDecay
    """,
    "keras.dtype_policies": """
        AWQDTypePolicy DTypePolicyMap GPTQDTypePolicy Int4DTypePolicy QuantizedDTypePolicy
        QuantizedFloat8DTypePolicy
    """,
    "keras.quantizers": """
        AWQConfig AbsMaxQuantizer Float8QuantizationConfig GPTQConfig Int4QuantizationConfig
        Int8QuantizationConfig
    """,
    "keras": "DTypePolicy Sequential",
}

# Arguments that hold objects tell where a class is that several modules have.
_HINTS = (
    ("initializer", "keras.initializers"),
    ("regularizer", "keras.regularizers"),
    ("constraint", "keras.constraints"),
    ("loss", "keras.losses"),
    ("metrics", "keras.metrics"),
    ("optimizer", "keras.optimizers"),
    ("learning_rate", "keras.optimizers.schedules"),
)

# The variables of layers in the order of files. `*`: not trainable; `?argument`: there when the argument is true.
_KERNEL_AND_BIAS = """
    Dense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D DepthwiseConv2D
"""
_VARIABLES = {
    **dict.fromkeys(_KERNEL_AND_BIAS.split(), "kernel bias?use_bias"),
    "EinsumDense": "kernel bias?bias_axes",
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), "depthwise_kernel pointwise_kernel bias?use_bias"),
    **dict.fromkeys(("LSTMCell", "GRUCell", "SimpleRNNCell", "ConvLSTMCell"), "kernel recurrent_kernel bias?use_bias"),
    "BatchNormalization": (
        "gamma?scale beta?center moving_mean* moving_variance* "
        "moving_stddev*?renorm renorm_mean*?renorm renorm_stddev*?renorm"
    ),
    **dict.fromkeys(("LayerNormalization", "GroupNormalization"), "gamma?scale beta?center"),
    "RMSNormalization": "scale",
    "Embedding": "embeddings",
    "PReLU": "alpha",
    "AdditiveAttention": "scale?use_scale",
    "Attention": "scale?use_scale concat_score_weight?score_mode=concat",
}
# Classes whose variables are all in the layers inside them.
_HOLDERS = """
    Sequential Functional Bidirectional TimeDistributed Wrapper RNN LSTM GRU SimpleRNN StackedRNNCells ConvLSTM1D
    ConvLSTM2D ConvLSTM3D MultiHeadAttention GroupedQueryAttention GroupQueryAttention Pipeline TextVectorization
    """
# Layers that have variables whose names and number are not known here.
_OTHERS = """
    ReversibleEmbedding Normalization SpectralNormalization STFTSpectrogram JaxLayer FlaxLayer TFSMLayer
    TorchModuleWrapper
"""


def module_of(class_name: str, argument: str = "") -> str | None:
    """The public module of a class, or None.

    Args:
        class_name: as `"Dense"`.
        argument: where the object stands in a config, as `"kernel_initializer"`.
    """
    for ending, module in _HINTS:
        if argument.endswith(ending) and class_name in _names(module):
            return module
    return next((module for module in _NAMES if class_name in _names(module)), None)


def _names(module: str) -> list[str]:
    return _NAMES[module].split()


def variables(record: dict[str, Any]) -> list[tuple[str, bool]] | None:
    """Name and whether it is trainable of each variable that a layer itself holds; None when it is not known.

    Args:
        record: the record of a layer, with `module`, `class_name` and `config`.
    """
    name, config = record["class_name"], _config(record)
    if not str(record.get("module") or "").startswith("keras"):
        return None
    if is_altered(record):
        return None
    if name in _VARIABLES:
        return list(_present(_VARIABLES[name], config))
    return [] if name in _HOLDERS.split() or (name in _names("keras.layers") and name not in _OTHERS.split()) else None


def last_sizes(record: dict[str, Any]) -> dict[str, int]:
    """The last dimension of variables of a layer, by name, where its config says it.

    Args:
        record: as in `variables`, of a layer that is not altered.
    """
    name, config = record["class_name"], _config(record)
    units, gates = config.get("units"), {"LSTMCell": 4, "GRUCell": 3, "SimpleRNNCell": 1}.get(name)
    if name == "Embedding":
        found = {"embeddings": config.get("output_dim")}
    elif name == "Dense":
        found = {"kernel": units, "bias": units}
    elif gates is not None and isinstance(units, int):
        found = dict.fromkeys(("kernel", "recurrent_kernel", "bias"), gates * units)
    elif name in ("Conv1D", "Conv2D", "Conv3D"):
        found = dict.fromkeys(("kernel", "bias"), config.get("filters"))
    else:
        found = {}
    return {name: size for name, size in found.items() if isinstance(size, int)}


def is_altered(record: dict[str, Any]) -> bool:
    """Whether a layer is quantized or has a LoRA: then its variables are not those of its class."""
    config = _config(record)
    return bool(_quantized(config.get("dtype")) or config.get("lora_rank"))


def _config(record: dict[str, Any]) -> dict[str, Any]:
    config = record.get("config")
    return config if isinstance(config, dict) else {}


def _present(text: str, config: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    for word in text.split():
        name, _, condition = word.partition("?")
        argument, _, value = condition.partition("=")
        given = config.get(argument, argument in ("use_bias", "scale", "center"))
        if not condition or (given == value if value else given):
            yield name.rstrip("*"), not name.endswith("*")


def _quantized(policy: Any) -> bool:
    name = str(policy.get("class_name", "")) if isinstance(policy, dict) else str(policy)
    return "Quantized" in name or name in ("AWQDTypePolicy", "GPTQDTypePolicy", "Int4DTypePolicy") or "_from_" in name
