"""Random ops have no rows: their values are distributions."""

from __future__ import annotations

from typing import Any

_WHY = "its values are random: kops/random_test.py checks bits, distributions, dtypes, symbolic calls and compilation"
ROWS: list[Any] = []
EXEMPT = {"dropout": _WHY, "shuffle": _WHY, "categorical": _WHY}
