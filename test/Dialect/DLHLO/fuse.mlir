// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-verify-fusions | FileCheck %s

dhlo.dim @B in [1, 64]
dhlo.dim @S in [1, 512]
dhlo.dim @C in [0, ?]
dhlo.dim @K in [1, 32]
dhlo.dim @L = 32 floordiv @K

// Elementwise operations and what moves data are one loop, splats included.
// CHECK-LABEL: func.func @loop
// CHECK: dlhlo.fusion loop(%{{.*}}) {dlhlo.reason = "exp with 4 operations that lead to it"}
// CHECK:   dhlo.constant dense<2.0
// CHECK:   dhlo.broadcast
// CHECK:   dhlo.add
// CHECK:   dhlo.exp
// CHECK-NOT: dlhlo.fusion
func.func @loop(%x: tensor<?x8xf32, #dhlo.dims<B>>, %b: tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.add %x, %0 : tensor<?x8xf32, #dhlo.dims<B>>
  %c = dhlo.constant dense<2.0> : tensor<1x8xf32>
  %2 = dhlo.broadcast %c axes = [0, 1] : (tensor<1x8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.mul %1, %2 : tensor<?x8xf32, #dhlo.dims<B>>
  %4 = dhlo.exp %3 : tensor<?x8xf32, #dhlo.dims<B>>
  return %4 : tensor<?x8xf32, #dhlo.dims<B>>
}

// What costs much is not computed again for each element of a broadcast.
// CHECK-LABEL: func.func @expensive
// CHECK: dlhlo.fusion loop
// CHECK:   dhlo.tanh
// CHECK: dlhlo.fusion loop
// CHECK:   dhlo.broadcast
// CHECK:   dhlo.add
func.func @expensive(%x: tensor<?x8xf32, #dhlo.dims<B>>, %b: tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.tanh %b : tensor<8xf32>
  %1 = dhlo.broadcast %0 axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.add %x, %1 : tensor<?x8xf32, #dhlo.dims<B>>
  return %2 : tensor<?x8xf32, #dhlo.dims<B>>
}

// A matmul fuses what follows.
// CHECK-LABEL: func.func @matmul
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.dot_general
// CHECK:   dhlo.broadcast
// CHECK:   dhlo.add
// CHECK:   dhlo.gelu
// CHECK-NOT: dlhlo.fusion
func.func @matmul(%x: tensor<?x8xf32, #dhlo.dims<B>>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<B>>
  %3 = dhlo.gelu erf %2 : tensor<?x4xf32, #dhlo.dims<B>>
  return %3 : tensor<?x4xf32, #dhlo.dims<B>>
}

// A normalisation fuses the sum before it, which others read too.
// CHECK-LABEL: func.func @rows
// CHECK: %[[F:.*]]:2 = dlhlo.fusion row
// CHECK:   dhlo.add
// CHECK:   dhlo.layer_norm
// CHECK:   dlhlo.yield
// CHECK: return %[[F]]#0, %[[F]]#1
func.func @rows(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %y: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %g: tensor<8xf32>)
    -> (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>) attributes {dhlo.entry} {
  %0 = dhlo.add %x, %y : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.layer_norm %0, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %0, %1 : tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// A decomposed softmax: two reductions of the same rows.
// CHECK-LABEL: func.func @softmax
// CHECK: dlhlo.fusion row
// CHECK:   dhlo.reduce max
// CHECK:   dhlo.sub
// CHECK:   dhlo.exp
// CHECK:   dhlo.reduce sum
// CHECK:   dhlo.div
// CHECK-NOT: dlhlo.fusion
func.func @softmax(%x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %2 = dhlo.sub %x, %1 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.exp %2 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %6 = dhlo.div %3, %5 : tensor<?x?xf32, #dhlo.dims<B, S>>
  return %6 : tensor<?x?xf32, #dhlo.dims<B, S>>
}

// CHECK-LABEL: func.func @kinds
// CHECK-DAG: dlhlo.fusion column
// CHECK-DAG: dlhlo.fusion transpose
// CHECK-DAG: dlhlo.fusion single
func.func @kinds(%x: tensor<?x8xf32, #dhlo.dims<B>>) -> (tensor<8xf32>, tensor<8x?xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<8xf32>
  %1 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<8x?xf32, #dhlo.dims<B>>
  %2 = dhlo.cumulative sum %x axis = 0 : tensor<?x8xf32, #dhlo.dims<B>>
  return %0, %1, %2 : tensor<8xf32>, tensor<8x?xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>
}

// Axes of size 1 behind a row do not make it a column, and those of another size do.
// CHECK-LABEL: func.func @units
// CHECK: dlhlo.fusion row
// CHECK: dlhlo.fusion column
func.func @units(%x: tensor<?x8x1x1xf32, #dhlo.dims<B>>, %y: tensor<?x8x1x2xf32, #dhlo.dims<B>>) -> (tensor<?x8x1x1xf32, #dhlo.dims<B>>, tensor<?x1x2xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  %0 = dhlo.softmax %x axis = 1 : tensor<?x8x1x1xf32, #dhlo.dims<B>>
  %1 = dhlo.reduce sum %y axes = [1] : (tensor<?x8x1x2xf32, #dhlo.dims<B>>) -> tensor<?x1x2xf32, #dhlo.dims<B>>
  return %0, %1 : tensor<?x8x1x1xf32, #dhlo.dims<B>>, tensor<?x1x2xf32, #dhlo.dims<B>>
}

// Nothing is fused across a binding; the search writes a row for each element.
// CHECK-LABEL: func.func @nonzero
// CHECK: dlhlo.fusion loop
// CHECK:   dhlo.neg
// CHECK: %[[F:.*]]:2 = dlhlo.fusion single
// CHECK:   dlhlo.find_nonzero %{{.*}} : (tensor<4x8xf32>) -> (tensor<32x2xi64>, tensor<i64>)
// CHECK: dhlo.bind @C = %[[F]]#1
// CHECK: %[[V:.*]] = dhlo.slice %[[F]]#0 starts = [0, 0]
// CHECK: dlhlo.fusion loop(%[[V]])
func.func @nonzero(%x: tensor<4x8xf32>) -> tensor<?x2xi64, #dhlo.dims<C>> attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<4x8xf32>
  %1 = dhlo.nonzero %0 binds @C : (tensor<4x8xf32>) -> tensor<?x2xi64, #dhlo.dims<C>>
  %2 = dhlo.neg %1 : tensor<?x2xi64, #dhlo.dims<C>>
  return %2 : tensor<?x2xi64, #dhlo.dims<C>>
}

// A view may have sizes that are unknown when its bytes are written: an output
// cannot, and is a copy.
// CHECK-LABEL: func.func @sized_later
// CHECK: %[[E:.*]] = dlhlo.fusion loop(%arg0)
// CHECK: dhlo.bind @K
// CHECK: %[[R:.*]] = dhlo.reshape %[[E]]
// CHECK: %[[C:.*]] = dlhlo.fusion loop(%[[R]])
// CHECK: return %[[C]]
func.func @sized_later(%x: tensor<4x8xf32>, %k: tensor<i64>) -> tensor<?x?xf32, #dhlo.dims<K, L>> attributes {dhlo.entry} {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  dhlo.bind @K = %k : tensor<i64>
  %1 = dhlo.reshape %0 : (tensor<4x8xf32>) -> tensor<?x?xf32, #dhlo.dims<K, L>>
  return %1 : tensor<?x?xf32, #dhlo.dims<K, L>>
}

// Each output has a writer of its own; a reshape is a view.
// CHECK-LABEL: func.func @outputs
// CHECK: %[[E:.*]] = dlhlo.fusion loop
// CHECK: %[[R:.*]] = dhlo.reshape %[[E]]
// CHECK: %[[C0:.*]] = dlhlo.fusion loop(%[[E]])
// CHECK: %[[C1:.*]] = dlhlo.fusion loop(%arg0)
// CHECK: return %[[R]], %[[C0]], %[[C1]]
func.func @outputs(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>) attributes {dhlo.entry} {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  %1 = dhlo.reshape %0 : (tensor<4x8xf32>) -> tensor<32xf32>
  return %1, %0, %x : tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Reductions of one value pass over it together, and so do those whose results are combined later.
// CHECK-LABEL: func.func @range
// CHECK: %[[R:.*]]:2 = dlhlo.fusion row
// CHECK:   dhlo.reduce min {{.*}} axes = [1]
// CHECK:   dhlo.reduce max {{.*}} axes = [1]
// CHECK:   dlhlo.yield
// CHECK: dlhlo.fusion row(%[[R]]#{{[01]}}, %[[R]]#{{[01]}})
// CHECK:   dhlo.reduce min {{.*}} axes = [0]
// CHECK:   dhlo.reduce max {{.*}} axes = [0]
// CHECK:   dhlo.sub
// CHECK:   dlhlo.yield
// CHECK-NOT: dlhlo.fusion
func.func @range(%x: tensor<?x64xf32, #dhlo.dims<B>>) -> tensor<f32> attributes {dhlo.entry} {
  %0 = dhlo.reduce min %x axes = [1] : (tensor<?x64xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.reduce min %0 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<f32>
  %2 = dhlo.reduce max %x axes = [1] : (tensor<?x64xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
  %3 = dhlo.reduce max %2 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<f32>
  %4 = dhlo.sub %3, %1 : tensor<f32>
  return %4 : tensor<f32>
}

// What is cheap and read by a matmul's epilogue alone is computed there.
// CHECK-LABEL: func.func @scales
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.mul %{{.*}}, %{{.*}} : tensor<f32>
// CHECK-NOT: dlhlo.fusion
func.func @scales(%x: tensor<?x8xf32, #dhlo.dims<B>>, %w: tensor<8x4xf32>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %1 = dhlo.mul %s, %t : tensor<f32>
  %2 = dhlo.broadcast %1 axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %3 = dhlo.mul %0, %2 : tensor<?x4xf32, #dhlo.dims<B>>
  return %3 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Attention fuses transposes between heads and rows that it alone reads, and
// that of its result. Keys here have another reader.
// CHECK-LABEL: func.func @heads
// CHECK: dlhlo.fusion attention(%arg0, %arg2, %{{.*}})
// CHECK:   dhlo.transpose %{{.*}} permutation = [0, 2, 1, 3]
// CHECK:   dhlo.transpose %{{.*}} permutation = [0, 2, 1, 3]
// CHECK:   dhlo.attention
// CHECK:   %[[Y:.*]] = dhlo.transpose %{{.*}} permutation = [0, 2, 1, 3]
// CHECK:   dlhlo.yield %[[Y]]
func.func @heads(%q: tensor<?x?x2x8xf32, #dhlo.dims<B, S>>, %k: tensor<?x?x2x8xf32, #dhlo.dims<B, S>>, %v: tensor<?x?x2x8xf32, #dhlo.dims<B, S>>)
    -> (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) attributes {dhlo.entry} {
  %0 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.transpose %k permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %2 = dhlo.transpose %v permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %3 = dhlo.attention %0, %1, %2 scale = 0.5 : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %4 = dhlo.transpose %3 permutation = [0, 2, 1, 3] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
  return %4, %1 : tensor<?x?x2x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
}

// What follows a matmul is more results than a fusion may have until all of it
// is there.
// CHECK-LABEL: func.func @many_ways
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.dot_general
// CHECK:   dhlo.expm1
// CHECK:   dhlo.maximum
// CHECK-NOT: dlhlo.fusion
func.func @many_ways(%x: tensor<?x8xf32, #dhlo.dims<B>>, %w: tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %1 = dhlo.neg %0 : tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.abs %0 : tensor<?x4xf32, #dhlo.dims<B>>
  %3 = dhlo.exp %0 : tensor<?x4xf32, #dhlo.dims<B>>
  %4 = dhlo.expm1 %0 : tensor<?x4xf32, #dhlo.dims<B>>
  %5 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<B>>
  %6 = dhlo.mul %5, %2 : tensor<?x4xf32, #dhlo.dims<B>>
  %7 = dhlo.sub %6, %3 : tensor<?x4xf32, #dhlo.dims<B>>
  %8 = dhlo.maximum %7, %4 : tensor<?x4xf32, #dhlo.dims<B>>
  return %8 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Grouped GEMMs copy their rows anyway: each takes them from where they are.
// CHECK-LABEL: func.func @dispatch
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.gather
// CHECK:   dhlo.grouped_dot
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.gather
// CHECK:   dhlo.grouped_dot
// CHECK-NOT: dlhlo.fusion
func.func @dispatch(%x: tensor<?x8xf32, #dhlo.dims<B>>, %i: tensor<?xi64, #dhlo.dims<S>>, %w: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %o: tensor<3xi64>)
    -> (tensor<?x4xf32, #dhlo.dims<S>>, tensor<?x4xf32, #dhlo.dims<S>>) attributes {dhlo.entry} {
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<?xi64, #dhlo.dims<S>>) -> tensor<?x8xf32, #dhlo.dims<S>>
  %1 = dhlo.grouped_dot %0, %w, %o : (tensor<?x8xf32, #dhlo.dims<S>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<S>>
  %2 = dhlo.grouped_dot %0, %v, %o : (tensor<?x8xf32, #dhlo.dims<S>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<S>>
  return %1, %2 : tensor<?x4xf32, #dhlo.dims<S>>, tensor<?x4xf32, #dhlo.dims<S>>
}

// The sum of a few rows is a loop like any other: with what finds the rows and what follows.
// CHECK-LABEL: func.func @combine
// CHECK: dlhlo.fusion loop
// CHECK:   dhlo.gather
// CHECK:   dhlo.dot_general
// CHECK:   dhlo.add
// CHECK-NOT: dlhlo.fusion
func.func @combine(%x: tensor<?x8xf32, #dhlo.dims<S>>, %i: tensor<?x2xi64, #dhlo.dims<B>>, %w: tensor<?x2xf32, #dhlo.dims<B>>, %r: tensor<?x8xf32, #dhlo.dims<B>>)
    -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?x8xf32, #dhlo.dims<S>>, tensor<?x2xi64, #dhlo.dims<B>>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %1 = dhlo.dot_general %w, %0 batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<?x2xf32, #dhlo.dims<B>>, tensor<?x2x8xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.add %1, %r : tensor<?x8xf32, #dhlo.dims<B>>
  return %2 : tensor<?x8xf32, #dhlo.dims<B>>
}

// A bias that is looked up by row is read where the result is.
// CHECK-LABEL: func.func @row_bias
// CHECK: dlhlo.fusion contraction
// CHECK:   dhlo.grouped_dot
// CHECK:   dhlo.gather
// CHECK:   dhlo.add
// CHECK-NOT: dlhlo.fusion
func.func @row_bias(%x: tensor<?x8xf32, #dhlo.dims<B>>, %i: tensor<?xi64, #dhlo.dims<B>>, %w: tensor<2x8x4xf32>, %b: tensor<2x4xf32>, %o: tensor<3xi64>)
    -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %1 = dhlo.gather %b, %i axis = 0 batch = 0 : (tensor<2x4xf32>, tensor<?xi64, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<B>>
  return %2 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Computed once before the sort: in the loop behind, the sort would have to wait for itself.
// CHECK-LABEL: func.func @around
// CHECK: dlhlo.fusion loop
// CHECK:   dhlo.neg
// CHECK: dlhlo.fusion single
// CHECK:   dhlo.sort
// CHECK: dlhlo.fusion loop
// CHECK-NOT: dhlo.neg
// CHECK:   dhlo.add
func.func @around(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<?x4xf32, #dhlo.dims<B>>
  %1, %i = dhlo.sort %0 axis = 1 : tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xi64, #dhlo.dims<B>>
  %2 = dhlo.add %1, %0 : tensor<?x4xf32, #dhlo.dims<B>>
  return %2 : tensor<?x4xf32, #dhlo.dims<B>>
}

// What leads to rows that are multiplied by a packed constant is computed where they would be
// copied, what is read twice too: a row of a table beside its difference.
// CHECK-LABEL: func.func @lhs
// CHECK: dlhlo.fusion contraction
// CHECK-SAME: dlhlo.reason = "dot_general with 3 operations that lead to its rows and 1 operation on its result"
// CHECK:   dhlo.gather
// CHECK:   dhlo.sub
// CHECK:   dhlo.concat
// CHECK:   dhlo.dot_general
// CHECK:   dhlo.neg
// CHECK-NOT: dlhlo.fusion
func.func @lhs(%t: tensor<9x4xf32>, %i: tensor<?xi64, #dhlo.dims<B>>, %y: tensor<?x4xf32, #dhlo.dims<B>>, %w: tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>)
    -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<9x4xf32>, tensor<?xi64, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %1 = dhlo.sub %0, %y : tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.concat %0, %1 axis = 1 : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %4 = dhlo.neg %3 : tensor<?x4xf32, #dhlo.dims<B>>
  return %4 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Not so: what is costly, what others read, rows that a reshape cuts from longer
// ones, and what is multiplied by no packed constant.
// CHECK-LABEL: func.func @not_lhs
// CHECK-COUNT-4: dlhlo.fusion loop
// CHECK-COUNT-4: dlhlo.fusion contraction
func.func @not_lhs(%x: tensor<?x8xf32, #dhlo.dims<B>>, %z: tensor<?x16xf32, #dhlo.dims<B>>, %w: tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>, %v: tensor<8x4xf32>)
    -> (tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<C>>, tensor<?x4xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.neg %x : tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.abs %z : tensor<?x16xf32, #dhlo.dims<B>>
  %3 = dhlo.reshape %2 : (tensor<?x16xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<C>>
  %4 = dhlo.abs %x : tensor<?x8xf32, #dhlo.dims<B>>
  %5 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %6 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %7 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<C>>, tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x4xf32, #dhlo.dims<C>>
  %8 = dhlo.dot_general %4, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  return %5, %1, %6, %7, %8 : tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<C>>, tensor<?x4xf32, #dhlo.dims<B>>
}

// A norm of groups reads a view of its rows three times, each time by a view of
// its own, or by a view of a view: the kernel has one argument, which it reads
// where it is, and computes each mean once.
// CHECK-LABEL: func.func @views_of_rows
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK: %[[V:.*]] = dhlo.reshape %[[X]] : (tensor<?x32x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
// CHECK-NOT: dhlo.reshape %[[X]]
// CHECK: dlhlo.fusion row(%[[V]])
// CHECK-COUNT-2: dhlo.reduce sum
// CHECK-NOT: dhlo.reduce
// CHECK-NOT: dlhlo.fusion
func.func @views_of_rows(%x: tensor<?x32x?xf32, #dhlo.dims<B, S>>) -> tensor<?x32x?xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %0 = dhlo.reshape %x : (tensor<?x32x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reduce sum %0 axes = [2, 3] : (tensor<?x4x8x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.broadcast %1 axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.reshape %x : (tensor<?x32x?xf32, #dhlo.dims<B, S>>) -> tensor<?x32x1x?xf32, #dhlo.dims<B, S>>
  %4 = dhlo.reshape %3 : (tensor<?x32x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %5 = dhlo.sub %4, %2 : tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %6 = dhlo.mul %5, %5 : tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %7 = dhlo.reduce sum %6 axes = [2, 3] : (tensor<?x4x8x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  %8 = dhlo.rsqrt %7 : tensor<?x4xf32, #dhlo.dims<B>>
  %9 = dhlo.broadcast %8 axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %10 = dhlo.sub %0, %2 : tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %11 = dhlo.mul %10, %9 : tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  %12 = dhlo.reshape %11 : (tensor<?x4x8x?xf32, #dhlo.dims<B, S>>) -> tensor<?x32x?xf32, #dhlo.dims<B, S>>
  return %12 : tensor<?x32x?xf32, #dhlo.dims<B, S>>
}

// Views of one element that undo each other leave nothing in the kernel.
// CHECK-LABEL: func.func @there_and_back
// CHECK: dlhlo.fusion row
// CHECK: %[[S:.*]] = dhlo.reduce sum
// CHECK-NEXT: %[[N:.*]] = dhlo.neg %[[S]]
// CHECK-NEXT: dlhlo.yield %[[N]]
func.func @there_and_back(%x: tensor<1x64xf32>) -> tensor<1xf32> attributes {dhlo.entry} {
  %0 = dhlo.exp %x : tensor<1x64xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<1x64xf32>) -> tensor<1xf32>
  %2 = dhlo.reshape %1 : (tensor<1xf32>) -> tensor<1x1xf32>
  %3 = dhlo.reshape %2 : (tensor<1x1xf32>) -> tensor<1xf32>
  %4 = dhlo.neg %3 : tensor<1xf32>
  return %4 : tensor<1xf32>
}

// Indices that are sums of iotas are computed where they are used, by each of the
// gathers.
// CHECK-LABEL: func.func @indices
// CHECK-NOT: dhlo.iota
// CHECK-COUNT-2: dlhlo.fusion loop
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @indices(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<N>>) -> (tensor<3x4xf32>, tensor<3x4xf32>) attributes {dhlo.entry} {
  %0 = dhlo.iota axis = 0 start = [1] step = [2] : tensor<3x4xi64>
  %1 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<3x4xi64>
  %2 = dhlo.add %0, %1 : tensor<3x4xi64>
  %3 = dhlo.gather %x, %2 axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<3x4xi64>) -> tensor<3x4xf32>
  %4 = dhlo.gather %y, %2 axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<3x4xi64>) -> tensor<3x4xf32>
  return %3, %4 : tensor<3x4xf32>, tensor<3x4xf32>
}

// Windows of a transposed map read each element several times: the map is
// transposed once before that.
// CHECK-LABEL: func.func @windows_of_transposed
// CHECK: %[[T:.*]] = dlhlo.fusion transpose(%{{.*}})
// CHECK-NOT: dhlo.gather
// CHECK: dlhlo.fusion loop(%[[T]])
// CHECK: dhlo.gather
func.func @windows_of_transposed(%x: tensor<?x64x8xf32, #dhlo.dims<B>>) -> tensor<?x8x3x62xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %t = dhlo.transpose %x permutation = [0, 2, 1] : (tensor<?x64x8xf32, #dhlo.dims<B>>) -> tensor<?x8x64xf32, #dhlo.dims<B>>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<3x62xi64>
  %1 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<3x62xi64>
  %2 = dhlo.add %0, %1 : tensor<3x62xi64>
  %3 = dhlo.gather %t, %2 axis = 2 batch = 0 : (tensor<?x8x64xf32, #dhlo.dims<B>>, tensor<3x62xi64>) -> tensor<?x8x3x62xf32, #dhlo.dims<B>>
  return %3 : tensor<?x8x3x62xf32, #dhlo.dims<B>>
}
