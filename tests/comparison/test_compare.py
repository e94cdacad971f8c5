"""Comparison: the figures are those of cross-validation, and the folds are the same for all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score

import bough
from bough.cli.sample import sample_of
from bough.comparison.comparison import paired_p_value
from bough.data.table import Table
from bough.data.target import task_of_target
from bough.errors import ParameterError, TargetError
from bough.evaluation.evaluate import folds

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=240) > 0, "yes", "no")


def test_errors_are_those_of_scikit_learns_cross_validation(drawn):
    X, y = drawn
    model = bough.TreeClassifier(max_depth=2)
    found = bough.compare(X, y, {"cart": model, "logistic": LogisticRegression()}, cv=5)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for entry in found:
        estimator = found.estimators[entry.name]
        scores = cross_val_score(estimator, X, y, cv=folds)
        assert entry.fold_errors == pytest.approx(1 - scores)
        assert entry.error == pytest.approx(entry.losses.mean())
    assert [entry.error for entry in found] == sorted(entry.error for entry in found)
    assert found.entries[0].p_value is None
    assert all(0 <= entry.p_value <= 1 for entry in found.entries[1:])
    assert found.entries[-1].name == "one answer for all"


def test_every_learner_of_the_task_is_there_or_says_why_not(drawn):
    X, y = drawn
    found = bough.compare(X, y, cv=3)
    names = {entry.name for entry in found} | set(found.refused)
    assert names == {name for name in bough.__all__ if name.endswith("Classifier")} | {"one answer for all"}
    assert "ID3Classifier" in found.refused
    assert "was left out" in str(found)


@pytest.mark.slow
def test_a_comparison_of_all_learners_can_be_repeated(drawn):
    X, y = drawn[:2]
    first, second = (bough.compare(X, y, cv=2) for _ in range(2))
    assert {entry.name: entry.error for entry in first} == {entry.name: entry.error for entry in second}


def test_numbers_are_compared_by_squared_error(drawn):
    X, _ = drawn
    y = X[:, 0] * 3
    found = bough.compare(X, y, cv=3)
    assert found.measure == "mean squared error"
    assert found.entries[-1].error == pytest.approx(y.var(), rel=0.1)


def test_one_that_refuses_is_an_error_if_it_was_asked_for():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(bough.BoughError):
        bough.compare(frame, ["a", "b", "a", "b"], {"id3": bough.ID3Classifier()}, cv=2)
    with pytest.raises(bough.BoughError, match="task is 'guess'"):
        bough.compare(frame, ["a", "b", "a", "b"], task="guess")


def test_the_paired_test_corrects_for_overlapping_folds():
    ours, best = np.array([0.3, 0.4, 0.2, 0.3]), np.array([0.1, 0.1, 0.1, 0.2])
    from scipy.stats import ttest_rel

    assert paired_p_value(ours, best, 0.0) == pytest.approx(ttest_rel(ours, best).pvalue)
    assert paired_p_value(ours, best, 0.25) > paired_p_value(ours, best, 0.0)
    assert paired_p_value(best, best, 0.25) == 1.0


def test_one_standard_error_takes_a_smaller_tree(drawn):
    X, y = drawn
    grid = {"max_leaf_nodes": [2, 4, 8, 16, 32]}
    best = bough.choose(bough.TreeClassifier(), X, y, grid, cv=5)
    small = bough.choose(bough.TreeClassifier(), X, y, grid, cv=5, rule="one_se")
    assert small.estimator.get_n_leaves() <= best.estimator.get_n_leaves()
    assert len(best.comparison) == 6
    with pytest.raises(bough.BoughError, match="rule is 'least'"):
        bough.choose(bough.TreeClassifier(), X, y, grid, rule="least")


def test_the_page_is_inert_and_has_a_row_a_learner(drawn, tmp_path):
    X, y = drawn
    found = bough.compare(X, y, {"<script>alert(1)</script> 🌳": bough.TreeClassifier(max_depth=1)}, cv=2)
    page = found.save(tmp_path / "c.html").read_text()
    assert "<script" not in page
    assert page.count("<tr>") == 3
    assert found.to_pandas()["name"].tolist() == [entry.name for entry in found]


def test_rows_of_a_group_stay_in_one_fold(drawn):
    X, y = drawn
    groups = np.arange(len(y)) // 8
    learners = {"stump": bough.TreeClassifier(max_depth=1)}
    found = bough.compare(X, y, learners, cv=GroupKFold(5), groups=groups)
    scores = cross_val_score(learners["stump"], X, y, cv=GroupKFold(5), groups=groups)
    assert found.entries[0].fold_errors == pytest.approx(1 - scores)
    for by_class in (True, False):
        for train, test in folds(y, 5, 0, by_class=by_class, groups=groups):
            assert not set(groups[train]) & set(groups[test])
    chosen = bough.choose(bough.TreeClassifier(), X, y, {"max_depth": [1, 2]}, cv=4, groups=groups)
    assert chosen.comparison.n_folds == 4
    assert bough.cross_validated(learners["stump"], X, y, cv=4, groups=groups).n_rows == len(y)


def test_groups_that_cannot_be_used_are_refused(drawn):
    X, y = drawn
    with pytest.raises(ParameterError, match=r"groups has shape \(2,\); it must have an id for each of 240"):
        bough.compare(X, y, cv=3, groups=[1, 2])
    pairs = list(StratifiedKFold(3).split(X, y))
    with pytest.raises(ParameterError, match="groups cannot be combined with a cv of pairs of rows"):
        bough.cross_validated(bough.TreeClassifier(), X, y, cv=pairs, groups=np.arange(240))
    with pytest.raises(ParameterError, match="cv is 'ten'"):
        bough.cross_validated(bough.TreeClassifier(), X, y, cv="ten")


def test_what_choose_and_compare_return_prints_no_figures_of_rows():
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    chosen = bough.choose(bough.TreeClassifier(), X, y, {"max_depth": [1, 2]}, cv=3)
    assert str(chosen).splitlines()[:3] == [
        "chosen: max_depth=1",
        "",
        "error rate on 300 rows by 3-fold cross-validation",
    ]
    assert len(str(chosen).splitlines()) == 8
    assert repr(chosen) == "<Choice: max_depth=1, among 2>"
    assert repr(chosen.comparison) == "<Comparison: error rate of 3 learners on 300 rows>"
    assert repr(chosen.comparison.entries[0]) == "<Entry: max_depth=1, error 0>"
    assert repr(bough.cut_curve(X[:, 0], y.astype(float))) == "<CutCurve: squared_error of 299 thresholds>"


class Foreign(LogisticRegression):
    """A learner whose library raises errors of its own."""

    def fit(self, X, y):
        raise RuntimeError("the device is gone\nand more")


def test_a_learner_that_fails_is_left_out_with_a_word(drawn):
    X, y = drawn
    found = bough.compare(X, y, {"stump": bough.TreeClassifier(max_depth=1), "theirs": Foreign()}, cv=3)
    assert found.refused == {"theirs": "the device is gone"}
    assert "theirs was left out: the device is gone" in str(found)
    assert [entry.name for entry in found] == ["stump", "one answer for all"]
    with pytest.raises(RuntimeError, match="the device is gone"):
        bough.compare(X, y, {"theirs": Foreign()}, cv=3)
    with pytest.raises(ParameterError, match=r"TreeClassifier fails with max_depth=-1: max_depth is -1"):
        bough.choose(bough.TreeClassifier(), X, y, {"max_depth": [-1, 2]}, cv=3)


def test_learners_may_be_a_list_and_y_the_name_of_a_column(drawn):
    X, y = drawn
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    learners = [bough.TreeClassifier(max_depth=1), bough.TreeClassifier(max_depth=2), LogisticRegression()]
    found = bough.compare(frame, "y", learners, cv=3)
    names = {"TreeClassifier", "TreeClassifier 2", "LogisticRegression", "one answer for all"}
    assert {entry.name for entry in found} == names
    same = bough.compare(frame[list("abc")], y, {"stump": learners[0]}, cv=3)
    assert {entry.name: entry.error for entry in found}["TreeClassifier"] == same.entries[0].error
    assert bough.choose(learners[0], frame, "y", {"max_depth": [1, 2]}, cv=3).estimator.n_features_in_ == 3
    model = learners[0].fit(frame[list("abc")], y)
    assert bough.evaluate(model, frame, "y").n_rows == len(y)
    assert bough.cross_validated(learners[0], frame, "y", cv=3).n_rows == len(y)


def test_learners_and_columns_that_are_none_are_refused_by_name(drawn):
    X, y = drawn
    for wrong, message in (
        ("cart", "learners is 'cart'; it must be a dict"),
        ([bough.TreeClassifier], "an estimator with fit and predict, such as TreeClassifier"),
        ({"a": 5}, r"learners\['a'\] is 5"),
        ([bough.TreeClassifier(), bough.TreeRegressor()], "TreeRegressor'] is for regression, but classif"),
    ):
        with pytest.raises(ParameterError, match=message):
            bough.compare(X, y, wrong)
    with pytest.raises(TargetError, match="X has no column names"):
        bough.compare(X, "y")
    with pytest.raises(TargetError, match="y is 'z', which is not a column of X; the columns are 'a', 'b'"):
        bough.compare(pd.DataFrame({"a": [1, 2], "b": [1, 2]}), "z")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.arange(40) % 10, "classification"),
        (np.arange(40.0) % 10, "classification"),
        (np.arange(40.0) % 11, "regression"),
        (np.arange(40) % 11, "regression"),
        (np.arange(40) % 2 + 0.5, "regression"),
        (np.arange(40) % 2 == 1, "classification"),
        (pd.Categorical(np.arange(40) % 12), "classification"),
        (pd.Series([f"c{i % 15}" for i in range(40)]), "classification"),
    ],
)
def test_one_rule_decides_on_the_task(y, task):
    X = pd.DataFrame({"x": np.arange(40.0)})
    assert task_of_target(y) == task
    assert bool(bough.candidates(X, y).classes) == (task == "classification")
    measure = "error rate" if task == "classification" else "mean squared error"
    assert bough.compare(X, y, cv=2).measure == measure
    table = Table.read(X.assign(y=y)) if not isinstance(y, pd.Categorical) else None
    assert table is None or sample_of(table, "y", None, None)[1] == task


def test_the_task_is_that_of_the_learners():
    X, y = np.arange(40.0)[:, None], np.arange(40.0) % 3
    assert bough.compare(X, y, [bough.TreeRegressor()], cv=2).measure == "mean squared error"
    assert bough.choose(bough.TreeRegressor(), X, y, cv=2).comparison.measure == "mean squared error"


def censored(n=240):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    event, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, n)
    return X, np.minimum(event, end), event <= end


def test_survival_learners_are_compared_by_the_concordance_of_folds():
    X, time, status = censored()
    learners = {
        "tree": bough.CARTSurvival(prune="none", max_depth=3),
        "forest": bough.RandomForestSurvival(20, random_state=0),
        "boosting": bough.GradientBoostingSurvival(max_iter=15),
    }
    found = bough.compare(X, (time, status), learners, cv=3)
    assert found.measure == "1 − concordance"
    by_name = {entry.name: entry for entry in found}
    assert by_name["one answer for all"].error == 0.5
    assert max(by_name[name].error for name in learners) < 0.45
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    for number, (train, test) in enumerate(splitter.split(X, status)):
        model = learners["forest"].fit(X[train], (time[train], status[train]))
        wanted = 1 - model.score(X[test], (time[test], status[test]))
        assert by_name["forest"].fold_errors[number] == pytest.approx(wanted, abs=1e-12)
    table = pd.DataFrame({"years": time, "failed": status})
    again = bough.compare(X, table, learners, cv=3)
    assert [entry.error for entry in again] == [entry.error for entry in found]


def test_parameters_of_survival_learners_are_chosen_by_concordance():
    X, time, status = censored()
    chosen = bough.choose(
        bough.RandomForestSurvival(10, random_state=0),
        X,
        (time, status),
        {"min_samples_leaf": [2, 20]},
        cv=3,
        n_jobs=1,
    )
    assert chosen.parameters["min_samples_leaf"] in (2, 20)
    assert chosen.comparison.measure == "1 − concordance"
    assert chosen.estimator.predict(X).shape == (240,)


def test_learners_of_times_and_of_numbers_are_not_compared():
    X, time, status = censored(40)
    learners = {"forest": bough.RandomForestSurvival(5), "cart": bough.CARTRegressor()}
    with pytest.raises(ParameterError, match=r"learners\['cart'\] does not predict hazards"):
        bough.compare(X, (time, status), learners, cv=2)
