"""LoRA: a layer's frozen kernel plus a low-rank update that is trained.

The layers know little of it. They derive from `Adaptable` and declare their kernel with `AdaptedWeight`: a descriptor
that Python asks only when the layer holds no attribute of that name. Without LoRA the variable is that attribute, so
nothing is in its way; with LoRA the variable moves into `Lora`, and reading the kernel gives the sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import kops
from klayers.layer import Layer
from klayers.layers.settings import positive_int


class Lora:
    """The update `(alpha / rank) * a @ b` of a kernel.

    Args:
        layer: a built layer.
        weight: name of its kernel, as "kernel".
        rank: columns of `a` and rows of `b`.
        alpha: scale.
        a_initializer, b_initializer: first values.

    Source: Hu et al., "LoRA: low-rank adaptation of large language models", 2021.
    """

    def __init__(
        self, layer: Any, weight: str, rank: int, alpha: float, a_initializer: Any, b_initializer: Any
    ) -> None:
        self.weight = weight
        self.scale = alpha / rank
        # A quantized layer's scheme says the shape of the kernel: what it holds may be packed.
        variable = getattr(layer, weight)
        shape = tuple(variable.shape if layer._scheme is None else layer._scheme.decode(layer).shape)
        regularizer = getattr(layer, f"{weight}_regularizer")
        self.a = layer.add_weight(
            name=f"lora_{weight}_a", shape=(*shape[:-1], rank), initializer=a_initializer, regularizer=regularizer
        )
        self.b = layer.add_weight(
            name=f"lora_{weight}_b", shape=(rank, shape[-1]), initializer=b_initializer, regularizer=regularizer
        )
        setattr(layer, f"lora_{weight}_a", self.a)
        setattr(layer, f"lora_{weight}_b", self.b)
        variable.trainable = False
        self.base: Any = None

    def cover(self, layer: Any) -> None:
        """Let reading the kernel give the sum."""
        self.base = vars(layer).pop(self.weight)

    def uncover(self, layer: Any) -> None:
        """Let reading the kernel give the frozen variable again."""
        if self.base is not None:
            setattr(layer, self.weight, self.base)
            self.base = None

    def update(self) -> Any:
        """What is added to the kernel, as a tensor of its shape."""
        return kops.multiply(kops.matmul(self.a, self.b), self.scale)

    def kernel(self) -> Any:
        """The sum as a tensor."""
        return kops.add(self.base, self.update())

    def update_rows(self, indices: Any) -> Any:
        """The rows of the update that are asked for; the others are not computed."""
        return kops.multiply(kops.matmul(kops.take(self.a, indices, axis=0), self.b), self.scale)

    def rows(self, indices: Any) -> Any:
        """The rows of the sum that are asked for."""
        return kops.add(kops.take(self.base, indices, axis=0), self.update_rows(indices))

    def merged(self, layer: Any) -> dict[str, np.ndarray]:
        """The layer's variables with the update in them, as arrays by name."""
        update = self.scale * (self.a.numpy().astype("float32") @ self.b.numpy().astype("float32"))
        if layer._scheme is not None:
            return layer._scheme.encode(layer, layer._scheme.decode(layer) + update)
        base = self.base.numpy()
        return {self.weight: (base.astype(update.dtype) + update).astype(base.dtype)}


