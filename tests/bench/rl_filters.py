#!/usr/bin/env python3
"""RL with a filter on and the sampler in another type than the trainer: is an update lost, and how far are the two apart?

    rl_filters.py --bin FOLDER --data ascend_cot.h5 --model smollm2-135m-instruct [--updates 60] [--dtypes bfloat16 int8]
                  [--max-new-tokens 64]

Rewards are a coin's (rollout_lying_worker --forge 0.5 says of half of the answers that they are right), so that every group has
a signal and the policy moves, whatever the model can do. Prints a line for each type; exit status 1 if an update was lost.
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "integration"))
import rl_records
from rl_run import Processes, RlRun


def run(setting, dtype):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kgfilt", dir=setting.scratch))
    data = folder / "data.h5"
    shutil.copy(setting.data, data)
    shutil.copytree(str(setting.data) + ".d", str(data) + ".d", ignore=shutil.ignore_patterns("lock"))
    processes = Processes(folder)
    try:
        one = RlRun(argparse.Namespace(**vars(setting) | {"data": data}), "run", processes, workers=0, steps=setting.updates, groups=setting.groups, size=setting.size, staleness=1,
                    common=["--top-p", setting.top_p, "--sampling-dtype", dtype, "--learning-rate", "1e-5", "--language", "dsl",
                            "--checkpoint-every", "0", "--lora-rank", "8"])
        one.start()
        one.wait_until(lambda: (one.folder / "coordinator.json").exists() or one.learner.poll() is not None, "it listens")
        endpoint = json.loads((one.folder / "coordinator.json").read_text())["endpoint"]
        generator = f"ipc://{folder}/generator.sock"
        processes.start("generator", [setting.bin / "kgtrain-generator", "--model", setting.model, "--endpoint", generator,
                                      "--dtype", dtype])
        processes.start("worker", [setting.bin / "rollout_lying_worker", "--connect", endpoint, "--generator", generator,
                                   "--name", "coin", "--forge", "0.5", "--keys", folder, "--weights-cache",
                                   folder / "cache"])
        one.finish()
        return rl_records.metrics(one.folder), rl_records.sampler_against_trainer(one.folder)
    finally:
        processes.end()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--dtypes", nargs="+", default=["bfloat16", "int8"])
    parser.add_argument("--top-p", default="0.95")
    parser.add_argument("--groups", type=int, default=2, help="of an update")
    parser.add_argument("--size", type=int, default=4, help="answers of a group")
    parser.add_argument("--max-new-tokens", type=int, default=64)
    parser.add_argument("--time-limit", type=float, default=3600)
    parser.add_argument("--scratch", default="/tmp", help="its path must be short, for sockets")
    setting = parser.parse_args()
    good = True
    for dtype in setting.dtypes:
        lines, (mean, most) = run(setting, dtype)
        lost = lines[-1]["skipped_steps"] + setting.updates - len(lines)
        dropped = sum(line["answers_dropped"] for line in lines)
        signal = sum(line["groups"] - line["groups_without_signal"] for line in lines)
        print(f"top-p {setting.top_p}, sampled in {dtype}: {len(lines)} updates, {lost} lost; {signal} groups with a signal, "
              f"{sum(line['rollouts'] for line in lines)} answers, {dropped} of them dropped; sampler against trainer: mean "
              f"{mean:.4f}, largest {most:.3f} nats; policy version {lines[-1]['policy_version']}", flush=True)
        good = good and lost == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
