"""Where each public name lives, without importing any of it.

`import bough` loads a name when it is first used, so that the command line need not wait for scikit-learn.
Modules that need learners by name ask here and so do not import the package that imports them.
"""

from importlib import import_module
from typing import Any

HOMES = {
    "AtMost": "tree.split",
    "BaggingClassifier": "ensembles.bagging",
    "BaggingRegressor": "ensembles.bagging",
    "BoughError": "errors",
    "C45Classifier": "learners.c45",
    "C50Classifier": "learners.c50",
    "CARTClassifier": "learners.cart",
    "CARTRegressor": "learners.cart",
    "CARTSurvival": "learners.survival",
    "CHAIDClassifier": "learners.chaid",
    "CHAIDRegressor": "learners.chaid",
    "Column": "data.schema",
    "Comparison": "comparison.comparison",
    "ConditionalMeanImputer": "missing_values.imputers",
    "ConditionalTreeClassifier": "learners.conditional",
    "ConditionalTreeRegressor": "learners.conditional",
    "ConditionalTreeSurvival": "learners.conditional",
    "DecisionStumpClassifier": "learners.stump",
    "DecisionStumpRegressor": "learners.stump",
    "EqualFrequencyDiscretizer": "discretizers.unsupervised",
    "EqualWidthDiscretizer": "discretizers.unsupervised",
    "Evaluation": "evaluation.evaluation",
    "ExtraTreesClassifier": "ensembles.extra_trees",
    "ExtraTreesRegressor": "ensembles.extra_trees",
    "Forest": "ensembles.forest",
    "GradientBoosted": "models.gradient_boosted",
    "GradientBoostingClassifier": "ensembles.gradient_boosting",
    "GradientBoostingRegressor": "ensembles.gradient_boosting",
    "ID3Classifier": "learners.id3",
    "KMeansDiscretizer": "discretizers.unsupervised",
    "Levels": "tree.split",
    "Limits": "growing.limits",
    "MDLDiscretizer": "discretizers.supervised",
    "MeanImputer": "missing_values.imputers",
    "Missingness": "missing_values.missingness",
    "OneRClassifier": "learners.one_rule",
    "OptimalTreeClassifier": "learners.optimal",
    "OptimalTreeRegressor": "learners.optimal",
    "PARTClassifier": "learners.part",
    "PermutationImportance": "ensembles.importance",
    "REPTreeClassifier": "learners.rep",
    "REPTreeRegressor": "learners.rep",
    "RIPPERClassifier": "learners.ripper",
    "RandomForestClassifier": "ensembles.random_forest",
    "RandomForestRegressor": "ensembles.random_forest",
    "RandomSubspaceClassifier": "ensembles.subspace",
    "RandomSubspaceRegressor": "ensembles.subspace",
    "Recipe": "growing.recipe",
    "Report": "reports.report",
    "RuleSet": "rules",
    "Schema": "data.schema",
    "SimpleCartClassifier": "learners.simple_cart",
    "Stability": "resampling.stability",
    "Table": "data.table",
    "Threshold": "tree.split",
    "Tree": "tree",
    "TreeClassifier": "learners.tree",
    "TreeRegressor": "learners.tree",
    "UnsupervisedRandomForest": "ensembles.unsupervised",
    "UserMethod": "learners.user_method",
    "UserTree": "learners.user_tree",
    "candidates": "inspect.candidates",
    "choose": "comparison.choose",
    "combined_candidates": "inspect.combined_candidates",
    "compare": "comparison.compare",
    "cross_validated": "evaluation.evaluate",
    "cut_curve": "inspect.cut_curve",
    "evaluate": "evaluation.evaluate",
    "load": "loading",
    "logrank_scores": "data.survival",
    "missingness": "missing_values.missingness",
    "nearly_optimal_trees": "inspect.optimality",
    "optimality": "inspect.optimality",
    "DatabaseTable": "data.databases.table",
    "read_table": "data.files",
    "regrow": "ensembles.regrow",
    "report": "reports.report",
    "rescaled_times": "data.survival",
    "stability": "resampling.stability",
    "surrogates": "inspect.surrogates",
}


def named(name: str) -> Any:
    """Return the public class or function of this name.

    >>> named("TreeClassifier").__module__
    'bough.learners.tree'
    """
    return getattr(import_module(f"bough.{HOMES[name]}"), name)
