"""ABC-Boost (Li 2009, 2010): boosting of several classes against a base class that is chosen anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from bough.ensembles.boosting_parameters import Variant, boosting_recipe
from bough.ensembles.gradient_boosting import BoostingClassifier
from bough.errors import ParameterError
from bough.growing.limits import check_whole, is_auto
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters

_UNSUPPORTED = ("linear_leaves", "drop_rate", "warm_start")
_OF_HESSIANS = ("path_smoothing", "monotonic_cst")


@keyword_parameters
class ABCBoostClassifier(BoostingClassifier):
    """ABC-Boost classifier (Li 2009, 2010): gradient boosting of three classes or more against a base class.

    The scores of the classes sum to 0, so that the score of one of them, the base class, follows from the
    others. A round grows a tree for every other class, by the gradients of the log-loss under this
    constraint, and subtracts what it adds from the score of the base class. The base class is the one whose
    trees give the least training loss; all are tried. Two classes are boosted as by
    `GradientBoostingClassifier`, which has the same gradients.

    Settings that are "auto" have their usual values. `linear_leaves`, `drop_rate` and `warm_start` are not
    supported; with `variant="mart"`, `path_smoothing` and `monotonic_cst` are not either, and `level_penalty`
    has no effect.

    Parameters
    ----------
    base_interval
        Every so many rounds all classes are tried as the base class; the rounds between keep the last one
        (Li 2010, "Fast ABC-Boost"). With 1, a round grows as many trees as there are pairs of classes, both
        ways.
    variant
        "logitboost" (abc-logitboost): splits are chosen by gradients and hessians, as by all gradient
        boosting of bough. "mart" (abc-mart): by the gradients alone, as in Friedman (2001), and the hessians
        give the values of the leaves; `min_hessian` is then their least sum in such a value.

    Examples
    --------
    >>> import bough
    >>> X, y = [[i % 12, i % 7] for i in range(120)], ["abc"[i % 12 // 4] for i in range(120)]
    >>> model = bough.ABCBoostClassifier(max_iter=5).fit(X, y)
    >>> model.predict([[1, 3], [5, 3], [10, 3]]), model.n_iter_
    (array(['a', 'b', 'c'], dtype='<U1'), 5)

    """

    _variants: ClassVar[tuple[Variant, ...]] = ("logitboost", "mart")

    base_interval: int = 1
    variant: Variant = "logitboost"

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> ABCBoostClassifier(base_interval=5).recipe().settings["base_interval"]
        5
        """
        every = self.base_interval
        check_whole("base_interval", every, 1, 2**31 - 1)
        recipe = boosting_recipe(self, "classes", {"loss": "log_loss"}, self.class_weight)
        for name in (*_UNSUPPORTED, *(_OF_HESSIANS if self.variant == "mart" else ())):
            value: Any = getattr(self, name)
            if value and not is_auto(value):
                raise ParameterError(f"{name} is {value!r}, which {type(self).__name__} does not support.")
        own: dict[str, Any] = {"base_interval": int(every)}
        if self.variant == "mart":
            own["gradient_splits"] = True
        return replace(recipe, settings=dict(recipe.settings) | own)
