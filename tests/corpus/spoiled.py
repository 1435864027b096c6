"""Wrong kernels out of right ones: each rule of mutations.py spoils the first few that it can."""

MOST = 3  # kernels that one rule spoils


def spoil(rules, rights, most):
    """(rule, name, what became of it). `rules`: name to a function that gives None where it finds nothing to spoil."""
    names = list(rights)
    for number, (rule, change) in enumerate(rules.items()):
        first, found = number * 7 % max(len(names), 1), 0  # so that rules do not all spoil the same kernels
        for name in names[first:] + names[:first]:
            made = change(rights[name]) if found < most else None
            if made is not None:
                found += 1
                yield rule, name, made


def add_texts(corpus, kind, data, rules, rights, most=MOST):
    """`rights`: name to (task, text, case)."""
    for rule, name, text in spoil(rules, {name: text for name, (_, text, _) in rights.items()}, most):
        task, _, case = rights[name]
        corpus.add(f"spoiled/{rule}/{name}", kind, "wrong", data, task, kernel=text, case=case)


def add_projects(corpus, data, rules, rights, most=MOST):
    """`rights`: name to (task, files, case). A rule changes the first file that it can."""
    def of_files(change):
        def rule(files):
            changed = ((path, change(text)) for path, text in sorted(files.items()))
            return next(({**files, path: text} for path, text in changed if text is not None), None)
        return rule

    rules = {name: of_files(change) for name, change in rules.items()}
    for rule, name, files in spoil(rules, {name: files for name, (_, files, _) in rights.items()}, most):
        task, _, case = rights[name]
        corpus.add(f"spoiled/{rule}/{name}", "project", "wrong", data, task, project=files, case=case)
