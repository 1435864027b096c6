#!/usr/bin/env bash
# From a fresh clone to a trained model: set-up, build, data, then the base model, SFT and RL on the same held-out tasks.
#   scripts/quickstart.sh
# On two cores it ends within 45 minutes. Models, data and runs go to ${KGTRAIN_HOME:-~/.kgtrain}; started again, it goes on with
# what is not there yet. Ends with a table of compile and correct rates, computed from the records in the data set.
set -euo pipefail
cd "$(dirname "$0")/.."

home=${KGTRAIN_HOME:-$HOME/.kgtrain}
data=$home/data/ascend_cot.h5
# Two answers to each of 48 held-out operator structures: intervals are clustered by structure, so many structures count for more than
# many answers to one.
eval_options=(--data "$data" --tasks 48 --samples 2 --temperature 0.7 --max-new-tokens 512 --seed 1)

phase() {
  printf '\n\033[1m[%2d:%02d] %s\033[0m\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

phase "1/8 set up: packages, LibTorch, SmolLM2-135M"
scripts/setup.sh
phase "2/8 build and install"
scripts/build.sh --install
export PATH=/usr/local/bin:$HOME/.local/bin:$PATH
kgtrain doctor

phase "3/8 make Ascend-CoT by program; every kernel has passed the sandbox"
kgtrain data build --out "$data" --recipe chains --samples 240 --seed 1 --style compact --prompt short
kgtrain data info "$data"

phase "4/8 the base model on held-out tasks"
kgtrain eval "${eval_options[@]}" --model smollm2-135m-instruct --label base
phase "5/8 supervised fine-tuning"
kgtrain sft --data "$data" --out quickstart-sft --style compact --prompt-form short --tokens 102000
phase "6/8 the model after SFT"
kgtrain eval "${eval_options[@]}" --model quickstart-sft --label sft
phase "7/8 reinforcement learning: 5 updates of 16 rollouts, 8 workers"
kgtrain rl --workers 8 --data "$data" --model quickstart-sft --out quickstart-rl --steps 5 --groups-per-step 2 --group-size 8 --max-new-tokens 512
phase "8/8 the model after RL"
kgtrain eval "${eval_options[@]}" --model quickstart-rl --label rl

kgtrain report quickstart-sft
kgtrain report quickstart-rl
phase "compile and correct rates on held-out tasks"
kgtrain eval --data "$data" --table
