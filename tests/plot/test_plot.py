"""Figures: every function returns its axes, and what they show agrees with the model."""

import matplotlib as mpl

mpl.use("agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestRegressor

import bough
from bough import plot
from bough.example_models import cars_tree, iris_tree, tennis_tree


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice(["x", "y", "z"], 200)}
    )
    return X, np.where(X["a"] + X["b"] > 0, "yes", "no"), X["a"] * 2 + (X["c"] == "x")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_a_tree_shows_every_condition_and_every_count():
    tree = tennis_tree()
    shown = texts(plot.tree(tree))
    for node in range(1, tree.n_nodes):
        assert tree.condition(node).split(" = ")[1] in shown
    assert sorted(text for text in shown if text.isdigit()) == sorted(f"{n:.0f}" for n in tree.cases)


def test_sixty_leaves_are_drawn_and_more_are_folded():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 5)), rng.integers(0, 3, 2000)
    for leaves, folded in ((60, False), (200, True)):
        model = bough.TreeClassifier(max_leaf_nodes=leaves).fit(X, y)
        ax = plot.tree(model)
        assert any("…" in text for text in texts(ax)) == folded
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts if text.get_weight() == "bold"]
        assert len(boxes) <= 119
        assert sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]) == 0


def test_histograms_of_numbers_need_the_rows(drawn):
    X, _, y = drawn
    model = bough.TreeRegressor(max_depth=2).fit(X, y)
    bare, filled = plot.tree(model), plot.tree(model, X, y)
    assert len(filled.patches) > len(bare.patches)


@pytest.mark.parametrize(
    "learner",
    [
        bough.TreeClassifier(max_depth=2),
        bough.C50Classifier(rules=True),
        bough.C50Classifier(n_estimators=3),
        bough.RandomForestClassifier(10, random_state=0),
        bough.BaggingClassifier(n_estimators=3, max_features=2, random_state=0),
        bough.BaggingClassifier(bough.RandomForestClassifier(5), n_estimators=2, random_state=0),
    ],
)
def test_importance_of_any_model_is_sorted_and_leaves_out_unused_columns(learner, drawn):
    X, y, _ = drawn
    learner.fit(X.assign(constant=1.0), y)
    for model in (learner, learner.model_):
        ax = plot.importance(model)
        widths = [bar.get_width() for bar in ax.patches]
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert widths == sorted(widths)
        assert sum(widths) == pytest.approx(1.0)
        importance = dict(zip([*X.columns, "constant"], learner.model_.importance(), strict=True))
        assert set(names) == {name for name, its in importance.items() if its > 0}
        assert names == sorted(names, key=importance.get)


def test_importance_needs_a_model():
    with pytest.raises(bough.BoughError, match="model is a RandomForestRegressor; it must be a model of"):
        plot.importance(RandomForestRegressor())


def test_axes_given_are_drawn_on(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=2).fit(X, y)
    found = bough.evaluate(model, X, y)
    _, ax = plt.subplots()
    for draw in (
        lambda: plot.tree(model, ax=ax),
        lambda: plot.regions(model, X, y, ax=ax),
        lambda: plot.importance(model, ax=ax),
        lambda: plot.impurity(ax=ax),
        lambda: plot.roc(found, ax=ax),
        lambda: plot.gains(found, ax=ax),
        lambda: plot.lift(found, ax=ax),
        lambda: plot.calibration(found, ax=ax),
        lambda: plot.size_curve(model, X, y, X, y, ax=ax),
        lambda: plot.cp_curve(model, X, y, ax=ax),
    ):
        ax.clear()
        assert draw() is ax


def test_regions_are_what_the_model_answers(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=3).fit(X[["a", "b"]], y)
    ax = plot.regions(model, X[["a", "b"]], y, steps=40)
    mesh = ax.collections[0]
    edges = mesh.get_coordinates()
    middles = (edges[:-1, :-1] + edges[1:, 1:]) / 2
    answers = model.predict(pd.DataFrame(middles.reshape(-1, 2), columns=["a", "b"]))
    assert (model.classes_[mesh.get_array().ravel().astype(int)] == answers).all()
    cuts = model.tree_.cut[model.tree_.column == 0]
    assert all(np.isclose(edges[0, :, 0], cut).any() for cut in cuts)


def test_regions_take_levels_numbers_and_other_models(drawn):
    X, _, y = drawn
    ax = plot.regions(bough.TreeRegressor(max_depth=3).fit(X, y), X, y, features=("a", "c"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y", "z"]
    with pytest.raises(bough.BoughError, match="two columns"):
        plot.regions(iris_tree(), [[1.4, 0.2]], features=("Petal.Length",))
    assert plot.surface(cars_tree(), [[4, 90], [8, 200]]).name == "3d"
    with pytest.raises(bough.BoughError, match="needs a regression model"):
        plot.surface(iris_tree(), [[1.4, 0.2]])
    forest = RandomForestRegressor(3, random_state=0)
    with pytest.raises(bough.BoughError, match="without a tree_; it must be a Tree"):
        plot.tree(forest)


def test_impurities_are_those_of_the_books():
    ax = plot.impurity("gini", "entropy", "misclassification")
    peaks = {line.get_label(): line.get_ydata().max() for line in ax.lines}
    assert peaks == pytest.approx({"gini": 0.5, "entropy": 1.0, "misclassification": 0.5})
    with pytest.raises(bough.BoughError, match="criterion is 'twoing'"):
        plot.impurity("twoing")


def test_error_falls_with_size_on_the_rows_learned_from(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier().fit(X[:120], y[:120])
    ax = plot.size_curve(model, X[:120], y[:120], X[120:], y[120:])
    learned = ax.lines[0].get_ydata()
    assert (np.diff(learned) <= 0).all()
    assert learned[-1] == 0


def test_a_display_keeps_its_axes(drawn):
    X, y, _ = drawn
    display = plot.RegionsDisplay.from_estimator(bough.TreeClassifier(max_depth=2).fit(X, y), X, y)
    assert display.figure_ is display.ax_.figure
    _, other = plt.subplots()
    assert display.plot(ax=other).ax_ is other
