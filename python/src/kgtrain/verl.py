"""A reward function for verl: name this file in its configuration.

    reward.custom_reward_function.path=.../kgtrain/verl.py
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.language=dsl

`ground_truth` of a row is the id of a task; a PyTorch module's text is given as extra_info["module"] instead. $KGTRAIN_SERVE and $KGTRAIN_TOKEN say where the
service is.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

from kgtrain.client import Client, KgtrainError
from kgtrain.rewards import judged

_clients: dict[Optional[str], Client] = {}


def compute_score(data_source: str, solution_str: str, ground_truth: Any, extra_info: Optional[Mapping[str, Any]] = None, *,
                  url: Optional[str] = None, language: str = "ascendc", **unused: Any) -> dict[str, Any]:
    """verl's signature. The dictionary has "score", and further values that verl logs. verl has no missing rewards,
    so an answer that could not be judged ends in an error rather than in a zero."""
    client = _clients.setdefault(url, Client(url))
    module = (extra_info or {}).get("module")
    what = {"module": module} if module else {"task": str(ground_truth)}
    verdict = judged(client, {**what, "answer": solution_str or " ", "language": language})
    if verdict is None or verdict.reward is None:
        reason = "the service gives no verdict" if verdict is None else verdict.invalid_reason
        raise KgtrainError(f"an answer of {data_source} could not be judged: {reason}")
    return {"score": verdict.reward, "compiled": float(verdict.compiled), "correct": float(verdict.correct),
            "speedup": verdict.speedup or 0.0}
