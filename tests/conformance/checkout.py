"""What a checkout holds for Atlas A2, by its text: kernels, operators, and the files that must stay closed.

Files under the CANN Open Software License are recognised by their header and left out, with everything that includes
them; nobody reads or compiles them here.
"""

import os
import re

SOURCES = (".cpp", ".cc", ".cce", ".asc")
HEADERS = (".h", ".hpp", ".inc", ".inl", ".tpp")
CLOSED = re.compile(r"CANN\s+(?:Open|OPEN)\s+(?:Software|SOFTWARE)", re.I)
LICENCE_CHARACTERS = 4000
DEVICE = r"(?:__aicore__|\[aicore\]|__vector__|__cube__|__mix__\s*\([^()]*\))"
KERNEL = re.compile(rf"__global__(?:[^;{{}}()]|__mix__\s*\([^()]*\))*?{DEVICE}[^;{{}}()]*?(\w+)\s*\(", re.S)
OTHER_CHIP_PATH = re.compile(r"(^|/)(arch3\d|arch4\d|v310\w*|\w*_v310|\w*_a5|a5|310p|regbase)(/|\.|_|$)|_apt\.cpp$|_simt|_fp8_|_310p", re.I)
OTHER_CHIP_TEXT = re.compile(r"simt_api/|__simt_|Simt::|__simd_vf__|__VEC_SCOPE__|MicroAPI|fp8_e4m3|fp8_e5m2|hifloat8|ascend910_95")
THIS_CHIP = re.compile(r'AddConfig\s*\(\s*"(ascend910b|ascend910_93)"')
ANY_CHIP = re.compile(r"AddConfig\s*\(")
EXTENSION = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<](?:torch|pybind11|c10|ATen|torch_npu|acl)/[^">]*[">]', re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def without_comments(text):
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


class Checkout:
    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.closed, self.paths, self.by_name, self._texts = set(), set(), {}, {}
        for where, folders, files in os.walk(folder):
            folders[:] = sorted(one for one in folders if one != ".git")
            for name in sorted(files):
                if name.endswith(SOURCES + HEADERS):
                    self._add(os.path.relpath(os.path.join(where, name), folder))

    def _add(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8-sig", errors="replace") as file:
            head = file.read(LICENCE_CHARACTERS)
        if CLOSED.search(head):
            self.closed.add(path)
        self.paths.add(path)
        self.by_name.setdefault(os.path.basename(path), []).append(path)

    def text(self, path):
        """Of an open file."""
        assert path not in self.closed, path
        if path not in self._texts:
            with open(os.path.join(self.folder, path), encoding="utf-8-sig", errors="replace") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def kernels(self):
        """(path, names of __global__ functions) of each source that holds a kernel; closed ones as (path, None)."""
        for path in sorted(self.paths):
            if not path.endswith(SOURCES):
                continue
            if path in self.closed:
                if self._closed_kernel(path):
                    yield path, None
                continue
            text = without_comments(self.text(path))
            if "__global__" in text and re.search(DEVICE, text):
                names = [name for name in KERNEL.findall(text) if "#" not in name]
                yield path, names

    def _closed_kernel(self, path):
        with open(os.path.join(self.folder, path), "rb") as file:
            return b"__global__" in file.read()

    def operators(self):
        """{operator type: path of the open source that registers it}"""
        found = {}
        for path in sorted(self.paths - self.closed):
            if path.endswith(SOURCES):
                text = without_comments(self.text(path))
                for name in re.findall(r"\bOP_ADD\s*\(\s*(\w+)", text):
                    found.setdefault(name, []).append(path)
        return found


def device_part(text):
    """Of a source that is an extension of PyTorch: its text up to the end of the last kernel, which comes before the
    functions that PyTorch calls, without PyTorch's headers."""
    if not EXTENSION.search(text):
        return text
    plain = without_comments(text)
    at = plain.find("{", [found.end() for found in KERNEL.finditer(plain)][-1])
    depth, end = 1, at + 1
    while depth and end < len(plain):
        depth += {"{": 1, "}": -1}.get(plain[end], 0)
        end += 1
    return EXTENSION.sub("", text[:end])


def of_another_chip(path, text):
    return OTHER_CHIP_PATH.search(path) is not None or OTHER_CHIP_TEXT.search(text) is not None


def defined_for_this_chip(text):
    return THIS_CHIP.search(text) is not None or ANY_CHIP.search(text) is None


def snake_case(op_type):
    out = ""
    for i, c in enumerate(op_type):
        before, after = op_type[i - 1:i], op_type[i + 1:i + 2]
        if i and c.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower())):
            out += "_"
        out += c.lower()
    return out
