"""CTC by PyTorch's own kernel."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from kops import recurrence
from kops.backends.torch.nn_rnn import loop
from kops.declare import OPS

_IMPOSSIBLE = 1e5  # what the formula gives, within a thousandth


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int) -> Any:
    # torch.compile cannot follow the kernel, whose memory depends on the lengths; of nothing there is none.
    if torch.compiler.is_compiling() or not (target.numel() and output.numel()):
        return recurrence.ctc_loss(loop, target, output, target_length, output_length, mask_index)
    check: Any = OPS["ctc_loss"].shape_rule
    check(target, output, target_length, output_length, mask_index)  # the kernel reads beyond the arrays instead
    logs = torch.log_softmax(output, -1).transpose(0, 1)
    loss = F.ctc_loss(logs, target, output_length, target_length, mask_index, "none", zero_infinity=True)
    # Labels fit if there is a step for each, and one between equals; else the kernel's loss is infinite.
    again = target[:, 1:] == target[:, :-1]
    inside = torch.arange(1, target.shape[1], device=target.device) < target_length[:, None]
    needed = target_length + (again & inside).sum(1)
    return torch.where(needed > output_length, _IMPOSSIBLE, loss)


TABLE = {"ctc_loss": ctc_loss}
