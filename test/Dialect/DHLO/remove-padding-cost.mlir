// Narrow rows cost less than to move them; a remark says so.
// RUN: dyn-opt %s -dhlo-remove-padding -verify-diagnostics | FileCheck %s

dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:   dhlo.nonzero
func.func @narrow(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>,
                  // expected-remark @below {{padding stays: moving rows takes longer than the contractions of masked rows, 128 operations to 256 bytes}}
                  %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}
