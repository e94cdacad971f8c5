"""Explanations of ensembles: contributions that add up to the prediction, votes, and changes that happen."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import bough
from bough.data.table import Table
from bough.inspect import changes
from bough.inspect.contributions import contributions_of
from bough.models.committee import Committee

RNG = np.random.default_rng(5)
X = pd.DataFrame(
    {
        "size": RNG.normal(size=150).round(2),
        "colour": RNG.choice(["red", "green", "blue"], 150),
        "age": RNG.integers(1, 90, 150).astype(float),
    }
)
X.loc[::13, "age"] = np.nan
SCORE = X["size"] + (X["colour"] == "red") * 2 + X["age"].fillna(40) / 40
THREE = np.select([SCORE < 1, SCORE < 2], ["low", "middle"], "high")
TWO = np.where(SCORE < 1.5, "no", "yes")
SUMS = [
    (bough.RandomForestClassifier(7, random_state=1), THREE),
    (bough.RandomForestClassifier(7, voting="hard", random_state=1), TWO),
    (bough.RandomForestRegressor(7, random_state=1), SCORE),
    (bough.ExtraTreesClassifier(7, random_state=1), TWO),
    (bough.GradientBoostingClassifier(max_iter=6, min_samples_leaf=5), TWO),
    (bough.GradientBoostingClassifier(max_iter=6, min_samples_leaf=5), THREE),
    (bough.GradientBoostingRegressor(max_iter=6, min_samples_leaf=5), SCORE),
    (bough.GradientBoostingRegressor(max_iter=6, loss="poisson", min_samples_leaf=5), SCORE + 9),
    (bough.GradientBoostingRegressor(max_iter=6, linear_leaves=True, min_samples_leaf=20), SCORE),
]
OTHERS = [
    (bough.BaggingClassifier(n_estimators=4, random_state=0), THREE),
    (bough.BaggingRegressor(n_estimators=4, random_state=0), SCORE),
    (bough.AdaBoostClassifier(n_estimators=4), THREE),
    (bough.AdaBoostRegressor(n_estimators=4, random_state=393), SCORE),
    (bough.LogitBoostClassifier(n_estimators=4), TWO),
    (bough.BrownBoostClassifier(n_estimators=4), TWO),
    (bough.RandomSubspaceClassifier(n_estimators=4, random_state=0), TWO),
    (bough.TransformRegressor(max_iter=2, early_stopping=False), SCORE),
    (bough.ModelTreeRegressor(LinearRegression()), SCORE),
]
ROWS = [0, 1, 13, 77]


def name(pair):
    return f"{type(pair[0]).__name__}-{len(set(pair[1]))}"


@pytest.mark.parametrize("pair", SUMS, ids=name)
def test_contributions_add_up_to_what_the_model_predicts(pair):
    learner, y = pair
    model = learner.fit(X, y).model_
    for row in ROWS:
        table = Table.fit_to(X.iloc[[row]], model.schema)
        answer = model.predict(table)[0]
        found = contributions_of(model, table, answer)
        assert found.start + sum(each.amount for each in found.columns) == pytest.approx(found.total)
        if model.model_kind == "forest":
            want = answer if model.task == "regression" else model.predict_proba(table).max()
        elif model.task == "regression":
            want = np.log(answer) if model.link == "log" else answer
        elif model.link == "logit":
            share = model.predict_proba(table)[0, model.classes.index(answer)]
            want = np.log(share / (1 - share))
        else:
            want = model.scores(table)[0].max()
        assert found.total == pytest.approx(want)


def test_a_column_that_no_tree_splits_contributes_nothing():
    constant = X.assign(constant=1.0)
    said = bough.explain(bough.RandomForestClassifier(5, random_state=0).fit(constant, TWO), constant.iloc[3])
    assert "constant" not in [each.column for each in said.contributions.columns]


def test_one_split_is_credited_with_the_difference_of_the_leaf_and_the_mean():
    forest = bough.RandomForestRegressor(1, bootstrap=False).fit([[1.0]] * 3 + [[2.0]], [0.0] * 3 + [8.0])
    said = bough.explain(forest, [2.0]).contributions
    assert (said.start, said.total, said.columns[0].amount) == (2.0, 8.0, 6.0)


@pytest.mark.parametrize("pair", SUMS + OTHERS, ids=name)
def test_changes_are_those_that_the_model_makes(pair):
    learner, y = pair
    model = learner.fit(X, y).model_
    for row in ROWS:
        said = model.explain(X.iloc[row], most_changes=100)
        assert said.answer == model.predict(X.iloc[[row]])[0]
        for change in said.changes:
            answers = _answers_under(model, row, change)
            if model.task == "regression":
                # scikit-learn's linear models may round one row differently from several rows.
                assert list(answers) == pytest.approx([change.answer] * len(answers), rel=1e-12)
            else:
                assert answers == {change.answer}


def _answers_under(model, row, change):
    """The answers for the row with the levels or some values in the range of a change."""
    column, text = change.column, change.condition
    if column == "colour":
        levels = [level for level in ("red", "green", "blue") if level in text]
        return set(model.predict(pd.concat([X.iloc[[row]].assign(colour=level) for level in levels])))
    words = text.split()
    if text.endswith("is known"):
        low, high = -50.0, 150.0
    elif len(words) == 5:
        low, high = float(words[0]), float(words[4])
    else:
        bound = float(words[2])
        low, high = (bound, bound + 50) if words[1].startswith(">") else (bound - 50, bound)
    inside = np.linspace(low, high, 7)[1:-1]
    if model.task == "regression" and not text.endswith("is known"):
        inside = inside if len(words) == 5 else inside[[0]] if words[1].startswith(">") else inside[[-1]]
    return set(model.predict(pd.concat([X.iloc[[row]].assign(**{column: value}) for value in inside])))


@pytest.mark.parametrize("pair", SUMS + OTHERS, ids=name)
def test_text_html_and_json_say_the_same(pair):
    learner, y = pair
    said = bough.explain(learner.fit(X, y), X.iloc[0])
    facts = json.loads(json.dumps(said.to_dict()))
    assert said.text().startswith(said.headline())
    assert facts["answer"] == said.answer
    assert len(facts["reasons"]) == len(said.reasons) > 0
    if said.contributions is not None:
        for each in said.contributions.columns:
            assert each.words in said.text()
            assert each.words.replace("<", "&lt;") in said.to_html()
        assert [each["column"] for each in facts["contributions"]["columns"]] == [
            each.column for each in said.contributions.columns
        ]


def test_votes_are_counted():
    forest = bough.RandomForestClassifier(9, random_state=3).fit(X, THREE)
    own = [tree.predict(X.iloc[[5]])[0] for tree in forest.forest_.trees]
    answer = max(set(own), key=own.count)
    assert (
        bough.explain(forest, X.iloc[5]).reasons[0].startswith(f"{own.count(answer)} of 9 trees say {answer}")
    )


def test_weights_of_members_are_said():
    boosted = bough.AdaBoostClassifier(n_estimators=5).fit(X, TWO)
    said = bough.explain(boosted, X.iloc[5])
    assert f"has {said.probabilities[said.answer]:.3f} of the weight" in said.reasons[0]
    assert "(weight " in said.reasons[1]


def test_only_values_near_the_row_are_tried_if_a_column_has_very_many_thresholds(monkeypatch):
    monkeypatch.setattr(changes, "MOST_REGIONS", 2)
    y = np.where(X["age"].fillna(0) < 50, "young", "old")
    young = X.index[X["age"] < 5][0]
    said = bough.explain(
        bough.RandomForestClassifier(20, random_state=0).fit(X[["age"]], y), [X["age"][young]]
    )
    assert said.tried == "near"
    assert "near that of the row would change the answer" in said.text()
    assert "near that of the row would change the answer" in said.to_html()


def test_models_of_several_answers_are_refused():
    several = bough.RandomForestClassifier(3, random_state=0).fit(X, np.column_stack([TWO, THREE])).model_
    with pytest.raises(bough.BoughError, match=r"model\.target\('y0'\)"):
        several.explain(X.iloc[0])
    assert several.target("y1").explain(X.iloc[0]).answer in ("low", "middle", "high")
    quantiles = bough.GradientBoostingRegressor(loss="quantile", quantile=[0.1, 0.9], max_iter=3).fit(
        X, SCORE
    )
    with pytest.raises(bough.BoughError, match="2 quantiles"):
        bough.explain(quantiles, X.iloc[0])


def test_missing_values_are_called_missing():
    said = bough.explain(bough.RandomForestClassifier(5, random_state=0).fit(X, TWO), X.iloc[13])
    assert "age is missing" in said.text()


def test_members_of_a_ranking_vote_for_their_own_classes():
    ranker = bough.RankBoostRanker(n_estimators=4).fit(
        X[["size"]], (X["size"] > 0).astype(int), groups=[0] * 75 + [1] * 75
    )
    said = bough.explain(ranker, [0.5])
    assert f"1 has {said.answer:.3f} of the weight" in said.reasons[0]
    assert said.reasons[1].startswith("member 1 says 1 (weight ")


def test_the_weight_that_is_said_is_that_of_the_answer():
    trees = [
        bough.CARTClassifier().fit([[1.0], [2.0]] * 5, labels).tree_
        for labels in (["a", "b"] * 5, ["b", "b", "b", "a"] + ["b", "a"] * 3, ["b", "a"] * 5)
    ]
    for voting in ("hard", "soft", "product"):
        model = Committee(
            schema=trees[0].schema,
            task="classification",
            classes=("a", "b"),
            target_name=None,
            members=tuple(trees),
            columns=((0,),) * 3,
            voting=voting,
            weights=(6.0, 1.0, 1.0),
        )
        said = model.explain([1.0])
        assert said.answer == "a"
        assert said.reasons[0] == "2 of 3 members say b, 1 says a; a has 0.750 of the weight"


def test_a_soft_vote_that_the_answer_does_not_lead_is_decided_by_probabilities():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 3)).round(2), rng.choice(["p", "q", "r"], 60)
    learner = bough.BaggingClassifier(bough.CARTClassifier(max_depth=2), n_estimators=12, random_state=8)
    forest = bough.RandomForestClassifier(12, max_depth=2, random_state=0)
    for model in (learner.fit(rows, y).model_, forest.fit(rows, y).model_):
        n_said = 0
        for row in rows:
            said = model.explain(row.tolist(), most_changes=1)
            votes = {text[-1]: int(text.split()[0]) for text in said.reasons[0].split(";")[0].split(", ")}
            others = [votes[label] for label in votes if label != said.answer]
            is_said = "; the mean of the probabilities counts" in said.reasons[0]
            assert is_said == (votes.get(said.answer, 0) <= max(others, default=0))
            n_said += is_said
        assert 0 < n_said < 60


def test_a_vote_that_a_cutoff_decides_says_so():
    forest = bough.RandomForestClassifier(
        9, cutoff={"no": 0.999, "yes": 0.001}, voting="hard", random_state=0
    )
    y = np.random.default_rng(0).permutation(TWO)
    said = [bough.explain(forest.fit(X, y), X.iloc[row], most_changes=1) for row in range(9)]
    led = [each for each in said if each.probabilities["yes"] < 0.5 and each.answer == "yes"]
    assert led
    assert all("; the number of votes divided by the cutoff counts" in each.reasons[0] for each in led)


def test_votes_for_classes_that_are_numbers_are_told_from_the_numbers_of_votes():
    y = np.random.default_rng(0).permutation((TWO == "yes").astype(int))
    forest = bough.RandomForestClassifier(3, random_state=0).fit(X, y)
    said = {bough.explain(forest, X.iloc[row], most_changes=1).reasons[0].split(";")[0] for row in range(60)}
    assert said == {
        "3 of 3 trees say 0",
        "2 of 3 trees say 0, 1 says 1",
        "2 of 3 trees say 1, 1 says 0",
        "3 of 3 trees say 1",
    }


def test_a_single_member_is_not_several():
    bagged = bough.BaggingRegressor(n_estimators=1, bootstrap=False).fit([[1.0], [2.0]] * 9, [3.0, 4.0] * 9)
    assert bough.explain(bagged, [1.0]).reasons[0] == "1 member says 3; the mean counts"
    bagged = bough.BaggingClassifier(n_estimators=1, bootstrap=False).fit([[1.0], [2.0]] * 9, ["a", "b"] * 9)
    assert bough.explain(bagged, [1.0]).reasons[0] == "1 of 1 member says a"


def test_some_value_meets_every_condition_of_a_change():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = rows["a"] + rows["d"] ** 2 + rng.normal(size=150)
    model = bough.BaggingRegressor(n_estimators=10, random_state=0).fit(rows, y).model_
    n_ranges = 0
    for row in range(40):
        for change in model.explain(rows.iloc[row], most_changes=9).changes:
            words = change.condition.split()
            if len(words) == 5:
                n_ranges += 1
                assert float(words[0]) < float(words[4])
                middle = float(words[0]) / 2 + float(words[4]) / 2
                changed = rows.iloc[[row]].assign(**{change.column: middle})
                assert model.predict(changed)[0] == change.answer
    assert n_ranges > 40


def test_a_level_that_is_not_known_is_called_missing_or_new():
    forest = bough.RandomForestClassifier(5, random_state=0).fit(X, TWO)
    for colour in ("violet", None):
        said = bough.explain(forest, {"size": 0.0, "colour": colour, "age": 30.0})
        assert "colour is missing or new" in said.text()


def test_a_mean_that_no_column_moves_is_said_to_be_so():
    said = bough.explain(bough.RandomForestRegressor(3, random_state=0).fit(X, [2.5] * 150), X.iloc[0])
    assert said.contributions.lines() == ["mean of the trees: 2.5, a mean that no column moves"]
    assert "<p>mean of the trees: 2.5, a mean that no column moves</p>" in said.to_html()
    assert "<table>" not in said.to_html()


def test_slopes_of_leaves_are_contributions_of_their_columns():
    given = pd.DataFrame({"x": np.arange(200.0), "other": RNG.normal(size=200)})
    model = bough.GradientBoostingRegressor(random_state=0).fit(given, 3 * given["x"]).model_
    lower, higher = (
        {each.column: each.amount for each in contributions_of(model, table, None).columns}
        for table in (Table.fit_to([[x, 0.0]], model.schema) for x in (100.0, 100.4))
    )
    assert set(higher) <= {"x", "other"}
    # No threshold lies between two rows that are so close.
    step = float(np.subtract(*model.predict([[100.4, 0.0], [100.0, 0.0]])))
    assert step > 0.5
    assert higher["x"] - lower["x"] == pytest.approx(step)
