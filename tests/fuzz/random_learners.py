"""All learners, with parameters drawn at random."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bough


class Spread(bough.UserMethod):
    """Squared errors around the mean, as a user would write it."""

    def evaluate(self, y, weight):
        mean = (weight * y).sum() / weight.sum()
        return mean, (weight * (y - mean) ** 2).sum()

    def error(self, y, answer):
        return (y - answer) ** 2


@dataclass(frozen=True)
class Kind:
    """A learner, the target that it needs, values of its parameters, and the laws that hold for it.

    `twice`: a weight of 2 is the row twice, to the last bit. `largest`: `predict` is the class of the largest
    probability. `sparse`: the table is sparse. `of_estimators`: the model holds estimators of any library,
    which a file cannot hold and which cannot be compared.
    """

    make: Callable[..., Any]
    task: str
    parameters: dict[str, list[Any]] = field(default_factory=dict)
    twice: bool = False
    largest: bool = True
    sparse: bool = False
    of_estimators: bool = False
    fixed: dict[str, Any] = field(default_factory=dict)

    def given(self, table):
        """Return what `fit` needs beside rows, target and weights."""
        return {"groups": table.groups} if self.task == "grades" else {}

    def drawn(self, rng):
        """Return a learner with some of the parameters set, and whether weights are numbers of cases."""
        given = {
            name: values[int(rng.integers(len(values)))]
            for name, values in self.parameters.items()
            if rng.random() < 0.4
        }
        weighs = {"class_weight", "prior", "loss_matrix", "cv", "prune", "missing"} & given.keys()
        return self.make(**self.fixed, **given), self.twice and not weighs


LIMITS = {
    "max_depth": [1, 2, 5],
    "min_samples_leaf": [1, 2, 0.1],
    "min_samples_split": [2, 5, 0.3],
    "max_leaf_nodes": [2, 4],
    "n_jobs": [1, 2],
}
PRUNE = {"prune": ["none", "one_se", "minimum", "mdl", "error_based", "pessimistic", "reduced_error"]}
SURROGATES = {
    "missing": ["surrogates_then_majority", "surrogates_then_stop", "stop", "majority"],
    "n_surrogates": [0, 2],
    "surrogate_rule": ["rpart"],
    "agreement": ["known"],
    "n_competitors": [3],
    "count": ["rows"],
    "cp": [0.0, 0.01],
    "path": ["rpart"],
}
CLASSES = {"class_weight": ["balanced"], "smoothing": ["laplace", 2.0]}
FOREST = {
    "max_features": [1, None, "sqrt", 0.5],
    "bootstrap": [True, False],
    "max_depth": [2, 5],
    "min_samples_leaf": [1, 3],
    "missing": ["learned", "majority"],
    "n_jobs": [1, 2],
}
OPTIMAL = {
    "max_leaf_nodes": [2, 3],
    "ccp_alpha": [0.0, 0.02],
    "min_samples_leaf": [1, 2, 0.1],
    "missing": ["learned", "majority"],
    "n_jobs": [1, 2],
}
CHAID = {
    "exhaustive": [True],
    "significance": [0.5, 1.0],
    "significance_merge": [0.2, 0.9],
    "bonferroni": [False],
    "min_samples_leaf": [1, 3],
    "min_samples_split": [2, 5],
    "min_node_fraction": [0.01, 0.1],
    "max_bins": [2, 5],
    "missing": ["majority"],
}
CONDITIONAL = {
    "significance": [0.05, 0.5, 1.0],
    "statistic": ["quadratic", "maximum"],
    "split_statistic": ["maximum"],
    "adjust": ["none"],
    "min_samples_split": [2, 10],
    "min_samples_leaf": [1, 4],
    "missing": ["majority", "surrogates_then_majority"],
}
SMALL = {"n_estimators": 4, "random_state": 3}
GROWN = {"prune": "none", "missing": "majority"}
ROUNDS = {"max_iter": 3, "random_state": 3}
BOOSTING = {
    "growth": ["level"],
    "max_depth": [2],
    "min_samples_leaf": [1, 3],
    "max_bins": [4],
    "max_samples": [0.5],
    "max_features": [0.5],
    "l2_regularization": [1.0],
    "early_stopping": [True],
    "n_jobs": [1, 2],
}
FEW_TREES = {"n_estimators": 5, "cv": 2}
LASSO = {"max_samples": [0.5], "min_samples_leaf": [1, 0.1], "max_terms": [2], "rule": ["best", "one_se"]}

KINDS = {
    "CARTClassifier": Kind(
        bough.CARTClassifier,
        "classes",
        LIMITS | PRUNE | SURROGATES | CLASSES | {"prior": ["equal"], "criterion": ["entropy", "twoing"]},
    ),
    "CARTClassifier, unpruned": Kind(bough.CARTClassifier, "classes", LIMITS, twice=True, fixed=GROWN),
    "CARTRegressor": Kind(
        bough.CARTRegressor,
        "numbers",
        LIMITS
        | SURROGATES
        | {"prune": ["none", "one_se", "minimum", "reduced_error"], "criterion": ["absolute_error"]},
    ),
    "CARTRegressor, unpruned": Kind(bough.CARTRegressor, "numbers", LIMITS, twice=True, fixed=GROWN),
    "CARTRegressor of events": Kind(
        bough.CARTRegressor,
        "events",
        LIMITS | SURROGATES | {"shrink": [0, 0.3, 2.0], "cv_error": ["sqrt"]},
        fixed={"criterion": "poisson"},
    ),
    "CARTSurvival": Kind(bough.CARTSurvival, "times", LIMITS | SURROGATES | {"shrink": [0, 0.3]}),
    "CART with combinations": Kind(
        bough.CARTClassifier,
        "classes",
        {"combinations": ["ratio", "linear"], "max_depth": [1, 3]},
        fixed=GROWN,
    ),
    "TreeClassifier": Kind(
        bough.TreeClassifier,
        "classes",
        LIMITS
        | CLASSES
        | {
            "criterion": ["gain_ratio", "chi_square", "deviance", "misclassification"],
            "nominal": ["complete", "one_vs_rest", "subset"],
            "significance": [0.05],
        },
        twice=True,
    ),
    "TreeRegressor": Kind(
        bough.TreeRegressor,
        "numbers",
        LIMITS | {"criterion": ["absolute_error"], "nominal": ["complete", "one_vs_rest"]},
        twice=True,
    ),
    "TreeClassifier of ranges": Kind(
        bough.TreeClassifier,
        "classes",
        CLASSES
        | {
            "criterion": ["gain_ratio", "chi_square", "entropy", "misclassification"],
            "branch_choice": ["criterion", "mdl", "most"],
            "missing": ["learned", "own_level", "majority"],
            "max_depth": [1, 3],
            "min_samples_leaf": [2, 0.1],
        },
        twice=True,
        fixed={"max_branches": 4},
    ),
    "TreeRegressor of ranges": Kind(
        bough.TreeRegressor,
        "numbers",
        {"branch_choice": ["mdl", "most"], "missing": ["own_level", "majority"], "max_depth": [1, 3]},
        twice=True,
        fixed={"max_branches": 4},
    ),
    "CHAIDClassifier": Kind(
        bough.CHAIDClassifier,
        "classes",
        CLASSES | CHAID | {"criterion": ["likelihood_ratio"]},
        twice=True,
    ),
    "CHAIDRegressor": Kind(bough.CHAIDRegressor, "numbers", CHAID, twice=True),
    "UserTree": Kind(
        bough.UserTree, "numbers", {"max_depth": [2], "prune": ["none"]}, fixed={"method": Spread(), "cv": 3}
    ),
    "OptimalTreeClassifier": Kind(
        bough.OptimalTreeClassifier, "classes", OPTIMAL | CLASSES, fixed={"max_depth": 2}
    ),
    "OptimalTreeRegressor": Kind(bough.OptimalTreeRegressor, "numbers", OPTIMAL, fixed={"max_depth": 2}),
    "ID3Classifier": Kind(
        bough.ID3Classifier, "classes", CLASSES | {"significance": [0.1], "max_depth": [2]}, twice=True
    ),
    "C45Classifier": Kind(
        bough.C45Classifier,
        "classes",
        CLASSES
        | {
            "confidence": [0.05, 0.9],
            "nominal": ["subset"],
            "prune": ["none", "reduced_error"],
            "min_samples_branch": [1, 5],
            "subtree_raising": [False],
        },
        twice=True,
    ),
    "J48": Kind(
        bough.C45Classifier,
        "classes",
        CLASSES | {"prune": ["none"], "nominal": ["one_vs_rest"]},
        fixed={"variant": "j48"},
    ),
    "C50Classifier": Kind(
        bough.C50Classifier,
        "classes",
        {
            "n_estimators": [3],
            "rules": [True],
            "winnow": [True],
            "fuzzy": [True],
            "nominal": ["subset"],
            "class_weight": ["balanced"],
            "global_pruning": [False],
            "bands": [3],
            "max_samples": [0.7],
        },
        largest=False,
    ),
    "REPTreeClassifier": Kind(
        bough.REPTreeClassifier, "classes", CLASSES | {"prune": ["none"], "max_depth": [2], "cv": [2, 5]}
    ),
    "M5Regressor": Kind(
        bough.M5Regressor,
        "numbers",
        {"prune": ["none"], "leaf": ["constant"], "smoothing_constant": [0.0], "min_samples_split": [20]},
    ),
    "CubistRegressor": Kind(
        bough.CubistRegressor, "numbers", {"n_estimators": [3], "n_neighbors": [5], "max_rules": [2]}
    ),
    "M5RulesRegressor": Kind(
        bough.M5RulesRegressor, "numbers", {"prune": ["none"], "leaf": ["constant"], "min_samples_split": [9]}
    ),
    "REPTreeRegressor": Kind(bough.REPTreeRegressor, "numbers", {"prune": ["none"], "cv": [2]}),
    "ConditionalTreeClassifier": Kind(
        bough.ConditionalTreeClassifier,
        "classes",
        CONDITIONAL | {"smoothing": ["laplace"]},
        twice=True,
        fixed={"distribution": "asymptotic"},
    ),
    "ConditionalTreeRegressor": Kind(bough.ConditionalTreeRegressor, "numbers", CONDITIONAL, twice=True),
    "ConditionalTreeSurvival": Kind(bough.ConditionalTreeSurvival, "times", CONDITIONAL),
    "SimpleCartClassifier": Kind(
        bough.SimpleCartClassifier,
        "classes",
        {"prune": ["none", "one_se"], "min_samples_leaf": [1, 5], "heuristic": [False], "cv": [2]},
    ),
    "DecisionStumpClassifier": Kind(bough.DecisionStumpClassifier, "classes", {"smoothing": ["laplace"]}),
    "DecisionStumpRegressor": Kind(bough.DecisionStumpRegressor, "numbers", {}),
    "OneRClassifier": Kind(bough.OneRClassifier, "classes", {"min_bucket": [1, 3]}),
    "PARTClassifier": Kind(
        bough.PARTClassifier,
        "classes",
        {
            "prune": ["none", "reduced_error"],
            "nominal": ["one_vs_rest"],
            "confidence": [0.05, 0.9],
            "min_samples_branch": [1],
        },
    ),
    "RIPPERClassifier": Kind(
        bough.RIPPERClassifier,
        "classes",
        {"prune": ["none"], "n_optimizations": [0, 1], "min_positives": [1, 5], "check_error": [False]},
    ),
    "RandomForestClassifier": Kind(
        bough.RandomForestClassifier,
        "classes",
        FOREST
        | {
            "class_weight": ["balanced", "balanced_subsample"],
            "voting": ["hard"],
            "nominal": ["subset"],
            "oob_score": [True],
        },
        fixed=SMALL,
    ),
    "RandomForestRegressor": Kind(
        bough.RandomForestRegressor,
        "numbers",
        FOREST | {"nominal": ["subset"], "quantiles": [True], "oob_score": [True], "bias_correction": [True]},
        fixed=SMALL,
    ),
    "ExtraTreesClassifier": Kind(bough.ExtraTreesClassifier, "classes", FOREST, fixed=SMALL),
    "ExtraTreesRegressor": Kind(bough.ExtraTreesRegressor, "numbers", FOREST, fixed=SMALL),
    "RandomSubspaceClassifier": Kind(bough.RandomSubspaceClassifier, "classes", fixed=SMALL),
    "RandomSubspaceRegressor": Kind(bough.RandomSubspaceRegressor, "numbers", fixed=SMALL),
    "BaggingClassifier": Kind(
        bough.BaggingClassifier,
        "classes",
        {
            "estimator": [
                bough.CARTClassifier(prior="equal", cv=3),
                bough.C45Classifier(),
                bough.C50Classifier(),
                bough.REPTreeClassifier(),
            ],
            "voting": ["hard"],
            "max_samples": [0.5],
            "max_features": [0.5],
        },
        fixed=SMALL,
    ),
    "BaggingRegressor": Kind(
        bough.BaggingRegressor,
        "numbers",
        {"estimator": [bough.CARTRegressor(cv=3), bough.REPTreeRegressor()], "max_samples": [0.5]},
        fixed=SMALL,
    ),
    "AdaBoostClassifier": Kind(
        bough.AdaBoostClassifier,
        "classes",
        {
            "estimator": [bough.TreeClassifier(max_depth=3), bough.C45Classifier(), bough.OneRClassifier()],
            "variant": ["discrete", "real"],
            "learning_rate": [0.3],
        },
        fixed=SMALL,
    ),
    "AdaBoostRegressor": Kind(
        bough.AdaBoostRegressor, "numbers", {"loss": ["square"], "bootstrap": [False]}, fixed=SMALL
    ),
    "LogitBoostClassifier": Kind(
        bough.LogitBoostClassifier, "classes", {"max_response": [2.0], "learning_rate": [0.3]}, fixed=SMALL
    ),
    "BrownBoostClassifier": Kind(
        bough.BrownBoostClassifier, "classes", {"target_error": [0.4], "min_correlation": [0.2]}, fixed=SMALL
    ),
    "GradientBoostingClassifier": Kind(bough.GradientBoostingClassifier, "classes", BOOSTING, fixed=ROUNDS),
    "ABCBoostClassifier": Kind(
        bough.ABCBoostClassifier, "classes", {"variant": ["mart"], "base_interval": [2]}, fixed=ROUNDS
    ),
    "AdditiveGrovesRegressor": Kind(
        bough.AdditiveGrovesRegressor, "numbers", {"variant": ["layered"], "max_grove_size": [2]}, fixed=SMALL
    ),
    "TransformRegressor": Kind(
        bough.TransformRegressor,
        "numbers",
        {"early_stopping": [False], "ridge": [0.0]},
        fixed={"max_iter": 2},
    ),
    "GradientBoostingRegressor": Kind(
        bough.GradientBoostingRegressor,
        "numbers",
        BOOSTING | {"loss": ["absolute_error", "huber", "quantile"]},
        fixed=ROUNDS,
    ),
    "GradientBoostingRegressor of events": Kind(
        bough.GradientBoostingRegressor,
        "events",
        {
            "growth": ["level"],
            "max_depth": [2],
            "max_bins": [4],
            "max_features": [0.5],
            "early_stopping": [True],
        },
        fixed=ROUNDS | {"loss": "poisson"},
    ),
    "TreeClassifier of several targets": Kind(bough.TreeClassifier, "several classes", LIMITS, twice=True),
    "TreeRegressor of several targets": Kind(bough.TreeRegressor, "several numbers", LIMITS, twice=True),
    "RandomForestClassifier of several targets": Kind(
        bough.RandomForestClassifier, "several classes", FOREST, fixed=SMALL
    ),
    "ExtraTreesRegressor of several targets": Kind(
        bough.ExtraTreesRegressor, "several numbers", FOREST, fixed=SMALL
    ),
    "TreeClassifier, sparse": Kind(bough.TreeClassifier, "classes", LIMITS, twice=True, sparse=True),
    "CARTRegressor, sparse": Kind(
        bough.CARTRegressor, "numbers", LIMITS, twice=True, fixed=GROWN, sparse=True
    ),
    "RandomForestClassifier, sparse": Kind(
        bough.RandomForestClassifier, "classes", FOREST, fixed=SMALL, sparse=True
    ),
    "RandomForestRegressor, sparse": Kind(
        bough.RandomForestRegressor, "numbers", FOREST, fixed=SMALL, sparse=True
    ),
    "ExtraTreesClassifier, sparse": Kind(
        bough.ExtraTreesClassifier, "classes", FOREST, fixed=SMALL, sparse=True
    ),
    "AdditiveGrovesClassifier": Kind(
        bough.AdditiveGrovesClassifier,
        "classes",
        {"variant": ["layered"]},
        fixed=SMALL | {"max_grove_size": 2, "min_leaf_fraction": 0.2},
    ),
    "BagBooClassifier": Kind(
        bough.BagBooClassifier, "classes", {"max_samples": [0.9], "max_features": [1.0]}, fixed=SMALL
    ),
    "BagBooRegressor": Kind(
        bough.BagBooRegressor, "numbers", {"max_samples": [0.9], "max_features": [1.0]}, fixed=SMALL
    ),
    "GradientBoostingRanker": Kind(
        bough.GradientBoostingRanker, "grades", {"loss": ["pairwise", "map", "mrr"]}, fixed=ROUNDS
    ),
    "GBRankRanker": Kind(bough.GBRankRanker, "grades", {"pair_margin": [0.5]}, fixed=SMALL),
    "RankBoostRanker": Kind(bough.RankBoostRanker, "grades", fixed=SMALL),
    "GradientBoostingSurvival": Kind(bough.GradientBoostingSurvival, "times", BOOSTING, fixed=ROUNDS),
    "RandomForestSurvival": Kind(
        bough.RandomForestSurvival, "times", {"max_features": [1, None], "max_depth": [2]}, fixed=SMALL
    ),
    "ISLEClassifier": Kind(bough.ISLEClassifier, "classes", LASSO | {"memory": [0.0, 1.0]}, fixed=FEW_TREES),
    "ISLERegressor": Kind(bough.ISLERegressor, "numbers", LASSO | {"memory": [0.0, 1.0]}, fixed=FEW_TREES),
    "RuleEnsembleClassifier": Kind(
        bough.RuleEnsembleClassifier, "classes", LASSO | {"linear_terms": [False]}, fixed=FEW_TREES
    ),
    "RuleEnsembleRegressor": Kind(
        bough.RuleEnsembleRegressor, "numbers", LASSO | {"linear_terms": [False]}, fixed=FEW_TREES
    ),
    "LinearTreeRegressor": Kind(
        bough.LinearTreeRegressor,
        "numbers",
        {"max_depth": [1], "min_samples_leaf": [3], "ridge": [0.0], "prune": ["none"], "max_bins": [4, None]},
    ),
    "LogisticModelTreeClassifier": Kind(
        bough.LogisticModelTreeClassifier,
        "classes",
        {"max_depth": [1], "prune": ["none", "one_se"], "cv": [2], "missing": ["majority"]},
        fixed={"max_boosting_steps": 5},
    ),
    "ModelTreeClassifier": Kind(
        bough.ModelTreeClassifier,
        "classes",
        {"max_depth": [1, 2], "min_samples_leaf": [5]},
        of_estimators=True,
    ),
    "ModelTreeRegressor": Kind(
        bough.ModelTreeRegressor,
        "numbers",
        {"max_depth": [1, 2], "min_samples_leaf": [5]},
        of_estimators=True,
    ),
}
