// The last row of a layer has the values of all rows' last, interpreted and compiled: a
// residual connection, a norm, causal attention, a matmul, and a slice of it all.
// RUN: dyn-run --reference %s --input x=random:2x5x8 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-hoist-slices -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input x=random:2x5x8 --seed=7 --check %t.npz --tolerance 0
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so --input x=random:2x5x8 --seed=7 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:3x1x8 --seed=7 --output %t.1.npz
// RUN: dyn-run --reference %t.mlir --input x=random:3x1x8 --seed=7 --check %t.1.npz --tolerance 0
// RUN: dyn-run %t.so --input x=random:3x1x8 --seed=7 --check %t.1.npz --tolerance 1e-5

// All keys, one query, one row of what follows.
// CHECK:     dhlo.attention {{.*}} causal : {{.*}} -> tensor<?x2x1x4xf32
// CHECK:     dhlo.dot_general %{{.*}} -> tensor<?x1x8xf32
// CHECK:     dhlo.tanh %{{.*}} : tensor<?x1x8xf32
// CHECK-NOT: dhlo.slice
dhlo.dim @B in [1, 8]
dhlo.dim @S in [1, 64]
func.func @main(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>> {dhlo.name = "x"}) -> (tensor<?x1x8xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[0.5, 0.0, 1.0, 0.0, 0.0, 0.25, 0.0, 0.0], [0.0, 0.5, 0.0, 1.0, 0.0, 0.0, -0.5, 0.0],
      [1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0],
      [0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]]> : tensor<8x8xf32>
  %g = dhlo.constant dense<1.5> : tensor<8xf32>
  %n = dhlo.layer_norm %x, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %q = dhlo.dot_general %n, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %q : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %t = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %t, %t, %t scale = 0.5 causal : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %r = dhlo.add %x, %p : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %y = dhlo.tanh %r : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %l = dhlo.slice %y starts = [0, @S - 1, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %l : tensor<?x1x8xf32, #dhlo.dims<B>>
}
