"""Recomputes scores, intervals and p of a run from its rows.jsonl with the standard library alone, and compares them with results.json.

python3 scripts/reference/check_inference.py RUN     # accuracy and MAE, one repeat
"""
import json, math, sys
from collections import defaultdict


def beta_inc(x, a, b, steps=20_000):
    """I_x(a, b) with b = 1/2, after the substitution t = 1 - u^2, by Simpson's rule."""
    norm = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))
    low = math.sqrt(1 - x)
    f = lambda u: 2 * (1 - u * u) ** (a - 1)
    h = (1 - low) / steps
    total = f(low) + f(1) if a > 1 else f(low)
    total += sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps))
    return norm * total * h / 3


def tail(t, df):
    return beta_inc(df / (df + t * t), df / 2, 0.5) / 2


def quantile(share, df):
    low, high = 0.0, 50.0
    for _ in range(50):
        mid = (low + high) / 2
        low, high = (mid, high) if tail(mid, df) > 1 - share else (low, mid)
    return (low + high) / 2


def jackknife(sums):
    """Value, standard error and effective number of users of a mean over questions; sums: user -> (total, questions)."""
    total, m = sum(s for s, _ in sums.values()), sum(q for _, q in sums.values())
    out = [(total - s) / (m - q) for s, q in sums.values()]
    mean = sum(out) / len(out)
    se = math.sqrt((len(out) - 1) / len(out) * sum((v - mean) ** 2 for v in out))
    return total / m, se, m * m / sum(q * q for _, q in sums.values())


def check(name, ours, theirs):
    worst = abs(ours - theirs)
    print(f"{name}: {ours:.12f} {theirs:.12f}" + ("" if worst < 1e-9 else "   DIFFERS"))
    return worst < 1e-9


run = sys.argv[1]
values = defaultdict(dict)
for line in open(f"{run}/rows.jsonl"):
    row = json.loads(line)
    if row["kind"] != "question" or row["outcome"]["kind"] == "failed" or "gold" not in row:
        continue
    reply, gold = row["outcome"].get("reply", "") if row["outcome"]["kind"] == "answered" else "", row["gold"]
    if row["task"] == "lamp3":
        low_end = 1.0 if abs(1 - float(gold)) > abs(5 - float(gold)) else 5.0
        value = abs((float(reply) if reply else low_end) - float(gold))
    else:
        value = 1.0 if reply.strip() == gold.strip() else 0.0
    values[row["task"], row["method"]][row["question"]] = (row.get("cluster", row["user"]), value)


def by_user(pairs):
    sums = defaultdict(lambda: (0.0, 0))
    for user, value in pairs:
        sums[user] = (sums[user][0] + value, sums[user][1] + 1)
    return sums


fine = True
for arm in json.load(open(f"{run}/results.json"))["results"]:
    own, metric = values[arm["task"], arm["method"]], arm["metrics"][0]
    value, se, n = jackknife(by_user(own.values()))
    name = f"{arm['task']} {arm['method']} {metric['name']}"
    fine &= check(name, value, metric["strict"])
    t = quantile(0.975, n - 1)
    if "interval" in metric:
        log = metric["better"] == "lower"
        x, half = (math.log(value), t * se / value) if log else (math.log(value / (1 - value)), t * se / (value * (1 - value)))
        back = math.exp if log else lambda z: 1 / (1 + math.exp(-z))
        fine &= check(f"{name} low", back(x - half), metric["interval"]["low"])
        fine &= check(f"{name} high", back(x + half), metric["interval"]["high"])
    if "gain" in arm:
        sign = -1 if metric["better"] == "lower" else 1
        base = values[arm["task"], arm["gain"]["over"]]
        both = [(user, sign * (value - base[q][1])) for q, (user, value) in own.items() if q in base]
        gain, se, n = jackknife(by_user(both))
        t = quantile(0.975, n - 1)
        fine &= check(f"{name} gain", gain, arm["gain"]["value"])
        fine &= check(f"{name} gain low", gain - t * se, arm["gain"]["low"])
        fine &= check(f"{name} p", 2 * tail(abs(gain) / se, n - 1), arm["gain"]["p"])
sys.exit(0 if fine else 1)
