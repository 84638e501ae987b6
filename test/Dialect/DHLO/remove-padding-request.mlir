// RUN: dyn-opt %s -split-input-file -dhlo-remove-padding=mask=mask -verify-diagnostics | FileCheck %s

// On request, rows of outputs are zeros where the mask is zero, and a mask of an exporter's -10000
// is one.

dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @output
// CHECK: dhlo.nonzero
// CHECK: dhlo.select {{.*}} : tensor<?x?x8xi1, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>
func.func @output(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>,
                  // expected-remark @below {{padding is removed: no row where 'mask' is zero reaches an output; 1 contraction is computed on the other rows}}
                  %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x?x8xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<-10000.0> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %p : tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// -----

// An entry alone is asked for its mask.
dhlo.dim @B
// CHECK-LABEL: func.func @no_entry
// CHECK-NEXT: return
func.func @no_entry(%x: tensor<?xf32, #dhlo.dims<B>>) {
  return
}
