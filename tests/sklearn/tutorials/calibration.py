"""Are the probabilities of a forest too timid? Calibrate them and compare Brier scores; let models vote."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

X, y = make_classification(6000, 20, n_informative=8, flip_y=0.1, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=2, random_state=0)
plain = forest.fit(X_train, y_train)
calibrated = CalibratedClassifierCV(forest, method="isotonic", cv=3).fit(X_train, y_train)
voting = VotingClassifier(
    [("forest", forest), ("line", LogisticRegression(max_iter=1000))], voting="soft", weights=[3, 1]
).fit(X_train, y_train)
scores = {
    name: 1 - brier_score_loss(y_test, model.predict_proba(X_test)[:, 1])
    for name, model in (("plain", plain), ("calibrated", calibrated), ("voting", voting))
}
