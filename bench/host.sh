#!/usr/bin/env bash
# Calls on host memory, from there and back there: GPU 0 and the CPU of the same machine, about 1 GB of matrices each.
# Usage: bench/host.sh path/to/warplu-bench folder-for-json
set -eu
program=$1 out=$2
for type in f64 f32; do
  bytes=$([ $type = f64 ] && echo 8 || echo 4)
  for n in 16 32 64 128 190 256 512; do
    batch=$(((1 << 30) / (n * n * bytes)))
    case $type-$n in f64-64 | f64-128) batch=10000 ;; esac
    common="--op lu,inv,solve --dtype $type --n $n --batch $batch"
    # On the GPU the rows "host", "into" and "pinned" count; those on device memory come along.
    "$program" $common --host --peers none --reps 7 --json "$out/host-gpu-$type-$n.json"
    "$program" $common --device cpu --peers none --reps 3 --warmup 1 --json "$out/host-cpu-$type-$n.json"
  done
done
# From how many matrices on a GPU pays.
for n in 16 32 64 128; do
  for batch in 1 10 100 1000; do
    common="--op lu,inv,solve --dtype f64 --n $n --batch $batch --peers none --reps 21 --warmup 5"
    "$program" $common --host --json "$out/host-few-gpu-$n-$batch.json"
    "$program" $common --device cpu --json "$out/host-few-cpu-$n-$batch.json"
  done
done
"$program" --op solve,lu,inv --dtype f64 --n 32 --batch 1 --host --peers none --reps 1000 --warmup 20 --json "$out/host-small.json"
"$program" --op lu-solve --dtype f64 --n 128 --batch 10000 --host --peers none --reps 20 --json "$out/host-lu-solve.json"
