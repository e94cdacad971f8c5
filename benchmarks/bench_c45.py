"""Race C4.5 against Weka's J48 and scikit-learn: one tree of noisy numbers, grown and pruned.

Weka runs where Java and its jar are: `apt install weka`, or `--weka path/to/weka.jar`. The time it takes to
read its file does not count. Runs take turns, and the least time of each counts. Examples:

    python benchmarks/bench_c45.py --rows 10000
    python benchmarks/bench_c45.py --rows 100000 --runs 3 --weka /usr/share/java/weka.jar
"""

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import bough
from data import Data, noisy_rows

_JAVA = """
import java.io.*;
import weka.classifiers.trees.J48;
import weka.core.Instances;
public class Race {
  public static void main(String[] given) throws Exception {
    Instances rows = new Instances(new BufferedReader(new FileReader(given[0])));
    rows.setClassIndex(rows.numAttributes() - 1);
    J48 tree = new J48();
    long start = System.nanoTime();
    tree.buildClassifier(rows);
    System.out.println((System.nanoTime() - start) / 1e9 + " " + (int) tree.measureNumLeaves());
  }
}
"""

Contestant = Callable[[Data], tuple[float, int]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the race that the command line asks for and print a line for each contestant."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--weka", type=Path, default=Path("/usr/share/java/weka.jar"))
    options = parser.parse_args(arguments)
    rows = noisy_rows(options.rows, "float64")
    with tempfile.TemporaryDirectory() as folder:
        contestants = _contestants(rows, options.weka, Path(folder))
        seconds: dict[str, list[float]] = {name: [] for name in contestants}
        leaves: dict[str, int] = {}
        for _ in range(options.runs):
            for name, contestant in contestants.items():
                taken, leaves[name] = contestant(rows)
                seconds[name].append(taken)
    best = min(seconds["bough c4.5"])
    for name, runs in seconds.items():
        print(f"{name:<28} {min(runs):8.3f} s  {leaves[name]:>7} leaves  {min(runs) / best:6.1f} x")


def _contestants(rows: Data, jar: Path, folder: Path) -> dict[str, Contestant]:
    contestants: dict[str, Contestant] = {
        "bough c4.5": _bough("c4.5"),
        "bough j48": _bough("j48"),
        "scikit-learn, not pruned": _sklearn,
    }
    if shutil.which("java") and jar.exists():
        contestants["weka J48"] = _weka(rows, jar, folder)
    else:
        print(f"Java or {jar} is not here: Weka does not run.")
    return contestants


def _bough(variant: str) -> Contestant:
    def race(rows: Data) -> tuple[float, int]:
        start = time.perf_counter()
        model = bough.C45Classifier(variant=variant, n_jobs=1).fit(rows.X, rows.labels)
        return time.perf_counter() - start, model.get_n_leaves()

    return race


def _sklearn(rows: Data) -> tuple[float, int]:
    start = time.perf_counter()
    model = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(rows.X, rows.labels)
    return time.perf_counter() - start, model.get_n_leaves()


def _weka(rows: Data, jar: Path, folder: Path) -> Contestant:
    table = folder / "rows.arff"
    names = "".join(f"@attribute x{column} numeric\n" for column in range(rows.X.shape[1]))
    with table.open("w") as file:
        file.write(f"@relation rows\n{names}@attribute y {{0,1}}\n@data\n")
        for row, label in zip(rows.X.tolist(), rows.labels.tolist(), strict=True):
            file.write(",".join(map(repr, [*row, label])) + "\n")
    (folder / "Race.java").write_text(_JAVA)
    subprocess.run(["javac", "-cp", str(jar), "Race.java"], cwd=folder, check=True)

    def race(_: Data) -> tuple[float, int]:
        command = ["java", "-Xmx4g", "-cp", f"{jar}:{folder}", "Race", str(table)]
        taken, leaves = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return float(taken), int(leaves)

    return race


if __name__ == "__main__":
    main()
