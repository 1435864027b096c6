#!/usr/bin/env bash
# From a fresh clone to solved kernels: set-up, build, then the model that comes with kgtrain writes kernels for three PyTorch modules;
# last, what trains is built, and all is installed.
#   scripts/quickstart.sh
# Models and runs go to ${KGTRAIN_HOME:-~/.kgtrain}, the kernels to ./solved-NAME; started again, it does only what is missing. The next
# step is training: scripts/tour.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

phase() {
  printf '\n\033[1m[%2d:%02d] %s\033[0m\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

phase "1/4 set up: packages, LibTorch, SmolLM2-135M"
scripts/setup.sh
phase "2/4 build what writes and judges kernels"
dataset/benchmarks/python_environment.sh >/dev/null 2>&1 &  # modules need it; if it fails here, solve says why
scripts/build.sh --solve

phase "3/4 three PyTorch modules, each to a verified kernel"
for module in elementwise_logit_softcap long_row_temperature_softmax reduction_center_columns; do
  [ -d "solved-$module" ] || build/release/bin/kgtrain solve "tests/foreign_modules/$module.py"
  phase "solved-$module"
done

phase "4/4 build what trains, and install"
scripts/build.sh --install
export PATH=/usr/local/bin:$HOME/.local/bin:$PATH
kgtrain doctor
phase "done: open solved-*/report.html; scripts/tour.sh trains a model"
