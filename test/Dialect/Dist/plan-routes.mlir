// Ranks share the paths of a router, if that is faster: the hot path is alone,
// and each rank holds the weights of its paths.

// RUN: split-file %s %t
// RUN: dyn-opt %t/hot.mlir '--dist-plan=machine=%S/Inputs/machine.json at=N=8192' 2>/dev/null | FileCheck %s
// RUN: dyn-opt %t/small.mlir --dist-plan=machine=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: dyn-compile %t/hot.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=8192 | FileCheck %s --check-prefix=TEXT
// RUN: dyn-compile %t/hot.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=8192 --explain=json | FileCheck %s --check-prefix=JSON
// RUN: dyn-compile %t/hot.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=8192 --explain=html -o %t/plan.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t/plan.html
// RUN: dyn-opt %t/given.mlir '--dist-plan=machine=%S/Inputs/machine.json at=N=8192' 2>/dev/null | FileCheck %s --check-prefix=GIVEN
// RUN: dyn-compile %t/given.mlir --plan=%S/Inputs/machine.json --explain-at=N=8192 | FileCheck %s --check-prefix=TOGETHER
// RUN: dyn-compile %t/hot.mlir --plan=%S/Inputs/machine.json --plan-micro-batches=4 | FileCheck %s --check-prefix=BLOCKS
// RUN: not dyn-opt %t/no-mesh.mlir --dist-plan=machine=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not dyn-opt %t/no-rank.mlir --dist-plan=machine=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: dyn-compile %t/all-rows.mlir --plan=%S/Inputs/machine.json --remarks-filter=dist-plan 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: dyn-compile %t/profiled.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=8192 --profile=%S/Inputs/rank0.json | FileCheck %s --check-prefix=PROFILE
// RUN: echo '{"ranks": 1, "rank": {"flops": 1e30, "bytesPerSecond": 1e9, "memoryBytes": 1e9, "kernelSeconds": 0}, "links": [{"ranks": 1, "bytesPerSecond": 1, "seconds": 0}]}' > %t/one.json
// RUN: dyn-compile %t/gated.mlir --plan=%t/one.json --explain-at=N=1000 | FileCheck %s --check-prefix=GATED
// RUN: echo '{"ranks": 4, "rank": {"flops": 5e10, "bytesPerSecond": 1e10, "memoryBytes": 3e6, "kernelSeconds": 2e-6}, "links": [{"ranks": 1, "bytesPerSecond": 1e8, "seconds": 1e-3}]}' > %t/small.json
// RUN: dyn-compile %t/profiled.mlir --plan=%t/small.json --plan-stages=1 --explain-at=N=64 | FileCheck %s --check-prefix=MEMORY
// RUN: echo '{"ranks": 2, "rank": {"flops": 1e12, "bytesPerSecond": 1e10, "memoryBytes": 1e9, "kernelSeconds": 1e-9}, "links": [{"ranks": 1, "bytesPerSecond": 1e12, "seconds": 1e-9}]}' > %t/fast.json
// RUN: dyn-compile %t/few.mlir --plan=%t/fast.json --plan-stages=1 --explain-at=N=32 | FileCheck %s --check-prefix=FEW

// CHECK:      dist.mesh @plan ["outer" = 1, "inner" = 2]
// CHECK:      cell.route
// CHECK:      dist.placement = array<i64: [[A:[01]]], [[B:[01]]], [[B]], [[B]], [[B]], [[B]], [[B]]>
// CHECK:      %[[Z:.*]] = cell.combine
// CHECK-NEXT: dist.reshard %[[Z]] : tensor<?x512xf32, #dhlo.dims<N>> to <@plan, {{\[\[}}"outer", "inner"], []]>

// Blocks of the cells are routed one after another.
// BLOCKS: micro-batches 4

// SMALL:     remark: plan: one rank is fastest
// SMALL-NOT: dist.placement


// More ranks would wait for that path: half of 8192 rows of 512 numbers, which
// meet six matrices of 512 x 512 or one. Half of the rows change rank.
// TEXT:      mesh 1 x 2
// TEXT:      memory of a rank: weights 6.291 MB
// TEXT:      router layer: paths, paths;
// TEXT-NEXT: rank 0: paths
// TEXT-NEXT: rank 1: paths
// TEXT-NEXT: rows that change rank: to paths 8.389 MB, home 8.389 MB, counts 0.000 MB

