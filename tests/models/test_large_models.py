"""Large models as zips: no larger than a pickle, and loaded by work that does not grow with the nodes.

Times are not asserted; `docs/format.md` has measured ones, and `benchmarks/bench_files.py` measures them.
"""

import pickle
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import bough
from bough.errors import FormatError
from bough.models.gradient_boosted_format import check_trees
from bough.tree.soundness import check

RNG = np.random.default_rng(4)
X = RNG.normal(size=(1500, 5))
Y = X[:, 0] * X[:, 1] + RNG.normal(size=len(X))
LEARNERS = {
    "tree": lambda size: bough.TreeRegressor(max_leaf_nodes=15 * size),
    "forest of classes": lambda size: bough.RandomForestClassifier(size, random_state=0, n_jobs=1),
    "forest of numbers": lambda size: bough.RandomForestRegressor(size, random_state=0, n_jobs=1),
    "boosting": lambda size: bough.GradientBoostingRegressor(max_iter=size),
    "boosting of classes": lambda size: bough.GradientBoostingClassifier(max_iter=size),
    "isolation forest": lambda size: bough.IsolationForest(size, random_state=0),
    "survival": lambda size: bough.RandomForestSurvival(size, random_state=0),
}


@cache
def model(name, size):
    target = (np.exp(Y), Y > -1) if name == "survival" else Y > 0 if "class" in name else Y
    learner = LEARNERS[name](size)
    return learner.fit(X, target).model_


def n_calls(work):
    """Return how many functions of Python and of C are called."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", LEARNERS)
def test_a_zip_is_not_larger_than_a_pickle(tmp_path, name):
    large = model(name, 60)
    large.save(tmp_path / "large.bough")
    # The directory of a zip and its head take a few kB, however large the arrays are.
    assert (tmp_path / "large.bough").stat().st_size <= len(pickle.dumps(large, protocol=5)) + 8192


@pytest.mark.parametrize("name", LEARNERS)
def test_the_work_of_loading_does_not_grow_with_the_nodes(tmp_path, name):
    paths = [tmp_path / "small.bough", tmp_path / "large.bough"]
    for size, path in zip((6, 60), paths, strict=True):
        model(name, size).save(path)
    bough.load(paths[0])  # imports and caches
    small, large = (n_calls(lambda path=path: bough.load(path)) for path in paths)
    # Bytes are read in blocks, which are the only calls that are more.
    n_blocks = paths[1].stat().st_size // 2**16
    assert small < 4000
    assert large <= small + 2 * n_blocks + 20


@pytest.mark.parametrize("name", LEARNERS)
def test_loaded_arrays_are_the_bytes_of_the_file(tmp_path, name):
    made = model(name, 60)
    made.save(tmp_path / "large.bough")
    loaded = bough.load(tmp_path / "large.bough")
    assert loaded == made
    np.testing.assert_array_equal(loaded.predict(X), made.predict(X))


def checked(work):
    try:
        work()
    except FormatError:
        return "refused"
    return "accepted"


def one_by_one(changed):
    try:
        _ = changed._native
    except ValueError as error:
        raise FormatError("trees", str(error)) from None
    for number in range(changed.n_trees):
        check(changed.tree(number), weights_above_0=False)


@pytest.mark.parametrize("targets", [1, 2])
def test_all_trees_at_once_are_checked_as_one_by_one(targets):
    rows = np.column_stack([X[:300, :2], RNG.integers(0, 6, 300)])
    target = rows[:, 2] % 3 + rows[:, 0]
    learner = bough.GradientBoostingRegressor(max_iter=5, categorical_features=[2])
    made = learner.fit(rows, target if targets == 1 else np.column_stack([target, rows[:, 1]])).model_
    outcomes = []
    for name, array in made.arrays.items():
        for number in range(25):
            changed = array.copy()
            place = RNG.integers(changed.size)
            odd = (np.nan, np.inf, -1.0, 0.5) if changed.dtype.kind == "f" and number % 2 else (0, 1, 2, 3)
            steps = (
                (0, 7) if changed.dtype.kind == "u" else (changed.flat[place] - 1, changed.flat[place] + 1)
            )
            changed.flat[place] = RNG.choice([*odd, *steps])
            other = replace(made, arrays={**made.arrays, name: changed})
            outcomes.append(checked(lambda other=other: check_trees(other)))
            assert outcomes[-1] == checked(lambda other=other: one_by_one(other)), (name, place)
    assert outcomes.count("refused") > 100
    assert outcomes.count("accepted") > 20
