"""Public results have a short repr, print as text, and have a view for notebooks that escapes names."""

import inspect

import pandas as pd
import pytest

import bough
from bough.data.table import Table

NASTY = "<b>wide</b>"


@pytest.fixture(scope="module")
def results():
    penguins = bough.datasets.penguins()
    X = penguins.drop(columns=["species", "year"]).rename(columns={"bill_length_mm": NASTY})
    y = penguins["species"]
    tree = bough.CARTClassifier().fit(X, y)
    forest = bough.RandomForestClassifier(5, random_state=0).fit(X, y)
    evaluation = bough.evaluate(tree, X, y)
    known = X.dropna(subset=["body_mass_g"])
    return {
        "Tree": tree.tree_,
        "RuleList": tree.tree_.rules(),
        "Rule": tree.tree_.rules()[0],
        "Node": tree.tree_.node(0),
        "Explanation": tree.tree_.explain(X.iloc[0]),
        "Evaluation": evaluation,
        "Confusion": evaluation.confusion,
        "Missingness": bough.missingness(X),
        "Stability": bough.stability(tree, X, y, n_draws=2),
        "Comparison": bough.compare(X, y, {"stump": bough.TreeClassifier(max_depth=1)}, cv=2),
        "Report": bough.report(tree, X, y, n_draws=0, cv=2),
        "Forest": forest.forest_,
        "PermutationImportance": forest.permutation_importance(X, y),
        "Importance": bough.importance(forest),
        "GradientBoosted": bough.GradientBoostingClassifier(max_iter=2).fit(X, y).model_,
        "RuleSet": bough.RIPPERClassifier().fit(X, y).model_,
        "LinearRules": bough.CubistRegressor()
        .fit(known.drop(columns="body_mass_g"), known["body_mass_g"])
        .model_,
        "Committee": bough.BaggingClassifier(n_estimators=2).fit(X, y).model_,
        "Boosted": bough.C50Classifier(n_estimators=2).fit(X, y).model_,
        "CandidateTable": bough.candidates(X, y),
        "SurrogateTable": bough.surrogates(tree.tree_, X),
        "CostComplexityPath": tree.tree_.cost_complexity_path(),
        "Schema": tree.tree_.schema,
        "Table": Table.read(X),
        "Recipe": tree.recipe(),
        "Limits": bough.Limits(max_depth=3),
        "Threshold": bough.Threshold(0, 1.5),
    }


NAMES = [
    *(
        "Tree",
        "RuleList",
        "Rule",
        "Node",
        "Explanation",
        "Evaluation",
        "Confusion",
        "Missingness",
        "Stability",
    ),
    *("Comparison", "Report", "Forest", "PermutationImportance", "Importance", "GradientBoosted", "RuleSet"),
    *(
        "LinearRules",
        "Committee",
        "Boosted",
        "CandidateTable",
        "SurrogateTable",
        "CostComplexityPath",
        "Table",
    ),
    "Schema",
]


@pytest.mark.parametrize("name", NAMES)
def test_there_is_a_view_for_notebooks_that_escapes_names(results, name):
    html = results[name]._repr_html_()
    assert html.startswith("<")
    assert NASTY not in html


@pytest.mark.parametrize(
    "name", [*(each for each in NAMES if each != "Schema"), "Recipe", "Limits", "Threshold"]
)
def test_repr_is_short(results, name):
    text = repr(results[name])
    assert len(text) < 300
    assert "\n" not in text or name in ("CandidateTable", "SurrogateTable")


def test_every_public_result_is_looked_at_here(results):
    kinds = {type(each) for each in results.values()}
    for name in bough.__all__:
        value = getattr(bough, name)
        if inspect.isclass(value) and hasattr(value, "_repr_html_") and not hasattr(value, "fit"):
            assert value in kinds, name


def test_importance_is_a_named_and_sorted_table(results):
    for found in (results["Importance"], results["PermutationImportance"].table()):
        shares = found.to_pandas()
        assert isinstance(shares, pd.DataFrame)
        assert shares["importance"].is_monotonic_decreasing
        assert set(shares["column"]) <= set(results["Tree"].schema.names)
        assert NASTY in str(found)
