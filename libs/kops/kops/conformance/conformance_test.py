"""The suite on the active engine; see `suite`."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("kops.conformance.suite")

from kops.conformance.suite import *  # noqa: E402, F403
