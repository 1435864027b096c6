#!/usr/bin/env bash
# Formats the C++ files in place with clang-format (a PyPI wheel: python3 -m pip install clang-format).
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.h' | xargs clang-format -i
