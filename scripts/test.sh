#!/usr/bin/env bash
# Sets up, builds and runs the default test suite, and prints how long each phase took.
#   scripts/test.sh [--all] [ctest arguments...]
# --all includes the tests labelled slow, peer, bench, slurm and netns (scripts/setup.sh --with-trainers --with-slurm; the last two need root).
set -euo pipefail
cd "$(dirname "$0")/.."

exclude='slow|peer|bench|slurm|netns'
if [ "${1:-}" = --all ]; then
  exclude='^$'
  shift
fi

phases=()
phase() {  # name command...
  local name=$1 started=$SECONDS
  shift
  "$@"
  phases+=("$(printf '%-10s %4d s' "$name" $((SECONDS - started)))")
}
if [ -x third_party/peers/bin/python ]; then export KGTRAIN_PEER_PYTHON=${KGTRAIN_PEER_PYTHON:-$PWD/third_party/peers/bin/python}; fi
if [ -x third_party/trainers/bin/python ]; then export KGTRAIN_TRAINERS_PYTHON=${KGTRAIN_TRAINERS_PYTHON:-$PWD/third_party/trainers/bin/python}; fi
phase set-up scripts/setup.sh
phase build scripts/build.sh
phase tests ctest --test-dir build/release --output-on-failure -j 2 -LE "$exclude" "$@"
printf '%s\n' "${phases[@]}"
