// RUN: dyn-opt %s -canonicalize | FileCheck %s
// Each operation on constants: what its bits are, and what stays an operation
// because it is a data error, a NaN or no exact value.

// CHECK-LABEL: func.func @add_wraps()
func.func @add_wraps() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-128, 127]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[127, -128]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, -1]> : tensor<2xi8>
  %r = dhlo.add %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @add_unsigned()
func.func @add_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[0, 2]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 1]> : tensor<2xui8>
  %b = dhlo.constant dense<[1, 1]> : tensor<2xui8>
  %r = dhlo.add %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @add_float()
func.func @add_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[3.500000e+00, 0x7F800000]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %r = dhlo.add %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @add_nan()
func.func @add_nan() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.add
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 0xFF800000]> : tensor<2xf32>
  %r = dhlo.add %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @sub_wraps()
func.func @sub_wraps() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[127, -2]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-128, 5]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 7]> : tensor<2xi8>
  %r = dhlo.sub %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @sub_float()
func.func @sub_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-5.000000e-01, 2.500000e-01]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.5, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 0.75]> : tensor<2xf32>
  %r = dhlo.sub %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @mul_wraps()
func.func @mul_wraps() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[0, -128]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[64, -128]> : tensor<2xi8>
  %b = dhlo.constant dense<[4, -1]> : tensor<2xi8>
  %r = dhlo.mul %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @mul_float()
func.func @mul_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[3.000000e+00, -0.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.5, -0.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %r = dhlo.mul %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @mul_overflows()
func.func @mul_overflows() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[0x7F800000, 6.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.0e38, 2.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[10.0, 3.0]> : tensor<2xf32>
  %r = dhlo.mul %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @div_truncates()
func.func @div_truncates() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[3, -3]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7, -7]> : tensor<2xi8>
  %b = dhlo.constant dense<[2, 2]> : tensor<2xi8>
  %r = dhlo.div %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @div_min()
func.func @div_min() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-128, 2]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-128, 6]> : tensor<2xi8>
  %b = dhlo.constant dense<[-1, 3]> : tensor<2xi8>
  %r = dhlo.div %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @div_unsigned()
func.func @div_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[127, 1]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 7]> : tensor<2xui8>
  %b = dhlo.constant dense<[2, 7]> : tensor<2xui8>
  %r = dhlo.div %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @div_zero()
func.func @div_zero() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.div
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7, -7]> : tensor<2xi8>
  %b = dhlo.constant dense<[2, 0]> : tensor<2xi8>
  %r = dhlo.div %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @div_float_zero()
func.func @div_float_zero() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[3.500000e+00, 0xFF800000]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7.0, -7.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 0.0]> : tensor<2xf32>
  %r = dhlo.div %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @rem_sign()
func.func @rem_sign() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[1, -1]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7, -7]> : tensor<2xi8>
  %b = dhlo.constant dense<[3, 3]> : tensor<2xi8>
  %r = dhlo.rem %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @rem_unsigned()
func.func @rem_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[15, 3]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 7]> : tensor<2xui8>
  %b = dhlo.constant dense<[16, 4]> : tensor<2xui8>
  %r = dhlo.rem %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @rem_zero()
func.func @rem_zero() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.rem
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7, -7]> : tensor<2xi8>
  %b = dhlo.constant dense<[3, 0]> : tensor<2xi8>
  %r = dhlo.rem %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @rem_float()
func.func @rem_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.rem
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[7.5, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %r = dhlo.rem %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @maximum_signed()
func.func @maximum_signed() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[1, 3]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 3]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.maximum %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @maximum_unsigned()
func.func @maximum_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[255, 4]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 3]> : tensor<2xui8>
  %b = dhlo.constant dense<[1, 4]> : tensor<2xui8>
  %r = dhlo.maximum %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @maximum_zeros()
func.func @maximum_zeros() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-0.0, 0.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %r = dhlo.maximum %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @minimum_signed()
func.func @minimum_signed() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 3]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.minimum %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @minimum_unsigned()
func.func @minimum_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[1, 3]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 3]> : tensor<2xui8>
  %b = dhlo.constant dense<[1, 4]> : tensor<2xui8>
  %r = dhlo.minimum %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @minimum_nan()
