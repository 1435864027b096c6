#!/usr/bin/env bash
# Configures and builds the release preset. --install builds only the programs, without the tests, and puts them on the path
# (/usr/local as root, else ~/.local).
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log >&2; exit 3; }
if [ "${1:-}" != --install ]; then exec cmake --build build/release; fi
cmake --build build/release --target kgtrain kgtrain-learner kgtrain-generator kgtrain-worker kgtrain-sandbox
prefix=/usr/local
if [ ! -w "$prefix/bin" ]; then prefix=$HOME/.local; fi
cmake --install build/release --prefix "$prefix" >/dev/null
echo "installed into $prefix/bin"