// Ranks tell each other the counts of one path and of six.
// JSON:      "routes": {
// JSON:      "bytes_to_home": 8388608,
// JSON:      "bytes_to_paths": 8388608,
// JSON:      "count_bytes": 56,
// JSON-DAG:  "weight_bytes": 6291456
// JSON-DAG:  "weight_bytes": 1048576

// PAGE: rank 1: paths

// What is given is kept, however slow it is.
// GIVEN:    dist.mesh @mesh ["rank" = 3]
// GIVEN:    dist.placement = array<i64: 2, 2, 0, 2>
// TOGETHER: router: paths;
// TOGETHER: rank 1: paths ; 0 rows, weights 0.000 MB, 0.000 ms
// TOGETHER: rank 2: paths 0, 1, 3; 6144 rows, weights 3.146 MB

// Of 160 rows of the profile, path 1 has 90 and path 3 has 70: on two ranks.
// PROFILE:      router: paths, paths;
// PROFILE:      rank {{.*}}: paths {{[0-9, ]*}}; {{4608|3584}} rows
// PROFILE-NEXT: rank {{.*}}: paths {{[0-9, ]*}}; {{4608|3584}} rows
// PROFILE-NEXT: rows that change rank

// Four matrices of 1 MB fit no rank of 3 MB, although links are slow.
// MEMORY:       router: paths, paths;
// MEMORY:       rank 3: paths 3; 16 rows, weights 1.049 MB

// With few rows, a path takes as long as its weights are read, if it gets any:
// three of six such paths on each rank, whose loads are 15, 3, 1 and 9, 3, 1.
// FEW:      router layer: paths, paths;
// FEW-NEXT: rank {{.*}}; {{19|13}} rows, weights {{.*}}, 0.284 ms
// FEW-NEXT: rank {{.*}}; {{19|13}} rows, weights {{.*}}, 0.284 ms

// An operation that needs all rows leaves a router on all ranks.
// A row of 64 bytes goes to its path and 32 return; a kernel between two matmuls
// reads two halves of 128 bytes and writes 64. The first takes the tanh of its
// results. Weights of two paths, 2560 bytes each, are read once.
// GATED: router: all, all; 0.293 ms

// ALL: Missed{{.*}}dhlo.reduce{{.*}}paths stay on all ranks: it mixes rows

// MESH: error: 'cell.route' op expected a 'dist.mesh' beside its 'dist.placement'
// RANK: error: 'cell.route' op expected one of 2 ranks for each of 1 paths, found array<i64: 2>

//--- hot.mlir
dhlo.dim @N in [0, 65536]
func.func @main(%x: tensor<?x512xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x512xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 7340032, key = "w"> : tensor<7x512x512xf32>
  %r = cell.route(%ids) key = "layer" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 7, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dhlo.load = #dhlo.load<rows = 1200, shares = [512, 86, 86, 85, 85, 85, 85]>}
  %rows = cell.dispatch %x, %r : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 7, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 7, @N> -> tensor<8xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<7x512x512xf32>, tensor<8xi64>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 7, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  return %y : tensor<?x512xf32, #dhlo.dims<N>>
}

//--- few.mlir
dhlo.dim @N in [0, 65536]
func.func @main(%x: tensor<?x512xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x512xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 8388608, key = "w"> : tensor<8x512x512xf32>
  %r = cell.route(%ids) key = "layer" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dhlo.load = #dhlo.load<rows = 32, shares = [480, 0, 288, 0, 96, 32, 96, 32]>}
  %rows = cell.dispatch %x, %r : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 8, @N> -> tensor<9xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<8x512x512xf32>, tensor<9xi64>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  return %y : tensor<?x512xf32, #dhlo.dims<N>>
}

//--- given.mlir
dist.mesh @mesh ["rank" = 3]
dhlo.dim @N in [0, 65536]
func.func @main(%x: tensor<?x512xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x512xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 4194304, key = "w"> : tensor<4x512x512xf32>
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 2, 2, 0, 2>}
  %rows = cell.dispatch %x, %r : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<4x512x512xf32>, tensor<5xi64>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  return %y : tensor<?x512xf32, #dhlo.dims<N>>
}

