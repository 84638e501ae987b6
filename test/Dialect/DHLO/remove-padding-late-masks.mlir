// RUN: dyn-opt %s -split-input-file -dhlo-remove-padding=min-intensity=0 -verify-diagnostics | FileCheck %s

// Two layers of a decoder attend to the tokens of an encoder, and each computes the mask for
// itself. The second one's is computed in front of the first attention, which reads keys of
// rows that both masks keep.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @decoder
// CHECK:       dhlo.reshape %arg2
// CHECK:       %[[SEEN:.*]] = dhlo.select
// CHECK:       dhlo.nonzero
// CHECK:       dhlo.dot_general {{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK:       dhlo.attention %arg1, %{{.*}}, %{{.*}} mask %{{.*}}
// CHECK:       dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[SEEN]]
func.func @decoder(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %q: tensor<?x2x5x4xf32, #dhlo.dims<B>>,
    // expected-remark @below {{padding is removed: no row where}}
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x5x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %p = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %p : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %k = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %m = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %q, %k, %k mask %m scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  %0 = dhlo.constant dense<0.0> : tensor<f32>
  %1 = dhlo.constant dense<-3.0e38> : tensor<f32>
  %2 = dhlo.broadcast %0 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.broadcast %1 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %n = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %s = dhlo.select %n, %2, %3 : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %r = dhlo.attention %a, %k, %k mask %s scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  return %r : tensor<?x2x5x4xf32, #dhlo.dims<B>>
}

// -----

// Rows cannot be packed before a mask that follows from the attention that reads them.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @follows
// CHECK-NOT:   dhlo.nonzero
func.func @follows(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %q: tensor<?x2x5x4xf32, #dhlo.dims<B>>,
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x5x4xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %p = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %p : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %k = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %m = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: a mask of attention follows from this}}
  %a = dhlo.attention %q, %k, %k mask %m scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  %0 = dhlo.constant dense<0.0> : tensor<f32>
  %1 = dhlo.constant dense<-3.0e38> : tensor<f32>
  %2 = dhlo.broadcast %0 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.broadcast %1 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %4 = dhlo.slice %a starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<?x2x5x4xf32, #dhlo.dims<B>>) -> tensor<?x1x1x1xf32, #dhlo.dims<B>>
  %5 = dhlo.broadcast %4 axes = [0, 1, 2, 3] : (tensor<?x1x1x1xf32, #dhlo.dims<B>>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %6 = dhlo.compare gt %5, %2 : tensor<?x1x1x?xf32, #dhlo.dims<B, S>> -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %n = dhlo.and %m, %6 : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %s = dhlo.select %n, %2, %3 : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %r = dhlo.attention %a, %k, %k mask %s scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  return %r : tensor<?x2x5x4xf32, #dhlo.dims<B>>
}

// -----

// Nor is a mask moved over an operation that binds sizes.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @N
// CHECK-LABEL: func.func @sizes
// CHECK-NOT:   #dhlo.dims<tokens>
func.func @sizes(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %q: tensor<?x2x5x4xf32, #dhlo.dims<B>>,
    %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2xi64, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %p = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %p : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %k = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %m = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %q, %k, %k mask %m scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  %0 = dhlo.constant dense<0.0> : tensor<f32>
  %1 = dhlo.constant dense<-3.0e38> : tensor<f32>
  %2 = dhlo.broadcast %0 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.broadcast %1 axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: sizes are bound between attention and its mask}}
  %5 = dhlo.nonzero %mask binds @N : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2xi64, #dhlo.dims<N>>
  %n = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %s = dhlo.select %n, %2, %3 : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %r = dhlo.attention %a, %k, %k mask %s scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  return %r, %5 : tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2xi64, #dhlo.dims<N>>
}
