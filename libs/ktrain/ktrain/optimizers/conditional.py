"""Updates of variables that happen only if a tensor says so, in eager and in traced code alike."""

from __future__ import annotations

from typing import Any, Callable

import kops as ops
from kops.config import settings
from kops.engine import engine
from kops.scopes import StatelessScope


def update_if(predicate: Any, update: Callable[[], None], otherwise: Callable[[], None], variables: list[Any]) -> None:
    """Run `update` or `otherwise`; both may assign `variables` and nothing else.

    Where a trace is recorded, both become branches of one conditional: functions from nothing to the new values.
    """
    if _known(predicate):
        (update if bool(predicate) else otherwise)()
        return
    held = [v.value for v in variables]

    def branch(function: Callable[[], None]) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            with StatelessScope(state_mapping=list(zip(variables, held)), initialize_variables=False) as scope:
                function()
                return [ops.cast(scope.get_current_value(v), v.dtype) for v in variables]

        return run

    for variable, value in zip(variables, ops.cond(predicate, branch(update), branch(otherwise))):
        variable.assign(value)


def _known(predicate: Any) -> bool:
    """Whether the truth of `predicate` can be asked now."""
    if isinstance(predicate, bool) or settings.backend in ("numpy", "openvino"):
        return True
    if settings.backend == "torch":
        compiling = engine().compiling
        return compiling is None or not compiling()
    from ktrain import engines

    return engines.load().is_concrete(predicate)
