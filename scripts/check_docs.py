#!/usr/bin/env python3
"""Checks the prose of the tracked Markdown pages against a few rules. Prints each violation; exit status 1 if there is one.

- The first line is a heading of the first level.
- A link to a file of this repository leads to a file that exists, and its #fragment to a heading of it.
- Outside of tables, code and links a line has at most 160 columns.
- No wording of WORDS outside of code: each has a plainer one beside it (exceptions: EXCEPTIONS).

With a folder as argument, as of an installed tree: only the links of all pages in it.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 160
GENERATED = {"docs/reference/ascend-c-coverage.md", "docs/reference/ascend-cot-samples.md"}  # written by programs, compared by tests
WORDS = {
    r"hangs on": "depends on",
    r"lies (in|at|on|beside|behind|under)": "is in",
    r"lie (in|at|on|beside|behind|under)": "are in",
    r"stands (in|at|on|beside|behind|for itself)": "is in",
    r"has not (a|an|the|its)": "has no",
    r"by program": "synthetic",
    r"that (have|has) not\b(?! \w+(ed|en)\b)": "without",
    r"two in five|one in (two|three|four|five|ten)": "40 %",
    r"tried up to the error": "untested",
    r"is what \w+ means": "means",
}
EXCEPTIONS = {  # page: wordings that are right there
    "CHANGELOG.md": {r"by program"},  # entries for past releases stay unchanged
}


def tracked():
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in names.split() if (ROOT / name).exists() and "_fake/" not in name]  # fixtures are not ours to read


def slug(heading):
    """The fragment that renderers give a heading: lower case, punctuation dropped, spaces as hyphens."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def parts(text):
    """(line number, line, is code) of each line."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        yield number, line, code or fence or line.startswith("    ")
        if fence:
            code = not code


def check_links(page, number, line, say):
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        if not file.exists():
            say(number, f"a link to {target}: there is no {path}")
        elif fragment and file.suffix == ".md":
            headings = {slug(text.lstrip("#")) for _, text, code in parts(file.read_text()) if text.startswith("#") and not code}
            if fragment not in headings:
                say(number, f"a link to {target}: {path or 'this page'} has no heading #{fragment}")


def check(page):
    problems = []

    def say(number, what):
        problems.append(f"{page}:{number}: {what}")

    text = (ROOT / page).read_text()
    if not text.startswith("# "):
        say(1, "the first line is not a heading (\"# ...\")")
    for number, line, code in parts(text):
        if code:
            continue
        check_links(page, number, line, say)
        if page in GENERATED or page.startswith("docs/reference/"):
            continue
        bare = re.sub(r"\]\([^)]*\)", "]", line)
        if len(bare) > WIDTH and not line.lstrip().startswith("|"):
            say(number, f"{len(bare)} columns, at most {WIDTH}")
        prose = re.sub(r"`[^`]*`", "", bare)
        for wording, better in WORDS.items():
            found = re.search(rf"\b{wording}", prose, re.IGNORECASE)
            if found and wording not in EXCEPTIONS.get(page, set()):
                say(number, f"\"{found.group(0)}\": say \"{better}\"")
    return problems


def broken_links(folder):
    problems = []
    for page in sorted(folder.rglob("*.md")):
        for number, line, code in parts(page.read_text()):
            if not code:
                check_links(page, number, line, lambda number, what, page=page: problems.append(f"{page}:{number}: {what}"))
    return problems


def main():
    if len(sys.argv) > 1:
        problems, good = broken_links(pathlib.Path(sys.argv[1]).resolve()), "all links lead to a page"
    else:
        pages = tracked()
        problems = [problem for page in pages for problem in check(page)]
        good = f"{len(pages)} pages: headings, links, width and wording are in order"
    print("\n".join(problems) if problems else good)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
