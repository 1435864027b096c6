"""The package kgtrain with the trainers that it is for: their own code runs, against a real `kgtrain serve`.

    trainers.py KGTRAIN client|trl|verl|verifiers

trl: GRPOTrainer trains SmolLM2-135M for 3 steps on the CPU. verl, verifiers: their own code asks for the reward; status 77 if they are
not installed for the Python that runs this.
"""

import asyncio
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python" / "src"), str(ROOT / "python" / "examples")]

import kgtrain


class Service:
    """A service with a few tasks."""

    def __init__(self, program):
        self.program, self.folder = program, tempfile.TemporaryDirectory()
        data = pathlib.Path(self.folder.name) / "tasks.h5"
        subprocess.run([program, "data", "build", "--out", data, "--samples", "12", "--seed", "3"], check=True, capture_output=True)
        self.process = subprocess.Popen([program, "serve", "--data", data, "--port", "0", "--no-modules"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://[0-9.:]+", self.process.stdout.readline())[0]
        os.environ["KGTRAIN_SERVE"] = self.url

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()


def check_client(service):
    client = kgtrain.Client()
    assert client.health()["status"] == "good"
    tasks = client.tasks()
    assert tasks and client.task(tasks[0])["prompt"]
    broken = client.judge(task=tasks[0], kernel="int broken(")
    assert broken.stage == "compile" and broken.reward is not None and not broken.compiled
    assert client.judge(task=tasks[0], answer="I do not know").stage == "rejected"
    first = client.judge(task=tasks[0], kernel="int x(", id="one")
    assert client.judge(task=tasks[0], kernel="int x(", id="one") == first
    try:
        client.judge(task="absent", kernel="k")
        raise AssertionError("an absent task is taken")
    except kgtrain.Refused as refused:
        assert refused.status == 404
    verdicts = list(client.judge_many([{"task": task, "answer": "none"} for task in tasks], workers=4))
    assert [verdict.task for verdict in verdicts] == tasks
    try:
        kgtrain.Client("http://127.0.0.1:9", timeout=1).judge(task="t", kernel="k")
        raise AssertionError("nobody answers, and there is a verdict")
    except kgtrain.NotJudged:
        pass
    # A fault is no number, whoever asks.
    fault = kgtrain.Verdict.of({"task": "t", "stage": "unspecified", "compiled": False, "ran": False, "correct": False, "reward": 0.0,
                                "reward_valid": False, "sandbox_error": "killed"})
    assert fault.reward is None
    print("client: good")


def check_trl(service):
    import torch
    import trl_grpo

    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([service.program, "export", "--model", "smollm2-135m-instruct", "--out", folder + "/model"], check=True,
                       capture_output=True)
        sys.argv = ["trl_grpo.py", "--model", folder + "/model", "--service", service.url, "--steps", "3", "--tokens", "24", "--generations", "2",
                    "--tasks", "3", "--out", folder + "/out"]
        entries = trl_grpo.main()
    steps = [entry for entry in entries if "reward" in entry]
    assert len(steps) == 3 and all(entry["reward"] == entry["reward"] for entry in steps), steps
    print("trl: three steps, rewards", [entry["reward"] for entry in steps])


def check_verl(service):
    if importlib.util.find_spec("verl") is None:
        print("verl is not installed")
        sys.exit(77)
    import kgtrain.verl
    from verl.utils.import_utils import load_extern_object

    score = load_extern_object(module_path=kgtrain.verl.__file__, object_name="compute_score")  # as verl loads it
    task = kgtrain.Client().tasks()[0]
    given = score(data_source="kgtrain", solution_str="```cpp\nint broken(\n```", ground_truth=task, extra_info={"num_turns": None})
    assert given["score"] == kgtrain.Client().judge(task=task, kernel="int broken(").reward and given["compiled"] == 0.0, given
    import numpy
    import torch
    from omegaconf import OmegaConf
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager

    class Words:  # a tokenizer whose answer is the one above
        def decode(self, ids, skip_special_tokens=True):
            return "```cpp\nint broken(\n```"

    data = DataProto.from_dict(
        tensors={"responses": torch.zeros(1, 4, dtype=torch.long), "attention_mask": torch.ones(1, 8, dtype=torch.long)},
        non_tensors={"data_source": numpy.array(["kgtrain"], dtype=object), "extra_info": numpy.array([{}], dtype=object),
                     "reward_model": numpy.array([{"ground_truth": task}], dtype=object)})

    async def reward():
        manager = NaiveRewardManager(OmegaConf.create({}), Words(), score)
        return await manager.run_single(data)

    again = asyncio.run(reward())
    assert again["reward_score"] == given["score"], again
    print("verl: its own loader and reward manager give", again)


def check_verifiers(service):
    if importlib.util.find_spec("verifiers") is None:
        print("verifiers is not installed")
        sys.exit(77)
    import verifiers
    import verifiers.v1 as vf
    from verifiers.v1.utils.loaders import taskset_class

    from kgtrain.verifiers import KernelConfig

    taskset = taskset_class("kgtrain-kernels")(KernelConfig(id="kgtrain-kernels", split="train"))
    tasks = list(taskset.take(2))
    assert tasks and tasks[0].data.prompt
    import verifiers_taskset

    trace = verifiers_taskset.Reply("```cpp\nint broken(\n```")
    asyncio.run(tasks[0].score(trace))
    assert trace.rewards["kernel"] == kgtrain.Client().judge(task=tasks[0].data.kernel_task, kernel="int broken(").reward, trace.rewards
    assert trace.metrics["compiled"] == 0.0
    print(f"verifiers {verifiers.__version__}: its loader and scoring give", trace.rewards, trace.metrics)


def main():
    with Service(sys.argv[1]) as service:
        globals()["check_" + sys.argv[2]](service)


if __name__ == "__main__":
    main()
