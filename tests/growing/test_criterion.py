import math

import numpy as np
import pytest

from bough.errors import ParameterError
from bough.growing import criterion

EVEN, PURE = [[300, 100], [100, 300]], [[200, 400], [200, 0]]


def test_two_splits_of_400_against_400_leave_the_same_errors_but_not_the_same_gini():
    for split in (EVEN, PURE):
        assert criterion.remaining("misclassification", split) == 0.25
    assert 1 - criterion.remaining("gini", EVEN) == 0.625
    assert 1 - criterion.remaining("gini", PURE) == pytest.approx(0.667, abs=5e-4)


@pytest.mark.parametrize(
    ("children", "gain"),
    [
        ([[2, 1], [1, 0], [0, 2]], 0.54),  # colour: red, blue, green
        ([[2, 2], [1, 1]], 0.0),  # shape
        ([[3, 1], [0, 2]], 0.46),  # size
        ([[21, 5], [8, 30]], 0.27),
        ([[18, 33], [11, 2]], 0.12),
    ],
)
def test_information_gain_is_the_courses(children, gain):
    assert criterion.value("entropy", children) == pytest.approx(gain, abs=5e-3)


def test_entropy_of_29_against_35_is_nearly_one_bit():
    assert criterion.impurity("entropy", [29, 35]) == pytest.approx(0.99, abs=5e-3)


def test_deviance_is_twice_the_entropy_in_nats():
    nats = -sum(p * math.log(p) for p in (29 / 64, 35 / 64))
    assert criterion.impurity("deviance", [29, 35]) == pytest.approx(2 * nats)
    gain = criterion.value("entropy", EVEN) * math.log(2)
    assert criterion.value("log_loss", EVEN) == pytest.approx(2 * gain)


def test_gain_ratio_divides_by_the_information_of_the_branch():
    children = [[2, 1], [1, 0], [0, 2]]
    branch = -sum(p * math.log2(p) for p in (3 / 6, 1 / 6, 2 / 6))
    gain = criterion.value("entropy", children)
    assert criterion.value("gain_ratio", children) == pytest.approx(gain / branch)


def test_chi_square_and_twoing_of_a_two_by_two_table():
    # Pearson: 800 (300·300 − 100·100)² / 400⁴; twoing: ¼ · ½ · ½ · (½ + ½)²
    assert criterion.value("chi_square", EVEN) == pytest.approx(200.0)
    assert criterion.value("twoing", EVEN) == pytest.approx(1 / 16)


def test_missing_cases_dilute_the_gain():
    assert criterion.value("gini", EVEN, node_weight=1600) == criterion.value("gini", EVEN) / 2
    assert criterion.value("gini", [EVEN, PURE], node_weight=[800, 1600])[1] == pytest.approx(1 / 12)


def test_numbers_are_judged_by_the_fall_of_their_error():
    left, right = np.array([1.0, 2.0, 2.0]), np.array([7.0, 9.0])
    both = np.concatenate([left, right])
    children = [[len(y), y.sum(), (y * y).sum()] for y in (left, right)]
    within = sum(((y - y.mean()) ** 2).sum() for y in (left, right)) / 5
    assert criterion.value("squared_error", children) == pytest.approx(both.var() - within)

    def half_deviance(y):
        return (y * np.log(y / y.mean()) - (y - y.mean())).sum()

    fall = half_deviance(both) - half_deviance(left) - half_deviance(right)
    assert criterion.value("poisson", children) == pytest.approx(fall / 5)
    counts = [[1, 2, 0, 0], [0, 0, 1, 1]]
    assert criterion.value("absolute_error", counts, values=[1, 2, 7, 9]) == pytest.approx((13 - 3) / 5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: criterion.value("ginny", EVEN),
        lambda: criterion.value("gini", [1, 2]),
        lambda: criterion.value("gini", [[1, 2], [3]]),
        lambda: criterion.value("gini", [[-1, 2], [3, 4]]),
        lambda: criterion.value("squared_error", EVEN),
        lambda: criterion.value("absolute_error", EVEN),
        lambda: criterion.value("absolute_error", EVEN, values=[1]),
        lambda: criterion.value("gini", EVEN, values=[1, 2]),
        lambda: criterion.impurity("chi_square", [1, 2]),
        lambda: criterion.impurity("gini", [0, 0]),
        lambda: criterion.remaining("gini", [[0, 0], [0, 0]]),
    ],
)
def test_what_cannot_be_judged_is_refused(call):
    with pytest.raises(ParameterError):
        call()


def test_names_serve_their_task():
    assert {criterion.task_of(name) for name in criterion.CRITERIA["regression"]} == {"regression"}
    assert criterion.task_of("log_loss") == "classification"
    assert criterion.statistics_of("poisson", "regression") == "rates"
    assert criterion.statistics_of(len, "regression") == "moments"


class TestUserCriterion:
    children = np.array([EVEN, PURE], dtype=float)

    def test_gets_a_copy_it_may_change(self):
        def clumsy(children):
            children /= children.sum()
            return children.max(axis=(1, 2))

        before = self.children.copy()
        criterion.UserCriterion(clumsy)(self.children)
        assert (self.children == before).all()

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (1.0, r"shape \(\)"),
            ([1.0], r"shape \(1,\)"),
            (["a", "b"], "<U1"),
            ([1j, 2j], "complex128"),
            ([True, False], "bool"),
            ([1.0, math.nan], "returned NaN for the children"),
        ],
    )
    def test_a_wrong_answer_is_named(self, answer, said):
        def wrong(children):
            return answer

        with pytest.raises(ParameterError, match=said) as error:
            criterion.UserCriterion(wrong)(self.children)
        assert "'wrong'" in str(error.value)

    def test_whole_numbers_will_do(self):
        assert criterion.UserCriterion(lambda children: [1, 2])(self.children).dtype == np.float64