class AdaptedWeight:
    """A layer's kernel when the layer holds no variable of that name: not built, or covered by LoRA."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        if layer is None:
            return self
        lora = layer._lora
        if lora is None:
            raise AttributeError(
                f"{type(layer).__name__} {layer.name!r} has no {self.name} before it is built. "
                "Call it on data or call build(input_shape) first."
            )
        return lora.kernel()


class Adaptable(Layer):
    """A layer with a kernel that takes LoRA; a subclass names the kernel in `_adapted`."""

    _adapted = "kernel"
    _lora: Lora | None = None
    lora_rank: int | None = None
    lora_alpha: float | None = None
    lora_enabled = False

    def _expect_lora(self, rank: int | None, alpha: float | None) -> None:
        """Keep the constructor's arguments; LoRA begins as soon as there is a kernel."""
        self.lora_rank = None if rank is None else positive_int(rank, "lora_rank")
        self.lora_alpha = rank if alpha is None else alpha
        if rank is not None and self.built:
            self.enable_lora(rank, alpha)

    def _after_build(self, shapes: Any) -> None:
        super()._after_build(shapes)
        if self.lora_rank is not None and self._lora is None:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    def enable_lora(
        self,
        rank: int,
        lora_alpha: float | None = None,
        a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
    ) -> None:
        """Freeze the kernel and train a low-rank update `(lora_alpha / rank) * a @ b` of it instead.

        `a` has the kernel's shape with `rank` in the place of the last axis, `b` is `(rank, kernel.shape[-1])`.
        Compile a model after this, not before: what is trained changes. Files hold the sum, as an ordinary kernel.

        Args:
            rank: of the update.
            lora_alpha: scale of the update; default `rank`, which is a factor of 1.
            a_initializer, b_initializer: first values. A `b` of zeros leaves the layer as it was.

        Raises:
            ValueError: before the layer is built, when LoRA is enabled already, or with a constraint on the kernel.
            NotImplementedError: with a quantization that does not go with LoRA.

        Example:
            >>> layer = Dense(64)
            >>> layer.build((None, 32))
            >>> layer.enable_lora(4)
            >>> [v.name for v in layer.trainable_weights]
            ['bias', 'lora_kernel_a', 'lora_kernel_b']
        """
        who = f"{type(self).__name__} {self.name!r}"
        rank = positive_int(rank, "rank")
        if not self.built:
            raise ValueError(
                f"{who} has no kernel to adapt before it is built. Call it on data or call build(input_shape), then "
                f"enable_lora({rank}); or give the constructor lora_rank={rank}."
            )
        if self._lora is not None:
            raise ValueError(
                f"LoRA is enabled already for {who}, with rank {self.lora_rank}. For another rank, save the weights "
                "(that merges the update), load them into a new layer and enable LoRA there."
            )
        if getattr(self, f"{self._adapted}_constraint") is not None:
            raise ValueError(
                f"{who} has a {self._adapted}_constraint, which would hold for the frozen kernel and not for the sum "
                f"with the update. Make the layer without {self._adapted}_constraint to use LoRA."
            )
        self._check_scheme(self._scheme, self.quantization_mode)
        alpha = rank if lora_alpha is None else lora_alpha
        self._locked = False
        try:
            lora = Lora(self, self._adapted, rank, alpha, a_initializer, b_initializer)
        finally:
            self._locked = True
        if self._scheme is None:
            lora.cover(self)
        self._lora, self.lora_rank, self.lora_alpha, self.lora_enabled = lora, rank, alpha, True
        self._decide_needs()

    def _check_scheme(self, scheme: Any, mode: Any) -> None:
        if scheme is not None and not getattr(scheme, "takes_lora", False):
            raise NotImplementedError(
                f"{type(self).__name__} {self.name!r}: LoRA does not go with {mode} quantization of this layer. "
                "Use int8 or int4 of Dense, EinsumDense or Embedding; or save the weights, which merges the update, "
                "and quantize a layer without LoRA that has loaded them."
            )

    def _find_scheme(self, mode: str, type_check: bool = True) -> Any:
        scheme = super()._find_scheme(mode, type_check)
        if self._lora is not None:
            self._check_scheme(scheme, mode)
        return scheme

    def quantize(self, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        """Replace the kernel by a quantized one; an update by LoRA stays as it is, in floats. See `Layer.quantize`."""
        lora = self._lora
        if lora is None or self._scheme is not None:
            super().quantize(mode, type_check, config)
            return
        lora.uncover(self)
        try:
            super().quantize(mode, type_check, config)
        except Exception:
            lora.cover(self)
            raise

    def _file_variables(self) -> list[Any]:
        lora = self._lora
        found = super()._file_variables()
        return found if lora is None else [v for v in found if v is not lora.a and v is not lora.b]

    def save_own_variables(self, store: Any) -> None:
        """Put the layer's own variables into a mapping from names to arrays, an update by LoRA merged in."""
        if self._lora is None or not self._lora.b.numpy().any():  # quantizing again would round again
            super().save_own_variables(store)
            return
        merged = self._lora.merged(self)
        for i, v in enumerate(self._file_variables()):
            store[str(i)] = merged.get(v.name, v)

    def load_own_variables(self, store: Any) -> None:
        """Take variables from a mapping that `save_own_variables` filled; an update by LoRA begins anew at zero."""
        super().load_own_variables(store)
        if self._lora is not None:
            # `a` keeps its values: with both zero, neither would have a gradient.
            self._lora.b.assign(np.zeros(self._lora.b.shape, "float32"))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        if self.lora_rank is not None:
            config.update(lora_rank=self.lora_rank, lora_alpha=self.lora_alpha)
        return config
