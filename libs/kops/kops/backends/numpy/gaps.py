"""What this engine cannot do: op name -> reason. A listed op that works fails the conformance tests."""

from __future__ import annotations

GAPS: dict[str, str] = {"jvp": "it has no derivatives."}
