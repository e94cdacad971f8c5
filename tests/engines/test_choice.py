"""Learners ask for an engine by what the table and the recipe are; every choice offers the same function."""

import inspect
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from bough.data.table import Table
from bough.data.target import read_classes, read_weights
from bough.engines.choice import ENGINES, engine_for, grow
from bough.errors import ParameterError, TableError
from bough.growing.combinations import Combinations
from bough.growing.job import GrowingJob
from bough.growing.recipe import Recipe
from bough.growing.weighted_target import WeightedTarget

TABLE = Table.read([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0], [5.0, 5.5], [6.0, 5.0]])
SAMPLE = WeightedTarget(read_classes([0, 1, 0, 1, 0, 1]), read_weights(None, 6))
GINI = Recipe("gini", task="classification")


def purest(children):
    return (children.max(axis=2) / children.sum(axis=2)).max(axis=1)


def test_the_choice_follows_the_table_and_the_recipe():
    own = Recipe(purest, task="classification")
    assert engine_for(TABLE, GINI) == "bough.engines.native"
    assert engine_for(TABLE, own) == "bough.engines.memory"
    for recipe in (GINI, own):
        assert (
            engine_for(TABLE, replace(recipe, combinations=Combinations("linear")))
            == "bough.engines.combinations.growth"
        )
    with pytest.raises(TableError, match="No engine grows a tree from a dict"):
        engine_for({}, GINI)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.module)
def test_every_engine_has_the_same_door(engine):
    offered = [*inspect.signature(import_module(engine.module).grow_folds).parameters]
    assert offered == [*inspect.signature(grow).parameters]


@pytest.mark.parametrize("recipe", [GINI, Recipe(purest, task="classification")], ids=["native", "memory"])
@pytest.mark.parametrize("combinations", [None, Combinations("ratio"), Combinations("linear")])
def test_a_fold_is_left_out_of_its_tree(recipe, combinations):
    folds = np.array([0, 1, -1, 0, 1, -1], np.int32)
    recipe = replace(recipe, combinations=combinations)
    trees = grow(GrowingJob(TABLE, SAMPLE, recipe, folds, "y"))
    assert [tree.cases[0] for tree in trees] == [6, 4, 4]
    for fold, tree in enumerate(trees[1:]):
        rows = np.flatnonzero(folds != fold)
        [alone] = grow(GrowingJob(TABLE.take(rows), SAMPLE.take(rows), recipe, target_name="y"))
        assert tree == alone


def test_combinations_refuse_what_they_do_not_know():
    for wrong in ({"split_weight": np.ones(6)}, {"prior_events": 1.0}):
        sample = WeightedTarget(SAMPLE.target, SAMPLE.weights, **wrong)
        with pytest.raises(ParameterError, match="combinations"):
            grow(GrowingJob(TABLE, sample, replace(GINI, combinations=Combinations("linear"))))


def test_memory_refuses_what_it_does_not_know():
    for wrong in ({"split_weight": np.ones(6)}, {"prior_events": 1.0}, {"loss_matrix": 1.0 - np.eye(2)}):
        sample = WeightedTarget(SAMPLE.target, SAMPLE.weights, **wrong)
        with pytest.raises(ParameterError, match="need one of bough's own criteria"):
            grow(GrowingJob(TABLE, sample, Recipe(purest, task="classification")))


def test_an_engine_that_is_not_chosen_is_not_loaded():
    program = """
import sys
import bough.engines.choice
print([name for name in sys.modules if name.startswith("bough.engines.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['bough.engines.choice']"
