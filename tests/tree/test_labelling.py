"""Labels are shown by every view, are saved with the model, and change no prediction."""

import json
import pickle

import pytest
from hypothesis import given
from tests.strategies import trees

import bough
from bough.data.labels import Labels
from bough.data.schema import Schema
from bough.errors import FormatError, ParameterError
from bough.example_models import cars_tree, tennis_rules, tennis_tree

LABELS = {"Wind": "wind speed", "PlayTennis": "Match"}
LEVELS = {"Wind": {"Strong": "storm"}, "PlayTennis": {"No": "called off"}}
ROW = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}


def labelled_tree():
    return tennis_tree().words(LABELS, LEVELS)


def views(model):
    """Everything that is shown of a model, by name."""
    shown = {"text": str(model), "explain": str(model.explain(ROW)), "html": model.explain(ROW).to_html()}
    if model.model_kind == "tree":
        shown |= {
            "rules": str(model.rules()),
            "node": str(model.node(3)) + str(model.node(6)),
            "dot": model.to_dot(),
            "notebook": model._repr_html_(),
            "report": json.dumps(model.report().facts),
            "path": ", ".join(model.path_of(ROW)) + " called off",
        }
    return shown


@pytest.mark.parametrize("view", [*views(tennis_tree())])
def test_every_view_shows_labels_and_no_codes(view):
    text = views(labelled_tree())[view]
    assert "wind speed" in text
    assert "storm" in text
    assert "called off" in text
    assert "Strong" not in text
    assert "Wind" not in text


@pytest.mark.parametrize("view", ["text", "explain", "html"])
def test_the_views_of_rule_sets_show_labels(view):
    text = views(tennis_rules().words(LABELS, LEVELS))[view]
    assert "wind speed = storm" in text
    assert "called off" in text
    assert "Strong" not in text


def test_an_evaluation_shows_the_labels_of_classes():
    found = bough.evaluate(labelled_tree(), [list(ROW.values())], ["No"])
    assert "called off" in str(found)
    assert "AUC of Yes" not in str(found)


def test_labels_change_no_prediction_and_no_equality():
    tree = labelled_tree()
    assert tree == tennis_tree()
    assert tree.predict([list(ROW.values())]).tolist() == ["No"]
    assert tree.rules()[3].covers([list(ROW.values())]).tolist() == [True]
    assert tree.node(6).answer == "No"


@pytest.mark.parametrize("suffix", [".json", ".bough"])
def test_labels_are_saved_with_the_model(tmp_path, suffix):
    for model in (labelled_tree(), tennis_rules().words(LABELS, LEVELS)):
        model.save(tmp_path / f"model{suffix}")
        loaded = bough.load(tmp_path / f"model{suffix}")
        assert loaded.schema.labels == model.schema.labels
        assert str(loaded) == str(model)
    assert pickle.loads(pickle.dumps(labelled_tree())).schema.labels == labelled_tree().schema.labels


def test_labels_are_kept_by_pruning_and_removed_without_arguments():
    assert "wind speed" in str(labelled_tree().snip(1))
    assert str(labelled_tree().words()) == str(tennis_tree())


@given(trees())
def test_a_tree_without_labels_shows_its_own_names(tree):
    assert str(tree.words()) == str(tree)


@pytest.mark.parametrize(
    ("labels", "levels", "words"),
    [
        ({"wind": "x"}, None, "labels is 'wind'; it must be names of columns"),
        ({"Wind": 3}, None, "labels is 3; it must be texts by name"),
        ({"Wind": "Outlook"}, None, "labels must differ"),
        (None, {"Wind": {"strong": "x"}}, "a level of 'Wind'"),
        (None, {"Wind": {"Strong": "Weak"}}, "labels must differ"),
        (None, {"PlayTennis": {"No": "Yes"}}, "labels must differ"),
        (None, {"Wind": "storm"}, "texts by level"),
    ],
)
def test_labels_that_make_no_sense_are_refused(labels, levels, words):
    with pytest.raises(ParameterError, match=words):
        tennis_tree().words(labels, levels)


def test_a_regression_tree_shows_the_label_of_its_target():
    assert "tree for miles per gallon" in str(cars_tree().words({"mpg": "miles per gallon"}))


@pytest.mark.parametrize(
    "data",
    [[], {"column": {}}, {"columns": {"a": 1}}, {"levels": []}, {"target": 1}, {"classes": [["a"]]}],
)
def test_labels_of_an_invalid_file_are_refused(data):
    with pytest.raises(FormatError, match="labels"):
        Labels.from_json(data)
    with pytest.raises(FormatError, match="labels"):
        Schema.from_json({"columns": [], "labels": data})
