import copy
import dataclasses
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.goldens import FOLDER, golden_text
from tests.hand_trees import ages_tree, formula_tree, shop_tree, visits_tree, weekday_tree
from tests.strategies import tables, trees

from bough.data.schema import Column, Schema
from bough.errors import FormatError
from bough.example_models import cars_tree, iris_tree, tennis_tree
from bough.loading import load, loads
from bough.models.encoding import to_text
from bough.models.format import HEAD
from bough.models.tree_format import document_of, from_json, to_json
from bough.tree.arrays import ARRAYS
from bough.tree.routing import walk

GOLDENS = {
    "tennis": tennis_tree,
    "iris": iris_tree,
    "cars": cars_tree,
    "shop": shop_tree,
    "weekday": weekday_tree,
}
VERSION_2 = {"visits": visits_tree, "formula": formula_tree}
VERSION_3 = GOLDENS | VERSION_2 | {"ages": ages_tree}


def dumps(tree):
    return to_text(document_of(tree))


@pytest.mark.parametrize("name", GOLDENS)
def test_version_1_is_read(name):
    assert load(FOLDER / f"{name}.v1.json") == GOLDENS[name]()


@pytest.mark.parametrize("name", VERSION_2)
def test_version_2_is_read(name):
    assert load(FOLDER / f"{name}.v2.json") == VERSION_2[name]()


@pytest.mark.parametrize("name", VERSION_3)
def test_version_3_is_written_and_read_as_stored(name):
    tree = VERSION_3[name]()
    assert dumps(tree) == golden_text(f"{name}.v3.json", dumps(tree))
    assert load(FOLDER / f"{name}.v3.json") == tree


def test_the_missing_policy_of_old_files_is_read_by_its_name_of_today():
    document = json.loads((FOLDER / "iris.v1.json").read_text()) | {"recipe": {"missing": "spread"}}
    del document["sha256"]
    assert from_json(document).recipe == {"missing": "fractional"}


@pytest.mark.parametrize("later", ["surrogates", "competitors", "class_scale", "loss"])
def test_what_version_2_added_is_not_known_in_version_1(later):
    document = json.loads((FOLDER / "visits.v2.json").read_text())
    kept = {"format", "version", "criterion", "nodes", *HEAD, later}
    document = {name: value for name, value in document.items() if name in kept}
    assert from_json(document).n_nodes == 5
    with pytest.raises(FormatError, match=f"'{later}' is not known here"):
        from_json(document | {"version": 1})


@pytest.mark.parametrize(
    ("version", "nodes", "message"),
    [
        (1, {"share": [1.0, 0.25, 0.75, 0.5, 0.5]}, "At nodes: 'share' is not known here"),
        (
            1,
            {"kind": ["at_most", "leaf", "threshold", "leaf", "leaf"]},
            "'at_most' is not known in version 1",
        ),
        (2, {"kind": ["intervals", "leaf", "threshold", "leaf", "leaf"]}, "'intervals' is not known in"),
        (2, {"cut_below": [1.0] * 5}, "'cut_below' is not known here"),
    ],
)
def test_old_versions_do_not_know_later_arrays(version, nodes, message):
    document = json.loads((FOLDER / "iris.v1.json").read_text())
    document = document | {"version": version, "nodes": document["nodes"] | nodes}
    del document["sha256"]
    with pytest.raises(FormatError, match=message):
        from_json(document)


@pytest.mark.parametrize("has", [{"class_scale": [1.0, 1.0, 2.0]}, {"loss_matrix": [[0.0] * 3] * 3}])
def test_a_tree_with_shares_has_no_losses(has):
    tree = dataclasses.replace(iris_tree(), share=[1.0, 0.25, 0.75, 0.5, 0.5], **has)
    with pytest.raises(FormatError, match="a tree with shares has none"):
        tree.check()


