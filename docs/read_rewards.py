"""Prints each reward of a data set beside its task and kernel: python3 docs/read_rewards.py ascend_cot.h5 (needs h5py)."""
import sys

import h5py


def text(part, column, row):
    begin, end = part[column + "_offsets"][row : row + 2]
    return part[column + "_bytes"][begin:end].tobytes().decode()


with h5py.File(sys.argv[1], "r") as data:
    tasks = data["tasks"].values()  # one part for each segment
    prompts = {text(part, "id", row): text(part, "prompt_short", row) for part in tasks for row in range(part.attrs["rows"])}
    for part in data["rollouts"].values():
        for row, (reward, valid) in enumerate(zip(part["reward"][:], part["reward_valid"][:])):
            task = text(part, "task", row)
            print(f"reward {reward:.3f}" if valid else "no valid reward", task, prompts.get(task, ""), sep=" | ")
            print(text(part, "kernel", row), end="\n\n")
