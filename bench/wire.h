/// wire.h - the parts of bench_wire that have a file of their own; each adds its rows.
#ifndef WIRE_H
#define WIRE_H

#include "bench.h"

/// One phone, a step at a time, against a bare echo (wire_single.c).
void wire_single(wd_bench *bench);
/// 2,000 runs that wait for slow planners, against one (wire_runs.c).
void wire_runs(wd_bench *bench);

#endif
