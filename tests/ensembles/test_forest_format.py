"""Forests in files: they come back as they were, and no file, however wrong, does harm."""

import dataclasses
import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import bough
from bough.ensembles.forest_format import document_of, from_document
from bough.errors import FormatError
from bough.loading import loads
from bough.models.encoding import to_text, to_zip

N = 60
RANDOM = np.random.default_rng(7)
X = np.empty((N, 3), dtype=object)
X[:, 0] = RANDOM.normal(size=N).round(2)
X[:, 1] = RANDOM.choice(list("abcdefgh"), N)
X[:, 2] = np.where(RANDOM.random(N) < 0.2, np.nan, RANDOM.integers(0, 5, N))
Y = np.where((X[:, 1] < "d") ^ (X[:, 0].astype(float) > 0), "yes", "no")
NUMBERS = X[:, 0].astype(float) * 3 + (X[:, 1] == "a")

MODELS = {
    "classes": lambda: bough.RandomForestClassifier(8, random_state=1).fit(X, Y),
    "votes": lambda: bough.RandomForestClassifier(8, voting="hard", cutoff=[0.3, 0.7], random_state=1).fit(
        X, Y
    ),
    "subsets": lambda: bough.RandomForestClassifier(8, nominal="subset", random_state=1).fit(X, Y),
    "numbers": lambda: bough.RandomForestRegressor(8, random_state=1).fit(X, NUMBERS),
    "corrected": lambda: bough.RandomForestRegressor(
        30, bias_correction=True, oob_score=True, random_state=1
    ).fit(X, NUMBERS),
    "extra": lambda: bough.ExtraTreesClassifier(8, random_state=1).fit(X, Y),
    "whole": lambda: bough.RandomForestClassifier(2, random_state=1).fit([[1.0], [1.0]], ["a", "b"]),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "written", [lambda document: to_text(document).encode(), to_zip], ids=["text", "zip"]
)
def test_a_forest_comes_back_as_it_was(name, written):
    model = MODELS[name]()
    forest = model.forest_
    again = loads(written(document_of(forest)))
    assert again == forest
    assert not again.nodes.flags.writeable
    rows = [[1.0]] if name == "whole" else X
    assert (again.predict(rows) == forest.predict(rows)).all()
    assert (forest.predict(rows) == model.predict(rows)).all()
    assert (again.importance() == forest.importance()).all()
    if forest.classes:
        shares = model.predict_proba(rows)[
            :, [model.classes_.tolist().index(each) for each in forest.classes]
        ]
        assert (again.predict_proba(rows) == shares).all()
    assert again.trees[0] == forest.trees[0]


def test_equality_looks_at_every_part_but_provenance():
    forest = MODELS["classes"]().forest_
    assert dataclasses.replace(forest, provenance={"source": "here"}) == forest
    assert dataclasses.replace(forest, voting="hard") != forest
    assert dataclasses.replace(forest, gain=np.zeros_like(forest.gain)) != forest
    assert pickle.loads(pickle.dumps(forest)) == forest


def test_a_zip_is_no_larger_than_a_pickle():
    forest = (
        bough.RandomForestClassifier(40, random_state=1)
        .fit(RANDOM.normal(size=(600, 4)), np.tile(Y, 10))
        .forest_
    )
    assert len(to_zip(document_of(forest))) <= 1.02 * len(pickle.dumps(forest, protocol=5))


def wrong(document, name, change):
    arrays = {key: array.copy() for key, array in document["trees"].items()}
    arrays[name] = change(arrays[name])
    return document | {"trees": arrays}


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("nodes", lambda nodes: nodes[:-1], "trees"),
        ("nodes", put(0, 0), "trees"),
        ("gain", lambda gain: gain[1:], "trees.gain: has shape"),
        ("gain", lambda gain: gain.astype(np.float64), "trees.gain: holds float64"),
        ("leaf", put(0, np.nan), "trees.leaf: finite"),
        ("leaf", put(0, -1.0), "trees.leaf: finite"),
        ("cases", put(0, np.inf), "trees.cases: finite"),
        ("node_start", put(1, -5), "trees: the nodes of a tree are out of range"),
        ("leaf_start", put(-1, 10**9), "trees: the leaves of a tree are out of range"),
        ("special_start", put(0, 1), "trees: the special splits"),
        ("tree_importance", lambda gained: gained[1:], "trees.tree_importance: has shape"),
        ("special", lambda words: words[:0], "trees"),
    ],
)
def test_wrong_arrays_are_refused(name, change, message):
    document = document_of(MODELS["classes"]().forest_)
    with pytest.raises(FormatError, match=message):
        from_document(wrong(document, name, change))


