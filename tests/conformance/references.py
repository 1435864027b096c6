#!/usr/bin/env python3
"""Kernels of the checkouts that stand for themselves, against references in numpy: README.md. Needs numpy."""

import argparse
import collections
import os
import re
import sys

import numpy as np

import checkout as checkouts
import conformance
import wire
from references import REPOSITORIES, harness

SEED = 20261124


def run_repository(sandbox, where, own, cases):
    """Counts of what happened; a line is printed for each case."""
    counts, kernels = collections.Counter(), set()
    for case in cases:
        found, why = harness.outcome(sandbox, where, own, case)
        wanted = harness.FAULTY if case.fault else harness.EQUAL
        counts[found] += 1
        counts["changed"] += found != wanted
        kernels.add((case.path, case.kernel))
        said = case.fault if found == wanted else f"(expected: {wanted}) {why[:500]}"
        print(f"{where.name} {case.kernel} {case.label}: {found} {said}".rstrip(), flush=True)
    counts["cases"], counts["kernels"] = len(cases), len(kernels)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder with checkouts")
    parser.add_argument("--only", default="", help="regular expression: repository, kernel and label of the cases to run")
    parser.add_argument("--program", default=os.path.join(conformance.HERE, "../../build/release/bin/kgtrain-sandbox"))
    parser.add_argument("--cache", default="")
    options = parser.parse_args()
    sandbox, own = wire.Sandbox(options.program, options.cache), conformance.published_paths()
    summary = {}
    for module in REPOSITORIES:
        name = module.REPOSITORY
        cases = [one for one in module.cases(np.random.default_rng(SEED)) if re.search(options.only, f"{name} {one.kernel} {one.label}")]
        folder = os.path.join(options.folder, name)
        if not os.path.isdir(folder):
            print(f"{name}: no checkout in {options.folder}; its cases are skipped")
        elif cases:
            summary[name] = run_repository(sandbox, checkouts.Checkout(folder), own, cases)
    sandbox.close()
    for name, counts in summary.items():
        print(f"{name}: {counts['kernels']} kernels, {counts['cases']} cases, {counts[harness.EQUAL]} equal, "
              f"{counts[harness.FAULTY]} equal with the kernel's own fault, {counts['changed']} other than expected")
    return 1 if any(counts["changed"] for counts in summary.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
