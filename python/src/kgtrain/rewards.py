"""Shared by the adapters of all trainers: answers to rewards, with faults kept distinct from zero."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Mapping, Optional, Sequence

from .client import Client, NotJudged
from .verdict import Verdict

TRIES = 3  # for an answer that the service could not judge; the service itself tries several sandboxes each time
PAUSE = 2.0


def judged(client: Client, request: Mapping[str, Any], tries: int = TRIES) -> Optional[Verdict]:
    """The verdict; None if there is none after several tries. Raises Refused, which is the caller's mistake."""
    for attempt in range(tries):
        if attempt > 0:
            time.sleep(PAUSE * attempt)
        try:
            verdict = client.judge(**request)
        except NotJudged:
            continue
        if verdict.sandbox_error is None:
            return verdict
    return None


def judged_all(client: Client, requests: Sequence[Mapping[str, Any]], workers: int, tries: int = TRIES) -> list[Optional[Verdict]]:
    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        return list(pool.map(lambda request: judged(client, request, tries), requests))


def text_of(completion: Any) -> str:
    """A completion in the trainers' forms: text, or chat messages of which the last one counts."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        completion = completion.get("content", "")
    elif isinstance(completion, Sequence) and completion:
        return text_of(completion[-1])
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence):  # parts of a message
        return "".join(part.get("text", "") for part in completion if isinstance(part, Mapping))
    return ""
