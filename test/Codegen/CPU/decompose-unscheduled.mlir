// RUN: dyn-opt %s -decompose-unscheduled | FileCheck %s

// Attention has a kernel for f32 alone: of f16 it goes there by conversions.
// CHECK-LABEL: func.func @f16
// CHECK: %[[Y:.*]] = dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 causal : {{.*}} -> tensor<1x2x4x8xf32>
// CHECK: dhlo.convert %[[Y]] : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf16>
func.func @f16(%q: tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16>
  return %0 : tensor<1x2x4x8xf16>
}

// CHECK-LABEL: func.func @f64
// CHECK-COUNT-2: dhlo.dot_general
// CHECK-NOT: dhlo.attention
func.func @f64(%q: tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64>
  return %0 : tensor<1x2x4x8xf64>
}

// What has a kernel stays whole.
// CHECK-LABEL: func.func @f32
// CHECK: dhlo.attention
// CHECK: dhlo.softmax
func.func @f32(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %1 = dhlo.softmax %0 axis = 3 : tensor<1x2x4x8xf32>
  return %1 : tensor<1x2x4x8xf32>
}
