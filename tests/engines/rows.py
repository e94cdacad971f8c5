"""Random rows, and the comparison of trees from memory and from elsewhere."""

import numpy as np
import pandas as pd

NAMES = ["a", "b", "k", "s", "t", "one"]


def random_frame(seed: int, n: int = 300, task: str = "classes", weights: str | None = None) -> pd.DataFrame:
    """Numeric, whole, nominal and truth columns with missing values, and a column of a single value."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": np.round(rng.normal(size=n), 1),
            "k": rng.integers(-3, 4, n),
            "s": rng.choice(["x", "it's", "é", 'q"q'], n).astype(object),
            "t": rng.random(n) < 0.5,
            "one": np.ones(n),
        }
    )
    score = frame.a + frame.b**2 + 1.5 * (frame.s == "x") + 0.5 * rng.normal(size=n)
    for name in ("a", "b"):
        frame.loc[rng.random(n) < 0.1, name] = np.nan
    frame["s"] = frame["s"].where(rng.random(n) > 0.1, None)
    frame["target"] = (
        np.array(["low", "mid", "high"])[np.digitize(score, [0, 1])] if task == "classes" else score
    )
    if weights is not None:
        frame["w"] = rng.integers(0, 3, n).astype(float) if weights == "whole" else rng.random(n)
    return frame


def both(place, learner, frame):
    """Fit a learner in memory and in a database; return both trees."""
    weight = "w" if "w" in frame else None
    names = [name for name in frame if name not in ("target", "w")]
    in_memory = learner.fit(frame[names], frame["target"], frame["w"] if weight else None).model_
    return in_memory, learner.fit(place(frame), "target", sample_weight=weight).model_


def same(one, other):
    assert one.n_leaves > 2
    assert one.to_json() == other.to_json()
