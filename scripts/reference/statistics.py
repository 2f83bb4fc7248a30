"""Writes test/fixtures/reference/statistics.json: what scipy, statsmodels and scikit-learn make of our own inputs.

On Debian 12: apt-get install -y python3-scipy python3-statsmodels python3-sklearn
              /usr/bin/python3 scripts/reference/statistics.py
"""

import json
import pathlib
import random
import warnings

import numpy
import scipy
import sklearn
import statsmodels
from scipy import stats
from scipy.optimize import brentq
from sklearn.metrics import f1_score, mean_squared_error
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportion_effectsize

FILE = pathlib.Path(__file__).resolve().parents[2] / "test" / "fixtures" / "reference" / "statistics.json"

SPLITS = [(0, 0), (0, 1), (3, 0), (7, 0), (10, 17), (5, 5), (1, 20), (48, 52), (120, 171), (700, 650), (2400, 2600), (0, 1200)]
SHARES = [(0, 10), (10, 10), (113, 123), (110, 123), (154, 300), (1, 3302), (50, 100)]
LEVELS = [0.5, 0.9, 0.95, 0.999]
QUANTILES = [1e-12, 1e-6, 0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.9999]
TAILS = [-8, -2.5, -1, 0, 0.3, 1, 1.959963984540054, 2.999, 3.001, 5, 8, 20]
FAMILIES = [[0.01], [0.04, 0.01, 0.03], [0.01, 0.01, 0.2, 1, 0.8], [0.0001, 0.5, 0.02, 0.02, 0.02, 0.9, 0.013]]
STUDENT = [(t, df) for t in (-3.2, -0.4, 0, 0.7, 1.5, 2.045, 4, 9) for df in (1, 2, 3, 9, 29, 100, 3301)]
STUDENT_SHARES = [(share, df) for share in (0.0005, 0.025, 0.2, 0.5, 0.95, 0.975, 0.999) for df in (1, 2, 9, 29, 100, 3301)]
SIGNS = [(0, 0), (0, 1), (1, 0), (3, 9), (9, 3), (6, 6), (40, 61), (0, 30), (500, 560)]
BINOMIALS = [(0, 149, 0.02), (3, 300, 0.02), (9, 80, 0.2), (40, 4000, 0.005), (1, 1, 0.5), (2, 30, 1)]
CHANGED = [(0, 149), (1, 80), (5, 400), (9, 1000)]


def main():
    rng = random.Random(20)
    answers = {
        "about": f"scripts/reference/statistics.py, scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, scikit-learn {sklearn.__version__}",
        "upperTail": [[z, float(stats.norm.sf(z))] for z in TAILS],
        "quantile": [[share, float(stats.norm.ppf(share))] for share in QUANTILES],
        "mcNemar": [[a, b, float(mcnemar([[0, a], [b, 0]], exact=True).pvalue)] for a, b in SPLITS if a + b > 0],
        "wilcoxon": [wilcoxon(differences, method) for differences, method in samples(rng)],
        "holm": [[family, multipletests(family, method="holm")[1].tolist()] for family in FAMILIES],
        "wilson": [
            [hits, count, level, *map(float, proportion_confint(hits, count, alpha=1 - level, method="wilson"))]
            for hits, count in SHARES
            for level in LEVELS
        ],
        "cohenH": [[a, b, float(proportion_effectsize(b, a))] for a, b in [(0.5, 0.6), (0.894, 0.919), (0, 1), (0.3, 0.1)]],
        "bootstrap": bootstrap(rng),
        "studentTail": [[t, df, float(stats.t.sf(t, df))] for t, df in STUDENT],
        "studentQuantile": [[share, df, student_quantile(share, df)] for share, df in STUDENT_SHARES],
        "signTest": [
            [better, worse, float(stats.binomtest(better, better + worse, 0.5, alternative="less").pvalue) if better + worse else 1.0]
            for better, worse in SIGNS
        ],
        "bca": bca(rng),
        "draws": draws(random.Random(21)),
        "binomial": [[hits, count, chance, float(stats.binom.cdf(hits, count, chance))] for hits, count, chance in BINOMIALS],
        "upperShare": [
            [hits, count, alpha, float(proportion_confint(hits, count, alpha=2 * alpha, method="beta")[1])]
            for hits, count in CHANGED
            for alpha in (0.05, 0.01)
        ],
    }
    FILE.write_text(json.dumps(answers, indent=1) + "\n")


