// RUN: dyn-opt %s -dhlo-narrow-repeats | FileCheck %s

dhlo.dim @B
dhlo.dim @S

// Learned queries, expanded to the batch: the norm, the sum with positions, and the matmul are
// of one image, and heads are split before the repetition, too.
// CHECK-LABEL: func.func @queries
// CHECK: %[[W:.*]] = dhlo.weight {{.*}} : tensor<1x5x8xf32>
// CHECK: %[[N:.*]] = dhlo.layer_norm %[[W]]
// CHECK: %[[A:.*]] = dhlo.add %[[N]], %{{.*}} : tensor<1x5x8xf32>
// CHECK: %[[D:.*]] = dhlo.dot_general %[[A]], %arg1 {{.*}} -> tensor<1x5x8xf32>
// CHECK: dhlo.reshape %[[D]] : (tensor<1x5x8xf32>) -> tensor<1x5x2x4xf32>
// CHECK: %[[S:.*]] = dhlo.softmax %{{.*}} axis = 3 : tensor<1x5x2x4xf32>
// CHECK: %[[Y:.*]] = dhlo.broadcast %[[S]] axes = [0, 1, 2, 3]
// CHECK: return %[[Y]]
func.func @queries(%p: tensor<5x8xf32>, %m: tensor<8x8xf32>) -> tensor<?x5x2x4xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 160, key = "w"> : tensor<1x5x8xf32>
  %g = dhlo.constant dense<1.0> : tensor<8xf32>
  %0 = dhlo.broadcast %w axes = [0, 1, 2] : (tensor<1x5x8xf32>) -> tensor<?x5x8xf32, #dhlo.dims<B>>
  %1 = dhlo.broadcast %p axes = [1, 2] : (tensor<5x8xf32>) -> tensor<?x5x8xf32, #dhlo.dims<B>>
  %2 = dhlo.layer_norm %0, %g axis = 2 eps = 1.0e-5 : (tensor<?x5x8xf32, #dhlo.dims<B>>, tensor<8xf32>) -> tensor<?x5x8xf32, #dhlo.dims<B>>
  %3 = dhlo.add %2, %1 : tensor<?x5x8xf32, #dhlo.dims<B>>
  %4 = dhlo.dot_general %3, %m batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x5x8xf32, #dhlo.dims<B>>, tensor<8x8xf32>) -> tensor<?x5x8xf32, #dhlo.dims<B>>
  %5 = dhlo.reshape %4 : (tensor<?x5x8xf32, #dhlo.dims<B>>) -> tensor<?x5x2x4xf32, #dhlo.dims<B>>
  %6 = dhlo.softmax %5 axis = 3 : tensor<?x5x2x4xf32, #dhlo.dims<B>>
  return %6 : tensor<?x5x2x4xf32, #dhlo.dims<B>>
}

// Attention between them, and a product of matrices that are the same for the batch.
// CHECK-LABEL: func.func @shared
// CHECK: %[[T:.*]] = dhlo.reshape %arg0 : (tensor<2x5x4xf32>) -> tensor<1x2x5x4xf32>
// CHECK: dhlo.attention %[[T]], %[[T]], %[[T]] {{.*}} -> tensor<1x2x5x4xf32>
// CHECK: dhlo.dot_general %[[T]], %[[T]] batch = 2 {{.*}} -> tensor<1x2x5x5xf32>
func.func @shared(%x: tensor<2x5x4xf32>) -> (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x5x5xf32, #dhlo.dims<B>>) {
  %0 = dhlo.broadcast %x axes = [1, 2, 3] : (tensor<2x5x4xf32>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  %1 = dhlo.attention %0, %0, %0 scale = 0.5 : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x5x4xf32, #dhlo.dims<B>>) -> tensor<?x2x5x4xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %0, %0 batch = 2 lhs_contract = [3] rhs_contract = [3] : (tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x5x4xf32, #dhlo.dims<B>>) -> tensor<?x2x5x5xf32, #dhlo.dims<B>>
  return %1, %2 : tensor<?x2x5x4xf32, #dhlo.dims<B>>, tensor<?x2x5x5xf32, #dhlo.dims<B>>
}

// Not narrowed: a softmax along the repeated axis; an operand that differs for each row; an axis
// that is repeated only if its size is 1; a division of integers, which may fail, but not for an
// empty batch; nothing but elementwise operations.
// CHECK-LABEL: func.func @wide
// CHECK: dhlo.softmax %{{.*}} axis = 0 : tensor<?x8xf32, #dhlo.dims<B>>
// CHECK: dhlo.softmax %{{.*}} axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
// CHECK: dhlo.softmax %{{.*}} axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
// CHECK: dhlo.softmax %{{.*}} axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
// CHECK: dhlo.exp %{{.*}} : tensor<?x8xf32, #dhlo.dims<B>>
func.func @wide(%x: tensor<8xf32>, %y: tensor<?x8xf32, #dhlo.dims<B>>, %z: tensor<?x8xf32, #dhlo.dims<S>>, %i: tensor<8xi32>)
    -> (tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>) {
  %0 = dhlo.broadcast %x axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.softmax %0 axis = 0 : tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.add %0, %y : tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.softmax %2 axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
  %4 = dhlo.broadcast %z axes = [0, 1] : (tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %5 = dhlo.softmax %4 axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
  %6 = dhlo.broadcast %i axes = [1] : (tensor<8xi32>) -> tensor<?x8xi32, #dhlo.dims<B>>
  %7 = dhlo.div %6, %6 : tensor<?x8xi32, #dhlo.dims<B>>
  %8 = dhlo.convert %7 : (tensor<?x8xi32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %9 = dhlo.softmax %8 axis = 1 : tensor<?x8xf32, #dhlo.dims<B>>
  %10 = dhlo.exp %0 : tensor<?x8xf32, #dhlo.dims<B>>
  return %1, %3, %5, %9, %10 : tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>
}
