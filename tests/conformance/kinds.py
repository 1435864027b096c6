"""The first error of a result by its kind, in words that hold nothing of the kernel's text but names of the API."""

import re

RULES = [
    (r"'([^']+)' file not found", "header absent: {0}"),
    (r"sandbox|corrupt", "sandbox"),
]
NAMES = r"'([A-Za-z_][\w:]*)"
BY_WORDS = [
    (r"fatal error: '([^']+)' file not found", "header absent: {0}"),
    (r"use of undeclared identifier '(\w+)'", "undeclared: {0}"),
    (r"no (?:member|template|type) named '([\w:]+)' in (?:namespace )?'?(?:the global )?(?:namespace)?([\w:<>, ]*)", "no member: {1}::{0}"),
    (r"unknown type name '(\w+)'", "unknown type: {0}"),
    (r"no template named '(\w+)'", "unknown type: {0}"),
    (r"no type named '(\w+)'", "unknown type: {0}"),
    (r"no matching (?:member )?function for call to '([\w:~]+)", "no matching call: {0}"),
    (r"no matching constructor for initialization of '([\w:]+)", "no matching constructor: {0}"),
    (r"call to '([\w:]+)' is ambiguous", "ambiguous: {0}"),
    (r"'([\w:]+)' is called but nothing defines it", "undefined: {0}"),
    (r"(?:reference to|call to) __host__ function '([\w:]+)'", "host function: {0}"),
    (r"(\w+) does not take this data type", "data type: {0}"),
    (r"(\w+) is not yet supported", "unsupported: {0}"),
    (r"(\w+) does not exist on this device", "not of this device: {0}"),
    (r"does not link: undefined symbol: (\w+)", "host link: {0}"),
    (r"no (?:viable|matching) .*? '([^']{1,40})'", "no conversion: {0}"),
    (r"double", "scalar double"),
    (r"unsigned", "float to unsigned"),
]


def first_error(text):
    for line in text.splitlines():
        if "error:" in line:
            return line
    return ""


def kind_of(text):
    line = first_error(text) or text.split("\n")[0]
    for pattern, words in BY_WORDS:
        if match := re.search(pattern, line):
            return words.format(*match.groups()).replace(",", ";")[:70]
    if "static_assert" in line or "static assertion" in line:
        return "static_assert: " + re.sub(r"[^\w ]", "", line.split("error:")[-1])[:40].strip()
    words = re.sub(r"'[^']*'|\"[^\"]*\"", "_", line.split("error:")[-1])
    return "other: " + re.sub(r"[^\w <>_:-]", "", words).strip()[:60]
