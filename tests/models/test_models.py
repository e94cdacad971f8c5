"""Every model answers as its learner does, and comes back from a file as it was."""

import dataclasses
import json

import numpy as np
import pytest
from tests.goldens import FOLDER, golden_text

import bough
from bough.errors import FormatError, ParameterError, TargetError
from bough.example_models import cars_tree, iris_tree, tennis_rules
from bough.loading import KINDS, from_json, loads
from bough.models.boosted import Boosted
from bough.models.committee import Committee
from bough.models.encoding import to_json, to_text, to_zip
from bough.models.format import save
from bough.models.model import Model

N = 80
RANDOM = np.random.default_rng(2)
X = np.empty((N, 4), dtype=object)
X[:, 0] = RANDOM.normal(size=N).round(1)
X[:, 1] = RANDOM.choice(list("abcd"), N)
X[:, 2] = np.where(RANDOM.random(N) < 0.2, None, RANDOM.integers(0, 6, N))
X[:, 3] = RANDOM.choice(["S", "M", "L"], N)
CODES = np.where(RANDOM.random(N) < 0.7, X[:, 0].astype(float) > 0, RANDOM.random(N) < 0.5).astype(int)
CODES[:5] = 2
# In the order of their first appearance the classes are not sorted.
Y = np.array(["no", "yes", "maybe"])[CODES]
NUMBERS = 3 * X[:, 0].astype(float) + CODES

