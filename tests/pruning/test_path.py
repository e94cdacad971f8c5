import dataclasses

import numpy as np
import pytest

from bough.errors import ParameterError
from bough.example_models import cars_tree, iris_tree, tennis_tree


def test_the_path_of_the_tennis_tree_by_hand():
    # Sunny: 2 errors without its split, Rain: 2; all days: 5, or 4 by outlook, or none in 5 leaves.
    path = tennis_tree().cost_complexity_path()
    assert path.alphas.tolist() == [0.0, 1.25]
    assert path.n_splits.tolist() == [3, 0]
    assert path.n_leaves.tolist() == [5, 1]
    assert path.risk.tolist() == [0.0, 5.0]
    assert path.complexity.tolist() == [1.25, 1.25, 0, 1.25, 0, 0, 0, 0]
    assert path.relative.tolist() == [0.0, 0.25]
    assert path.relative_risk.tolist() == [0.0, 1.0]


def test_the_frames_hold_what_the_table_shows():
    path = cars_tree().cost_complexity_path()
    rows = path.to_dicts()
    assert path.to_pandas().to_dict("records") == rows
    assert path.to_polars().to_dicts() == rows
    assert [row["leaves"] for row in rows] == [3, 2, 1]
    assert str(path).splitlines()[0].split() == ["alpha", "CP", "nsplit", "leaves", "risk", "rel", "error"]
    assert len(str(path).splitlines()) == 1 + len(path) == 4


def test_a_long_path_shows_its_smallest_trees():
    path = iris_tree().cost_complexity_path()
    lines = path.text(max_lines=1).splitlines()
    assert lines[0] == "2 larger trees are not shown: path.text(max_lines=3) shows all."
    assert lines[3].split() == ["50", "0.5", "0", "1", "100", "1"]
    assert path.text(max_lines=None) == path.text(max_lines=3) == str(path)
    with pytest.raises(ParameterError, match="max_lines"):
        path.text(max_lines=0)


def test_it_says_briefly_what_it_is():
    assert repr(iris_tree().cost_complexity_path()) == "<CostComplexityPath: 3 trees of 3 to 1 leaves>"


def test_a_root_alone_has_a_path_of_one_tree():
    path = iris_tree().snip(0).cost_complexity_path()
    assert path.to_dicts() == [
        {"alpha": 0.0, "CP": 0.0, "nsplit": 0, "leaves": 1, "risk": 100.0, "rel error": 1.0}
    ]


def test_a_root_without_risk_has_no_shares_of_it():
    path = dataclasses.replace(iris_tree(), risk=np.zeros(5)).cost_complexity_path()
    assert path.to_dicts() == [
        {"alpha": 0.0, "CP": 0.0, "nsplit": 0, "leaves": 1, "risk": 0.0, "rel error": 1.0}
    ]


def test_its_arrays_cannot_be_written_to():
    path = iris_tree().cost_complexity_path()
    for name in ("alphas", "n_splits", "n_leaves", "risk", "complexity"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(path, name)[0] = 7
