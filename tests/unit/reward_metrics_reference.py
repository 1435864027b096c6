"""Writes reward_metrics_reference.json: what docs/metrics.md defines, computed by numpy and exact arithmetic.

    python reward_metrics_reference.py > reward_metrics_reference.json
"""
import json
from fractions import Fraction
from math import comb, exp, log
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()
# Student's t, 0.975, from the table of NIST/SEMATECH e-Handbook 1.3.6.7.2.
STUDENT = {11: 2.201, 39: 2.0227, 79: 1.9905}


def mcnemar(b, c):
    n = b + c
    tail = sum(Fraction(comb(n, k), 2**n) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), 2 * tail))


def interval(clusters, resamples, rng):
    sums = np.array([sum(c) for c in clusters], float)
    counts = np.array([len(c) for c in clusters], float)
    n, mean = len(clusters), sums.sum() / counts.sum()
    means = []
    for _ in range(resamples // 10000):
        drawn = rng.integers(0, n, (10000, n))
        means.append(sums[drawn].sum(1) / counts[drawn].sum(1))
    means = np.sort(np.concatenate(means))
    share = ((means < mean).mean() + (means <= mean).mean()) / 2
    bias = NORMAL.inv_cdf(share)
    without = (sums.sum() - sums) / (counts.sum() - counts)
    d = without.mean() - without
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    tail = NORMAL.cdf(-np.sqrt(n / (n - 1)) * STUDENT[n - 1])

    def at(p):
        z = bias + NORMAL.inv_cdf(p)
        return float(np.quantile(means, NORMAL.cdf(bias + z / (1 - a * z))))

    return float(mean), at(tail), at(1 - tail)


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
    print(json.dumps(rows))


main()