SIZES = {"x3": ["S", "M", "L"]}
LEARNERS = {
    "tree": bough.TreeClassifier(smoothing=2.5),
    "cart": bough.CARTClassifier(smoothing="laplace", min_samples_leaf=3),
    "c4.5": bough.C45Classifier(),
    "c5.0": bough.C50Classifier(),
    "c5.0 of ranks": bough.C50Classifier(ordinal_features=SIZES, global_pruning=False),
    "c5.0 with soft cuts": bough.C50Classifier(fuzzy=True),
    "c5.0 with costs": bough.C50Classifier(loss_matrix={("yes", "no"): 5.0}),
    "c5.0 rules": bough.C50Classifier(rules=True),
    "c5.0 boosted": bough.C50Classifier(n_estimators=4, early_stopping=False),
    "c5.0 boosted with soft cuts": bough.C50Classifier(n_estimators=4, early_stopping=False, fuzzy=True),
    "c5.0 boosted rules": bough.C50Classifier(n_estimators=4, early_stopping=False, rules=True),
    "forest": bough.RandomForestClassifier(6, random_state=0),
    "boosting": bough.GradientBoostingClassifier(max_iter=4, min_samples_leaf=4),
    "regression boosting": bough.GradientBoostingRegressor(max_iter=4, min_samples_leaf=4),
    "bagging": bough.BaggingClassifier(n_estimators=4, max_features=0.5, random_state=0),
    "bagging by votes": bough.BaggingClassifier(bough.C45Classifier(), 4, voting="hard", random_state=0),
    "bagging of forests": bough.BaggingClassifier(bough.RandomForestClassifier(3), 3, random_state=0),
    "bagging of C5.0": bough.BaggingClassifier(bough.C50Classifier(n_estimators=3), 3, random_state=0),
    "adaboost": bough.AdaBoostClassifier(n_estimators=4),
    "real adaboost": bough.AdaBoostClassifier(bough.C45Classifier(), n_estimators=4, variant="real"),
    "logitboost": bough.LogitBoostClassifier(n_estimators=4),
    "regression adaboost": bough.AdaBoostRegressor(n_estimators=4, random_state=0),
    "regression tree": bough.CARTRegressor(),
    "regression forest": bough.RandomForestRegressor(6, random_state=0),
    "regression bagging": bough.BaggingRegressor(n_estimators=4, random_state=0),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_model_file_and_learner_give_one_answer(name, tmp_path):
    learner = LEARNERS[name]
    target = NUMBERS if "regression" in name else Y
    learner.fit(X, target)
    model = learner.model_
    assert isinstance(model, Model)
    assert model.model_kind in KINDS
    assert model.importance().shape == (4,)
    model.save(tmp_path / "model.json")
    model.save(tmp_path / "model.bough")
    for one in (model, bough.load(tmp_path / "model.json"), bough.load(tmp_path / "model.bough")):
        assert one == model
        assert hash(one) == hash(model) if model.model_kind != "rules" else True
        assert (one.predict(X) == learner.predict(X)).all()
        if model.task == "regression":
            with pytest.raises(TargetError, match="predict_proba"):
                one.predict_proba(X)
        else:
            assert one.classes == tuple(learner.classes_.tolist())
            assert (one.predict_proba(X) == learner.predict_proba(X)).all()


def test_c50s_tree_answers_as_c50_does():
    for options in ({}, {"fuzzy": True}, {"loss_matrix": {("yes", "no"): 5.0}}, {"n_estimators": 3}):
        model = bough.C50Classifier(**options).fit(X, Y)
        first = model.trees_[0]
        if model.n_estimators_ == 1:
            assert (first.predict_proba(X) == model.predict_proba(X)).all()
            assert (first.predict(X) == model.predict(X)).all()
        assert (first.predict(X) == model.staged_predict(X)[0]).all()


def test_without_missing_values_and_soft_cuts_c50s_probabilities_are_an_m_estimate():
    plain = X[:, [0, 1]]
    tree = bough.C50Classifier().fit(plain, Y).tree_
    assert tree.smoothing == 1.0
    assert tree.predict_proba(plain) == pytest.approx(tree.predict_proba(plain, smoothing=1.0), rel=1e-6)


def test_equality_leaves_out_provenance(tmp_path):
    for model in (iris_tree(), tennis_rules(), Boosted((tennis_rules(),))):
        told = dataclasses.replace(model, provenance={"source": "somewhere"})
        assert told == model
        told.save(tmp_path / "model.json")
        again = bough.load(tmp_path / "model.json")
        assert again.provenance["source"] == "somewhere"
        assert set(again.provenance) == {"date", "versions", "source"}
        assert set(again.provenance["versions"]) == {"bough", "numpy", "python"}
        again.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_learner_that_is_no_model_cannot_be_saved_in_a_committee(tmp_path):
    class Elsewhere:
        classes = ("a", "b")

    committee = Committee(
        schema=iris_tree().schema,
        task="classification",
        classes=("a", "b"),
        target_name=None,
        members=(Elsewhere(),),
        columns=((0, 1),),
    )
    with pytest.raises(ParameterError, match="A Elsewhere cannot be saved"):
        committee.save(tmp_path / "model.json")


def test_the_ending_of_the_path_or_the_size_chooses_text_or_zip(tmp_path):
    small, large = (
        {"kind": "x", "nodes": {"cut": np.zeros(10)}},
        {"kind": "x", "nodes": {"cut": np.zeros(2**18)}},
    )
    for document, name, start in (
        (small, "model.json", b'{"format"'),
        (large, "model.json", b'{"format"'),
        (small, "model.bough", b"PK"),
        (small, "model.zip", b"PK"),
        (small, "model", b'{"format"'),
        (large, "model.model", b"PK"),
    ):
        save(document, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


GOLDENS = {
    "tennis_rules": tennis_rules,
    "boosted": lambda: Boosted((tennis_rules(), tennis_rules())),
    "bagging": lambda: Committee(
        schema=cars_tree().schema,
        task="regression",
        classes=(),
        target_name="mpg",
        members=(cars_tree(), cars_tree()),
        columns=((0, 1), (0, 1)),
    ),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_version_3_is_written_and_read_as_stored(name):
    model = GOLDENS[name]()
    text = to_text(model.document())
    assert text == golden_text(f"{name}.v3.json", text)
    assert bough.load(FOLDER / f"{name}.v3.json") == model


def test_rules_of_version_1_are_read():
    assert bough.load(FOLDER / "tennis_rules.v1.json") == tennis_rules()
    document = json.loads((FOLDER / "tennis_rules.v1.json").read_text())
    with pytest.raises(FormatError, match="version: 2, but this bough reads versions up to 1"):
        from_json(document | {"version": 2})


def put(document, path, value):
    changed = json.loads(json.dumps(document))
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("bagging", ("voting",), "loud", "voting: 'loud'"),
        ("bagging", ("columns",), [[0, 1]], "columns: a list for each member"),
        ("bagging", ("columns", 1), [0, 7], r"columns\[1\]: rising positions"),
        ("bagging", ("columns", 1), [1, 0], r"columns\[1\]: rising positions"),
        ("bagging", ("columns", 1), [0], r"members\[1\].schema"),
        ("bagging", ("members",), [], "members: a list of at least one"),
        ("bagging", ("members", 1, "kind"), "shrub", r"members\[1\].kind: 'shrub'"),
        ("bagging", ("members", 1, "nodes", "first_child", 0), 9, r"members\[1\].nodes.first_child\[0\]: 9"),
        ("bagging", ("task",), "classification", "classes: a classification model"),
        ("boosted", ("members", 1, "classes"), ["No", "Maybe"], r"members\[1\]: its kind, schema or classes"),
        ("boosted", ("recipe",), {"a": 1}, r"members\[0\]: its task, target or recipe"),
        ("boosted", ("more",), 1, "'more' is not known here"),
    ],
)
def test_a_wrong_member_is_named(name, path, value, message):
    document = put(to_json(GOLDENS[name]().document()), path, value)
    with pytest.raises(FormatError, match=message):
        from_json(document)


def test_scores_of_members_need_two_classes():
    document = to_json(LEARNERS["logitboost"].fit(X, Y).model_.document())
    with pytest.raises(FormatError, match="voting: 'scores' is for two classes or more"):
        from_json(put(document, ("classes",), ["yes"]))


def test_a_boosted_tree_of_rows_without_hessian_can_be_loaded():
    weight = np.full(12, 1e-9)
    weight[6] = 1.0
    learner = bough.GradientBoostingClassifier(max_iter=3, max_samples=0.2, random_state=3)
    model = learner.fit(np.arange(12.0).reshape(-1, 1), ["a", "b"] * 6, sample_weight=weight).model_
    assert (model.arrays["weight"] == 0).any()
    assert loads(to_zip(model.document())) == model


def test_a_boosted_model_of_trees_holds_c50s():
    document = to_json(Boosted((tennis_rules(),)).document())
    tree = iris_tree()
    head = {name: tree.document()[name] for name in ("classes", "schema", "target", "recipe")}
    members = [to_json(tree.document())]
    del members[0]["format"], members[0]["version"]
    with pytest.raises(FormatError, match=r"members\[0\].arithmetic: 'c5.0' is wanted"):
        from_json(document | head | {"members": members})


def test_members_in_a_zip_come_back(tmp_path):
    model = GOLDENS["bagging"]()
    assert loads(to_zip(model.document())) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"share": None}, "arithmetic"),
        ({"arithmetic": "weka"}, "arithmetic: 'weka'"),
        ({"smoothing": -1.0}, "smoothing"),
        ({"cut_low": None}, "nodes.cut_low: cut_low, cut_mid and cut_high must all be given"),
    ],
)
def test_a_tree_of_c50_that_it_cannot_answer_by_is_refused(change, message):
    tree = bough.C50Classifier(fuzzy=True).fit(X, Y).tree_
    tree.check()
    with pytest.raises(FormatError, match=message):
        dataclasses.replace(tree, **change).check()


@pytest.mark.parametrize(("learner", "y"), [("ISLEClassifier", ["yes", "no"]), ("ISLERegressor", [1.0, 2.0])])
def test_a_sum_of_no_trees_is_saved_and_loaded(learner, y, tmp_path):
    X = [[0.0, 1.0]] * 20
    model = getattr(bough, learner)(n_estimators=5, cv=2).fit(X, y * 10).model_
    assert model.n_trees == 0
    model.save(tmp_path / "model.json")
    again = bough.load(tmp_path / "model.json")
    assert again.n_trees == 0
    np.testing.assert_array_equal(again.predict(X[:2]), model.predict(X[:2]))
