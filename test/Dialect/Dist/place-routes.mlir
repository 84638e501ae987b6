// RUN: dyn-opt %s --dist-place-routes 2>&1 | FileCheck %s
// RUN: dyn-opt %s --dist-place-routes='homes=%S/Inputs/rank0.json,%S/Inputs/rank1.json link-rate=2000' 2>&1 | FileCheck %s --check-prefix=HOMES
// RUN: dyn-opt %s --dist-place-routes=memory=60000 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: dyn-opt %s --dist-place-routes=memory=70000 2>&1 | FileCheck %s --check-prefix=FITS

// The hot path is alone, the others are together: each rank has half of the rows.
// CHECK:     remark: paths on 2 ranks: the busiest takes 1.{{[01].}} of the mean (1.2{{.}} in turn), 512 of 1024 rows change rank (512 in turn)
// CHECK:     dist.placement = array<i64: [[A:[01]]], [[B:[01]]], [[B]], [[B]]>

// Rank 0 has the cells of paths 1 and 3.
// HOMES:     warning: the profile '{{.*}}rank0.json' does not have router 'other': its rows count as from all ranks
// HOMES:     remark: paths on 2 ranks: {{.*}}, 10 of 180 rows change rank (170 in turn)
// HOMES:     dist.placement = array<i64: 1, 0, 1, 0>

// Eight paths have 16 KiB each.
// MEMORY:    warning: weights of paths exceed the memory of ranks by 11072 bytes
// FITS-NOT:  exceed

dist.mesh @mesh ["expert" = 2]
dhlo.dim @N in [0, 4096] likely [1024]
func.func @main(%x: tensor<?x64xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x64xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.constant dense<0.5> : tensor<4x64x64xf32>
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dhlo.load = #dhlo.load<rows = 1024, shares = [512, 256, 128, 128]>}
  cell.probe "layer" %r {fingerprint = "aa"} : !cell.routes<@N, 4, @N>
  %rows = cell.dispatch %x, %r : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<4x64x64xf32>, tensor<5xi64>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %s = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "other" %s {fingerprint = "bb"} : !cell.routes<@N, 4, @N>
  %rows2 = cell.dispatch %y, %s : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %o2 = cell.offsets %s : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %d2 = dhlo.grouped_dot %rows2, %w, %o2
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<4x64x64xf32>, tensor<5xi64>) -> tensor<?x64xf32, #dhlo.dims<N>>
  %z = cell.combine %d2, %s last : (tensor<?x64xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x64xf32, #dhlo.dims<N>>
  return %z : tensor<?x64xf32, #dhlo.dims<N>>
}
