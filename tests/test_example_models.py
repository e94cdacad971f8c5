import numpy as np
import pandas as pd
import pytest

from bough.example_models import cars_tree, iris_tree, tennis_tree

# The classic table: outlook, temperature, humidity, wind, play.
TENNIS = [
    ("Sunny", "Hot", "High", "Weak", "No"),
    ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Strong", "No"),
    ("Overcast", "Cool", "Normal", "Strong", "Yes"),
    ("Sunny", "Mild", "High", "Weak", "No"),
    ("Sunny", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "Normal", "Weak", "Yes"),
    ("Sunny", "Mild", "Normal", "Strong", "Yes"),
    ("Overcast", "Mild", "High", "Strong", "Yes"),
    ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
]
DAYS = pd.DataFrame(TENNIS, columns=["Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"])


def test_the_tennis_tree_answers_all_fourteen_days():
    tree = tennis_tree()
    assert tree.predict(DAYS.drop(columns="PlayTennis")).tolist() == DAYS["PlayTennis"].tolist()


def test_the_statistics_of_the_tennis_tree_are_those_of_its_rows():
    tree = tennis_tree()
    passed = tree.decision_path(DAYS.drop(columns="PlayTennis")).toarray()
    assert passed.sum(axis=0).tolist() == tree.rows.tolist()
    is_class = DAYS["PlayTennis"].to_numpy()[:, None] == np.array(tree.classes)
    assert (passed.T @ is_class).tolist() == tree.statistics.tolist()


def test_the_iris_tree_tells_setosa_by_its_petals():
    from sklearn.datasets import load_iris

    flowers = load_iris()
    petals = pd.DataFrame(flowers.data[:, 2:], columns=["Petal.Length", "Petal.Width"])
    species = flowers.target_names[flowers.target]
    tree = iris_tree()
    assert (tree.predict(petals) != species).sum() == tree.risk[tree.is_leaf].sum() == 6
    assert np.bincount(tree.apply(petals)).tolist() == [0, 50, 0, 54, 46]


@pytest.mark.parametrize("build", [iris_tree, tennis_tree])
def test_class_weights_of_children_sum_to_their_parents(build):
    tree = build()
    for node in np.flatnonzero(~tree.is_leaf):
        assert (
            tree.statistics[list(tree.children(node))].sum(axis=0).tolist() == tree.statistics[node].tolist()
        )
    assert tree.risk.tolist() == (tree.weight - tree.statistics.max(axis=1)).tolist()


def test_means_and_errors_of_the_cars_agree():
    tree = cars_tree()
    mean = tree.statistics[:, 0]
    for node in np.flatnonzero(~tree.is_leaf):
        below = list(tree.children(node))
        weight = tree.weight[below]
        assert weight @ mean[below] == pytest.approx(tree.weight[node] * mean[node])
        explained = weight @ (mean[below] - mean[node]) ** 2
        assert tree.risk[below].sum() + explained == pytest.approx(tree.risk[node])
        assert tree.gain[node] == pytest.approx(explained / tree.weight[node])


def test_the_gain_of_outlook_is_the_one_in_the_books():
    assert round(tennis_tree().gain[0], 3) == 0.247
