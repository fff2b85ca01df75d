"""These tests run as if this library were installed alone."""

from __future__ import annotations

import pytest

from ksave import codecs


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr(codecs, "load_plugins", lambda: False)
