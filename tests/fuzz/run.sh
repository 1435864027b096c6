#!/usr/bin/env bash
# run.sh BUILD NAME SECONDS: fuzzes one reader from its corpus; ends with 1 where something was found.
set -eu
build=$1 name=$2 seconds=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build/corpus/$name" "$build/found"
export LSAN_OPTIONS=suppressions=$here/leaks_not_ours.txt:print_suppressions=0
exec "$build/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -verbosity=0 \
  -artifact_prefix="$build/found/$name-" "$build/corpus/$name" "$here/corpus/$name"
