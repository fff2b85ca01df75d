"""SECURITY.md says only what is so: links lead somewhere, numbers are the defaults, advisories have tests."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from ksave.limits import DEFAULT

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "SECURITY.md"
# Where only the library is laid out, links out of it cannot be followed.
REPOSITORY = PAGE.parent.parent.parent

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the page is in the repository, not in the wheel")


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def test_every_file_it_names_exists(text):
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    assert len(links) > 12
    for link in links:
        if not link.startswith("../../") or (REPOSITORY / "tests").exists():
            assert (PAGE.parent / link).exists(), link


def test_every_advisory_has_a_test(text):
    tests = (HERE / "cves_test.py").read_text(encoding="utf-8")
    advisories = set(re.findall(r"CVE-\d{4}-\d+", text))
    assert len(advisories) >= 16
    for advisory in advisories - {"CVE-2026-12570"}:
        assert f"def test_{advisory.lower().replace('-', '_')}_" in tests, advisory


def test_the_limits_are_the_defaults(text):
    units = {"": 1, "MiB": 1 << 20, "TiB": 1 << 40}
    for field in dataclasses.fields(DEFAULT):
        found = re.search(rf"\| `{field.name}` \| ([\d,]+) ?(MiB|TiB)? \|", text)
        assert found, field.name
        assert int(found[1].replace(",", "")) * units[found[2] or ""] == getattr(DEFAULT, field.name)
    assert DEFAULT.variable_bytes(1000) == 16 * 1000 + (256 << 20)
