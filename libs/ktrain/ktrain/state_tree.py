"""The whole state of training as nested dictionaries."""

from __future__ import annotations

from typing import Any

from kops.engine import engine


def _nest(variables: list[Any], value_format: str) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for variable in variables:
        *parents, name = variable.path.split("/")
        node = root
        for parent in parents:
            node = node.setdefault(parent, {})
        if name in node:
            raise ValueError(
                f"Two variables have the path {variable.path!r}; give the layers different names to use state trees."
            )
        node[name] = engine().to_numpy(variable.value) if value_format == "numpy_array" else variable.value
    return root


def _assign(variables: list[Any], nested: dict[str, Any], what: str) -> None:
    by_path = {variable.path: variable for variable in variables}

    def visit(node: dict[str, Any], prefix: str) -> None:
        for key, value in node.items():
            path = f"{prefix}/{key}" if prefix else key
            if isinstance(value, dict):
                visit(value, path)
            elif path in by_path:
                by_path[path].assign(value)
            else:
                raise ValueError(f"{what} has no variable {path!r}. It has: {', '.join(by_path) or 'none'}.")

    visit(nested, "")


class StateTree:
    """Mixin of `Trainer`."""

    def _state_groups(self) -> dict[str, list[Any]]:
        model: Any = self
        optimizer = model.optimizer
        return {
            "trainable_variables": model.trainable_variables,
            "non_trainable_variables": model.non_trainable_variables,
            "optimizer_variables": optimizer.variables if optimizer is not None else [],
            "metrics_variables": model.metrics_variables,
        }

    def get_state_tree(self, value_format: str = "backend_tensor") -> dict[str, Any]:
        """The values of all variables, nested by their paths.

        Args:
            value_format: "backend_tensor" or "numpy_array".

        Returns:
            A dictionary with "trainable_variables", "non_trainable_variables", "optimizer_variables" and
            "metrics_variables".
        """
        if value_format not in ("backend_tensor", "numpy_array"):
            raise ValueError(f"value_format is 'backend_tensor' or 'numpy_array', not {value_format!r}.")
        return {what: _nest(variables, value_format) for what, variables in self._state_groups().items()}

    def set_state_tree(self, state_tree: dict[str, Any]) -> None:
        """Assign what `get_state_tree` returned."""
        groups = self._state_groups()
        for what, nested in state_tree.items():
            if what not in groups:
                raise ValueError(f"A state tree has {', '.join(groups)}, not {what!r}.")
            _assign(groups[what], nested, what)
