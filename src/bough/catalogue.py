"""Where each public name lives, without importing any of it.

`import bough` loads a name when it is first used, so that the command line need not wait for scikit-learn.
Modules that need learners by name ask here and so do not import the package that imports them.
"""

from importlib import import_module
from typing import Any

# The public names of each module.
_NAMES = {
    "comparison.choose": ("choose",),
    "comparison.compare": ("compare",),
    "comparison.comparison": ("Comparison",),
    "data.databases.table": ("DatabaseTable",),
    "data.files": ("read_table",),
    "data.schema": ("Column", "Schema"),
    "data.survival": ("logrank_scores", "rescaled_times"),
    "data.table": ("Table",),
    "discretizers.supervised": ("MDLDiscretizer",),
    "discretizers.unsupervised": ("EqualFrequencyDiscretizer", "EqualWidthDiscretizer", "KMeansDiscretizer"),
    "ensembles.abcboost": ("ABCBoostClassifier",),
    "ensembles.adaboost": ("AdaBoostClassifier", "AdaBoostRegressor"),
    "ensembles.additive_groves": ("AdditiveGrovesClassifier", "AdditiveGrovesRegressor"),
    "ensembles.bagboo": ("BagBooClassifier", "BagBooRegressor"),
    "ensembles.bagging": ("BaggingClassifier", "BaggingRegressor"),
    "ensembles.boosting_survival": ("GradientBoostingSurvival",),
    "ensembles.brownboost": ("BrownBoostClassifier",),
    "ensembles.extra_trees": ("ExtraTreesClassifier", "ExtraTreesRegressor"),
    "ensembles.forest": ("Forest",),
    "ensembles.gradient_boosting": ("GradientBoostingClassifier", "GradientBoostingRegressor"),
    "ensembles.importance": ("PermutationImportance",),
    "ensembles.isle": ("ISLEClassifier", "ISLERegressor"),
    "ensembles.isolation_forest": ("IsolationForest",),
    "ensembles.logitboost": ("LogitBoostClassifier",),
    "ensembles.pair_rankers": ("GBRankRanker", "RankBoostRanker"),
    "ensembles.postprocessing": ("postprocess",),
    "ensembles.random_forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "ensembles.ranker": ("GradientBoostingRanker",),
    "ensembles.regrow": ("regrow",),
    "ensembles.rule_ensemble": ("RuleEnsembleClassifier", "RuleEnsembleRegressor"),
    "ensembles.subspace": ("RandomSubspaceClassifier", "RandomSubspaceRegressor"),
    "ensembles.survival_forest": ("RandomForestSurvival",),
    "ensembles.transform_regressor": ("TransformRegressor",),
    "ensembles.unsupervised": ("UnsupervisedRandomForest",),
    "errors": ("BoughError",),
    "evaluation.evaluate": ("cross_validated", "evaluate"),
    "evaluation.evaluation": ("Evaluation",),
    "growing.limits": ("Limits",),
    "growing.recipe": ("Recipe",),
    "inspect.candidates": ("candidates",),
    "inspect.combined_candidates": ("combined_candidates",),
    "inspect.cut_curve": ("cut_curve",),
    "inspect.explain": ("explain",),
    "inspect.optimality": ("nearly_optimal_trees", "optimality"),
    "inspect.surrogates": ("surrogates",),
    "learners.c45": ("C45Classifier",),
    "learners.c50": ("C50Classifier",),
    "learners.cart": ("CARTClassifier", "CARTRegressor"),
    "learners.chaid": ("CHAIDClassifier", "CHAIDRegressor"),
    "learners.conditional": (
        "ConditionalTreeClassifier",
        "ConditionalTreeRegressor",
        "ConditionalTreeSurvival",
    ),
    "learners.cubist": ("CubistRegressor",),
    "learners.id3": ("ID3Classifier",),
    "learners.linear_tree": ("LinearTreeRegressor",),
    "learners.logistic": ("LogisticModelTreeClassifier",),
    "learners.m5": ("M5Regressor", "M5RulesRegressor"),
    "learners.model_tree": ("ModelTreeClassifier", "ModelTreeRegressor"),
    "learners.one_rule": ("OneRClassifier",),
    "learners.optimal": ("OptimalTreeClassifier", "OptimalTreeRegressor"),
    "learners.part": ("PARTClassifier",),
    "learners.rep": ("REPTreeClassifier", "REPTreeRegressor"),
    "learners.ripper": ("RIPPERClassifier",),
    "learners.simple_cart": ("SimpleCartClassifier",),
    "learners.stump": ("DecisionStumpClassifier", "DecisionStumpRegressor"),
    "learners.survival": ("CARTSurvival",),
    "learners.tree": ("TreeClassifier", "TreeRegressor"),
    "learners.user_method": ("UserMethod",),
    "learners.user_tree": ("UserTree",),
    "loading": ("load",),
    "missing_values.imputers": ("ConditionalMeanImputer", "MeanImputer"),
    "missing_values.missingness": ("Missingness", "missingness"),
    "models.gradient_boosted": ("GradientBoosted",),
    "models.importance": ("Importance", "importance"),
    "reports.report": ("Report", "report"),
    "resampling.stability": ("Stability", "stability"),
    "rules": ("RuleSet",),
    "tree": ("Tree",),
    "tree.split": ("AtMost", "Levels", "Threshold"),
}

HOMES = {name: module for module, names in _NAMES.items() for name in names}
"""The module of each public name."""


def named(name: str) -> Any:
    """Return the public class or function of this name.

    >>> named("TreeClassifier").__module__
    'bough.learners.tree'
    """
    return getattr(import_module(f"bough.{HOMES[name]}"), name)
