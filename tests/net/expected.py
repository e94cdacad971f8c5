"""The differences that are meant: (regular expression of the case, of the aspect, reason).

Both expressions must match the whole name. An entry that no difference matches is a failure too, so that the
list never says more than is true.
"""

EXPECTED: tuple[tuple[str, str, str], ...] = (
    (
        "(?!C50Classifier|.*estimator=C50Classifier).*",
        r"(.*\.)?text",
        "texts of regression trees say deviation in place of spread",
    ),
    (
        "C50Classifier.*|BaggingClassifier.*estimator=C50Classifier.*",
        r"(tree|trees_\[\d\]|estimators_\[\d\])\.((new|loaded)\.)?(predict|predict_proba|text|rules)",
        "a tree of C5.0 answers as C5.0 does, with its smoothing and its costs",
    ),
    (".*smoothing=.*", r"tree\.(new\.)?predict_proba", "smoothing is part of the tree"),
    ("function / report / C4.5", r"facts\.words", "rows without a value are called fractional"),
)
