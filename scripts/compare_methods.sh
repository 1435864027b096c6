#!/usr/bin/env bash
# Which method of RL pays: from one model, each method with several seeds and as many tokens of answers, then all models on tasks that none of them saw.
#   scripts/compare_methods.sh OUT MODEL TRAINING_TASKS HELDOUT_TASKS
# The two data sets are made with `kgtrain data modules` (docs/results/ has the commands). Goes on where it was stopped: a run that is done has a
# file in OUT/done. OUT/table.txt is the result: each method's ER@1, and its gain over the model that all began with and over the first method,
# with tasks and seeds drawn anew. It is made of the files in OUT/counts, one a run, which may come from several machines.
#
#   METHODS   of "grpo loo rft dpo turns", the first is what the others are compared with   ["grpo loo rft dpo"]
#   SEEDS     ["1 2"]     UPDATES  of grpo, of 8 groups of 8 answers; its tokens are what the others may draw   [40]
#   TOKENS    of answers, in place of grpo's   []      ROUNDS  of dpo   [4]
#   SAMPLES   answers to each held-out task   [16]     MAX_NEW_TOKENS   [320]
#   PHASES    of "train evaluate table"   [all]        AT_ONCE  runs side by side   [1]
#   DEVICE    [cpu]     WORKERS  of each run   [2]     THREADS  of each program   [0: one a core]
#   TIMEOUT   seconds a run may train; then it ends where it is   [no limit]
#
# turns is loo with repairs (docs/guide/turns.md). With it among METHODS, start, loo and turns are evaluated with repairs as well.
#
# Two cores need some hours a run, a GPU with 16 cores ten minutes for eight runs at once.
set -euo pipefail
if [ $# -ne 4 ]; then
  sed -n '2,18p' "$0" | sed 's/^# \{0,1\}//' >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export OUT=$1 MODEL=$2 TASKS=$3 HELDOUT=$4
export METHODS=${METHODS:-grpo loo rft dpo} SEEDS=${SEEDS:-1 2} UPDATES=${UPDATES:-40} TOKENS=${TOKENS:-} ROUNDS=${ROUNDS:-4}
export SAMPLES=${SAMPLES:-16} MAX_NEW_TOKENS=${MAX_NEW_TOKENS:-320} DEVICE=${DEVICE:-cpu} WORKERS=${WORKERS:-2} TIMEOUT=${TIMEOUT:-0} THREADS=${THREADS:-0}
PHASES=${PHASES:-train evaluate table} AT_ONCE=${AT_ONCE:-1}
export KGTRAIN=${KGTRAIN:-kgtrain}
if [ "$AT_ONCE" -gt 1 ] && [ -z "$TOKENS" ]; then
  echo "AT_ONCE=$AT_ONCE: name TOKENS, since the others then cannot wait for grpo's" >&2
  exit 2
fi
mkdir -p "$OUT/done" "$OUT/logs"
OUT=$(cd "$OUT" && pwd)

. "$here/experiment.sh"

# Tokens of the answers that a run trained on.
drawn() {  # RUN
  python3 - "$1/metrics.jsonl" <<'EOF'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
print(round(sum(one["answer_tokens"] * one["rollouts"] for one in lines if "answer_tokens" in one)))
EOF
}

rl() {  # NAME SEED options...
  rl_run "$@" --groups-per-step 8 --group-size 8
}

budget() {  # SEED
  if [ -n "$TOKENS" ]; then echo "$TOKENS"; else drawn "$OUT/grpo-$1"; fi
}

train() {  # METHOD SEED
  local adapters=(--lora-rank 32 --learning-rate 5e-4 --warmup 0.05 --staleness 1 --steps 100000)
  case $1 in
    grpo) if [ -n "$TOKENS" ]; then rl "$1-$2" "$2" --steps 100000 --answer-tokens "$TOKENS"; else rl "$1-$2" "$2" --steps "$UPDATES"; fi ;;
    loo | rft) rl "$1-$2" "$2" --algorithm "$1" "${adapters[@]}" --answer-tokens "$(budget "$2")" ;;
    turns) rl "$1-$2" "$2" --algorithm loo "${adapters[@]}" --answer-tokens "$(budget "$2")" --turns 2 ;;
    dpo)
      own_copy "$1-$2-tasks" "$TASKS"
      # An answer has some 150 tokens, and a task gets eight answers.
      "$here/dpo_rounds.sh" "$OUT/$1-$2" "$ROUNDS" "$MODEL" "$OUT/$1-$2-tasks.h5" --language dsl --samples 8 \
        --tasks $(($(budget "$2") / 1200)) --max-new-tokens "$MAX_NEW_TOKENS" --seed "$2" --device "$DEVICE" --workers "$WORKERS" \
        --threads "$THREADS" -- --seed "$2" --device "$DEVICE" --threads "$THREADS" ;;
    *) echo "there is no method $1" >&2; return 2 ;;
  esac
}

evaluate() {  # METHOD NAME MODEL: as a part, whose answers are in the run's folder
  local resume=() turns=1
  case " $METHODS " in *" turns "*) case $1 in start | loo | turns) turns=2 ;; esac ;; esac
  shift
  [ -d "$OUT/$1-eval" ] && resume=(--resume)
  "$KGTRAIN" eval --data "$OUT/heldout.h5" --model "$2" --label "$1" --out "$OUT/$1-eval" --part 0/1 --language dsl --tasks all \
    --samples "$SAMPLES" --temperature 1 --max-new-tokens "$MAX_NEW_TOKENS" --device "$DEVICE" --workers "$WORKERS" \
    --threads "$THREADS" --turns "$turns" "${resume[@]}"
}

model_of() {  # METHOD SEED
  if [ "$1" = dpo ]; then echo "$OUT/$1-$2/round-$ROUNDS/model"; else echo "$OUT/$1-$2"; fi
}

one() {  # PHASE METHOD SEED
  case $1 in
    train) done_once "$2-$3" train "$2" "$3" ;;
    evaluate) if [ "$2" = start ]; then done_once start-eval evaluate start start "$MODEL"; else done_once "$2-$3-eval" evaluate "$2" "$2-$3" "$(model_of "$2" "$3")"; fi ;;
  esac
}

if [ "${EXPERIMENT_STEP:-}" ]; then
  one $EXPERIMENT_STEP
  exit
fi
own_copy heldout "$HELDOUT"
for phase in $PHASES; do
  if [ "$phase" = table ]; then
    python3 "$here/compare_methods.py" "$OUT" $METHODS | tee "$OUT/table.txt"
    continue
  fi
  {
    [ "$phase" = evaluate ] && echo "evaluate start 0"
    for seed in $SEEDS; do for method in $METHODS; do echo "$phase $method $seed"; done; done
  } | each_step "$here/compare_methods.sh" "$OUT" "$MODEL" "$TASKS" "$HELDOUT"
done
