"""Mixed columns: imputing, encoding and a forest in one pipeline, scored by cross-validation."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

rng = np.random.default_rng(0)
n = 4000
frame = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n).astype(float),
        "income": rng.lognormal(10, 0.5, n),
        "visits": rng.poisson(3, n).astype(float),
        "region": rng.choice(["north", "south", "east", "west"], n),
        "plan": rng.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2]),
    }
)
odds = 0.04 * (frame["age"] - 45) + (frame["plan"] == "pro") - 0.4 * (frame["visits"] - 3)
stays = (odds + rng.normal(0, 0.7, n) > 0).astype(int)
frame.loc[rng.random(n) < 0.1, "income"] = np.nan

numbers, words = ["age", "income", "visits"], ["region", "plan"]
prepare = ColumnTransformer(
    [("numbers", SimpleImputer(), numbers), ("words", OneHotEncoder(sparse_output=False), words)]
)
model = make_pipeline(prepare, RandomForestClassifier(n_estimators=100, random_state=0))
scores = {"accuracy": cross_val_score(model, frame, stays, cv=3).mean()}
