"""Trees grown by methods that their users write."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import bough
from bough.errors import BoughError, ParameterError, TableError, TargetError

pytestmark = pytest.mark.slow


class Anova(bough.UserMethod):
    """Squared error, with cuts judged all at once."""

    def evaluate(self, y, weight):
        mean = np.average(y, weights=weight)
        return mean, (weight * (y - mean) ** 2).sum()

    def split(self, y, weight, x):
        below, total = weight.cumsum()[:-1], weight.sum()
        sums = (weight * (y - np.average(y, weights=weight))).cumsum()[:-1]
        return sums**2 / below + sums**2 / (total - below)

    def error(self, y, answer):
        return (y - answer) ** 2


class SlowAnova(bough.UserMethod):
    """The same without a split of its own."""

    evaluate, error = Anova.evaluate, Anova.error


class Gini(bough.UserMethod):
    """Classes, coded from 0, by the Gini impurity; the answer is the majority, then each class's weight."""

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def evaluate(self, y, weight):
        counts = np.bincount(y.astype(int), weight, minlength=self.n_classes)
        return [counts.argmax(), *counts], counts.sum() - counts.max()

    def split(self, y, weight, x):
        each = weight[:, None] * (y[:, None] == np.arange(self.n_classes))
        below, total = each.cumsum(axis=0)[:-1], each.sum(axis=0)
        return self._squares(below) + self._squares(total - below) - self._squares(total[None])

    @staticmethod
    def _squares(counts):
        return (counts**2).sum(axis=1) / counts.sum(axis=1)

    def rank_levels(self, y, weight, level):
        return np.bincount(level, weight * y) / np.bincount(level, weight)

    def error(self, y, answer):
        return y != answer[:, 0]


@st.composite
def tables(draw):
    n = draw(st.integers(4, 24))
    cells = {
        "number": st.one_of(st.none(), st.integers(0, 6).map(float)),
        "level": st.one_of(st.none(), st.sampled_from("abcd")),
        "size": st.one_of(st.none(), st.sampled_from(["S", "M", "L"])),
    }
    drawn = {name: draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in cells.items()}
    drawn["level"][0], drawn["number"][0], drawn["size"][0] = "a", 1.0, "S"
    X = pd.DataFrame(drawn)
    X["number"] = X["number"].astype(float)
    X["level"] = X["level"].astype(pd.CategoricalDtype(list("abcd")))
    X["size"] = X["size"].astype(pd.CategoricalDtype(["S", "M", "L"], ordered=True))
    weight = draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if weight is not None:
        weight[0] = 1
    return X, weight


LIMITS = st.fixed_dictionaries(
    {
        "min_samples_leaf": st.integers(1, 3),
        "max_depth": st.sampled_from([None, 2]),
        "min_samples_split": st.integers(2, 6),
        "min_weight_fraction_leaf": st.sampled_from([0.0, 0.1]),
    }
)


def assert_same(ours, theirs, root_risk):
    """Walk both trees; where two splits are equally good but for rounding, either may be made."""
    waiting = [(0, 0)]
    while waiting:
        one, other = waiting.pop()
        for figure in ("weight", "cases", "risk"):
            mine, yours = getattr(ours, figure)[one], getattr(theirs, figure)[other]
            assert mine == pytest.approx(yours, rel=1e-9, abs=1e-9 * root_risk)
        gains = [
            0.0 if tree.is_leaf[node] else tree.gain[node] for tree, node in ((ours, one), (theirs, other))
        ]
        assert gains[0] == pytest.approx(gains[1], rel=1e-9, abs=1e-9 * root_risk)
        if ours.is_leaf[one] or theirs.is_leaf[other] or ours.split(one) != theirs.split(other):
            continue
        assert ours.default_branch[one] == theirs.default_branch[other]
        waiting += zip(ours.children(one), theirs.children(other), strict=True)


