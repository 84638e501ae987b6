// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @mul{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, -inf, nan, 3, 0.020000001, -0]
func.func @mul() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0x7F800000, 1.0, 0.1, -0.0]> : tensor<6xf32>
  %y = dhlo.constant dense<[1.0, 0xFF800000, 0.0, 3.0, 0.2, 0.0]> : tensor<6xf32>
  %z = dhlo.mul %x, %y : tensor<6xf32>
  return %z : tensor<6xf32>
}

// CHECK-LABEL: @mul_wraps{{$}}
// CHECK-NEXT:    tensor<2xi8> [-2, -128]
func.func @mul_wraps() -> tensor<2xi8> {
  %x = dhlo.constant dense<[127, -128]> : tensor<2xi8>
  %y = dhlo.constant dense<[2, -1]> : tensor<2xi8>
  %z = dhlo.mul %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}

// CHECK-LABEL: @mul_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui32> [4294967294]
func.func @mul_unsigned() -> tensor<1xui32> {
  %x = dhlo.constant dense<[4294967295]> : tensor<1xui32>
  %y = dhlo.constant dense<[2]> : tensor<1xui32>
  %z = dhlo.mul %x, %y : tensor<1xui32>
  return %z : tensor<1xui32>
}

// CHECK-LABEL: @mul_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [inf, 0.009995]
func.func @mul_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[256.0, 0.1]> : tensor<2xf16>
  %y = dhlo.constant dense<[256.0, 0.1]> : tensor<2xf16>
  %z = dhlo.mul %x, %y : tensor<2xf16>
  return %z : tensor<2xf16>
}
