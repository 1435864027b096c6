"""Judges kernels for Ascend NPUs by a `kgtrain serve`, for trainers that are not kgtrain's own.

    client = kgtrain.Client("http://127.0.0.1:8765")
    verdict = client.judge(task="cot/rows/...", answer=text_of_the_model)
    verdict.reward        # a number, or None if nothing was judged

`kgtrain.trl`, `kgtrain.verl` and `kgtrain.verifiers` are the same for those trainers.
"""

from .client import Client, KgtrainError, NotJudged, Refused, judge
from .verdict import Verdict

__all__ = ["Client", "KgtrainError", "NotJudged", "Refused", "Verdict", "judge"]
__version__ = "0.1.0"
