"""Learn C5.0's rules for the species of a penguin and evaluate them on a test set."""

from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

import bough

penguins = pd.read_csv(Path(__file__).with_name("penguins.csv"))
X, y = penguins.drop(columns="species"), penguins["species"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

model = bough.C50Classifier(rules=True).fit(X_train, y_train)
print(model.rules_)

held_out = model.rules_.measured(X_test, y_test)
print(f"\nOn {len(y_test)} other penguins, {(model.predict(X_test) == y_test).mean():.1%} right:")
for rule in held_out:
    print(f"  {rule}: {rule.support()}")

boosted = bough.C50Classifier(n_estimators=10).fit(X_train, y_train)
print(f"\nTen trees that vote: {boosted.score(X_test, y_test):.1%} right.")
