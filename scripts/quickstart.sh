#!/usr/bin/env bash
# From a fresh clone to solved kernels: set-up, build, then the model that comes with kgtrain writes kernels for three PyTorch modules.
#   scripts/quickstart.sh
# Models and runs go to ${KGTRAIN_HOME:-~/.kgtrain}, the kernels to ./solved-NAME; started again, it does only what is missing. The next
# step is training: scripts/tour.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

phase() {
  printf '\n\033[1m[%2d:%02d] %s\033[0m\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

phase "1/3 set up: packages, LibTorch, SmolLM2-135M"
scripts/setup.sh
phase "2/3 build and install"
scripts/build.sh --install
export PATH=/usr/local/bin:$HOME/.local/bin:$PATH
kgtrain doctor

phase "3/3 three PyTorch modules, each to a verified kernel"
for module in elementwise_logit_softcap long_row_temperature_softmax reduction_center_columns; do
  [ -d "solved-$module" ] || kgtrain solve "tests/foreign_modules/$module.py"
done
phase "done: open solved-*/report.html; scripts/tour.sh trains a model"
