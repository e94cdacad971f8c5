"""The cases of the net, in the new names of parameters: a function for each learner."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aspects import Aspects, add_model
from builds import fitted, made
from calls import CALLS
from criteria import Median, SeveralNumbers, SquaredError, balance, spread_of_sums
from data_sets import data_set

_CLASS_CRITERIA = ("misclassification", "gini", "entropy", "deviance", "gain_ratio", "chi_square", "twoing")
_NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
_WEIGHTS = ("whole", "with zeros", "fractional", "fractional with zeros", "tiny")
_PRUNINGS = (
    *("none", "reduced_error", "pessimistic", "error_based", "mdl"),
    made("ReducedError", cv=5, random_state=None),
    made("ReducedError", cv=4, greedy=True, backfit=True),
    made("Pessimistic", standard_errors=0.5),
    made("ErrorBased", confidence=0.1, subtree_raising=False),
    made("ErrorBased", estimate="j48"),
    made("MinimumLength"),
)
_MISSING = ("majority", "refuse", "stop", "surrogates_then_stop", "surrogates_then_majority")
_LIMITS = (
    {"max_depth": 3},
    {"min_samples_split": 30},
    {"min_samples_split": 0.2},
    {"min_samples_leaf": 12},
    {"min_samples_leaf": 0.05},
    {"min_weight_fraction_leaf": 0.1},
    {"max_leaf_nodes": 7},
    {"max_leaf_nodes": 20, "min_samples_leaf": 3},
    {"min_impurity_decrease": 0.01},
)


@dataclass(frozen=True)
class Fit:
    """A learner with its parameters, fitted to a data set with these arguments."""

    learner: str
    data: str
    parameters: dict[str, Any] = field(default_factory=dict)
    fit: dict[str, Any] = field(default_factory=dict)
    door: str = ""

    @property
    def id(self) -> str:
        named = {**self.parameters, **{f"fit.{name}": value for name, value in self.fit.items()}}
        words = ", ".join(f"{name}={_words(value)}" for name, value in named.items())
        return f"{self.learner}{f'.{self.door}' if self.door else ''} / {self.data} / {words or 'defaults'}"

    def run(self, aspects: Aspects) -> None:
        data = data_set(self.data)
        add_model(aspects, fitted(self.learner, data, self.parameters, self.fit, self.door), data)


def _words(value: Any) -> str:
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return type(value).__name__ if " object at " in repr(value) else str(value)


@dataclass(frozen=True)
class Call:
    """A function of bough, called on what `calls.py` prepares for it."""

    name: str
    work: Callable[[Aspects], None]

    @property
    def id(self) -> str:
        return f"function / {self.name}"

    def run(self, aspects: Aspects) -> None:
        self.work(aspects)


def all_cases() -> list[Fit | Call]:
    """Return every case, in an order that stays."""
    learners = (
        *(cart_classifier, cart_regressor, cart_survival, like_rpart, tree_classifier, tree_regressor, id3),
        *(
            c45,
            c50,
            reptree,
            chaid,
            conditional,
            weka,
            user_tree,
            model_trees,
            random_forest,
            extra_trees,
            subspace,
            bagging,
            boosting,
            reweighted,
            lassoed,
            unsupervised,
            columns,
        ),
        large,
    )
    cases: list[Fit | Call] = [case for each in learners for case in each()]
    cases += [Call(name, work) for name, work in CALLS.items()]
    ids = [case.id for case in cases]
    assert len(set(ids)) == len(ids), sorted(each for each in set(ids) if ids.count(each) > 1)
    return cases


def varied(learner: str, data: str, *variations: dict[str, Any], **base: Any) -> Iterator[Fit]:
    """Yield a case for each variation of the parameters; a key such as "fit.sample_weight" is for fit."""
    for variation in variations:
        both = {**base, **variation}
        fit = {name.removeprefix("fit."): both.pop(name) for name in list(both) if name.startswith("fit.")}
        yield Fit(learner, data, both, fit)


def each(name: str, values: Any) -> tuple[dict[str, Any], ...]:
    """Return a variation for each value of one parameter."""
    return tuple({name: value} for value in values)


def on(learner: str, names: tuple[str, ...], **parameters: Any) -> Iterator[Fit]:
    """Yield a case for each data set."""
    for name in names:
        yield Fit(learner, name, parameters)


def cart_classifier() -> Iterator[Fit]:
    learner = "CARTClassifier"
    stored = ("iris", "glass", "pima", "titanic", "kyphosis", "cureliab", "stagec", "labor", "votes", "zoo")
    drawn = ("ties", "lists", "polars", "large five", "penguins species", "penguins sex")
    yield from on(learner, stored + drawn)
    yield from varied(
        learner, "mixed five", *each("criterion", (*_CLASS_CRITERIA, "log_loss", balance)), prune="none"
    )
    yield from varied(learner, "gaps two", *each("criterion", (*_CLASS_CRITERIA, balance)), max_depth=5)
    yield from varied(learner, "mixed two", *_LIMITS, {"min_improvement": 0.05}, prune="none")
    yield from varied(learner, "gaps five", *each("missing", _MISSING))
    yield from varied(learner, "mixed two", {"missing": "refuse"})
    yield from varied(learner, "gaps two", *each("fit.sample_weight", _WEIGHTS))
    yield from varied(
        learner, "gaps two", {}, {"max_leaf_nodes": 9}, count="rows", **{"fit.sample_weight": "whole"}
    )
    yield from varied(learner, "mixed five", *each("prune", (*_PRUNINGS, "one_se", "minimum")))
    yield from varied(
        learner, "gaps two", *each("prune", ("reduced_error", "pessimistic", "error_based", "mdl"))
    )
    yield from varied(learner, "pima", *_cart_choices(), *_cart_costs(), *_cart_surrogates())
    yield from varied(
        learner, "mixed two", *each("class_weight", ("balanced", {"yes": 3.0, "no": 0.5}, {"maybe": 2}))
    )
    yield from varied(learner, "glass", *_losses("1", "2", "7"))
    yield from varied(learner, "mixed five", *_losses("a", "b", "e"), prune="none", max_depth=6)
    yield from varied(learner, "iris", *each("smoothing", ("laplace", 2.0, "strong")))
    yield from varied(
        learner, "mixed five", {"max_exhaustive_levels": 3}, {"max_exhaustive_levels": 1}, max_depth=4
    )
    yield from varied(learner, "numbers two", *_combinations())
    yield from varied(learner, "iris", {"combinations": ("ratio", "linear")}, {"combinations": "bivariate"})
    yield from varied(learner, "mixed five", *each("n_jobs", (1, 2)), prune="minimum")
    yield from varied(learner, "iris", *_refused(), {"criterion": "squared_error"}, {"smoothing": -1.0})


def _cart_choices() -> tuple[dict[str, Any], ...]:
    from sklearn.model_selection import KFold

    return (
        *each("cv", (3, 5, "folds", KFold(4))),
        {"cv": 5, "random_state": 7},
        {"prune": "cp", "cp": 0.02},
        {"prune": "cp", "cp": 0.01, "cv": None},
        {"prune": "minimum", "cp": 0.005},
        *each("ccp_alpha", (0.0, 0.005, 0.02)),
        {"path": "rpart"},
        {"path": "rpart", "prune": "cp", "cp": 0.01},
        {"cv": None},
    )


def _cart_costs() -> tuple[dict[str, Any], ...]:
    return (
        {"column_costs": {"glucose": 4.0}},
        {"column_costs": [1, 3, 1, 1, 1, 0.5, 1, 2]},
        {"column_costs": {"glucose": 2.0}, "n_competitors": 2, "prior": "equal"},
        *each("prior", ("equal", [0.3, 0.7], {"pos": 0.5, "neg": 0.5}, [0.3, 0.3])),
        {"loss_matrix": {("pos", "neg"): 5.0}},
        {"loss_matrix": [[0, 1], [4, 0]], "prior": [0.5, 0.5], "missing": "majority"},
        {"loss_matrix": {("pos", "neg"): 3.0}, "class_weight": "balanced", "fit.sample_weight": "fractional"},
        {"loss_matrix": [[0, 1, 2]]},
    )


def _cart_surrogates() -> tuple[dict[str, Any], ...]:
    return (
        {"n_surrogates": 0},
        {"n_surrogates": 2, "agreement": "known"},
        {"surrogate_rule": "rpart", "n_surrogates": 9},
        {"n_competitors": 3},
        {"n_competitors": 9, "missing": "stop", "max_depth": 4, "prune": "none"},
    )


def _losses(first: str, second: str, third: str) -> tuple[dict[str, Any], ...]:
    one_way = {(first, second): 4.0, (third, first): 0.5}
    return (
        {"loss_matrix": one_way},
        {"loss_matrix": {**one_way, (second, third): 3.0}, "criterion": "twoing"},
        {"prior": "equal", "loss_matrix": one_way, "criterion": "entropy"},
    )


def _combinations() -> tuple[dict[str, Any], ...]:
    return (
        *each("combinations", ("ratio", "bivariate", "linear", ("ratio", "bivariate", "linear"))),
        {"combinations": "linear", "combination_deletion": 0.6, "max_depth": 3},
        {"combinations": "bivariate", "combination_penalty": 0.2, "combination_features": [0, 1]},
        {"combinations": "linear", "prune": "none", "fit.sample_weight": "fractional", "max_depth": 4},
        {"combinations": "linear", "missing": "stop"},
    )


def _refused() -> tuple[dict[str, Any], ...]:
    return (
        *({"max_depth": 0}, {"min_samples_leaf": 0}, {"prune": "hard"}, {"missing": "sometimes"}),
        *({"n_jobs": 0}, {"fit.sample_weight": [1.0]}, {"categorical_features": ["nothing"]}),
    )


def cart_regressor() -> Iterator[Fit]:
    learner = "CARTRegressor"
    yield from on(
        learner, ("airquality", "cartest", "cpus", "cusummary", "hitters", "mtcars", "large number")
    )
    yield from on(learner, ("penguins body_mass_g",), prune="minimum")
    criteria = each("criterion", (*_NUMBER_CRITERIA, spread_of_sums))
    yield from varied(learner, "gaps number", *criteria)
    yield from varied(learner, "mixed count", *criteria, prune="none", max_depth=6)
    yield from varied(learner, "solder", {}, {"shrink": 0.0}, {"cv_error": "sqrt"}, criterion="poisson")
    yield from varied(learner, "gaps count", *_exposures(), criterion="poisson")
    yield from varied(learner, "mixed number", *_LIMITS, {"min_improvement": 0.05}, prune="none")
    yield from varied(learner, "gaps number", *each("missing", _MISSING))
    yield from varied(learner, "gaps number", *each("fit.sample_weight", _WEIGHTS))
    yield from varied(
        learner, "small number", *each("fit.sample_weight", _WEIGHTS), criterion="absolute_error"
    )
    yield from varied(learner, "mixed number", *each("prune", (*_PRUNINGS, "minimum")))
    yield from varied(learner, "airquality", *_cart_choices(), *_cart_surrogates())
    yield from varied(
        learner, "airquality", {"column_costs": {"Temp": 3.0}}, {"column_costs": [2, 1, 1, 1, 1]}
    )
    yield from varied(learner, "numbers number", *_combinations(), cv=3, min_samples_leaf=8)
    yield from varied(
        learner, "mixed number", *each("n_jobs", (1, 2)), {"count": "rows", "fit.sample_weight": "whole"}
    )
    yield from varied(learner, "iris", {}, {"criterion": "gini"})


def _exposures() -> tuple[dict[str, Any], ...]:
    return (
        {"fit.exposure": "exposure"},
        {"fit.exposure": "exposure", "shrink": 0.0, "fit.sample_weight": "whole"},
        {
            "fit.exposure": "exposure",
            "cv_error": "sqrt",
            "prune": "minimum",
            "fit.sample_weight": "fractional",
        },
    )


def cart_survival() -> Iterator[Fit]:
    learner = "CARTSurvival"
    variations = (
        *({}, {"prune": "none", "max_depth": 4}, {"prune": "minimum", "shrink": 0.0}, {"cv_error": "sqrt"}),
        *(
            {"column_costs": {"g2": 2.0}},
            {"count": "rows", "fit.sample_weight": "whole"},
            {"n_competitors": 2},
        ),
        *({"missing": "majority", "ccp_alpha": 0.01}, {"fit.sample_weight": "fractional with zeros"}),
    )
    yield from varied(learner, "stagec_surv", *variations)
    yield from varied(
        learner, "gaps time", {}, *each("missing", _MISSING), {"max_leaf_nodes": 6, "prune": "none"}
    )
    yield from varied(learner, "mixed pairs", {}, {"max_depth": 0})


def like_rpart() -> Iterator[Fit]:
    options: tuple[dict[str, Any], ...] = (
        *({}, {"cp": 0.001, "minsplit": 5}, {"usesurrogate": 0}, {"usesurrogate": 1, "maxsurrogate": 3}),
        *({"surrogatestyle": 1}, {"maxcompete": 0, "xval": 0}, {"minbucket": 4, "maxdepth": 3}, {"xval": 5}),
    )
    for data in ("stagec", "cureliab"):
        for option in (*options, {"split": "information"}):
            yield Fit("CARTClassifier", data, option, door="like_rpart")
    yield Fit("CARTClassifier", "kyphosis", {"prior": [0.6, 0.4]}, door="like_rpart")
    yield Fit("CARTClassifier", "kyphosis", {"loss": [[0, 1], [3, 0]]}, door="like_rpart")
    yield Fit("CARTClassifier", "kyphosis", {"cost": [1, 2, 3]}, door="like_rpart")
    for option in (*options, {"method": "poisson"}, {"method": "poisson", "error": "sqrt"}):
        yield Fit("CARTRegressor", "airquality", option, door="like_rpart")
    for option in ({}, {"error": "sqrt"}, {"shrink": 0.5, "minsplit": 10}, {"usesurrogate": 0}):
        yield Fit("CARTSurvival", "stagec_surv", option, door="like_rpart")


def tree_classifier() -> Iterator[Fit]:
    learner = "TreeClassifier"
    yield from on(
        learner, ("iris", "titanic", "labor", "ties", "lists", "polars", "large two", "numbers five")
    )
    kinds = ("subset", "complete", "one_vs_rest")
    for kind in kinds:
        yield from varied(
            learner, "gaps five", *each("criterion", (*_CLASS_CRITERIA, balance)), nominal=kind, max_depth=5
        )
    more = ({"min_gain": 0.02}, {"purity": 0.8}, {"significance": 0.01}, {"min_events": 3.0})
    yield from varied(learner, "mixed two", *_LIMITS, *more)
    yield from varied(learner, "gaps two", *each("fit.sample_weight", _WEIGHTS), max_depth=6)
    yield from varied(learner, "mixed two", *each("prune", _PRUNINGS), nominal="complete")
    yield from varied(learner, "gaps two", *each("missing", _MISSING), {"class_weight": "balanced"})
    yield from varied(
        learner, "iris", {"smoothing": "laplace"}, {"categorical_features": "all"}, {"n_jobs": 2}, *_refused()
    )
    yield from varied(learner, "zoo", {"ordinal_features": ["legs"]}, {"categorical_features": ["legs"]})


def tree_regressor() -> Iterator[Fit]:
    learner = "TreeRegressor"
    yield from on(learner, ("airquality", "mtcars", "cartest", "large number", "numbers count"))
    for kind in ("subset", "complete", "one_vs_rest"):
        yield from varied(
            learner,
            "gaps count",
            *each("criterion", (*_NUMBER_CRITERIA, spread_of_sums)),
            nominal=kind,
            max_depth=4,
        )
    more = ({"min_gain": 0.5}, {"min_variance": 20.0}, {"min_events": 3.0})
    yield from varied(learner, "mixed number", *_LIMITS, *more)
    yield from varied(
        learner, "gaps number", *each("fit.sample_weight", _WEIGHTS), *each("missing", _MISSING), max_depth=5
    )
    yield from varied(learner, "mixed number", *each("prune", _PRUNINGS))


def id3() -> Iterator[Fit]:
    learner = "ID3Classifier"
    yield from on(learner, ("tennis", "titanic", "haireye", "monk1", "votes", "iris"))
    variations = (
        *({"significance": 0.01}, {"max_depth": 3}, {"min_samples_split": 20}, {"class_weight": "balanced"}),
        *({"smoothing": "laplace"}, {"missing": "refuse"}, {"fit.sample_weight": "fractional"}),
        *each("prune", _PRUNINGS),
    )
    yield from varied(learner, "votes", *variations)
    yield from varied(learner, "iris", {"categorical_features": "all"})


def c45() -> Iterator[Fit]:
    learner = "C45Classifier"
    names = (
        "iris",
        "glass",
        "pima",
        "labor",
        "votes",
        "zoo",
        "cureliab",
        "gaps five",
        "mixed two",
        "ties",
        "lists",
    )
    for variant in ("c4.5", "j48"):
        yield from on(learner, names, variant=variant)
        variations = (
            *(
                {"min_samples_branch": 5},
                {"confidence": 0.1},
                {"subtree_raising": False},
                {"class_weight": "balanced"},
            ),
            *(
                {"smoothing": "laplace"},
                {"nominal": "subset"},
                {"nominal": "one_vs_rest"},
                {"criterion": "entropy"},
            ),
            *({"n_jobs": 1}, {"n_jobs": 2}, {"min_samples_branch": 0}),
            *each("prune", _PRUNINGS),
            *each("fit.sample_weight", ("whole", "fractional", "with zeros")),
        )
        yield from varied(learner, "gaps two", *variations, variant=variant)


def c50() -> Iterator[Fit]:
    learner = "C50Classifier"
    yield from on(
        learner,
        ("iris", "glass", "pima", "labor", "votes", "cureliab", "gaps five", "ties", "lists", "large two"),
    )
    variations = (
        *(
            {"n_estimators": 5},
            {"rules": True},
            {"n_estimators": 4, "rules": True},
            {"nominal": "complete"},
            {"winnow": True},
        ),
        *(
            {"rules": True, "bands": 10},
            {"global_pruning": False},
            {"confidence": 0.05},
            {"min_samples_branch": 10},
        ),
        *(
            {"fuzzy": True},
            {"max_samples": 0.6},
            {"max_samples": 0.5, "random_state": 3, "n_estimators": 3},
            {"n_estimators": 0},
        ),
        *(
            {"n_estimators": 8, "early_stopping": False},
            {"n_estimators": 3, "n_jobs": 1},
            {"n_estimators": 3, "n_jobs": 2},
        ),
        *(
            {"weighting": "relative", "fit.sample_weight": "whole"},
            {"weighting": "cases", "fit.sample_weight": "whole"},
        ),
        *each("fit.sample_weight", _WEIGHTS),
    )
    yield from varied(learner, "gaps two", *variations)
    yield from varied(
        learner,
        "glass",
        {"n_estimators": 6},
        {"n_estimators": 3, "rules": True},
        {"winnow": True, "nominal": "complete"},
    )
    for name in ("pima", "glass", "numbers five"):
        yield from varied(learner, name, {}, {"n_estimators": 4}, {"min_samples_branch": 8}, fuzzy=True)
    for more in (
        {},
        {"n_estimators": 3},
        {"fuzzy": True},
        {"rules": True},
        {"rules": True, "n_estimators": 3, "winnow": True},
    ):
        yield from varied(
            learner, "pima", {"loss_matrix": {("pos", "neg"): 5.0}}, {"loss_matrix": [[0, 1], [3, 0]]}, **more
        )
        yield from varied(learner, "glass", *_losses("1", "2", "7")[:1], **more)


def reptree() -> Iterator[Fit]:
    both = (
        *(
            {"random_state": 5},
            {"random_state": None},
            {"cv": 5},
            {"max_depth": 3},
            {"min_samples_branch": 8},
        ),
        *({"n_jobs": 2}, {"cv": 1}, {"random_state": 9, "prune": "none"}),
        *each("prune", _PRUNINGS),
        *each("fit.sample_weight", ("whole", "fractional", "with zeros")),
    )
    yield from on("REPTreeClassifier", ("iris", "glass", "pima", "labor", "votes", "gaps five", "ties"))
    yield from varied(
        "REPTreeClassifier", "gaps two", *both, {"class_weight": "balanced"}, {"smoothing": 1.0}
    )
    yield from on("REPTreeRegressor", ("airquality", "cartest", "mtcars", "cpus", "large number"))
    yield from varied(
        "REPTreeRegressor",
        "gaps number",
        *both,
        {"min_variance_fraction": 0.1},
        {"min_variance_fraction": 0.0},
    )


def chaid() -> Iterator[Fit]:
    variations = (
        {"exhaustive": True},
        {"criterion": "likelihood_ratio"},
        {"significance_split_merged": 0.02},
        {"bonferroni": False, "significance": 0.2},
        {"min_node_fraction": 0.01, "max_bins": 5},
        {"missing": "majority"},
        *each("fit.sample_weight", ("whole", "fractional", "with zeros")),
    )
    yield from on("CHAIDClassifier", ("iris", "titanic", "glass", "votes", "ties", "penguins species"))
    yield from varied("CHAIDClassifier", "gaps two", *variations)
    yield from on("CHAIDRegressor", ("airquality", "cartest", "mtcars", "large number"))
    yield from varied("CHAIDRegressor", "gaps number", {}, {"exhaustive": True}, {"max_depth": 2})
    yield from varied("TreeClassifier", "gaps five", *each("branch_choice", ("mdl", "most")), max_branches=4)
    yield from varied("TreeRegressor", "gaps number", {}, {"missing": "own_level"}, max_branches=4)


def conditional() -> Iterator[Fit]:
    variations = (
        {},
        {"significance": 0.5, "min_samples_leaf": 1, "min_samples_split": 2},
        {"statistic": "maximum", "split_statistic": "maximum"},
        {"adjust": "none", "max_depth": 3},
        {"min_statistic": 3.0},
        {"missing": "surrogates_then_majority"},
        {"distribution": "monte_carlo", "n_resamples": 50, "random_state": 3},
        *each("fit.sample_weight", ("whole", "fractional", "with zeros")),
    )
    tables = ("iris", "titanic", "glass", "ties", "penguins species")
    yield from on("ConditionalTreeClassifier", tables)
    for name in ("gaps two", "gaps five"):
        yield from varied("ConditionalTreeClassifier", name, *variations)
    yield from on("ConditionalTreeRegressor", ("airquality", "cartest", "mtcars", "large number"))
    yield from varied("ConditionalTreeRegressor", "gaps number", *variations)
    yield from on("ConditionalTreeSurvival", ("stagec_surv",))


def weka() -> Iterator[Fit]:
    """Learners whose originals are Weka's."""
    tables = ("iris", "titanic", "glass", "votes", "labor", "ties", "penguins species")
    weights = each("fit.sample_weight", ("whole", "with zeros"))
    for learner in ("SimpleCartClassifier", "DecisionStumpClassifier", "OneRClassifier", "PARTClassifier"):
        yield from on(learner, tables)
        yield from varied(learner, "gaps five", {}, *weights)
    yield from on("RIPPERClassifier", tables)
    yield from varied(
        "SimpleCartClassifier", "gaps two", *each("prune", ("none", "one_se")), {"heuristic": False}
    )
    yield from on("DecisionStumpRegressor", ("airquality", "cartest", "mtcars", "gaps number"))
    yield from varied("OneRClassifier", "gaps two", *each("min_bucket", (1, 20)))
    yield from varied(
        "PARTClassifier", "gaps two", *each("prune", ("none", "reduced_error")), {"nominal": "one_vs_rest"}
    )
    options = ({}, {"prune": "none"}, {"n_optimizations": 0}, {"check_error": False}, {"cv": 5}, *weights)
    yield from varied("RIPPERClassifier", "gaps five", *options)


