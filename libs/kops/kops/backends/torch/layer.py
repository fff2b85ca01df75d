"""What makes a layer a `torch.nn.Module`: parameters and submodules are those that the layer itself finds."""

from __future__ import annotations

from typing import Any

import torch


class LayerBase(torch.nn.Module):
    """`state_dict`, `parameters()`, `.to()`, `modules()` and hooks work; attributes are not intercepted.

    Subclasses give `_own_variables`, `_sublayers()` and `_native_members()` (pairs of name and variable or layer).
    """

    def _init_native(self) -> None:
        torch.nn.Module.__init__(self)

    # Module keeps these as dictionaries filled by its own __setattr__; ours are views of what the layer holds.

    @property
    def _parameters(self) -> dict[str, Any]:  # type: ignore[override]
        return self._native_view()[0]

    @_parameters.setter
    def _parameters(self, value: Any) -> None:
        """Module.__init__ assigns empty dictionaries; there is nothing to keep."""

    @property
    def _modules(self) -> dict[str, Any]:  # type: ignore[override]
        return self._native_view()[1]

    @_modules.setter
    def _modules(self, value: Any) -> None:
        """As above."""

    def _native_view(self) -> tuple[dict[str, Any], dict[str, Any]]:
        parameters: dict[str, Any] = {}
        modules: dict[str, Any] = {}
        for name, member in self._native_members():
            if isinstance(member, torch.nn.Module):
                modules[name] = member
            elif member.native is not None:
                parameters[name] = member.native
        return parameters, modules

    def _native_members(self) -> Any:
        return ()

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        # torch.export asks a module for its submodules by the names of the view.
        if not name.startswith("__") and "_own_variables" in self.__dict__:
            for view in self._native_view():
                if name in view:
                    return view[name]
        # Asking again raises the real error, also a property's own.
        return object.__getattribute__(self, name)

    def __dir__(self) -> Any:
        # Without the names of parameters and submodules, which are views and no attributes.
        return object.__dir__(self)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)

    @property
    def torch_params(self) -> dict[str, Any]:
        """The layer's own parameters by variable path."""
        return {v.path: v.native for v in self._own_variables}

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The layer's call, for code that treats it as a plain module."""
        if self.__dict__.get("_in_hooks"):
            return self.call(*args, **kwargs)
        return self(*args, **kwargs)

    def _call_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """`call` between the module's forward hooks."""
        self._in_hooks = True
        try:
            return torch.nn.Module.__call__(self, *args, **kwargs)
        finally:
            self._in_hooks = False

    def register_forward_hook(self, *args: Any, **kwargs: Any) -> Any:
        self._expect_hooks()
        return super().register_forward_hook(*args, **kwargs)

    def register_forward_pre_hook(self, *args: Any, **kwargs: Any) -> Any:
        self._expect_hooks()
        return super().register_forward_pre_hook(*args, **kwargs)

    def register_full_backward_hook(self, *args: Any, **kwargs: Any) -> Any:
        self._expect_hooks()
        return super().register_full_backward_hook(*args, **kwargs)

    def _expect_hooks(self) -> None:
        """The layer must take the way through `_call_with_hooks` from now on."""
