#!/usr/bin/env bash
# From an installed kgtrain to a trained model: data, then the base model, SFT and RL on the same held-out tasks.
#   scripts/tour.sh
# After scripts/quickstart.sh. On two cores it ends within half an hour. Data and runs go to ${KGTRAIN_HOME:-~/.kgtrain}; started again, it
# continues with what is missing. Ends with a table of compile and correct rates, computed from the records in the data set.
set -euo pipefail
cd "$(dirname "$0")/.."

home=${KGTRAIN_HOME:-$HOME/.kgtrain}
data=$home/data/ascend_cot.h5
# Kernels in the DSL (docs/reference/dsl.md): its programs are so short that a few minutes of training show several hundred of them.
# Four answers to each of 100 held-out operator structures: intervals are clustered by structure, so many structures are worth more than
# many answers to one. The base model knows nothing of the DSL, so one answer to each is enough to show that.
eval_options=(--data "$data" --language dsl --tasks 100 --temperature 0.7 --max-new-tokens 256 --seed 1)

phase() {
  printf '\n\033[1m[%2d:%02d] %s\033[0m\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

export PATH=/usr/local/bin:$HOME/.local/bin:$PATH

phase "1/6 make synthetic Ascend-CoT; every kernel has passed the sandbox"
kgtrain data build --out "$data" --samples 3000 --seed 21
kgtrain data info "$data"

phase "2/6 the base model on held-out tasks"
kgtrain eval "${eval_options[@]}" --samples 1 --model smollm2-135m-instruct --label base
phase "3/6 supervised fine-tuning"
kgtrain sft --data "$data" --language dsl --kind kernel --prompt-form short --tokens 100000 --batch-tokens 1024 --learning-rate 6e-4 \
  --out tour-sft
phase "4/6 the model after SFT"
kgtrain eval "${eval_options[@]}" --samples 4 --model tour-sft --label sft
phase "5/6 reinforcement learning: 6 updates of 32 rollouts, 4 workers"
kgtrain rl --data "$data" --language dsl --model tour-sft --steps 6 --groups-per-step 4 --group-size 8 --max-new-tokens 256 \
  --lora-rank 16 --learning-rate 2e-4 --warmup 0.5 --workers 4 --out tour-rl
phase "6/6 the model after RL"
kgtrain eval "${eval_options[@]}" --samples 4 --model tour-rl --label rl

kgtrain report tour-sft
kgtrain report tour-rl
phase "compile and correct rates on held-out tasks"
kgtrain eval --data "$data" --table
phase "RL against SFT on the same tasks"
kgtrain eval --data "$data" --show rl --against sft | tail -n 2
