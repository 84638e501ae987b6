// Two layers on rows of the tokens that are there have the values of the whole grid,
// interpreted and compiled: a mean over tokens and a first-token head read them. Random
// masks have holes; some sentences have no token that is there.
// RUN: dyn-opt %s -dhlo-remove-padding=min-intensity=0 -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-compile %t.mlir -o %t.so
// RUN: dyn-run --reference %s --input ids=random:2x5:0:8 --input mask=random:2x5 --seed=1 --output %t.npz
// RUN: dyn-run --reference %t.mlir --input ids=random:2x5:0:8 --input mask=random:2x5 --seed=1 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input ids=random:2x5:0:8 --input mask=random:2x5 --seed=1 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input ids=random:3x1:0:8 --input mask=random:3x1 --seed=2 --output %t.npz
// RUN: dyn-run --reference %t.mlir --input ids=random:3x1:0:8 --input mask=random:3x1 --seed=2 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input ids=random:3x1:0:8 --input mask=random:3x1 --seed=2 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input ids=random:1x7:0:8 --input mask=random:1x7 --seed=3 --output %t.npz
// RUN: dyn-run --reference %t.mlir --input ids=random:1x7:0:8 --input mask=random:1x7 --seed=3 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input ids=random:1x7:0:8 --input mask=random:1x7 --seed=3 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input ids=random:4x3:0:8 --input mask=random:4x3 --seed=4 --output %t.npz
// RUN: dyn-run --reference %t.mlir --input ids=random:4x3:0:8 --input mask=random:4x3 --seed=4 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input ids=random:4x3:0:8 --input mask=random:4x3 --seed=4 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input ids=random:0x4:0:8 --input mask=random:0x4 --seed=5 --output %t.npz
// RUN: dyn-run --reference %t.mlir --input ids=random:0x4:0:8 --input mask=random:0x4 --seed=5 --check %t.npz --tolerance 1e-6
// RUN: dyn-run %t.so --input ids=random:0x4:0:8 --input mask=random:0x4 --seed=5 --check %t.npz --tolerance 1e-5
// No token is there, and all are.
// RUN: dyn-run --reference %s --input ids=random:3x4:0:8 --input mask=random:3x4:0:1 --output %t.npz
// RUN: dyn-run %t.so --input ids=random:3x4:0:8 --input mask=random:3x4:0:1 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input ids=random:3x4:0:8 --input mask=random:3x4:1:2 --output %t.npz
// RUN: dyn-run %t.so --input ids=random:3x4:0:8 --input mask=random:3x4:1:2 --check %t.npz --tolerance 1e-5

// CHECK:         dhlo.nonzero
// CHECK-COUNT-4: dhlo.dot_general {{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
dhlo.dim @B in [0, 8]
dhlo.dim @S in [1, 64]
func.func @main(%ids: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "ids"}, %mask: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "mask"})
    -> (tensor<?x8xf32, #dhlo.dims<B>> {dhlo.name = "mean"}, tensor<?x1x8xf32, #dhlo.dims<B>> {dhlo.name = "first"}) attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[0.5, 0.0, 1.0, 0.0, 0.0, 0.25, 0.0, 0.0], [0.0, 0.5, 0.0, 1.0, 0.0, 0.0, -0.5, 0.0], [1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]]> : tensor<8x8xf32>
  %g = dhlo.constant dense<1.5> : tensor<8xf32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %lowest = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %f = dhlo.gather %w, %ids axis = 0 batch = 0 : (tensor<8x8xf32>, tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %pos = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<S>>
  %scaled = dhlo.broadcast %pos axes = [1] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %e = dhlo.add %f, %scaled : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %i = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xi1, #dhlo.dims<B, S>>
  %j = dhlo.reshape %i : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %ls = dhlo.broadcast %lowest axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %j, %zs, %ls : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %n0 = dhlo.layer_norm %e, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %q0 = dhlo.dot_general %n0, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h0 = dhlo.reshape %q0 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %t0 = dhlo.transpose %h0 permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %a0 = dhlo.attention %t0, %t0, %t0 mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u0 = dhlo.transpose %a0 permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v0 = dhlo.reshape %u0 : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p0 = dhlo.dot_general %v0, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %r0 = dhlo.add %e, %p0 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %n1 = dhlo.layer_norm %r0, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %q1 = dhlo.dot_general %n1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h1 = dhlo.reshape %q1 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %t1 = dhlo.transpose %h1 permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %a1 = dhlo.attention %t1, %t1, %t1 mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u1 = dhlo.transpose %a1 permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v1 = dhlo.reshape %u1 : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p1 = dhlo.dot_general %v1, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %r1 = dhlo.add %r0, %p1 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %c = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %m = dhlo.broadcast %c axes = [0, 1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %d = dhlo.mul %r1, %m : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.reduce sum %d axes = [1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %o = dhlo.slice %r1 starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s, %o : tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x1x8xf32, #dhlo.dims<B>>
}
