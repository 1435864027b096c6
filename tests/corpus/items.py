"""What the corpus holds: one line of corpus.jsonl for each kernel, its text inside, projects as folders beside the file."""

import collections
import json
import pathlib

KINDS = ("ascendc", "dsl", "project", "module")
ORIGINS = ("right", "wrong", "hostile")  # what the kernel is meant to be; the verdict says what it is


class Corpus:
    """Collects items. `data` of an item is the data set with its task, `case` the only case judged (None: all)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.items = {}

    def add(self, name, kind, origin, data, task, kernel=None, project=None, case=None):
        """`kernel` is a text, `project` a map from path to text."""
        assert kind in KINDS and origin in ORIGINS and (kernel is None) != (project is None), name
        if name in self.items:
            raise SystemExit(f"two kernels of the corpus are called {name}")
        item = {"id": name, "kind": kind, "origin": origin, "data": data, "task": task}
        if case is not None:
            item["case"] = case
        if kernel is not None:
            item["kernel"] = kernel
        else:
            item["project"] = f"projects/{len(self.items):04d}"
            for path, text in project.items():
                file = self.folder / item["project"] / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        self.items[name] = item

    def save(self):
        lines = [json.dumps(item, sort_keys=True) for item in self.items.values()]
        (self.folder / "corpus.jsonl").write_text("".join(line + "\n" for line in lines))


def load(folder):
    with open(pathlib.Path(folder) / "corpus.jsonl") as file:
        return [json.loads(line) for line in file]


def counts(records, *keys):
    """How often each combination of the values of `keys` occurs, sorted."""
    return sorted(collections.Counter(tuple(str(record[key]) for key in keys) for record in records).items())
