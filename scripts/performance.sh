#!/bin/sh
# Runs the performance cases on one thread and on all, on an otherwise idle
# machine, and prints a JSON line each: the figures of docs/performance.md.
# usage: scripts/performance.sh [CASE...]
set -eu
cd "$(dirname "$0")/.."
make -s build
for threads in 1 "$(nproc)"; do
  GOMAXPROCS=$threads bin/simnet bench "$@"
done
