"""Tasks of a `kgtrain serve` as a taskset of verifiers (version 0.4, `verifiers.v1`), which prime-rl trains on.

    eval kgtrain-kernels --env.taskset.split heldout

The module `kgtrain_kernels` exports it under that id. $KGTRAIN_SERVE and $KGTRAIN_TOKEN say where the service is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Optional

import verifiers.v1 as vf

from .client import Client, KgtrainError
from .rewards import judged


class KernelData(vf.TaskData):
    kernel_task: str
    language: str = "ascendc"
    service: Optional[str] = None


class KernelTask(vf.Task[KernelData]):
    @property
    def key(self) -> str:
        return f"{self.data.kernel_task} {self.data.language}"

    @vf.reward
    async def kernel(self, trace: vf.Trace) -> float:
        """The judge's reward. A reply that could not be judged ends its rollout with an error: it never gets a zero."""
        request = {"task": self.data.kernel_task, "answer": trace.last_reply or " ", "language": self.data.language}
        verdict = await asyncio.to_thread(judged, Client(self.data.service), request)
        if verdict is None or verdict.reward is None:
            raise KgtrainError(f"{self.data.kernel_task}: the reply could not be judged")
        trace.record_metrics({"compiled": float(verdict.compiled), "correct": float(verdict.correct),
                              "speedup": verdict.speedup or 0.0})
        return verdict.reward


class KernelConfig(vf.TasksetConfig):
    service: Optional[str] = None
    """Address of the service; default: $KGTRAIN_SERVE."""
    split: str = "train"
    language: str = "ascendc"
    """ascendc or dsl."""


class KernelTaskset(vf.Taskset[KernelTask, KernelConfig]):
    def load(self) -> Iterable[KernelTask]:
        client = Client(self.config.service)
        for task in client.tasks(self.config.split):
            about = client.task(task)
            prompt = about["prompt_dsl" if self.config.language == "dsl" else "prompt"]
            if prompt:
                yield KernelTask(KernelData(id=task, kernel_task=task, prompt=prompt, language=self.config.language,
                                            service=self.config.service), self.config.task)


__all__ = ["KernelTaskset"]
