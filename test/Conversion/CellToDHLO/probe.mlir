// Probes see what the sort gives as it is, and who sorts by priority says how.
// What a profile says of a router goes on to its probe alone: equal kernels stay equal.
// RUN: dyn-opt %s -convert-cell-to-dhlo -canonicalize -cse | FileCheck %s

dhlo.dim @N

// CHECK-LABEL: func.func @plain(
// CHECK:         %[[O:.*]], %{{.*}}, %[[P:.*]] = dhlo.group %{{.*}} : (
// CHECK:         dhlo.probe "a"(%[[O]], %[[P]]) {after = "z", cell = "token", dhlo.load = #dhlo.load<rows = 7, shares = [1000, 24]>, fingerprint = "00", label = "experts"}
// CHECK:         dhlo.grouped_dot
// CHECK-NOT:     dhlo.load
func.func @plain(%ids: tensor<?x1xi64, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>, %w: tensor<2x4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [0]>],
     cell.speculate = #cell.prediction<majority, share = 1000, paths = [0]>,
     dhlo.load = #dhlo.load<rows = 7, shares = [1000, 24]>}
  cell.probe "a" %r {after = "z", cell = "token", fingerprint = "00", label = "experts"} : !cell.routes<@N, 2, @N>
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %y = dhlo.grouped_dot %x, %w, %o : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @sorted(
// CHECK:         %{{.*}}, %[[S:.*]] = dhlo.sort
// CHECK:         %[[O:.*]], %{{.*}}, %[[P:.*]] = dhlo.group
// CHECK:         dhlo.probe "a"(%[[O]], %[[P]], %[[S]])
func.func @sorted(%ids: tensor<?x1xi64, #dhlo.dims<N>>, %p: tensor<?xf32, #dhlo.dims<N>>) {
  %r = cell.route(%ids, %p) : (tensor<?x1xi64, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>, %b: tensor<?xf32, #dhlo.dims<N>>):
    cell.choose %a priorities(%b : tensor<?xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "a" %r : !cell.routes<@N, 2, @N>
  return
}
