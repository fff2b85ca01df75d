"""TimeDistributed: a layer at every step of a sequence."""

from __future__ import annotations

from typing import Any

import kops
from klayers.layers.wrapper import Wrapper
from kops import tree
from kops.random import SeedGenerator
from kspec import public


@public("keras.layers.TimeDistributed")
class TimeDistributed(Wrapper):
    """Applies a layer to each step of `(batch, steps, ...)`.

    The steps are folded into the batch, so that the layer is called once. Only in training, and only if it keeps
    statistics of its batches (as BatchNormalization does), it sees one step after the other.

    Args:
        layer: the layer, which takes inputs `(batch, ...)`.

    Call:
        inputs `(batch, steps, ...)`, `training`, `mask` `(batch, steps, ...)`.

    Returns:
        `(batch, steps, ...)`.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def _step_shape(self, input_shape: Any) -> Any:
        if len(input_shape) < 3:
            raise ValueError(
                f"TimeDistributed takes inputs (batch, steps, ...) of at least 3 axes, not {tuple(input_shape)}."
            )
        return (input_shape[0], *input_shape[2:])

    def build(self, input_shape: Any) -> None:
        step = self._step_shape(input_shape)
        if not self.layer.built:
            if self.layer._default_build:
                self.layer.compute_output_shape(step)
            if not self.layer.built:
                self.layer.build(step)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = self.layer.compute_output_shape(self._step_shape(input_shape))
        return tree.map_shape_structure(lambda s: (s[0], input_shape[1], *s[1:]), shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        self._step_shape(inputs.shape)
        if training and self._keeps_statistics() and inputs.shape[1] is not None:
            steps = [
                self._one(inputs[:, i], training, None if mask is None else mask[:, i]) for i in range(inputs.shape[1])
            ]
            return tree.map_structure(lambda *xs: kops.stack(xs, axis=1), *steps)
        batch, steps = kops.shape(inputs)[:2]
        folded = kops.reshape(inputs, (-1, *kops.shape(inputs)[2:]))
        if mask is not None:
            mask = kops.reshape(mask, (-1, *kops.shape(mask)[2:]))
        outputs = self._one(folded, training, mask)
        return tree.map_structure(lambda y: kops.reshape(y, (batch, steps, *kops.shape(y)[1:])), outputs)

    def _one(self, x: Any, training: Any, mask: Any) -> Any:
        signature = self.layer._call_signature
        options = {"training": training} if signature.takes_training else {}
        # What is left of a (batch, steps) mask says nothing about the insides of a step.
        if mask is not None and signature.takes_mask and len(mask.shape) > 1:
            options["mask"] = mask
        return self.layer(x, **options)

    def _keeps_statistics(self) -> bool:
        seeds = {id(s.state) for s in _seeds(self.layer)}
        return any(id(v) not in seeds for v in self.layer.non_trainable_variables if not v.trainable)


def _seeds(layer: Any) -> list[SeedGenerator]:
    from klayers import tracking

    found: list[SeedGenerator] = []
    for member in tracking.members(layer):
        if isinstance(member, SeedGenerator):
            found.append(member)
        elif hasattr(member, "_own_variables"):
            found.extend(_seeds(member))
    return found
