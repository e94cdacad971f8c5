"""Print the table of sizes of `docs/architecture.md`: `python docs/_scripts/sizes.py [ROOT]`.

Lines of code are those that hold more than docstrings, comments and blanks. Folders and modules that serve
only features that the first version did not have are listed in `LATER`; no module is divided.
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

PYTHON = {
    "data": ("data",),
    "trees, models, growing, engines": ("tree", "models", "growing", "engines"),
    "learners": ("learners",),
    "ensembles": ("ensembles",),
    "rules, pruning": ("rules", "pruning"),
    "inspection, evaluation, reports, plots, preprocessing, drop-in": (
        *("inspect", "evaluation", "reports", "plot", "discretizers", "missing_values", "sklearn"),
        *("resampling", "comparison", "export", "datasets"),
    ),
}
CPP = {
    "trunk of the core: data, criteria, search, growth, prediction": (
        *("bough/data", "bough/criteria", "bough/search", "bough/grow", "bough/predict", "bough/prune"),
        "bough/machine",
    ),
    "forests": ("bough/forest",),
    "C4.5, J48, REPTree": ("bough/quinlan",),
    "C5.0": ("bough/c50",),
    "other folders": ("bough",),
    "bindings": ("bindings",),
}
LATER = {
    "data": "databases partitions readers/sparse duck ranking row_key several_targets sparse",
    "tree": "identifiers leaf_models model_answers one_target root_only",
    "models": """
        estimator_tree gradient_boosted gradient_boosted_format sklearn_boosting sklearn_tree targets
    """,
    "growing": """
        binned bins coded drawn_search fit_grid grouping groups hashed_draws merging monotonic ranges
        sibling_sums
    """,
    "engines": """
        binned boosted_partitions conditional cubist linear_tree logistic m5 m5_rules numeric_columns
        numeric_rows one_rule optimal part partition_coding partitioned ripper rule_lengths rule_problem
        selection sql sql_coding sql_routes stump weka_text
    """,
    "learners": """
        chaid conditional cubist hashed_folds in_database linear_tree logistic m5 model_tree on_cluster
        one_rule optimal part ranking_measures ripper rule_estimator rule_fitting several simple_cart
        stump survival_estimator where_rows_are
    """,
    "ensembles": """
        abcboost adaboost additive_groves bagboo binned_forest boosting boosting_defaults
        boosting_estimator boosting_on_cluster boosting_parameters boosting_rows boosting_survival
        boosting_target boosting_validation brown brownboost forest_on_cluster forest_sum gbm
        gradient_boosting groves isle isolation isolation_forest lasso logitboost own_loss pair_rankers
        postprocessing ranker reweighted reweighting rule_candidates rule_ensemble rule_interactions
        sampled_growth sampled_trees sklearn_forest survival_forest transform_regression
        transform_regressor weighted_trees
    """,
    "rules": "linear_format linear_rules neighbours rule_model rule_neighbours",
    "pruning": "arity refit simple_cart",
    "inspect": "changes contributions explain grouped_candidates optimality votes",
    "export": "boosted_sql forest_sql lazy linear_sql rules_sql",
    "reports": "leaf_model_facts",
    "sklearn": "",
    "cli": "explain importance in_database list_learners refit survival without_target",
    "bough/data": "bins counted_bins joint_rows sparse_parts sparse_presort sparse_rows",
    "bough/criteria": "of_targets pearson",
    "bough/search": "grouping merging sets_of_targets squares_of_targets squares_screen value_of_targets",
    "bough/grow": """
        drawn_search drawn_split measure_targets missing_search sparse_nodes sparse_subtree target_grids
    """,
    "bough/predict": "leaf_models zero_paths",
    "bough/quinlan": "part simple_cart symmetric_eigen",
    "bough": "boost conditional histogram lasso model_trees optimal",
    "bindings": "bins boost boost_elsewhere conditional lasso model_trees optimal",
}


def lines_of_python(source: str) -> int:
    """Return the number of lines of code of a module."""
    docstrings = set[int]()
    for node in ast.walk(ast.parse(source)):
        for part in getattr(node, "body", ()) if isinstance(getattr(node, "body", ()), list) else ():
            if isinstance(part, ast.Expr) and isinstance(getattr(part.value, "value", None), str):
                docstrings.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    aside = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    spans = [(each.start[0], each.end[0]) for each in tokens if each.type not in aside and each.string]
    return len({line for first, last in spans for line in range(first, last + 1)} - docstrings)


def lines_of_cpp(source: str) -> int:
    """Return the number of lines of code of a C++ file."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    return sum(1 for line in source.splitlines() if line.partition("//")[0].strip())


def is_later(path: str, folder: str) -> bool:
    """Whether a file serves only features that the first version did not have."""
    if folder not in LATER:
        return False
    own = path.removeprefix(f"{folder}/").rpartition(".")[0]
    names = LATER[folder].split()
    return not names or any(own == name or own.startswith(f"{name}/") for name in names)


def sizes(files: dict[str, int], parts: dict[str, tuple[str, ...]], rest: str) -> dict[str, list[int]]:
    """Return the lines of the same and of later features of each part, and those of all parts."""
    table = {name: [0, 0] for name in (*parts, rest)}
    folders = {folder: name for name, given in parts.items() for folder in given} | {"cli": rest}
    for path, lines in files.items():
        matching = [each for each in folders if path.startswith(f"{each}/")]
        folder = max(matching, key=len, default="")
        table[folders.get(folder, rest)][is_later(path, folder)] += lines
    return {name: row for name, row in table.items() if any(row)}


def main(root: Path) -> None:
    """Print the rows of the table for a working tree."""
    package, core = root / "src" / "bough", root / "cpp"
    python = {
        path.relative_to(package).as_posix(): lines_of_python(path.read_text(encoding="utf-8"))
        for path in package.rglob("*.py")
    }
    cpp = {
        path.relative_to(core).as_posix(): lines_of_cpp(path.read_text(encoding="utf-8"))
        for folder in ("bough", "bindings")
        for path in (core / folder).rglob("*.[ch]pp")
    }
    for name, table in (
        ("Python", sizes(python, PYTHON, "command line and the rest")),
        ("C++", sizes(cpp, CPP, "other folders")),
    ):
        for part, (same, later) in table.items():
            print(f"| {part} | {same:,} | {later:,} |")
        same, later = (sum(row[place] for row in table.values()) for place in range(2))
        print(f"| **{name}** | **{same:,}** | **{later:,}** |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2])
