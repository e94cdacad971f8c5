"""AdaBoost and LogitBoost: models fitted one after another, to weights that follow from those before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bough.data.ranking import check_ranking, gains_of
from bough.data.target import ClassTarget, classes_of
from bough.data.training import Training
from bough.ensembles.bagging import committee_of
from bough.ensembles.brown import brown_rounds
from bough.errors import ParameterError, TargetError
from bough.models.committee import LEAST_SHARE, Committee, Voting, class_shares
from bough.progress import Progress, unwatched
from bough.tree.model_answers import softmax
from bough.types import Floats

Fit = Callable[[int, Any, Floats], Any]
"""Fits the member of a number to a target and weights of the training rows, and returns its model."""

# The sum of weights that shrinks by more in a round is computed from logarithms instead.
_LEAST_FACTOR = 1e-300


class Rounds(NamedTuple):
    """The members of a committee, their weights, and figures of each round by name."""

    members: list[Any]
    weights: list[float]
    figures: dict[str, list[float]]


@dataclass(frozen=True, eq=False)
class Reweighting:
    """Training rows and all that decides how members are fitted to them.

    `settings` are those of the recipe, `numbers` are the random numbers of the fit, and `fit` fits a member.
    """

    training: Training
    settings: dict[str, Any]
    n_rounds: int
    numbers: np.random.RandomState
    fit: Fit
    report: Progress = unwatched

    @property
    def weight(self) -> Floats:
        """The weight of each row at the start."""
        return self.training.weights.each(self.training.table.n_rows)

    def classes(self, learner: str) -> ClassTarget:
        """Return the classes of the rows; raise if there is one only."""
        target = cast("ClassTarget", self.training.target)
        if len(target.classes) < 2:
            raise TargetError(
                f"y has one class only, {target.classes[0]!r}; {learner} needs rows of two classes or more."
            )
        return target


def adaboost(job: Reweighting) -> Rounds:
    """Return the rounds of AdaBoost: discrete (AdaBoost.M1), SAMME, or real (SAMME.R for many classes)."""
    target, variant, rate = job.classes("AdaBoost"), job.settings["variant"], job.settings["learning_rate"]
    k, rows = len(target.classes), np.arange(job.training.table.n_rows)
    weight = start = job.weight
    rounds = Rounds([], [], {"errors": []})
    for number in range(job.n_rounds):
        member = job.fit(number, target, weight)
        shares = class_shares(member, job.training.table, target.classes)
        wrong = shares.argmax(axis=1) != target.codes
        error = float(weight @ wrong / weight.sum())
        chance = 0.5 if variant == "discrete" else 1 - 1 / k
        if error >= chance and variant != "real":
            reason = f"is no better than chance (weighted error {error:.3g})"
            if error < 1 - 1 / k:
                reason = (
                    f"has a weighted error of {error:.3g}, and variant='discrete' needs one below 0.5, "
                    "unlike 'samme'"
                )
            _require_one(rounds, reason)
            break
        own = rate
        if variant == "real":
            logs = np.log(np.maximum(shares, LEAST_SHARE))
            of_class = logs[rows, target.codes]
            change = -rate * (k - 1) / k * (of_class - (logs.sum(axis=1) - of_class) / (k - 1))
        elif error > 0:
            own = rate * (np.log((1 - error) / error) + (np.log(k - 1) if variant == "samme" else 0.0))
            change = own * wrong
        rounds.members.append(member)
        rounds.weights.append(float(own) if error > 0 or variant == "real" else 1.0)
        rounds.figures["errors"].append(error)
        job.report((number + 1) / job.n_rounds)
        if error <= 0:
            break
        weight = _renewed(_multiplied(weight, change), start)
    return rounds


def adaboost_r2(job: Reweighting) -> Rounds:
    """Return the rounds of AdaBoost.R2 (Drucker 1997)."""
    y, rate, loss = cast("Floats", job.training.target), job.settings["learning_rate"], job.settings["loss"]
    weight = start = job.weight
    rounds = Rounds([], [], {"errors": []})
    for number in range(job.n_rounds):
        drawn = weight
        if job.settings["bootstrap"]:
            # The order of scikit-learn's draws: a seed for the member, then its rows.
            job.numbers.randint(np.iinfo(np.int32).max)
            rows = job.numbers.choice(len(y), size=len(y), p=weight / weight.sum())
            drawn = np.bincount(rows, minlength=len(y)).astype(np.float64)
        member = job.fit(number, y, drawn)
        losses = np.abs(member.predict(job.training.table) - y)
        losses = losses / (losses.max() or 1.0)
        losses = {"linear": losses, "square": losses**2, "exponential": 1 - np.exp(-losses)}[loss]
        error = float(weight @ losses / weight.sum())
        if error >= 0.5 and number:
            break
        rounds.members.append(member)
        rounds.figures["errors"].append(error)
        job.report((number + 1) / job.n_rounds)
        if error <= 0 or error >= 0.5:
            rounds.weights.append(1.0)
            break
        beta = error / (1 - error)
        rounds.weights.append(float(-rate * np.log(beta)))
        product = weight * beta ** (rate * (1 - losses))
        if product.sum() <= weight.sum() * _LEAST_FACTOR:
            product = _multiplied(weight, rate * (1 - losses) * np.log(beta))
        weight = _renewed(product, start)
    return rounds


def logitboost(job: Reweighting) -> Rounds:
    """Return the rounds of LogitBoost (Friedman, Hastie and Tibshirani 2000, algorithms 3 and 6)."""
    target, rate, most = (
        job.classes("LogitBoost"),
        job.settings["learning_rate"],
        job.settings["max_response"],
    )
    k, start = len(target.classes), job.weight
    n_scores = k if k > 2 else 1
    step = rate * ((k - 1) / k if k > 2 else 1.0)
    scores = np.zeros((job.training.table.n_rows, n_scores))
    rounds = Rounds([], [], {"losses": []})
    is_class = target.codes[:, np.newaxis] == (np.arange(k) if k > 2 else np.array([1]))
    for number in range(job.n_rounds):
        shares = _probabilities(scores)
        added = np.empty_like(scores)
        for column in range(n_scores):
            p, y = shares[:, column], is_class[:, column]
            # (y - p) / (p (1 - p)), which is 1 / p or -1 / (1 - p)
            response = np.where(y, 1 / np.maximum(p, 1 / most), -1 / np.maximum(1 - p, 1 / most))
            weight = _renewed(np.maximum(p * (1 - p), 2 * LEAST_SHARE) * start, start, least=0.0)
            rounds.members.append(job.fit(number * n_scores + column, response, weight))
            rounds.weights.append(step)
            added[:, column] = rounds.members[-1].predict(job.training.table)
        scores += step * added
        of_class = _class_probability(scores, target.codes)
        rounds.figures["losses"].append(float(-(start @ np.log(of_class)) / start.sum()))
        job.report((number + 1) / job.n_rounds)
    return rounds


def brownboost(job: Reweighting) -> Rounds:
    """Return the rounds of BrownBoost (Freund 2001), see `bough.ensembles.brown`."""
    target = job.classes("BrownBoost")
    if len(target.classes) != 2:
        raise TargetError(
            f"y has {len(target.classes)} classes. Only binary classification is supported here; use "
            "AdaBoostClassifier, LogitBoostClassifier or scikit-learn's OneVsRestClassifier."
        )
    rounds = Rounds([], [], {"remaining_time": [], "potential": []})
    signs, start = np.where(target.codes == 1, 1.0, -1.0), job.weight

    def fit(number: int, weight: Floats) -> Floats:
        member = job.fit(number, target, _renewed(weight, start))
        shares = class_shares(member, job.training.table, target.classes)
        rounds.members.append(member)
        job.report((number + 1) / job.n_rounds)
        return np.where(shares.argmax(axis=1) == 1, 1.0, -1.0)

    made = brown_rounds(fit, signs, start, job.n_rounds, **job.settings)
    del rounds.members[len(made) :]
    if not made:
        least = job.settings["min_correlation"]
        _require_one(rounds, f"has no correlation with y above min_correlation ({least:g})")
    for each in made:
        rounds.weights.append(each.weight)
        rounds.figures["remaining_time"].append(each.remaining_time)
        rounds.figures["potential"].append(each.potential)
    return rounds


def rankboost(job: Reweighting) -> Rounds:
    """Return the rounds of RankBoost (Freund, Iyer, Schapire and Singer 2003).

    The potential of a row is the weight of the pairs in which it is the better one, less that of the pairs in
    which it is the worse one. A member tells rows of positive from rows of negative potential.
    """
    better, worse = _pairs(job)
    n_rows, start = job.training.table.n_rows, job.weight
    weight = start[better] * start[worse]
    rounds = Rounds([], [], {"correlations": []})
    for number in range(job.n_rounds):
        weight = weight / weight.sum()
        potential = np.bincount(better, weight, n_rows) - np.bincount(worse, weight, n_rows)
        target = ClassTarget((0, 1), (potential > 0).astype(np.int32))
        member = job.fit(number, target, np.abs(potential) * (n_rows / np.abs(potential).sum()))
        votes = class_shares(member, job.training.table, (0, 1)).argmax(axis=1)
        correlation = float(potential @ votes)
        if correlation <= LEAST_SHARE:
            _require_one(rounds, "is no better than chance")
            break
        rounds.members.append(member)
        correlation = min(correlation, 1 - _LEAST_ERROR)
        rounds.weights.append(float(np.log((1 + correlation) / (1 - correlation)) / 2))
        rounds.figures["correlations"].append(correlation)
        job.report((number + 1) / job.n_rounds)
        if correlation >= 1 - _LEAST_ERROR:
            break
        weight = weight * np.exp(rounds.weights[-1] * (votes[worse] - votes[better]))
    return rounds


def gbrank(job: Reweighting) -> Rounds:
    """Return the rounds of GBRank (Zheng, Chen, Sun and Zha 2007).

    Rows of a pair whose scores do not differ by the margin are targets of a regressor: the score of the other
    row, plus or less the margin. A row of several pairs has their mean as target and their number as weight.
    """
    better, worse = _pairs(job)
    n_rows, start = job.training.table.n_rows, job.weight
    margin, rate = job.settings["pair_margin"], job.settings["learning_rate"]
    scores, weight = np.zeros(n_rows), start[better] * start[worse]
    rounds = Rounds([], [], {"wrong_pairs": []})
    for number in range(job.n_rounds):
        wrong = scores[better] - scores[worse] < margin
        high, low, own = better[wrong], worse[wrong], weight[wrong]
        rounds.figures["wrong_pairs"].append(float(own.sum() / weight.sum()))
        if not wrong.any():
            break
        total = np.asarray(np.bincount(high, own, n_rows) + np.bincount(low, own, n_rows), np.float64)
        target = np.bincount(high, own * (scores[low] + margin), n_rows)
        target += np.bincount(low, own * (scores[high] - margin), n_rows)
        rounds.members.append(job.fit(number, target / np.maximum(total, LEAST_SHARE), total))
        rounds.weights.append(1.0)
        job.report((number + 1) / job.n_rounds)
        scores += (rate * rounds.members[-1].predict(job.training.table) - scores) / (number + 2)
    return rounds


def _pairs(job: Reweighting) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the better and the worse row of all pairs of rows of a group whose grades differ."""
    groups, y = job.training.groups, cast("Floats", job.training.target)
    assert groups is not None
    check_ranking(y, groups)
    gains_of(y, "linear")
    better, worse = [], []
    order = groups.argsort(kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        first, second = np.nonzero(y[rows][:, np.newaxis] > y[rows])
        better.append(rows[first])
        worse.append(rows[second])
    return np.concatenate(better), np.concatenate(worse)


ALGORITHMS: dict[str, Callable[[Reweighting], Rounds]] = {
    "adaboost": adaboost,
    "adaboost_r2": adaboost_r2,
    "logitboost": logitboost,
    "brownboost": brownboost,
    "rankboost": rankboost,
    "gbrank": gbrank,
}
"""The function that fits each kind of ensemble."""

_VOTING: dict[str, Voting] = {
    "adaboost_r2": "median",
    "logitboost": "scores",
    "brownboost": "erf",
    "gbrank": "soft",
}
_LEAST_ERROR = 1e-10


def fit_reweighted(recipe: Mapping[str, Any], job: Reweighting) -> tuple[Committee, dict[str, list[float]]]:
    """Return the committee that a recipe makes of training rows, and the figures of its rounds.

    The recipe that the committee records has the number of rounds that were made, and that of each member.
    """
    kind, table = recipe["ensemble"]["kind"], job.training.table
    rounds = ALGORITHMS[kind](job)
    target = job.training.target
    classes = classes_of(target)
    voting: Voting = "product" if job.settings.get("variant") == "real" else _VOTING.get(kind, "hard")
    columns = (tuple(range(len(table.schema))),) * len(rounds.members)
    committee = committee_of(
        rounds.members, table.schema, classes, columns, voting=voting, target_name=job.training.target_name
    )
    made = len(rounds.members) // committee.n_scores
    recorded = dict(recipe) | {
        "ensemble": dict(recipe["ensemble"]) | {"n_estimators": made},
        "members": [member.recipe for member in rounds.members],
    }
    return replace(committee, weights=tuple(rounds.weights), recipe=recorded), rounds.figures


def _multiplied(weight: Floats, logs: Floats) -> Floats:
    """Return weights times the exponentials of `logs`, up to a factor where float64 cannot hold their sum."""
    with np.errstate(over="ignore", divide="ignore"):
        product = weight * np.exp(logs)
        if weight.sum() * _LEAST_FACTOR < product.sum() < np.inf:
            return np.asarray(product)
        logs = np.log(weight) + logs
    return np.asarray(np.exp(logs - logs.max()))


def _renewed(weight: Floats, start: Floats, least: float = LEAST_SHARE) -> Floats:
    """Return weights with the sum of those at the start, none of them below a share of the row's own."""
    return np.asarray(np.maximum(weight * (start.sum() / weight.sum()), least * start))


def _probabilities(scores: Floats) -> Floats:
    """Return the softmax of scores; of one score, the probability of the second class."""
    if scores.shape[1] == 1:
        return np.asarray(1 / (1 + np.exp(-np.clip(scores, -700, 700))))
    return softmax(scores)


def _class_probability(scores: Floats, codes: Any) -> Floats:
    shares = _probabilities(scores)
    if scores.shape[1] == 1:
        shares = np.column_stack([1 - shares[:, 0], shares[:, 0]])
    return np.asarray(np.maximum(shares[np.arange(len(codes)), codes], LEAST_SHARE))


def _require_one(rounds: Rounds, reason: str) -> None:
    if not rounds.members:
        raise ParameterError(
            f"The first learner {reason}; there is nothing to boost. Choose a stronger estimator, such as a "
            "deeper tree, or other columns."
        )
