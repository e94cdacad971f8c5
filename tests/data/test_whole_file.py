"""A file is written whole or not at all."""

import os
import resource
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from bough.data.whole_file import whole_file, write_file
from bough.example_models import iris_tree, tennis_rules

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow beyond 64 bytes: the system refuses to write more, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def saved():
    """Return every kind of thing that is saved, by the suffix of its file."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b", "c"], 20)
    forest = bough.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    bagging = bough.BaggingClassifier(bough.TreeClassifier(), n_estimators=3, random_state=0).fit(X, y)
    return {
        ".json": iris_tree(),
        ".bough": iris_tree(),
        ".rules.json": tennis_rules(),
        ".forest.bough": forest.model_,
        ".bagging.json": bagging.model_,
        ".report.html": iris_tree().report(),
        ".compare.html": bough.compare(X, y, {"stump": bough.TreeClassifier(max_depth=1)}, cv=3),
    }


SUFFIXES = (
    ".json",
    ".bough",
    ".rules.json",
    ".forest.bough",
    ".bagging.json",
    ".report.html",
    ".compare.html",
)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_on_a_full_disk_the_old_file_stays_and_the_error_names_it(saved, suffix, tmp_path):
    path = tmp_path / f"kept{suffix}"
    path.write_bytes(b"what was there")
    with full_disk(), pytest.raises(OSError, match="File too large") as refused:
        saved[suffix].save(path)
    assert refused.value.filename == str(path)
    assert path.read_bytes() == b"what was there"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "MODEL", "--to", "sql", "--out", "OUT"),
        ("export", "MODEL", "--to", "svg", "--out", "OUT"),
        ("rules", "MODEL", "--out", "OUT"),
        ("predict", "MODEL", PENGUINS, "--extra-columns", "ignore", "--out", "OUT"),
        ("prune", "MODEL", "--leaves", "2", "--out", "OUT"),
        ("report", "MODEL", "--out", "OUT"),
    ],
)
def test_verbs_on_a_full_disk_name_the_file_in_one_line(arguments, tmp_path):
    model, out = tmp_path / "model.json", tmp_path / "kept.out"
    learn = ("learn", PENGUINS, "--target", "species", "--drop", "year", "--out", str(model))
    assert CliRunner().invoke(app, learn).exit_code == 0
    out.write_bytes(b"what was there")
    named = [{"MODEL": str(model), "OUT": str(out)}.get(each, each) for each in arguments]
    with full_disk():
        result = CliRunner().invoke(app, named)
    assert result.exit_code == 1
    assert result.stderr == f"Error: {out}: File too large.\n"
    assert out.read_bytes() == b"what was there"
    assert sorted(tmp_path.iterdir()) == [out, model]


def test_an_error_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with whole_file(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "kept", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o604)
    link.symlink_to("kept")
    write_file(link, b"new")
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    write_file(tmp_path / "fresh", b"new")
    (tmp_path / "plain").write_bytes(b"new")
    assert (tmp_path / "fresh").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_pipes_are_written_to(tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through")
    reader.join()
    assert received == [b"through"]


def test_a_folder_that_is_not_there_is_named_by_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as refused:
        write_file(tmp_path / "none" / "file", b"")
    assert refused.value.filename == str(tmp_path / "none" / "file")
