"""What holds however a fit is run: by many threads, in a forked child, interrupted, on any odd table."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import bough
from bough.data.table import Table
from bough.engines import native
from bough.errors import BoughError
from bough.growing.criterion import CRITERIA
from bough.progress import watched
from bough.tree import Tree
from bough.tree.routing import walk

pytestmark = pytest.mark.slow

# Growth alone, which most of these tests are about; pruning grows ten more trees.
GROWN = {"prune": "none", "missing": "majority"}

# Above what one thread does alone, so that the sorting, the search and the parting of rows are all shared.
N_ROWS, N_COLUMNS = 24_000, 28


def same_bits(ours: Tree, theirs: Tree) -> bool:
    return pickle.dumps(ours) == pickle.dumps(theirs)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Twenty-eight columns: numbers, numbers with ties, numbers with holes, few levels, many levels."""
    rng = np.random.default_rng(28)
    columns = {}
    for place in range(N_COLUMNS):
        values = rng.normal(size=N_ROWS)
        if place % 4 == 1:
            values = values.round(1)
        if place % 4 == 2:
            values[rng.random(N_ROWS) < 0.2] = np.nan
        columns[f"c{place}"] = values
        if place % 4 == 3:
            n_levels = 5 if place % 8 == 3 else 300
            codes = rng.integers(-1, n_levels, N_ROWS)
            columns[f"c{place}"] = pd.Categorical.from_codes(
                codes, [f"level {code}" for code in range(n_levels)]
            )
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def numbers(table) -> np.ndarray:
    rng = np.random.default_rng(29)
    return table["c0"] + table["c1"] ** 2 + (table["c3"].cat.codes % 2) + rng.normal(size=N_ROWS)


@pytest.fixture(scope="module")
def classes(numbers) -> np.ndarray:
    return np.digitize(numbers, np.quantile(numbers, [0.3, 0.7]))


WEIGHTS = {
    "unweighted": lambda rng: None,
    "whole weights": lambda rng: rng.integers(0, 4, N_ROWS),
    "fractions": lambda rng: rng.random(N_ROWS),
}


@pytest.mark.parametrize("weights", list(WEIGHTS))
@pytest.mark.parametrize("task", ["two classes", "three classes", "numbers"])
@pytest.mark.parametrize("missing", ["majority", "surrogates_then_majority"])
def test_any_number_of_threads_grows_the_same_tree(table, classes, numbers, missing, task, weights):
    weight = WEIGHTS[weights](np.random.default_rng(30))
    if task == "numbers":
        learner, y = bough.CARTRegressor(min_samples_leaf=3), numbers
    else:
        learner, y = bough.CARTClassifier("entropy"), classes if task == "three classes" else classes > 0
    learner.set_params(prune="none", missing=missing)
    trees = [learner.set_params(n_jobs=n).fit(table, y, sample_weight=weight).tree_ for n in (1, 2, 4, 2)]
    assert trees[0].n_leaves > 300
    assert all(same_bits(trees[0], tree) for tree in trees[1:])


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_any_number_of_threads_grows_the_same_tree_under_other_errors(table, numbers, criterion):
    learner = bough.CARTRegressor(criterion, max_depth=6, **GROWN)
    trees = [learner.set_params(n_jobs=n).fit(table, np.abs(numbers)).tree_ for n in (1, 2, 4)]
    assert trees[0].n_leaves > 30
    assert all(same_bits(trees[0], tree) for tree in trees[1:])


def test_any_number_of_threads_prunes_to_the_same_tree(table, classes):
    learner = bough.CARTClassifier(min_samples_leaf=20)
    models = [clone(learner).set_params(n_jobs=n).fit(table[:4000], classes[:4000]) for n in (1, 2, 4)]
    assert 1 < models[0].tree_.n_leaves < models[0].grown_tree_.n_leaves
    assert all(same_bits(models[0].tree_, model.tree_) for model in models[1:])
    assert all(str(models[0].cp_table_) == str(model.cp_table_) for model in models[1:])