@pytest.mark.parametrize("method", [Anova(), SlowAnova()], ids=["cuts at once", "cut by cut"])
def test_anova_written_by_a_user_is_carts(method):
    same = []

    @settings(max_examples=60, deadline=None)
    @given(tables(), LIMITS, st.data())
    def agree(drawn, limits, data):
        X, weight = drawn
        y = np.array(data.draw(st.lists(st.integers(0, 40), min_size=len(X), max_size=len(X))), dtype=float)
        shared = limits | {"prune": "none", "missing": "majority"}
        ours = bough.UserTree(method, **shared).fit(X, y, weight).tree_
        theirs = bough.CARTRegressor(min_improvement=1e-12, **shared).fit(X, y, weight).tree_
        assert_same(ours, theirs, max(theirs.risk[0], 1e-300))
        same.append(ours.n_nodes == theirs.n_nodes and (ours.column == theirs.column).all())
        ours.check()

    agree()
    assert np.mean(same) > 0.9


@settings(max_examples=60, deadline=None)
@given(tables(), LIMITS, st.data())
def test_gini_written_by_a_user_is_carts(drawn, limits, data):
    X, weight = drawn
    # Of levels with equal shares CART takes the first, a user's order the last: with small leaves ruled out
    # one of them may find what the other does not.
    limits = limits | {"min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0}
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    y[:1] = 1 - y[-1]
    if weight is not None:
        weight[-1] = 2
    # The risk, errors, may be 0 where nodes are pure and nowhere else; so both stop there.
    shared = limits | {"prune": "none", "missing": "majority"}
    ours = bough.UserTree(Gini(2), **shared).fit(X, y, weight)
    theirs = bough.CARTClassifier(min_improvement=1e-12, **shared).fit(X, y, weight).tree_
    assert_same(ours.tree_, theirs, theirs.weight[0])
    assert ours.predict(X)[:, 1:].shape == (len(X), 2)


rng = np.random.default_rng(3)
X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(list("xyz"), 150)})
Y = 3.0 * (X["a"] > 0) + 2.0 * (X["b"] == "y") + rng.normal(scale=0.4, size=150)


@pytest.mark.parametrize("prune", ["one_se", "minimum", "cp"])
@pytest.mark.parametrize("path", ["weakest_link", "rpart"])
def test_pruning_by_cross_validation_is_carts(prune, path):
    weight, shared = rng.random(150), {"prune": prune, "path": path, "cp": 0.005, "missing": "majority"}
    ours = bough.UserTree(Anova(), **shared).fit(X, Y, weight)
    theirs = bough.CARTRegressor(**shared).fit(X, Y, weight)
    assert ours.tree_.n_leaves == theirs.tree_.n_leaves > 1
    assert ours.predict(X) == pytest.approx(theirs.predict(X))
    assert ours.cp_table_.cv_risk == pytest.approx(theirs.cp_table_.cv_risk)
    assert ours.cp_table_.cv_error == pytest.approx(theirs.cp_table_.cv_error)


def test_a_price_of_leaves_prunes_without_cross_validation():
    class NoError(Anova):
        error = bough.UserMethod.error

    theirs = bough.CARTRegressor(ccp_alpha=0.05, missing="majority").fit(X, Y)
    ours = bough.UserTree(NoError(), ccp_alpha=0.05).fit(X, Y)
    assert ours.tree_.n_leaves == theirs.tree_.n_leaves
    with pytest.raises(ParameterError, match="NoError has no error"):
        bough.UserTree(NoError()).fit(X, Y)
    with pytest.raises(ParameterError, match="NoError has no error"):
        ours.score(X, Y)


@pytest.mark.parametrize("most", [2, 4])
def test_with_few_leaves_the_best_cuts_come_first(most):
    ours = bough.UserTree(Anova(), prune="none", max_leaf_nodes=most).fit(X, Y).tree_
    theirs = bough.CARTRegressor(prune="none", max_leaf_nodes=most, missing="majority").fit(X, Y).tree_
    assert ours.n_leaves == most
    assert_same(ours, theirs, theirs.risk[0])


