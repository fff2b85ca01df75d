from __future__ import annotations

from kops.config import disable_interactive_logging, enable_interactive_logging
from ktrain import progbar
from ktrain.progbar import Progbar


def test_times_and_numbers():
    assert [progbar.duration(s) for s in (0.2, 59, 61, 3700)] == ["0s", "59s", "1:01", "1:01:40"]
    assert [progbar.per_unit(s, "step") for s in (2.0, 0.012, 5e-5)] == ["2s/step", "12ms/step", "50us/step"]
    assert [progbar.number(v) for v in (0.5, 1e-5, 0, float("nan"), "x")] == [
        "0.5000",
        "1.0000e-05",
        "0.0000",
        "nan",
        "x",
    ]


def test_one_line_when_there_is_no_terminal(capsys):
    bar = Progbar(4)
    for _ in range(4):
        bar.add(1, [("loss", 2.0)])
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and out.startswith("4/4 ━━") and "loss: 2.0000" in out and "\x1b" not in out


def test_values_are_averaged_unless_stateful(capsys):
    bar = Progbar(2, verbose=2, stateful_metrics=["last"])
    bar.update(1, [("mean", 1.0), ("last", 1.0)])
    bar.update(2, [("mean", 3.0), ("last", 3.0)])
    assert "mean: 2.0000 - last: 3.0000" in capsys.readouterr().out


def test_a_terminal_line_is_rewritten(capsys):
    bar = Progbar(3, interval=0)
    bar._terminal = True
    for _ in range(3):
        bar.add(1)
    out = capsys.readouterr().out
    assert out.count("\r") == 3 and out.count("\n") == 1 and out.endswith("\n")


def test_unknown_length(capsys):
    bar = Progbar(None, verbose=2)
    bar.update(7, [("loss", 1.0)], finalize=True)
    assert capsys.readouterr().out.startswith("7/Unknown - ")


def test_without_interactive_logging_the_logger_gets_it(capsys, caplog):
    disable_interactive_logging()
    try:
        with caplog.at_level("INFO", logger="keras"):
            Progbar(1).update(1, [("loss", 0.5)])
    finally:
        enable_interactive_logging()
    assert capsys.readouterr().out == ""
    assert "loss: 0.5000" in caplog.text