def model_trees() -> Iterator[Fit]:
    numbers = ("airquality", "cartest", "mtcars", "cpus")
    for learner in ("M5Regressor", "M5RulesRegressor", "CubistRegressor", "LinearTreeRegressor"):
        yield from on(learner, numbers)
    yield from varied(
        "M5Regressor", "cpus", {"prune": "none"}, {"leaf": "constant"}, {"smoothing_constant": 0.0}
    )
    yield from varied("CubistRegressor", "cpus", {"n_estimators": 3}, {"n_neighbors": 4}, {"unbiased": True})
    yield from varied(
        "LinearTreeRegressor", "cartest", *each("ridge", (0.0, 10.0)), {"prune": "none"}, {"max_bins": None}
    )
    yield from on("LogisticModelTreeClassifier", ("iris", "glass", "labor"), max_boosting_steps=30)
    yield from varied(
        "LogisticModelTreeClassifier",
        "iris",
        {"boosting_steps": 5, "prune": "none"},
        {"boosting_steps": "each_node", "prune": "one_se"},
        max_boosting_steps=30,
    )
    yield from varied("GradientBoostingRegressor", "cpus", {"linear_leaves": True}, max_iter=10)


def user_tree() -> Iterator[Fit]:
    variations = (
        *(
            {},
            {"prune": "none", "max_depth": 3},
            {"prune": "minimum", "cv": 3},
            {"max_leaf_nodes": 5, "prune": "none"},
        ),
        *({"fit.sample_weight": "fractional", "cv": 3}, {"ccp_alpha": 0.5}, {"missing": "refuse", "cv": 3}),
    )
    yield from varied("UserTree", "small number", *variations, method=SquaredError())
    yield from varied(
        "UserTree", "small number", {"prune": "none", "max_depth": 3}, {"cv": 3}, method=Median()
    )
    yield from varied("UserTree", "small number", {"prune": "none", "max_depth": 2}, method=SeveralNumbers())