@pytest.mark.parametrize("nominal", ["complete", "one_vs_rest"])
def test_any_number_of_threads_splits_levels_the_same_way(table, classes, nominal):
    learner = bough.TreeClassifier(nominal=nominal, max_depth=4)
    trees = [learner.set_params(n_jobs=n).fit(table, classes).tree_ for n in (1, 2, 4)]
    assert all(same_bits(trees[0], tree) for tree in trees[1:])


def test_any_number_of_threads_finds_the_best_leaves_first(table, numbers):
    learner = bough.CARTRegressor(max_leaf_nodes=100, **GROWN)
    trees = [learner.set_params(n_jobs=n).fit(table, numbers).tree_ for n in (1, 2, 4)]
    assert trees[0].n_leaves == 100
    assert all(same_bits(trees[0], tree) for tree in trees[1:])


def test_any_number_of_threads_predicts_the_same(table, numbers):
    tree = bough.CARTRegressor(min_samples_leaf=20, **GROWN).fit(table, numbers).tree_
    alone = tree.predict(table, n_jobs=1)
    assert all(np.array_equal(alone, tree.predict(table, n_jobs=n)) for n in (2, 4, 64))
    assert np.array_equal(tree.apply(table), walk(tree, Table.fit_to(table, tree.schema)))


def test_what_is_fitted_from_is_not_touched(table, numbers):
    before = table.copy(deep=True), numbers.copy()
    weight = np.linspace(0, 2, N_ROWS)
    array = np.ascontiguousarray(table[["c0", "c1", "c2"]])
    arrays_before = array.copy(), weight.copy()
    model = bough.CARTRegressor(max_depth=5).fit(table, numbers, sample_weight=weight)
    model.predict(table)
    bough.CARTRegressor(max_depth=5).fit(array, numbers, sample_weight=weight).predict(array)
    pd.testing.assert_frame_equal(table, before[0])
    pd.testing.assert_series_equal(numbers, before[1])
    np.testing.assert_array_equal(array, arrays_before[0])
    np.testing.assert_array_equal(weight, arrays_before[1])


def _fit_in_child(connection, X, y):
    tree = bough.CARTClassifier(max_depth=8, n_jobs=4, **GROWN).fit(X, y).tree_
    connection.send_bytes(pickle.dumps(tree))
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_fits_after_its_parent_did_with_threads(table, classes):
    ours = bough.CARTClassifier(max_depth=8, n_jobs=4, **GROWN).fit(table, classes).tree_
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_fit_in_child, args=(sender, table, classes))
    with warnings.catch_warnings():
        # Python warns of any fork of a process that has threads, be they idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    try:
        assert receiver.poll(60), "the child does not come to an end"
        assert pickle.loads(receiver.recv_bytes()) == ours
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()
        child.join()


def test_python_runs_on_while_a_tree_grows(table, numbers):
    stop, counts = threading.Event(), [0]

    def count():
        while not stop.wait(0.0005):
            counts[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        X, y = Table.read(table), np.asarray(numbers)
        before, start = counts[0], time.perf_counter()
        recipe = bough.CARTRegressor(**GROWN).recipe()
        native.grow(X, y, bough.data.target.read_weights(None, N_ROWS), recipe, n_jobs=1)
        elapsed, counted = time.perf_counter() - start, counts[0] - before
    finally:
        stop.set()
        counter.join()
    # A thread that waits for the interpreter would count once or twice; half the machine may be busy.
    assert counted >= 10, f"{counted} counts in {elapsed:.3f} s"


def test_fits_in_two_threads_at_once_are_those_of_each_alone(table, classes, numbers):
    learners = [
        (bough.CARTClassifier(max_depth=8, n_jobs=2, **GROWN), classes),
        (bough.CARTRegressor(max_depth=8, n_jobs=2, **GROWN), numbers),
        (bough.CARTClassifier("entropy", max_depth=6, n_jobs=1, **GROWN), classes > 0),
    ]
    alone = [learner.fit(table, y).tree_ for learner, y in learners]
    with ThreadPoolExecutor(len(learners)) as pool:
        together = list(pool.map(lambda pair: copy.copy(pair[0]).fit(table, pair[1]).tree_, learners * 2))
    assert all(same_bits(ours, theirs) for ours, theirs in zip(alone * 2, together, strict=True))


def test_one_tree_answers_in_two_threads_at_once(table, numbers):
    tree = bough.CARTRegressor(min_samples_leaf=50, **GROWN).fit(table, numbers).tree_
    fresh = pickle.loads(pickle.dumps(tree))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n_jobs: fresh.predict(table, n_jobs=n_jobs), [1, 2, 1, 2]))
    assert all(np.array_equal(answer, tree.predict(table)) for answer in answers)


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import bough

