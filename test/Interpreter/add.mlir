// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @add{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, nan, inf, 4, 0.3, 0]
func.func @add() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0x7F800000, 1.0, 0.1, -0.0]> : tensor<6xf32>
  %y = dhlo.constant dense<[1.0, 0xFF800000, 0.0, 3.0, 0.2, 0.0]> : tensor<6xf32>
  %z = dhlo.add %x, %y : tensor<6xf32>
  return %z : tensor<6xf32>
}

// CHECK-LABEL: @add_wraps{{$}}
// CHECK-NEXT:    tensor<3xi8> [-128, 127, -56]
func.func @add_wraps() -> tensor<3xi8> {
  %x = dhlo.constant dense<[127, -128, 100]> : tensor<3xi8>
  %y = dhlo.constant dense<[1, -1, 100]> : tensor<3xi8>
  %z = dhlo.add %x, %y : tensor<3xi8>
  return %z : tensor<3xi8>
}

// CHECK-LABEL: @add_unsigned{{$}}
// CHECK-NEXT:    tensor<2xui8> [0, 44]
func.func @add_unsigned() -> tensor<2xui8> {
  %x = dhlo.constant dense<[255, 200]> : tensor<2xui8>
  %y = dhlo.constant dense<[1, 100]> : tensor<2xui8>
  %z = dhlo.add %x, %y : tensor<2xui8>
  return %z : tensor<2xui8>
}

// CHECK-LABEL: @add_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [2048, inf]
func.func @add_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[2048.0, 65504.0]> : tensor<2xf16>
  %y = dhlo.constant dense<[1.0, 16.0]> : tensor<2xf16>
  %z = dhlo.add %x, %y : tensor<2xf16>
  return %z : tensor<2xf16>
}

// CHECK-LABEL: @add_bf16{{$}}
// CHECK-NEXT:    tensor<2xbf16> [256, 260]
func.func @add_bf16() -> tensor<2xbf16> {
  %x = dhlo.constant dense<[256.0, 256.0]> : tensor<2xbf16>
  %y = dhlo.constant dense<[1.0, 3.0]> : tensor<2xbf16>
  %z = dhlo.add %x, %y : tensor<2xbf16>
  return %z : tensor<2xbf16>
}

// CHECK-LABEL: @add_f64{{$}}
// CHECK-NEXT:    tensor<1xf64> [0.30000000000000004]
func.func @add_f64() -> tensor<1xf64> {
  %x = dhlo.constant dense<[0.1]> : tensor<1xf64>
  %y = dhlo.constant dense<[0.2]> : tensor<1xf64>
  %z = dhlo.add %x, %y : tensor<1xf64>
  return %z : tensor<1xf64>
}