def _forest_limits() -> tuple[dict[str, Any], ...]:
    return (
        *_LIMITS,
        *each("max_features", (None, 1, 3, 0.5, "log2")),
        *({"seek": False}, {"max_features": 1, "seek": False}, {"replace": False, "bootstrap": True}),
        *each("max_samples", (50, 0.3)),
        *each("missing", ("majority", "refuse")),
        *each("fit.sample_weight", ("whole", "with zeros", "fractional")),
        *({"bootstrap": True, "max_samples": 0.5, "replace": False}, {"n_jobs": 1}, {"n_jobs": 2}),
        {"fit.X_test": "X_test", "fit.y_test": "y_test"},
        {"fit.strata": "strata", "max_samples": {0: 20, 1: 20, 2: 5}, "bootstrap": True},
    )


def random_forest() -> Iterator[Fit]:
    base = {"n_estimators": 12, "random_state": 4, "oob_score": True}
    learner = "RandomForestClassifier"
    yield from on(
        learner,
        ("iris", "glass", "titanic", "labor", "ties", "lists", "polars", "large two", "large five"),
        **base,
    )
    yield from varied(learner, "gaps two", *_forest_limits(), *_forest_class_options(), **base)
    yield from varied(learner, "gaps five", *each("criterion", _CLASS_CRITERIA), **base)
    yield from varied(learner, "mixed two", *each("criterion", _CLASS_CRITERIA), **base)
    yield from varied(
        learner,
        "mixed five",
        {"nominal": "subset"},
        {"nominal": "subset", "max_exhaustive_levels": 3},
        **base,
    )
    learner = "RandomForestRegressor"
    yield from on(learner, ("airquality", "cartest", "mtcars", "large number"), **base)
    numbers = ({"bias_correction": True}, {"quantiles": True}, {"nominal": "subset"}, {"oob_score": False})
    yield from varied(learner, "gaps number", *_forest_limits(), *numbers, **base)
    yield from varied(learner, "mixed count", *each("criterion", _NUMBER_CRITERIA), **base)


