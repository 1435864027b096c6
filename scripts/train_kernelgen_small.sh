#!/usr/bin/env bash
# KernelGen-LM small (models/kernelgen-small), from data to tables: modules, audits, SFT, the file that is shipped, evaluation of that file.
# Goes on where it was stopped: a step that is done has a file in $OUT/done. Wants kgtrain on the path, Python with PyTorch, and this
# repository's history: SFT begins with the weights that commit c9465d6 shipped, whose recipe is this script as it was there (4.4 M tokens
# of modules as they are written). Two stages follow, of 1.4 M and 1.1 M tokens of modules by their operators. When the file that is shipped
# was made, the first of them had its data from the generator of commit 41a53af, whose programs were not yet a statement an operator.
#
#   OUT=kernelgen MULTIKERNELBENCH=DIR NPUKERNELBENCH=DIR scripts/train_kernelgen_small.sh
#
# DESCRIBED=1 adds a last stage of 1.6 M tokens, in which graphs are described as an operator's documentation does (75 minutes of two cores;
# docs/results/2026-11-29-steps-by-name.md).
#
# STAGES=3 goes on with 6.9 M tokens, which a GPU takes half a minute for (DEVICE=cuda) and two cores five hours; what comes out is much better than
# the file that is shipped (docs/results/2026-11-26-half-a-minute-of-a-gpu.md), but not that file. SAMPLES, DEVICE, PYTHON may be set. The benchmarks are read for the audit alone; nothing asks for them.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
OUT=${OUT:-kernelgen}
SAMPLES=${SAMPLES:-4} DEVICE=${DEVICE:-cpu} STAGES=${STAGES:-2} DESCRIBED=${DESCRIBED:-0}
PYTHON=${PYTHON:-${KGTRAIN_PYTHON:-python3}}
mkdir -p "$OUT/done"
OUT=$(cd "$OUT" && pwd)
export KGTRAIN_HOME=${KGTRAIN_HOME:-$HOME/.kgtrain}

step() {  # NAME command...: once
  local name=$1
  shift
  [ -e "$OUT/done/$name" ] && return
  echo "== $name" >&2
  "$@"
  touch "$OUT/done/$name"
}

