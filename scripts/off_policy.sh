#!/usr/bin/env bash
# How far a policy may be from the weights that sampled its answers: runs of leave-one-out with stale weights and int8 sampling, each with each
# correction (docs/reference/algorithms.md). Workers get new weights only every STALENESS updates, so that answers do get that old.
#   scripts/off_policy.sh OUT MODEL TRAINING_TASKS
# Goes on where it was stopped: a run that is done has a file in OUT/done. OUT/table.txt is the result: at the beginning and at the end of each run the
# share of correct answers and the difference between sampler and trainer, and whether the run broke down.
#
#   STALENESS ["0 1 4 16"]    CORRECTIONS ["token sequence token-mask sequence-mask"]    SEEDS ["1"]
#   UPDATES [60]    GROUPS_PER_STEP [4]    GROUP_SIZE [4]    LEARNING_RATE [5e-4]    MAX_NEW_TOKENS [320]
#   SAMPLING  number type of the sampler; int8 needs a CPU   [int8]      SAMPLING_DEVICE [cpu]
#   DEVICE [cpu]    WORKERS  of each run [2]    THREADS  of each program [0: one a core]    AT_ONCE  runs side by side [1]
#   TIMEOUT   seconds a run may train; then it ends where it is   [no limit]
set -euo pipefail
if [ $# -ne 3 ]; then
  sed -n '2,12p' "$0" | sed 's/^# \{0,1\}//' >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export OUT=$1 MODEL=$2 TASKS=$3
export STALENESS=${STALENESS:-0 1 4 16} CORRECTIONS=${CORRECTIONS:-token sequence token-mask sequence-mask} SEEDS=${SEEDS:-1}
export UPDATES=${UPDATES:-60} GROUPS_PER_STEP=${GROUPS_PER_STEP:-4} GROUP_SIZE=${GROUP_SIZE:-4} LEARNING_RATE=${LEARNING_RATE:-5e-4}
export SAMPLING=${SAMPLING:-int8} SAMPLING_DEVICE=${SAMPLING_DEVICE:-cpu} MAX_NEW_TOKENS=${MAX_NEW_TOKENS:-320}
export DEVICE=${DEVICE:-cpu} WORKERS=${WORKERS:-2} THREADS=${THREADS:-0} TIMEOUT=${TIMEOUT:-0} AT_ONCE=${AT_ONCE:-1}
export KGTRAIN=${KGTRAIN:-kgtrain}
mkdir -p "$OUT/done" "$OUT/logs"
OUT=$(cd "$OUT" && pwd)
. "$here/experiment.sh"

# A policy that broke down ends its run with status 1, which is a result.
run() {  # STALENESS CORRECTION SEED
  local name=stale-$1-$2-$3
  rl_run "$name" "$3" --algorithm loo --refill 1 --lora-rank 32 --learning-rate "$LEARNING_RATE" --warmup 0.05 --steps "$UPDATES" \
    --groups-per-step "$GROUPS_PER_STEP" --group-size "$GROUP_SIZE" --staleness "$1" --sync-every "$(($1 > 1 ? $1 : 1))" --correction "$2" \
    --sampling-dtype "$SAMPLING" --sampling-device "$SAMPLING_DEVICE" || grep -q stopped_because "$OUT/$name/status.json"
}

if [ "${EXPERIMENT_STEP:-}" ]; then
  read -r staleness correction seed <<<"$EXPERIMENT_STEP"
  done_once "stale-$staleness-$correction-$seed" run "$staleness" "$correction" "$seed"
  exit
fi
for seed in $SEEDS; do for stale in $STALENESS; do for correction in $CORRECTIONS; do echo "$stale $correction $seed"; done; done; done |
  each_step "$here/off_policy.sh" "$OUT" "$MODEL" "$TASKS"
python3 "$here/off_policy.py" "$OUT" | tee "$OUT/table.txt"
