#!/usr/bin/env python3
"""Compiles other people's kernels, in checkouts of their repositories, with kgtrain's own sandbox: README.md."""

import argparse
import collections
import csv
import os
import re
import sys
import time

import checkout as checkouts
import operators
import wire
from closure import ClosedFile, closure, joined
from kinds import first_error, kind_of

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected.csv")
LAUNCHER = "conformance_launch"


def published_paths():
    """Names under which kernels include our headers."""
    with open(os.path.join(HERE, "../../npu/headers/published_headers.txt")) as listed:
        out = {line.split()[0].removeprefix("host/") for line in listed if not line.startswith("#")}
    for part in ("npu/headers", "npu/headers/host"):
        root = os.path.join(HERE, "..", "..", part)
        for where, _, files in os.walk(root):
            out.update(os.path.relpath(os.path.join(where, one), root) for one in files)
    return out


def parameters(text, name):
    match = re.search(rf"\b{re.escape(name)}\s*\(([^)]*)\)", text)
    return [] if match is None or not match.group(1).strip() else [one.strip() for one in match.group(1).split(",")]


MACRO = re.compile(r"#define\s+(\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)")
MACRO_KERNEL = re.compile(r"__global__[^;{}()]*?(\w*##\w+)\s*\(")


def first_use(plain, macro, body):
    """The arguments of a macro's first use, on a line of its own; None if there is none."""
    used = re.search(rf"^\s*{macro}\s*\(([^()]*)\)", plain.replace(body, ""), re.M)
    return used and [one.strip() for one in used.group(1).split(",")]


def launched_kernel(plain):
    """The kernel of the first launch; if a macro launches its parameter, what the macro's first use passes for it."""
    launched = re.search(r"(\w+)\s*(?:<[^<>;]*>)?\s*<<<", plain)
    if launched is None:
        return None
    name = launched.group(1)
    for macro, listed, body in MACRO.findall(plain):
        places = [one.strip() for one in listed.split(",")]
        if name in places and re.search(rf"\b{name}\b[^;]*<<<", body):
            used = first_use(plain, macro, body)
            return used[places.index(name)] if used else name
    return name


def macro_kernels(plain):
    """Names of kernels that a macro defines for each type, prefix_##TYPE."""
    for macro, parameter, body in MACRO.findall(plain):
        if "," not in parameter and (match := MACRO_KERNEL.search(body)):
            used = first_use(plain, macro, body)
            return [match.group(1).replace("##" + parameter.strip(), used[0])] if used else []
    return []


def with_launcher(text, name, listed):
    """A launch of a kernel that takes numbers or structures, which its project's build would write."""
    listed = [one.replace("\\", " ") for one in listed]
    names = [re.search(r"(\w+)\s*(?:\[\s*\])?$", one).group(1) for one in listed]
    return (f"{text}\n#line 1 \"launcher\"\nvoid {LAUNCHER}(uint32_t conformance_blocks, void* conformance_stream"
            + "".join(", " + re.sub(r"^\s*const\s+(?=GM_ADDR)", "", one) for one in listed)
            + f") {{\n  {name}<<<conformance_blocks, nullptr, conformance_stream>>>({', '.join(names)});\n}}\n")


def ask_source(sandbox, where, own, path, names):
    """The result for the device code of a source that stands for itself."""
    files = closure(where, own, path)
    text = checkouts.device_part(joined(where, files, path))
    plain = checkouts.without_comments(text)
    if launched := launched_kernel(plain):
        return sandbox.ask(wire.request(launched, text))
    names = macro_kernels(plain) or names
    if not names:
        return None
    pasted = MACRO_KERNEL.search(plain)
    listed = parameters(plain, names[-1] if pasted is None else pasted.group(1))
    if any(not re.match(r"(const\s+)?GM_ADDR\b|(const\s+)?__gm__\s+uint8_t\s*\*", one) for one in listed):
        text = with_launcher(text, names[-1], listed)
    return sandbox.ask(wire.request(names[-1], text))


