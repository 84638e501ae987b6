// RUN: dyn-opt %s --dlhlo-fuse=device=true --dlhlo-verify-fusions | FileCheck %s
// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-verify-fusions | FileCheck %s --check-prefix=CPU

dhlo.dim @B in [1, 64]
dhlo.dim @S in [1, 512]
dhlo.dim @T = @S + 1

// Attention on a device reads heads where one matmul has put them all, and
// turns queries by their positions. Keys are turned once, for all who read them.
// CHECK-LABEL: func.func @packed
// CHECK: dlhlo.fusion contraction
// CHECK: %[[KEYS:.*]] = dlhlo.fusion loop(%{{.*}}, %arg2)
// CHECK:   dhlo.slice
// CHECK:   dhlo.concat
// CHECK: dlhlo.fusion attention(
// CHECK-SAME: %[[KEYS]]
// CHECK:   dhlo.slice
// CHECK:   dhlo.neg
// CHECK:   dhlo.concat
// CHECK:   dhlo.attention
// CHECK:   dhlo.transpose
// CHECK:   dlhlo.yield
// CHECK-NOT: dlhlo.fusion
// CPU-LABEL: func.func @packed
// CPU: dlhlo.fusion contraction
// CPU-COUNT-3: dlhlo.fusion loop
// CPU: dlhlo.fusion attention
func.func @packed(%x: tensor<?x?x16xf32, #dhlo.dims<B, S>>, %w: tensor<16x48xf32>, %c: tensor<?x8xf32, #dhlo.dims<S>>)
    -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x16xf32, #dhlo.dims<B, S>>, tensor<16x48xf32>) -> tensor<?x?x48xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reshape %0 : (tensor<?x?x48xf32, #dhlo.dims<B, S>>) -> tensor<?x?x6x8xf32, #dhlo.dims<B, S>>
  %q0 = dhlo.slice %1 starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<?x?x6x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
  %k0 = dhlo.slice %1 starts = [0, 0, 2, 0] strides = [1, 1, 1, 1] : (tensor<?x?x6x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
  %v0 = dhlo.slice %1 starts = [0, 0, 4, 0] strides = [1, 1, 1, 1] : (tensor<?x?x6x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
  %q = dhlo.transpose %q0 permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %k = dhlo.transpose %k0 permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %v = dhlo.transpose %v0 permutation = [0, 2, 1, 3] : (tensor<?x?x2x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.broadcast %c axes = [2, 3] : (tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %q1 = dhlo.slice %q starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %q2 = dhlo.slice %q starts = [0, 0, 0, 4] strides = [1, 1, 1, 1] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %q3 = dhlo.neg %q2 : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %q4 = dhlo.concat %q3, %q1 axis = 3 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %q5 = dhlo.mul %q4, %p : tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %q6 = dhlo.add %q, %q5 : tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %k1 = dhlo.slice %k starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %k2 = dhlo.slice %k starts = [0, 0, 0, 4] strides = [1, 1, 1, 1] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %k3 = dhlo.neg %k2 : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %k4 = dhlo.concat %k3, %k1 axis = 3 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %k5 = dhlo.mul %k4, %p : tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %k6 = dhlo.add %k, %k5 : tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %y = dhlo.attention %q6, %k6, %v scale = 0.5 : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  %z = dhlo.transpose %y permutation = [0, 2, 1, 3] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
  return %z : tensor<?x?x2x8xf32, #dhlo.dims<B, S>>
}

// Past keys and those of this step are not copied together.
// CHECK-LABEL: func.func @cache
// CHECK: dlhlo.fusion attention(
// CHECK:   dhlo.concat
// CHECK:   dhlo.attention
// CHECK-NOT: dlhlo.fusion
// CPU-LABEL: func.func @cache
// CPU: dlhlo.fusion loop
// CPU: dlhlo.fusion attention
func.func @cache(%q: tensor<?x2x1x8xf32, #dhlo.dims<B>>, %past: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x1x8xf32, #dhlo.dims<B>>)
    -> tensor<?x2x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.concat %past, %k axis = 2 : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x1x8xf32, #dhlo.dims<B>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, T>>
  %y = dhlo.attention %q, %0, %0 scale = 0.5 : (tensor<?x2x1x8xf32, #dhlo.dims<B>>, tensor<?x2x?x8xf32, #dhlo.dims<B, T>>, tensor<?x2x?x8xf32, #dhlo.dims<B, T>>) -> tensor<?x2x1x8xf32, #dhlo.dims<B>>
  return %y : tensor<?x2x1x8xf32, #dhlo.dims<B>>
}
