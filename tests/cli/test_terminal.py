"""What a terminal shows while work goes on, and after it went wrong."""

import io
import re
import sys
import time

import pytest
import typer
from typer.testing import CliRunner

from bough import progress as bars
from bough.cli import app, terminal
from bough.cli.show import rules_text, tree_text
from bough.errors import TableError
from bough.example_models import iris_tree, tennis_rules


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


def test_advice_names_options_of_the_command_line():
    for text in (
        tree_text(iris_tree(), 1),
        tree_text(iris_tree(), 9, max_depth=0),
        rules_text(iris_tree().rules(), 1),
        rules_text(tennis_rules(), 1),
    ):
        assert "text(" not in text
        assert re.search(r"not shown: --max-(lines|depth) \d shows (all|one level more)\.", text)


def test_learn_says_on_a_terminal_how_long_it_took_and_what_was_left_out(tmp_path, monkeypatch):
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n" + "\n".join(f"{i},{i % 3},{'yes' if i > 20 else 'no'}" for i in range(40)))
    said = []
    monkeypatch.setattr(sys.modules["bough.cli.learned"], "say", said.append)
    assert CliRunner().invoke(app, ["learn", str(table), "--target", "y", "--drop", "b"]).exit_code == 0
    assert re.fullmatch(r"Learned from 30 rows and 1 column in [\d.]+ s; left out: b\.", *said)


def test_remarks_are_for_terminals_alone(monkeypatch, capsys):
    terminal.say("a remark")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr", Terminal())
    terminal.say("a remark")
    assert "a remark" in sys.stderr.getvalue()


def test_there_are_no_colours_where_there_is_no_terminal(tmp_path):
    result = CliRunner().invoke(app, ["show", str(tmp_path / "none.json")])
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