rng = np.random.default_rng(0)
X = rng.random((1_000_000, 28), dtype=np.float32)
y = (X[:, 0] + rng.random(len(X)) > 1).astype(np.int32)
sent = []

def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

# Loaded before the signal, which would otherwise interrupt the import.
learner = bough.CARTClassifier(n_jobs=2, prune="none")
threading.Timer(float(sys.argv[1]), interrupt).start()
try:
    learner.fit(X, y)
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
print(bough.CARTClassifier(n_jobs=2, prune="none").fit(X[:30_000], y[:30_000]).tree_.n_leaves > 1000)
"""


@pytest.mark.parametrize("delay", [0.1, 0.6], ids=["while it sorts", "while it grows"])
def test_ctrl_c_stops_a_long_fit_and_leaves_python_usable(delay):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(delay)],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"PYTHONPATH": str(Path(bough.__file__).parents[1])},
    )
    assert run.returncode == 0, run.stderr
    stopped_after, usable = run.stdout.split()
    # Seconds of the processor on two threads, which do not depend on what else the machine does.
    assert float(stopped_after) < 3.0
    assert usable == "True"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_a_progress_callback_raises_stops_the_fit(table, classes, n_jobs):
    rng = np.random.default_rng(0)
    # Progress is told every 50 ms, and this takes many times that.
    long = rng.normal(size=(300_000, 20)), rng.normal(size=300_000)

    class Enough(Exception):  # noqa: N818
        """Raised by the callback."""

    shares = []

    def progress(share):
        shares.append(share)
        raise Enough

    with pytest.raises(Enough), watched(progress):
        bough.CARTRegressor(n_jobs=n_jobs, prune="none").fit(*long)
    assert len(shares) == 1
    assert bough.CARTClassifier(max_depth=2, n_jobs=n_jobs, **GROWN).fit(table, classes).get_n_leaves() == 4


def resident() -> float:
    """Megabytes of memory in use."""
    return (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        * os.sysconf("SC_PAGESIZE")
        / 2**20
    )


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(("n_rows", "n_fits"), [(300, 200), (N_ROWS, 20)], ids=["small", "medium"])
def test_fitting_again_and_again_takes_no_more_memory(table, classes, numbers, n_rows, n_fits):
    X, y, z = table[:n_rows], classes[:n_rows], numbers[:n_rows]

    def fit(times):
        for _ in range(times):
            bough.CARTClassifier(max_depth=6, **GROWN).fit(X, y).predict(X)
            bough.CARTRegressor(max_depth=6, prune="none").fit(X, z).predict(X)
            with pytest.raises(BoughError):
                bough.CARTRegressor().fit(X, [*z[:-1], np.nan])

    fit(n_fits // 4)
    before = resident()
    fit(n_fits)
    # The arrays of one medium fit alone are larger than this.
    assert resident() - before < 24


def chain(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Alternating labels of a sorted column: each split can but take one row off."""
    return np.arange(n_rows, dtype=np.float64)[:, None], np.arange(n_rows) % 2