def _forest_class_options() -> tuple[dict[str, Any], ...]:
    return (
        *({"voting": "hard"}, {"cutoff": [0.3, 0.7]}, {"cutoff": {"yes": 0.8, "no": 0.2}, "voting": "hard"}),
        *each("class_weight", ("balanced", "balanced_subsample", {"yes": 3.0})),
        *(
            {"nominal": "subset"},
            {"max_samples": {"yes": 40, "no": 30}},
            {"oob_score": False},
            {"cutoff": [1.0]},
        ),
        *({"bootstrap": False, "oob_score": False}, {"bootstrap": False}, {"random_state": 2**31 - 1}),
    )


def extra_trees() -> Iterator[Fit]:
    base = {"n_estimators": 8, "random_state": 1}
    out_of_bag = {"bootstrap": True, "oob_score": True}
    yield from on("ExtraTreesClassifier", ("iris", "glass", "mixed five", "labor"), **base)
    variations = (
        {"missing": "majority"},
        {"voting": "hard"},
        {"max_features": 2, "seek": False},
        {"class_weight": "balanced"},
    )
    yield from varied(
        "ExtraTreesClassifier",
        "gaps two",
        out_of_bag,
        *variations,
        *each("criterion", _CLASS_CRITERIA[2:]),
        **base,
    )
    yield from on("ExtraTreesRegressor", ("airquality", "mixed number"), **base)
    variations = (
        {"missing": "majority"},
        {"max_depth": 4},
        {"quantiles": True},
        {"fit.sample_weight": "fractional"},
    )
    yield from varied(
        "ExtraTreesRegressor",
        "gaps count",
        out_of_bag,
        *variations,
        *each("criterion", _NUMBER_CRITERIA),
        **base,
    )