def test_several_numbers_can_be_answered_and_pruned():
    codes = (X["a"] > 0).to_numpy().astype(int) + (X["b"] == "y").to_numpy()
    model = bough.UserTree(Gini(3), min_samples_leaf=5).fit(X, codes)
    assert model.answers_.shape == (model.tree_.n_nodes, 4)
    assert (model.answers_[:, 0] == model.tree_.answers()).all()
    assert model.answers_[:, 1:].sum(axis=1) == pytest.approx(model.tree_.weight)
    assert model.grown_tree_.n_leaves >= model.tree_.n_leaves > 1
    assert model.score(X, codes) > -0.1


def test_a_target_of_several_columns_or_of_words_is_read_by_init():
    class Rate(bough.UserMethod):
        def init(self, y, weight):
            if (y[:, 1].astype(float) <= 0).any():
                raise ValueError("exposures must be above 0")
            return y.astype(float)

        def evaluate(self, y, weight):
            rate = (weight * y[:, 0]).sum() / (weight * y[:, 1]).sum()
            return rate, (weight * abs(y[:, 0] - rate * y[:, 1])).sum()

        def error(self, y, answer):
            return abs(y[:, 0] - answer * y[:, 1])

    words = np.array([["3", "1"], ["4", "2"], ["0", "1"], ["1", "3"]])
    model = bough.UserTree(Rate(), cv=2, prune="minimum").fit([[1], [2], [3], [4]], words)
    assert model.tree_.answers()[0] == pytest.approx(8 / 7)
    words[2, 1] = "0"
    with pytest.raises(ValueError, match="exposures must be above 0"):
        model.fit([[1], [2], [3], [4]], words)


def test_a_weight_is_so_many_rows():
    weight = rng.integers(0, 3, 150)
    rows = np.repeat(np.arange(150), weight)
    options = {"prune": "none", "min_samples_leaf": 4}
    weighed = bough.UserTree(Anova(), **options).fit(X, Y, weight).tree_
    repeated = bough.UserTree(Anova(), **options).fit(X.iloc[rows], Y.iloc[rows]).tree_
    assert_same(weighed, repeated, repeated.risk[0])
    assert weighed.n_nodes == repeated.n_nodes


def test_errors_of_the_users_code_carry_through():
    class Broken(Anova):
        def split(self, y, weight, x):
            raise ZeroDivisionError("in my own split")

    with pytest.raises(ZeroDivisionError, match="in my own split"):
        bough.UserTree(Broken(), prune="none").fit(X, Y)


def returning(part, value):
    """Anova, but one part returns another thing."""

    class Wrong(Anova):
        pass

    setattr(Wrong, part, lambda self, y, *others: value(y, *others))
    return Wrong()


WRONG = {
    "too long": (
        returning("split", lambda y, w, x: np.zeros(len(y))),
        "Wrong.split returned numbers of shape",
    ),
    "no array": (returning("split", lambda y, w, x: None), r"Wrong.split returned values of type object"),
    "text": (returning("split", lambda y, w, x: ["a"] * (len(y) - 1)), "Wrong.split returned values of type"),
    "NaN": (returning("split", lambda y, w, x: np.full(len(y) - 1, np.nan)), "split returned nan for cut 0"),
    "inf": (returning("split", lambda y, w, x: np.full(len(y) - 1, np.inf)), "finite number or -inf"),
    "no pair": (returning("evaluate", lambda y, w: 3.0), "must return an answer and a risk"),
    "no number": (returning("evaluate", lambda y, w: ("a", 1.0)), "the answer 'a'; it must be one number"),
    "NaN answer": (returning("evaluate", lambda y, w: (np.nan, 1.0)), "the answer nan; it must be finite"),
    "no risk": (returning("evaluate", lambda y, w: (1.0, None)), "the risk None; it must be a finite"),
    "negative risk": (returning("evaluate", lambda y, w: (1.0, -3.0)), "the risk -3.0"),
    "NaN risk": (returning("evaluate", lambda y, w: (1.0, float("nan"))), "the risk nan"),
    "ragged": (returning("evaluate", lambda y, w: (y[: 1 + len(y) % 2], len(y) * 1.0)), "of shapes"),
    "ranks": (returning("rank_levels", lambda y, w, level: [1.0]), "for each level, an array of shape .3,."),
    "rank NaN": (
        returning("rank_levels", lambda y, w, level: [1, np.nan, 2]),
        "rank_levels returned nan for level 1",
    ),
    "errors": (returning("error", lambda y, answer: 0.0), "Wrong.error returned numbers of shape"),
    "negative error": (returning("error", lambda y, answer: -abs(y)), "Wrong.error returned -.*at least 0"),
    "init length": (
        returning("init", lambda y, w: y[1:]),
        "Wrong.init returned an array of shape .149,. for 150",
    ),
    "init text": (returning("init", lambda y, w: y.astype(str)), "Wrong.init returned values of type"),
    "init NaN": (returning("init", lambda y, w: y * np.nan), "not a finite number in row 0"),
    "a class": (Anova, "an instance of bough.UserMethod: call the class"),
    "a name": ("anova", "method is 'anova'"),
}


