"""Exact t-SNE of scikit-learn for src/report/charts/tsne.ts.

    python3 scripts/reference/persona_map.py > test/fixtures/reference/persona-map.json
"""

import json
import math

import sklearn
from sklearn.manifold import TSNE
import numpy as np


def points(count, size):
    """Two groups, without a random generator: the fixture is the same everywhere."""
    return [
        [math.sin(1.7 * i * (d + 1)) + (4.0 if i % 2 and d < 3 else 0.0) for d in range(size)]
        for i in range(count)
    ]


X = np.round(np.array(points(24, 8)), 12)
model = TSNE(n_components=2, method="exact", init="pca", learning_rate="auto", perplexity=23 / 3, random_state=0)
model.fit_transform(X)
print(json.dumps({
    "made_with": f"scikit-learn {sklearn.__version__}",
    "points": [[round(v, 12) for v in row] for row in X.tolist()],
    "perplexity": 23 / 3,
    "divergence": float(model.kl_divergence_),
}))
