"""A short run of the fuzz harness; `.ci/nightly` runs it as long as asked."""

import json
import subprocess
import sys

import pytest
from tests.fuzz import run
from tests.fuzz.random_learners import KINDS
from tests.test_names import ESTIMATORS

# Forests without a target have no laws of predictions, and the others prepare columns.
ENDINGS = ("Classifier", "Regressor", "Survival", "Ranker", "UserTree")
SHORT = {"tables": 25, "mutations": 1500, "files": 25}


def test_every_learner_is_fuzzed():
    learners = {name for name in ESTIMATORS if name.endswith(ENDINGS)}
    assert learners == {kind.make.__name__ for kind in KINDS.values()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHORT)
def test_nothing_falls(kind):
    assert run.run({kind: SHORT[kind]}, seed=20, workers=1) == []


@pytest.mark.slow
def test_a_crash_is_noticed_and_the_other_cases_go_on(monkeypatch, tmp_path):
    child = tmp_path / "child.py"
    child.write_text(
        "import json, os, sys\n"
        "_, _, kind, seed, first, end, results = sys.argv\n"
        "with open(results, 'a') as out:\n"
        "    for number in range(int(first), int(end)):\n"
        "        print(json.dumps({'begin': number}), file=out, flush=True)\n"
        "        if number == 2:\n"
        "            os.abort()\n"
        "        done = {'end': number, 'made': 1, 'refused': 0, 'fell': []}\n"
        "        print(json.dumps(done), file=out, flush=True)\n"
    )
    monkeypatch.setattr(run, "__file__", str(child))
    out = tmp_path / "fell.jsonl"
    fell = run.run({"files": 5}, seed=7, workers=1, out=out)
    assert [each["replay"] for each in fell] == ["files:7:2"]
    assert "ended with -6" in fell[0]["what"]
    assert json.loads(out.read_text()) == fell[0]


@pytest.mark.slow
def test_a_child_may_reserve_addresses_but_not_take_all_memory():
    reserve = "import mmap; held = mmap.mmap(-1, 2**36, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)"
    take = "import numpy; held = numpy.ones(2**33)"
    limit = (
        f"import sys; sys.path.insert(0, {str(run.ROOT)!r}); from tests.fuzz import run; run.limit_memory(); "
    )
    ended = [
        subprocess.run([sys.executable, "-c", limit + each], capture_output=True) for each in (reserve, take)
    ]
    assert [each.returncode for each in ended] == [0, 1]
    assert b"MemoryError" in ended[1].stderr
