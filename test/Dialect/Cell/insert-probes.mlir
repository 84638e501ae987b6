// RUN: dyn-opt %s -cell-insert-probes | FileCheck %s
// RUN: dyn-opt %s -cell-insert-probes -mlir-print-debuginfo | dyn-opt -cell-insert-probes | FileCheck %s

// Names come from the router, its location or its function, once each. A router
// knows the last one before it that is always run and has as many cells.

dhlo.dim @N
dhlo.dim @M
dhlo.dim @N2 = @N + @N
dhlo.dim @K0
dhlo.dim @K1

// CHECK-LABEL: func.func @main(
func.func @main(%n: tensor<?x1xi64, #dhlo.dims<N>>, %m: tensor<?x1xi64, #dhlo.dims<M>>, %x: tensor<?x4xf32, #dhlo.dims<N>>) {
  %0 = cell.route(%n) key = "layers.0" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.label = "experts", cell.kind = "token"}
  // CHECK: cell.probe "layers.0" %{{.*}} {cell = "token", fingerprint = "[[ONE:[0-9a-f]+]]", label = "experts"} : !cell.routes<@N, 2, @N>
  %1 = cell.route(%m) : (tensor<?x1xi64, #dhlo.dims<M>>) -> !cell.routes<@M, 2, @M> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<M>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<M>>
  } loc("model/mlp")
  // CHECK: cell.probe "model/mlp" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"} : !cell.routes<@M, 2, @M>
  %2 = cell.route(%n) key = "layers.0" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  // The same program, so the same fingerprint, under another name.
  // CHECK: cell.probe "layers.0#2" %{{.*}} {after = "layers.0", fingerprint = "[[ONE]]"} : !cell.routes<@N, 2, @N>
  %y = cell.switch %2 counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %s = dhlo.arg_reduce max %a axis = 1 : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<?xi64, #dhlo.dims<K0>>
    %ids = dhlo.reshape %s : (tensor<?xi64, #dhlo.dims<K0>>) -> tensor<?x1xi64, #dhlo.dims<K0>>
    %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<K0>>) -> !cell.routes<@K0, 4, @K0> {
    ^bb0(%b: tensor<?x1xi64, #dhlo.dims<K0>>):
      cell.choose %b : tensor<?x1xi64, #dhlo.dims<K0>>
    } loc(unknown)
    // CHECK: cell.probe "main.0" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"} : !cell.routes<@K0, 4, @K0>
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %3 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc(unknown)
  // CHECK: cell.probe "main.1" %{{.*}} {after = "layers.0#2", fingerprint = "{{[0-9a-f]+}}"} : !cell.routes<@N, 3, @N>
  // CHECK-NOT: cell.probe
  return
}
