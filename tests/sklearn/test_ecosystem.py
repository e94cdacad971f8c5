"""The drop-in in scikit-learn's own tools, and its models in libraries that know scikit-learn's trees.

The libraries are optional: their tests are skipped where they are not installed.
"""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import export_text, plot_tree

import bough.sklearn as dropin

THEIR_WARNINGS = pytest.mark.filterwarnings("ignore")
"""For tests of optional libraries, whose warnings are not bough's."""


@pytest.fixture(scope="module")
def classes():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:300, :8].astype(np.float32), y[:300]


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:300].astype(np.float32), y[:300]


def test_halving_search(classes):
    search = HalvingGridSearchCV(
        dropin.RandomForestClassifier(random_state=0),
        {"max_depth": [1, 2, 4]},
        resource="n_estimators",
        max_resources=9,
        min_resources=3,
        cv=3,
        random_state=0,
    )
    assert search.fit(*classes).best_score_ > 0.85
    assert search.best_estimator_.n_estimators == 9


def test_calibration(classes):
    X, y = classes
    model = CalibratedClassifierCV(dropin.DecisionTreeClassifier(max_depth=4, random_state=0), cv=3)
    shares = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert model.score(X, y) > 0.9


def test_permutation_importance_finds_the_columns_that_matter(numbers):
    X, _ = numbers
    y = 5 * X[:, 2] + X[:, 4]
    model = dropin.RandomForestRegressor(10, random_state=0).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() == 2


@pytest.mark.parametrize("method", ["brute", "recursion"])
def test_partial_dependence(numbers, method):
    X, y = numbers
    model = dropin.RandomForestRegressor(5, random_state=0).fit(X, y)
    ours = partial_dependence(model, X, [2], method=method, kind="average")["average"]
    theirs = partial_dependence(model.to_sklearn(), X, [2], method=method, kind="average")["average"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_partial_dependence_display(numbers):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = numbers
    model = dropin.ExtraTreesRegressor(5, random_state=0).fit(X, y)
    display = PartialDependenceDisplay.from_estimator(model, X, [0, (2, 3)], grid_resolution=5)
    assert display.axes_.size == 2
    pyplot.close("all")


def test_voting_and_pipelines(classes):
    X, y = classes
    members = [
        ("tree", dropin.DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("forest", make_pipeline(StandardScaler(), dropin.RandomForestClassifier(5, random_state=0))),
    ]
    model = VotingClassifier(members, voting="soft").fit(X, y)
    each = [member.predict_proba(X) for member in model.estimators_]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(each, axis=0))
    assert SelectFromModel(members[0][1]).fit(X, y).transform(X).shape[1] < X.shape[1]


def test_sample_weight_is_routed(classes):
    X, y = classes
    weight = np.where(y == 1, 5.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        learner = dropin.DecisionTreeClassifier(max_depth=2, random_state=0)
        learner.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(learner, {"min_samples_leaf": [1]}, cv=2, refit=True)
        routed = search.fit(X, y, sample_weight=weight).best_estimator_
        scores = cross_validate(learner, X, y, params={"sample_weight": weight}, cv=2)["test_score"]
    alone = dropin.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict_proba(X), alone.predict_proba(X))
    assert scores.mean() > 0.9


def test_bagging_routes_to_its_members(classes):
    X, y = classes
    with sklearn.config_context(enable_metadata_routing=True):
        member = dropin.DecisionTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
        model = dropin.BaggingClassifier(member, n_estimators=3, random_state=0)
        assert model.fit(X, y, sample_weight=np.ones(len(y))).score(X, y) > 0.85


def test_set_output(numbers):
    X, _ = numbers
    frame = pd.DataFrame(X, columns=[f"c{position}" for position in range(X.shape[1])])
    model = dropin.RandomTreesEmbedding(2, max_depth=2, sparse_output=False, random_state=0)
    encoded = model.set_output(transform="pandas").fit_transform(frame)
    assert list(encoded.columns) == list(model.get_feature_names_out())
    assert (encoded.sum(axis=1) == 2).all()
    assert dropin.DecisionTreeRegressor().fit(frame, X[:, 0]).feature_names_in_[0] == "c0"


@THEIR_WARNINGS
def test_shap_explains(classes, numbers):
    shap = pytest.importorskip("shap")
    X, y = numbers
    own = dropin.RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, y).to_sklearn()
    explainer = shap.TreeExplainer(own)
    values = explainer.shap_values(X[:20])
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, own.predict(X[:20]), rtol=1e-4)
    tree = dropin.DecisionTreeClassifier(max_depth=3).fit(*classes).to_sklearn()
    assert np.shape(shap.TreeExplainer(tree).shap_values(classes[0][:5]))[0] == 5


