"""scikit-learn's own tests of trees, forests, bagging, AdaBoost and others pass with bough's classes."""

import pytest
import sklearn
from tests.sklearn.left_out import VERSIONS, lists_for
from tests.sklearn.suite import outcomes

pytestmark = pytest.mark.slow

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
LEFT_OUT, DIFFERENT = lists_for(VERSION)


@pytest.fixture(scope="module")
def found():
    """The outcome of each test that was not skipped."""
    return {name: outcome for name, (outcome, _) in outcomes().items() if outcome != "skipped"}


def test_at_most_five_percent_are_left_out(found):
    assert len(LEFT_OUT) <= 0.05 * len(found)


def test_98_percent_of_the_others_pass(found):
    counted = {name: outcome for name, outcome in found.items() if name not in LEFT_OUT}
    failed = [name for name, outcome in counted.items() if outcome == "failed"]
    assert len(failed) <= 0.02 * len(counted), failed


def test_the_lists_are_up_to_date(found):
    if VERSION not in VERSIONS:
        pytest.skip("the lists are about other versions of scikit-learn")
    failed = {name for name, outcome in found.items() if outcome == "failed"}
    assert failed == LEFT_OUT.keys() | DIFFERENT.keys()
