"""Decision trees, rules, forests and boosting that people can read, with a C++ core.

>>> import bough
>>> model = bough.CARTClassifier().fit([["red", 1.0], ["red", 2.0], ["blue", 2.0]], ["no", "yes", "yes"])
>>> model.predict([["red", 0.5]])
array(['no'], dtype='<U3')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bough.catalogue import HOMES, named
from bough.version import __version__ as __version__

if TYPE_CHECKING:
    from bough import errors
    from bough.comparison.choose import choose
    from bough.comparison.compare import compare
    from bough.comparison.comparison import Comparison
    from bough.data.databases.table import DatabaseTable
    from bough.data.files import read_table
    from bough.data.schema import Column, Schema
    from bough.data.survival import logrank_scores, rescaled_times
    from bough.data.table import Table
    from bough.discretizers.supervised import MDLDiscretizer
    from bough.discretizers.unsupervised import (
        EqualFrequencyDiscretizer,
        EqualWidthDiscretizer,
        KMeansDiscretizer,
    )
    from bough.ensembles.abcboost import ABCBoostClassifier
    from bough.ensembles.adaboost import AdaBoostClassifier, AdaBoostRegressor
    from bough.ensembles.additive_groves import AdditiveGrovesClassifier, AdditiveGrovesRegressor
    from bough.ensembles.bagboo import BagBooClassifier, BagBooRegressor
    from bough.ensembles.bagging import BaggingClassifier, BaggingRegressor
    from bough.ensembles.boosting_survival import GradientBoostingSurvival
    from bough.ensembles.brownboost import BrownBoostClassifier
    from bough.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
    from bough.ensembles.forest import Forest
    from bough.ensembles.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
    from bough.ensembles.importance import PermutationImportance
    from bough.ensembles.isle import ISLEClassifier, ISLERegressor
    from bough.ensembles.isolation_forest import IsolationForest
    from bough.ensembles.logitboost import LogitBoostClassifier
    from bough.ensembles.pair_rankers import GBRankRanker, RankBoostRanker
    from bough.ensembles.postprocessing import postprocess
    from bough.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
    from bough.ensembles.ranker import GradientBoostingRanker
    from bough.ensembles.regrow import regrow
    from bough.ensembles.rule_ensemble import RuleEnsembleClassifier, RuleEnsembleRegressor
    from bough.ensembles.subspace import RandomSubspaceClassifier, RandomSubspaceRegressor
    from bough.ensembles.survival_forest import RandomForestSurvival
    from bough.ensembles.transform_regressor import TransformRegressor
    from bough.ensembles.unsupervised import UnsupervisedRandomForest
    from bough.errors import BoughError
    from bough.evaluation.evaluate import cross_validated, evaluate
    from bough.evaluation.evaluation import Evaluation
    from bough.growing.limits import Limits
    from bough.growing.recipe import Recipe
    from bough.inspect.candidates import candidates
    from bough.inspect.combined_candidates import combined_candidates
    from bough.inspect.cut_curve import cut_curve
    from bough.inspect.explain import explain
    from bough.inspect.optimality import nearly_optimal_trees, optimality
    from bough.inspect.surrogates import surrogates
    from bough.learners.c45 import C45Classifier
    from bough.learners.c50 import C50Classifier
    from bough.learners.cart import CARTClassifier, CARTRegressor
    from bough.learners.chaid import CHAIDClassifier, CHAIDRegressor
    from bough.learners.conditional import (
        ConditionalTreeClassifier,
        ConditionalTreeRegressor,
        ConditionalTreeSurvival,
    )
    from bough.learners.cubist import CubistRegressor
    from bough.learners.id3 import ID3Classifier
    from bough.learners.linear_tree import LinearTreeRegressor
    from bough.learners.logistic import LogisticModelTreeClassifier
    from bough.learners.m5 import M5Regressor, M5RulesRegressor
    from bough.learners.model_tree import ModelTreeClassifier, ModelTreeRegressor
    from bough.learners.one_rule import OneRClassifier
    from bough.learners.optimal import OptimalTreeClassifier, OptimalTreeRegressor
    from bough.learners.part import PARTClassifier
    from bough.learners.rep import REPTreeClassifier, REPTreeRegressor
    from bough.learners.ripper import RIPPERClassifier
    from bough.learners.simple_cart import SimpleCartClassifier
    from bough.learners.stump import DecisionStumpClassifier, DecisionStumpRegressor
    from bough.learners.survival import CARTSurvival
    from bough.learners.tree import TreeClassifier, TreeRegressor
    from bough.learners.user_method import UserMethod
    from bough.learners.user_tree import UserTree
    from bough.loading import load
    from bough.missing_values.imputers import ConditionalMeanImputer, MeanImputer
    from bough.missing_values.missingness import Missingness, missingness
    from bough.models.gradient_boosted import GradientBoosted
    from bough.models.importance import Importance, importance
    from bough.reports.report import Report, report
    from bough.resampling.stability import Stability, stability
    from bough.rules import RuleSet
    from bough.tree import Tree
    from bough.tree.split import AtMost, Levels, Threshold

__all__ = [
    "ABCBoostClassifier",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "AdditiveGrovesClassifier",
    "AdditiveGrovesRegressor",
    "AtMost",
    "BagBooClassifier",
    "BagBooRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BoughError",
    "BrownBoostClassifier",
    "C45Classifier",
    "C50Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "CARTSurvival",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "Column",
    "Comparison",
    "ConditionalMeanImputer",
    "ConditionalTreeClassifier",
    "ConditionalTreeRegressor",
    "ConditionalTreeSurvival",
    "CubistRegressor",
    "DatabaseTable",
    "DecisionStumpClassifier",
    "DecisionStumpRegressor",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "Evaluation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "Forest",
    "GBRankRanker",
    "GradientBoosted",
    "GradientBoostingClassifier",
    "GradientBoostingRanker",
    "GradientBoostingRegressor",
    "GradientBoostingSurvival",
    "ID3Classifier",
    "ISLEClassifier",
    "ISLERegressor",
    "Importance",
    "IsolationForest",
    "KMeansDiscretizer",
    "Levels",
    "Limits",
    "LinearTreeRegressor",
    "LogisticModelTreeClassifier",
    "LogitBoostClassifier",
    "M5Regressor",
    "M5RulesRegressor",
    "MDLDiscretizer",
    "MeanImputer",
    "Missingness",
    "ModelTreeClassifier",
    "ModelTreeRegressor",
    "OneRClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PARTClassifier",
    "PermutationImportance",
    "REPTreeClassifier",
    "REPTreeRegressor",
    "RIPPERClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomForestSurvival",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "RankBoostRanker",
    "Recipe",
    "Report",
    "RuleEnsembleClassifier",
    "RuleEnsembleRegressor",
    "RuleSet",
    "Schema",
    "SimpleCartClassifier",
    "Stability",
    "Table",
    "Threshold",
    "TransformRegressor",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "UnsupervisedRandomForest",
    "UserMethod",
    "UserTree",
    "candidates",
    "choose",
    "combined_candidates",
    "compare",
    "cross_validated",
    "cut_curve",
    "errors",
    "evaluate",
    "explain",
    "importance",
    "load",
    "logrank_scores",
    "missingness",
    "nearly_optimal_trees",
    "optimality",
    "postprocess",
    "read_table",
    "regrow",
    "report",
    "rescaled_times",
    "stability",
    "surrogates",
]

# Modules that can be written as `bough.plot` after `import bough` alone.
_MODULES = frozenset(
    {
        "comparison",
        "data",
        "datasets",
        "discretizers",
        "engines",
        "ensembles",
        "errors",
        "evaluation",
        "example_models",
        "export",
        "growing",
        "inspect",
        "learners",
        "loading",
        "missing_values",
        "models",
        "plot",
        "progress",
        "pruning",
        "reports",
        "resampling",
        "rules",
        "sklearn",
        "tree",
    }
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"bough.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'bough' has no attribute {name!r}")
    value = named(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
