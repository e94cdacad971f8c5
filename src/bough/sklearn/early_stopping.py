"""Early stopping of histogram boosting: the scores of each round, computed as scikit-learn does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble._hist_gradient_boosting import gradient_boosting as theirs
from sklearn.metrics import get_scorer_names
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

from bough.data.training import Training
from bough.ensembles.boosting import fit_boosting, with_rounds
from bough.ensembles.boosting_rows import ValidationRows
from bough.growing.recipe import Recipe
from bough.models.gradient_boosted import GradientBoosted
from bough.models.model import table_for
from bough.types import Floats


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Checked rows: numbers with categories as codes, encoded y, and weights."""

    X: npt.NDArray[Any]
    y: Floats
    weight: Floats | None


class Stopping:
    """Rounds of a learner that end by their scores on training rows, or on validation rows if there are any.

    The scores are appended to `train_score_` and `validation_score_` of the learner.
    """

    def __init__(self, learner: Any, training: CheckedRows, validation: CheckedRows | None) -> None:
        self.learner, self.training, self.validation = learner, training, validation
        self.scored = training
        self.by_loss = learner.scoring == "loss"
        # A scorer of scikit-learn takes scores that are computed already; one of a user calls predict.
        self.by_name = self.by_loss or learner.scoring in get_scorer_names()
        self.subset: Any = slice(None)
        if not self.by_loss:
            learner._scorer = theirs.check_scoring(learner, learner.scoring)
            small = learner._get_small_trainset(training.X, training.y, training.weight, learner._random_seed)
            self.scored, self.subset = CheckedRows(*small[:3]), small[3]

    def boost(self, recipe: Recipe, rows: Training, first: int) -> GradientBoosted:
        """Return the learner's model with more rounds, up to the recipe's; `first` is the first to be scored.

        Boosting keeps the scores of all rows that it reads, so that rows which are only scored, because they
        have no weight or validate, are given to it too.
        """
        if not self.by_name:
            return self._boost_in_batches(recipe, rows, first)
        learner = self.learner
        model: GradientBoosted = learner.model_
        if first == 0 and self._stops_at_start():
            return model
        n = len(self.training.y)
        given = self.training.weight
        weightless = np.flatnonzero(np.zeros(n, bool) if given is None else given == 0)
        others = [self.training.X[weightless]]
        if self.validation is not None:
            others.append(self.validation.X)
        scored_only = np.concatenate(others)
        held_out = None
        if len(scored_only):
            # No loss of theirs is computed by bough, so that any valid y will do.
            target = np.full(len(scored_only), self.training.y[rows.rows[0]])
            held_out = ValidationRows(table_for(scored_only, rows.table.schema), target)
        places: Any = slice(n)
        if len(weightless) or not isinstance(self.subset, slice):
            places = np.argsort(np.concatenate([rows.rows, weightless]))[self.subset]

        def ends_after(_: int, scores: Floats) -> bool:
            return self._stops(scores.T[places], scores.T[n:])

        return fit_boosting(
            recipe,
            rows,
            held_out,
            before=model,
            n_jobs=_openmp_effective_n_threads(),
            ends_after=ends_after,
        ).model

    def _boost_in_batches(self, recipe: Recipe, rows: Training, first: int) -> GradientBoosted:
        """Boost by a scorer that asks the model of each round: some rounds at a time, then their models."""
        learner, n_more = self.learner, self.learner.n_iter_no_change + 1
        grown: GradientBoosted = learner.model_
        while grown.n_rounds < learner.max_iter:
            more = with_rounds(recipe, min(learner.max_iter, grown.n_rounds + n_more))
            grown = fit_boosting(more, rows, before=grown, n_jobs=_openmp_effective_n_threads()).model
            for number in range(first, grown.n_rounds + 1):
                learner.model_ = grown.first_rounds(number)
                if self._stops(None, None):
                    return learner.model_  # type: ignore[no-any-return]
            first, n_more = grown.n_rounds + 1, 2 * n_more
        return grown

    def _stops_at_start(self) -> bool:
        start = self.learner.model_.start
        n_held_out = 0 if self.validation is None else len(self.validation.y)
        return self._stops(np.tile(start, (len(self.scored.y), 1)), np.tile(start, (n_held_out, 1)))

    def _stops(self, scores: Floats | None, validated: Floats | None) -> bool:
        """Append the scores of a round; return whether boosting ends."""
        own, other = self.scored, self.validation
        of_own: tuple[Any, ...] = (own.X, own.y, own.weight)
        of_other: tuple[Any, ...] = (None, None, None)
        if other is not None:
            of_other = (other.X, other.y, other.weight)
        if self.by_loss:
            n_threads = 1  # OpenMP's threads would spin on, in the way of those that grow the next trees
            stops = self.learner._check_early_stopping_loss(
                scores, *of_own[1:], validated, *of_other[1:], n_threads
            )
        else:
            stops = self.learner._check_early_stopping_scorer(*of_own, *of_other, scores, validated)
        return bool(stops)
