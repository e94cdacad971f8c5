"""Weights that programs cannot work with are multiplied by a common factor.

Quinlan's programs, Weka's and CHAID take weights for numbers of cases, and compare them with the least number
that a branch must have, or test by them. Weights far below that would leave the root alone, and C4.5's 32-bit
floats end at 3e38.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bough.data.target import Weights
from bough.errors import WeightError
from bough.growing.grouping import Merging
from bough.growing.recipe import Recipe
from bough.tree import Tree
from bough.types import Floats

# Greater sums are no numbers of cases.
_GREATEST = 2.0**53
_MOST_REPEATED = 2.0**31
# Leaves of forests store their cases in float32.
_GREATEST_COUNT = float(np.finfo(np.float32).max)
# How often the sum of all weights may be the least of them.
_RANGE = {"release 8": 1e45, "weka": 1e240}
# Programs of their own arithmetic that count cases, and settings that are numbers of cases.
_COUNTING = ("DecisionStump", "OneR", "RIPPER")
_FEWEST = ("min_bucket", "min_positives")
# Programs that add constants to sums of weights, or test by them.
_ADDING = ("M5", "conditional", "linear")
# Sums of weights within this range have squares and products that float64 holds.
_SQUARED = 2.0**200
_LEAST = 2.0**-900
# Scaled weights keep this many binary digits, so that equal ones become 1 exactly.
_DIGITS = 40


def counts_cases(recipe: Recipe) -> bool:
    """Whether a recipe takes weights for numbers of cases, and not only their ratios.

    >>> from bough import CHAIDClassifier, TreeClassifier
    >>> counts_cases(CHAIDClassifier().recipe()), counts_cases(TreeClassifier().recipe())
    (True, False)
    """
    by_program = recipe.arithmetic != "bough" or recipe.settings.get("program") in _COUNTING
    return by_program or isinstance(recipe.grouping, Merging)


def workable_weights(weights: Weights, recipe: Recipe) -> tuple[Weights, float]:
    """Return weights that a tree can be grown with by a recipe, and what they were multiplied by.

    >>> from bough import M5Regressor, TreeClassifier
    >>> from bough.data.target import read_weights
    >>> weights = read_weights([2.0**-100] * 8, 8)
    >>> workable_weights(weights, M5Regressor().recipe())[0].weight
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    >>> workable_weights(weights, TreeClassifier().recipe())[0] is weights
    True
    """
    if counts_cases(recipe):
        return held_weights(weights, recipe)
    program = recipe.settings.get("program")
    if program == "optimal":
        return weights_near_one(weights)
    scaled = weights_as_cases(weights) if program in _ADDING else weights
    if scaled.weight is None or weights.weight is None or scaled is weights:
        return weights, 1.0
    largest = int(weights.weight.argmax())
    return scaled, float(scaled.weight[largest] / weights.weight[largest])


def held_weights(weights: Weights, recipe: Recipe) -> tuple[Weights, float]:
    """Return weights that the program of a recipe can hold, and what they were multiplied by.

    Where all weights together are too small for two branches but the number of cases is not, the weights are
    scaled to sum to the number of cases. Where they sum to more than 2**53, they are scaled to sum to about
    that. Equal weights become powers of two, so that a common factor does not matter.

    >>> from bough import C45Classifier
    >>> from bough.data.target import read_weights
    >>> recipe = C45Classifier().recipe()
    >>> held_weights(read_weights([1e-40] * 8, 8), recipe)[0].weight
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    >>> held_weights(read_weights([1e-300, 1e300], 2), recipe)
    Traceback (most recent call last):
    bough.errors.WeightError: sample_weight ranges from 1e-300 to 1e+300, which is more than C4.5 can hold:
    the least weight may be 1e-45 of their sum. Give 0 to leave a row out.
    """
    weight, cases = weights.weight, weights.cases
    if weight is None:
        return weights, 1.0
    if isinstance(recipe.grouping, Merging) and cases is not None and float(cases.sum()) > _SQUARED:
        # The tests of CHAID square the numbers of cases.
        weights = replace(weights, cases=(cases := None))
    total, n_cases = float(weight.sum()), float(len(weight) if cases is None else cases.sum())
    range_held = _RANGE.get(recipe.arithmetic, _RANGE["weka"])
    least = float(weight[weight > 0].min())
    if total / range_held > least:
        program = "C4.5" if recipe.arithmetic == "release 8" else "float64"
        raise WeightError(
            f"sample_weight ranges from {least!r} to {float(weight.max())!r}, which is more than {program} "
            f"can hold: the least weight may be {1 / range_held:.0e} of their sum. Give 0 to leave a row out."
        )
    n_rows = float(np.count_nonzero(weight))
    mean = total / n_rows
    fewest = max(recipe.limits.cases_in_branch(n_cases), *map(recipe.settings.get, _FEWEST, (0.0, 0.0)))
    if total < 2.0 * float(fewest) <= n_cases:
        new_mean = n_cases / n_rows
    elif total > _GREATEST:
        new_mean = 2.0 ** np.floor(np.log2(_GREATEST / n_rows))
    else:
        return weights, 1.0
    return _with_mean(weights, mean, new_mean), float(new_mean / mean)


def weights_as_cases(weights: Weights) -> Weights:
    """Return weights that sum to a number of cases, for learners that add constants to sums of weights.

    Weights that sum to 1 or less are shares of the rows, and those that sum to more than 2**53 are no numbers
    of cases: both are scaled to a mean of 1 over the rows that have a weight, and each such row is a case.

    >>> from bough.data.target import read_weights
    >>> weights_as_cases(read_weights([1e-5, 3e-5, 0.0], 3)).weight
    array([0.5, 1.5, 0. ])
    >>> weights_as_cases(read_weights([0.5, 1.5, 0.0], 3)).weight
    array([0.5, 1.5, 0. ])
    """
    if weights.weight is None or 1.0 < (total := float(weights.weight.sum())) <= _GREATEST:
        return weights
    has_weight = weights.weight > 0
    weights = replace(weights, cases=None if has_weight.all() else has_weight.astype(np.float64))
    return _with_mean(weights, total / float(has_weight.sum()), 1.0)


def weights_of_countable_cases(weights: Weights) -> Weights:
    """Return weights whose cases forests can count in float32; where they cannot, each row is one case.

    >>> from bough.data.target import read_weights
    >>> weights_of_countable_cases(read_weights([1e300, 0.0], 2)).cases
    array([1., 0.])
    >>> weights_of_countable_cases(read_weights([3.0, 0.0], 2)).cases
    array([3., 0.])
    """
    cases = weights.cases
    if cases is None or float(cases.max()) * len(cases) <= _GREATEST_COUNT:
        return weights
    return replace(weights, cases=(cases > 0).astype(np.float64))


def weights_near_one(weights: Weights) -> tuple[Weights, float]:
    """Return weights whose squares float64 can hold, and the power of two that they were multiplied by.

    A weight that would be below 2**-900 of the greatest becomes that, so that no row loses its weight.

    >>> from bough.data.target import read_weights
    >>> held, factor = weights_near_one(read_weights([2.0**-400, 2.0**-399], 2))
    >>> held.weight, factor == 2.0**399
    (array([0.5, 1. ]), True)
    """
    if weights.weight is None or 1 / _SQUARED < float(weights.weight.sum()) < _SQUARED:
        return weights, 1.0
    factor = 2.0 ** -np.floor(np.log2(weights.weight.max()))
    scaled = np.where(weights.weight > 0, np.maximum(weights.weight * factor, _LEAST), 0.0)
    return replace(weights, weight=scaled), float(factor)


def _with_mean(weights: Weights, mean: float, new_mean: float) -> Weights:
    assert weights.weight is not None
    digits, exponent = np.frexp(weights.weight / mean * new_mean)
    scaled = np.ldexp(np.rint(digits * 2.0**_DIGITS) / 2.0**_DIGITS, exponent)
    return Weights(scaled, weights.cases, bool((scaled == np.floor(scaled)).all()))


def check_repeated(n_cases: float) -> None:
    """Raise if there are too many cases for each to be a row.

    >>> check_repeated(1e12)
    Traceback (most recent call last):
    bough.errors.WeightError: sample_weight counts 1e+12 cases, and each is a row here; at most 2**31 are
    possible. Divide the weights by a common factor.
    """
    if n_cases > _MOST_REPEATED:
        raise WeightError(
            f"sample_weight counts {n_cases:g} cases, and each is a row here; at most 2**31 are possible. "
            "Divide the weights by a common factor."
        )


def repeated_rows(rows: npt.NDArray[np.intp], cases: Floats) -> npt.NDArray[np.intp]:
    """Return each row as often as it has cases.

    >>> repeated_rows(np.array([4, 7]), np.array([2.0, 1.0]))
    array([4, 4, 7])
    """
    check_repeated(float(cases.sum()))
    return np.repeat(rows, cases.astype(np.intp))


def unscaled(tree: Tree, factor: float, *, gains_sum: bool = True) -> Tree:
    """Return a tree grown with weights multiplied by a factor as if they had not been.

    `gains_sum` says whether gains of numbers are sums over the rows, as Weka's are, and not means.

    >>> from bough.example_models import iris_tree
    >>> unscaled(iris_tree(), 0.5).weight
    array([300., 100., 200., 108.,  92.])
    """
    if factor == 1.0:
        return tree
    is_class = tree.task == "classification"
    return replace(
        tree,
        weight=tree.weight / factor,
        risk=tree.risk / factor,
        statistics=tree.statistics / factor if is_class else tree.statistics,
        gain=tree.gain if is_class or not gains_sum else tree.gain / factor,
    )
