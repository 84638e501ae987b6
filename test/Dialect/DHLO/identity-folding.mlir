// RUN: dyn-opt %s -canonicalize | FileCheck %s
// Operations that give back an operand, those that look as if they did and do not,
// and what a zero absorbs.

dhlo.dim @N

// CHECK-LABEL: func.func @add_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @add_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.add %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @sub_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @sub_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.sub %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @mul_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @mul_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<1> : tensor<4xi32>
  %r = dhlo.mul %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @div_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @div_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<1> : tensor<4xi32>
  %r = dhlo.div %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @and_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @and_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<-1> : tensor<4xi32>
  %r = dhlo.and %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @or_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @or_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.or %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @xor_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @xor_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.xor %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @shift_left_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @shift_left_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.shift_left %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @shift_right_right(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @shift_right_right(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.shift_right %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @add_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @add_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.add %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @mul_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @mul_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<1> : tensor<4xi32>
  %r = dhlo.mul %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @and_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @and_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<-1> : tensor<4xi32>
  %r = dhlo.and %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @or_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @or_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.or %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @xor_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @xor_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.xor %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @and_unsigned(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xui8>
func.func @and_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<255> : tensor<4xui8>
  %r = dhlo.and %x, %c : tensor<4xui8>
  return %r : tensor<4xui8>
}

// CHECK-LABEL: func.func @add_float(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @add_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<-0.0> : tensor<4xf32>
  %r = dhlo.add %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_float(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @sub_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<0.0> : tensor<4xf32>
  %r = dhlo.sub %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @mul_float(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @mul_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<1.0> : tensor<4xf32>
  %r = dhlo.mul %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @div_float(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @div_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %c = dhlo.constant dense<1.0> : tensor<4xf32>
  %r = dhlo.div %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @and_itself(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @and_itself(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.and %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @or_itself(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @or_itself(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.or %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @maximum_itself(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @maximum_itself(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.maximum %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @minimum_itself(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @minimum_itself(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.minimum %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @maximum_float_itself(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @maximum_float_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.maximum %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @neg_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @neg_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = dhlo.neg %x : tensor<4xf32>
  %r = dhlo.neg %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @not_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi1>
func.func @not_twice(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK-NEXT: return %[[X]]
  %0 = dhlo.not %x : tensor<4xi1>
  %r = dhlo.not %0 : tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @convert_same(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @convert_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_same(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @select_same(%x: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %r = dhlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @mul_zero(
func.func @mul_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: return %[[C]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.mul %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @zero_mul(
func.func @zero_mul(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: return %[[C]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.mul %c, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @and_zero(
func.func @and_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: return %[[C]]
  %c = dhlo.constant dense<0> : tensor<4xi32>
  %r = dhlo.and %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @or_ones(
func.func @or_ones(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<-1> : tensor<4xi32>
  // CHECK-NEXT: return %[[C]]
  %c = dhlo.constant dense<-1> : tensor<4xi32>
  %r = dhlo.or %x, %c : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @mul_zero_float(
func.func @mul_zero_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = dhlo.mul
  // CHECK-NEXT: return %[[R]]
  %c = dhlo.constant dense<0.0> : tensor<4xf32>
  %r = dhlo.mul %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @add_zero_float(
func.func @add_zero_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = dhlo.add
  // CHECK-NEXT: return %[[R]]
  %c = dhlo.constant dense<0.0> : tensor<4xf32>
  %r = dhlo.add %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_minus_zero_float(
func.func @sub_minus_zero_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = dhlo.sub
  // CHECK-NEXT: return %[[R]]
  %c = dhlo.constant dense<-0.0> : tensor<4xf32>
  %r = dhlo.sub %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_itself_float(
func.func @sub_itself_float(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = dhlo.sub
  // CHECK-NEXT: return %[[R]]
  %r = dhlo.sub %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @div_itself_integer(
func.func @div_itself_integer(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: %[[R:.*]] = dhlo.div
  // CHECK-NEXT: return %[[R]]
  %r = dhlo.div %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @floor_of_abs(
func.func @floor_of_abs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = dhlo.floor
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.abs %x : tensor<4xf32>
  %r = dhlo.floor %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @floor_of_floor(
func.func @floor_of_floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.floor
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.floor %x : tensor<4xf32>
  %r = dhlo.floor %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @ceil_of_floor(
func.func @ceil_of_floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.floor
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.floor %x : tensor<4xf32>
  %r = dhlo.ceil %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @round_of_floor(
func.func @round_of_floor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.floor
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.floor %x : tensor<4xf32>
  %r = dhlo.round %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @floor_of_ceil(
func.func @floor_of_ceil(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.ceil
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.ceil %x : tensor<4xf32>
  %r = dhlo.floor %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @ceil_of_ceil(
func.func @ceil_of_ceil(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.ceil
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.ceil %x : tensor<4xf32>
  %r = dhlo.ceil %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @round_of_ceil(
func.func @round_of_ceil(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.ceil
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.ceil %x : tensor<4xf32>
  %r = dhlo.round %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @floor_of_round(
func.func @floor_of_round(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.round
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.round %x : tensor<4xf32>
  %r = dhlo.floor %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @ceil_of_round(
func.func @ceil_of_round(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.round
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.round %x : tensor<4xf32>
  %r = dhlo.ceil %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @round_of_round(
func.func @round_of_round(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.round
  // CHECK-NEXT: return %[[R]]
  %0 = dhlo.round %x : tensor<4xf32>
  %r = dhlo.round %0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @compare_itself_eq(
func.func @compare_itself_eq(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<true> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare eq %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare_itself_ne(
func.func @compare_itself_ne(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<false> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare ne %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare_itself_lt(
func.func @compare_itself_lt(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<false> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare lt %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare_itself_le(
func.func @compare_itself_le(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<true> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare le %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare_itself_gt(
func.func @compare_itself_gt(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<false> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare gt %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare_itself_ge(
func.func @compare_itself_ge(%x: tensor<4xi32>) -> tensor<4xi1> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<true> : tensor<4xi1>
  // CHECK-NEXT: return %[[C]]
  %r = dhlo.compare ge %x, %x : tensor<4xi32> -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// A NaN is not equal to itself, and a size that nobody knows has no constant.
// CHECK-LABEL: func.func @compare_itself_stays(
func.func @compare_itself_stays(%x: tensor<4xf32>, %y: tensor<?xi32, #dhlo.dims<N>>) -> (tensor<4xi1>, tensor<?xi1, #dhlo.dims<N>>) {
  // CHECK: dhlo.compare eq
  // CHECK: dhlo.compare eq
  %0 = dhlo.compare eq %x, %x : tensor<4xf32> -> tensor<4xi1>
  %1 = dhlo.compare eq %y, %y : tensor<?xi32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
  return %0, %1 : tensor<4xi1>, tensor<?xi1, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @select_true(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @select_true(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %p = dhlo.constant dense<true> : tensor<4xi1>
  %r = dhlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_false(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @select_false(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[Y]]
  %p = dhlo.constant dense<false> : tensor<4xi1>
  %r = dhlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %r : tensor<4xf32>
}
