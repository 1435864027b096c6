#!/bin/sh
# compare_golden.py as a test, on what is quick: skipped (77) where there is no checkout of the benchmark.
if [ -z "$KGTRAIN_MULTIKERNELBENCH" ]; then
  echo "KGTRAIN_MULTIKERNELBENCH names no checkout of MultiKernelBench"
  exit 77
fi
KGTRAIN_PYTHON=${KGTRAIN_PYTHON:-$KGTRAIN_PEER_PYTHON}
export KGTRAIN_PYTHON
exec "$KGTRAIN_PYTHON" "$(dirname "$0")/compare_golden.py" "$1" "$KGTRAIN_MULTIKERNELBENCH" \
  --only broadcast/,index/,loss/cosine,optimizer/,npukernelbench_level0/ --largest 200
