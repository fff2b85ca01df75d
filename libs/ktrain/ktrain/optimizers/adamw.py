"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from kspec import public
from ktrain.optimizers.adam import Adam


@public("keras.optimizers.AdamW")
class AdamW(Adam):
    """Adam, and at each step the variables shrink by `learning_rate * weight_decay` of themselves.

    Args:
        learning_rate, beta_1, beta_2, epsilon, amsgrad: see `Adam`.
        weight_decay: see above; exclude biases and scales with `exclude_from_weight_decay`.
        clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, loss_scale_factor,
            gradient_accumulation_steps, name: see `keras.Optimizer`.

    Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017.
    """

    def __init__(
        self, learning_rate: Any = 0.001, weight_decay: float = 0.004, beta_1: float = 0.9, beta_2: float = 0.999,
        epsilon: float = 1e-7, amsgrad: bool = False,
        clipnorm: float | None = None, clipvalue: float | None = None,
        global_clipnorm: float | None = None, use_ema: bool = False, ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None, loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None, name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon, amsgrad=amsgrad,
            weight_decay=weight_decay, clipnorm=clipnorm, clipvalue=clipvalue, global_clipnorm=global_clipnorm,
            use_ema=use_ema, ema_momentum=ema_momentum, ema_overwrite_frequency=ema_overwrite_frequency,
            loss_scale_factor=loss_scale_factor, gradient_accumulation_steps=gradient_accumulation_steps, name=name,
            **kwargs,
        )  # fmt: skip
        if self.weight_decay is None:
            raise ValueError("AdamW needs weight_decay; without it use Adam.")
