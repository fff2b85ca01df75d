"""EinsumDense: a dense layer over any axes, said by an equation."""

from __future__ import annotations

import re
from typing import Any

import kops
from klayers.adapters import Adaptable, AdaptedWeight
from klayers.layer_quantization import dump_config, load_config
from klayers.layers.settings import config_of, store
from kspec import public

_LETTERS = "[a-zA-Z]"
_FORMS = (
    re.compile(rf"^(?P<in>{_LETTERS}*),(?P<kernel>{_LETTERS}*)->(?P<out>{_LETTERS}*)$"),
    re.compile(rf"^\.\.\.(?P<in>{_LETTERS}*),(?P<kernel>{_LETTERS}*)->\.\.\.(?P<out>{_LETTERS}*)$"),
    re.compile(rf"^(?P<in>{_LETTERS}*)\.\.\.,(?P<kernel>{_LETTERS}*)->(?P<out>{_LETTERS}*)\.\.\.$"),
)


@public("keras.layers.EinsumDense")
class EinsumDense(Adaptable):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    Args:
        equation: as `"abc,cd->abd"`: axes of the input, of the kernel, of the output. An ellipsis may stand
            at the start or at the end of input and output.
        output_shape: sizes of the output without the batch (and without what an ellipsis covers, if that
            stands at the start); None for sizes that are those of the input.
        activation: name or function applied at the end.
        bias_axes: the axes of the output that the bias has, as "d"; None is no bias.
        kernel_initializer, bias_initializer: first values of the weights.
        kernel_regularizer, bias_regularizer: penalties on the weights.
        kernel_constraint, bias_constraint: projections of the weights after each update.
        lora_rank: if given, `enable_lora(lora_rank, lora_alpha)` is called when the layer has been built.
        lora_alpha: scale of the low-rank update; default the rank.
        gptq_unpacked_column_size: columns of the kernel before GPTQ packs it, see kquant.
        quantization_config: how to quantize, see kquant.

    Raises:
        ValueError: for an equation of another form, or sizes that contradict each other.

    Example:
        >>> EinsumDense("abc,cde->abde", (None, 8, 16), bias_axes="de")(np.ones((2, 5, 128))).shape
        (2, 5, 8, 16)
    """

    kernel = AdaptedWeight()

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        gptq_unpacked_column_size: int | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.equation = equation
        sizes = output_shape if isinstance(output_shape, (tuple, list)) else (output_shape,)
        self.partial_output_shape = tuple(sizes)
        self.bias_axes = bias_axes
        store(
            self,
            activation=activation,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
        )
        self._expect_lora(lora_rank, lora_alpha)
        self.gptq_unpacked_column_size = gptq_unpacked_column_size
        self.quantization_config = load_config(quantization_config)
        self.bias: Any = None
        _parse(equation)

    def build(self, input_shape: Any) -> None:
        kernel_shape, bias_shape, self.full_output_shape = analyze(
            self.equation, self.bias_axes, tuple(input_shape), self.partial_output_shape
        )
        if self.quantization_mode:
            self.quantized_build(kernel_shape, self.quantization_mode)
        else:
            self.kernel = self.add_weight(
                name="kernel",
                shape=kernel_shape,
                initializer=self.kernel_initializer,
                regularizer=self.kernel_regularizer,
                constraint=self.kernel_constraint,
            )
        if bias_shape is not None:
            self.bias = self.add_weight(
                name="bias",
                shape=bias_shape,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def quantized_build(self, kernel_shape: Any, mode: str, config: Any = None) -> None:
        """Make the variables of a quantized kernel of this shape; the scheme is kquant's."""
        if config is not None:
            self.quantization_config = config
        super().quantized_build(kernel_shape, mode)

    def call(self, inputs: Any, training: Any = None) -> Any:
        x = kops.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            x = kops.add(x, self.bias)
        return self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return analyze(self.equation, self.bias_axes, tuple(input_shape), self.partial_output_shape)[2]

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("activity_regularizer", None)
        return {
            **config,
            "output_shape": self.partial_output_shape,
            **config_of(
                self,
                "equation",
                "activation",
                "bias_axes",
                "kernel_initializer",
                "bias_initializer",
                "kernel_regularizer",
                "bias_regularizer",
                "activity_regularizer",
                "kernel_constraint",
                "bias_constraint",
            ),
            "quantization_config": dump_config(self.quantization_config),
        }


