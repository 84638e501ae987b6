// What is computed before the repetition has the bits of what is computed after it, interpreted
// and compiled, of no image and of one, too.
// RUN: dyn-run --reference %s --input x=random:3x4x8 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-narrow-repeats -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input x=random:3x4x8 --seed=7 --check %t.npz --tolerance 0
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so --input x=random:3x4x8 --seed=7 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:1x4x8 --seed=7 --output %t.1.npz
// RUN: dyn-run %t.so --input x=random:1x4x8 --seed=7 --check %t.1.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:0x4x8 --seed=7 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:0x4x8 --seed=7 --check %t.0.npz --tolerance 1e-5

// CHECK: dhlo.layer_norm {{.*}} -> tensor<1x2x8xf32>
// CHECK: dhlo.dot_general {{.*}} -> tensor<1x2x8xf32>
// CHECK: dhlo.dot_general {{.*}} -> tensor<?x2x4xf32
dhlo.dim @B in [0, 8]
func.func @main(%x: tensor<?x4x8xf32, #dhlo.dims<B>> {dhlo.name = "x"}) -> (tensor<?x2x4xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %q = dhlo.constant dense<[[[0.5, 1.0, -1.0, 2.0, 0.25, 0.0, 1.5, -0.5], [1.0, 0.0, 0.5, -2.0, 0.75, 1.0, -1.0, 0.5]]]> : tensor<1x2x8xf32>
  %g = dhlo.constant dense<1.5> : tensor<8xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<8x8xf32>
  %j = dhlo.iota axis = 1 start = [1] step = [2] : tensor<8x8xf32>
  %w = dhlo.sub %i, %j : tensor<8x8xf32>
  %0 = dhlo.broadcast %q axes = [0, 1, 2] : (tensor<1x2x8xf32>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %1 = dhlo.layer_norm %0, %g axis = 2 eps = 1.0e-5 : (tensor<?x2x8xf32, #dhlo.dims<B>>, tensor<8xf32>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x2x8xf32, #dhlo.dims<B>>, tensor<8x8xf32>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %3 = dhlo.dot_general %2, %x batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<?x2x8xf32, #dhlo.dims<B>>, tensor<?x4x8xf32, #dhlo.dims<B>>) -> tensor<?x2x4xf32, #dhlo.dims<B>>
  return %3 : tensor<?x2x4xf32, #dhlo.dims<B>>
}
