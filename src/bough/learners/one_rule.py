"""OneR (Holte 1993): rules on the one column that predicts best."""

from __future__ import annotations

from sklearn.utils import Tags

from bough.growing.limits import check_number
from bough.growing.recipe import Recipe
from bough.learners.keyword_parameters import keyword_parameters
from bough.learners.rule_estimator import RuleClassifierEstimator


@keyword_parameters
class OneRClassifier(RuleClassifierEstimator):
    """OneR: one rule for each value or range of the single column that makes the fewest training errors.

    A numeric column is divided into ranges, each with at least `min_bucket` cases of its class; a missing
    value has a rule of its own. Results are those of Weka, where missing values and levels that did not occur
    in training are predicted as the first class; here they are predicted as the most frequent one.

    Parameters
    ----------
    min_bucket
        Least number of cases of the class of a range of a numeric column; Weka's -B.

    Examples
    --------
    >>> import bough
    >>> model = bough.OneRClassifier().fit([["s", 1], ["s", 2], ["r", 1]], ["no", "no", "yes"])
    >>> print(model.rules_)
    2 rules from 3 cases, the first that fires
    <BLANKLINE>
    R1   x0 = r  ->  yes  1 case, 0 wrong, confidence 100.0%, lift 3.00
    R2   x0 = s  ->  no   2 cases, 0 wrong, confidence 100.0%, lift 1.50
    default      ->  no

    """

    min_bucket: float = 6

    def recipe(self) -> Recipe:
        """Return the recipe that these parameters define; invalid parameters raise here.

        >>> OneRClassifier().recipe().settings
        {'program': 'OneR', 'min_bucket': 6.0}
        """
        check_number("min_bucket", self.min_bucket, 0.0, above=True)
        return Recipe(
            "misclassification",
            nominal="complete",
            missing="own_level",
            scales=self._scales(),
            arithmetic="weka",
            settings={"program": "OneR", "min_bucket": float(self.min_bucket)},
            task="classification",
        )

    def __sklearn_tags__(self) -> Tags:
        """Declare to scikit-learn that one column may predict badly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
