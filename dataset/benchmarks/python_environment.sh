#!/usr/bin/env bash
# The Python environment with PyTorch in which modules and the benchmarks' references run.
#   python_environment.sh [--where]
# Makes it from requirements.txt where it is missing, and prints its interpreter. --where makes nothing: exit status 1 if it is not there.
# It is in ${KGTRAIN_HOME:-~/.kgtrain}/python, in a folder named after the pins. Several may run at once: one makes it, the others wait.
set -euo pipefail
requirements=$(cd "$(dirname "$0")" && pwd)/requirements.txt
folder=${KGTRAIN_HOME:-$HOME/.kgtrain}/python/$(sha256sum "$requirements" | cut -c1-12)
python=$folder/bin/python

make_it() {
  # PyPI has PyTorch for Linux with 2.5 GB of NVIDIA's libraries; PyTorch's own index, which not every network reaches, has it without.
  local cpu=https://download.pytorch.org/whl/cpu index=()
  python3 -m venv "$folder"
  if timeout 10 "$python" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1] + "/torch/", timeout=5)' "$cpu" 2>/dev/null; then
    index=(--extra-index-url "$cpu")
  fi
  "$python" -m pip install --quiet --disable-pip-version-check "${index[@]}" -r "$requirements"
  touch "$folder/complete"
}

if [ ! -e "$folder/complete" ]; then
  if [ "${1:-}" = --where ]; then exit 1; fi
  mkdir -p "$(dirname "$folder")"
  exec 9>"$folder.lock"
  flock 9
  if [ ! -e "$folder/complete" ]; then make_it >&2 9>&-; fi
fi
echo "$python"
