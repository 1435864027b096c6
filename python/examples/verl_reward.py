"""Rows for verl, whose reward is kgtrain's judge, and the words of the command that trains on them.

    kgtrain serve --data ascend_cot.h5 &
    python verl_reward.py train.parquet
"""

import sys

import pandas

import kgtrain
import kgtrain.verl


def main(out, language="ascendc"):
    client = kgtrain.Client()
    rows = []
    for task in client.tasks("train"):
        prompt = client.task(task)["prompt_dsl" if language == "dsl" else "prompt"]
        rows.append({"data_source": "kgtrain", "prompt": [{"role": "user", "content": prompt}], "ability": "kernel",
                     "reward_model": {"style": "rule", "ground_truth": task}, "extra_info": {"index": len(rows)}})
    pandas.DataFrame(rows).to_parquet(out)
    print(f"{len(rows)} rows in {out}; train with")
    print(f"  python -m verl.trainer.main_ppo data.train_files={out} \\\n"
          f"    reward.custom_reward_function.path={kgtrain.verl.__file__} reward.custom_reward_function.name=compute_score \\\n"
          f"    +reward.custom_reward_function.reward_kwargs.language={language} ...")


if __name__ == "__main__":
    main(*sys.argv[1:])