@pytest.mark.parametrize(("method", "words"), WRONG.values(), ids=WRONG)
def test_what_a_method_must_not_return_is_named(method, words):
    with pytest.raises(BoughError, match=words):
        bough.UserTree(method, cv=3).fit(X, Y)


def test_a_method_without_evaluate_says_so():
    with pytest.raises(NotImplementedError, match="must have evaluate"):
        bough.UserTree(bough.UserMethod(), prune="none").fit(X, Y)


def test_rounding_below_no_risk_is_no_risk():
    class Sums(Anova):
        def evaluate(self, y, weight):
            mean = y.mean()
            return mean, (y**2).sum() - len(y) * mean**2

    y = np.where(X["a"] > 0, 0.1, 0.7)
    assert (bough.UserTree(Sums(), prune="none", max_depth=2).fit(X, y).tree_.risk >= 0).all()


def test_wrong_targets_and_tables_are_named():
    model = bough.UserTree(Anova(), prune="none")
    for y, words in (
        (Y[1:], "X has 150 rows and y has 149"),
        (None, "requires y"),
        (np.where(np.arange(150) == 7, np.nan, Y), "y is missing in row 7"),
        ([None, *Y[1:]], "y is missing in row 0"),
        (["a"] * 150, "Anova.init returned values of type"),
        (3.0, "y has shape"),
    ):
        with pytest.raises(TargetError, match=words):
            model.fit(X, y)
    with pytest.raises(ParameterError, match="missing is 'surrogates_then_majority'"):
        bough.UserTree(Anova(), missing="surrogates_then_majority").fit(X, Y)
    with pytest.raises(TableError, match="'a' has missing values"):
        bough.UserTree(Anova(), missing="refuse").fit(X.assign(a=np.nan), Y)


def test_it_keeps_scikit_learns_conventions():
    model = clone(bough.UserTree(Anova(), min_samples_leaf=5))
    assert isinstance(model.get_params()["method"], Anova)
    assert repr(bough.UserTree(Gini(3), cp=0.1)) == "UserTree(cp=0.1, method=Gini(n_classes=3))"
    assert (cross_val_score(model, X, Y, cv=3) < 0).all()
    assert model.fit(X, Y).feature_importances_.sum() == pytest.approx(1.0)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert not [name for name in vars(model) if name.startswith("_") and name != "_sklearn_output_config"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([bough.UserTree(Anova())])
def test_sklearn_check(estimator, check):
    check(estimator)


def test_the_tree_predicts_prints_and_is_saved_without_the_method(tmp_path):
    model = bough.UserTree(Anova(), max_depth=1, prune="none").fit(X, Y)
    model.tree_.save(tmp_path / "tree.json")
    assert bough.load(tmp_path / "tree.json").predict(X).tolist() == model.predict(X).tolist()
    assert "answer" in str(model.tree_)
    assert "mean risk" in str(model.tree_)
    assert model.tree_.recipe["method"] == "Anova"
