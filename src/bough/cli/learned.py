"""What `bough learn` does with a learned model: save it, write its report, print it with its scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bough.cli.learners import Learner
from bough.cli.output import STDOUT, write, write_json
from bough.cli.roles import Roles, read_rows
from bough.cli.terminal import say, working
from bough.data.words import count_words, figure_words, name_words
from bough.errors import ParameterError

if TYPE_CHECKING:
    from bough.cli.sample import Sample
    from bough.reports.report import Report


class Written(NamedTuple):
    """What is written of a model, and where."""

    learner: Learner
    out: str | None
    report: str | None
    max_lines: int
    as_json: bool


class LearnedModel(NamedTuple):
    """A fitted learner, and its model with the name of the target."""

    estimator: Any
    model: Any
    seconds: float
    n_rows: int

    def words(self) -> str:
        """Return a line: from what the model was learned, how long that took, and what was left out."""
        used = count_words(len(self.model.schema), "column")
        text = (
            f"Learned from {count_words(self.n_rows, 'row')} and {used} in {figure_words(self.seconds, 2)} s"
        )
        unused = ", ".join(map(name_words, self.model.provenance.get("unused_columns", ())))
        return f"{text}; left out: {unused}." if unused else f"{text}."


def finish_without_target(
    estimator: Any, table: str, roles: Roles, na: Sequence[str], written: Written
) -> None:
    """Learn a model of rows without a target from a file, save it and print it."""
    from dataclasses import replace

    from bough.reports.report import report

    rows = read_rows(table, roles, na)
    started = time.perf_counter()
    with working("Learning"):
        estimator.fit(rows)
    seconds = time.perf_counter() - started
    model = replace(estimator.model_, provenance=source_of(estimator, roles, table, rows.n_rows))
    _save(model, written.out)
    if written.report == STDOUT:
        write(report(model).html)
    elif written.report is not None:
        report(model).save(written.report)
    if STDOUT not in (written.out, written.report):
        _print(model, None, written)
    say(LearnedModel(estimator, model, seconds, rows.n_rows).words())


def finish_without_rows(estimator: Any, roles: Roles, table: str, written: Written) -> None:
    """Save and print a model that was learned in a database."""
    from dataclasses import replace

    fitted = estimator.model_
    model = replace(fitted, provenance=fitted.provenance | source_of(estimator, roles, table))
    _save(model, written.out)
    if written.out != STDOUT:
        _print(model, None, written)


def source_of(estimator: Any, roles: Roles, table: str, n_rows: int | None = None) -> dict[str, Any]:
    """Return what a model records of its making: table, rows, learner, settings and columns left out."""
    from bough.reports.making import settings_words

    # `bough predict` accepts a table that still has the columns left out here.
    others = {"weights": roles.weights, "groups": roles.groups, "event": roles.event}
    row_key = getattr(estimator, "row_key", None)
    unused = [name for name in (*roles.drop, *others.values(), row_key) if name is not None]
    return {
        "source": Path(table).name,
        **({} if n_rows is None else {"rows": n_rows}),
        "learner": type(estimator).__name__,
        "settings": settings_words(estimator),
        **({"unused_columns": unused} if unused else {}),
        **{role: name for role, name in others.items() if name is not None and role != "weights"},
    }


def finish(grown: LearnedModel, learned_from: Sample, held_out: Sample | None, written: Written) -> None:
    """Save the model, write its report and print it; the samples may have a key of rows that it lacks."""
    names = grown.model.schema.names
    held_out = None if held_out is None else held_out.of_columns(names)
    _write(grown, written.out, written.report, learned_from, held_out)
    if STDOUT not in (written.out, written.report):
        _print(grown.model, held_out, written)
    say(grown.words())


def _write(
    grown: LearnedModel, out: str | None, report: str | None, learned_from: Sample, held_out: Sample | None
) -> None:
    """Save the model and write the report where they are asked for."""
    several = getattr(grown.model, "targets", ())
    if report is not None and len(several) > 0:
        raise ParameterError("--report describes one target, and --target names several; leave it out.")
    _save(grown.model, out)
    if report == STDOUT:
        write(_page(grown, learned_from, held_out).html)
    elif report is not None:
        _page(grown, learned_from, held_out).save(report)


def _save(model: Any, out: str | None) -> None:
    if out == STDOUT:
        from bough.models.encoding import to_json

        write_json(to_json(model.document()))
    elif out is not None:
        model.save(out)


def _page(grown: LearnedModel, learned_from: Sample, held_out: Sample | None) -> Report:
    from dataclasses import replace

    from bough.reports.report import report

    schema = grown.model.schema
    if grown.model.recipe.get("response") == "times" or getattr(grown.model, "quantiles", ()):
        # Neither hazards nor several quantiles are one number to compare with that of a row.
        return report(grown.estimator)
    test = None if held_out is None else (replace(held_out.features, schema=schema), held_out.target)
    with working("Writing the report"):
        rows = learned_from.features
        # With a key of rows, which the model lacks, the learner reads its columns again.
        if getattr(grown.estimator, "row_key", None) is None:
            rows = replace(learned_from.of_columns(schema.names).features, schema=schema)
        return report(
            grown.estimator, rows, learned_from.target, sample_weight=learned_from.weight, test=test
        )


def _print(model: Any, held_out: Sample | None, written: Written) -> None:
    """Print the model with its scores and the rules of a tree, and name the files written."""
    from bough.cli.score import evaluated, scores_facts, scores_words
    from bough.cli.show import model_text, rules_summary, rules_text, summary, tree_text

    learner, out, report, max_lines, as_json = written
    found = None if held_out is None else evaluated(model, held_out)
    if as_json:
        files = {"model": out, "report": report}
        described = rules_summary(model) if model.model_kind == "rules" else summary(model)
        write_json({"learner": learner.value, **described, "held_out": scores_facts(found), **files})
        return
    texts: dict[str, Callable[..., str]] = {
        "tree": tree_text,
        "rules": rules_text,
        "linear_rules": rules_text,
    }
    is_tree = model.model_kind == "tree"
    write(f"{texts.get(model.model_kind, model_text)(model, max_lines)}\n")
    if lines := scores_words(found):
        write("\n".join(lines))
    if is_tree:
        write("\n" + rules_text(model.rules(), max_lines))
    if out is not None:
        write(f"\nSaved to {out}: show it with `bough show {out}`, predict with `bough predict {out} TABLE`.")
    if report is not None:
        write(f"\nWrote the report {report}: open it in a browser.")
