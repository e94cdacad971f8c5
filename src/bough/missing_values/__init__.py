"""Missing values: their patterns, tests of the kind of missingness, and imputation."""

from bough.missing_values.imputers import ConditionalMeanImputer, MeanImputer
from bough.missing_values.mcar import LittleTest, little_test
from bough.missing_values.missingness import Missingness, missingness

__all__ = ["ConditionalMeanImputer", "LittleTest", "MeanImputer", "Missingness", "little_test", "missingness"]
