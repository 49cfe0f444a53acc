/// benches.h - the benchmarks that main.c lists, one per file.
#ifndef BENCHES_H
#define BENCHES_H

#include "bench.h"

wd_bench_function bench_apps;
wd_bench_function bench_device;
wd_bench_function bench_envs;
wd_bench_function bench_imagine;
wd_bench_function bench_judge;
wd_bench_function bench_loop;
wd_bench_function bench_python;
wd_bench_function bench_scenes;
wd_bench_function bench_tree;
wd_bench_function bench_tree_hot;
wd_bench_function bench_wire;

/// A row of bench_scenes in a file of its own (replay.c).
wd_bench_function bench_replay_row;

#endif
