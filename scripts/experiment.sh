# Sourced by compare_methods.sh and off_policy.sh: steps of an experiment in $OUT that are done once, one after the other or side by side.

done_once() {  # NAME command...: its output in OUT/logs/NAME
  local name=$1 status=0
  shift
  [ -e "$OUT/done/$name" ] && return
  echo "$name: begins" >&2
  "$@" >"$OUT/logs/$name" 2>&1 || status=$?
  if [ $status -ne 0 ]; then
    echo "$name: failed ($status); $OUT/logs/$name says why" >&2
    return $status
  fi
  touch "$OUT/done/$name"
  echo "$name: done" >&2
}

own_copy() {  # NAME FILE: OUT/NAME.h5, since a data set has one writer
  [ -e "$OUT/$1.h5" ] && return
  if [ -d "$2.d" ]; then
    cp -r "$2.d" "$OUT/$1.h5.d"
    rm -f "$OUT/$1.h5.d/lock"
  fi
  cp "$2" "$OUT/$1.h5"
}

# Each line of the input is a step; the script calls itself with it in EXPERIMENT_STEP, AT_ONCE of them at a time.
each_step() {  # SCRIPT its arguments...
  xargs -P "$AT_ONCE" -I{} env EXPERIMENT_STEP={} "$@"
}

# Goes on where it was stopped; checkpoints of a finished run are deleted, its model stays. TIMEOUT seconds at most: then it ends where it is.
rl_run() {  # NAME SEED options...
  local name=$1 seed=$2 status=0 resume=()
  shift 2
  own_copy "$name-tasks" "$TASKS"
  [ -d "$OUT/$name" ] && resume=(--resume)
  timeout --signal=TERM "$TIMEOUT" "$KGTRAIN" rl --model "$MODEL" --data "$OUT/$name-tasks.h5" --out "$OUT/$name" --language dsl \
    --temperature 1 --max-new-tokens "$MAX_NEW_TOKENS" --seed "$seed" --device "$DEVICE" --workers "$WORKERS" --threads "$THREADS" \
    --checkpoint-every 10 "$@" "${resume[@]}" || status=$?
  [ $status -eq 0 ] && rm -rf "$OUT/$name/checkpoints"
  [ $status -eq 124 ] || return $status
}