@THEIR_WARNINGS
def test_skl2onnx_converts(classes):
    convert = pytest.importorskip("skl2onnx").to_onnx
    runtime = pytest.importorskip("onnxruntime")
    X, y = classes
    model = dropin.RandomForestClassifier(5, random_state=0).fit(X, y)
    document = convert(model.to_sklearn(), X[:1], options={"zipmap": False})
    session = runtime.InferenceSession(document.SerializeToString(), providers=["CPUExecutionProvider"])
    labels, shares = session.run(None, {session.get_inputs()[0].name: X})
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(shares, model.predict_proba(X), atol=1e-5)


@THEIR_WARNINGS
def test_treelite_imports(numbers):
    treelite = pytest.importorskip("treelite")
    X, y = numbers
    model = dropin.RandomForestRegressor(5, random_state=0).fit(X, y)
    imported = treelite.sklearn.import_model(model.to_sklearn())
    predicted = np.ravel(treelite.gtil.predict(imported, X))
    np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-5)


@THEIR_WARNINGS
def test_dtreeviz_draws(classes):
    dtreeviz = pytest.importorskip("dtreeviz")
    X, y = classes
    own = dropin.DecisionTreeClassifier(max_depth=2).fit(X, y).to_sklearn()
    names = [f"c{position}" for position in range(X.shape[1])]
    shadow = dtreeviz.model(own, X, y, feature_names=names, target_name="y", class_names=["no", "yes"])
    assert shadow.shadow_tree.nnodes() == own.tree_.node_count


@THEIR_WARNINGS
@pytest.mark.parametrize("converts", [False, True], ids=["drop-in", "to_sklearn"])
@pytest.mark.parametrize(
    "name",
    ["DecisionTree", "RandomForest", "Bagging", "AdaBoost", "HistGradientBoosting"],
)
def test_skops_saves(classes, name, converts):
    skops = pytest.importorskip("skops.io")
    X, y = classes
    model = getattr(dropin, f"{name}Classifier")(random_state=0).fit(X, y)
    predicted = model.predict(X)  # what prediction keeps in memory is not saved
    saved = skops.dumps(model.to_sklearn() if converts else model)
    unknown = skops.get_untrusted_types(data=saved)
    assert not converts or not any(each.startswith("bough") for each in unknown)
    again = skops.loads(saved, trusted=unknown)
    np.testing.assert_array_equal(again.predict(X), predicted)


@THEIR_WARNINGS
def test_export_text_and_plot_tree_of_to_sklearn(classes):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    model = dropin.DecisionTreeClassifier(max_depth=2, random_state=0).fit(*classes)
    assert export_text(model.to_sklearn()) == export_text(model)
    assert len(plot_tree(model.to_sklearn())) == len(plot_tree(model))
    pyplot.close("all")


@THEIR_WARNINGS
def test_shap_explains_histogram_boosting(classes):
    shap = pytest.importorskip("shap")
    X, y = classes
    model = dropin.HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, y)
    explainer = shap.TreeExplainer(model.to_sklearn())
    values = explainer.shap_values(X[:10])
    scores = model.decision_function(X[:10])
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, scores, rtol=1e-4)
