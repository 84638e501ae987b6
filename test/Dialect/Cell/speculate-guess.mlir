// RUN: dyn-opt %s -cell-speculate -mlir-print-local-scope | FileCheck %s
// RUN: dyn-opt %s -cell-speculate=invariant=false -verify-diagnostics=only-expected
// The guess of a router with a probe is of all cells or of none, as a symbol says, and counted.

// CHECK:       dhlo.dim @guess in [0, 1]
// CHECK:       func.func @main(
// CHECK-NEXT:    dhlo.guess @guess = "r" pays_from 312
// CHECK:         %[[GUESS:.*]] = cell.route() : () -> !cell.routes<@N * @guess, 2, @N * @guess>
// CHECK:           %[[ALL:.*]] = dhlo.broadcast %{{.*}} : (tensor<1xi64>) -> tensor<?x1xi64, #dhlo.dims<N>>
// CHECK:           dhlo.slice %[[ALL]] starts = [0, 0] strides = [1, 1] : {{.*}} -> tensor<?x1xi64, #dhlo.dims<d>>
// CHECK:         %[[FIRST:.*]] = dhlo.slice %arg0 starts = [0, 0] strides = [1, 1]
// CHECK:         cell.dispatch %[[FIRST]], %[[GUESS]]
// CHECK:         %[[R:.*]] = cell.route(%arg1)
// CHECK-NOT:     cell.pays_from
// CHECK:         %[[REST:.*]] = cell.route(%arg1)
// CHECK:           dhlo.from_dims [@guess]
// CHECK-DAG:     %[[A:.*]] = cell.offsets %[[R]]
// CHECK-DAG:     %[[B:.*]] = cell.offsets %[[GUESS]]
// CHECK-DAG:     %[[C:.*]] = cell.offsets %[[REST]]
// CHECK:         dhlo.guessed "r"(%[[A]], %[[B]], %[[C]]) : tensor<3xi64>
// CHECK:         cell.select %[[R]] from(%[[REST]], %[[GUESS]])

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: a library computes other bits for other numbers of rows}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.pays_from = 312 : i64, cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  cell.probe "r" %r : !cell.routes<@N, 2, @N>
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}