def test_nodes_that_share_a_child_are_refused():
    forest = (
        bough.RandomForestClassifier(1, bootstrap=False, random_state=0)
        .fit([[1.0], [2.0], [3.0]], [0, 1, 0])
        .forest_
    )
    inner = np.flatnonzero(~np.isnan((forest.nodes >> np.uint64(32)).astype(np.uint32).view(np.float32)))
    assert len(inner) == 2
    lower = np.uint64(2**32 - 1)
    nodes = forest.nodes.copy()
    # The second split leads where it would be its own sibling's parent: one node gets two parents.
    nodes[inner[0]] = (nodes[inner[0]] & ~lower) | (nodes[inner[1]] & lower)
    with pytest.raises(FormatError, match=r"do not make one tree|child is out of range"):
        dataclasses.replace(forest, nodes=nodes).check()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("voting", "loud", "voting: 'loud'"),
        ("cutoff", [0.5], "cutoff"),
        ("cutoff", [0.5, "x"], "cutoff"),
        ("correction", [0.0, 1.0], "correction"),
        ("wide", 1, "wide: 1"),
        ("column_bits", 77, "trees: no such layout"),
        ("column_bits", 10**30, "trees"),
        ("task", "regression", "classes: a regression model"),
        ("classes", ["yes"], "trees.leaf: has shape"),
        ("kind", "shrub", None),
    ],
)
def test_wrong_entries_are_refused(name, value, message):
    document = document_of(MODELS["classes"]().forest_) | {name: value}
    with pytest.raises(FormatError, match=message):
        loads(to_zip(document))


def test_members_that_are_compressed_overlap_or_are_not_known_are_refused():
    data = to_zip(document_of(MODELS["classes"]().forest_))
    held = zipfile.ZipFile(io.BytesIO(data))

    def packed(names, **options):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", **options) as archive:
            for name in names:
                archive.writestr(name, held.read(name) if name in held.namelist() else b"more")
        return out.getvalue()

    names = held.namelist()
    assert loads(packed(names)) == loads(data)
    for wrong_zip, message in (
        (packed(names, compression=zipfile.ZIP_DEFLATED), "stored, not compressed"),
        (packed([*names, "more"]), "'more' is not known here"),
        (packed(names[1:]), "head.json: it is missing"),
        (packed(names[:-1]), "there is no array"),
        (data[:-30], "the zip"),
        (data[:4], "the zip"),
    ):
        with pytest.raises(FormatError, match=message):
            loads(wrong_zip)


def test_a_shape_that_would_fill_the_memory_is_refused():
    data = to_zip(document_of(MODELS["classes"]().forest_))
    held = zipfile.ZipFile(io.BytesIO(data))
    head = json.loads(held.read("head.json"))
    head["trees"]["nodes"]["shape"] = [10**15]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in held.namelist():
            archive.writestr(name, json.dumps(head) if name == "head.json" else held.read(name))
    with pytest.raises(FormatError, match="do not make the shape"):
        loads(out.getvalue())


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_flipped_bytes_are_refused_or_answer(name):
    """Bytes of a file are flipped behind the back of its checksums; what still loads answers without harm."""
    document = document_of(MODELS[name]().forest_)
    random = np.random.default_rng(3)
    arrays = document["trees"]
    loaded = 0
    for _ in range(3000):
        key = random.choice([*arrays, "nodes", "special"])
        array = arrays[key]
        if array.size == 0:
            continue
        flipped = bytearray(array.tobytes())
        for place in random.integers(0, len(flipped), random.integers(1, 4)):
            flipped[place] ^= int(random.integers(1, 256))
        changed = np.frombuffer(bytes(flipped), dtype=array.dtype).reshape(array.shape)
        try:
            forest = from_document(document | {"trees": arrays | {key: changed}})
        except FormatError:
            continue
        loaded += 1
        with np.errstate(all="ignore"):
            assert len(forest.predict(X[:5])) == 5
            if loaded % 10 == 0:
                forest.trees[0].apply(X[:5])
    assert loaded > 100


def test_flipped_bytes_of_a_whole_file_are_refused_or_the_same():
    forest = MODELS["classes"]().forest_
    data = to_zip(document_of(forest))
    random = np.random.default_rng(5)
    for _ in range(1500):
        flipped = bytearray(data)
        flipped[random.integers(len(data))] ^= int(random.integers(1, 256))
        try:
            again = loads(bytes(flipped))
        except FormatError:
            continue
        assert again == forest
