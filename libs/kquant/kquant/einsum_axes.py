"""Where the scales of an einsum's operands go in its output."""

from __future__ import annotations

import functools
import string
from typing import Any

import numpy as np

import kops


class EinsumAxes:
    """The axes of `inputs,kernel->outputs`, an ellipsis written out as letters.

    Args:
        inputs, kernel, outputs: letters of the axes.

    Attributes:
        input_reduced, kernel_reduced: axes of the operand that the output has not. A scale is shared along them.
        input_order, kernel_order: for each axis of the output the operand's axis, or None.
    """

    def __init__(self, inputs: str, kernel: str, outputs: str) -> None:
        self.equation = f"{inputs},{kernel}->{outputs}"
        self.input_reduced = tuple(i for i, c in enumerate(inputs) if c not in outputs)
        self.kernel_reduced = tuple(i for i, c in enumerate(kernel) if c not in outputs)
        self.input_order = tuple(inputs.index(c) if c in inputs else None for c in outputs)
        self.kernel_order = tuple(kernel.index(c) if c in kernel else None for c in outputs)
        # Contracted axes last in the input and first in the kernel: the einsum is one matrix product.
        shared = "".join(c for c in inputs if c in kernel)
        free, made = inputs[: len(inputs) - len(shared)], kernel[len(shared) :]
        self.contracted = len(shared)
        self.is_matmul = bool(
            shared and free and inputs == free + shared and kernel == shared + made and outputs == free + made
        )

    def kernel_scale_shape(self, kernel_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the kernel's scale, which multiplies the output."""
        return tuple(1 if i is None else kernel_shape[i] for i in self.kernel_order)

    @staticmethod
    def align(reduced: tuple[int, ...], order: tuple[int | None, ...], scale: Any) -> Any:
        """An operand's scale, with size 1 along `reduced`, laid out as the output."""
        lib: Any = np if isinstance(scale, np.ndarray) else kops
        if reduced:
            scale = lib.squeeze(scale, axis=reduced)
        kept = sorted(i for i in order if i is not None)
        present = tuple(kept.index(i) for i in order if i is not None)
        if present != tuple(range(len(present))):
            scale = lib.transpose(scale, present)
        for position, axis in enumerate(order):
            if axis is None:
                scale = lib.expand_dims(scale, position)
        return scale

    def kernel_layout(self, scale: np.ndarray) -> np.ndarray:
        """The kernel's scale, which is laid out as the output, laid out as the kernel: `align` undone."""
        scale = np.squeeze(scale, tuple(p for p, i in enumerate(self.kernel_order) if i is None))
        kept = [i for i in self.kernel_order if i is not None]
        return np.expand_dims(np.transpose(scale, np.argsort(kept)), self.kernel_reduced)

    def product(self, inputs: Any, kernel: Any) -> Any:
        """The einsum of integers; as a matrix product where it is one: engines have fast int8 kernels for that."""
        if not self.is_matmul:
            return kops.einsum(self.equation, inputs, kernel)
        n = self.contracted
        shape = tuple(kernel.shape)
        if n > 1:
            size = int(np.prod(shape[:n]))
            inputs = kops.reshape(inputs, (*kops.shape(inputs)[:-n], size))
        out = kops.matmul(inputs, kops.reshape(kernel, (int(np.prod(shape[:n])), -1)))
        made = shape[n:]
        return out if len(made) == 1 else kops.reshape(out, (*kops.shape(out)[:-1], *made))


@functools.cache
def axes_of(equation: str, input_rank: int | None = None, output_rank: int | None = None) -> EinsumAxes:
    """The axes of an EinsumDense equation, for inputs or outputs of a rank."""
    equation = equation.replace(" ", "")
    left, outputs = equation.split("->")
    inputs, kernel = left.split(",")
    form, rank = (inputs, input_rank) if input_rank is not None else (outputs, output_rank)
    free = [c for c in string.ascii_letters if c not in equation]
    covered = "".join(free[: rank - len(form.replace("...", ""))])  # type: ignore[operator]
    return EinsumAxes(inputs.replace("...", covered), kernel, outputs.replace("...", covered))