foreign() {
  rm -rf "$OUT/foreign.h5" "$OUT/foreign.h5.d"
  for file in "$here"/tests/foreign_modules/*.py; do
    kgtrain tasks add "$file" --data "$OUT/foreign.h5" --python "$PYTHON" >/dev/null
  done
}

modules() {  # FILE GRAPHS SPLIT SEED
  local even=()
  [ "$3" = heldout ] && even=(--even)
  kgtrain data modules --out "$OUT/$1.h5" --graphs "$2" --split "$3" --seed "$4" "${even[@]}" --surfaces 4 --python "$PYTHON" \
    --rejects "$OUT/$1.rejects"
}

probes() {
  "$PYTHON" "$here/dataset/benchmarks/probes.py" --multikernelbench "$MULTIKERNELBENCH" --npukernelbench "$NPUKERNELBENCH" \
    --out "$OUT/probes.jsonl" | tee "$OUT/probes.txt"
}

audited() {  # NAME CLEAN: of the data sets; what is left of the first is added to the second
  kgtrain data meaning "$OUT/$1.h5" --probes "$OUT/probes.jsonl" --programs "$here/tests/integration/dsl_programs" \
    --out "$OUT/$1-meaning.json" --clean "$OUT/$2.h5" | tee "$OUT/$1-meaning.txt"
}

meaning() {  # NAME: of the data set; what is left is NAME-clean
  rm -rf "$OUT/$1-clean.h5" "$OUT/$1-clean.h5.d"
  audited "$1" "$1-clean"
}

hashes() {
  { git -C "$here" rev-parse HEAD; for one in train-1 train-1-clean train-2 train-2-clean heldout validation; do kgtrain data info "$OUT/$one.h5" --hash | tail -1; done; } \
    | tee "$OUT/hashes.txt"
}

first() {
  mkdir -p "$OUT/first"
  git -C "$here" show c9465d6:models/kernelgen-small/difference.bin >"$OUT/first/difference.bin"
}

several() {  # NAME "SEED GRAPHS OPTIONS"...: data sets of several seeds; what is left of all is NAME-clean
  local name=$1 one seed graphs options
  shift
  rm -rf "$OUT/$name-clean.h5" "$OUT/$name-clean.h5.d"
  for one in "$@"; do
    read -r seed graphs options <<<"$one"
    # shellcheck disable=SC2086  # several words
    kgtrain data modules --out "$OUT/$name-$seed.h5" --graphs "$graphs" --split train --seed "$seed" $options --python "$PYTHON" \
      --rejects "$OUT/$name-$seed.rejects"
    audited "$name-$seed" "$name-clean"
  done
}

# Strata in equal parts; what was there comes from seeds 41 to 43, stopped by hand after 1,373, 1,538 and 1,158 graphs.
third_data() { several train-3 "41 1300 --even --surfaces 6" "42 1300 --even --surfaces 6" "43 1300 --even --surfaces 6"; }

# Graphs with a module by its operators and two descriptions each, then graphs with descriptions alone.
described_data() {
  several described "91 1400 --surfaces 1 --descriptions 1" "92 1500 --surfaces 0 --descriptions 1" "93 1000 --surfaces 0 --descriptions 1"
}

train() {  # FROM DATA TO options
  local from=$1 data=$2 to=$3 resume=()
  shift 3
  [ -d "$OUT/$to" ] && resume=(--resume)
  kgtrain sft --model "$OUT/$from" --data "$OUT/$data-clean.h5" --language dsl --kind kernel --decay linear --warmup 0.03 \
    --final-learning-rate 0 --seed 3 --keep-checkpoints 2 --device "$DEVICE" --out "$OUT/$to" "$@" "${resume[@]}"
}

short_pass() { train "$1" "$2" "$3" --sequence-length 2048 --checkpoint-every 150 "${@:4}"; }  # as train

last_model() { [ "$STAGES" = 3 ] && echo model-3 || echo model; }

ship() {
  local model
  model=$(last_model)
  [ "$DESCRIBED" = 1 ] && model=model-described
  kgtrain export --model "$OUT/$model" --difference-to smollm2-135m-instruct --bits 3 --out "$OUT/kernelgen-small"
}

evaluate() {  # NAME: of the data set
  kgtrain eval --data "$OUT/$1.h5" --model "$OUT/kernelgen-small" --label model --language dsl --tasks all --samples "$SAMPLES" --temperature 1 \
    --max-new-tokens 512 --device "$DEVICE" | tee "$OUT/$1.txt"
  "$PYTHON" "$here/tests/bench/reading_scores.py" "$OUT/$1.h5" model | tee "$OUT/$1-reading.txt"
}

step train-1-data modules train-1 3300 train 11
step train-2-data modules train-2 3000 train 31
step heldout modules heldout 390 heldout 12
step validation modules validation 100 heldout 13
step foreign-data foreign
step probes probes
step meaning-1 meaning train-1
step meaning-2 meaning train-2
step hashes hashes
step first first
step sft-1 short_pass first train-1 middle --tokens 1400000 --learning-rate 6e-4
step sft-2 short_pass middle train-2 model --tokens 1100000 --learning-rate 6e-4
if [ "$STAGES" = 3 ]; then
  step train-3-data third_data
  # One pass: after four the model knew the programs by heart, and new modules less well.
  step sft-3 train model train-3 model-3 --epochs 1 --learning-rate 6e-4 --sequence-length 8192 --batch-tokens 8192 --checkpoint-every 300
fi
if [ "$DESCRIBED" = 1 ]; then
  step described-data described_data
  step described-sft short_pass "$(last_model)" described model-described --epochs 1 --learning-rate 5e-4
fi
step ship ship
step eval-validation evaluate validation
step eval-heldout evaluate heldout
step eval-foreign evaluate foreign
