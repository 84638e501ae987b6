// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// The list of a run's data errors: in program order, one of each operation, kind and evaluation
// however many elements have it, with the run going on with the values that are stated.

// CHECK-LABEL: @program_order{{$}}
// CHECK-NEXT:    tensor<2xi32> [0, 0]
// CHECK-NEXT:    tensor<2xi32> [0, 0]
// CHECK-NEXT:    dhlo.shift_left: shift amount not less than the width of the type
// CHECK-NEXT:    dhlo.div: integer division by zero
// CHECK-NEXT:    dhlo.rem: integer division by zero
// CHECK-NOT:     dhlo.
func.func @program_order() -> (tensor<2xi32>, tensor<2xi32>) {
  %x = dhlo.constant dense<1> : tensor<2xi32>
  %y = dhlo.constant dense<32> : tensor<2xi32>
  // The later one of the results is first in the program.
  %s = dhlo.shift_left %x, %y : tensor<2xi32>
  %a = dhlo.div %x, %s : tensor<2xi32>
  %b = dhlo.rem %a, %a : tensor<2xi32>
  return %b, %s : tensor<2xi32>, tensor<2xi32>
}

// Two operations that fail for the same reason are two entries, whose locations differ.
// CHECK-LABEL: @same_reason{{$}}
// CHECK-NEXT:    tensor<i32> 0
// CHECK-NEXT:    tensor<i32> 0
// CHECK-NEXT:    dhlo.div: integer division by zero
// CHECK-NEXT:    dhlo.div: integer division by zero
// CHECK-NOT:     dhlo.div
func.func @same_reason() -> (tensor<i32>, tensor<i32>) {
  %zero = dhlo.constant dense<0> : tensor<i32>
  %one = dhlo.constant dense<1> : tensor<i32>
  %a = dhlo.div %one, %zero : tensor<i32>
  %b = dhlo.div %zero, %zero : tensor<i32>
  return %a, %b : tensor<i32>, tensor<i32>
}

// A result that nobody uses has its error all the same, as a call of the runtime would.
// CHECK-LABEL: @unused{{$}}
// CHECK-NEXT:    dhlo.div: integer division by zero
func.func @unused() {
  %zero = dhlo.constant dense<0> : tensor<i32>
  %a = dhlo.div %zero, %zero : tensor<i32>
  return
}

// Only the branch that is taken is evaluated.
// CHECK-LABEL: @branch{{$}}
// CHECK-NEXT:    tensor<i32> 5
// CHECK-NOT:     dhlo.div
func.func @branch() -> tensor<i32> {
  %p = dhlo.constant dense<true> : tensor<i1>
  %five = dhlo.constant dense<5> : tensor<i32>
  %zero = dhlo.constant dense<0> : tensor<i32>
  %y = dhlo.if %p -> (tensor<i32>) {
    dhlo.yield %five : tensor<i32>
  } else {
    %a = dhlo.div %five, %zero : tensor<i32>
    dhlo.yield %a : tensor<i32>
  }
  return %y : tensor<i32>
}

// A selection computes both of its operands, and has the error of the one that it drops.
// CHECK-LABEL: @selection{{$}}
// CHECK-NEXT:    tensor<i32> 5
// CHECK-NEXT:    dhlo.div: integer division by zero
func.func @selection() -> tensor<i32> {
  %p = dhlo.constant dense<true> : tensor<i1>
  %five = dhlo.constant dense<5> : tensor<i32>
  %zero = dhlo.constant dense<0> : tensor<i32>
  %a = dhlo.div %five, %zero : tensor<i32>
  %y = dhlo.select %p, %five, %a : tensor<i1>, tensor<i32>
  return %y : tensor<i32>
}

// One element of many is enough, the first or the last.
// CHECK-LABEL: @one_of_many{{$}}
// CHECK-NEXT:    tensor<4xi16> [0, 1, 2, 1]
// CHECK-NEXT:    tensor<4xi8> [1, 2, 3, 127]
// CHECK-NEXT:    dhlo.div: integer division by zero
// CHECK-NEXT:    dhlo.convert: float outside the range of the integer type
func.func @one_of_many() -> (tensor<4xi16>, tensor<4xi8>) {
  %x = dhlo.constant dense<4> : tensor<4xi16>
  %y = dhlo.constant dense<[0, 4, 2, 3]> : tensor<4xi16>
  %a = dhlo.div %x, %y : tensor<4xi16>
  %f = dhlo.constant dense<[1.0, 2.0, 3.0, 128.0]> : tensor<4xf32>
  %b = dhlo.convert %f : (tensor<4xf32>) -> tensor<4xi8>
  return %a, %b : tensor<4xi16>, tensor<4xi8>
}

// Offsets out of order or out of range are corrected, in one entry.
// CHECK-LABEL: @offsets{{$}}
// CHECK-NEXT:    tensor<3xf32> [3, 0, 7]
// CHECK-NEXT:    dhlo.segment_reduce: index out of range
// CHECK-NOT:     dhlo.segment_reduce
func.func @offsets() -> tensor<3xf32> {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %o = dhlo.constant dense<[-5, 2, 1, 9]> : tensor<4xi64>
  %y = dhlo.segment_reduce sum %x, %o : (tensor<4xf32>, tensor<4xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// A float division by zero is a number of IEEE 754, no error.
// CHECK-LABEL: @float_division{{$}}
// CHECK-NEXT:    tensor<2xf32> [inf, nan]
// CHECK-NEXT:    tensor<1xf32> [nan]
// CHECK-NOT:     division
func.func @float_division() -> (tensor<2xf32>, tensor<1xf32>) {
  %x = dhlo.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %z = dhlo.constant dense<0.0> : tensor<2xf32>
  %a = dhlo.div %x, %z : tensor<2xf32>
  %o = dhlo.constant dense<1.0> : tensor<1xf32>
  %n = dhlo.constant dense<0.0> : tensor<1xf32>
  %b = dhlo.rem %o, %n : tensor<1xf32>
  return %a, %b : tensor<2xf32>, tensor<1xf32>
}
