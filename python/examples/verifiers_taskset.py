"""kgtrain's tasks as a taskset of verifiers, scored without a model: what a reply of your own is worth.

    kgtrain serve --data ascend_cot.h5 &
    python verifiers_taskset.py REPLY.md

`eval kgtrain-kernels` of verifiers, and prime-rl with `taskset.id = "kgtrain-kernels"`, use the same class.
"""

import asyncio
import pathlib
import sys

import verifiers.v1 as vf

from kgtrain.verifiers import KernelConfig, KernelTaskset


class Reply:
    """As much of a trace as scoring needs."""

    def __init__(self, text):
        self.last_reply, self.rewards, self.metrics = text, {}, {}

    def record_reward(self, name, value, weight=1.0):
        self.rewards[name] = value * weight

    def record_metrics(self, values):
        self.metrics.update(values)


def main(reply):
    task = next(iter(KernelTaskset(KernelConfig(id="kgtrain-kernels"))))
    trace = Reply(pathlib.Path(reply).read_text())
    asyncio.run(task.score(trace))
    print(f"verifiers {vf.__name__}: {task.data.kernel_task}: rewards {trace.rewards}, metrics {trace.metrics}")


if __name__ == "__main__":
    main(*sys.argv[1:])
