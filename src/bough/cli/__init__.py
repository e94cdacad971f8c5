"""The command line: `bough learn`, `bough report` and the other verbs, each in a file of its own.

Modules that are slow to import are imported by the verb that needs them, so that `bough --help` is fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bough.cli.candidates import candidates
from bough.cli.compare import compare
from bough.cli.evaluate import evaluate
from bough.cli.explain import explain
from bough.cli.export import export
from bough.cli.importance import importance
from bough.cli.learn import learn
from bough.cli.list_learners import learners
from bough.cli.option_groups import with_options
from bough.cli.output import replace_unprintable
from bough.cli.predict import predict
from bough.cli.prune import prune
from bough.cli.refit import refit
from bough.cli.report import report
from bough.cli.rules import rules
from bough.cli.schema import schema
from bough.cli.show import show

app = typer.Typer(
    name="bough",
    help="Learn decision trees from tables, read them, and predict with them.",
    epilog="Example: bough learn passengers.csv --target survived --out tree.json",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (
    learn,
    learners,
    show,
    rules,
    report,
    predict,
    explain,
    importance,
    evaluate,
    compare,
    prune,
    refit,
    candidates,
    export,
    schema,
):
    app.command()(with_options(verb))


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"bough {version('bough')}")
        except PackageNotFoundError:
            typer.echo("bough, run from its sources: it is not installed")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Learn decision trees from tables, read them, and predict with them."""


def main() -> None:
    """Run the command line on the arguments of the process; exits 0, 1 (bad data), 2 (bad usage) or 130."""
    replace_unprintable()
    app()
