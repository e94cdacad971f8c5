"""Every parameter of every estimator takes a value, or refuses it with an error of bough's own."""

import inspect
import json
import traceback

import numpy as np
import pytest
from tests.test_names import ESTIMATORS

import bough
from bough.errors import BoughError, FormatError, ParameterError
from bough.example_models import iris_tree, tennis_rules
from bough.loading import loads
from bough.models.encoding import to_text
from bough.pruning import error_based

RNG = np.random.default_rng(0)
N_ROWS = 24
NUMBERS = RNG.normal(size=(N_ROWS, 2)).round(1)
LETTERS = RNG.choice(["u", "v"], (N_ROWS, 2))
HUGE = 10**400
VALUES = {
    "huge": HUGE,
    "minus huge": -HUGE,
    "2**40": 2**40,
    "2**31": 2**31,
    "1e300": 1e300,
    "1e-300": 1e-300,
    "-1": -1,
    "0": 0,
    "1": 1,
    "0.5": 0.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "word": "junk",
    "empty word": "",
    "none": None,
    "true": True,
    "false": False,
    "list": [1, 2],
    "empty list": [],
    "list of a huge number": [HUGE],
    "dict": {"a": 1},
    "dict of a huge number": {"a": HUGE, "b": 1, "p": HUGE},
    "array": np.zeros((2, 2)),
    "object": object(),
}
# These numbers of trees are valid, and would be grown.
TOO_LONG = {("n_estimators", "2**40"), ("n_estimators", "2**31")}


def rows_for(name):
    rng = np.random.default_rng(1)
    if name.endswith("Survival"):
        return NUMBERS, np.c_[rng.exponential(size=N_ROWS), rng.random(N_ROWS) < 0.7]
    X = LETTERS if name == "ID3Classifier" else NUMBERS
    if name.endswith(("Classifier", "MDLDiscretizer")):
        return X, rng.choice(["a", "b"], N_ROWS)
    return X, rng.poisson(2, N_ROWS).astype(float)


class Mean(bough.UserMethod):
    """Squared errors around the mean."""

    def evaluate(self, y, weight):
        mean = np.average(y, weights=weight)
        return mean, (weight * (y - mean) ** 2).sum()

    def error(self, y, answer):
        return (y - answer) ** 2


def made(name, **parameters):
    if name == "UserTree":
        parameters = {"method": Mean()} | parameters
    if "n_estimators" in ESTIMATORS[name]._get_param_names():
        parameters = {"n_estimators": 3} | parameters
    return ESTIMATORS[name](**parameters)


def wrong(name, parameter, value):
    """Return what an estimator does wrong with a value of a parameter, or None."""
    X, y = rows_for(name)
    for_rates = name == "CARTRegressor" and parameter in ("shrink", "cv_error")
    given = {"criterion": "poisson"} if for_rates else {}
    takes_y = "y" in inspect.signature(ESTIMATORS[name].fit).parameters
    try:
        model = made(name, **given, **{parameter: value}).fit(*((X, y) if takes_y else (X,)))
        answers = model.predict(X) if hasattr(model, "predict") else np.zeros(0)
    except BoughError:
        return None
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {at.filename}:{at.lineno}: {error}"
    return None if answers.dtype.kind != "f" or np.isfinite(answers).all() else "answers NaN or infinity"


CASES = [
    (name, parameter) for name, estimator in ESTIMATORS.items() for parameter in estimator._get_param_names()
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=map(".".join, CASES))
def test_a_hostile_value_is_taken_or_refused(name, parameter):
    tried = {word: value for word, value in VALUES.items() if (parameter, word) not in TOO_LONG}
    found = {word: wrong(name, parameter, value) for word, value in tried.items()}
    assert {word: what for word, what in found.items() if what} == {}


