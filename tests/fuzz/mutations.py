"""Model files that were changed: each is refused by an error of bough's own, or loads as a sound model."""

import copy
import json
import zipfile
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

import bough
from bough.data.table import Table
from bough.errors import BoughError
from bough.loading import loads
from bough.models.encoding import to_text, to_zip

GOLDEN = Path(__file__).parents[1] / "golden"
HOSTILE = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**400, -(10**400), 0.5, -0.5, 1e308, 5e-324, "", "inf",
    "-inf", "nan", "tree", [], [[]], [None], [1e308], {}, {"a": 1}, "\ud800", "x" * 1000,
]  # fmt: skip


@cache
def originals():
    """Return the bytes of files of every kind: those of old versions, and models of every learner."""
    found = [path.read_bytes() for path in sorted(GOLDEN.glob("*.json"))]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)).round(1), columns=["u", "v"])
    X["w"] = rng.choice(["p", "q", "r"], 40)
    X.loc[::7, "u"] = np.nan
    classes = np.where(X["v"] + rng.normal(size=40) > 0, "yes", "no")
    numbers = X["v"].to_numpy() + rng.normal(size=40)
    learners = [
        bough.CARTClassifier(prior="equal", n_competitors=2, loss_matrix={("no", "yes"): 3}),
        bough.CARTClassifier(combinations="linear", prune="none", missing="majority"),
        bough.C45Classifier(),
        bough.C50Classifier(n_estimators=3),
        bough.C50Classifier(rules=True),
        bough.C50Classifier(n_estimators=2, rules=True),
        bough.RandomForestClassifier(3, random_state=0, voting="hard", cutoff=[0.3, 0.7]),
        bough.RandomForestRegressor(3, random_state=0, bias_correction=True, oob_score=True),
        bough.REPTreeRegressor(),
        bough.TreeRegressor("absolute_error"),
        bough.BaggingRegressor(n_estimators=2, random_state=0),
        bough.BaggingClassifier(bough.C45Classifier(), 2, random_state=0),
        bough.AdaBoostClassifier(n_estimators=2),
        bough.LogitBoostClassifier(n_estimators=2),
        bough.AdaBoostRegressor(n_estimators=2, random_state=0),
        bough.TransformRegressor(max_iter=2, early_stopping=False),
        bough.ABCBoostClassifier(max_iter=2),
    ]
    for learner in learners:
        y = classes if hasattr(learner, "predict_proba") else numbers
        document = learner.fit(X, y).model_.document()
        found += [to_text(document).encode(), to_zip(document)]
    return found


def check(rng, folder):
    """Change a file; return whether it was loaded, whether it was refused, and what fell."""
    files = originals()
    which = int(rng.integers(len(files)))
    data = files[which]
    for _ in range(int(rng.choice([1, 1, 1, 2, 5]))):
        data = _mutated(rng, data)
    try:
        model = loads(data)
        _use(model, rng)
    except BoughError:
        return 0, 1, []
    except Exception as error:
        words = " ".join(str(error).split())[:300]
        (folder / "changed").write_bytes(data)
        return 1, 0, [f"original {which}: {type(error).__name__}: {words}"]
    return 1, 0, []


def _use(model, rng):
    """Predict, print and save: what is loaded must be whole."""
    n = 5
    values = [
        np.append(rng.normal(size=n - 1), np.nan)
        if column.scale == "numeric"
        else rng.integers(-1, len(column.levels), n).astype(np.int32)
        for column in model.schema.columns
    ]
    rows = Table(model.schema, tuple(values), n)
    answers = model.predict(rows)
    if answers.dtype.kind == "f" and np.isnan(answers).any():
        raise AssertionError("a loaded model predicts NaN")
    if model.classes and np.isnan(model.predict_proba(rows)).any():
        raise AssertionError("a loaded model gives NaN as a probability")
    if loads(to_text(model.document()).encode()) != model:
        raise AssertionError("a loaded model saved again is another")


def _mutated(rng, data):
    if rng.random() < 0.3:
        return _bytes(rng, data)
    try:
        return _zip(rng, data) if data[:2] == b"PK" else _json(rng, data)
    except (ValueError, KeyError, zipfile.BadZipFile, RecursionError, NotImplementedError, EOFError):
        return _bytes(rng, data)


def _bytes(rng, data):
    if not data:
        return b"\x00"
    place, kind = int(rng.integers(len(data))), int(rng.integers(5))
    if kind == 0:
        return data[:place]
    if kind == 1:
        return (
            data[:place] + bytes(rng.integers(0, 256, int(rng.integers(1, 9)), dtype=np.uint8)) + data[place:]
        )
    if kind == 2:
        return data[:place] + data[place + int(rng.integers(1, 40)) :]
    if kind == 3:
        return data[:place] + data[place : place + 200] + data[place:]
    changed = bytearray(data)
    changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _junk(rng, n):
    return bytes(rng.integers(0, 256, n, dtype=np.uint8))


def _json(rng, data):
    document = json.loads(data)
    if rng.random() < 0.9:
        document.pop("sha256", None)
    return json.dumps(_changed(rng, document)).encode("utf-8", "surrogatepass")


def _zip(rng, data):
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except (RuntimeError, zlib.error):
        # An earlier change marked a member as encrypted or compressed.
        return data
    name = list(members)[int(rng.integers(len(members)))]
    if name == "head.json":
        members[name] = json.dumps(_changed(rng, json.loads(members[name]))).encode("utf-8", "surrogatepass")
    else:
        array = bytearray(members[name])
        for _ in range(int(rng.integers(1, 4))):
            if array:
                place = int(rng.integers(len(array)))
                array[place : place + 1] = bytes(
                    rng.integers(0, 256, int(rng.choice([1, 1, 8])), dtype=np.uint8)
                )
        members[name] = bytes(array)
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return made.getvalue()


def _changed(rng, document):
    """Replace, remove, repeat or swap a value somewhere in a document."""
    document = copy.deepcopy(document)
    place = document
    for _ in range(int(rng.integers(1, 8))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return document
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
            place = place[key]
            continue
        break
    else:
        return document
    kind = rng.random()
    if kind < 0.15:
        del place[key]
    elif kind < 0.25 and isinstance(place, list):
        place.insert(key, copy.deepcopy(place[key]))
    elif kind < 0.4:
        other = keys[int(rng.integers(len(keys)))]
        place[key], place[other] = place[other], place[key]
    elif kind < 0.6 and type(place[key]) in (int, float):
        place[key] = place[key] + int(rng.integers(-2, 3))
    else:
        place[key] = copy.deepcopy(HOSTILE[int(rng.integers(len(HOSTILE)))])
    return document
