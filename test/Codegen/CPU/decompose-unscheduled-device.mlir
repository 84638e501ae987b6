// RUN: dyn-opt %s -decompose-unscheduled=device -verify-diagnostics | FileCheck %s

// A GPU has kernels of attention for heads whose columns a thread has registers for.

// CHECK-LABEL: func.func @f32
// CHECK-NEXT:    dhlo.attention
func.func @f32(%q: tensor<1x2x4x256xf32>) -> tensor<1x2x4x256xf32> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x256xf32>, tensor<1x2x4x256xf32>, tensor<1x2x4x256xf32>) -> tensor<1x2x4x256xf32>
  return %0 : tensor<1x2x4x256xf32>
}

// Others are matmuls and a softmax.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: dhlo.dot_general
// CHECK-NOT:     dhlo.attention
func.func @wide(%q: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x257xf32>) -> tensor<1x2x4x257xf32> {
  // expected-remark @below {{attention is computed by matmuls and a softmax: a kernel of a GPU takes heads of values of 1 to 256 elements, found 'tensor<1x2x4x257xf32>'}}
  %0 = dhlo.attention %q, %q, %v scale = 1.0 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x257xf32>) -> tensor<1x2x4x257xf32>
  return %0 : tensor<1x2x4x257xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:     dhlo.attention
dhlo.dim @E in [1, 64]
func.func @dynamic(%q: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x?xf32, #dhlo.dims<E>>) -> tensor<1x2x4x?xf32, #dhlo.dims<E>> {
  // expected-remark @below {{found 'tensor<1x2x4x?xf32, #dhlo.dims<E>>'}}
  %0 = dhlo.attention %q, %q, %v scale = 1.0 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x?xf32, #dhlo.dims<E>>) -> tensor<1x2x4x?xf32, #dhlo.dims<E>>
  return %0 : tensor<1x2x4x?xf32, #dhlo.dims<E>>
}

// Tensor cores take full instructions along a head.
// CHECK-LABEL: func.func @f16
// CHECK-NEXT:    dhlo.attention {{.*}} -> tensor<1x2x4x16xf16>
func.func @f16(%q: tensor<1x2x4x16xf16>) -> tensor<1x2x4x16xf16> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x16xf16>, tensor<1x2x4x16xf16>, tensor<1x2x4x16xf16>) -> tensor<1x2x4x16xf16>
  return %0 : tensor<1x2x4x16xf16>
}

// Other heads go to f32 by conversions.
// CHECK-LABEL: func.func @part
// CHECK:         dhlo.attention {{.*}} -> tensor<1x2x4x8xf32>
func.func @part(%q: tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  return %0 : tensor<1x2x4x8xbf16>
}
