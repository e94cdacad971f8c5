"""Missing values: where they are, what may explain them, and how to fill them in."""

from bough.missing_values.imputers import ConditionalMeanImputer, MeanImputer
from bough.missing_values.mcar import LittleTest, little_test
from bough.missing_values.missingness import Missingness, missingness

__all__ = ["ConditionalMeanImputer", "LittleTest", "MeanImputer", "Missingness", "little_test", "missingness"]
