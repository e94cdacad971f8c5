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
    from bough import errors as errors
    from bough.comparison.choose import choose as choose
    from bough.comparison.compare import compare as compare
    from bough.comparison.comparison import Comparison as Comparison
    from bough.data.databases.table import DatabaseTable as DatabaseTable
    from bough.data.files import read_table as read_table
    from bough.data.schema import Column as Column
    from bough.data.schema import Schema as Schema
    from bough.data.survival import logrank_scores as logrank_scores
    from bough.data.survival import rescaled_times as rescaled_times
    from bough.data.table import Table as Table
    from bough.discretizers.supervised import MDLDiscretizer as MDLDiscretizer
    from bough.discretizers.unsupervised import EqualFrequencyDiscretizer as EqualFrequencyDiscretizer
    from bough.discretizers.unsupervised import EqualWidthDiscretizer as EqualWidthDiscretizer
    from bough.discretizers.unsupervised import KMeansDiscretizer as KMeansDiscretizer
    from bough.ensembles.abcboost import ABCBoostClassifier as ABCBoostClassifier
    from bough.ensembles.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from bough.ensembles.adaboost import AdaBoostRegressor as AdaBoostRegressor
    from bough.ensembles.additive_groves import AdditiveGrovesClassifier as AdditiveGrovesClassifier
    from bough.ensembles.additive_groves import AdditiveGrovesRegressor as AdditiveGrovesRegressor
    from bough.ensembles.bagboo import BagBooClassifier as BagBooClassifier
    from bough.ensembles.bagboo import BagBooRegressor as BagBooRegressor
    from bough.ensembles.bagging import BaggingClassifier as BaggingClassifier
    from bough.ensembles.bagging import BaggingRegressor as BaggingRegressor
    from bough.ensembles.boosting_survival import GradientBoostingSurvival as GradientBoostingSurvival
    from bough.ensembles.brownboost import BrownBoostClassifier as BrownBoostClassifier
    from bough.ensembles.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
    from bough.ensembles.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
    from bough.ensembles.forest import Forest as Forest
    from bough.ensembles.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
    from bough.ensembles.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
    from bough.ensembles.importance import PermutationImportance as PermutationImportance
    from bough.ensembles.isle import ISLEClassifier as ISLEClassifier
    from bough.ensembles.isle import ISLERegressor as ISLERegressor
    from bough.ensembles.isolation_forest import IsolationForest as IsolationForest
    from bough.ensembles.logitboost import LogitBoostClassifier as LogitBoostClassifier
    from bough.ensembles.pair_rankers import GBRankRanker as GBRankRanker
    from bough.ensembles.pair_rankers import RankBoostRanker as RankBoostRanker
    from bough.ensembles.postprocessing import postprocess as postprocess
    from bough.ensembles.random_forest import RandomForestClassifier as RandomForestClassifier
    from bough.ensembles.random_forest import RandomForestRegressor as RandomForestRegressor
    from bough.ensembles.ranker import GradientBoostingRanker as GradientBoostingRanker
    from bough.ensembles.regrow import regrow as regrow
    from bough.ensembles.rule_ensemble import RuleEnsembleClassifier as RuleEnsembleClassifier
    from bough.ensembles.rule_ensemble import RuleEnsembleRegressor as RuleEnsembleRegressor
    from bough.ensembles.subspace import RandomSubspaceClassifier as RandomSubspaceClassifier
    from bough.ensembles.subspace import RandomSubspaceRegressor as RandomSubspaceRegressor
    from bough.ensembles.survival_forest import RandomForestSurvival as RandomForestSurvival
    from bough.ensembles.transform_regressor import TransformRegressor as TransformRegressor
    from bough.ensembles.unsupervised import UnsupervisedRandomForest as UnsupervisedRandomForest
    from bough.errors import BoughError as BoughError
    from bough.evaluation.evaluate import cross_validated as cross_validated
    from bough.evaluation.evaluate import evaluate as evaluate
    from bough.evaluation.evaluation import Evaluation as Evaluation
    from bough.growing.limits import Limits as Limits
    from bough.growing.recipe import Recipe as Recipe
    from bough.inspect.candidates import candidates as candidates
    from bough.inspect.combined_candidates import combined_candidates as combined_candidates
    from bough.inspect.cut_curve import cut_curve as cut_curve
    from bough.inspect.explain import explain as explain
    from bough.inspect.optimality import nearly_optimal_trees as nearly_optimal_trees
    from bough.inspect.optimality import optimality as optimality
    from bough.inspect.surrogates import surrogates as surrogates
    from bough.learners.c45 import C45Classifier as C45Classifier
    from bough.learners.c50 import C50Classifier as C50Classifier
    from bough.learners.cart import CARTClassifier as CARTClassifier
    from bough.learners.cart import CARTRegressor as CARTRegressor
    from bough.learners.chaid import CHAIDClassifier as CHAIDClassifier
    from bough.learners.chaid import CHAIDRegressor as CHAIDRegressor
    from bough.learners.conditional import ConditionalTreeClassifier as ConditionalTreeClassifier
    from bough.learners.conditional import ConditionalTreeRegressor as ConditionalTreeRegressor
    from bough.learners.conditional import ConditionalTreeSurvival as ConditionalTreeSurvival
    from bough.learners.cubist import CubistRegressor as CubistRegressor
    from bough.learners.id3 import ID3Classifier as ID3Classifier
    from bough.learners.linear_tree import LinearTreeRegressor as LinearTreeRegressor
    from bough.learners.logistic import LogisticModelTreeClassifier as LogisticModelTreeClassifier
    from bough.learners.m5 import M5Regressor as M5Regressor
    from bough.learners.m5 import M5RulesRegressor as M5RulesRegressor
    from bough.learners.model_tree import ModelTreeClassifier as ModelTreeClassifier
    from bough.learners.model_tree import ModelTreeRegressor as ModelTreeRegressor
    from bough.learners.one_rule import OneRClassifier as OneRClassifier
    from bough.learners.optimal import OptimalTreeClassifier as OptimalTreeClassifier
    from bough.learners.optimal import OptimalTreeRegressor as OptimalTreeRegressor
    from bough.learners.part import PARTClassifier as PARTClassifier
    from bough.learners.rep import REPTreeClassifier as REPTreeClassifier
    from bough.learners.rep import REPTreeRegressor as REPTreeRegressor
    from bough.learners.ripper import RIPPERClassifier as RIPPERClassifier
    from bough.learners.simple_cart import SimpleCartClassifier as SimpleCartClassifier
    from bough.learners.stump import DecisionStumpClassifier as DecisionStumpClassifier
    from bough.learners.stump import DecisionStumpRegressor as DecisionStumpRegressor
    from bough.learners.survival import CARTSurvival as CARTSurvival
    from bough.learners.tree import TreeClassifier as TreeClassifier
    from bough.learners.tree import TreeRegressor as TreeRegressor
    from bough.learners.user_method import UserMethod as UserMethod
    from bough.learners.user_tree import UserTree as UserTree
    from bough.loading import load as load
    from bough.missing_values.imputers import ConditionalMeanImputer as ConditionalMeanImputer
    from bough.missing_values.imputers import MeanImputer as MeanImputer
    from bough.missing_values.missingness import Missingness as Missingness
    from bough.missing_values.missingness import missingness as missingness
    from bough.models.gradient_boosted import GradientBoosted as GradientBoosted
    from bough.models.importance import Importance as Importance
    from bough.models.importance import importance as importance
    from bough.reports.report import Report as Report
    from bough.reports.report import report as report
    from bough.resampling.stability import Stability as Stability
    from bough.resampling.stability import stability as stability
    from bough.rules import RuleSet as RuleSet
    from bough.tree import Tree as Tree
    from bough.tree.split import AtMost as AtMost
    from bough.tree.split import Levels as Levels
    from bough.tree.split import Threshold as Threshold

__all__ = sorted([*HOMES, "errors"])

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
