#!/usr/bin/env bash
# Preference training made online: rounds of fresh answers and `kgtrain dpo` on them.
#   scripts/dpo_rounds.sh OUT ROUNDS MODEL DATA [options of kgtrain eval] [-- options of kgtrain dpo]
# for instance
#   scripts/dpo_rounds.sh runs/online 4 sft ascend_cot.h5 --language dsl --tasks 256 --samples 8 --max-new-tokens 256 -- --learning-rate 2e-5
# Each round has the model of the round before answer other training tasks (every ROUNDS-th of them), pairs its answers and trains on the
# pairs, with that model as the reference. The answers of round N are in OUT/answers-N, its model is OUT/round-N/model; its checkpoints
# are deleted with its end. Started again by the same command it goes on where it was; a round that is done costs only the look at it.
set -euo pipefail

if [ $# -lt 4 ]; then
  sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2
  exit 2
fi
out=$1 rounds=$2 model=$3 data=$4
shift 4
eval_options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  eval_options+=("$1")
  shift
done
[ $# -eq 0 ] || shift
kgtrain=${KGTRAIN:-kgtrain}
mkdir -p "$out"
out=$(cd "$out" && pwd)

for ((round = 1; round <= rounds; ++round)); do
  answers=$out/answers-$round trained=$out/round-$round
  if [ ! -d "$trained/model" ]; then
    printf 'round %d of %d: answers of %s\n' "$round" "$rounds" "$model"
    "$kgtrain" eval --data "$data" --model "$model" --split train --temperature 1 --samples 8 --label "round-$round" \
      --part "$((round - 1))/$rounds" --out "$answers" --resume "${eval_options[@]}"
    printf 'round %d of %d: pairs\n' "$round" "$rounds"
    "$kgtrain" dpo --data "$answers/answers.h5" --model "$model" --out "$trained" --resume "$@"
    rm -rf "$trained/checkpoints"
  fi
  model=$trained/model
done
printf '%s\n' "$model"
