"""Updates of all variables in a few kernels (`torch._foreach_*`), for the optimizers people use most.

Conditions, asked once when the optimizer is built: exactly one of the classes below (a subclass may have another
formula), no clipping, float variables of one dtype on one device. At each update: all variables are there, the
gradients are dense and of the variables' dtype. Otherwise the plain formulas run.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

from ktrain.optimizers.adam import Adam
from ktrain.optimizers.adamw import AdamW
from ktrain.optimizers.rmsprop import RMSprop
from ktrain.optimizers.sgd import SGD

Update = Callable[[Any, list, list, float], None]


def fused(optimizer: Any, variables: list[Any]) -> Any:
    """A function of gradients and variables that updates them and says whether it did; None where there is none."""
    update = _UPDATES.get(type(optimizer))
    if update is None or not variables:
        return None
    if optimizer.clipnorm is not None or optimizer.clipvalue is not None or optimizer.global_clipnorm is not None:
        return None
    if getattr(optimizer, "amsgrad", False) or any(v.overwrite_with_gradient for v in variables):
        return None
    natives = [v.native for v in variables]
    first = natives[0]
    if first is None or not first.is_floating_point() or first.device.type != "cpu":
        # On other devices the learning rate would have to come to the host, which waits for the device.
        return None
    if any(n is None or n.dtype != first.dtype or n.device != first.device for n in natives):
        return None
    dtype = first.dtype
    decayed = [i for i, v in enumerate(variables) if optimizer.weight_decay is not None and optimizer.decays(v)]

    def run(gradients: list[Any], updated: list[Any]) -> bool:
        if len(updated) != len(variables) or torch.compiler.is_compiling():
            return False
        for g in gradients:
            if g.dtype != dtype or g.layout != torch.strided:
                return False
        with torch.no_grad():
            rate = float(optimizer._current_rate())
            parameters = [v._native for v in updated]
            if decayed:
                shrinking = [parameters[i] for i in decayed]
                torch._foreach_mul_(shrinking, 1.0 - rate * optimizer.weight_decay)
            update(optimizer, gradients, parameters, rate)
        return True

    return run


def _natives(slots: list[Any]) -> list[Any]:
    return [slot._native for slot in slots]


def _sgd(optimizer: Any, gradients: list[Any], parameters: list[Any], rate: float) -> None:
    if not optimizer.momentum:
        torch._foreach_add_(parameters, gradients, alpha=-rate)
        return
    momentums = _natives(optimizer._momentums)
    torch._foreach_mul_(momentums, optimizer.momentum)
    torch._foreach_add_(momentums, gradients, alpha=-rate)
    if optimizer.nesterov:
        torch._foreach_add_(parameters, momentums, alpha=optimizer.momentum)
        torch._foreach_add_(parameters, gradients, alpha=-rate)
    else:
        torch._foreach_add_(parameters, momentums)


def _adam(optimizer: Any, gradients: list[Any], parameters: list[Any], rate: float) -> None:
    step = int(optimizer.iterations) + 1
    beta_1, beta_2 = optimizer.beta_1, optimizer.beta_2
    rate *= (1.0 - beta_2**step) ** 0.5 / (1.0 - beta_1**step)
    m, v = _natives(optimizer._momentums), _natives(optimizer._velocities)
    torch._foreach_lerp_(m, gradients, 1.0 - beta_1)
    torch._foreach_mul_(v, beta_2)
    torch._foreach_addcmul_(v, gradients, gradients, 1.0 - beta_2)
    spread = torch._foreach_sqrt(v)
    torch._foreach_add_(spread, optimizer.epsilon)
    torch._foreach_addcdiv_(parameters, m, spread, -rate)


def _rmsprop(optimizer: Any, gradients: list[Any], parameters: list[Any], rate: float) -> None:
    rho = optimizer.rho
    v = _natives(optimizer._velocities)
    torch._foreach_mul_(v, rho)
    torch._foreach_addcmul_(v, gradients, gradients, 1.0 - rho)
    spread = torch._foreach_add(v, optimizer.epsilon)
    if optimizer.centered:
        means = _natives(optimizer._average_gradients)
        torch._foreach_lerp_(means, gradients, 1.0 - rho)
        torch._foreach_addcmul_(spread, means, means, -1.0)
    torch._foreach_sqrt_(spread)
    if optimizer.momentum > 0:
        momentums = _natives(optimizer._momentums)
        torch._foreach_mul_(momentums, optimizer.momentum)
        torch._foreach_addcdiv_(momentums, gradients, spread, rate)
        torch._foreach_sub_(parameters, momentums)
    else:
        torch._foreach_addcdiv_(parameters, gradients, spread, -rate)


_UPDATES: dict[type, Update] = {SGD: _sgd, Adam: _adam, AdamW: _adam, RMSprop: _rmsprop}
