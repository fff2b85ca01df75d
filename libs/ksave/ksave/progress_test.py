from __future__ import annotations

import io
import sys

import pytest

from ksave import progress as module
from ksave.progress import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def _terminal(monkeypatch):
    # Not in a fixture: between fixtures and tests pytest puts its own stream back.
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(module, "_DELAY", -1)
    return screen


@pytest.fixture(params=["rich", "plain"])
def way(request, monkeypatch):
    if request.param == "plain":
        for name in ("rich", "rich.console", "rich.progress", "rich.text"):
            monkeypatch.setitem(sys.modules, name, None)
    else:
        pytest.importorskip("rich")
    return request.param


@pytest.mark.parametrize("total", [4_000_000, 0])
def test_at_a_terminal(monkeypatch, way, total):
    terminal = _terminal(monkeypatch)
    with progress("Reading [bold]x", total) as done:
        done(1_000_000)
        done(3_000_000)
    said = terminal.getvalue()
    assert "Reading [bold]x" in said and "4.0" in said and "MB" in said
    assert way == "rich" or not total or "100% of 4.0 MB" in said


def test_short_work_shows_nothing(way, monkeypatch):
    terminal = _terminal(monkeypatch)
    monkeypatch.setattr(module, "_DELAY", 60)
    with progress("Reading", 10) as done:
        done(10)
    assert terminal.getvalue() == ""


def test_without_a_terminal_nothing_is_shown(capsys, monkeypatch):
    monkeypatch.setattr(module, "_DELAY", -1)
    with progress("Reading", 10) as done:
        done(10)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)
    with progress("Reading", 10) as done:
        done(10)


def test_errors_pass_through_and_end_the_line(monkeypatch, way):
    terminal = _terminal(monkeypatch)
    with pytest.raises(KeyError), progress("Reading", 10) as done:
        done(5)
        raise KeyError
    assert "Reading" in terminal.getvalue()
