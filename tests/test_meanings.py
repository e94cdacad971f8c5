"""A parameter means the same in every learner that has it."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import bough
from bough.tree.tree import Tree


def learners_with(parameter: str) -> list[str]:
    """Return the names of the learners that have a parameter."""
    return [
        name
        for name in bough.__all__
        if inspect.isclass(made := getattr(bough, name))
        and issubclass(made, BaseEstimator)
        and parameter in inspect.signature(made).parameters
    ]


def learner_of(name: str, **parameters: object) -> BaseEstimator:
    """Return a learner with these parameters, and with few trees if it grows several."""
    made = getattr(bough, name)()
    small = {"n_estimators": 3, "max_iter": 3, "random_state": 0}
    return made.set_params(
        **{key: value for key, value in small.items() if key in made.get_params(deep=False)}, **parameters
    )


# Levels that tell nothing of the classes, three of each five of which are "no".
LEVELS = [["u"], ["v"]] * 50
CLASSES = np.repeat(["no", "yes", "no", "yes", "no"], 20)


@pytest.mark.parametrize("name", learners_with("loss_matrix"))
def test_losses_are_those_of_a_true_class_and_an_answer(name):
    learner = learner_of(name)
    assert set(learner.fit(LEVELS, CLASSES).predict(LEVELS)) == {"no"}
    learner.set_params(loss_matrix={("yes", "no"): 3.0})
    assert set(learner.fit(LEVELS, CLASSES).predict(LEVELS)) == {"yes"}
    learner.set_params(loss_matrix={("no", "yes"): 3.0})
    assert set(learner.fit(LEVELS, CLASSES).predict(LEVELS)) == {"no"}


RANDOM = np.random.default_rng(5)
NUMBERS = RANDOM.normal(size=(120, 3)).round(1)
SIGNAL = NUMBERS[:, 0] + NUMBERS[:, 1] * NUMBERS[:, 2] + RANDOM.normal(size=120)


# Learners whose model holds no trees with the rows of its leaves, and the one that needs a user's method.
WITHOUT_LEAVES = ("ABC", "Gradient", "ISLE", "RuleEnsemble", "Transform", "Unsupervised", "User")


def of_trees(parameter: str) -> list[str]:
    """Return the names of the learners of trees and forests that have a parameter."""
    return [name for name in learners_with(parameter) if not name.startswith(WITHOUT_LEAVES)]


def trees_of(learner: BaseEstimator) -> list[Tree]:
    """Fit a learner to rows with such a target as it predicts, and return its trees."""
    y = SIGNAL > 0 if type(learner).__name__.endswith("Classifier") else SIGNAL
    if type(learner).__name__.endswith("Survival"):
        y = np.column_stack([np.abs(SIGNAL) + 0.1, SIGNAL > 0])
    learner.fit(NUMBERS, y)
    return [learner.tree_] if hasattr(learner, "tree_") else list(learner.model_.trees)


@pytest.mark.parametrize("name", of_trees("min_samples_leaf"))
def test_every_leaf_has_the_cases_that_it_must_have(name):
    for tree in trees_of(learner_of(name, min_samples_leaf=9)):
        assert tree.cases[tree.is_leaf].min() >= 9


@pytest.mark.parametrize("name", of_trees("ccp_alpha"))
def test_a_price_of_leaves_leaves_fewer(name):
    [free], [dear] = (trees_of(learner_of(name, ccp_alpha=price)) for price in (0.0, 0.1))
    assert dear.n_leaves < free.n_leaves