def test_a_tree_without_additions_is_written_without_them():
    document = to_json(iris_tree())
    assert document.keys() == {"format", "version", "kind", "criterion", "nodes", *HEAD}
    assert document["nodes"].keys() == ARRAYS.keys() - {"parent"}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("surrogates", "column", 0), 3, r"surrogates.column\[0\]: there is no such column"),
        (("surrogates", "cut", 0), None, r"surrogates.cut\[0\]: a split of levels"),
        (("surrogates", "turned", 2), 1, r"surrogates.turned\[2\]: only a threshold"),
        (("surrogates", "turned", 0), 2, r"surrogates.turned\[0\]: 0 or 1"),
        (("surrogates", "start", 1), 9, "surrogates.start: it must increase from 0 to 3"),
        (("surrogates", "start"), [0, 2, 3, 3, 3, 3], r"surrogates.start\[2\]: only a split in two"),
        (("surrogates", "level_code", 1), 7, r"surrogates.level_code\[1\]: the column has no such level"),
        (("surrogates", "level_branch", 1), 2, r"surrogates.level_branch\[1\]: there is no such branch"),
        (("surrogates", "level_branch"), [0, 1], "surrogates.level_branch: has 2 entries, where 3"),
        (("surrogates", "value", 1), None, r"surrogates.value\[1\]: a finite number"),
        (("competitors", "adjusted", 0), "inf", r"competitors.adjusted\[0\]: a finite number"),
        (("competitors",), {}, "competitors: 'start' is missing"),
        (("follows_surrogates",), 1, "follows_surrogates: 1; true or false is wanted"),
        (("class_scale",), [1.0], "class_scale: has shape"),
        (("class_scale", 0), -1.0, "class_scale: finite numbers of at least 0"),
        (("loss_matrix",), [[0.0, 1.0], [1.0]], "loss_matrix"),
        (("loss_matrix", 1, 0), None, "loss_matrix"),
    ],
)
def test_a_wrong_addition_is_named(path, value, message):
    document = edited(to_json(visits_tree()), path, value, "replace")
    with pytest.raises(FormatError, match=message):
        from_json(document)


@given(trees())
def test_a_tree_comes_back_as_it_was(tree):
    again = loads(dumps(tree).encode())
    assert again == tree
    assert dumps(again) == dumps(tree)
    assert from_json(to_json(tree)) == tree
    for column, column_again in zip(tree.schema.columns, again.schema.columns, strict=True):
        assert [*map(type, column_again.levels)] == [*map(type, column.levels)]
    assert not again.weight.flags.writeable


@given(trees())
def test_the_text_is_strict_json(tree):
    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(dumps(tree), parse_constant=refuse)
    assert document.pop("sha256")
    assert document == to_json(tree)


def test_labels_and_levels_keep_their_types():
    for labels in (("0", "1", "2"), (0, 1, 2), (0.0, 1.0, 2.5), (False, True, "x")):
        tree = dataclasses.replace(
            iris_tree(),
            classes=labels,
            schema=Schema((Column("Petal.Length", "numeric"), Column("Petal.Width", "numeric"))),
        )
        again = loads(dumps(tree).encode())
        assert [(type(label), label) for label in again.classes] == [(type(label), label) for label in labels]


def test_infinite_cuts_are_words():
    assert to_json(weekday_tree())["nodes"]["cut"][:5] == [None, "inf", None, None, "-inf"]


def test_save_and_load(tmp_path):
    path = tmp_path / "größe.json"
    shop_tree().save(path)
    assert load(path) == load(str(path)) == shop_tree()


def test_an_error_notes_the_file(tmp_path):
    path = tmp_path / "iris.json"
    path.write_text("[]")
    with pytest.raises(FormatError) as caught:
        load(path)
    assert caught.value.place == "format"
    assert "iris.json" in caught.value.__notes__[0]


def test_a_file_that_is_not_there_is_pythons_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")


def test_a_newer_version_asks_for_an_upgrade():
    document = to_json(iris_tree()) | {"version": 4, "more": []}
    with pytest.raises(FormatError, match="version: 4, but this bough reads versions up to 3: pip install"):
        from_json(document)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("format", "scikit-learn", "format: this is no model"),
        ("version", None, "version: None"),
        ("version", 0, "version: 0"),
        ("version", True, "version: True"),
        ("version", "1", "version: '1'"),
        ("task", "ranking", "task: 'ranking'"),
        ("task", [], r"task: \[\]"),
        ("target", 3, "target: 3; a name or null"),
        ("criterion", None, "criterion: None"),
        ("recipe", [], "recipe: list; an object"),
        ("recipe", {"alpha": float("inf")}, "recipe.alpha: inf"),
        ("classes", "abc", "classes: must be a list"),
        ("classes", [{}, "b", "c"], r"classes\[0\]"),
        ("classes", ["a", "b"], "nodes.statistics: has shape"),
        ("classes", ["a", "b", "b"], "classes: a class is listed twice"),
        ("schema", None, "schema: an object is wanted"),
        ("schema", {"columns": [{"name": "x"}]}, r"schema.columns\[0\]: 'scale' is missing"),
        (
            "schema",
            {"columns": [{"name": "x", "scale": "nominal", "levels": [10**400, 1]}]},
            "schema.*too large",
        ),
        ("schema", {"columns": []}, r"nodes.column\[0\]: 0, but the schema has 0 columns"),
        ("nodes", [], "nodes: an object is wanted"),
        ("nodes", {}, "nodes: 'first_child' is missing"),
        ("more", 1, "the top: 'more' is not known here"),
    ],
)
def test_a_wrong_entry_is_named(name, value, message):
    with pytest.raises(FormatError, match=message):
        from_json(to_json(iris_tree()) | {name: value})


