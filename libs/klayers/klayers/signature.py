"""What a layer's `call` takes, found out once per class."""

from __future__ import annotations

import dis
import functools
import inspect
from typing import Any, Callable


class CallSignature:
    """The parameters of `call`.

    Attributes:
        names: positional parameters in order, without self.
        takes_training, takes_mask: whether there is a parameter of that name.
        uses_training: whether `call` also does something with it; many layers only accept it.
        mask_names: for each tensor parameter `x` that has a companion `x_mask`, that name.
        training_default: the default of `training`.
        required: parameters without a default.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        parameters = list(inspect.signature(function).parameters.values())
        self.parameters = parameters
        self.names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        every = {p.name for p in parameters}
        self.all_names = every
        self.var_positional = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self.var_keyword = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.takes_training = "training" in every
        self.uses_training = self.takes_training and _reads(function, "training")
        self.takes_mask = "mask" in every
        self.training_default = next((p.default for p in parameters if p.name == "training"), None)
        if self.training_default is inspect.Parameter.empty:
            self.training_default = None
        self.mask_names = {n[: -len("_mask")]: n for n in every if n.endswith("_mask") and n[: -len("_mask")] in every}
        self.required = [
            p.name
            for p in parameters
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        ]

    def bind(self, owner: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by parameter name, in the order of the signature; extra positional ones under "*".

        Raises:
            TypeError: naming what is missing, unknown or given twice.
        """
        if len(args) > len(self.names) and not self.var_positional:
            raise TypeError(
                f"{owner}.call() takes {len(self.names)} positional arguments ({', '.join(self.names)}) "
                f"but {len(args)} were given."
            )
        bound = dict(zip(self.names, args))
        for name, value in kwargs.items():
            if name in bound:
                raise TypeError(f"{owner}.call() got argument {name!r} twice.")
            if name not in self.all_names and not self.var_keyword:
                raise TypeError(
                    f"{owner}.call() has no argument {name!r}; it takes {', '.join(p.name for p in self.parameters)}."
                )
            bound[name] = value
        missing = [n for n in self.required if n not in bound]
        if missing:
            raise TypeError(f"{owner}.call() is missing its argument {', '.join(map(repr, missing))}.")
        return bound


def _reads(function: Callable[..., Any], name: str) -> bool:
    """Whether a function's code reads its parameter `name`."""
    function = inspect.unwrap(function.func if isinstance(function, functools.partial) else function)
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    if name in code.co_cellvars:
        return True
    return any(i.argval == name and i.opname.startswith("LOAD") for i in dis.get_instructions(code))


@functools.cache
def signature_of(function: Callable[..., Any]) -> CallSignature:
    """The signature of an unbound `call`, without self."""
    bound = functools.partial(function, None)
    return CallSignature(bound)


def build_parameters(function: Callable[..., Any]) -> list[str]:
    """Names of the positional parameters of a bound `build`."""
    return _build_parameters(getattr(function, "__func__", function))


@functools.cache
def _build_parameters(function: Callable[..., Any]) -> list[str]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
