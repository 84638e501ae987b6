// What is repeated is multiplied once, and results are close to those before: interpreted
// and compiled, at sizes of one too.
// RUN: dyn-run --reference %s --input q=random:3x8 --input k=random:3x5x9 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-hoist-repeats -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input q=random:3x8 --input k=random:3x5x9 --seed=7 --check %t.npz --tolerance 1e-5
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so --input q=random:3x8 --input k=random:3x5x9 --seed=7 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input q=random:1x8 --input k=random:1x1x9 --seed=7 --output %t.1.npz
// RUN: dyn-run %t.so --input q=random:1x8 --input k=random:1x1x9 --seed=7 --check %t.1.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input q=random:2x8 --input k=random:2x0x9 --seed=7 --output %t.0.npz
// RUN: dyn-run %t.so --input q=random:2x8 --input k=random:2x0x9 --seed=7 --check %t.0.npz --tolerance 1e-5

// CHECK: dhlo.dot_general %arg0, %{{.*}} -> tensor<?x3xf32
// CHECK: dhlo.dot_general %{{.*}} : (tensor<?x?x26xf32
dhlo.dim @B in [0, 8]
dhlo.dim @S in [0, 64]
func.func @main(%q: tensor<?x8xf32, #dhlo.dims<B>> {dhlo.name = "q"}, %k: tensor<?x?x9xf32, #dhlo.dims<B, S>> {dhlo.name = "k"}) -> (tensor<?x?x3xf32, #dhlo.dims<B, S>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[-1.50, -0.25, 1.00], [0.25, 1.50, -0.50], [-1.25, 0.00, 1.25], [0.50, -1.50, -0.25], [-1.00, 0.25, 1.50], [0.75, -1.25, 0.00], [-0.75, 0.50, -1.50], [1.00, -1.00, 0.25], [-0.50, 0.75, -1.25], [1.25, -0.75, 0.50], [-0.25, 1.00, -1.00], [1.50, -0.50, 0.75], [0.00, 1.25, -0.75], [-1.50, -0.25, 1.00], [0.25, 1.50, -0.50], [-1.25, 0.00, 1.25], [0.50, -1.50, -0.25], [-1.00, 0.25, 1.50], [0.75, -1.25, 0.00], [-0.75, 0.50, -1.50], [1.00, -1.00, 0.25], [-0.50, 0.75, -1.25], [1.25, -0.75, 0.50], [-0.25, 1.00, -1.00], [1.50, -0.50, 0.75], [0.00, 1.25, -0.75], [-1.50, -0.25, 1.00], [0.25, 1.50, -0.50], [-1.25, 0.00, 1.25], [0.50, -1.50, -0.25], [-1.00, 0.25, 1.50], [0.75, -1.25, 0.00], [-0.75, 0.50, -1.50], [1.00, -1.00, 0.25]]> : tensor<34x3xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.slice %k starts = [0, 0, 1] strides = [1, 1, 1] : (tensor<?x?x9xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %2 = dhlo.sub %0, %1 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %3 = dhlo.concat %k, %0, %2, %k axis = 2 : (tensor<?x?x9xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x?x9xf32, #dhlo.dims<B, S>>) -> tensor<?x?x34xf32, #dhlo.dims<B, S>>
  %4 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x34xf32, #dhlo.dims<B, S>>, tensor<34x3xf32>) -> tensor<?x?x3xf32, #dhlo.dims<B, S>>
  return %4 : tensor<?x?x3xf32, #dhlo.dims<B, S>>
}