def subspace() -> Iterator[Fit]:
    base = {"n_estimators": 8, "random_state": 1}
    variations = (
        {},
        {"max_features": 2},
        {"bootstrap": True, "oob_score": True},
        {"max_leaf_nodes": 6},
        {"nominal": "subset"},
    )
    yield from varied("RandomSubspaceClassifier", "gaps five", *variations, {"voting": "hard"}, **base)
    yield from varied("RandomSubspaceRegressor", "gaps number", *variations, {"quantiles": True}, **base)


def bagging() -> Iterator[Fit]:
    base = {"n_estimators": 4, "random_state": 2}
    both = (
        *(
            {},
            {"oob_score": True},
            {"max_samples": 0.5, "replace": False},
            {"max_features": 0.5},
            {"bootstrap": False},
        ),
        *({"n_jobs": 2}, {"fit.sample_weight": "fractional"}),
    )
    learners = (
        *(
            made("C45Classifier"),
            made("C50Classifier", n_estimators=2),
            made("REPTreeClassifier", random_state=3),
        ),
        made("CARTClassifier", loss_matrix={("yes", "no"): 3.0}, cv=3),
    )
    yield from varied(
        "BaggingClassifier", "gaps two", *both, {"voting": "hard"}, *each("estimator", learners), **base
    )
    numbers = (made("CARTRegressor", cv=3), made("REPTreeRegressor"), made("TreeRegressor", max_depth=3))
    yield from varied("BaggingRegressor", "gaps number", *both, *each("estimator", numbers), **base)


