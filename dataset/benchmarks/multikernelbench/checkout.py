"""Reads a checkout of MultiKernelBench: its tasks and its rules of what is correct. Its folder prompts/ is never read."""

import pathlib
import re

from serving import NotACheckout, Unreadable

LEVELLED = "npukernelbench_level"
NO_LEVEL = -1


def check(root):
    """Raises NotACheckout unless `root` is a checkout."""
    root = pathlib.Path(root)
    if not root.is_dir():
        raise NotACheckout(f"{root} is not a folder")
    for part in ("reference", "config.py", "utils/correctness.py", "utils/cheating_detection.py"):
        if not (root / part).exists():
            raise NotACheckout(f"{root} has no {part}")


def task_ids(root):
    """Ids such as activation/relu, in the order of the benchmark's dataset.py."""
    reference = pathlib.Path(root) / "reference"
    return [f"{path.parent.name}/{path.stem}" for path in sorted(reference.glob("*/*.py"))
            if not path.name.startswith("_")]


class Task:
    def __init__(self, root, task_id):
        self.id = task_id
        self.path = pathlib.Path(root) / "reference" / f"{task_id}.py"
        self.category, self.name = task_id.split("/")
        self.level = int(self.category.removeprefix(LEVELLED)) if self.category.startswith(LEVELLED) else NO_LEVEL


class Rules:
    """The numbers of config.py and utils/correctness.py."""

    def __init__(self, root):
        root = pathlib.Path(root)
        config = (root / "config.py").read_text()
        correctness = (root / "utils" / "correctness.py").read_text()
        self.trials = int(self._number(config, r"^num_correct_trials\s*=\s*(\d+)", "config.py"))
        self.seed = int(self._number(config, r"^seed_num\s*=\s*(\d+)", "config.py"))
        self.absolute = self._number(correctness, r"allclose\([^)]*atol=([0-9.e+-]+)", "utils/correctness.py")
        self.relative = self._number(correctness, r"allclose\([^)]*rtol=([0-9.e+-]+)", "utils/correctness.py")

    @staticmethod
    def _number(text, pattern, where):
        found = re.search(pattern, text, re.MULTILINE)
        if not found:
            raise Unreadable(f"{where} of the checkout has nothing like {pattern}: it is another version")
        return float(found.group(1))
