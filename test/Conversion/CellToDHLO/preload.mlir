// A router whose weights are fetched marks the matmuls and convolutions by its offsets, and its probe
// has the prediction.
// RUN: dyn-opt %s -convert-cell-to-dhlo -canonicalize -cse | FileCheck %s

dhlo.dim @N

// CHECK-LABEL: func.func @marked(
// CHECK:         dhlo.group
// CHECK-NOT:     dhlo.preload
// CHECK:         dhlo.grouped_dot {{.*}} {dhlo.preload} :
// CHECK:         dhlo.grouped_convolution {{.*}} {dhlo.preload} :
func.func @marked(%ids: tensor<?x1xi64, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>, %w: tensor<2x4x4xf32>, %i: tensor<?x5x5x2xf32, #dhlo.dims<N>>, %f: tensor<2x3x3x2x4xf32>)
    -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x3x3x4xf32, #dhlo.dims<N>>) {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.preload = #cell.prediction<majority, share = 1000, paths = [1]>}
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %y = dhlo.grouped_dot %x, %w, %o : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %z = dhlo.grouped_convolution %i, %f, %o channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x5x5x2xf32, #dhlo.dims<N>>, tensor<2x3x3x2x4xf32>, tensor<3xi64>) -> tensor<?x3x3x4xf32, #dhlo.dims<N>>
  return %y, %z : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x3x3x4xf32, #dhlo.dims<N>>
}

// Numbers of rows say of which path they are, for all routers with a key.
// CHECK-LABEL: func.func @probes(
// CHECK:         dhlo.probe "a"{{.*}} {dhlo.preload = {paths = array<i64: 1>}} :
// CHECK:         dhlo.bind @K0 = %{{.*}} {dhlo.rows_of = ["a", 0]} :
// CHECK:         dhlo.bind @K1 = %{{.*}} {dhlo.rows_of = ["a", 1]} :
// CHECK:         dhlo.probe "b"{{.*}} {dhlo.preload = {after = "a", paths = array<i64: 1, 0>}} :
// CHECK:         dhlo.probe "c"{{.*}} {dhlo.preload = {}} :
dhlo.dim @K0
dhlo.dim @K1
func.func @probes(%ids: tensor<?x1xi64, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %a = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.preload = #cell.prediction<majority, share = 1000, paths = [1]>}
  cell.probe "a" %a : !cell.routes<@N, 2, @N>
  %y = cell.switch %a counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%r: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %r : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%r: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %r : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %b = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.preload = #cell.prediction<after of "a", share = 900, paths = [1, 0]>}
  cell.probe "b" %b : !cell.routes<@N, 2, @N>
  %c = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.preload = #cell.prediction<early, share = 1024>}
  cell.probe "c" %c : !cell.routes<@N, 2, @N>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
