"""List every candidate split of a node, for eight visitors of a shop of whom some bought."""

import pandas as pd

import bough

visitors = pd.DataFrame(
    {
        "referrer": ["search", "search", "other", "ad", "ad", "other", "other", "ad"],
        "visits": ["several", "once", "several", "once", "once", "once", "once", "once"],
        "duration": [15, 10, 5, 15, 10, 10, 5, 5],
        "buyer": ["yes", "yes", "yes", "yes", "no", "no", "no", "no"],
    }
)
X, y = visitors.drop(columns="buyer"), visitors["buyer"]

print("The root:")
print(bough.candidates(X, y))

learner = bough.TreeClassifier().fit(X, y)
print("\nThe tree by Gini:")
print(learner.tree_)

inner = next(int(node) for node in range(1, learner.tree_.n_nodes) if not learner.tree_.is_leaf[node])
print(f"\nCandidate splits of node {inner}:")
print(bough.candidates(learner, X, y, node=inner))
