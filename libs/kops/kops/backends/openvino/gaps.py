"""What this engine cannot do: op name -> reason. A listed op that works fails the conformance tests."""

from __future__ import annotations

# Eager: what NumPy cannot.
GAPS: dict[str, str] = {}

# While a graph is traced: ops that OpenVINO's op set cannot express. Functions that use them run eagerly.
GRAPH_GAPS: dict[str, str] = {}
