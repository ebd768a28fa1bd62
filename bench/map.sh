#!/usr/bin/env bash
# What the map shows: every operation, type, order and batch that fits, beside cuBLAS and cuSOLVER, into a folder.
# Usage: bench/map.sh PROGRAM FOLDER
set -eu
warplu=$1 to=$2
types=f32,f64,c32,c64
mkdir -p "$to"

bench() {
    name=$1
    shift
    "$warplu" bench --device cuda --dtype $types --reps 5 --json "$to/map-$name.json" "$@" >/dev/null
}

# One matrix: cuSOLVER takes no more, and its time of one stands for each of a batch, too.
bench one --batch 1 --algorithm auto --algorithm few --op lu,inv,solve,lu-inv,lu-solve --n 16,32,64,128,256,512,1024,2048,4096
bench one-64 --batch 1 --op lu-solve --rhs 64 --n 16,32,64,128,256,512,1024,2048,4096
bench one-large --batch 1 --op lu,solve --n 8192,16384
# Some, and many; cuBLAS takes too long for large ones.
for batch in 16 256; do
    bench $batch --batch $batch --op lu,inv,solve,lu-inv,lu-solve --n 2,4,8,16,32,64,128,256,512
    bench $batch-64 --batch $batch --op lu-solve --rhs 64 --n 16,32,64,128,256,512
    bench $batch-large --batch $batch --op lu,solve,inv --peers none --n 1024,2048
done
bench 10000 --batch 10000 --op lu,inv,solve,lu-inv,lu-solve --n 2,4,8,16,32,64,128
bench 10000-64 --batch 10000 --op lu-solve --rhs 64 --n 16,32,64,128
bench rows --layout c --peers none --batch 10000 --op lu,inv,solve --n 2,4,8,16,32,64,128
bench rows-one --layout c --peers none --batch 1 --op lu,inv,solve --n 64,256,1024,4096