def _parse(equation: str) -> tuple[str, str, str, int]:
    """Axes of input, kernel and output, and where the ellipsis is: 0 nowhere, 1 at the start, 2 at the end."""
    text = equation.replace(" ", "") if isinstance(equation, str) else ""
    for form, pattern in enumerate(_FORMS):
        match = pattern.match(text)
        if match:
            return match["in"], match["kernel"], match["out"], form
    raise ValueError(
        f"The equation of EinsumDense has the form 'ab,bc->ac', '...b,bc->...c' or 'ab...,bc->ac...', not {equation!r}."
    )


def analyze(
    equation: str, bias_axes: str | None, input_shape: tuple[int | None, ...], output_shape: tuple[int | None, ...]
) -> tuple[tuple[int, ...], tuple[int, ...] | None, tuple[int | None, ...]]:
    """Shapes of kernel, bias and output.

    Args:
        equation, bias_axes: as of `EinsumDense`.
        input_shape: with the batch.
        output_shape: without the batch.
    """
    inputs, kernel, outputs, form = _parse(equation)
    covered = len(input_shape) - len(inputs)
    if covered < 0 or (covered and not form):
        raise ValueError(f"The equation {equation!r} is for inputs of {len(inputs)} axes, not of shape {input_shape}.")
    if form == 1:
        # What the ellipsis covers (the batch among it) is not said in output_shape.
        elided = input_shape[:covered]
        sizes_in = dict(zip(inputs, input_shape[covered:]))
        named = output_shape[-len(outputs) :] if outputs else ()
    else:
        elided = input_shape[len(inputs) :]
        sizes_in = dict(zip(inputs, input_shape))
        batch = input_shape[0] if outputs[:1] == inputs[:1] else None
        named = (batch, *output_shape)[: len(outputs)]
    if len(named) != len(outputs):
        raise ValueError(
            f"output_shape {output_shape} does not say the sizes of all axes of the output {outputs!r} of {equation!r}."
        )
    sizes_out: dict[str, int | None] = {}
    for axis, size in zip(outputs, named):
        given = sizes_in.get(axis)
        if axis in sizes_in and size is not None and given is not None and size != given:
            raise ValueError(
                f"The axis {axis!r} of {equation!r} has size {given} in the input and {size} in output_shape."
            )
        sizes_out[axis] = given if size is None else size
        if axis not in inputs and axis not in kernel:
            raise ValueError(f"The axis {axis!r} of the output of {equation!r} is in neither input nor kernel.")
    kernel_shape = []
    for axis in kernel:
        size = sizes_in.get(axis, sizes_out.get(axis))
        if axis not in sizes_in and axis not in sizes_out:
            raise ValueError(f"The axis {axis!r} of the kernel of {equation!r} is in neither input nor output.")
        if size is None:
            raise ValueError(
                f"EinsumDense needs to know the size of the kernel's axis {axis!r} of {equation!r}: the input shape "
                f"is {input_shape}, output_shape {output_shape}."
            )
        kernel_shape.append(size)
    bias_shape: tuple[int, ...] | None = None
    if bias_axes:
        strange = [axis for axis in bias_axes if axis not in sizes_out]
        if strange:
            raise ValueError(f"bias_axes names {', '.join(strange)}, which the output of {equation!r} has not.")
        first = min(outputs.index(axis) for axis in bias_axes)
        bias: list[Any] = [sizes_out[axis] if axis in bias_axes else 1 for axis in outputs[first:]]
        if form == 2:
            bias += [1] * covered
        if None in bias:
            raise ValueError(
                f"EinsumDense needs to know the sizes of the bias axes {bias_axes!r}; the output has {sizes_out}."
            )
        bias_shape = tuple(bias)
    full = tuple(sizes_out[axis] for axis in outputs)
    full = (*elided, *full) if form == 1 else (*full, *elided)
    return tuple(kernel_shape), bias_shape, full
