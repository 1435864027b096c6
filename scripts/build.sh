#!/usr/bin/env bash
# Configures and builds the release preset. --install builds only the programs, without the tests, and puts them on the path
# (/usr/local as root, else ~/.local); --solve builds only those that `kgtrain solve` and `kgtrain judge` start.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log >&2; exit 3; }
solve=(kgtrain kgtrain-generator kgtrain-sandbox)
case "${1:-}" in
  "") exec cmake --build build/release ;;
  --solve) exec cmake --build build/release --target "${solve[@]}" ;;
  --install) ;;
  *) sed -n '2,3p' "$0"; exit 2 ;;
esac
cmake --build build/release --target "${solve[@]}" kgtrain-learner kgtrain-worker
prefix=/usr/local
if [ ! -w "$prefix/bin" ]; then prefix=$HOME/.local; fi
cmake --install build/release --prefix "$prefix" >/dev/null
echo "installed into $prefix/bin"
