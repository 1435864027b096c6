"""A reward function for TRL's GRPOTrainer.

    trainer = GRPOTrainer(model, reward_funcs=kgtrain.trl.reward_function(), train_dataset=kgtrain.trl.dataset_rows(...), ...)

The data set needs a column `task` (an id of the service's data set) or `module` (the text of a PyTorch module).
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from .client import Client, KgtrainError
from .rewards import judged_all, text_of


def reward_function(client: Optional[Client] = None, *, language: str = "ascendc", workers: int = 8,
                    on_fault: str = "none") -> Callable[..., list[Optional[float]]]:
    """A function of (prompts, completions, task=..., module=...) that returns a reward for each completion.

    A completion that could not be judged gets None, which TRL leaves out of its group's baseline (since 1.0; older
    versions take it for 0, there use on_fault="raise"). It is never given a zero.
    """
    if on_fault not in ("none", "raise"):
        raise ValueError('on_fault must be "none" or "raise"')
    service = client or Client()

    def kgtrain_reward(prompts: Any = None, completions: Sequence[Any] = (), **columns: Any) -> list[Optional[float]]:
        key = "task" if "task" in columns else "module"
        if key not in columns:
            raise KgtrainError("the data set has neither a column \"task\" nor a column \"module\"")
        requests = [{key: what, "answer": text_of(completion) or " ", "language": language}
                    for what, completion in zip(columns[key], completions)]
        rewards = [None if verdict is None else verdict.reward for verdict in judged_all(service, requests, workers)]
        if on_fault == "raise" and any(reward is None for reward in rewards):
            raise KgtrainError("some completions could not be judged")
        return rewards

    return kgtrain_reward


def dataset_rows(client: Optional[Client] = None, *, split: str = "train", language: str = "ascendc",
                 limit: Optional[int] = None) -> list[dict[str, Any]]:
    """Rows with `prompt` (chat messages) and `task`, for datasets.Dataset.from_list."""
    service = client or Client()
    rows = []
    for task in service.tasks(split)[:limit]:
        about = service.task(task)
        prompt = about["prompt_dsl" if language == "dsl" else "prompt"]
        if prompt:
            rows.append({"prompt": [{"role": "user", "content": prompt}], "task": task})
    return rows