def boosting() -> Iterator[Fit]:
    base = {"max_iter": 5, "min_samples_leaf": 5, "random_state": 2}
    both = (
        *({}, {"n_jobs": 2}, {"max_bins": 8}, {"growth": "level", "max_depth": 3}, {"max_samples": 0.5}),
        *({"l2_regularization": 3.0, "l1_regularization": 0.2}, {"max_features": 0.5, "tree_features": 0.7}),
        *({"early_stopping": True, "max_iter": 40}, {"fit.sample_weight": "fractional"}),
    )
    yield from varied("GradientBoostingClassifier", "gaps two", *both, **base)
    yield from on("GradientBoostingClassifier", ("iris", "glass", "huge two"), **base)
    yield from varied("GradientBoostingClassifier", "iris", {"loss": "one_vs_all"}, **base)
    losses = each("loss", ("absolute_error", "huber", "quantile"))
    yield from varied("GradientBoostingRegressor", "gaps number", *both, *losses, **base)
    yield from on("GradientBoostingRegressor", ("huge number",), **base)
    variants = ({}, {"variant": "mart"}, {"base_interval": 3}, {"max_samples": 0.5})
    yield from varied("ABCBoostClassifier", "glass", *variants, **base)
    yield from on("ABCBoostClassifier", ("iris", "gaps two"), **base)
    yield from varied("CARTClassifier", "gaps two", *each("max_bins", (4, 255)), cv=3)
    yield from varied("TreeRegressor", "gaps number", *each("max_bins", (4, 255)), max_depth=5)


