"""What older versions of Keras called differently in configs. Facts only; `migrations` applies them.

Taken from files that Keras 1.2.2, 2.2.4, tf.keras 2.21 and Keras 3.0 to 3.14 wrote.
"""

from __future__ import annotations

from typing import Any

ANY = object()


def _each(names: str, facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(names.split(), facts)


_RECURRENT = "LSTM GRU SimpleRNN RNN LSTMCell GRUCell SimpleRNNCell ConvLSTM1D ConvLSTM2D ConvLSTM3D"
_RANDOM = "RandomFlip RandomRotation RandomZoom RandomTranslation RandomContrast RandomCrop RandomBrightness"
_SEPARABLE = "DepthwiseConv1D DepthwiseConv2D SeparableConv1D SeparableConv2D"

CLASSES = {
    "Policy": "DTypePolicy",
    "PolicyV1": "DTypePolicy",
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "SyncBatchNormalization": "BatchNormalization",
    "GroupedQueryAttention": "GroupQueryAttention",  # the class's own name, by which .h5 files go
    "LSTMV2": "LSTM",
    "GRUV2": "GRU",
    "CuDNNLSTM": "LSTM",
    "CuDNNGRU": "GRU",
    "DenseV1": "Dense",
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution3D": "Conv3D",
    "Deconvolution2D": "Conv2DTranspose",
    "SeparableConvolution2D": "SeparableConv2D",
    "AtrousConvolution1D": "Conv1D",
    "AtrousConvolution2D": "Conv2D",
}

# What tf.keras put into a graph for TensorFlow functions that were called on symbolic tensors.
TENSORFLOW_CALLS = ("TFOpLambda", "SlicingOpLambda", "TensorFlowOpLayer", "ClassMethod", "InstanceMethod")

# Class -> argument -> values with which the argument can be left out, because it chose nothing then.
GONE: dict[str, dict[str, Any]] = {
    "BatchNormalization": {
        "fused": ANY, "virtual_batch_size": (None,), "adjustment": (None,), "mode": (0,),
    },
    "Embedding": {"input_length": ANY, "dropout": (0,), "activity_regularizer": (None,)},
    "MultiHeadAttention": {
        "query_shape": ANY, "key_shape": ANY, "value_shape": ANY, "softmax_robust_masking": (False,),
    },
    "Discretization": {"epsilon": ANY},
    **_each("SpatialDropout1D SpatialDropout2D SpatialDropout3D", {"noise_shape": (None,)}),
    **_each("Conv1DTranspose Conv2DTranspose Conv3DTranspose", {"groups": (1,)}),
    "Lambda": {"module": ANY, "function_type": ANY, "output_shape_type": ANY, "output_shape_module": ANY},
    "Dense": {"input_dim": ANY},
    **_each("Conv1D MaxPooling1D AveragePooling1D", {"input_dim": ANY, "input_length": ANY}),
    **_each(_RECURRENT, {
        "time_major": (False, None), "implementation": ANY, "consume_less": ANY, "input_dim": ANY,
        "input_length": ANY,
    }),
    **_each(_SEPARABLE, {
        "groups": (1,), "kernel_initializer": ANY, "kernel_regularizer": (None,), "kernel_constraint": (None,),
    }),
    **_each(_RANDOM, {"rng_type": ANY}),
}  # fmt: skip
GONE_EVERYWHERE: dict[str, Any] = {"batch_input_shape": ANY, "input_dtype": ANY}

# Class -> old argument -> new one.
ARGUMENTS: dict[str, dict[str, str]] = {
    "InputLayer": {"batch_input_shape": "batch_shape", "input_dtype": "dtype"},
    "LeakyReLU": {"alpha": "negative_slope"},
    "GaussianNoise": {"sigma": "stddev"},
    **_each("Dropout GaussianDropout SpatialDropout1D SpatialDropout2D SpatialDropout3D", {"p": "rate"}),
    **_each("Dense LSTM GRU SimpleRNN", {"output_dim": "units"}),
    "Embedding": {"init": "embeddings_initializer", "W_regularizer": "embeddings_regularizer",
                  "W_constraint": "embeddings_constraint"},
    **_each("MaxPooling1D AveragePooling1D", {"pool_length": "pool_size", "stride": "strides"}),
    "UpSampling1D": {"length": "size"},
}  # fmt: skip

# What an argument was by default where today's default is another. It matters where files leave it out.
DEFAULTS: dict[str, dict[str, Any]] = _each("GRU GRUCell", {"reset_after": False})

# Class -> argument -> old value -> new one.
VALUES: dict[str, dict[str, dict[Any, Any]]] = {"VarianceScaling": {"distribution": {"normal": "truncated_normal"}}}

# Arguments that tell an optimizer of Keras 1 or 2.
OPTIMIZER_MARKS = ("lr", "is_legacy_optimizer", "decay", "jit_compile")

# Keras 1, in layers of any class. Only files of Keras 1 have the marks.
KERAS_1_MARKS = (
    "init", "W_regularizer", "border_mode", "dim_ordering", "consume_less", "nb_filter", "pool_length", "p", "length",
)  # fmt: skip
KERAS_1_ARGUMENTS = {
    "init": "kernel_initializer",
    "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation",
    "W_regularizer": "kernel_regularizer",
    "U_regularizer": "recurrent_regularizer",
    "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint",
    "U_constraint": "recurrent_constraint",
    "b_constraint": "bias_constraint",
    "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout",
    "bias": "use_bias",
    "border_mode": "padding",
    "nb_filter": "filters",
    "filter_length": "kernel_size",
    "subsample": "strides",
    "subsample_length": "strides",
    "atrous_rate": "dilation_rate",
}
KERAS_1_KERNEL = ("nb_row", "nb_col"), ("kernel_dim1", "kernel_dim2", "kernel_dim3")
KERAS_1_ORDERINGS = {"tf": "channels_last", "th": "channels_first"}
# Layers that did not write their `dim_ordering`, but had one.
KERAS_1_SILENT = ("ZeroPadding2D", "UpSampling2D", "Cropping2D", "GlobalAveragePooling2D", "GlobalMaxPooling2D")
KERAS_1_MERGES = {
    "sum": "Add", "mul": "Multiply", "ave": "Average", "max": "Maximum", "concat": "Concatenate", "dot": "Dot",
    "cos": "Dot",
}  # fmt: skip
KERAS_1_INITIALIZERS = {"uniform": "random_uniform", "normal": "random_normal", "zero": "zeros", "one": "ones"}
KERAS_1_REGULARIZERS = {"L1L2Regularizer": "L1L2", "MaxNorm": "MaxNorm", "NonNeg": "NonNeg", "UnitNorm": "UnitNorm"}
