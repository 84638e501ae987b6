// RUN: dyn-opt %s -dhlo-decompose -split-input-file | FileCheck %s
// RUN: dyn-opt %s -dhlo-decompose=ops=softmax -split-input-file | FileCheck %s --check-prefix=ONLY

// CHECK-LABEL: func.func @softmax
// CHECK: %[[M:.*]] = dhlo.reduce max %arg0 axes = [1]
// CHECK: %[[S:.*]] = dhlo.sub %arg0
// CHECK: %[[E:.*]] = dhlo.exp %[[S]]
// CHECK: dhlo.reduce sum %[[E]] axes = [1]
// CHECK: dhlo.div %[[E]]
// ONLY-LABEL: func.func @softmax
// ONLY-NOT: dhlo.softmax
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dhlo.softmax %x axis = 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// f16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @rms_norm
// CHECK: %[[X:.*]] = dhlo.convert %arg0 : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK: %[[G:.*]] = dhlo.convert %arg1
// CHECK: dhlo.mul %[[X]], %[[X]] : tensor<2x3xf32>
// CHECK: dhlo.rsqrt %{{.*}} : tensor<2xf32>
// CHECK: %[[Z:.*]] = dhlo.mul %[[X]], %{{.*}} : tensor<2x3xf32>
// CHECK: %[[Y:.*]] = dhlo.mul %[[Z]], %{{.*}} : tensor<2x3xf32>
// CHECK: dhlo.convert %[[Y]] : (tensor<2x3xf32>) -> tensor<2x3xf16>
// ONLY-LABEL: func.func @rms_norm
// ONLY: dhlo.rms_norm
func.func @rms_norm(%x: tensor<2x3xf16>, %g: tensor<3xf16>) -> tensor<2x3xf16> {
  %0 = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-6 : (tensor<2x3xf16>, tensor<3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// -----

// The mean over dynamic axes divides by their size.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @layer_norm
// CHECK: dhlo.from_dims [8 * @S] : tensor<i64>
// CHECK-NOT: dhlo.layer_norm
func.func @layer_norm(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %g: tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>> {
  %0 = dhlo.layer_norm %x, %g axis = 1 eps = 1.0e-6
      : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %0 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// -----

// Groups of heads, whose number is a new size; a mask and the causal condition.
dhlo.dim @H in [2, ?]
dhlo.dim @G in [1, ?]
dhlo.dim @S
dhlo.dim @T
// CHECK: dhlo.dim @[[R:.*]] = @H floordiv @G
// CHECK-LABEL: func.func @attention
// CHECK: dhlo.broadcast %arg1 axes = [0, 1, 3, 4] : {{.*}} -> tensor<1x?x?x?x4xf32, #dhlo.dims<G, [[R]], T>>
// CHECK: dhlo.iota axis = 2 start = [{{.*}}@T{{.*}}]
// CHECK: dhlo.select
// CHECK: dhlo.dot_general
// CHECK-NOT: dhlo.attention
func.func @attention(%q: tensor<1x?x?x4xf32, #dhlo.dims<H, S>>, %k: tensor<1x?x?x4xf32, #dhlo.dims<G, T>>,
                     %v: tensor<1x?x?x4xf32, #dhlo.dims<G, T>>, %m: tensor<1x1x1x?xi1, #dhlo.dims<T>>) -> tensor<1x?x?x4xf32, #dhlo.dims<H, S>> {
  %0 = dhlo.attention %q, %k, %v mask %m scale = 0.5 causal
      : (tensor<1x?x?x4xf32, #dhlo.dims<H, S>>, tensor<1x?x?x4xf32, #dhlo.dims<G, T>>, tensor<1x?x?x4xf32, #dhlo.dims<G, T>>,
         tensor<1x1x1x?xi1, #dhlo.dims<T>>) -> tensor<1x?x?x4xf32, #dhlo.dims<H, S>>
  return %0 : tensor<1x?x?x4xf32, #dhlo.dims<H, S>>
}

// What has no decomposition stays.
// CHECK-LABEL: func.func @resize
// CHECK: dhlo.resize
func.func @resize(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0, 1.0, 2.0, 2.0] coefficient = -0.75 : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
