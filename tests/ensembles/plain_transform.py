"""Transform regression in the variant that is documented, stage by stage: the reference of the chain.

`fit` fits a linear tree to a matrix and numbers, and returns a function that predicts.
"""

import numpy as np


def stages(X, y, fit, n_stages):
    """What each stage predicts for X, and functions that predict for other rows."""
    made, last = [], np.empty((len(y), 0))
    for _ in range(n_stages):
        residual = y - (last[:, 0] if last.shape[1] else 0.0)
        transforms = [fit(np.column_stack([x, last]), residual) for x in X.T]
        outputs = [of(np.column_stack([x, last])) for of, x in zip(transforms, X.T, strict=True)]
        final = fit(np.column_stack([last, *outputs]), y)
        made.append((transforms, final))
        last = final(np.column_stack([last, *outputs]))[:, None]
    return made


def predict(made, X):
    last = np.empty((len(X), 0))
    for transforms, final in made:
        outputs = [of(np.column_stack([x, last])) for of, x in zip(transforms, X.T, strict=True)]
        last = final(np.column_stack([last, *outputs]))[:, None]
    return last[:, 0]
