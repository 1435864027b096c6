#!/usr/bin/env python3
"""Runs DrivingSDK's own tests with the emulated NPU as their device: ../README.md.

Its Python package and the C++ functions under it are used as they are; csrc/OpApiCommon.h is put in place of the header
by which these call operators, fake_npu.py in place of torch_npu. Needs a Python with PyTorch and a C++ compiler.
"""

import argparse
import collections
import csv
import glob
import importlib.util
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import torch  # noqa: E402
from torch.utils import cpp_extension  # noqa: E402

import checkout as checkouts  # noqa: E402
import conformance  # noqa: E402
import fake_npu  # noqa: E402
import operator_calls  # noqa: E402
import wire  # noqa: E402

EXPECTED = os.path.join(HERE, "expected.csv")
SMALL = re.compile(r"small|base|one_|single|simple|1d|fp32", re.I)  # tests of these names are run first
OWN_CALLS = "OpApiCommon.cpp"  # the source of the header that is replaced


def build(repository, folder):
    """mx_driving._C from the checkout's sources, in one go."""
    library = os.path.join(folder, "_C.so")
    if os.path.exists(library):
        return library
    os.makedirs(folder, exist_ok=True)
    together = os.path.join(folder, "all.cpp")
    sources = [one for one in sorted(glob.glob(f"{repository}/mx_driving/csrc/*.cpp")) if not one.endswith(OWN_CALLS)]
    with open(together, "w") as file:
        for number, source in enumerate(sources):
            names = own_names(source)
            file.writelines(f"#define {one} {one}_{number}\n" for one in names)
            file.write(f'#include "{source}"\n')
            file.writelines(f"#undef {one}\n" for one in names)
    folders = [HERE, f"{repository}/include", *cpp_extension.include_paths(), sysconfig.get_path("include")]
    subprocess.run(["g++", "-std=c++17", "-O0", "-fPIC", "-w", "-shared", "-DTORCH_EXTENSION_NAME=_C",
                    "-DTORCH_API_INCLUDE_EXTENSION_H",
                    f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
                    *[f"-I{one}" for one in folders], together, "-o", library,
                    *[f"-L{one}" for one in cpp_extension.library_paths()],
                    "-lc10", "-ltorch", "-ltorch_cpu", "-ltorch_python"], check=True)
    return library


def own_names(source):
    """What a source declares for itself alone, in unnamed namespaces or as static: several sources become one."""
    with open(source, encoding="utf-8") as file:
        text = checkouts.without_comments(file.read())
    names = set()
    for found in re.finditer(r"namespace\s*\{", text):
        depth, at = 1, found.end()
        while depth and at < len(text):
            line = re.compile(r"(?:[\w:<>,&* ]+[ &*])(\w+)\s*(?:=|\(|\[|\{)").match(text, at)
            if depth == 1 and line and text[at - 1] == "\n":
                names.add(line.group(1))
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    names.update(re.findall(r"^(?:static|constexpr|const)\s[\w:<>, ]*?(\w+)\s*(?:=|\{)", text, re.M))
    return sorted(names - {"if", "for", "while", "switch", "return", "namespace"})


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


class Extension:
    """Finds mx_driving._C where it was built."""

    def __init__(self, library):
        self.library = library

    def find_spec(self, name, *_):
        return importlib.util.spec_from_file_location(name, self.library) if name == "mx_driving._C" else None


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong("the test takes too long")


def run_one(test, seconds):
    """(outcome, what is wrong, the calls, how many of them were right) of one test method: where a comparison fails,
    the calls before the last comparison that held are right, unless nothing was called since."""
    operator_calls.calls.log.clear()
    result, right = unittest.TestResult(), [0]
    fake_npu.TestCase.found_equal = staticmethod(lambda: right.append(len(operator_calls.calls.log)))
    torch.manual_seed(7)
    signal.alarm(seconds)
    try:
        test.run(result)
    except TooLong:
        pass
    finally:
        signal.alarm(0)
    log = list(operator_calls.calls.log)
    if result.skipped:
        return "skipped", "", log, 0
    if result.failures:
        before = max(one for one in right if one < max(1, len(log)))
        return "differs", result.failures[0][1].strip().splitlines()[-1], log, before
    if result.errors:
        text = result.errors[0][1].strip().splitlines()[-1]
        if "TooLong" not in text:
            return "error", text, log, max(right)
        operator_calls.calls.sandbox.close()  # which may be in the middle of an answer
        return "too long", text, log, max(right)
    return ("equal" if log else "no call"), "", log, len(log)