def forest(n_rows=N_ROWS, weight=None, **parameters):
    y = NUMBERS[:n_rows, 0]
    return bough.RandomForestRegressor(5, random_state=0, **parameters).fit(NUMBERS[:n_rows], y, weight)


REFUSED = [
    (lambda: made("C45Classifier", subtree_raising=0), "subtree_raising is 0; it must be True or False"),
    (lambda: made("C45Classifier", confidence=1e-300), "confidence is 1e-300; .* at least 1e-10"),
    (lambda: made("C50Classifier", confidence=1e-300), "confidence is 1e-300"),
    (lambda: made("C50Classifier", min_samples_branch=1e-300), "min_samples_branch is 1e-300"),
    (lambda: made("REPTreeClassifier", cv=2**40), r"cv is 1099511627776; .* below 2\*\*31"),
    (lambda: made("REPTreeRegressor", cv=HUGE), "cv is 1000"),
    (lambda: made("CARTRegressor", criterion="poisson", shrink=1e300), "shrink is 1e[+]300; .* from 1e-100"),
    (lambda: made("CARTSurvival", shrink=1e-200), "shrink is 1e-200"),
    (lambda: made("CARTSurvival", shrink=HUGE), "shrink is 1000"),
    (lambda: made("CARTClassifier", cp=HUGE), "cp is 1000"),
    (lambda: made("CARTClassifier", ccp_alpha=HUGE), "ccp_alpha is 1000"),
    (lambda: made("CARTClassifier", random_state=-1), "random_state is -1; .* from 0 to"),
    (lambda: made("CARTSurvival", random_state=2**32), "random_state is 4294967296"),
    (lambda: made("UnsupervisedRandomForest", random_state=-1), "random_state is -1"),
    (lambda: made("TreeClassifier", smoothing=1e300), "smoothing is 1e[+]300; .* at most 1e[+]15"),
    (lambda: made("RandomForestClassifier", n_estimators=HUGE), "n_estimators is 1000"),
    (lambda: made("EqualWidthDiscretizer", n_bins=2**40), "n_bins is 1099511627776; .* from 2 to"),
    (lambda: made("ConditionalMeanImputer", given=1), "given is 1; .* a list of names"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message[:30] for _, message in REFUSED])
def test_a_parameter_is_refused_by_name(make, message):
    learner = make()
    with pytest.raises(ParameterError, match=message):
        learner.fit(*rows_for(type(learner).__name__))


@pytest.mark.filterwarnings("ignore:Some")
@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: forest(1, bias_correction=True), "bias_correction is True; .* no row is out of bag"),
        (lambda: forest(1, oob_score=True), "oob_score is True; it must be False unless .* no row is out"),
        (lambda: forest(1, oob_score=lambda y, answer: 0.0), "oob_score is .* no row is out of bag"),
        (
            lambda: bough.BaggingRegressor(n_estimators=3, oob_score=True).fit([[1.0]], [1.0]),
            "oob_score is True; it must be False unless .* no row is out of bag",
        ),
        (
            lambda: bough.BaggingClassifier(n_estimators=3, oob_score=True).fit([[1.0]], ["a"]),
            "oob_score is True; it must be False unless .* no row is out of bag",
        ),
        (lambda: iris_tree().pruned(HUGE), "ccp_alpha is 1000"),
        (lambda: error_based(iris_tree(), subtree_raising=0), "subtree_raising is 0"),
        (lambda: bough.pruning.ReducedError(greedy="yes"), "greedy is 'yes'"),
        (lambda: bough.pruning.Pessimistic(-1), "standard_errors is -1"),
        *(
            (call, "random_state is -1")
            for call in (
                lambda: bough.cross_validated(bough.TreeRegressor(), *rows_for(""), random_state=-1),
                lambda: bough.compare(*rows_for(""), learners={"a": bough.TreeRegressor()}, random_state=-1),
                lambda: bough.stability(
                    bough.TreeRegressor().fit(*rows_for("")), *rows_for(""), random_state=-1
                ),
            )
        ),
    ],
)
def test_what_is_asked_is_refused_by_name(ask, message):
    with pytest.raises(ParameterError, match=message):
        ask()


