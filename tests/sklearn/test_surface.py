"""Every class of the drop-in has the methods, signatures, tags and attributes of scikit-learn's class."""

import inspect

import numpy as np
import pytest
import sklearn
import sklearn.ensemble
import sklearn.tree
from scipy.sparse import csr_matrix

import bough.sklearn as dropin

NAMES = [name for name in dropin.__all__ if isinstance(getattr(dropin, name), type)]
NEWEST = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)
MORE = {"to_sklearn"}
"""Methods that scikit-learn's classes do not have."""

OWN_TYPES = {"tree_", "estimator", "estimator_", "model_"}
"""Attributes that are objects of this package."""

ANSWERS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
    "apply",
    "decision_path",
    "transform",
)


def theirs(name):
    return getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name)


def public(something):
    return {name for name in dir(something) if not name.startswith("_")}


def parameters(function):
    return [(each.name, each.kind, each.default) for each in inspect.signature(function).parameters.values()]


@pytest.fixture(scope="module")
def fitted():
    """Both libraries' models by name, each fitted to the same rows, and the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=80)
    models = {}
    for name in NAMES:
        few = {
            each: 5
            for each in ("n_estimators", "max_iter")
            if each in inspect.signature(theirs(name)).parameters
        }
        target = np.where(y > 0, "yes", "no") if name.endswith("Classifier") else y
        models[name] = [
            cls(random_state=0, **few).fit(X, target) for cls in (getattr(dropin, name), theirs(name))
        ]
    return models, X


def test_every_class_that_patch_replaces_is_there():
    from bough.sklearn.patching import HOMES

    assert set(NAMES) == set(HOMES)


@pytest.mark.parametrize("name", NAMES)
def test_methods_have_the_same_names_and_parameters(name):
    ours, own = getattr(dropin, name), theirs(name)
    assert public(ours) - MORE == public(own)
    for method in sorted(public(own)):
        if inspect.isfunction(getattr(own, method)):
            given, wanted = parameters(getattr(ours, method)), parameters(getattr(own, method))
            # Older versions of scikit-learn lack some parameters of the newest one.
            assert given == wanted if NEWEST else set(given) >= set(wanted), method


@pytest.mark.parametrize("name", NAMES)
def test_tags_and_constraints_of_parameters(name):
    ours, own = getattr(dropin, name), theirs(name)
    assert ours().__sklearn_tags__() == own().__sklearn_tags__()
    assert ours._parameter_constraints == own._parameter_constraints


@pytest.mark.parametrize("name", NAMES)
def test_fitted_attributes_have_the_same_types_and_shapes(name, fitted):
    ours, own = fitted[0][name]
    assert {key for key in vars(ours) if key[0] != "_"} - {"model_"} == {
        key for key in vars(own) if key[0] != "_"
    }
    for key in sorted(public(own) - OWN_TYPES):
        if callable(inspect.getattr_static(own, key)) or not hasattr(own, key):
            continue
        mine, other = getattr(ours, key), getattr(own, key)
        assert callable(mine) == callable(other), key
        if not callable(other):
            assert type(mine) is type(other), key
        if isinstance(other, np.ndarray):
            assert (mine.dtype, mine.shape) == (other.dtype, other.shape), key


@pytest.mark.parametrize("name", NAMES)
def test_answers_have_the_same_types_and_shapes(name, fitted):
    models, X = fitted
    ours, own = models[name]
    for answer in ANSWERS:
        assert hasattr(ours, answer) == hasattr(own, answer), answer
        if not hasattr(own, answer):
            continue
        with np.errstate(divide="ignore"):  # logarithms of shares of 0
            mine, other = getattr(ours, answer)(X), getattr(own, answer)(X)
        assert type(mine) is type(other), answer
        if isinstance(other, (np.ndarray, csr_matrix)):
            assert mine.dtype == other.dtype, answer
            assert mine.shape[0] == other.shape[0], answer


def test_forests_ask_for_y():
    with pytest.raises(TypeError, match="y"):
        dropin.RandomForestRegressor().fit([[1.0], [2.0]])
