"""The lower half of a face-like curve from its upper half: one forest for many targets, and chained ones."""

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.tree import DecisionTreeRegressor

rng = np.random.default_rng(0)
phase, rate, size = rng.uniform(0, 6, 1200), rng.uniform(1, 3, 1200), rng.uniform(0.5, 2, 1200)
at = np.linspace(0, 1, 24)
curves = size[:, None] * np.sin(phase[:, None] + rate[:, None] * at) + rng.normal(0, 0.05, (1200, 24))
upper, lower = curves[:, :16], curves[:, 16:]
X_train, X_test, Y_train, Y_test = train_test_split(upper, lower, random_state=0)

models = {
    "forest": ExtraTreesRegressor(n_estimators=60, random_state=0),
    "each": MultiOutputRegressor(RandomForestRegressor(n_estimators=30, random_state=0)),
    "chain": RegressorChain(DecisionTreeRegressor(min_samples_leaf=5, random_state=0)),
}
scores = {
    name: r2_score(Y_test, model.fit(X_train, Y_train).predict(X_test)) for name, model in models.items()
}
