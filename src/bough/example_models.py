"""Small well-known trees for examples: play tennis, iris, and the cars of Motor Trend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bough.data.schema import Column, Schema
from bough.tree import Tree
from bough.tree.split import Levels, Threshold

if TYPE_CHECKING:
    from bough.models.gradient_boosted import GradientBoosted
    from bough.rules import RuleSet
    from bough.rules.linear_rules import LinearRules


def tennis_tree() -> Tree:
    """Return the tree ID3 grows on the fourteen days of play tennis (Quinlan 1986; Mitchell 1997, page 53).

    >>> print(tennis_tree().rules())
    5 rules for PlayTennis from 14 cases
    <BLANKLINE>
    R1  Outlook = Sunny and Humidity = High    ->  No   3 cases (21.4%), confidence 100.0% (3 of 3)
    R2  Outlook = Sunny and Humidity = Normal  ->  Yes  2 cases (14.3%), confidence 100.0% (2 of 2)
    R3  Outlook = Overcast                     ->  Yes  4 cases (28.6%), confidence 100.0% (4 of 4)
    R4  Outlook = Rain and Wind = Strong       ->  No   2 cases (14.3%), confidence 100.0% (2 of 2)
    R5  Outlook = Rain and Wind = Weak         ->  Yes  3 cases (21.4%), confidence 100.0% (3 of 3)
    """
    schema = Schema(
        (
            Column("Outlook", "nominal", ("Sunny", "Overcast", "Rain")),
            Column("Temperature", "nominal", ("Hot", "Mild", "Cool")),
            Column("Humidity", "nominal", ("High", "Normal")),
            Column("Wind", "nominal", ("Strong", "Weak")),
        )
    )
    outlook = Levels(0, "complete", (0, 1, 2), (0, 1, 2), 3)
    humidity = Levels(2, "complete", (0, 1), (0, 1), 2)
    wind = Levels(3, "complete", (0, 1), (0, 1), 2)
    return Tree.from_splits(
        [outlook, humidity, None, wind, None, None, None, None],
        schema=schema,
        task="classification",
        classes=("No", "Yes"),
        target_name="PlayTennis",
        criterion="entropy",
        cases=[14, 5, 4, 5, 3, 2, 2, 3],
        statistics=[[5, 9], [3, 2], [0, 4], [2, 3], [3, 0], [0, 2], [2, 0], [0, 3]],
        risk=[5, 2, 0, 2, 0, 0, 0, 0],
        gain=[_GAIN_OUTLOOK, _ENTROPY_2_OF_5, math.nan, _ENTROPY_2_OF_5] + [math.nan] * 4,
    )


_TENNIS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""


def tennis_cases() -> tuple[list[list[str]], list[str]]:
    """Return the fourteen days of play tennis, and whether tennis was played.

    >>> X, y = tennis_cases()
    >>> X[0], y[0], len(y)
    (['Sunny', 'Hot', 'High', 'Weak'], 'No', 14)
    """
    days = [line.split() for line in _TENNIS.strip().splitlines()]
    return [day[:-1] for day in days], [day[-1] for day in days]


def tennis_rules() -> RuleSet:
    """Return the rule set that C5.0 makes from the fourteen days of play tennis.

    >>> for rule in tennis_rules():
    ...     print(rule)
    Outlook = Sunny and Humidity = High -> No
    Outlook = Rain and Wind = Strong -> No
    Outlook = Overcast -> Yes
    Outlook = Rain and Wind = Weak -> Yes
    Humidity = Normal -> Yes
    """
    from bough.rules import ClassRule, LevelSet, RuleSet

    tree = tennis_tree()
    sunny, overcast, rain = (LevelSet(0, (code,), (code,)) for code in range(3))
    high, normal = (LevelSet(2, (code,), (code,)) for code in range(2))
    strong, weak = (LevelSet(3, (code,), (code,)) for code in range(2))
    no, yes = 5 / 14, 9 / 14
    rules = (
        ClassRule(tree.schema, (sunny, high), "No", 3.0, 3.0, no),
        ClassRule(tree.schema, (rain, strong), "No", 2.0, 2.0, no),
        ClassRule(tree.schema, (overcast,), "Yes", 4.0, 4.0, yes),
        ClassRule(tree.schema, (rain, weak), "Yes", 3.0, 3.0, yes),
        ClassRule(tree.schema, (normal,), "Yes", 7.0, 6.0, yes),
    )
    return RuleSet(
        schema=tree.schema,
        classes=tree.classes,
        rules=rules,
        default="Yes",
        priors=(no, yes),
        cases=14.0,
        target_name=tree.target_name,
    )


def _entropy(share: float) -> float:
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)


_ENTROPY_2_OF_5 = _entropy(2 / 5)
_GAIN_OUTLOOK = _entropy(5 / 14) - 10 / 14 * _ENTROPY_2_OF_5


def iris_tree() -> Tree:
    """Return the usual tree of depth 2 for Anderson's iris data; missing values follow the majority.

    >>> for rule in iris_tree().rules():
    ...     print(rule)
    Petal.Length < 2.45 -> setosa
    Petal.Length >= 2.45 and Petal.Width < 1.75 -> versicolor
    Petal.Length >= 2.45 and Petal.Width >= 1.75 -> virginica
    """
    return Tree.from_splits(
        [Threshold(0, 2.45), None, Threshold(1, 1.75), None, None],
        schema=Schema((Column("Petal.Length", "numeric"), Column("Petal.Width", "numeric"))),
        task="classification",
        classes=("setosa", "versicolor", "virginica"),
        target_name="Species",
        criterion="gini",
        default_branch=[1, -1, 0, -1, -1],
        cases=[150, 50, 100, 54, 46],
        statistics=[[50, 50, 50], [50, 0, 0], [0, 50, 50], [0, 49, 5], [0, 1, 45]],
        risk=[100, 0, 50, 5, 1],
        gain=[1 / 3, math.nan, 0.5 - (2 * 49 * 5 / 54 + 2 * 45 / 46) / 100, math.nan, math.nan],
    )


def cars_tree() -> Tree:
    """Return a regression tree for the miles per gallon of 32 cars (Henderson and Velleman 1981).

    >>> print(cars_tree())
    Regression tree for mpg: 3 leaves, depth 2, 32 cases
    <BLANKLINE>
    node  condition        cases     mean  deviation  (* leaf)
       0  all                 32  20.0906  5.932
       1    cyl < 5           11  26.6636  4.300  *
       2    cyl >= 5          21  16.6476  3.074
       3      hp < 192.5      14  18.2643  2.068  *
       4      hp >= 192.5      7  13.4143  2.029  *
    """
    squared_errors = [
        1126.0471875,
        203.38545454545454,
        198.47238095238095,
        59.87214285714286,
        28.828571428571426,
    ]
    return Tree.from_splits(
        [Threshold(0, 5.0), None, Threshold(1, 192.5), None, None],
        schema=Schema((Column("cyl", "numeric"), Column("hp", "numeric"))),
        task="regression",
        classes=(),
        target_name="mpg",
        criterion="squared_error",
        default_branch=[1, -1, 0, -1, -1],
        cases=[32, 11, 21, 14, 7],
        statistics=[[20.090625], [293.3 / 11], [349.6 / 21], [255.7 / 14], [93.9 / 7]],
        risk=squared_errors,
        gain=[
            (1126.0471875 - 203.38545454545454 - 198.47238095238095) / 32,
            math.nan,
            (198.47238095238095 - 59.87214285714286 - 28.828571428571426) / 21,
            math.nan,
            math.nan,
        ],
    )


def cars_cases() -> tuple[list[list[float]], list[float]]:
    """Return weight and cylinders of 32 cars, and their miles per gallon (Henderson and Velleman 1981).

    >>> X, y = cars_cases()
    >>> X[0], y[0]
    ([2.62, 6.0], 21.0)
    """
    rows = (
        "2.62 6 21, 2.875 6 21, 2.32 4 22.8, 3.215 6 21.4, 3.44 8 18.7, 3.46 6 18.1, 3.57 8 14.3, "
        "3.19 4 24.4, "
        "3.15 4 22.8, 3.44 6 19.2, 3.44 6 17.8, 4.07 8 16.4, 3.73 8 17.3, 3.78 8 15.2, 5.25 8 10.4, "
        "5.424 8 10.4, 5.345 8 14.7, 2.2 4 32.4, 1.615 4 30.4, 1.835 4 33.9, 2.465 4 21.5, 3.52 8 15.5, "
        "3.435 8 15.2, 3.84 8 13.3, 3.845 8 19.2, 1.935 4 27.3, 2.14 4 26, 1.513 4 30.4, 3.17 8 15.8, "
        "2.77 6 19.7, 3.57 8 15, 2.78 4 21.4"
    )
    cases = [[float(number) for number in row.split()] for row in rows.split(", ")]
    return [case[:2] for case in cases], [case[2] for case in cases]


def boosted_cars() -> GradientBoosted:
    """Return 20 boosted trees for the miles per gallon of the 32 cars of `cars_cases`.

    >>> boosted_cars()
    GradientBoosted(20 trees)
    """
    from bough.data.table import Table
    from bough.data.target import read_numbers, read_weights
    from bough.data.training import Training
    from bough.ensembles.boosting import fit_boosting
    from bough.ensembles.gradient_boosting import GradientBoostingRegressor

    X, y = cars_cases()
    table = Table.read(np.array(X))
    schema = Schema((Column("wt", "numeric"), Column("cyl", "numeric")))
    table = Table(schema, table.columns, table.n_rows)
    training = Training(table, read_numbers(y), read_weights(None, 32), np.arange(32), 32, "mpg")
    learner = GradientBoostingRegressor(max_iter=20, max_leaf_nodes=3, min_samples_leaf=5)
    return fit_boosting(learner.recipe(), training).model


def logistic_tree() -> Tree:
    """Return a tree of two classes of cars whose leaves predict by logistic models.

    >>> logistic_tree().predict_proba([[4, 100], [8, 200]]).round(2)
    array([[0.27, 0.73],
           [0.88, 0.12]])
    """
    from bough.tree.leaf_models import LeafModels, LinearModel, Term

    models = [LinearModel(-0.5), LinearModel(5.0, (Term(1, -0.04, 90.0),)), LinearModel(-2.0)]
    return Tree.from_splits(
        [Threshold(0, 5.0), None, None],
        schema=Schema((Column("cyl", "numeric"), Column("hp", "numeric"))),
        task="classification",
        classes=("costly", "efficient"),
        target_name="use",
        criterion="entropy",
        default_branch=[1, -1, -1],
        cases=[32, 11, 21],
        statistics=[[20, 12], [2, 9], [18, 3]],
        risk=[12, 2, 3],
        leaf_models=LeafModels.of_nodes(models),
    )


def cars_rules() -> LinearRules:
    """Return two linear rules for the miles per gallon of cars, by cylinders and horsepower.

    >>> str(cars_rules()[0])
    'cyl <= 5 -> mpg = 46 - 0.2 × hp'
    """
    from bough.rules.condition import Interval
    from bough.rules.linear_rules import LinearRule, LinearRules
    from bough.tree.leaf_models import LinearModel, Term

    schema = Schema((Column("cyl", "numeric"), Column("hp", "numeric")))
    few = (Interval(0, high=5.0, up_to=True),)
    models = [LinearModel(46.0, (Term(1, -0.2, 100.0),)), LinearModel(24.0, (Term(1, -0.04, 100.0),))]
    rules = (
        LinearRule(schema, few, models[0], 11.0, 26.7, 3.8, target="mpg"),
        LinearRule(schema, (), models[1], 21.0, 16.6, 1.9, target="mpg"),
    )
    return LinearRules(
        schema=schema,
        rules=rules,
        default=20.1,
        cases=32.0,
        order="first",
        substitutes=(6.0, 100.0),
        target_name="mpg",
    )
