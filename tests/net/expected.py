"""The differences that are meant: (regular expression of the case, of the aspect, reason).

Both expressions must match the whole name. An entry that no difference matches is a failure too, so that the
list never says more than is true.
"""

_OF_NUMBERS = "CARTRegressor|CARTSurvival|TreeRegressor|REPTreeRegressor|UserTree|.*(Forest|Trees|Subspace|Bagging)Regressor"

EXPECTED: tuple[tuple[str, str, str], ...] = (
    (
        f"({_OF_NUMBERS}|function).*",
        r"(.*\.)?text|cartest\.(nodes|rules)",
        "texts of regression trees say deviation in place of spread",
    ),
    (
        "C50Classifier.*|BaggingClassifier.*estimator=C50Classifier.*",
        r"(tree|trees_\[\d\]|estimators_\[\d\])\.((new|loaded)\.)?(predict|predict_proba|text|rules)",
        "a tree of C5.0 answers as C5.0 does, with its smoothing and its costs",
    ),
    ("C50Classifier.*", r"attribute\.sample_indices_", "positions of rows, not of cases laid out by weights"),
    (".*smoothing=.*", r"(tree|grown)\.(new\.)?predict_proba", "smoothing is part of the tree"),
    ("function / report / .*", r"facts\.words", "the recipe shown is the one that was carried out"),
    (
        "function / export",
        r".*\.to_sql",
        "floats in SQL have an exponent, so that DuckDB compares them in 64 bits",
    ),
)
