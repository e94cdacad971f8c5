"""Types that the whole package names alike."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""An array of 64-bit floats."""

Task: TypeAlias = Literal["classification", "regression"]
"""Whether a class or a number is predicted."""

Smoothing: TypeAlias = Literal["none", "laplace"] | float
"""How class probabilities are smoothed; a number is the m of the m-estimate."""