func.func @minimum_nan() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.minimum
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %b = dhlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %r = dhlo.minimum %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @abs_signed()
func.func @abs_signed() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-128, 3]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-128, -3]> : tensor<2xi8>
  %r = dhlo.abs %a : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @abs_unsigned()
func.func @abs_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[200, 3]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[200, 3]> : tensor<2xui8>
  %r = dhlo.abs %a : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @abs_float()
func.func @abs_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[0.000000e+00, 1.500000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-0.0, -1.5]> : tensor<2xf32>
  %r = dhlo.abs %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @neg_signed()
func.func @neg_signed() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-128, -3]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-128, 3]> : tensor<2xi8>
  %r = dhlo.neg %a : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @neg_float()
func.func @neg_float() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-0.000000e+00, 1.500000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0.0, -1.5]> : tensor<2xf32>
  %r = dhlo.neg %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @floor()
func.func @floor() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-2.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1.5, 2.0]> : tensor<2xf32>
  %r = dhlo.floor %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @ceil()
func.func @ceil() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1.000000e+00, 3.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1.5, 2.25]> : tensor<2xf32>
  %r = dhlo.ceil %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @round_even()
func.func @round_even() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[2.5, 3.5]> : tensor<2xf32>
  %r = dhlo.round %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @reciprocal()
func.func @reciprocal() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[2.500000e-01, -2.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[4.0, -0.5]> : tensor<2xf32>
  %r = dhlo.reciprocal %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @exp_stays()
func.func @exp_stays() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.exp
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %r = dhlo.exp %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @not_integer()
func.func @not_integer() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1, -6]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0, 5]> : tensor<2xi8>
  %r = dhlo.not %a : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @not_boolean()
func.func @not_boolean() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %r = dhlo.not %a : tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @and()
func.func @and() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[8, 7]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[12, -1]> : tensor<2xi8>
  %b = dhlo.constant dense<[10, 7]> : tensor<2xi8>
  %r = dhlo.and %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @or()
func.func @or() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[14, 7]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[12, 0]> : tensor<2xi8>
  %b = dhlo.constant dense<[10, 7]> : tensor<2xi8>
  %r = dhlo.or %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @xor()
func.func @xor() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[6, 0]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[12, 7]> : tensor<2xi8>
  %b = dhlo.constant dense<[10, 7]> : tensor<2xi8>
  %r = dhlo.xor %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @xor_boolean()
func.func @xor_boolean() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[true, true]> : tensor<2xi1>
  %b = dhlo.constant dense<[false, true]> : tensor<2xi1>
  %r = dhlo.xor %a, %b : tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @shift_left()
func.func @shift_left() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-128, -16]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1, -1]> : tensor<2xi8>
  %b = dhlo.constant dense<[7, 4]> : tensor<2xi8>
  %r = dhlo.shift_left %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @shift_left_far()
func.func @shift_left_far() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.shift_left
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1, 1]> : tensor<2xi8>
  %b = dhlo.constant dense<[8, 1]> : tensor<2xi8>
  %r = dhlo.shift_left %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @shift_left_negative()
func.func @shift_left_negative() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.shift_left
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[1, 1]> : tensor<2xi8>
  %b = dhlo.constant dense<[-1, 1]> : tensor<2xi8>
  %r = dhlo.shift_left %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @shift_right_signed()
func.func @shift_right_signed() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1, 4]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-128, 64]> : tensor<2xi8>
  %b = dhlo.constant dense<[7, 4]> : tensor<2xi8>
  %r = dhlo.shift_right %a, %b : tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @shift_right_unsigned()
func.func @shift_right_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[1, 4]> : tensor<2xui8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[128, 64]> : tensor<2xui8>
  %b = dhlo.constant dense<[7, 4]> : tensor<2xui8>
  %r = dhlo.shift_right %a, %b : tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @compare_eq()
func.func @compare_eq() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare eq %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_ne()
func.func @compare_ne() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare ne %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_lt()
func.func @compare_lt() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare lt %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_le()
func.func @compare_le() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<true> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare le %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_gt()
func.func @compare_gt() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare gt %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_ge()
func.func @compare_ge() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  %b = dhlo.constant dense<[1, 2]> : tensor<2xi8>
  %r = dhlo.compare ge %a, %b : tensor<2xi8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_unsigned()