def reweighted() -> Iterator[Fit]:
    base = {"n_estimators": 4, "random_state": 2}
    variants = (
        {},
        {"variant": "real"},
        {"variant": "discrete", "learning_rate": 0.5},
        {"fit.sample_weight": "fractional"},
    )
    yield from varied("AdaBoostClassifier", "gaps two", *variants, **base)
    yield from on("AdaBoostClassifier", ("iris", "glass"), **base)
    yield from varied(
        "AdaBoostRegressor", "gaps number", {}, {"loss": "square"}, {"bootstrap": False}, **base
    )
    yield from varied("LogitBoostClassifier", "gaps two", {}, {"max_response": 2.0}, **base)
    yield from on("LogitBoostClassifier", ("iris",), **base)
    yield from varied("BrownBoostClassifier", "gaps two", {}, {"target_error": 0.4}, **base)
    groves = {"max_grove_size": 2, "min_leaf_fraction": 0.1}
    variants = ({}, {"variant": "layered"}, {"fit.sample_weight": "fractional"})
    yield from varied("AdditiveGrovesRegressor", "gaps number", *variants, **base, **groves)
    yield from on("AdditiveGrovesClassifier", ("gaps two",), **base, **groves)
    stages = ({}, {"refit": False}, {"early_stopping": False, "max_iter": 2}, {"ridge": 0.0})
    yield from varied("TransformRegressor", "gaps number", *stages, random_state=2)