@pytest.mark.parametrize(
    "learner",
    [
        bough.CARTClassifier(prune="none"),
        bough.CARTRegressor(prune="none"),
        bough.CARTClassifier(prune="none", max_leaf_nodes=10_000),
    ],
    ids=["classes", "numbers", "best leaves first"],
)
def test_a_tree_of_five_thousand_levels_does_all_that_others_do(learner, tmp_path):
    X, y = chain(5001)
    model = clone(learner).fit(X, y)
    tree = model.tree_
    assert tree.depth == 5000
    tree.check()
    assert (model.predict(X) == y).all()
    np.testing.assert_array_equal(tree.apply(X), walk(tree, Table.read(X)))
    assert "10001 nodes are not shown" not in tree.text(max_lines=None)
    assert str(tree).endswith("shows all, tree.node(i) one.")
    assert len(str(tree.rules()).splitlines()) > 200
    assert str(tree.node(tree.n_nodes - 1)).startswith("node 10000, at depth 5000")
    assert tree.decision_path(X[-2:]).sum() <= 2 * 5001
    assert len(tree.path_of([float(X[-1, 0])])) == tree.node_depths[tree.apply(X[-1:])[0]]
    tree.save(tmp_path / "chain.json")
    assert bough.load(tmp_path / "chain.json") == tree
    assert pickle.loads(pickle.dumps(model)).tree_ == copy.deepcopy(tree) == tree


def test_targets_spaced_by_powers_of_two_are_told_apart():
    y = 2.0 ** np.arange(-400, 400)
    model = bough.CARTRegressor(prune="none").fit(np.arange(len(y))[:, None], y)
    model.tree_.check()
    assert model.tree_.depth > 300
    np.testing.assert_array_equal(model.predict(np.arange(len(y))[:, None]), y)


def test_a_million_levels_of_one_row_each_are_learned():
    n_rows = 1_000_000
    X = pd.DataFrame({"id": pd.Categorical.from_codes(np.arange(n_rows), np.arange(n_rows).astype(str))})
    y = np.random.default_rng(31).integers(0, 2, n_rows)
    for learner in (
        bough.CARTClassifier(prune="none"),
        bough.CARTRegressor(max_depth=4, prune="none"),
        bough.ID3Classifier(),
    ):
        model = learner.fit(X, y)
        assert np.array_equal(model.predict(X), y)


# Fuzz: whatever is given, a sound tree comes out that answers as the definition says, or a BoughError.

cells = st.one_of(
    st.none(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.booleans(),
    st.decimals(),
    st.dates(),
    st.binary(max_size=2),
    st.complex_numbers(),
    st.lists(st.integers(), max_size=2),
)
columns = [
    st.one_of(st.none(), st.integers(-3, 3), st.floats()),
    st.integers(-3, 3),
    st.floats(width=16),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, np.inf, -np.inf, np.nan]),
    st.sampled_from([None, "", "a", "b", "c", "d", "\n", "🌳", "nan"]),
    st.sampled_from([None, True, False]),
]
labels = [st.integers(-2, 2), st.sampled_from(["a", "b", "c"]), st.booleans()]
amounts = [
    st.integers(-2, 2),
    st.integers(0, 3),
    st.floats(0, 10),
    st.floats(-1e140, 1e140),
    st.floats(allow_nan=False, allow_infinity=False),
]
weights = [st.integers(0, 3), st.floats(0, 10), st.sampled_from([0, 1e-310, 1e-30, 1.5, 1e17, 1e300])]

