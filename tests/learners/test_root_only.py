"""Where pruning leaves only the root, the tree says so, why, and what helps."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.reports.small import small_page
from bough.tree.root_only import helpful_words, pruned_to_root, reason_words


@pytest.fixture(scope="module")
def clicks():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 3)).round(2), columns=["a", "b", "c"])
    y = np.where(rng.random(1500) < 0.1 / (1 + np.exp(-2 * X["a"])), "yes", "no")
    return X, pd.Series(y, name="click")


def test_the_print_out_shows_the_reason_the_errors_and_what_helps(clicks):
    X, y = clicks
    model = bough.CARTClassifier().fit(X, y)
    tree, path = model.tree_, model.cp_table_
    assert tree.n_leaves == 1
    text = tree.text()
    grown = model.grown_tree_.n_leaves
    assert (
        f"Pruning left only the root of a tree of {grown} leaves: the root is the smallest tree within"
        in text
    )
    share = (y == "yes").mean()
    assert f"Only {share:.1%} of the cases are yes" in text
    for word in ('prior="equal"', "loss_matrix={('yes', 'no')", 'criterion="deviance"', 'prune="none"'):
        assert word in text
    record = pruned_to_root(tree)
    assert record["leaves"] == grown
    by_leaves = dict(zip(path.n_leaves.tolist(), range(len(path)), strict=True))
    for leaves, risk, cv_risk, error in record["path"]:
        row = by_leaves[leaves]
        assert (risk, cv_risk, error) == pytest.approx(
            (path.relative_risk[row], path.relative_cv_risk[row], path.relative_cv_error[row]), rel=1e-5
        )
        assert f"\n{leaves} " in text
    assert record["path"][-1][:3] == [1, 1.0, 1.0]


def test_what_is_named_helps(clicks):
    X, y = clicks
    weights = bough.CARTClassifier().fit(X, y).tree_.statistics[0]
    losses = {("yes", "no"): round(weights[0] / weights[1])}
    assert bough.CARTClassifier(loss_matrix=losses).fit(X, y).tree_.n_leaves > 1
    assert bough.CARTClassifier(prior="equal").fit(X, y).tree_.n_leaves > 1
    model = bough.TreeClassifier(criterion="deviance", min_samples_leaf=20, smoothing="laplace").fit(X, y)
    measures = bough.evaluate(model, X, y).measures
    assert measures["AUC of yes"].value > 0.65


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (bough.CARTClassifier(prune="minimum"), "no larger tree has a lower cross-validated error"),
        (bough.CARTClassifier(prune="cp", cp=0.3), "no larger tree lowers the error by cp for each split"),
        (bough.CARTClassifier(ccp_alpha=0.1), "no larger tree lowers the error by ccp_alpha for each leaf"),
        (bough.REPTreeClassifier(), "no larger tree makes fewer errors on the rows held out for pruning"),
        (bough.TreeClassifier(prune="pessimistic"), "the estimated errors of every larger tree are no fewer"),
        (bough.C45Classifier(), "C4.5 left only the root"),
        (bough.C50Classifier(), "C5.0 left only the root"),
    ],
    ids=repr,
)
def test_every_pruning_gives_its_reason(clicks, learner, reason):
    X, y = clicks
    tree = learner.fit(X, y).tree_
    assert tree.n_leaves == 1
    assert reason in reason_words(tree)
    assert reason in str(tree)
    assert len(helpful_words(tree)) >= 2


def test_a_tree_whose_leaves_all_answer_alike_is_named(clicks):
    X, y = clicks
    tree = bough.CARTClassifier(min_samples_leaf=50).fit(X, y).tree_
    largest = bough.CARTClassifier(min_samples_leaf=50, prune="none").fit(X, y).tree_
    assert "no larger tree makes fewer errors, even on the training rows" in str(tree)
    assert pruned_to_root(tree)["path"] == [[largest.n_leaves, 1.0], [1, 1.0]]


def test_the_record_is_saved_and_grown_again(clicks, tmp_path):
    X, y = clicks
    for learner in (bough.CARTClassifier(), bough.REPTreeClassifier()):
        tree = learner.fit(X, y).tree_
        tree.save(tmp_path / "tree.json")
        assert bough.load(tmp_path / "tree.json").text() == tree.text()
        assert bough.regrow(tree.recipe, X, y) == tree


def test_trees_that_are_larger_or_pure_say_nothing(clicks):
    X, y = clicks
    assert reason_words(bough.CARTClassifier(prune="none").fit(X, y).tree_) == ""
    assert reason_words(bough.C45Classifier().fit(X, ["no"] * len(y)).tree_) == ""
    assert reason_words(bough.TreeClassifier(min_samples_split=2000).fit(X, y).tree_) == ""
    numbers = bough.CARTRegressor().fit(X, np.random.default_rng(0).normal(size=len(X))).tree_
    assert "Pruning left only the root" in str(numbers)
    assert "prior" not in str(numbers)


def test_the_command_line_and_the_report_say_so(clicks, tmp_path):
    X, y = clicks
    table, page = tmp_path / "clicks.csv", tmp_path / "clicks.html"
    X.assign(click=y).to_csv(table, index=False)
    found = CliRunner().invoke(app, ["learn", str(table), "--target", "click", "--report", str(page)])
    assert "Pruning left only the root" in found.stdout
    assert "--loss-matrix" in found.stdout
    assert found.stdout.index("AUC of yes") < found.stdout.index("Accuracy on")
    tree = bough.CARTClassifier().fit(X, y).tree_
    root_only = bough.report(tree).facts["root_only"]
    assert root_only["reason"] == reason_words(tree)
    assert "Pruning left only the root" in small_page(tree)
    assert root_only["path"] == pruned_to_root(tree)["path"]
    assert root_only["helpful"] == helpful_words(tree)
    assert bough.report(bough.TreeClassifier(max_depth=1).fit(X, y)).facts["root_only"] is None


def test_an_infinite_error_of_the_path_is_recorded_and_saved(tmp_path):
    x = np.arange(20.0)[:, None]
    events = np.where(x[:, 0] == 3, 1.0, 0.0)
    model = bough.CARTRegressor("poisson", shrink=0, cv=np.arange(20) % 10).fit(x, events)
    record = pruned_to_root(model.tree_)
    assert record["path"][0][2:] == [None, None]
    assert "infinite" in str(model.tree_)
    assert "unknown" in str(model.tree_)
    model.tree_.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json") == model.tree_
    assert bough.regrow(model.tree_, x, events) == model.tree_


def test_risks_that_are_too_small_for_floats_are_recorded_as_none():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), 1e-250 * rng.normal(size=200)
    model = bough.CARTRegressor(random_state=0).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert np.isfinite(model.predict(X)).all()