def lassoed() -> Iterator[Fit]:
    """Rule ensembles and ISLE."""
    base = {"n_estimators": 20, "cv": 3}
    both = (
        {"rule": "best"},
        {"rule": "one_se"},
        {"max_samples": 0.3},
        {"max_terms": 4},
        {"fit.sample_weight": "whole"},
    )
    for kind, data in (("Classifier", "gaps two"), ("Regressor", "gaps number")):
        yield from varied(f"RuleEnsemble{kind}", data, *both, {"linear_terms": False}, **base)
        yield from varied(f"ISLE{kind}", data, *both, {"memory": 0.0}, **base)
    yield from on("RuleEnsembleClassifier", ("iris",), **base)
    yield from on("ISLEClassifier", ("iris",), **base)


def unsupervised() -> Iterator[Fit]:
    base = {"n_estimators": 8, "random_state": 2}
    variations = (
        {},
        {"max_depth": 4},
        {"min_samples_leaf": 5},
        {"max_features": None},
        {"missing": "majority"},
        {"n_jobs": 2},
    )
    yield from varied("UnsupervisedRandomForest", "gaps two", *variations, **base)
    yield from on("UnsupervisedRandomForest", ("iris", "votes"), **base)


def columns() -> Iterator[Fit]:
    """Discretizers and imputers."""
    for name in ("iris", "glass", "numbers five"):
        for learner in ("EqualWidthDiscretizer", "EqualFrequencyDiscretizer", "KMeansDiscretizer"):
            yield from varied(learner, name, {}, {"n_bins": 3, "encode": "interval"})
        yield from varied("MDLDiscretizer", name, {}, {"encode": "interval"})
    yield from on("EqualFrequencyDiscretizer", ("airquality", "mixed two"), n_bins=1)
    yield from on("MeanImputer", ("airquality", "gaps two", "labor", "pima"))
    yield from varied(
        "ConditionalMeanImputer",
        "gaps two",
        {"given": ["few"]},
        {"given": ["few", "grade"]},
        {"given": ["?"]},
    )


def large() -> Iterator[Fit]:
    """Tables beyond the sizes at which the native code changes its ways, and numbers beyond float32."""
    forest = {"n_estimators": 3, "random_state": 6}
    for task in ("two", "five"):
        yield from on("CARTClassifier", (f"huge {task}",), prune="none", min_samples_leaf=5)
        yield from on("TreeClassifier", (f"huge {task}",), criterion="entropy", max_leaf_nodes=200)
        yield from on("RandomForestClassifier", (f"huge {task}",), **forest, oob_score=True)
        yield from on("ExtraTreesClassifier", (f"huge {task}",), **forest, min_samples_leaf=20)
    yield from varied("RandomForestClassifier", "huge two", {"n_jobs": 1}, {"nominal": "subset"}, **forest)
    yield from varied("CARTClassifier", "huge two", *each("n_jobs", (1, 2)), max_depth=8, ccp_alpha=0.001)
    yield from on("CARTRegressor", ("huge number",), prune="none", min_samples_leaf=5)
    yield from on("CARTRegressor", ("huge count",), criterion="poisson", max_depth=9, cv=3)
    yield from on("TreeRegressor", ("huge count",), criterion="absolute_error", max_depth=6)
    yield from on("RandomForestRegressor", ("huge number",), **forest, min_samples_leaf=5)
    yield from on("C45Classifier", ("huge two",))
    yield from on("REPTreeRegressor", ("huge number",))
    for learner in (
        "CARTClassifier",
        "TreeClassifier",
        "C45Classifier",
        "C50Classifier",
        "REPTreeClassifier",
    ):
        yield from on(learner, ("close five",))
    yield from varied("C45Classifier", "close five", {"variant": "j48"})
    yield from on("RandomForestClassifier", ("close five", "close two"), **forest)
    for learner in ("CARTRegressor", "TreeRegressor", "REPTreeRegressor"):
        yield from on(learner, ("close number",))
    yield from on("RandomForestRegressor", ("close number", "close count"), **forest)