@pytest.mark.parametrize("name", ["task", "target", "classes", "criterion", "recipe", "schema", "nodes"])
def test_a_missing_entry_is_named(name):
    document = to_json(iris_tree())
    del document[name]
    with pytest.raises(FormatError, match=f"'{name}' is missing"):
        from_json(document)


def test_the_place_of_a_wrong_number_is_named():
    document = to_json(iris_tree())
    document["nodes"]["first_child"][2] = 17
    with pytest.raises(FormatError, match=r"^At nodes.first_child\[2\]: 17, but the tree has 5 nodes$"):
        from_json(document)


def test_arrays_of_no_nodes_are_refused():
    document = to_json(iris_tree())
    document["nodes"] = {name: [] for name in document["nodes"]} | {"level_start": [0]}
    with pytest.raises(FormatError):
        from_json(document)


def test_counts_that_would_fill_the_memory_are_refused():
    document = to_json(iris_tree())
    document["nodes"]["n_children"] = [2**31 - 1] * 5
    with pytest.raises(FormatError, match="n_children: sum to"):
        from_json(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r"line 1, column 1: .*is the file whole"),
        (b"[" * 100_000, "the top: it is nested too deep"),
        (b'{"format": NaN}', "NaN: it is not JSON"),
        (b'{"a": 1, "a": 2}', "'a': occurs twice"),
        (b"\xff\xfe", "byte 0: the file is not UTF-8"),
        (b"1" * 5000, "a number: "),
        (b"null", "format: "),
        (b"{}", "format: "),
        (b"\x80\x04N.", "byte 0"),
    ],
)
def test_what_is_no_json_is_refused(text, message):
    with pytest.raises(FormatError, match=message):
        loads(text)


def test_a_recipe_nested_too_deep_is_refused():
    deep = "[" * 900 + "]" * 900
    text = dumps(iris_tree()).replace('"recipe": {}', f'"recipe": {{"a": {deep}}}')
    with pytest.raises(FormatError):
        loads(text.encode())


def test_a_change_of_one_figure_is_found_by_the_checksum():
    text = dumps(iris_tree()).replace("2.45", "2.46")
    with pytest.raises(FormatError, match="sha256: the file was changed"):
        loads(text.encode())


def test_a_file_without_checksum_can_be_written_by_hand():
    document = to_json(iris_tree())
    document["nodes"]["cut"][0] = 2.5
    edited = loads(json.dumps(document, indent=1).encode())
    assert edited.cut[0] == 2.5


SAVED = dumps(shop_tree()).encode()


@given(st.integers(0, len(SAVED) - 2))
def test_a_truncated_file_is_refused(length):
    with pytest.raises(FormatError):
        loads(SAVED[:length])


@given(st.integers(0, len(SAVED) - 1), st.integers(0, 255))
def test_a_file_with_one_byte_changed_is_refused_or_is_the_same_tree(place, byte):
    edited = bytearray(SAVED)
    edited[place] = byte
    try:
        # In the first line, which the checksum does not cover, a space may become another.
        assert loads(bytes(edited)) == shop_tree()
    except FormatError:
        assert bytes(edited) != SAVED


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 12),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.lists(st.integers(-2, 3), max_size=3),
    st.dictionaries(st.sampled_from(["float", "name", "a"]), st.one_of(st.integers(), st.lists(st.none()))),
)


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def edited(document, path, value, how):
    document = copy.deepcopy(document)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if how == "delete":
        del parent[path[-1]]
    elif how == "insert" and isinstance(parent, list):
        parent.insert(path[-1], value)
    else:
        parent[path[-1]] = value
    return document


def read_or_refused(document):
    try:
        return from_json(document)
    except FormatError as refused:
        if not refused.place or not refused.wrong:
            raise
        return None


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_an_edited_document_is_refused_or_makes_a_sound_tree(data):
    # As often one with additions as all others.
    document = to_json(data.draw(st.sampled_from([*GOLDENS.values(), *[visits_tree, ages_tree] * 3]))())
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(document))[1:]))
        how = data.draw(st.sampled_from(["replace", "delete", "insert"]))
        document = edited(document, path, data.draw(JUNK), how)
    tree = read_or_refused(document)
    if tree is not None:
        tree.check()
        assert from_json(to_json(tree)) == tree
        table = data.draw(tables(tree.schema))
        assert tree.apply(table).tolist() == walk(tree, table).tolist()


def test_a_format_that_refers_to_an_array_is_refused():
    array = {"array": "nodes/cut", "dtype": "<f8", "shape": [1]}
    head = json.dumps({"format": array, "version": 3, "kind": "tree"})
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("head.json", head)
        archive.writestr("nodes/cut", np.zeros(1).tobytes())
    with pytest.raises(FormatError, match="format: this is no model"):
        loads(written.getvalue())