@pytest.mark.filterwarnings("ignore:Some")
@pytest.mark.parametrize("learner", ["RandomForestRegressor", "BaggingRegressor"])
def test_an_out_of_bag_score_of_one_row_is_refused(learner):
    refused = []
    for seed in range(20):
        one = getattr(bough, learner)(n_estimators=1, oob_score=True, random_state=seed)
        try:
            assert np.isfinite(one.fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0]).oob_score_)
        except ParameterError as error:
            refused.append(str(error))
    assert 0 < len(refused) < 20
    assert all("oob_score is True; it must be False unless there are more rows" in each for each in refused)


@pytest.mark.parametrize("learner", ["RandomForestClassifier", "BaggingClassifier"])
def test_an_out_of_bag_score_of_no_row_is_refused(learner):
    one = getattr(bough, learner)(n_estimators=2, oob_score=True)
    with pytest.raises(ParameterError, match=r"oob_score is True; .* no row is out of bag"):
        one.fit([[1.0]], ["a"])


@pytest.mark.parametrize("many", [1e300, 1.0])
def test_quantiles_hold_rows_of_a_weight_far_below_the_others(many):
    weight = np.r_[np.full(N_ROWS // 2, many), np.full(N_ROWS // 2, 1e-300)]
    quantiles = forest(weight=weight, quantiles=True).predict_quantiles(NUMBERS, [0, 0.5, 1])
    assert np.isfinite(quantiles).all()
    assert (np.diff(quantiles, axis=1) >= 0).all()


def test_bagged_id3_takes_a_column_without_values(tmp_path):
    X = np.array([["u", None]] * 6 + [["v", None]] * 6, dtype=object)
    bagged = bough.BaggingClassifier(bough.ID3Classifier(), 5, random_state=0).fit(X, [0] * 6 + [1] * 6)
    assert bagged.predict(X).tolist() == [0] * 6 + [1] * 6
    ordinal = bough.BaggingClassifier(
        bough.ID3Classifier(ordinal_features={0: ["u", "v"]}), 5, random_state=0
    )
    model = ordinal.fit(X, [0] * 6 + [1] * 6).model_
    model.save(tmp_path / "bagged.json")
    assert bough.load(tmp_path / "bagged.json") == model == bough.regrow(model, X, [0] * 6 + [1] * 6)


def test_a_rule_cannot_be_correct_for_more_than_it_covers():
    document = json.loads(json.dumps(tennis_rules().document()))
    document["rules"][0]["correct"] = document["rules"][0]["cover"] + 1
    with pytest.raises(FormatError, match=r"rules\[0\].correct: .* but the rule covers"):
        loads(json.dumps({"format": "bough model", "version": 3} | document).encode())


@pytest.mark.parametrize("scale", [[1e308, 1.0], [0.0, 0.0], [1.0, 1.0, 1.0]])
def test_class_weights_of_a_file_give_probabilities(scale):
    learner = bough.CARTClassifier(prior="equal", prune="none").fit(NUMBERS, ["a", "b"] * (N_ROWS // 2))
    text = to_text(learner.tree_.document() | {"class_scale": np.array(scale)})
    with pytest.raises(FormatError, match=r"class_scale: (.* finite sums above 0|has shape)"):
        loads(text.encode())


@pytest.mark.parametrize("name", ["cover", "correct", "prior", "estimate"])
def test_a_number_beyond_float64_in_a_rule_file_is_refused_by_name(name, tmp_path):
    document = json.loads(json.dumps(tennis_rules().document()))
    document["rules"][0][name] = HUGE
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"format": "bough model", "version": 3} | document))
    with pytest.raises(FormatError, match=rf"rules\[0\].{name}"):
        bough.load(path)
