"""Seeds: where a random op takes its seed from, and what changes it between calls."""

from __future__ import annotations

import random as python_random
from importlib import import_module
from typing import Any

import numpy as np

from kops.engine import engine
from kops.keras_tensor import KerasTensor
from kops.naming import auto_name
from kops.random_hash import WORD
from kops.scopes import ambient, name_scope
from kops.variable import Variable
from kspec import public


@public("keras.random.SeedGenerator")
class SeedGenerator:
    """A sequence of seeds, whose position is kept in a variable.

    Every call of a random function with the generator as its `seed` gives other numbers, and the whole sequence is
    reproducible. Layers that own a generator save its position with their weights.

    Args:
        seed: a non-negative integer; None takes one from Python's `random`, which `set_random_seed` makes
            reproducible.
        name: name of the scope of the variable; generated when left out.

    Example:
        >>> generator = SeedGenerator(42)
        >>> random.normal((2,), seed=generator)  # other values at each call
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise ValueError(f"SeedGenerator got unknown arguments: {', '.join(kwargs)}.")
        self.name = name or auto_name(type(self).__name__)
        self._initial = seed
        start = default_seed() if seed is None else _check_seed(seed)
        with name_scope(self.name, caller=self):
            self.state = Variable(
                lambda shape, dtype: np.array(_words(start), dtype),
                shape=(2,),
                dtype=engine().SEED_DTYPE,
                trainable=False,
                autocast=False,
                name="seed_generator_state",
            )

    def next(self, ordered: bool = True) -> Any:
        """The current seed, a tensor of two integers; moves on to the following one.

        Args:
            ordered: kept for compatibility; the sequence is always in order.
        """
        from kops.ops.random import advance_seed

        current, following = advance_seed(self.state)
        self.state.assign(following)
        return current

    # Keras does not keep the state in files, and passes over it in ours.
    optional_in_files = True

    def save_own_variables(self, store: Any) -> None:
        """Write the state, so that a model goes on with the random numbers that would have come next."""
        store["0"] = self.state.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Read what `save_own_variables` wrote."""
        self.state.assign(store["0"])

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"seed": self._initial, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """A generator from what `get_config` returned, at the start of its sequence."""
        return cls(**config)


def default_seed() -> int:
    """A seed where none was given; Python's `random` decides, so that `set_random_seed` does."""
    return python_random.randint(1, 2**31 - 1)


def _check_seed(seed: Any) -> int:
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed must be an integer, not {seed!r}.")
    if seed < 0:
        raise ValueError(f"seed must not be negative, got {seed}.")
    return int(seed)


def _words(seed: int) -> list[int]:
    return [seed & WORD, seed >> 32 & WORD]


_global: SeedGenerator | None = None


def global_seed_generator() -> SeedGenerator:
    """The generator behind `seed=None`."""
    global _global
    if _global is None:
        _global = SeedGenerator(name="global_seed_generator")
    return _global


def forget_global_generator() -> None:
    """Start anew; part of `clear_session`."""
    global _global
    _global = None


def draw_seed(seed: Any) -> Any:
    """The seed tensor (two integers) that a random op uses.

    Args:
        seed: an integer (always the same numbers), a `SeedGenerator` (other numbers at each call), None (the global
            generator), or a tensor of two integers as `SeedGenerator.next` returns.

    Raises:
        ValueError: when it is none of these.
    """
    e = engine()
    if ambient.symbolic and (seed is None or isinstance(seed, SeedGenerator)):
        # Shape inference draws nothing: it must not use up numbers, and sizes may be unknown.
        return KerasTensor((2,), e.SEED_DTYPE, record_history=False)
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if seed is None:
        return global_seed_generator().next()
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        return e.convert(_words(_check_seed(seed)), e.SEED_DTYPE)
    if isinstance(seed, Variable):
        seed = seed.value
    if (e.is_tensor(seed) or isinstance(seed, np.ndarray)) and tuple(seed.shape) == (2,):
        tensor = e.convert(seed, None)
        if "int" in e.dtype_name(tensor):
            return tensor
    raise ValueError(f"seed must be an integer, a SeedGenerator, a tensor of two integers, or None; got {seed!r}.")


@public("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Seed Python's `random`, NumPy, the engine's own generators and those of this library.

    Args:
        seed: an integer in [0, 2**32).
    """
    global _global
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**32:
        raise ValueError(f"set_random_seed takes an integer in [0, 2**32), not {seed!r}.")
    python_random.seed(seed)
    np.random.seed(seed)
    import_module(f"kops.backends.{engine().NAME}.random").seed_native(int(seed))
    _global = SeedGenerator(seed, name="global_seed_generator")
