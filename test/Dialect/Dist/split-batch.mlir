// RUN: dyn-opt %s --dist-split-batch | FileCheck %s

dhlo.dim @B in [1, 64]
dhlo.dim @T
dist.mesh @mesh ["m" = 1]

// Blocks of heads are those of the batch; weights and what is computed of them alone stay whole; a value with
// the batch's size is computed in blocks if all users need blocks, else it is cut.

// CHECK: dhlo.dim @[[D0:.*]] = (@B + 1) floordiv 2
// CHECK: dhlo.dim @[[S0:.*]] = 3 * ((@B + 1) floordiv 2)
// CHECK: dhlo.dim @[[D1:.*]] = @B - ((@B + 1) floordiv 2)
// CHECK-LABEL: func.func @main
// CHECK-NOT: dist.micro_batches
// CHECK:     %[[W:.*]] = dhlo.weight
// CHECK:     %[[A:.*]] = dhlo.iota
// CHECK:     %[[X:.*]] = dhlo.slice %{{.*}} starts = [0, 0, 0]
// CHECK:     dist.reshard %[[X]] {dist.block = 0 : i64} : tensor<?x3x4xf32, #dhlo.dims<[[D0]]>>
// CHECK:     dhlo.reshape %{{.*}} -> tensor<?x4xf32, #dhlo.dims<[[S0]]>>
// CHECK:     dhlo.dot_general %{{.*}}, %[[W]]
// CHECK:     %[[Y0:.*]] = dhlo.add
// CHECK:     dhlo.slice %[[A]] starts = [0, 0]
// CHECK:     %[[X:.*]] = dhlo.slice %{{.*}} starts = [(@B + 1) floordiv 2, 0, 0]
// CHECK:     dist.reshard %[[X]] {dist.block = 1 : i64} : tensor<?x3x4xf32, #dhlo.dims<[[D1]]>>
// CHECK:     %[[Y1:.*]] = dhlo.add
// CHECK:     dhlo.slice %[[A]] starts = [3 * ((@B + 1) floordiv 2), 0]
// CHECK:     dhlo.concat
// CHECK:     return %{{.*}}, %[[W]]
dhlo.dim @S = 3 * @B
func.func @main(%x: tensor<?x3x4xf32, #dhlo.dims<B>>) -> (tensor<?x2xf32, #dhlo.dims<S>>, tensor<4x2xf32>)
    attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 32, key = "w"> : tensor<4x2xf32>
  %b = dhlo.weight <"w.bin", offset = 32, length = 8, key = "b"> : tensor<2xf32>
  %0 = dist.reshard %x : tensor<?x3x4xf32, #dhlo.dims<B>> to <@mesh, [[], [], []]>
  %1 = dhlo.reshape %0 : (tensor<?x3x4xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<S>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xf32, #dhlo.dims<S>>, tensor<4x2xf32>) -> tensor<?x2xf32, #dhlo.dims<S>>
  %3 = dhlo.broadcast %b axes = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #dhlo.dims<S>>
  %4 = dhlo.add %2, %3 : tensor<?x2xf32, #dhlo.dims<S>>
  %5 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x2xf32, #dhlo.dims<S>>
  %6 = dhlo.mul %4, %5 : tensor<?x2xf32, #dhlo.dims<S>>
  return %6, %w : tensor<?x2xf32, #dhlo.dims<S>>, tensor<4x2xf32>
}

// One block is the whole.
// CHECK-LABEL: func.func @one
// CHECK-NOT:     dhlo.slice
// CHECK:         dhlo.tanh
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.micro_batches = 1 : i64} {
  %0 = dhlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Results that nothing reads may have other sizes. Steps of a recurrence stay together.
// CHECK-LABEL: func.func @scan
// CHECK:         dhlo.lstm {{.*}}-> (tensor<?x1x?x2xf32, #dhlo.dims<T, [[E0:d[_0-9]*]]>>, tensor<1x?x2xf32, #dhlo.dims<[[E0]]>>
// CHECK:         dhlo.lstm {{.*}}-> (tensor<?x1x?x2xf32, #dhlo.dims<T, [[E1:d[_0-9]*]]>>, tensor<1x?x2xf32, #dhlo.dims<[[E1]]>>
// CHECK:         dhlo.concat %{{.*}} axis = 2
func.func @scan(%gates: tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, %r: tensor<1x2x8xf32>)
    -> tensor<?x1x?x2xf32, #dhlo.dims<T, B>> attributes {dist.micro_batches = 2 : i64} {
  %y, %h, %c = dhlo.lstm forward %gates, %r : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>)
      -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  return %y : tensor<?x1x?x2xf32, #dhlo.dims<T, B>>
}
