"""Hypothesis strategy of small problems for rpart: few rows, many ties, missing values, all settings."""

import numpy as np
from hypothesis import strategies as st
from tests.oracle.plain_rpart import Control, PlainColumn, Problem
from tests.oracle.plain_rpart_methods import Anova, Classes, Poisson

METHODS = ("class", "anova", "poisson")


def _array(draw, values, n_rows):
    return np.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype=float)


@st.composite
def columns(draw: st.DrawFn, name: str, n_rows: int) -> PlainColumn:
    """Columns of numbers, of levels or of ordered levels, in which up to about half is missing."""
    kind = draw(st.sampled_from(["numeric", "nominal", "ordinal"]))
    levels = () if kind == "numeric" else tuple("abcde"[: draw(st.integers(1, 5))])
    ordered = kind == "ordinal"
    known = st.integers(0, 6).map(lambda value: value / 2)
    if levels:
        known = st.integers(int(ordered), len(levels) - 1 + ordered).map(float)
    values = draw(st.sampled_from([known, known | st.just(np.nan)]))
    return PlainColumn(name, _array(draw, values, n_rows), levels, ordered)


@st.composite
def methods(draw: st.DrawFn, weight: np.ndarray, kinds=METHODS) -> Anova | Classes | Poisson:
    """Targets of each kind, with priors and losses, exposures and shrinkage."""
    n_rows = len(weight)
    kind = draw(st.sampled_from(kinds))
    if kind == "anova":
        return Anova(_array(draw, st.integers(-4, 4), n_rows), weight)
    if kind == "poisson":
        time = _array(draw, st.sampled_from([0.5, 1.0, 2.0]), n_rows)
        events = _array(draw, st.integers(0, 3), n_rows)
        events[int(np.argmax(weight))] += 1
        error = draw(st.sampled_from(["deviance", "sqrt"]))
        return Poisson(time, events, weight, draw(st.sampled_from([0.0, 1.0, 5.0])), error)
    n_classes = draw(st.integers(2, 4))
    codes = _array(draw, st.integers(0, n_classes - 1), n_rows).astype(int)
    parts = _array(draw, st.integers(1, 4), n_classes)
    loss = np.array([_array(draw, st.integers(1, 3), n_classes) for _ in range(n_classes)])
    np.fill_diagonal(loss, 0.0)
    prior = draw(st.sampled_from([None, parts / parts.sum()]))
    split = draw(st.sampled_from(["gini", "information"]))
    return Classes(codes, weight, n_classes, prior, draw(st.sampled_from([None, loss])), split)


def controls() -> st.SearchStrategy[Control]:
    """Settings that let small tables grow."""
    return st.builds(
        Control,
        minsplit=st.integers(2, 6),
        minbucket=st.integers(1, 3),
        cp=st.sampled_from([0.0, 0.01, 0.1]),
        maxcompete=st.integers(0, 4),
        maxsurrogate=st.integers(0, 5),
        usesurrogate=st.integers(0, 2),
        surrogatestyle=st.integers(0, 1),
        maxdepth=st.sampled_from([1, 3, 30]),
    )


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 24, kinds=METHODS) -> Problem:
    """Whole problems; the folds are given, as rpart takes them from its caller."""
    n_rows = draw(st.integers(2, max_rows))
    weight = np.ones(n_rows)
    if draw(st.booleans()):
        weight = _array(draw, st.sampled_from([0.5, 1.0, 2.0, 3.0]), n_rows)
    names = [f"x{place}" for place in range(draw(st.integers(1, 4)))]
    table = [draw(columns(name, n_rows)) for name in names]
    unknown = np.all([np.isnan(column.values) for column in table], axis=0)
    table[0].values[unknown] = 1.0 if table[0].ordered or not table[0].levels else 0.0
    cost = draw(st.sampled_from([None, _array(draw, st.sampled_from([1.0, 1.5, 2.0]), len(names))]))
    groups = np.arange(n_rows) % draw(st.integers(2, 4)) + 1
    return Problem(table, draw(methods(weight, kinds)), weight, draw(controls()), cost, groups)