def tests_of(path):
    suite = unittest.defaultTestLoader.loadTestsFromModule(load(os.path.basename(path)[:-3], path))
    left = [suite]
    while left:
        one = left.pop(0)
        if isinstance(one, unittest.TestSuite):
            left[:0] = list(one)
        else:
            yield one


def judge(rows):
    """{operator: outcome}: the worst of its tests; numbers that are equal although the emulator found an error count
    apart."""
    outcomes = collections.defaultdict(collections.Counter)
    for outcome, log in rows:
        for operator, said in set(log):
            if said == "ran":
                outcomes[operator][outcome] += 1
            elif said.startswith("fault"):
                outcomes[operator]["equal, with a fault" if outcome == "equal" else outcome] += 1
            else:
                outcomes[operator]["does not run"] += 1
    found = {}
    for operator, counts in outcomes.items():
        for outcome in ("differs", "does not run", "equal, with a fault", "equal", "error", "too long", "no call"):
            if counts[outcome]:
                found[operator] = outcome
                break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", help="checkout of DrivingSDK")
    parser.add_argument("--program", default=os.path.join(HERE, "../../../build/release/bin/kgtrain-sandbox"))
    parser.add_argument("--build", required=True, help="folder for the extension that is made")
    parser.add_argument("--cache", default="")
    parser.add_argument("--theirs", action="store_true", help="DrivingSDK's own tests, not those on small shapes")
    parser.add_argument("--only", default="", help="regular expression of test files' names")
    parser.add_argument("--seconds", type=int, default=120, help="for one test")
    parser.add_argument("--most", type=int, default=4, help="test methods of a file that are run")
    parser.add_argument("--update", action="store_true", help="write expected.csv")
    options = parser.parse_args()
    fake_npu.install()
    signal.signal(signal.SIGALRM, too_long)
    sys.path[:0] = [options.repository, os.path.join(options.repository, "tests/torch")]
    sys.meta_path.insert(0, Extension(build(options.repository, options.build)))
    operator_calls.calls = operator_calls.Calls(checkouts.Checkout(options.repository), conformance.published_paths(),
                                                wire.Sandbox(options.program, options.cache))
    rows = []
    files = sorted(glob.glob(f"{options.repository}/tests/torch/test_*.py"))
    if not options.theirs:
        files = sorted(glob.glob(f"{HERE}/small_*tests.py"))
    for path in [one for one in files if re.search(options.only, os.path.basename(one))]:
        begun = time.monotonic()
        name = os.path.basename(path)
        try:
            tests = sorted(tests_of(path), key=lambda one: SMALL.search(one.id()) is None)
        except Exception as error:  # of the test file: a package that is not here
            print(f"{name}: not loaded: {error}", flush=True)
            continue
        for test in tests[:options.most] if options.theirs else tests:
            outcome, why, log, right = run_one(test, options.seconds)
            rows += [("equal", log[:right]), (outcome, log[right:])]
            said = "; ".join(sorted({f"{operator} {what}" for operator, what in log}))
            print(f"{name} {test.id().split('.')[-1]}: {outcome} [{said}] {why[:300]}", flush=True)
        print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    found = judge(rows)
    counts = collections.Counter(found.values())
    print(", ".join(f"{count} operators {outcome}" for outcome, count in counts.most_common()))
    report(found, options)


def report(found, options):
    expected = {}
    if os.path.exists(EXPECTED):
        with open(EXPECTED, newline="") as file:
            expected = {row["operator"]: row["outcome"] for row in csv.DictReader(file)}
    for operator in sorted(found):
        if expected.get(operator) != found[operator]:
            print(f"changed: {operator}: {expected.get(operator, 'absent')} -> {found[operator]}")
    if options.update:
        with open(EXPECTED, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["operator", "outcome"])
            out.writerows(sorted({**(expected if options.only else {}), **found}.items()))


if __name__ == "__main__":
    main()
