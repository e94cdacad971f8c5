"""Scripts written for scikit-learn run unchanged with one import swapped, and score alike."""

import pytest
from tests.sklearn.tutorials_runner import SCRIPTS, scores_of, swapped


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_scores_are_those_of_scikit_learn(script):
    theirs, ours = scores_of(script, swap=False), scores_of(script, swap=True)
    assert ours.keys() == theirs.keys()
    for name, score in theirs.items():
        assert ours[name] == pytest.approx(score, abs=0.03), name


def test_a_script_without_swapped_imports_does_not_change():
    assert swapped("from sklearn.svm import SVC\n") == "from sklearn.svm import SVC\n"
    assert swapped("from sklearn.tree import DecisionTreeRegressor, plot_tree") == (
        "from bough.sklearn import DecisionTreeRegressor\nfrom sklearn.tree import plot_tree"
    )