def samples(rng):
    """Distinct differences (exact), then ties, zeros and many (normal)."""
    for size in (1, 2, 5, 9, 20, 50):
        yield [round(rng.gauss(0.3, 1), 9) for _ in range(size)], "exact"
    for size in (6, 30, 200):
        yield [rng.choice([-2, -1, 0, 1, 1, 2, 3]) for _ in range(size)], "approx"
    yield [round(rng.gauss(0.1, 1), 9) for _ in range(51)], "approx"
    yield [1, 1, -1, 2, -3, 3, 4], "approx"
    yield [0.5, -0.25, 0, 0.75], "approx"


def wilcoxon(differences, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "sample size too small for normal approximation": that is what is asked for
        p = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method=method).pvalue
    return {"differences": differences, "method": method, "p": float(p)}


def bootstrap(rng):
    """Hits of 60 users with one question each: here the bootstrap over users is the plain one."""
    a = [int(rng.random() < 0.5) for _ in range(60)]
    b = [int(rng.random() < 0.7) for _ in range(60)]
    result = stats.bootstrap(
        (numpy.array(b) - numpy.array(a),), numpy.mean, n_resamples=200_000, batch=10_000, method="percentile", random_state=1
    )
    low, high = result.confidence_interval
    return {"a": a, "b": b, "low": float(low), "high": float(high)}


def draws(rng):
    """Users with unequal numbers of answers, and fixed draws of whole users: every draw's scores, and what a bootstrap makes of them."""
    labels = ["drama", "noir", "farce", "western"]
    users = []
    for _ in range(20):
        golds = [rng.choices(labels, [8, 4, 2, 1])[0] for _ in range(rng.randint(1, 6))]
        users.append([[gold, gold if rng.random() < 0.6 else rng.choice([*labels, "none of these"])] for gold in golds])
    ratings = [[[rng.randint(1, 5), rng.randint(1, 5)] for _ in user] for user in users]
    chosen = [[rng.randrange(20) for _ in range(20)] for _ in range(60)]
    of = lambda score, data, places: score([pair for place in places for pair in data[place]])
    both = {"f1": (lambda pairs: f1(pairs, labels), users), "rmse": (rmse, ratings)}
    return {
        "labels": labels,
        "users": users,
        "ratings": ratings,
        "chosen": chosen,
        "scores": {name: [of(score, data, places) for places in chosen] for name, (score, data) in both.items()},
        "all": {name: of(score, data, range(20)) for name, (score, data) in both.items()},
        "withoutOne": {
            name: [of(score, data, [u for u in range(20) if u != out]) for out in range(20)] for name, (score, data) in both.items()
        },
        "bca": {name: bca_of_draws(score, data, chosen) for name, (score, data) in both.items()},
    }


def bca_of_draws(score, data, chosen):
    """Efron's BCa from the definition, with plain normal quantiles at 95 %: bias, acceleration, both shares, both ends."""
    everyone = range(len(data))
    of = lambda places: score([pair for place in places for pair in data[place]])
    values, estimate = numpy.array([of(places) for places in chosen]), of(everyone)
    bias = stats.norm.ppf((numpy.sum(values < estimate - 1e-12) + numpy.sum(numpy.abs(values - estimate) <= 1e-12) / 2) / len(values))
    without = numpy.array([of([u for u in everyone if u != out]) for out in everyone])
    away = without.mean() - without
    acceleration = numpy.sum(away**3) / (6 * numpy.sum(away**2) ** 1.5)
    shares = [stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in stats.norm.ppf([0.025, 0.975])]
    ends = numpy.quantile(values, shares)
    return {"bias": float(bias), "acceleration": float(acceleration), "ends": [float(end) for end in ends]}


def f1(pairs, labels):
    return float(f1_score([gold for gold, _ in pairs], [answer for _, answer in pairs], labels=labels, average="macro", zero_division=0))


def rmse(pairs):
    return float(mean_squared_error([gold for gold, _ in pairs], [answer for _, answer in pairs], squared=False))


def student_quantile(share, df):
    """The root of scipy's cdf: its own ppf of this version is right to 1e-9 only."""
    return float(brentq(lambda t: stats.t.cdf(t, df) - share, -1000, 1000, xtol=1e-14, rtol=1e-15))


def bca(rng):
    """Lopsided values of 40 users with one question each, as absolute rating errors are: BCa of the mean and of the root mean square."""
    values = [rng.choice([0, 0, 0, 0, 0, 1, 1, 2, 4]) for _ in range(40)]
    return {"values": values, "mae": interval(values, numpy.mean), "rmse": interval(values, root_mean_square)}


def root_mean_square(values, axis=-1):
    return numpy.sqrt(numpy.mean(numpy.square(values), axis=axis))


def interval(values, statistic):
    result = stats.bootstrap(
        (numpy.array(values, dtype=float),), statistic, n_resamples=200_000, batch=10_000, method="BCa", random_state=1
    )
    low, high = result.confidence_interval
    return [float(low), float(high)]


main()
