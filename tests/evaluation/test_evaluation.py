"""Evaluation: every figure equals scikit-learn's where it has the same one."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import bough
from bough.data.words import level_words
from bough.evaluation import CalibrationCurve, Confusion, GainsCurve, RocCurve
from bough.tree.costs import expected_cost


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + rng.normal(size=400) > 0, "yes", np.where(X[:, 1] > 0.8, "maybe", "no"))
    return X, y, rng.integers(1, 4, 400).astype(float)


def test_measures_of_classes_are_those_of_scikit_learn(drawn):
    X, y, weight = drawn
    model = bough.TreeClassifier(max_depth=4, smoothing="laplace").fit(X[:300], y[:300])
    X, y, weight = X[300:], y[300:], weight[300:]
    figures = bough.evaluate(model, X, y, sample_weight=weight)
    shares, answers = model.predict_proba(X), model.predict(X)
    given = {"sample_weight": weight}
    assert figures.measures["accuracy"].value == pytest.approx(metrics.accuracy_score(y, answers, **given))
    assert figures.measures["log-loss"].value == pytest.approx(metrics.log_loss(y, shares, **given))
    assert figures.measures["Brier score"].value == pytest.approx(
        metrics.brier_score_loss(y, shares, scale_by_half=False, **given)
    )
    assert figures.confusion.counts == pytest.approx(metrics.confusion_matrix(y, answers, **given))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(y, answers, **given)
    assert figures.confusion.precision == pytest.approx(precision)
    assert figures.confusion.recall == pytest.approx(recall)
    assert figures.confusion.f1 == pytest.approx(f1)
    area = metrics.roc_auc_score(y == "yes", shares[:, 2], **given)
    assert figures.measures["AUC of yes"].value == pytest.approx(area)


def test_measures_of_numbers_are_those_of_scikit_learn(drawn):
    X, _, weight = drawn
    y = X[:, 0] * 3 + X[:, 1] ** 2
    model = bough.TreeRegressor(max_depth=4).fit(X[:300], y[:300])
    X, y, weight = X[300:], y[300:], weight[300:]
    measures, answers = bough.evaluate(model, X, y, sample_weight=weight).measures, model.predict(X)
    given = {"sample_weight": weight}
    assert measures["R²"].value == pytest.approx(metrics.r2_score(y, answers, **given))
    assert measures["mean squared error"].value == pytest.approx(
        metrics.mean_squared_error(y, answers, **given)
    )
    assert measures["mean absolute error"].value == pytest.approx(
        metrics.mean_absolute_error(y, answers, **given)
    )


def test_measures_of_several_quantiles_are_those_of_scikit_learn(drawn):
    X, _, weight = drawn
    y, shares = X[:, 0] * 3 + X[:, 1] ** 2, (0.1, 0.5, 0.9)
    learner = bough.GradientBoostingRegressor(loss="quantile", quantile=shares, max_iter=20)
    model = learner.fit(X[:300], y[:300])
    X, y, weight = X[300:], y[300:], weight[300:]
    measures, answers = bough.evaluate(model, X, y, sample_weight=weight).measures, model.predict(X)
    for share, answer in zip(shares, answers.T, strict=True):
        repeated = np.repeat(y, weight.astype(int))
        constant = np.quantile(repeated, share, method="inverted_cdf")
        given = {"alpha": share, "sample_weight": weight}
        measure = measures[f"pinball loss of {share}"]
        assert measure.value == pytest.approx(metrics.mean_pinball_loss(y, answer, **given))
        assert measure.baseline == pytest.approx(
            metrics.mean_pinball_loss(y, np.full(100, constant), **given)
        )
    inside = (answers[:, 0] <= y) & (y <= answers[:, -1])
    assert measures["rows from 0.1 to 0.9"].value == pytest.approx(np.average(inside, weights=weight))


def test_models_of_several_quantiles_are_left_out_where_one_number_is_compared(drawn):
    X, _, _ = drawn
    y = X[:, 0]
    learner = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.9], max_iter=2)
    with pytest.raises(bough.BoughError, match="several quantiles"):
        bough.report(learner.fit(X, y), X, y)
    with pytest.raises(bough.BoughError, match="several quantiles"):
        bough.compare(X, y, [learner], cv=2)


def test_a_foreign_model_of_several_columns_is_refused(drawn):
    from sklearn.linear_model import LinearRegression

    X, _, _ = drawn
    model = LinearRegression().fit(X, X[:, :2])
    with pytest.raises(bough.BoughError, match=r"array of shape \(400, 2\)"):
        bough.evaluate(model, X, X[:, 0])


def test_a_weight_of_two_is_the_row_twice_in_every_mean(drawn):
    X, y, weight = drawn
    model = bough.TreeClassifier(max_depth=3, smoothing=2.0).fit(X, y)
    weighted = bough.evaluate(model, X, y, sample_weight=weight)
    rows = np.repeat(np.arange(400), weight.astype(int))
    repeated = bough.evaluate(model, X[rows], y[rows])
    for name, measure in weighted.measures.items():
        assert measure.value == pytest.approx(repeated.measures[name].value)
        assert measure.baseline == pytest.approx(repeated.measures[name].baseline)
    assert (weighted.confusion.counts == repeated.confusion.counts).all()


def test_the_standard_error_is_that_of_a_share():
    model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    X = [[0.0]] * 100
    measure = bough.evaluate(model, X, ["a"] * 80 + ["b"] * 20).measures["accuracy"]
    assert measure.value == pytest.approx(0.8)
    assert measure.error == pytest.approx(np.sqrt(0.8 * 0.2 / 100))
    assert measure.baseline == pytest.approx(0.8)


def test_risk_is_the_mean_loss(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=2).fit(X, y)
    loss = np.array([[0.0, 1, 5], [2, 0, 1], [10, 3, 0]])
    figures = bough.evaluate(model, X, y, loss_matrix=loss)
    counts = metrics.confusion_matrix(y, model.predict(X))
    assert figures.measures["risk"].value == pytest.approx((counts * loss).sum() / 400)
    with pytest.raises(bough.BoughError, match=r"loss_matrix has shape \(2, 2\); .* it must be \(3, 3\)"):
        bough.evaluate(model, X, y, loss_matrix=np.eye(2))


def test_a_class_never_seen_counts_as_wrong():
    model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    figures = bough.evaluate(model, [[0.0], [1.0]], ["a", "new"])
    assert figures.classes == ("a", "b", "new")
    assert figures.measures["accuracy"].value == 0.5
    # One row is right with certainty, the other has probability 0 and counts as 2.2e-16.
    assert figures.measures["log-loss"].value == pytest.approx(-np.log(np.finfo(float).eps) / 2)


def test_cross_validation_answers_each_row_by_a_model_without_it(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=3)
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = bough.cross_validated(model, X, y, cv=5, random_state=0)
    theirs = cross_val_predict(model, X, y, cv=splitter)
    assert [ours.classes[code] for code in ours.answers] == theirs.tolist()
    assert ours.measures["accuracy"].value == pytest.approx((theirs == y).mean())
    assert ours.rows == "by 5-fold cross-validation"


def test_cross_validation_takes_frames_weights_and_splitters():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 10, "size": range(20)})
    y = pd.Series([1.0, 2.0] * 10, name="price")
    model = bough.TreeRegressor(max_depth=1)
    figures = bough.cross_validated(model, frame, y, cv=4, sample_weight=np.ones(20))
    assert figures.measures["mean squared error"].value == 0
    with pytest.raises(bough.BoughError, match="cv is 1; it must be a whole number from 2 to 20"):
        bough.cross_validated(model, frame, y, cv=1)


def test_curves_are_those_of_scikit_learn(drawn):
    _, y, weight = drawn
    rng = np.random.default_rng(1)
    score, positive = rng.integers(0, 30, 400) / 30.0, y == "yes"
    curve = RocCurve.of(score, positive, weight)
    false, true, _ = metrics.roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
    assert curve.false_positives == pytest.approx(false)
    assert curve.true_positives == pytest.approx(true)
    assert curve.area == pytest.approx(metrics.roc_auc_score(positive, score, sample_weight=weight))


def test_gains_end_with_all_positives_and_a_lift_of_one(drawn):
    _, y, weight = drawn
    curve = GainsCurve.of(np.random.default_rng(2).random(400), y == "yes", weight)
    assert curve.found[-1] == curve.taken[-1] == curve.lift[-1] == 1
    assert (np.diff(curve.found) >= 0).all()
    assert curve.found_in(1.0) == 1
    assert curve.found_in(0.0) == 0


def test_a_leaf_is_calibrated_on_its_own_rows(drawn):
    X, y, _ = drawn
    curve = bough.evaluate(bough.TreeClassifier(max_depth=3).fit(X, y), X, y).calibration("yes")
    assert curve.observed == pytest.approx(curve.predicted)
    assert curve.weight.sum() == 400


def test_calibration_groups_hold_about_as_many_rows():
    rng = np.random.default_rng(3)
    score = rng.random(1000)
    curve = CalibrationCurve.of(score, rng.random(1000) < score)
    assert len(curve.weight) == 10
    assert (np.abs(curve.weight - 100) <= 1).all()
    assert (np.abs(curve.observed - curve.predicted) < 4 * curve.error).all()


def test_labels_of_whole_numbers_and_truth_values_are_kept():
    model = bough.TreeClassifier().fit([[0.0], [1.0]], [True, False])
    assert bough.evaluate(model, [[0.0]], [True]).confusion.classes == (False, True)


def test_confusion_of_wrong_lengths_is_refused():
    model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(bough.BoughError, match="X has 2 rows and y has 1"):
        bough.evaluate(model, [[0.0], [1.0]], ["a"])


def test_confusion_prints_a_line_a_class():
    confusion = Confusion(("no", "yes"), np.array([[40.0, 2.0], [5.0, 13.0]]))
    assert confusion.text().splitlines()[1].split() == ["no", "40", "2", "0.889", "0.952"]


def test_losses_by_name_are_those_of_the_matrix(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=2).fit(X, y)
    classes = model.classes_.tolist()
    named = {(classes[2], classes[0]): 10.0}
    matrix = 1 - np.eye(3)
    matrix[2, 0] = 10.0
    by_name = bough.evaluate(model, X, y, loss_matrix=named).measures["risk"].value
    assert by_name == bough.evaluate(model.tree_, X, y, loss_matrix=matrix).measures["risk"].value
    crossed = [
        bough.cross_validated(model, X, y, cv=3, loss_matrix=each).measures["risk"].value
        for each in (named, matrix)
    ]
    assert crossed[0] == crossed[1]
    with pytest.raises(bough.BoughError, match="loss_matrix contains a number that is not finite"):
        bough.evaluate(model, X, y, loss_matrix=np.full((3, 3), np.inf))


def test_log_loss_after_pure_leaves_is_that_of_scikit_learn(drawn):
    X, y, weight = drawn
    model = bough.TreeClassifier().fit(X[:300], y[:300])
    figures = bough.evaluate(model, X[300:], y[300:], sample_weight=weight[300:])
    shares = model.predict_proba(X[300:])
    theirs = metrics.log_loss(y[300:], shares, sample_weight=weight[300:])
    assert figures.measures["log-loss"].value == pytest.approx(theirs)
    rows = int((shares[np.arange(100), np.searchsorted(model.classes_, y[300:])] == 0).sum())
    assert rows > 1
    note = figures.notes()[-1]
    assert note.startswith(f"{rows} rows have probability 0 of their true class, which counts as 2.2e-16")
    assert note in str(figures)


def test_baselines_depend_on_the_rows_alone(drawn):
    X, y, weight = drawn
    loss = {("yes", "no"): 4.0}
    models = [
        bough.TreeClassifier(max_depth=1).fit(X[:20], y[:20]),
        bough.TreeClassifier(class_weight={"maybe": 50}).fit(X, y),
        bough.RandomForestClassifier(5).fit(X, y),
        DummyClassifier().fit(X, y),
    ]
    found = [bough.evaluate(model, X, y, sample_weight=weight, loss_matrix=loss) for model in models]
    for other in found[1:]:
        assert other.constant == found[0].constant
        for name, measure in other.measures.items():
            assert measure.baseline == pytest.approx(found[0].measures[name].baseline), name
    shares = np.bincount(np.unique(y, return_inverse=True)[1], weight) / weight.sum()
    assert found[0].measures["accuracy"].baseline == pytest.approx(shares.max())
    assert found[0].measures["log-loss"].baseline == pytest.approx(-(shares @ np.log(shares)))
    numbers = [bough.TreeRegressor().fit(X[:9], X[:9, 0]), bough.TreeRegressor().fit(X, X[:, 0])]
    for model in numbers:
        measures = bough.evaluate(model, X, X[:, 0]).measures
        assert measures["R²"].baseline == pytest.approx(0)
        assert measures["mean squared error"].baseline == pytest.approx(X[:, 0].var())


@pytest.fixture(scope="module")
def imbalanced():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 3))
    return X, np.where(rng.random(2000) < 0.15 / (1 + np.exp(-2 * X[:, 0])), "click", "none")


def test_a_rare_class_leads_with_measures_that_tell_something(imbalanced):
    X, y = imbalanced
    figures = bough.evaluate(
        bough.TreeClassifier(min_samples_leaf=50).fit(X[:1000], y[:1000]), X[1000:], y[1000:]
    )
    assert figures.rare == "click"
    names = list(figures.measures)
    lead = ["AUC of click", "log-loss", "lift of click in the top 10%", "balanced accuracy", "accuracy"]
    assert names[:5] == lead
    assert figures.text().splitlines()[1].startswith("AUC of click")
    assert "click is rare" in figures.text()
    assert figures.to_dict()["rare"] == "click"
    balanced = metrics.balanced_accuracy_score(y[1000:], [figures.classes[code] for code in figures.answers])
    assert figures.measures["balanced accuracy"].value == pytest.approx(balanced)
    lift = figures.measures["lift of click in the top 10%"]
    assert lift.value == pytest.approx(figures.gains("click").found_in(0.1) / 0.1)
    assert lift.baseline == 1
    with_losses = bough.evaluate(
        bough.TreeClassifier().fit(X, y), X, y, loss_matrix={("click", "none"): 20}
    ).measures
    assert next(iter(with_losses)) == "risk"


@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("", "x")])
def test_a_rare_class_may_be_any_label(imbalanced, labels):
    X, y = imbalanced
    named = np.where(y == "click", *labels)
    figures = bough.evaluate(bough.TreeClassifier(max_depth=2).fit(X, named), X, named)
    assert figures.rare == labels[0]
    assert next(iter(figures.measures)) == f"AUC of {level_words(labels[0])}"


def test_a_class_of_weight_0_is_absent(imbalanced):
    X, y = imbalanced
    model = bough.TreeClassifier(max_depth=2).fit(X, y)
    weighted = bough.evaluate(model, X, y, sample_weight=np.where(y == "click", 0.0, 1.0))
    taken = bough.evaluate(model, X[y == "none"], y[y == "none"])
    for name, measure in taken.measures.items():
        assert weighted.measures[name] == pytest.approx(measure)


def test_classes_of_similar_size_lead_with_accuracy(drawn):
    X, y, _ = drawn
    two = y == "yes"
    figures = bough.evaluate(bough.TreeClassifier(max_depth=2).fit(X, two), X, two)
    assert figures.rare is None
    assert next(iter(figures.measures)) == "accuracy"
    assert not any(name.startswith("lift") for name in figures.measures)


def test_losses_of_the_model_are_those_of_its_evaluation(imbalanced):
    X, y = imbalanced
    losses = {("click", "none"): 20}
    model = bough.CARTClassifier(loss_matrix=losses, min_samples_leaf=30).fit(X, y)
    given = bough.evaluate(model, X, y, loss_matrix=losses)
    for evaluated in (bough.evaluate(model, X, y), bough.evaluate(model.tree_, X, y)):
        assert evaluated.measures["risk"] == given.measures["risk"]
    assert given.measures["risk"].value == pytest.approx(expected_cost(model.tree_).tree)
    assert given.measures["risk"].baseline == pytest.approx(expected_cost(model.tree_).constant)
    assert (
        "true \\ answer  click  none\nclick              0    20\nnone               1     0" in given.text()
    )
    assert f"The constant answer that costs least is {given.constant}" in given.text()
    assert "risk" in bough.cross_validated(model, X, y, cv=3).measures
    assert given.to_dict()["loss_matrix"] == [[0, 20], [1, 0]]


def test_arguments_in_the_wrong_order_are_named(drawn):
    X, y, _ = drawn
    model = bough.TreeClassifier(max_depth=1).fit(X, y)
    wrong = {
        "model is a ndarray": lambda: bough.evaluate(X, y, model),
        r"exchanged; the call is evaluate\(model, X, y\)": lambda: bough.evaluate(model, y, X),
        "estimator is a ndarray": lambda: bough.cross_validated(X, y, model),
        "estimator is the class TreeClassifier": lambda: bough.cross_validated(bough.TreeClassifier, X, y),
        r"exchanged; the call is compare\(X, y, learners\)": lambda: bough.compare(y, X),
        "X is a TreeClassifier; the call is compare": lambda: bough.compare(model, X, y),
        "X is a dict of learners; the call is compare": lambda: bough.compare({"a": model}, X, y),
        "y is a dict of learners; the call is compare": lambda: bough.compare(X, {"a": model}, y),
        r"the call is choose\(estimator, X, y\)": lambda: bough.choose(X, y, model),
        "loss_matrix names 'yes'": lambda: bough.evaluate(model, X, y, loss_matrix={"yes": {"no": 3}}),
        r"loss_matrix names \('yes', 'nein'\)": lambda: bough.evaluate(
            model, X, y, loss_matrix={("yes", "nein"): 3}
        ),
        "loss_matrix is for classes": lambda: bough.evaluate(
            bough.TreeRegressor().fit(X, X[:, 0]), X, X[:, 0], loss_matrix={("yes", "no"): 3}
        ),
    }
    for message, call in wrong.items():
        with pytest.raises(bough.BoughError, match=message):
            call()


def test_measures_of_tiny_numbers_have_an_exponent():
    numbers = np.random.default_rng(0).normal(size=(60, 1))
    y = (numbers[:, 0] + np.arange(60) % 3) * 1e-20
    text = str(bough.evaluate(bough.TreeRegressor(max_depth=2).fit(numbers, y), numbers, y))
    assert "0.0000000000000" not in text
    assert "e-21" in text
    assert "e-41" in text
