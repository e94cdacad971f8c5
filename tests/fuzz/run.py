"""Fuzzing: random tables, changed model files, and odd files for the command line.

usage: python tests/fuzz/run.py --tables 1000 --mutations 10000 --files 200 --seed 1 --workers 2
       python tests/fuzz/run.py --replay tables:1:37

Every case is drawn from its kind, the seed and its number, so that a failure is replayed by these three.
Cases run in child processes: a child that crashes or hangs is noticed, the case is recorded, and the next
case goes on in another child. The figures are printed, and what fell is written to the file named by --out,
one JSON object a line.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
KINDS = ("tables", "mutations", "files")
BATCH = {"tables": 200, "mutations": 2000, "files": 100}
"""The number of cases that one child runs."""
MOST_SECONDS = 180
"""A case that takes longer has hung."""
MOST_MEMORY = 6 * 2**30
"""Limit of the memory that a child may write to, not of its addresses: each thread of DuckDB, one for each
core of the machine, reserves 64 MiB of addresses and uses little of them."""
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
"""The cores are taken by the other children."""
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A folder in memory, if there is one: each model that is saved waits for its disk."""


def case(kind, seed, number, folder):
    """Run one case: return the number of fits or loads, of refusals, and what fell."""
    from tests.fuzz import laws, mutations, odd_files

    check = {"tables": laws.check, "mutations": mutations.check, "files": odd_files.check}[kind]
    return check(np.random.default_rng([seed, KINDS.index(kind), number]), folder)


def limit_memory():
    """Limit the memory of this process and of those that it starts."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def run_child(kind, seed, first, end, results):
    """Run some cases and append a line for each; a line "begin" without an end tells where a crash was."""
    limit_memory()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder, Path(results).open("a", encoding="utf-8") as out:
        for number in range(first, end):
            out.write(json.dumps({"begin": number}) + "\n")
            out.flush()
            made, refused, fell = case(kind, seed, number, Path(folder))
            out.write(json.dumps({"end": number, "made": made, "refused": refused, "fell": fell}) + "\n")
            out.flush()


class Batch:
    """Some cases of one kind, run in as many children as it takes."""

    def __init__(self, kind, seed, first, end):
        self.kind, self.seed, self.first, self.end = kind, seed, first, end
        self.cases = self.made = self.refused = self.crashes = 0
        self.fell = []

    def run(self):
        first = self.first
        while first < self.end:
            first = self._from(first)
        return self

    def _from(self, first):
        """Run the cases from one on; return the number of the case to go on with."""
        with tempfile.TemporaryDirectory() as folder:
            results, errors = Path(folder) / "results", Path(folder) / "errors"
            given = [self.kind, str(self.seed), str(first), str(self.end), str(results)]
            with errors.open("wb") as told:
                child = subprocess.Popen(
                    [sys.executable, __file__, "--child", *given],
                    stdout=told,
                    stderr=told,
                    env=os.environ | ENVIRONMENT,
                )
                hung = _wait(child, results)
            lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
            last = first - 1
            for line in map(json.loads, lines):
                if "begin" in line:
                    last = line["begin"]
                    continue
                self._count(line)
            ended = sum("end" in line for line in map(json.loads, lines))
            if child.returncode == 0:
                return self.end
            words = errors.read_text(encoding="utf-8", errors="replace")[-1500:]
            why = (
                f"no answer within {MOST_SECONDS} s" if hung else f"the process ended with {child.returncode}"
            )
            self.crashes += 1
            self.cases += 1
            self.fell.append(self._record(max(last, first), f"{why}: {words}"))
            # A child that began no case cannot be started, and another one could not either.
            return first + ended + 1 if lines else self.end

    def _count(self, line):
        self.cases += 1
        self.made += line["made"]
        self.refused += line["refused"]
        self.fell += [self._record(line["end"], each) for each in line["fell"]]

    def _record(self, number, what):
        return {"replay": f"{self.kind}:{self.seed}:{number}", "what": what}


def _wait(child, results):
    """Wait for a child that makes progress; end it and return True if it does not."""
    while True:
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            begun = results.stat().st_mtime if results.exists() else time.time()
            if time.time() - begun > MOST_SECONDS:
                child.kill()
                child.wait()
                return True
        else:
            return False


def run(counts, seed, workers, out=None, seconds=None):
    """Run so many cases of each kind, print the figures, and return what fell.

    With `seconds`, no batch of cases begins later than that.
    """
    end = time.time() + (float("inf") if seconds is None else seconds)
    fell = []
    for kind, count in counts.items():
        if not count:
            continue
        begun = time.time()
        step = min(BATCH[kind], max(1, -(-count // workers)))
        batches = [Batch(kind, seed, first, min(first + step, count)) for first in range(0, count, step)]
        with ThreadPoolExecutor(workers) as pool:
            done = list(pool.map(lambda batch: batch.run() if time.time() < end else batch, batches))
        cases, made, refused, crashes = (
            sum(getattr(batch, name) for batch in done) for name in ("cases", "made", "refused", "crashes")
        )
        found = [each for batch in done for each in batch.fell]
        words = {"tables": "fits", "mutations": "loaded", "files": "worked"}[kind]
        print(
            f"{kind}: {cases:,} cases, {made:,} {words}, {refused:,} refused, {crashes:,} crashes, "
            f"{len(found):,} fell, {time.time() - begun:.0f} s",
            flush=True,
        )
        fell += found
    if out is not None and fell:
        Path(out).write_text("".join(json.dumps(each) + "\n" for each in fell), encoding="utf-8")
        print(f"What fell is in {out}; run --replay with the entry 'replay' of a line.")
    return fell


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=0, help="number of cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="number of child processes at a time")
    parser.add_argument("--seconds", type=float, help="begin no more cases after this time")
    parser.add_argument("--out", default="fuzz-failures.jsonl", help="file for what fell")
    parser.add_argument("--replay", metavar="KIND:SEED:NUMBER", help="run one case in this process")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    sys.path.insert(0, str(ROOT))
    if given.child:
        kind, seed, first, end, results = given.child
        run_child(kind, int(seed), int(first), int(end), results)
        return 0
    if given.replay:
        kind, seed, number = given.replay.split(":")
        with tempfile.TemporaryDirectory() as folder:
            made, refused, fell = case(kind, int(seed), int(number), Path(folder))
        print(f"{made} made, {refused} refused", *fell, sep="\n")
        return int(bool(fell))
    counts = {kind: getattr(given, kind) for kind in KINDS}
    return int(bool(run(counts, given.seed, given.workers, given.out, given.seconds)))


if __name__ == "__main__":
    sys.exit(main())
