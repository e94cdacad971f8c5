"""What holds for every estimator: scikit-learn's tools take it, and it takes tables as they come."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from tests.courses import tennis

import bough
from bough.errors import ParameterError, TableError, TargetError

CLASSIFIERS = [bough.CARTClassifier, bough.TreeClassifier, bough.ID3Classifier]
REGRESSORS = [bough.CARTRegressor, bough.TreeRegressor]
ESTIMATORS = [*CLASSIFIERS, *REGRESSORS]
# The tree as it was grown: tables of a few rows say nothing about how large a tree should be.
GROWN = {"prune": "none", "missing": "majority"}


def visitors(n_rows=240, seed=0):
    """Visitors of a shop: text, an ordered category, a truth value and two numbers, some of them missing."""
    rng = np.random.default_rng(seed)
    duration = rng.gamma(2.0, 4.0, n_rows).round(2)
    frame = pd.DataFrame(
        {
            "referrer": rng.choice(["search", "ad", "mail", "other"], n_rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), ["S", "M", "L"], ordered=True),
            "member": rng.random(n_rows) < 0.3,
            "duration": np.where(rng.random(n_rows) < 0.1, np.nan, duration),
            "pages": rng.integers(1, 9, n_rows),
        }
    )
    spent = duration + 5 * frame["member"] + 3 * (frame["referrer"] == "ad") + rng.normal(size=n_rows)
    return frame, spent.clip(lower=0.0).rename("spent")


def task(estimator, n_rows=240):
    """Give an estimator a table and a target it can take."""
    X, spent = visitors(n_rows)
    if issubclass(estimator, bough.ID3Classifier):
        X = X[["referrer", "size", "member"]]
    return X, (spent > 9).map({True: "buys", False: "leaves"}) if is_classifier(estimator()) else spent


def splits(tree):
    """Return all that decides where a row ends and what it is told."""
    return [tree.split(node) for node in range(tree.n_nodes)], tree.statistics.tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_clone_grows_the_same_tree(estimator):
    X, y = task(estimator)
    model = estimator(max_depth=3)
    assert model.fit(X, y) is model
    assert clone(model).fit(X, y).tree_ == model.tree_
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "tree_")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_stored_model_predicts_the_same(estimator, tmp_path):
    X, y = task(estimator)
    model = estimator(min_samples_split=5).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    model.tree_.save(tmp_path / "tree.json")
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert again.tree_ == model.tree_
        assert (again.predict(X) == model.predict(X)).all()
    assert (bough.load(tmp_path / "tree.json").predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_folds_and_grids_are_scikit_learns_own(estimator):
    X, y = task(estimator)
    scores = cross_val_score(estimator(max_depth=3), X, y, cv=3)
    assert (scores > (0.4 if is_regressor(estimator()) else 0.55)).all()
    search = GridSearchCV(estimator(), {"max_depth": [1, 3], "min_samples_split": [2, 0.2]}, cv=2).fit(X, y)
    assert search.best_params_["max_depth"] in (1, 3)
    assert search.predict(X).shape == (len(X),)


def test_pipelines_hand_on_frames_and_arrays():
    X, y = task(bough.CARTClassifier)
    filled = make_column_transformer((SimpleImputer(), ["duration", "pages"]), remainder="passthrough")
    for output in ("default", "pandas", "polars"):
        pipe = make_pipeline(
            clone(filled).set_output(transform=output), bough.CARTClassifier(missing="refuse", prune="none")
        )
        assert pipe.fit(X, y).score(X, y) > 0.98
        assert pipe[-1].tree_.schema.names[0] == ("x0" if output == "default" else "simpleimputer__duration")


def test_trees_can_be_bagged_by_scikit_learn():
    X, y = task(bough.CARTClassifier)
    numbers = X[["duration", "pages"]].to_numpy()
    bagged = BaggingClassifier(bough.CARTClassifier(max_depth=2), n_estimators=5, random_state=0)
    assert bagged.fit(numbers, y).score(numbers, y) > 0.7


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_before_fit_there_is_nothing_to_ask(estimator):
    X, _ = task(estimator)
    for method in ("predict", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(estimator(), method)(X)
    for method in ("get_depth", "get_n_leaves"):
        with pytest.raises(NotFittedError):
            getattr(estimator(), method)()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_paths_lead_to_the_leaves(estimator):
    X, y = task(estimator)
    model = estimator(max_depth=3, **GROWN).fit(X, y)
    leaves, paths = model.apply(X), model.decision_path(X)
    assert model.tree_.is_leaf[leaves].all()
    assert paths.shape == (len(X), model.tree_.n_nodes)
    for row in range(0, len(X), 17):
        assert paths[[row]].indices.tolist() == list(model.tree_.path(leaves[row]))
    assert model.get_depth() == model.tree_.depth == 3
    assert model.get_n_leaves() == model.tree_.n_leaves == len(set(model.tree_.rules().leaves))
    # the training rows are where the tree counted them
    assert np.bincount(leaves, minlength=model.tree_.n_nodes)[model.tree_.is_leaf].tolist() == (
        model.tree_.cases[model.tree_.is_leaf].tolist()
    )


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_probabilities_are_smoothed_as_said(classifier):
    X, y = task(classifier)
    model = classifier(max_depth=2).fit(X, y)
    counts = model.tree_.statistics[model.apply(X)]
    n, prior = counts.sum(axis=1, keepdims=True), model.tree_.statistics[0] / model.tree_.weight[0]
    assert model.predict_proba(X) == pytest.approx(counts / n)
    assert model.set_params(smoothing="laplace").predict_proba(X) == pytest.approx((counts + 1) / (n + 2))
    assert model.set_params(smoothing=5).predict_proba(X) == pytest.approx((counts + 5 * prior) / (n + 5))
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(model.predict_proba(X))
    with pytest.raises(ParameterError, match="smoothing is -1"):
        model.set_params(smoothing=-1).predict_proba(X)


def test_one_click_of_one_view_is_not_certain():
    model = bough.CARTClassifier(smoothing="laplace", prune="none").fit(
        [[1.0], [2.0], [2.0]], ["click", "view", "view"]
    )
    assert model.predict_proba([[1.0]]) == pytest.approx(np.array([[2 / 3, 1 / 3]]))


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [False, True], [0, 1], [-5, 7], [1.0, 2.0], np.array(["no", "yes"], object)],
    ids=repr,
)
def test_labels_come_back_as_they_were(labels):
    y = [labels[0], labels[1], labels[1]]
    model = bough.CARTClassifier(prune="none").fit([[1.0], [2.0], [3.0]], y)
    assert model.classes_.tolist() == list(labels)
    assert model.predict([[0.0], [9.0]]).tolist() == list(labels)
    assert type(model.predict([[0.0]]).tolist()[0]) is type(labels[0])
    assert model.n_classes_ == 2


@pytest.mark.parametrize(
    "learner",
    [
        bough.CARTClassifier(prune="none"),
        bough.C45Classifier(prune="none"),
        bough.C50Classifier(),
        bough.RandomForestClassifier(5, random_state=0),
        bough.BaggingClassifier(n_estimators=5, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_a_categorical_target_has_one_order_of_classes(learner):
    y = pd.Categorical(["b", "a"] * 6, ["b", "a", "unused"])
    X = [[0.0], [0.0], [1.0], [1.0], [2.0], [3.0]] * 2
    for target in (y, pd.Series(y), pl.Series(list(y), dtype=pl.Enum(["b", "a", "unused"]))):
        model = learner.fit(X, target)
        assert model.classes_.tolist() == ["a", "b"] == list(model.model_.classes)
        answers, shares = model.predict(X), model.predict_proba(X)
        # The first two rows tie: the first class in that order wins.
        assert answers.tolist() == model.classes_[shares.argmax(axis=1)].tolist()
        assert (model.model_.predict_proba(X) == shares).all()
        assert (model.model_.predict(X) == answers).all()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_library_gives_the_same_tree(estimator):
    X, y = task(estimator)
    X["size"] = X["size"].astype(str)
    model = estimator(min_samples_split=10).fit(X, y)
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    for other in (pl.from_pandas(X), pl.from_pandas(X).lazy().collect(), arrow):
        again = estimator(min_samples_split=10).fit(other, y)
        assert again.tree_ == model.tree_
        assert (again.predict(other) == model.predict(X)).all()
    array = estimator(min_samples_split=10).fit(X.to_numpy(dtype=object), y)
    assert splits(array.tree_) == splits(model.tree_)
    assert array.tree_.schema.names[0] == "x0"


def test_a_number_can_be_said_to_be_nominal_or_ordinal():
    X, y = task(bough.CARTClassifier)
    by_name = bough.CARTClassifier(categorical_features=["pages"], **GROWN).fit(X, y).tree_
    assert by_name.schema["pages"].scale == "nominal"
    assert by_name.schema["pages"].levels == tuple(range(1, 9))
    for said in ([4], [-1], [False] * 4 + [True], np.array([4])):
        assert bough.CARTClassifier(categorical_features=said, **GROWN).fit(X, y).tree_ == by_name
    ordinal = bough.CARTClassifier(ordinal_features=["pages"], **GROWN).fit(X, y).tree_
    assert ordinal.schema["pages"].scale == "ordinal"
    # thresholds between whole numbers and between the codes of whole numbers part the rows alike
    plain = bough.CARTClassifier(**GROWN).fit(X, y).tree_
    assert ordinal.statistics.tolist() == plain.statistics.tolist()
    with pytest.raises(ParameterError, match="'page'"):
        bough.CARTClassifier(categorical_features=["page"]).fit(X, y)


def test_ordered_levels_are_cut_and_others_are_put_in_sets():
    x, y = ["S", "M", "L", "XL"] * 3, ["a", "b", "a", "b"] * 3
    ordered = pd.DataFrame({"x": pd.Categorical(x, ["S", "M", "L", "XL"], ordered=True)})
    tree = bough.CARTClassifier(**GROWN).fit(ordered, y).tree_
    assert tree.depth == 3
    assert [rule.premise() for rule in tree.rules()] == ["x = S", "x = M", "x = L", "x = XL"]
    tree = bough.CARTClassifier(**GROWN).fit(pd.DataFrame({"x": x}), y).tree_
    assert [rule.premise() for rule in tree.rules()] == ["x in {L, S}", "x in {M, XL}"]


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
def test_a_level_never_seen_and_a_missing_value_go_with_the_majority(nominal):
    X, y = [["p"], ["p"], ["q"], ["q"], ["q"]], [1, 1, 2, 2, 2]
    model = bough.TreeClassifier(nominal=nominal).fit(X, y)
    assert model.predict([["p"], ["q"], ["new"], [None]]).tolist() == [1, 2, 2, 2]
    numbers = bough.TreeRegressor(nominal=nominal).fit(X, y)
    assert numbers.predict([["p"], ["q"], ["new"], [None]]).tolist() == [1, 2, 2, 2]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_missing_values_are_grown_on_and_predicted(estimator):
    X, y = task(estimator)
    holes = X.astype(object).mask(np.random.default_rng(1).random(X.shape) < 0.2, None)
    model = estimator(max_depth=4, **GROWN).fit(holes, y)
    assert model.tree_.cases[0] == len(X)
    assert len(model.predict(holes)) == len(X)
    inner = ~model.tree_.is_leaf
    for node in np.flatnonzero(inner):
        children = list(model.tree_.children(node))
        assert model.tree_.cases[children].sum() == model.tree_.cases[node]
    with pytest.raises(TableError, match=r"has missing values in \d+ rows, but missing='refuse'"):
        estimator(missing="refuse").fit(holes, y)
    with pytest.raises(TableError, match=r"has missing values or levels never seen in \d+ rows"):
        estimator(missing="refuse").fit(X.dropna(), np.asarray(y)[X.notna().all(axis=1)]).predict(holes)


def gini_fall(children):
    """Return the fall in Gini impurity, by the book."""

    def impurity(counts):
        return 1 - ((counts / counts.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)

    share = children.sum(axis=2) / children.sum(axis=(1, 2))[:, None]
    return impurity(children.sum(axis=1)) - (share * impurity(children)).sum(axis=1)


def variance_fall(children):
    """Return the fall in the variance of y, from weight, sum and sum of squares."""
    weight, total = children[..., 0], children[..., 1]
    between = (total**2 / weight).sum(axis=1) - total.sum(axis=1) ** 2 / weight.sum(axis=1)
    return between / weight.sum(axis=1)


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("estimator", "own", "built_in"),
    [(bough.TreeClassifier, gini_fall, "gini"), (bough.TreeRegressor, variance_fall, "squared_error")],
)
def test_a_criterion_of_ones_own_grows_the_tree_of_the_same_formula(
    estimator, own, built_in, nominal, weighted
):
    X, y = task(estimator)
    X["duration"] = X["duration"].fillna(0.0)  # a criterion is not told how many cases are missing
    weight = np.random.default_rng(2).integers(1, 9, len(X)) / 4 if weighted else None
    limits = {"nominal": nominal, "max_depth": 3, "min_samples_leaf": 8}
    ours, theirs = (estimator(each, **limits).fit(X, y, weight).tree_ for each in (own, built_in))
    assert splits(ours)[0] == splits(theirs)[0]
    assert ours.statistics == pytest.approx(theirs.statistics)
    assert ours.gain == pytest.approx(theirs.gain, nan_ok=True)
    assert ours.criterion == own.__name__


def test_leaves_answer_with_medians_under_absolute_error():
    X, y = task(bough.CARTRegressor)
    model = bough.CARTRegressor("absolute_error", max_depth=3, **GROWN).fit(X, y)
    leaves, answers = model.apply(X), model.predict(X)
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        assert answers[inside] == pytest.approx(np.median(y[inside]))
        assert model.tree_.risk[leaf] == pytest.approx(np.abs(y[inside] - np.median(y[inside])).sum())


def test_poisson_answers_with_rates_and_wants_events():
    X, y = task(bough.CARTRegressor)
    events = np.floor(y / 4)
    model = bough.CARTRegressor("poisson", max_depth=3, shrink=0, **GROWN).fit(X, events)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        assert model.predict(X)[leaves == leaf] == pytest.approx(events[leaves == leaf].mean())
    assert (model.predict(X) > 0).all()
    with pytest.raises(TargetError, match="negative"):
        bough.CARTRegressor("poisson").fit(X, events - 1)
    with pytest.raises(TargetError, match="sum of y is not positive"):
        bough.CARTRegressor("poisson").fit(X, events * 0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_row_is_a_leaf(estimator):
    X, y = task(estimator, n_rows=1)
    model = estimator().fit(X, y)
    assert (model.get_depth(), model.get_n_leaves()) == (0, 1)
    assert model.predict(X).tolist() == y.tolist()
    assert model.tree_.risk[0] == 0


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_one_class_is_a_leaf(classifier):
    X, _ = task(classifier)
    model = classifier().fit(X, ["same"] * len(X))
    assert model.get_n_leaves() == 1
    assert model.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_columns_that_tell_nothing_are_not_split(estimator):
    _, y = task(estimator)
    constant = pd.DataFrame({"level": ["same"] * len(y), "gone": pd.Series([None] * len(y), dtype="string")})
    if estimator is not bough.ID3Classifier:
        constant = constant.assign(number=1.0, missing=np.nan)
    model = estimator().fit(constant, y)
    assert model.get_n_leaves() == 1
    if is_regressor(model):
        assert model.predict(constant) == pytest.approx(y.mean())


def test_many_classes_are_told_apart():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.permutation(np.arange(3000) % 300)
    model = bough.CARTClassifier(prune="none").fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.predict_proba(X[:5]).shape == (5, 300)
    few = bough.CARTClassifier(max_depth=4, n_jobs=2, prune="none").fit(
        pd.DataFrame({"level": y % 40}).astype("category"), y
    )
    assert few.tree_.statistics[0].tolist() == [10] * 300


@pytest.mark.parametrize("nominal", ["subset", "complete", "one_vs_rest"])
def test_many_levels_are_split(nominal):
    rng = np.random.default_rng(0)
    levels = np.repeat([f"city {i}" for i in range(5000)], 3)
    odd = np.repeat(np.arange(5000) % 2, 3)
    X = pd.DataFrame({"city": levels}).sample(frac=1, random_state=0)
    y = odd[X.index]
    model = bough.TreeClassifier(nominal=nominal, max_depth=2).fit(X, y)
    if nominal != "one_vs_rest":
        assert model.get_depth() == 1
        assert (model.predict(X) == y).all()
    numbers = bough.TreeRegressor(nominal=nominal, max_depth=2).fit(
        X, y + rng.normal(scale=0.01, size=len(y))
    )
    assert numbers.tree_.gain[0] > 0
    assert len(model.predict(pd.DataFrame({"city": ["never seen"]}))) == 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_tree_is_the_same_for_any_number_of_threads(estimator):
    X, y = task(estimator, n_rows=2000)
    one = estimator(n_jobs=1).fit(X, y)
    for n_jobs in (2, 3, -1, None):
        many = estimator(n_jobs=n_jobs).fit(X, y)
        assert many.tree_ == one.tree_
        assert (many.predict(X) == one.predict(X)).all()
    with pytest.raises(ParameterError, match="n_jobs is 0"):
        estimator(n_jobs=0).fit(X, y)


def test_the_names_of_columns_and_target_are_kept():
    X, y = tennis()
    model = bough.ID3Classifier().fit(X, y.rename("Play"))
    assert model.feature_names_in_.tolist() == list(X)
    assert model.n_features_in_ == 4
    assert model.tree_.target_name == "Play"
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"Wind": "Windy"}))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_cannot_be_learned_is_refused(estimator):
    X, y = task(estimator)
    for parameter, wrong in {
        "missing": "drop",
        "prune": "hard",
        "max_depth": 0,
        "min_samples_split": 1,
    }.items():
        with pytest.raises(ParameterError, match=f"{parameter} is {wrong!r}"):
            estimator(**{parameter: wrong}).fit(X, y)
    with pytest.raises(TargetError, match="requires y to be passed"):
        estimator().fit(X, None)
    with pytest.raises(TargetError, match="inconsistent numbers of samples"):
        estimator().fit(X, y[1:])
