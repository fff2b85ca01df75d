"""Python lambdas in configs: their byte code. Reading one runs whatever it holds, so it must be asked for."""

from __future__ import annotations

import builtins
import codecs
import marshal
import types
from typing import Any

from ksave.limits import CorruptFileError


def encode(function: types.FunctionType) -> dict[str, Any]:
    """The `config` of a `__lambda__` record: byte code, default values and closure of a function."""
    code = codecs.encode(marshal.dumps(function.__code__), "base64").decode("ascii")
    cells = [cell.cell_contents for cell in function.__closure__] if function.__closure__ else None
    return {"value": [code, list(function.__defaults__) if function.__defaults__ else None, cells]}


def decode(config: dict[str, Any], names: dict[str, Any]) -> types.FunctionType:
    """Make the function again. Only for files that the caller trusts: this is foreign code.

    Args:
        config: what `encode` gave.
        names: global names that the function finds, for example custom objects.
    """
    try:
        code, defaults, cells = config["value"]
        body = marshal.loads(codecs.decode(code.encode("ascii"), "base64"))
    except (ValueError, EOFError, TypeError) as error:
        raise CorruptFileError(
            "The byte code of a lambda cannot be read; it was probably saved by another Python version. "
            f"Use a named function registered with @keras.saving.register_keras_serializable(). ({error})"
        ) from error
    if not isinstance(body, types.CodeType):
        raise CorruptFileError("The record of a lambda holds no code.")
    closure = tuple(types.CellType(cell) for cell in cells) if cells else None
    scope = {"__builtins__": builtins, **names}
    return types.FunctionType(body, scope, body.co_name, tuple(defaults) if defaults else None, closure)
