#!/usr/bin/env bash
# What the map shows: every operation, type, order and batch that fits, beside cuBLAS, cuSOLVER and MAGMA, into a folder.
# Usage: bench/map.sh path/to/warplu-bench FOLDER [PART...]; parts are one, 16, 256, 10000, rows and magma, all of them if none is named.
set -eu
program=$1 to=$2
shift 2
mkdir -p "$to"
ops=lu,inv,solve,lu-inv,lu-solve
types=f32,f64,c32,c64
both="--algorithm auto --algorithm latency"

bench() {
    name=$1
    shift
    "$program" --device cuda --dtype $types --reps 5 --json "$to/map-$name.json" "$@" >/dev/null
    echo "$name: $SECONDS s" >&2
}

magma() {
    batch=$1
    shift
    python3 "$(dirname "$0")/peers.py" --dtype $types --batch "$batch" --reps 3 --json "$to/map-magma-$batch.json" "$@" >/dev/null
    echo "magma $batch: $SECONDS s" >&2
}

# cuBLAS takes a block for a matrix, too long for large ones; cuSOLVER's time of one matrix stands for each of a batch, too.
[ $# -gt 0 ] || set -- one 16 256 10000 rows magma
for part; do
    case $part in
        one)
            bench one --batch 1 $both --op $ops --n 2,4,8,16,32,64,128,256,512
            bench one-64 --batch 1 $both --op lu-solve --rhs 64 --n 16,32,64,128,256,512
            bench one-large --batch 1 --op $ops --peers cusolver --n 1024,2048,4096
            bench one-large-64 --batch 1 --op lu-solve --rhs 64 --peers cusolver --n 1024,2048,4096
            bench one-largest --batch 1 --op lu,solve --peers cusolver --n 8192,16384
            ;;
        16 | 256)
            bench $part --batch $part $both --op $ops --n 2,4,8,16,32,64,128,256,512
            bench $part-64 --batch $part $both --op lu-solve --rhs 64 --n 16,32,64,128,256,512
            bench $part-large --batch $part --op lu,solve,inv --peers none --n 1024,2048
            ;;
        10000)
            bench 10000 --batch 10000 --op $ops --n 2,4,8,16,32,64,128
            bench 10000-64 --batch 10000 --op lu-solve --rhs 64 --n 16,32,64,128
            ;;
        rows)
            bench rows --layout c --peers none --batch 10000 --op lu,inv,solve --n 2,4,8,16,32,64,128
            bench rows-256 --layout c --peers none --batch 256 --op lu,inv,solve --n 16,64,256,512
            bench rows-one --layout c --peers none --batch 1 $both --op lu,inv,solve --n 64,256,1024,4096
            ;;
        magma)
            magma 16 --library magma --op lu,solve,inv --n 64,128,256,512,1024,2048
            magma 256 --library magma --op lu,solve,inv --n 64,128,256,512,1024,2048
            magma 10000 --library magma --op lu,solve,inv --n 8,16,32,64,128
            ;;
        *)
            echo "map.sh: no part $part: there are one, 16, 256, 10000, rows, magma" >&2
            exit 2
            ;;
    esac
done
