"""Writes reward_metrics_reference.json: what docs/guide/metrics.md defines, computed by numpy and exact arithmetic.

    python reward_metrics_reference.py > reward_metrics_reference.json
"""
import json
from fractions import Fraction
from math import comb, exp, log

import numpy as np

# Student's t, 0.975, from the table of NIST/SEMATECH e-Handbook 1.3.6.7.2.
STUDENT = {11: 2.201, 39: 2.0227, 79: 1.9905}


def mcnemar(b, c):
    n = b + c
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), 2 * tail))


def interval(clusters, resamples, rng):
    sums = np.array([sum(c) for c in clusters], float)
    counts = np.array([len(c) for c in clusters], float)
    n = len(clusters)
    means = []
    for _ in range(resamples // 10000):
        drawn = rng.integers(0, n, (10000, n))
        means.append(sums[drawn].sum(1) / counts[drawn].sum(1))
    p, t = sums.sum() / counts.sum(), STUDENT[n - 1]
    rates = sums / counts
    passing, failing = rates[rates > 0], 1 - rates[rates < 1]
    known = passing if len(passing) <= len(failing) else failing
    prior = 0.4 * known.mean() + 0.1 / len(known)
    variance = np.concatenate(means).var() * n / (n - 1)
    variance = (len(known) * variance + prior * p * (1 - p) / n) / (len(known) + prior)
    effective = max(n, p * (1 - p) / variance)
    # Wilson's interval: the two p0 with |p - p0| = t sqrt(p0 (1 - p0) / effective).
    a, b, c = 1 + t * t / effective, -(2 * p + t * t / effective), p * p
    root = np.sqrt(b * b - 4 * a * c)
    return float(p), float((-b - root) / (2 * a)), float((-b + root) / (2 * a))


def difference(tasks, resamples, rng):
    """tasks: (cluster, answers of one run, answers of the other)."""
    names = sorted({t[0] for t in tasks})
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for cluster, ours, theirs in tasks:
        sums[names.index(cluster)] += np.mean(ours) - np.mean(theirs)
        counts[names.index(cluster)] += 1
    means = []
    for _ in range(resamples // 10000):
        drawn = rng.integers(0, len(names), (10000, len(names)))
        means.append(sums[drawn].sum(1) / counts[drawn].sum(1))
    means = np.concatenate(means)
    p = min(1.0, 2 * min((means <= 0).mean(), (means >= 0).mean()))
    low, high = np.quantile(means, [0.025, 0.975])
    return {"tasks": tasks, "difference": float(sums.sum() / counts.sum()), "low": float(low), "high": float(high), "p_value": float(p)}


def main():
    rng = np.random.default_rng(20261122)
    rows = {"mcnemar": [[b, c, mcnemar(b, c)] for b, c in [(0, 0), (1, 0), (5, 0), (10, 2), (3, 3), (40, 17), (300, 251), (0, 60)]],
            "intervals": []}
    for tasks, low, high in [(40, 0.3, 0.7), (40, 0.1, 0.9), (80, 0.15, 2.85), (12, 1, 1)]:
        clusters = []
        for i in range(tasks):
            members = 1 + i % 3 if tasks == 12 else 1
            p = rng.beta(low, high)
            clusters.append([float(rng.binomial(10, p)) / 10 for _ in range(members)])
        mean, lower, upper = interval(clusters, 200000, rng)
        rows["intervals"].append({"clusters": clusters, "mean": mean, "low": lower, "high": upper})
    speeds = [[0.5, 2.0, 1.7], [1.1], [3.0, 0.25]]
    per_task = [exp(sum(map(log, s)) / len(s)) for s in speeds]
    rows["speedup"] = {"tasks": speeds, "geometric_mean": exp(sum(map(log, per_task)) / len(per_task))}
    rows["differences"] = []
    for gain in [0.0, 0.05, 0.1]:
        tasks = []
        for i in range(60):
            rate = rng.beta(1, 2)
            tasks.append((f"structure {i // 2:02}", rng.binomial(1, min(1, rate + gain), 8).tolist(), rng.binomial(1, rate, 8).tolist()))
        rows["differences"].append(difference(tasks, 1000000, rng))
    print(json.dumps(rows))


main()
