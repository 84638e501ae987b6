// Rows that a mask keeps out of all others, and that the model drops, are not computed.
// RUN: dyn-opt %s -split-input-file -dhlo-remove-padding=min-intensity=0 -verify-diagnostics -canonicalize -cse | FileCheck %s

// A multiplication by the mask drops rows; attention gets its grid by gathers.
dhlo.dim @B
dhlo.dim @S
// CHECK: dhlo.dim @tokens in [0, ?]
// CHECK-LABEL: func.func @pooled
// CHECK:       %[[INDICES:.*]] = dhlo.nonzero %{{.*}} binds @tokens : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2xi64, #dhlo.dims<tokens>>
// CHECK:       dhlo.cumulative sum
// CHECK:       dhlo.gather %{{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK:       dhlo.dot_general {{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK:       dhlo.gather {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
// CHECK:       dhlo.attention
// CHECK:       dhlo.gather {{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK:       dhlo.gelu erf {{.*}} : tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK-NOT:   dhlo.dot_general
// CHECK:       %[[GRID:.*]] = dhlo.gather {{.*}} -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
// CHECK:       %[[DROPPED:.*]] = dhlo.select %{{.*}}, %[[GRID]], %{{.*}} : tensor<?x?x8xi1
// CHECK:       dhlo.reduce sum
func.func @pooled(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>,
                  // expected-remark @below {{padding is removed: no row where 'mask' is zero reaches an output; 1 contraction is computed on the other rows}}
                  %mask: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %0 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %t = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %i = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xi1, #dhlo.dims<B, S>>
  %k = dhlo.reshape %i : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %t, %t, %t mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %g = dhlo.gelu erf %v : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %f = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %m = dhlo.broadcast %f axes = [0, 1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %d = dhlo.mul %g, %m : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.reduce sum %d axes = [1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x8xf32, #dhlo.dims<B>>
}

// -----

// A first-token head reads rows that may be masked: they stay. So do all rows of a
// sentence whose rows see removed keys for want of others.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @first
// CHECK-DAG:   dhlo.compare gt {{.*}} : tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
// CHECK-DAG:   dhlo.reduce or
// CHECK:       dhlo.nonzero
// CHECK:       dhlo.attention
// CHECK-NOT:   dhlo.slice {{.*}}xf32
// CHECK:       dhlo.dot_general {{.*}} -> tensor<?x8xf32, #dhlo.dims<tokens>>
// CHECK:       %[[SEATS:.*]] = dhlo.slice %{{.*}} starts = [0, 0] strides = [1, 1] : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x1xi64, #dhlo.dims<B>>
// CHECK:       dhlo.gather {{.*}} -> tensor<?x8xf32, #dhlo.dims<B>>
func.func @first(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>,
                 // expected-remark @below {{padding is removed: no row where 'mask' is zero}}
                 %mask: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x1x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 256, key = "w"> : tensor<8x8xf32>
  %c = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %one = dhlo.constant dense<1.0> : tensor<f32>
  %f = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %r = dhlo.reshape %f : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %ones = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %n = dhlo.sub %ones, %r : tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.mul %n, %cs : tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %u = dhlo.transpose %a permutation = [0, 2, 1, 3] : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %v = dhlo.reshape %u : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %v, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.slice %p starts = [0, 0, 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x1x8xf32, #dhlo.dims<B>>
  return %s : tensor<?x1x8xf32, #dhlo.dims<B>>
}

// -----

// Masked rows are part of an output.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @whole
// CHECK-NOT:   dhlo.nonzero
func.func @whole(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"})
    -> (tensor<?x2x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "hidden"}) attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: masked rows are part of the output 'hidden'; --unpad=mask makes them zeros}}
  return %a : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
}

// -----

// A softmax over positions mixes rows.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @mixed
// CHECK-NOT:   dhlo.nonzero
func.func @mixed(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %k = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: rows are not kept apart by dhlo.softmax}}
  %s = dhlo.softmax %a axis = 2 : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %b = dhlo.attention %s, %s, %s mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %m = dhlo.broadcast %mask axes = [0, 2] : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xi1, #dhlo.dims<B, S>>
  %y = dhlo.select %m, %b, %zs : tensor<?x2x?x4xi1, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  return %y : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
}

// -----

// What is added does not remove keys whatever the scores are.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @weak
// CHECK-NOT:   dhlo.nonzero
func.func @weak(%x: tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi1, #dhlo.dims<B, S>> {dhlo.name = "mask"}) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<-100.0> : tensor<f32>
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %i = dhlo.reshape %mask : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  %cs = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %zs = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %k = dhlo.select %i, %zs, %cs : tensor<?x1x1x?xi1, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  // expected-remark @below {{padding stays: the mask of this attention leaves keys of masked rows in: it adds -1.000000e+02, beside which great scores are not lost}}
  %a = dhlo.attention %x, %x, %x mask %k scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  return %a : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
}
