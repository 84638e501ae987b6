// RUN: split-file %s %t
// RUN: dyn-opt %t/stacked.mlir --dist-split-batch -o %t/split.mlir
// RUN: FileCheck %s --input-file=%t/split.mlir
// RUN: dyn-run %t/stacked.mlir --reference --input x=random:7x4 > %t/expected
// RUN: dyn-run %t/split.mlir --reference --input x=random:7x4 | diff %t/expected -
// RUN: dyn-run %t/stacked.mlir --reference --input x=random:1x4 > %t/expected
// RUN: dyn-run %t/split.mlir --reference --input x=random:1x4 | diff %t/expected -
// RUN: dyn-opt %t/paths.mlir --dist-split-batch -o %t/split.mlir
// RUN: FileCheck %s --input-file=%t/split.mlir --check-prefix=PATHS
// RUN: dyn-run %t/paths.mlir --reference --input x=random:7x3x4 > %t/expected
// RUN: dyn-run %t/split.mlir --reference --input x=random:7x3x4 | diff %t/expected -

// A block of the cells has routes of its own, whose rows are computed in the block.

// CHECK-LABEL: func.func @main
// CHECK:       %[[X0:.*]] = dhlo.slice %{{.*}} starts = [0, 0]
// CHECK:       %[[R0:.*]] = cell.route(%[[X0]]) key = "layer" : {{.*}} -> !cell.routes<(@N + 1) floordiv 2, 2, 2 * ((@N + 1) floordiv 2)>
// CHECK:       cell.dispatch %[[X0]], %[[R0]]
// CHECK:       dhlo.grouped_dot
// CHECK:       cell.combine %{{.*}}, %[[R0]] sum
// CHECK:       = cell.route(
// CHECK:       cell.combine
// CHECK-NOT:   = cell.route(
// CHECK:       dhlo.concat
//--- stacked.mlir
dhlo.dim @N in [0, 64]
dhlo.dim @R = 2 * @N
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x4xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %w = dhlo.constant dense<[[[1.0, 2.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 3.0, 1.0]],
                            [[2.0, 2.0, 0.5, 0.0], [0.0, 1.0, 0.0, 4.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 3.0, 1.0]]]> : tensor<2x4x4xf32>
  %r = cell.route(%x) key = "layer" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @R> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %0 = dhlo.slice %s starts = [0, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %v, %i = dhlo.top_k %0 axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>)
        -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%v : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @R>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %o = cell.offsets %r : !cell.routes<@N, 2, @R> -> tensor<3xi64>
  %d = dhlo.grouped_dot %rows, %w, %o : (tensor<?x4xf32, #dhlo.dims<R>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %z = dhlo.constant dense<0.5> : tensor<f32>
  %b = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %e = dhlo.add %d, %b : tensor<?x4xf32, #dhlo.dims<R>>
  %y = cell.combine %e, %r sum : (tensor<?x4xf32, #dhlo.dims<R>>, !cell.routes<@N, 2, @R>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// The cells are tokens of the batch; the paths of each block have other counts.

// PATHS: cell.route(%{{.*}}) : {{.*}} -> !cell.routes<3 * ((@B + 1) floordiv 2), 2, 3 * ((@B + 1) floordiv 2)>
// PATHS: cell.switch %{{.*}} counts [@K0, @K1]
// PATHS: cell.switch %{{.*}} counts [@[[K:.*]], @{{.*}}]
// PATHS: ^bb0(%{{.*}}: tensor<?x4xf32, #dhlo.dims<[[K]]>>):
//--- paths.mlir
dhlo.dim @B in [0, 64]
dhlo.dim @N = 3 * @B
dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<?x3x4xf32, #dhlo.dims<B>> {dhlo.name = "x"})
    -> (tensor<?x3x4xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %t = dhlo.reshape %x : (tensor<?x3x4xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %r = cell.route(%t) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %v, %i = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>)
        -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    %one = dhlo.constant dense<1> : tensor<i64>
    %1 = dhlo.broadcast %one axes = [] : (tensor<i64>) -> tensor<?x1xi64, #dhlo.dims<N>>
    %2 = dhlo.minimum %i, %1 : tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %2 : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %t, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %d = cell.switch %r counts [@K0, @K1] (%rows)
      : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.softmax %a axis = 1 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %c = cell.combine %d, %r, %t last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>)
      -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = dhlo.reshape %c : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x3x4xf32, #dhlo.dims<B>>
  return %y : tensor<?x3x4xf32, #dhlo.dims<B>>
}
