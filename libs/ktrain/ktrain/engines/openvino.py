"""Evaluation and prediction with OpenVINO; it computes no gradients.

Prediction runs the model as one compiled graph. Where the graph lacks an op that NumPy has, prediction runs eagerly,
after saying so once.
"""

from __future__ import annotations

import logging
from typing import Any

from kops import tree
from kops.engine import engine
from ktrain.data.packing import unpack_x_y_sample_weight
from ktrain.engines import numpy as eager
from ktrain.engines import steps
from ktrain.engines.numpy import fused_update, is_concrete, jit_of_file, resolve_jit
from ktrain.engines.steps import fetch, python_logs

__all__ = [
    "Steps",
    "fetch",
    "fused_update",
    "is_concrete",
    "jit_of_file",
    "python_logs",
    "require_training",
    "resolve_jit",
]


def require_training() -> None:
    """Raise: there is no training on this engine."""
    steps.require_training("openvino")


class Steps(eager.Steps):
    """The steps of the OpenVINO engine."""

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """A function of a list of batches that returns their outputs."""
        return self._cached("predict", self._make_predict, force)

    def _make_predict(self: Any) -> Any:
        graph = engine().jit(lambda x: self._forward(x, training=False))
        overridden = type(self).predict_step is not steps.EagerSteps.predict_step
        state = {"eager": overridden or self.run_eagerly}

        def one(data: Any) -> Any:
            if not state["eager"]:
                try:
                    return graph(unpack_x_y_sample_weight(data)[0])
                except (NotImplementedError, TypeError) as error:
                    state["eager"] = True
                    logging.getLogger("keras").warning(
                        "The OpenVINO graph cannot hold this model, so it runs with NumPy: %s", error
                    )
            return tree.map_structure(lambda x: x, self.predict_step(data))

        return lambda batches: steps.concatenate_outputs([one(data) for data in batches])