//--- profiled.mlir
dhlo.dim @N in [0, 65536]
func.func @main(%x: tensor<?x512xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x512xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 4194304, key = "w"> : tensor<4x512x512xf32>
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "layer" %r {fingerprint = "aa"} : !cell.routes<@N, 4, @N>
  %rows = cell.dispatch %x, %r : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<4x512x512xf32>, tensor<5xi64>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  return %y : tensor<?x512xf32, #dhlo.dims<N>>
}

//--- no-mesh.mlir
func.func @main(%x: tensor<4x2xf32>, %ids: tensor<4x1xi64>) -> tensor<4x2xf32> attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<4x1xi64>) -> !cell.routes<4, 1, 4> {
  ^bb0(%i: tensor<4x1xi64>):
    cell.choose %i : tensor<4x1xi64>
  } {dist.placement = array<i64: 0>}
  %rows = cell.dispatch %x, %r : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  %y = cell.combine %rows, %r last : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

//--- small.mlir
func.func @main(%x: tensor<4x2xf32>, %ids: tensor<4x1xi64>) -> tensor<4x2xf32> attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<4x1xi64>) -> !cell.routes<4, 1, 4> {
  ^bb0(%i: tensor<4x1xi64>):
    cell.choose %i : tensor<4x1xi64>
  }
  %rows = cell.dispatch %x, %r : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  %y = cell.combine %rows, %r last : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

//--- no-rank.mlir
dist.mesh @mesh ["rank" = 2]
func.func @main(%x: tensor<4x2xf32>, %ids: tensor<4x1xi64>) -> tensor<4x2xf32> attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<4x1xi64>) -> !cell.routes<4, 1, 4> {
  ^bb0(%i: tensor<4x1xi64>):
    cell.choose %i : tensor<4x1xi64>
  } {dist.placement = array<i64: 2>}
  %rows = cell.dispatch %x, %r : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  %y = cell.combine %rows, %r last : (tensor<4x2xf32>, !cell.routes<4, 1, 4>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

//--- all-rows.mlir
func.func @main(%x: tensor<4x2xf32>, %ids: tensor<4x1xi64>) -> tensor<4x2xf32> attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<4x1xi64>) -> !cell.routes<4, 2, 4> {
  ^bb0(%i: tensor<4x1xi64>):
    cell.choose %i : tensor<4x1xi64>
  }
  %rows = cell.dispatch %x, %r : (tensor<4x2xf32>, !cell.routes<4, 2, 4>) -> tensor<4x2xf32>
  %s = dhlo.reduce sum %rows axes = [0] : (tensor<4x2xf32>) -> tensor<2xf32>
  %b = dhlo.broadcast %s axes = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %y = cell.combine %b, %r last : (tensor<4x2xf32>, !cell.routes<4, 2, 4>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

//--- gated.mlir
dhlo.dim @N in [0, 65536]
func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x8xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %u = dhlo.weight <"w.bin", offset = 0, length = 4096, key = "u"> : tensor<2x16x32xf32>
  %v = dhlo.weight <"w.bin", offset = 4096, length = 1024, key = "v"> : tensor<2x16x8xf32>
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %0 = dhlo.grouped_dot %rows, %u, %o
      : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<2x16x32xf32>, tensor<3xi64>) -> tensor<?x32xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x32xf32, #dhlo.dims<N>>
  %a = dhlo.slice %1 starts = [0, 0] strides = [1, 1] : (tensor<?x32xf32, #dhlo.dims<N>>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %b = dhlo.slice %1 starts = [0, 16] strides = [1, 1] : (tensor<?x32xf32, #dhlo.dims<N>>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %c = dhlo.mul %a, %b : tensor<?x16xf32, #dhlo.dims<N>>
  %2 = dhlo.grouped_dot %c, %v, %o
      : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<2x16x8xf32>, tensor<3xi64>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %y = cell.combine %2, %r last : (tensor<?x8xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x8xf32, #dhlo.dims<N>>
  return %y : tensor<?x8xf32, #dhlo.dims<N>>
}
