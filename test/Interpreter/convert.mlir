// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Ties go to even; f16 has 11 bits.
// CHECK-LABEL: @narrow_f16{{$}}
// CHECK-NEXT:    tensor<7xf16> [2048, 2052, 65504, inf, 0, 6e-08, nan]
func.func @narrow_f16() -> tensor<7xf16> {
  %x = dhlo.constant dense<[2049.0, 2051.0, 65519.0, 65520.0, 1.0e-8, 5.97e-8, 0x7FC00000]> : tensor<7xf32>
  %y = dhlo.convert %x : (tensor<7xf32>) -> tensor<7xf16>
  return %y : tensor<7xf16>
}

// CHECK-LABEL: @narrow_bf16{{$}}
// CHECK-NEXT:    tensor<4xbf16> [256, 260, inf, nan]
func.func @narrow_bf16() -> tensor<4xbf16> {
  %x = dhlo.constant dense<[257.0, 259.0, 3.4e38, 0x7FC00000]> : tensor<4xf32>
  %y = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// One rounding, not one to f32 and another to f16.
// CHECK-LABEL: @narrow_f64{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.001]
func.func @narrow_f64() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.00048828126]> : tensor<1xf64>
  %y = dhlo.convert %x : (tensor<1xf64>) -> tensor<1xf16>
  return %y : tensor<1xf16>
}

// CHECK-LABEL: @truncate{{$}}
// CHECK-NEXT:    tensor<4xi32> [1, -1, 0, 2147483520]
func.func @truncate() -> tensor<4xi32> {
  %x = dhlo.constant dense<[1.9, -1.9, -0.5, 2147483520.0]> : tensor<4xf32>
  %y = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// Out of range: the nearest integer, and a data error.
// CHECK-LABEL: @out_of_range{{$}}
// CHECK-NEXT:    tensor<7xi8> [127, -128, 0, 127, -128, -128, 127]
// CHECK-NEXT:    dhlo.convert: float outside the range of the integer type
func.func @out_of_range() -> tensor<7xi8> {
  %x = dhlo.constant dense<[128.0, -129.0, 0x7FC00000, 0x7F800000, 0xFF800000, -128.9, 127.9]> : tensor<7xf32>
  %y = dhlo.convert %x : (tensor<7xf32>) -> tensor<7xi8>
  return %y : tensor<7xi8>
}

// Infinities are no error.
// CHECK-LABEL: @infinite{{$}}
// CHECK-NEXT:    tensor<2xi64> [9223372036854775807, -9223372036854775808]
// CHECK-NEXT:    tensor<2xui8> [255, 0]
// CHECK-NOT:     dhlo.convert
func.func @infinite() -> (tensor<2xi64>, tensor<2xui8>) {
  %x = dhlo.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
  %y = dhlo.convert %x : (tensor<2xf32>) -> tensor<2xi64>
  %z = dhlo.convert %x : (tensor<2xf32>) -> tensor<2xui8>
  return %y, %z : tensor<2xi64>, tensor<2xui8>
}

// CHECK-LABEL: @out_of_range_i64{{$}}
// CHECK-NEXT:    tensor<2xi64> [9223372036854775807, -9223372036854775808]
// CHECK-NEXT:    dhlo.convert: float outside the range of the integer type
func.func @out_of_range_i64() -> tensor<2xi64> {
  %x = dhlo.constant dense<[9.3e18, -9.3e18]> : tensor<2xf32>
  %y = dhlo.convert %x : (tensor<2xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: @to_unsigned{{$}}
// CHECK-NEXT:    tensor<2xui8> [255, 0]
func.func @to_unsigned() -> tensor<2xui8> {
  %x = dhlo.constant dense<[255.9, -0.9]> : tensor<2xf32>
  %y = dhlo.convert %x : (tensor<2xf32>) -> tensor<2xui8>
  return %y : tensor<2xui8>
}

// CHECK-LABEL: @negative_to_unsigned{{$}}
// CHECK-NEXT:    tensor<3xui64> [0, 18446744073709551615, 10000000000000000000]
// CHECK-NEXT:    dhlo.convert: float outside the range of the integer type
func.func @negative_to_unsigned() -> tensor<3xui64> {
  %x = dhlo.constant dense<[-1.0, 1.8446744073709552e19, 1.0e19]> : tensor<3xf64>
  %y = dhlo.convert %x : (tensor<3xf64>) -> tensor<3xui64>
  return %y : tensor<3xui64>
}

// CHECK-LABEL: @wrap{{$}}
// CHECK-NEXT:    tensor<3xi8> [-128, 127, 44]
func.func @wrap() -> tensor<3xi8> {
  %x = dhlo.constant dense<[128, -129, 300]> : tensor<3xi32>
  %y = dhlo.convert %x : (tensor<3xi32>) -> tensor<3xi8>
  return %y : tensor<3xi8>
}

// CHECK-LABEL: @sign{{$}}
// CHECK-NEXT:    tensor<1xui8> [255]
func.func @sign() -> tensor<1xui8> {
  %x = dhlo.constant dense<[-1]> : tensor<1xi8>
  %y = dhlo.convert %x : (tensor<1xi8>) -> tensor<1xui8>
  return %y : tensor<1xui8>
}

// CHECK-LABEL: @extend{{$}}
// CHECK-NEXT:    tensor<1xi64> [-1]
func.func @extend() -> tensor<1xi64> {
  %x = dhlo.constant dense<[-1]> : tensor<1xi8>
  %y = dhlo.convert %x : (tensor<1xi8>) -> tensor<1xi64>
  return %y : tensor<1xi64>
}

// CHECK-LABEL: @extend_unsigned{{$}}
// CHECK-NEXT:    tensor<1xi64> [255]
func.func @extend_unsigned() -> tensor<1xi64> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.convert %x : (tensor<1xui8>) -> tensor<1xi64>
  return %y : tensor<1xi64>
}

// CHECK-LABEL: @to_bool{{$}}
// CHECK-NEXT:    tensor<4xi1> [false, false, true, true]
func.func @to_bool() -> tensor<4xi1> {
  %x = dhlo.constant dense<[0.0, -0.0, 0.5, 0x7FC00000]> : tensor<4xf32>
  %y = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// CHECK-LABEL: @from_bool{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 0]
func.func @from_bool() -> tensor<2xf32> {
  %x = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %y = dhlo.convert %x : (tensor<2xi1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @int_to_float{{$}}
// CHECK-NEXT:    tensor<2xf32> [16777216, -3]
func.func @int_to_float() -> tensor<2xf32> {
  %x = dhlo.constant dense<[16777217, -3]> : tensor<2xi32>
  %y = dhlo.convert %x : (tensor<2xi32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @int_to_half{{$}}
// CHECK-NEXT:    tensor<2xf16> [inf, 2048]
func.func @int_to_half() -> tensor<2xf16> {
  %x = dhlo.constant dense<[70000, 2049]> : tensor<2xi32>
  %y = dhlo.convert %x : (tensor<2xi32>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}
