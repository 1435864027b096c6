#!/bin/sh
# judge_rows.py as a test: skipped (77) where there is no checkout of the benchmark.
if [ -z "$KGTRAIN_NPUKERNELBENCH" ]; then
  echo "KGTRAIN_NPUKERNELBENCH names no checkout of NPUKernelBench"
  exit 77
fi
KGTRAIN_PYTHON=${KGTRAIN_PYTHON:-$KGTRAIN_PEER_PYTHON}
export KGTRAIN_PYTHON
exec "$(dirname "$0")/judge_rows.py" "$1" "$KGTRAIN_NPUKERNELBENCH"
