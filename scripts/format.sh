#!/usr/bin/env bash
# Formats the C++ files in place; --check changes nothing and fails if a file would change. The version is pinned (setup.sh fetches
# its wheel), since other versions give other results.
set -euo pipefail
cd "$(dirname "$0")/.."
clang_format=third_party/clang-format
if [ ! -x "$clang_format" ]; then
  echo "format: no $clang_format; run scripts/setup.sh" >&2
  exit 3
fi
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run --Werror); fi
git ls-files -z '*.cpp' '*.h' '*.hpp' | xargs -0 -P "$(nproc)" -n 40 "$clang_format" "${mode[@]}"