class Run:
    def __init__(self, options):
        self.options = options
        self.sandbox = wire.Sandbox(options.program, options.cache)
        self.own = published_paths()
        self.expected = read_expected()
        self.rows, self.details = {}, {}

    def note(self, path, part, outcome, kind="", text=""):
        key = (path, part)
        self.rows[key] = (outcome, kind)
        self.details[key] = text
        if self.options.verbose:
            print(path, part, outcome, kind, flush=True)

    def repository(self, folder):
        where = checkouts.Checkout(folder)
        served = self.projects(where)
        for path, names in where.kernels():
            full = f"{where.name}/{path}"
            if path in served or not self.wanted(full):
                continue
            if names is None:
                self.note(full, "device", "closed")
                continue
            self.device(where, full, path, names)

    def wanted(self, full):
        if self.options.failing and all(self.expected.get((full, part), ("", ""))[0] != "fails"
                                        for part in ("device", "project")):
            return False
        return self.options.only is None or re.search(self.options.only, full)

    def device(self, where, full, path, names):
        if checkouts.of_another_chip(path, where.text(path)):
            self.note(full, "device", "other chip")
            return
        try:
            result = ask_source(self.sandbox, where, self.own, path, names)
        except ClosedFile:
            self.note(full, "device", "includes closed")
            return
        if result is None:
            self.note(full, "device", "no kernel")
        else:
            self.judge(full, "device", result)

    def judge(self, full, part, result):
        if result.sandbox_error:
            self.note(full, part, "sandbox error", "", result.sandbox_error)
        elif result.compiled:
            self.note(full, part, "compiles")
        else:
            self.note(full, part, "fails", kind_of(result.output), result.output)

    def projects(self, where):
        """Judges every operator with a definition and a kernel; gives the kernels' paths."""
        served = set()
        kernels = {os.path.basename(path): [] for path, _ in where.kernels()}
        for path, names in where.kernels():
            kernels[os.path.basename(path)].append((path, names))
        for operator, paths in sorted(where.operators().items()):
            for path in paths:
                served |= self.project(where, operator, path, kernels)
        return served

    def project(self, where, operator, path, kernels):
        name = checkouts.snake_case(operator)
        text = where.text(path)
        if match := re.search(r'opFile\.value"\s*,\s*"(\w+)"', text):
            name = match.group(1)
        near = [(os.path.commonpath([one, path]), one, names) for one, names in kernels.get(name + ".cpp", [])]
        if not near:
            return set()
        _, kernel, names = max(near, key=lambda one: (len(one[0]), "arch35" not in one[1]))
        full = f"{where.name}/{path}:{operator}"
        if not self.wanted(full):
            return {kernel}
        if checkouts.of_another_chip(path, "") or checkouts.of_another_chip(kernel, "") or \
                not checkouts.defined_for_this_chip(text):
            self.note(full, "project", "other chip")
            return {kernel}
        if names is None or kernel in where.closed:
            self.note(full, "project", "closed")
            return {kernel}
        if checkouts.of_another_chip(kernel, where.text(kernel)):
            self.note(full, "project", "other chip")
            return {kernel}
        try:
            files = operators.project(where, self.own, operator, path, kernel)
        except ClosedFile:
            self.note(full, "project", "includes closed")
            return {kernel}
        result = operators.compiled_project(self.sandbox, files, checkouts.snake_case(operator), text)
        self.project_outcome(full, result)
        return {kernel}

    def project_outcome(self, full, result):
        if result.sandbox_error or not result.compiled:
            host = "op_host/" in first_error(result.output).split("error:")[0]
            self.judge(full, "host" if host else "project", result)
            if host:
                self.rows[(full, "project")] = ("fails", self.rows.pop((full, "host"))[1])
                self.details[(full, "project")] = self.details.pop((full, "host"))
                outcome, kind = self.rows[(full, "project")]
                self.rows[(full, "project")] = (outcome, "host: " + kind)
            return
        faults = [message for case in result.cases for kind, error, message in case.faults if error and kind == "host"]
        if any("do not fit" in one or "no data-type column" in one or "does not link" in one or "template" in one
               for one in faults):
            self.note(full, "project", "fails", "host: " + kind_of(faults[0]), faults[0])
        else:
            self.note(full, "project", "compiles", "", "; ".join(faults))


def read_expected():
    if not os.path.exists(EXPECTED):
        return {}
    with open(EXPECTED, newline="") as file:
        return {(row["path"], row["part"]): (row["outcome"], row["kind"]) for row in csv.DictReader(file)}


def write_expected(rows):
    with open(EXPECTED, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["path", "part", "outcome", "kind"])
        out.writerows([path, part, outcome, kind] for (path, part), (outcome, kind) in sorted(rows.items()))


def print_counts(rows):
    table = collections.defaultdict(collections.Counter)
    for (path, _), (outcome, _) in rows.items():
        table[path.split("/")[0]][outcome] += 1
        table["all"][outcome] += 1
    columns = ["compiles", "fails", "other chip", "closed", "includes closed", "no kernel", "sandbox error"]
    print(f"{'':20}" + "".join(f"{one:>16}" for one in columns))
    for name, counts in sorted(table.items(), key=lambda one: (one[0] == "all", one[0])):
        print(f"{name:20}" + "".join(f"{counts[one]:16}" for one in columns))


def print_kinds(rows, most):
    counts = collections.Counter(kind for outcome, kind in rows.values() if outcome == "fails")
    for kind, count in counts.most_common(most):
        print(f"{count:5}  {kind}")


def print_changes(rows, expected, everything):
    changed = 0
    for key in sorted(set(rows) | (set(expected) if everything else set())):
        before, after = expected.get(key, ("absent", "")), rows.get(key, ("absent", ""))
        if before != after:
            changed += 1
            print(f"changed: {key[0]} ({key[1]}): {' '.join(before)} -> {' '.join(after)}")
    print(f"{changed} changed since {os.path.basename(EXPECTED)}")
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder with checkouts; each is a repository")
    parser.add_argument("--program", default=os.path.join(HERE, "../../build/release/bin/kgtrain-sandbox"))
    parser.add_argument("--cache", default="", help="folder of compiled kernels")
    parser.add_argument("--only", help="regular expression of paths")
    parser.add_argument("--failing", action="store_true", help="only those that fail in expected.csv")
    parser.add_argument("--update", action="store_true", help="write expected.csv")
    parser.add_argument("--errors", help="file for the compiler's words; holds text of others, never to be committed")
    parser.add_argument("--kinds", type=int, default=40)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    run = Run(options)
    for name in sorted(os.listdir(options.folder)):
        if os.path.isdir(os.path.join(options.folder, name)):
            run.repository(os.path.join(options.folder, name))
    run.sandbox.close()
    print_counts(run.rows)
    print_kinds(run.rows, options.kinds)
    if options.errors:
        with open(options.errors, "w") as file:
            for (path, part), text in sorted(run.details.items()):
                if text:
                    file.write(f"=== {path} {part} {run.rows[path, part]}\n{text}\n")
    whole = options.only is None and not options.failing
    expected = run.expected
    changed = print_changes(run.rows, expected, everything=whole)
    if options.update:
        write_expected({**({} if whole else expected), **run.rows})
    print(f"{len(run.rows)} in {time.monotonic() - begun:.0f} s")
    return 1 if changed and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
