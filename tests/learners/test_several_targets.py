"""Trees of several targets: y is a table of classes or of numbers."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st

import bough

RNG = np.random.default_rng(5)
X = pd.DataFrame({"a": RNG.normal(size=120), "b": RNG.choice(list("uvwxyz"), size=120)})
NUMBERS = pd.DataFrame(
    {"height": 2 * X.a + RNG.normal(size=120), "width": (X.b < "w") * 5.0 + RNG.normal(size=120)}
)
CLASSES = pd.DataFrame(
    {"sign": np.where(X.a + RNG.normal(size=120) > 0, "yes", "no"), "part": (X.b < "w") + (X.a > 1) * 2}
)


def both():
    """A tree of numbers and one of classes."""
    return [
        bough.TreeRegressor(max_depth=4).fit(X, NUMBERS).tree_,
        bough.TreeClassifier(max_depth=4).fit(X, CLASSES).tree_,
    ]


def test_a_frame_an_array_and_lists_give_the_same_predictions():
    numbers = X[["a"]].to_numpy()
    frame = bough.TreeRegressor(max_depth=3).fit(numbers, NUMBERS)
    values = NUMBERS.to_numpy()
    for y in (values, values.tolist(), list(values), np.asfortranarray(values)):
        model = bough.TreeRegressor(max_depth=3).fit(numbers, y)
        assert (model.predict(numbers) == frame.predict(numbers)).all()
        assert [target.name for target in model.tree_.targets] == ["y0", "y1"]
    assert [target.name for target in frame.tree_.targets] == ["height", "width"]


def test_the_attributes_are_scikit_learns():
    model = bough.TreeClassifier().fit(X, CLASSES)
    assert model.n_outputs_ == 2
    assert model.n_classes_ == [2, 4]
    assert [labels.tolist() for labels in model.classes_] == [["no", "yes"], [0, 1, 2, 3]]
    shares = model.predict_proba(X)
    assert [each.shape for each in shares] == [(120, 2), (120, 4)]
    for labels, each, answers in zip(model.classes_, shares, model.predict(X).T, strict=True):
        assert (labels[each.argmax(axis=1)] == answers).all()
    assert bough.TreeClassifier().fit(X, CLASSES.sign).n_outputs_ == 1


@pytest.mark.parametrize("k", [2, 3, 5, 9])
def test_copies_of_a_target_grow_its_own_tree(k):
    for learner, y in ((bough.TreeRegressor, NUMBERS.height), (bough.TreeClassifier, CLASSES.part)):
        one = learner(min_samples_leaf=3).fit(X, y).tree_
        several = learner(min_samples_leaf=3).fit(X, np.stack([y] * k, axis=1)).tree_
        assert several.n_nodes == one.n_nodes
        assert (several.column == one.column).all()
        assert several.gain == pytest.approx(one.gain, rel=1e-9, nan_ok=True)
        assert several.target(k - 1).statistics == pytest.approx(one.statistics, rel=1e-12)
        assert several.target(0).risk == pytest.approx(one.risk, rel=1e-9, abs=1e-9)


def test_the_tree_of_a_target_has_the_statistics_of_its_rows():
    for tree, y in zip(both(), (NUMBERS, CLASSES), strict=True):
        ends = tree.apply(X)
        for name in y:
            one = tree.target(name)
            one.check()
            assert one.target_name == name
            for leaf in np.unique(ends):
                own = y[name][ends == leaf]
                if tree.task == "regression":
                    assert one.answer(leaf) == pytest.approx(own.mean())
                    assert one.risk[leaf] == pytest.approx(((own - own.mean()) ** 2).sum(), abs=1e-9)
                else:
                    assert one.class_weights()[leaf].tolist() == [sum(own == label) for label in one.classes]


def test_risk_is_the_mean_over_the_targets():
    for tree in both():
        risks = [tree.target(position).risk for position in range(2)]
        assert tree.risk == pytest.approx(np.mean(risks, axis=0))


def test_the_gains_are_those_of_the_targets_on_average():
    tree = both()[0]
    first, second = tree.children(0)
    fall = tree.risk[0] - tree.risk[first] - tree.risk[second]
    assert tree.gain[0] * tree.weight[0] == pytest.approx(fall)


def test_weights_are_repetitions():
    weight = RNG.integers(0, 4, size=120)
    rows = np.repeat(np.arange(120), weight)
    for learner, y in ((bough.TreeRegressor(), NUMBERS), (bough.TreeClassifier(), CLASSES)):
        by_weight = learner.fit(X, y, weight).tree_
        repeated = learner.fit(X.iloc[rows], y.iloc[rows]).tree_
        for name in ("column", "cut", "level_branch", "statistics", "weight", "cases", "gain"):
            assert np.array_equal(getattr(by_weight, name), getattr(repeated, name), equal_nan=True), name
        assert by_weight.risk == pytest.approx(repeated.risk, rel=1e-9, abs=1e-9)


@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 400),
    k=st.integers(2, 25),
    weighted=st.sampled_from(["none", "whole", "fractions"]),
    n_classes=st.sampled_from([0, 2, 3]),
)
@settings(max_examples=40, deadline=None)
def test_threads_and_the_order_of_rows_do_not_matter(seed, n_rows, k, weighted, n_classes):
    rng = np.random.default_rng(seed)
    table = np.rint(rng.normal(size=(n_rows, 3)) * 8)
    y = rng.normal(size=(n_rows, k)) + table[:, :1]
    y = np.floor(y).astype(int) % n_classes if n_classes else y
    weights = {"none": None, "whole": rng.integers(1, 4, n_rows), "fractions": rng.random(n_rows) + 0.1}
    weight = weights[weighted]
    learner = bough.TreeClassifier if n_classes else bough.TreeRegressor
    tree = learner(n_jobs=1).fit(table, y, weight).tree_
    assert learner(n_jobs=2).fit(table, y, weight).tree_ == tree
    order = rng.permutation(n_rows)
    turned = learner().fit(table[order], y[order], None if weight is None else weight[order]).tree_
    assert turned.n_nodes == tree.n_nodes
    assert (turned.column == tree.column).all()
    assert turned.gain == pytest.approx(tree.gain, rel=1e-6, abs=1e-9, nan_ok=True)


def test_files_and_pickles_keep_the_tree(tmp_path):
    for tree in both():
        assert pickle.loads(pickle.dumps(tree)) == tree
        for name in ("tree.json", "tree.bough"):
            tree.save(tmp_path / name)
            loaded = bough.load(tmp_path / name)
            assert loaded == tree
            assert (loaded.predict(X) == tree.predict(X)).all()
        assert tree.target(0) != tree


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda document: document["targets"].pop(), "targets"),
        (lambda document: document["targets"][0].update(name=3), "targets[0].name"),
        (lambda document: document["targets"][1].update(name="height"), "targets"),
        (lambda document: document["targets"][0].update(name="other"), "targets[0]"),
        (lambda document: document["targets"][1].update(classes=["a"]), "targets[1].classes"),
        (lambda document: document["nodes"].pop("target_risk"), "nodes.target_risk"),
        (lambda document: document["nodes"]["target_risk"][0].append(1.0), "nodes.target_risk[1]"),
        (lambda document: document.update(targets={}), "targets"),
    ],
)
def test_a_file_of_inconsistent_targets_is_refused(change, place):
    document = both()[0].to_json()
    change(document)
    with pytest.raises(bough.errors.FormatError) as refused:
        bough.Tree.from_json(document)
    assert str(refused.value).startswith(f"At {place}")


def test_text_and_rules_show_every_target():
    numbers, classes = both()
    assert str(numbers).startswith("Regression tree for height, width: ")
    assert "node  condition" in str(numbers)
    assert len(numbers.rules()) == numbers.n_leaves
    rule = classes.rules()[0]
    assert list(rule.answers) == ["sign", "part"]
    assert str(rule).endswith(f"-> sign = {rule.answers['sign']}, part = {rule.answers['part']}")
    assert "sign = " in str(classes.node(0))
    wide = bough.TreeRegressor(max_depth=1).fit(X, RNG.normal(size=(120, 9))).tree_
    assert "3 more targets are not shown" in str(wide)
    assert "y8" not in str(wide)


def test_pruning_by_cost_and_complexity_reads_the_mean_risk():
    tree = bough.CARTRegressor(prune="none").fit(X, NUMBERS).tree_
    path = tree.cost_complexity_path()
    smaller = tree.pruned(float(path.alphas[-2]))
    assert 1 < smaller.n_leaves < tree.n_leaves
    smaller.check()
    pruned = bough.CARTRegressor(random_state=0).fit(X, NUMBERS).tree_
    assert 2 < pruned.n_leaves < tree.n_leaves
    assert bough.regrow(pruned, X, NUMBERS) == pruned
    assert bough.CARTClassifier(random_state=0).fit(X, CLASSES).tree_.n_leaves > 2


def test_class_weights_of_several_targets_multiply():
    from sklearn.utils.class_weight import compute_sample_weight

    for given_weight in ("balanced", [{"no": 3}, {0: 2, 3: 0.5}]):
        model = bough.TreeClassifier(max_depth=3, class_weight=given_weight).fit(X, CLASSES)
        codes = np.stack([CLASSES.sign == "yes", CLASSES.part], axis=1).astype(int)
        theirs = given_weight if given_weight == "balanced" else [{0: 3}, {0: 2, 3: 0.5}]
        weight = compute_sample_weight(theirs, codes)
        assert model.tree_.weight[0] == pytest.approx(weight.sum())
    with pytest.raises(bough.BoughError, match="a list with a dict for each of the 2 targets"):
        bough.TreeClassifier(class_weight={"no": 2}).fit(X, CLASSES)


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (bough.TreeClassifier(significance=0.05), "significance"),
        (bough.TreeClassifier(min_events=2), "min_events"),
        (bough.TreeClassifier(prune="mdl"), "prune"),
        (bough.CARTClassifier(prior={"no": 0.5, "yes": 0.5}), "prior"),
        (bough.CARTClassifier(loss_matrix={("no", "yes"): 2}), "loss_matrix"),
        (bough.TreeClassifier(monotonic_cst={"a": 1}), "monotonic_cst"),
        (bough.TreeClassifier(max), "criterion"),
        (bough.CARTClassifier(combinations=("linear",)), "combinations"),
    ],
)
def test_what_is_defined_for_one_target_is_refused_by_name(learner, name):
    with pytest.raises(bough.BoughError, match=name):
        learner.fit(X, CLASSES)


@pytest.mark.parametrize(
    "learner",
    [bough.C45Classifier(), bough.C50Classifier(), bough.BaggingClassifier(), bough.ID3Classifier()],
)
def test_learners_of_one_target_refuse_several(learner):
    with pytest.raises(bough.errors.TargetError, match="Grow one tree for each column"):
        learner.fit(X[["b"]], CLASSES)


def test_the_error_names_the_target():
    with pytest.raises(bough.errors.TargetError, match=r"Target 'width'.*NaN"):
        bough.TreeRegressor().fit(X, NUMBERS.assign(width=np.nan))
    with pytest.raises(bough.errors.TargetError, match=r"Target 'sign'.*text"):
        bough.TreeRegressor().fit(X, CLASSES)
    with pytest.raises(bough.errors.TargetError, match="y has rows of different lengths"):
        bough.TreeRegressor().fit(X, [[1.0, 2.0]] * 119 + [[1.0]])
    with pytest.raises(bough.errors.ParameterError, match="'height', 'width'"):
        both()[0].target("depth")


def columns_of_numbers(n_rows=120):
    """A column with missing values and one without."""
    known = np.random.default_rng(9).normal(size=(n_rows, 2))
    known[::7, 0] = np.nan
    return known


@pytest.mark.parametrize("missing", ["majority", "learned", "own_level"])
@pytest.mark.parametrize("weight", [None, np.arange(120) % 3 + 1.0, np.arange(120) % 3 + 0.5])
def test_copies_of_a_target_grow_its_own_tree_under_absolute_error(missing, weight):
    learner = bough.TreeRegressor("absolute_error", min_samples_leaf=3, missing=missing)
    rows, y = columns_of_numbers(), NUMBERS.height.to_numpy()
    one = learner.fit(rows, y, sample_weight=weight).tree_
    several = learner.fit(rows, np.stack([y] * 3, axis=1), sample_weight=weight).tree_
    assert several.column.tolist() == one.column.tolist()
    assert several.gain == pytest.approx(one.gain, rel=1e-9, nan_ok=True)
    assert several.target(2).statistics == pytest.approx(one.statistics, rel=1e-12)
    assert several.target(0).risk == pytest.approx(one.risk, rel=1e-9, abs=1e-9)


def test_leaves_have_the_medians_of_all_targets_under_absolute_error():
    rows, y = columns_of_numbers(), NUMBERS.to_numpy() * [1.0, 1000.0]
    tree = bough.TreeRegressor("absolute_error", max_depth=3).fit(rows, y).tree_
    ends = tree.apply(rows)
    for leaf in np.unique(ends):
        own = y[ends == leaf]
        assert tree.statistics[leaf][:2] == pytest.approx(np.median(own, axis=0))
        for t in range(2):
            distances = np.abs(own[:, t] - np.median(own[:, t])).sum()
            assert tree.target(t).risk[leaf] == pytest.approx(distances)


@pytest.mark.parametrize("sample_weight", [None, np.arange(120) % 4 + 0.5])
def test_trees_under_absolute_error_are_those_of_scikit_learn(sample_weight):
    rows = np.random.default_rng(3).normal(size=(120, 3)).astype(np.float32)
    y = np.column_stack([rows[:, 0] * 3 + RNG.normal(size=120), rows[:, 1] ** 2 + RNG.normal(size=120)])
    options = {"criterion": "absolute_error", "max_depth": 3, "min_samples_leaf": 9}
    ours = bough.TreeRegressor(**options).fit(rows, y, sample_weight)
    theirs = sklearn.tree.DecisionTreeRegressor(random_state=0, **options).fit(rows, y, sample_weight)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), rtol=1e-9)
    sparse = bough.TreeRegressor(**options).fit(scipy.sparse.csr_array(rows), y, sample_weight)
    assert (sparse.predict(rows) == ours.predict(rows)).all()


def test_splits_drawn_at_random_under_absolute_error_are_evaluated_for_all_targets():
    rows = columns_of_numbers()
    y = np.column_stack([rows[:, 1] > 0, rows[:, 1] < -1]).astype(float)
    learner = bough.TreeRegressor("absolute_error", splitter="random", missing="learned", random_state=0)
    assert np.abs(learner.fit(rows, y).predict(rows) - y).max() == 0


def test_absolute_error_refuses_nominal_columns_and_forests():
    with pytest.raises(bough.BoughError, match="column 'b' is nominal"):
        bough.TreeRegressor("absolute_error").fit(X, NUMBERS)
    with pytest.raises(bough.BoughError, match="criterion"):
        bough.RandomForestRegressor(2, criterion="absolute_error").fit(X[["a"]], NUMBERS)