LIMITS = {
    "max_depth": [None, 1, 2, 2**40],
    "min_samples_split": [2, 3, 0.5, 1.0, 10**400],
    "min_samples_leaf": [1, 2, 0.3],
    "min_weight_fraction_leaf": [0.0, 0.2, 0.5],
    "max_leaf_nodes": [None, 2, 3, 2**40],
    "min_impurity_decrease": [0.0, 0.01, 1e300],
    "min_gain": [None, 0.0, 0.1, -1.0],
    "nominal": ["subset", "complete", "one_vs_rest"],
    "missing": ["majority", "refuse"],
    "categorical_features": ["from_dtype", None, [0], [-1], "all"],
    "ordinal_features": [None, [0], [-1]],
    "n_jobs": [1, 2, None],
}
CLASSES = LIMITS | {
    "criterion": CRITERIA["classification"],
    "purity": [1.0, 0.6],
    "significance": [None, 0.05, 1.0],
    "min_events": [0.0, 1.0],
    "class_weight": [None, "balanced", {0: 2.5}, {"a": 3}, {True: 0}],
    "smoothing": ["none", "laplace", 2.0],
    "max_exhaustive_levels": [2, 3, 12],
}
NUMBERS = LIMITS | {"criterion": CRITERIA["regression"], "min_variance": [0.0, 0.1]}
WRONG = [0, -1, 1.5, np.nan, np.inf, "wrong", None, [9], {"q": 1}, np.array([1, 2]), True, 10**400]


@st.composite
def values(draw: st.DrawFn, kinds: list[st.SearchStrategy], n_rows: int, is_odd: bool) -> list:
    """One value a row, all of one kind; if odd, of any kinds."""
    kind = cells if is_odd else draw(st.sampled_from(kinds))
    return draw(st.lists(kind, min_size=n_rows, max_size=n_rows))


@st.composite
def frames(draw: st.DrawFn, odd: st.SearchStrategy[bool]) -> pd.DataFrame:
    least = 0 if draw(odd) else 1
    n_rows, n_columns = draw(st.integers(least, 12)), draw(st.integers(least, 3))
    data = [pd.Series(draw(values(columns, n_rows, draw(odd))), dtype=object) for _ in range(n_columns)]
    frame = pd.concat(data, axis=1) if data else pd.DataFrame(index=range(n_rows))
    names = st.sampled_from(["", "a", "class", 1, None]) if draw(odd) else st.sampled_from("abc")
    frame.columns = draw(st.lists(names, min_size=n_columns, max_size=n_columns, unique=n_columns < 4))
    return frame


@st.composite
def learners(draw: st.DrawFn, odd: st.SearchStrategy[bool]):
    estimator, choices = draw(
        st.sampled_from([(bough.TreeClassifier, CLASSES), (bough.TreeRegressor, NUMBERS)])
    )
    names = draw(st.lists(st.sampled_from(sorted(choices)), max_size=4, unique=True))
    return estimator(**{name: draw(st.sampled_from(WRONG if draw(odd) else choices[name])) for name in names})


@given(data=st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_input_gives_a_sound_tree_or_an_error_of_bough(data):
    # Now and then something is odd; if most things were, hardly any tree would come out.
    odd = st.integers(0, 19).map(lambda number: number == 19)
    X, learner = data.draw(frames(odd)), data.draw(learners(odd))
    kinds = labels if isinstance(learner, bough.TreeClassifier) else amounts
    y = data.draw(values(kinds, len(X), data.draw(odd)))
    weight = data.draw(values(weights, len(X), data.draw(odd))) if data.draw(st.booleans()) else None
    try:
        model = learner.fit(X, y, sample_weight=weight)
    except BoughError:
        return
    tree = model.tree_
    tree.check()
    assert Tree.from_json(tree.to_json()) == tree
    assert str(tree)
    assert str(tree.rules())
    if weight is not None:
        # A row of weight 0 is absent, and so may hold what the tree has not seen.
        X = X[np.array(weight, dtype=float) > 0]
    if len(X) and learner.get_params().get("class_weight") != {True: 0}:
        ends = walk(tree, Table.fit_to(X, tree.schema))
        np.testing.assert_array_equal(tree.apply(X), ends)
        np.testing.assert_array_equal(model.predict(X), tree.answers()[ends])
    others = data.draw(frames(odd))
    try:
        answers = tree.predict(others)
    except BoughError:
        return
    np.testing.assert_array_equal(answers, tree.answers()[walk(tree, Table.fit_to(others, tree.schema))])
