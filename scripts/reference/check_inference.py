"""Recomputes scores, intervals, p and a gate from rows.jsonl with the standard library alone, and compares them to 1e-9.

python3 scripts/reference/check_inference.py RUN              # with results.json: accuracy and MAE, one repeat
python3 scripts/reference/check_inference.py RUN BASE GATE    # with what `gate RUN --baseline BASE --json` printed into GATE
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
    """Value, standard error and effective number of users of a mean over questions; sums: (total, questions) of each user."""
    total, m = sum(s for s, _ in sums), sum(q for _, q in sums)
    out = [(total - s) / (m - q) for s, q in sums]
    mean = sum(out) / len(out)
    se = math.sqrt((len(out) - 1) / len(out) * sum((v - mean) ** 2 for v in out))
    return total / m, se, m * m / sum(q * q for _, q in sums)


def p_of(value, se, n):
    return 2 * tail(abs(value) / se, n - 1) if se > 1e-12 else float(abs(value) <= 1e-12)


def by_user(pairs):
    sums = defaultdict(lambda: (0.0, 0))
    for user, value in pairs:
        sums[user] = (sums[user][0] + value, sums[user][1] + 1)
    return list(sums.values())


def values_of(run):
    values = defaultdict(dict)
    for line in open(f"{run}/rows.jsonl"):
        row = json.loads(line)
        if row["kind"] != "question" or row["outcome"]["kind"] == "failed" or "gold" not in row:
            continue
        reply, gold = row["outcome"]["reply"] if row["outcome"]["kind"] == "answered" else "", row["gold"]
        if row["task"] == "lamp3":
            far = 1.0 if abs(1 - float(gold)) > abs(5 - float(gold)) else 5.0
            value = abs((float(reply) if reply else far) - float(gold))
        else:
            value = 1.0 if reply.strip() == gold.strip() else 0.0
        values[row["task"], row["method"]][row["question"]] = (row.get("cluster", row["user"]), value)
    return values


wrong = 0


def check(name, ours, theirs):
    global wrong
    wrong += abs(ours - theirs) >= 1e-9
    print(f"{name}: {ours:.12f} {theirs:.12f}" + ("" if abs(ours - theirs) < 1e-9 else "   DIFFERS"))


values = values_of(sys.argv[1])
for arm in [row for table in json.load(open(f"{sys.argv[1]}/results.json"))["tables"] for row in table["rows"]]:
    if arm.get("task") is None or arm.get("arm") is None:
        continue
    metric = "mae" if arm["task"] == "lamp3" else "accuracy"
    own, name = values[arm["task"], arm["method"]], f"{arm['task']} {arm['method']} {metric}"
    value, se, n = jackknife(by_user(own.values()))
    check(name, value, arm[metric])
    t = quantile(0.975, n - 1)
    if arm[f"{metric}_low"] is not None:
        log = metric == "mae"
        x, half = (math.log(value), t * se / value) if log else (math.log(value / (1 - value)), t * se / (value * (1 - value)))
        back = math.exp if log else lambda z: 1 / (1 + math.exp(-z))
        check(f"{name} low", back(x - half), arm[f"{metric}_low"])
        check(f"{name} high", back(x + half), arm[f"{metric}_high"])
    if arm.get("gain") is not None:
        sign, base = -1 if metric == "mae" else 1, values[arm["task"], "prompt"]
        gain, se, n = jackknife(by_user((user, sign * (v - base[q][1])) for q, (user, v) in own.items() if q in base))
        t = quantile(0.975, n - 1)
        check(f"{name} gain", gain, arm["gain"])
        check(f"{name} gain low", gain - t * se, arm["gain_low"])
        check(f"{name} p", p_of(gain, se, n), arm["p"])

if len(sys.argv) > 3:
    before = values_of(sys.argv[2])
    for arm in json.load(open(sys.argv[3]))["arms"]:
        old, new = before[arm["task"], arm["method"]], values[arm["task"], arm["method"]]
        sign, name = -1 if arm["metric"] == "mae" else 1, f"gate {arm['name']}"
        both = [q for q in old if q in new]
        users = by_user((old[q][0], sign * (old[q][1] - new[q][1])) for q in both)
        loss, se, n = jackknife(users)
        check(f"{name} loss", loss, arm["loss"])
        was = sum(old[q][1] for q in both) / len(both)
        worst = was if sign > 0 else max([4.0] + [v for q in both for v in (old[q][1], new[q][1])]) - was
        extra = len(both) / n
        theta, unseen, m = jackknife(users + [(extra * worst, extra)])
        check(f"{name} bound", theta + quantile(0.95, m - 1) * unseen, arm["bound"])
        check(f"{name} p", p_of(loss, se, n), arm["p"])
sys.exit(1 if wrong else 0)
