from tests.hand_trees import shop_tree, weekday_tree

from bough.example_models import cars_tree, iris_tree


def test_a_node_tells_what_it_knows():
    node = iris_tree().node(2)
    assert (node.id, node.depth, node.parent, node.children) == (2, 1, 0, (3, 4))
    assert node.condition == "Petal.Length >= 2.45"
    assert node.question == "Petal.Width < 1.75?"
    assert node.branch_words == ("Petal.Width < 1.75", "Petal.Width >= 1.75")
    assert node.missing_to == 3
    assert (node.cases, node.weight, node.share) == (100.0, 100.0, 100 / 150)
    assert node.answer == "versicolor"
    assert node.class_weights == {"setosa": 0.0, "versicolor": 50.0, "virginica": 50.0}
    assert (node.risk, round(node.gain, 4), node.spread) == (50.0, 0.3897, None)
    assert not node.is_leaf


def test_a_leaf_asks_nothing():
    leaf = cars_tree().node(1)
    assert leaf.is_leaf
    assert (leaf.split, leaf.question, leaf.missing_to, leaf.gain) == (None, None, None, None)
    assert leaf.class_weights == {}
    assert round(leaf.answer, 4) == 26.6636
    assert str(leaf) == (
        "node 1, at depth 1 below node 0: cyl < 5\n  11 cases (34.4%), answer 26.6636, spread 4.3\n  a leaf"
    )


def test_the_root_prints_where_its_rows_go():
    assert str(shop_tree().node(0)) == (
        "node 0, the root: all\n"
        "  8 cases (100.0%), answer False: False 4, True 4\n"
        "  asks referrer = s? -> node 1 if referrer = s, node 2 if referrer is not s; missing goes to node 2"
    )


def test_an_empty_node_says_whose_answer_it_gives():
    assert str(shop_tree().node(8)).splitlines()[1] == "  0 cases (0.0%), answer True as node 4"
    assert str(weekday_tree().node(6)).splitlines()[1] == "  0 cases (0.0%), answer 2 as node 0"
