"""The differences that are meant: (regular expression of the case, of the aspect, reason).

Both expressions must match the whole name. An entry that no difference matches is a failure too, so that the
list never says more than is true.
"""

_OF_NUMBERS = "CARTRegressor|CARTSurvival|TreeRegressor|REPTreeRegressor|UserTree|.*(Forest|Trees|Subspace|Bagging)Regressor"

# What is summed in a tree, and what follows from it; the splits stay.
_FIGURES = (
    r"(.*\.)?(cases|risk|statistics|weight|share|importance|feature_importances_|predict_proba|predict_log_proba)"
    r"|tree\.path\..*"
)

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
    (
        r"C45Classifier / .* / variant=c4\.5.*|BaggingClassifier.*estimator=C45Classifier\(\)"
        r"|function / prunings / fractions of rows",
        _FIGURES,
        "with missing values, pruned class weights of C4.5 are sums of 32-bit floats and shares sum to 1",
    ),
    (
        r"C45Classifier / gaps two / variant=c4\.5, class_weight=balanced",
        r"(.*\.)?(predict|score)",
        "classes that weigh the same are told apart by the last bit of a 32-bit float",
    ),
    ("function / report / C4.5", "facts", "with missing values, shares sum to 1"),
    (
        r"C45Classifier / gaps two / variant=j48, prune=ErrorBased.*"
        r"|REPTreeClassifier / .* / prune=error_based",
        _FIGURES,
        "the estimate of C4.5 sums class weights in 32-bit floats",
    ),
    (
        r"REPTreeClassifier / .*|BaggingClassifier.*estimator=REPTreeClassifier.*",
        _FIGURES + r"|(.*\.)?gain",
        "rows are summed in the order that Weka's sort leaves them in",
    ),
    (
        r"REPTreeRegressor / .*|BaggingRegressor.*estimator=REPTreeRegressor.*",
        _FIGURES + r"|(.*\.)?(gain|predict|score|rules)",
        "rows are summed in the order that Weka's sort leaves them in",
    ),
    (
        r"REPTreeClassifier / gaps two / prune=ReducedError\(cv=5,random_state=None\)",
        ".*",
        "a subtree stays if the sum of its errors is less by the last bit, as in Weka",
    ),
    (
        ".*",
        r"(.*\.)?(text|rules|nodes|path_of|to_dot)|(.*\.)?(records|loaded)\.words|(candidates|surrogates) \d\.words",
        "a threshold is printed as the shortest number that separates the same two neighbours",
    ),
    (
        r"C50Classifier / .*(n_estimators|rules)=.*",
        "feature_importances_",
        "importance is that of the model that answers: all trees or rules, not the first tree alone",
    ),
    (
        r"REPTreeClassifier / .* / smoothing=1\.0",
        r"(.*\.)?(predict|score)",
        "predict is the most probable class after smoothing",
    ),
    (r"EqualFrequencyDiscretizer / .* / n_bins=1", "fit", "an error of bough's own names the parameter"),
    (
        r"function / (evaluate|cross_validated) / .*|function / trees alone",
        r"(figures|evaluated)(\.words)?",
        "balanced accuracy and more baselines; the measures of both builds are compared one by one",
    ),
    (
        r"function / cross_validated / .*",
        "measure log-loss",
        "a probability of 0 for the true class costs a finite log-loss",
    ),
    (r"function / cut_curve / (gini|entropy)", "fit", "cut curves of classes, which were refused"),
    (
        "function / defaults of choose and compare",
        "learners|single trees",
        "learners that are new, and defaults of their own",
    ),
    ("function / missingness", r".*\.explain", "plain words"),
    ("function / nodes in words", r".*\.surrogates_of", "alternative splits have another name"),
    (
        "function / prunings / five",
        r"error_based\.default_branch",
        "a raised subtree sends missing values where its tree did",
    ),
    (r"function / report / (iris|numbers)", "facts", "the page shows more about a tree"),
    (
        r"CART(Classifier|Regressor) / .*fit\.sample_weight=tiny",
        ".*",
        "weights that sum to less than two cases count as shares of all",
    ),
    (
        r"(ExtraTrees|RandomForest)Regressor / .*criterion=poisson",
        r"forest\.trees\[\d\]\.risk",
        "the risk of a tree of counts is the deviance of its leaves",
    ),
    (
        r"(ExtraTrees|RandomForest)Regressor / .*criterion=absolute_error",
        "fit",
        "forests of absolute errors, which were refused",
    ),
    (
        r"C45Classifier / gaps two / variant=j48, class_weight=balanced",
        r"(.*\.)?(predict|score)",
        "classes that are equal but for rounding are a tie, which goes to the first, as in Weka",
    ),
)

# Cases that the first version cannot be asked: learners and parameters that came after it.
NEW = (
    r"(ABCBoost|AdaBoost|AdditiveGroves|BrownBoost|CHAID|ConditionalTree|Cubist|DecisionStump|GradientBoosting|ISLE|LinearTree"
    r"|LogisticModelTree|LogitBoost|M5|M5Rules|OneR|PART|RIPPER|RuleEnsemble|SimpleCart|Transform)"
    r"(Classifier|Regressor|Survival) / .*"
    r"|.*(max_bins|max_branches)=.*"
)
