"""What a terminal shows while work goes on, and after it went wrong."""

import io
import time

import pytest
import typer

from bough import progress as bars
from bough.cli import terminal
from bough.errors import TableError


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_appears_once_the_work_takes_long(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(bars, "_DELAY", 0.01)
    with bars.working("Growing the tree") as progress:
        progress(0.5)
        time.sleep(0.3)
        assert "Growing the tree" in bars.sys.stderr.getvalue()


def test_no_bar_appears_for_quick_work(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    with bars.working("Growing the tree") as progress:
        progress(1.0)
    assert "Growing" not in bars.sys.stderr.getvalue()


def test_no_bar_appears_without_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    monkeypatch.setattr(bars, "_DELAY", 0.0)
    with bars.working("Growing the tree") as progress:
        assert progress is None
    assert bars.sys.stderr.getvalue() == ""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (TableError("two\n lines"), 1, "Error: two lines\n"),
        (FileNotFoundError(2, "No such file", "a.csv"), 1, "Error: a.csv: No such file.\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_are_one_line_and_an_exit_code(error, code, said, capsys):
    with pytest.raises(typer.Exit) as exit_, terminal.plain_errors():
        raise error
    assert exit_.value.exit_code == code
    assert capsys.readouterr().err == said


def test_errors_of_bough_itself_are_not_hidden():
    with pytest.raises(ZeroDivisionError), terminal.plain_errors():
        raise ZeroDivisionError
