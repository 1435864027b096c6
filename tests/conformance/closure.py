"""The files that a source includes from its own checkout."""

import os
import re

MOST_REPEATS = 3
PRAGMA_ONCE = re.compile(r"\s*#\s*pragma\s+once")
INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)["<]([^">]+)[">]', re.M)


class ClosedFile(Exception):
    """A file of the closure is under the CANN licence."""


def find(checkout, own, path, name):
    """Where `name`, included by `path`, is in the checkout; None: not there. `own`: our headers' published paths."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    if beside in checkout.paths:
        return beside
    if name in own:  # a project's own header of that path, in a folder from which its build includes
        candidates = [one for one in checkout.by_name.get(os.path.basename(name), ()) if one == "include/" + name]
        return candidates[0] if candidates else None
    # An include folder of the project's build: the file whose path ends with the name, the nearest one if there are
    # several.
    tail = name
    while tail.startswith("../"):
        tail = tail[3:]
    candidates = [one for one in checkout.by_name.get(os.path.basename(tail), ()) if ("/" + one).endswith("/" + tail)]
    if not candidates:
        return None
    side = "op_kernel" if "op_kernel" in path else "op_host"
    return max(candidates, key=lambda one: (len(os.path.commonpath([one, path])), side in one, -len(one)))


def closure(checkout, own, path):
    """{path: {name as included: path}} of a source and all that it includes."""
    files, left = {}, [path]
    while left:
        one = left.pop()
        if one in files:
            continue
        if one in checkout.closed:
            raise ClosedFile(one)
        files[one] = {}
        for _, name in INCLUDE.findall(checkout.text(one)):
            found = find(checkout, own, one, name)
            if found is not None:
                files[one][name] = found
                left.append(found)
    return files


def rewritten(checkout, files, prefix):
    """{path in a project: text}, with each include of the closure naming the file from the project's root."""
    out = {}
    for path, names in files.items():
        def replaced(match):
            target = names.get(match.group(2))
            return match.group() if target is None else f'{match.group(1)}"{prefix}/{target}"'
        out[f"{prefix}/{path}"] = INCLUDE.sub(replaced, checkout.text(path))
    return out


def joined(checkout, files, path):
    """One text: the source with what it includes in its place. A guard of our own stands for `#pragma once`; a file is
    repeated where it is included again, since the first place may be in a branch that is not taken."""
    guards, times = {}, {}

    def text_of(one, around):
        out = []
        for number, line in enumerate(checkout.text(one).splitlines(), 1):
            match = INCLUDE.match(line)
            target = files[one].get(match.group(2)) if match else None
            if target is not None and target not in around and times.get(target, 0) < MOST_REPEATS:
                times[target] = times.get(target, 0) + 1
                guard = guards.setdefault(target, f"CONFORMANCE_INCLUDED_{len(guards)}")
                out += [f"#ifndef {guard}", f"#define {guard}", f'#line 1 "{target}"']
                out += [text_of(target, around | {target}), "#endif", f'#line {number + 1} "{one}"']
            elif target is not None or PRAGMA_ONCE.match(line):
                out.append("")
            else:
                out.append(line)
        return "\n".join(out)

    return text_of(path, {path})