func.func @compare_unsigned() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 1]> : tensor<2xui8>
  %b = dhlo.constant dense<[1, 255]> : tensor<2xui8>
  %r = dhlo.compare lt %a, %b : tensor<2xui8> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_boolean()
func.func @compare_boolean() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[false, true]> : tensor<2xi1>
  %b = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %r = dhlo.compare lt %a, %b : tensor<2xi1> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_eq()
func.func @compare_nan_eq() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare eq %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_ne()
func.func @compare_nan_ne() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<true> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare ne %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_lt()
func.func @compare_nan_lt() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare lt %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_le()
func.func @compare_nan_le() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare le %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_gt()
func.func @compare_nan_gt() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare gt %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_nan_ge()
func.func @compare_nan_ge() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<false> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %r = dhlo.compare ge %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @compare_zeros()
func.func @compare_zeros() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<true> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[-0.0, 0.0]> : tensor<2xf32>
  %r = dhlo.compare eq %a, %b : tensor<2xf32> -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @convert_narrows()
func.func @convert_narrows() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[44, 127]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[300, -129]> : tensor<2xi64>
  %r = dhlo.convert %a : (tensor<2xi64>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @convert_widens_signed()
func.func @convert_widens_signed() -> tensor<2xi64> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1, 5]> : tensor<2xi64>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1, 5]> : tensor<2xi8>
  %r = dhlo.convert %a : (tensor<2xi8>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @convert_widens_unsigned()
func.func @convert_widens_unsigned() -> tensor<2xi64> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[255, 5]> : tensor<2xi64>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[255, 5]> : tensor<2xui8>
  %r = dhlo.convert %a : (tensor<2xui8>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @convert_boolean()
func.func @convert_boolean() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[1, 0]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %r = dhlo.convert %a : (tensor<2xi1>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @convert_to_boolean()
func.func @convert_to_boolean() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[2, 0]> : tensor<2xi8>
  %r = dhlo.convert %a : (tensor<2xi8>) -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @convert_float_to_boolean()
func.func @convert_float_to_boolean() -> tensor<2xi1> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[false, true]> : tensor<2xi1>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-0.0, 0.5]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xi1>
  return %r : tensor<2xi1>
}

// CHECK-LABEL: func.func @convert_truncates()
func.func @convert_truncates() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[-1, 2]> : tensor<2xi8>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1.75, 2.75]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @convert_out_of_range()
func.func @convert_out_of_range() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.convert
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[128.0, 2.0]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @convert_negative_unsigned()
func.func @convert_negative_unsigned() -> tensor<2xui8> {
  // CHECK: %[[R:.*]] = dhlo.convert
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xui8>
  return %r : tensor<2xui8>
}

// CHECK-LABEL: func.func @convert_nan()
func.func @convert_nan() -> tensor<2xi8> {
  // CHECK: %[[R:.*]] = dhlo.convert
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[0x7FC00000, 2.0]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>
  return %r : tensor<2xi8>
}

// CHECK-LABEL: func.func @convert_exact()
func.func @convert_exact() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[0x4B800000, -3.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[16777216, -3]> : tensor<2xi64>
  %r = dhlo.convert %a : (tensor<2xi64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @convert_inexact()
func.func @convert_inexact() -> tensor<2xf32> {
  // CHECK: %[[R:.*]] = dhlo.convert
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[16777217, -3]> : tensor<2xi64>
  %r = dhlo.convert %a : (tensor<2xi64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @convert_rounds()
func.func @convert_rounds() -> tensor<2xf16> {
  // CHECK: %[[R:.*]] = dhlo.constant dense<[2.048000e+03, 9.997550e-02]> : tensor<2xf16>
  // CHECK-NEXT: return %[[R]]
  %a = dhlo.constant dense<[2049.0, 0.1]> : tensor<2xf32>
  %r = dhlo.convert %a : (tensor<2xf32>) -> tensor<2xf16>
  return %r : tensor<2xf16>
}
