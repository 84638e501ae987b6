// RUN: dyn-opt %s -dhlo-recognize-composites | FileCheck %s

// Forms of GELU that models have, and formulas that differ from it in one number or operation.

// The polynomial of tanh by squares: x (a + b x^2), with the product of constants.
// CHECK-LABEL: func.func @tanh_of_squares
// CHECK: dhlo.gelu tanh %arg0
// CHECK-NEXT: return
func.func @tanh_of_squares(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = dhlo.constant dense<2.0> : tensor<4xf32>
  %c = dhlo.constant dense<0.0356774069> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.pow %x, %two : tensor<4xf32>
  %1 = dhlo.mul %c, %0 : tensor<4xf32>
  %2 = dhlo.add %root, %1 : tensor<4xf32>
  %3 = dhlo.mul %2, %x : tensor<4xf32>
  %4 = dhlo.tanh %3 : tensor<4xf32>
  %5 = dhlo.add %one, %4 : tensor<4xf32>
  %6 = dhlo.mul %5, %half : tensor<4xf32>
  %7 = dhlo.mul %6, %x : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Halved at the end by a division.
// CHECK-LABEL: func.func @erf_divided
// CHECK: dhlo.gelu erf %arg0
// CHECK-NEXT: return
func.func @erf_divided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<1.41421354> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %two = dhlo.constant dense<2.0> : tensor<4xf32>
  %0 = dhlo.div %x, %root : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %1, %one : tensor<4xf32>
  %3 = dhlo.mul %x, %2 : tensor<4xf32>
  %4 = dhlo.div %3, %two : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// Constants of f16 are as close as f16 is, and those of f64 as close as f64: the number that f32
// has for the root is another one there.
// CHECK-LABEL: func.func @erf_f16
// CHECK: dhlo.gelu erf %arg0
// CHECK-NEXT: return
func.func @erf_f16(%x: tensor<4xf16>) -> tensor<4xf16> {
  %root = dhlo.constant dense<1.414> : tensor<4xf16>
  %one = dhlo.constant dense<1.0> : tensor<4xf16>
  %half = dhlo.constant dense<0.5> : tensor<4xf16>
  %0 = dhlo.div %x, %root : tensor<4xf16>
  %1 = dhlo.erf %0 : tensor<4xf16>
  %2 = dhlo.add %1, %one : tensor<4xf16>
  %3 = dhlo.mul %x, %2 : tensor<4xf16>
  %4 = dhlo.mul %3, %half : tensor<4xf16>
  return %4 : tensor<4xf16>
}

// CHECK-LABEL: func.func @erf_f64
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @erf_f64(%x: tensor<4xf64>) -> tensor<4xf64> {
  %root = dhlo.constant dense<1.4142135381698608> : tensor<4xf64>
  %one = dhlo.constant dense<1.0> : tensor<4xf64>
  %half = dhlo.constant dense<0.5> : tensor<4xf64>
  %0 = dhlo.div %x, %root : tensor<4xf64>
  %1 = dhlo.erf %0 : tensor<4xf64>
  %2 = dhlo.add %1, %one : tensor<4xf64>
  %3 = dhlo.mul %x, %2 : tensor<4xf64>
  %4 = dhlo.mul %3, %half : tensor<4xf64>
  return %4 : tensor<4xf64>
}

// Not halved; halved twice.
// CHECK-LABEL: func.func @not_halved
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @not_halved(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %quarter = dhlo.constant dense<0.25> : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %root, %y : tensor<4xf32>
  %5 = dhlo.erf %4 : tensor<4xf32>
  %6 = dhlo.add %one, %5 : tensor<4xf32>
  %7 = dhlo.mul %y, %6 : tensor<4xf32>
  %8 = dhlo.mul %7, %quarter : tensor<4xf32>
  return %3, %8 : tensor<4xf32>, tensor<4xf32>
}

// One minus the function, two plus it: neither is one plus it.
// CHECK-LABEL: func.func @other_sums
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @other_sums(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %two = dhlo.constant dense<2.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.sub %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  %5 = dhlo.mul %root, %y : tensor<4xf32>
  %6 = dhlo.erf %5 : tensor<4xf32>
  %7 = dhlo.add %two, %6 : tensor<4xf32>
  %8 = dhlo.mul %y, %half : tensor<4xf32>
  %9 = dhlo.mul %8, %7 : tensor<4xf32>
  return %4, %9 : tensor<4xf32>, tensor<4xf32>
}

// The slope of erf, with tanh.
// CHECK-LABEL: func.func @slope_of_erf
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @slope_of_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %slope = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %slope : tensor<4xf32>
  %1 = dhlo.tanh %0 : tensor<4xf32>
  %2 = dhlo.add %1, %one : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The cube is subtracted.
// CHECK-LABEL: func.func @minus_cube
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @minus_cube(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %x : tensor<4xf32>
  %2 = dhlo.mul %1, %c : tensor<4xf32>
  %3 = dhlo.sub %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %root : tensor<4xf32>
  %5 = dhlo.tanh %4 : tensor<4xf32>
  %6 = dhlo.add %5, %one : tensor<4xf32>
  %7 = dhlo.mul %x, %half : tensor<4xf32>
  %8 = dhlo.mul %7, %6 : tensor<4xf32>
  return %8 : tensor<4xf32>
}

// A square where the cube is.
// CHECK-LABEL: func.func @square
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %c : tensor<4xf32>
  %2 = dhlo.add %x, %1 : tensor<4xf32>
  %3 = dhlo.mul %2, %root : tensor<4xf32>
  %4 = dhlo.tanh %3 : tensor<4xf32>
  %5 = dhlo.add %4, %one : tensor<4xf32>
  %6 = dhlo.mul %x, %half : tensor<4xf32>
  %7 = dhlo.mul %6, %5 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Logistic has twice the slope of tanh, and here it has not.
// CHECK-LABEL: func.func @logistic_slope
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @logistic_slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %x : tensor<4xf32>
  %2 = dhlo.mul %1, %c : tensor<4xf32>
  %3 = dhlo.add %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %root : tensor<4xf32>
  %5 = dhlo.logistic %4 : tensor<4xf32>
  %6 = dhlo.mul %x, %5 : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// Logistic is not halved, and here it is.
// CHECK-LABEL: func.func @halved_logistic
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @halved_logistic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<1.59576917> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %x : tensor<4xf32>
  %2 = dhlo.mul %1, %c : tensor<4xf32>
  %3 = dhlo.add %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %root : tensor<4xf32>
  %5 = dhlo.logistic %4 : tensor<4xf32>
  %6 = dhlo.mul %x, %half : tensor<4xf32>
  %7 = dhlo.mul %6, %5 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// A constant term.
// CHECK-LABEL: func.func @offset
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @offset(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %x : tensor<4xf32>
  %2 = dhlo.mul %1, %c : tensor<4xf32>
  %3 = dhlo.add %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %root : tensor<4xf32>
  %9 = dhlo.add %4, %half : tensor<4xf32>
  %5 = dhlo.tanh %9 : tensor<4xf32>
  %6 = dhlo.add %5, %one : tensor<4xf32>
  %7 = dhlo.mul %x, %half : tensor<4xf32>
  %8 = dhlo.mul %7, %6 : tensor<4xf32>
  return %8 : tensor<4xf32>
}

// The fourth power is no polynomial of degree three.
// CHECK-LABEL: func.func @fourth_power
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @fourth_power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %four = dhlo.constant dense<4.0> : tensor<4xf32>
  %0 = dhlo.pow %x, %four : tensor<4xf32>
  %2 = dhlo.mul %0, %c : tensor<4xf32>
  %3 = dhlo.add %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %root : tensor<4xf32>
  %5 = dhlo.tanh %4 : tensor<4xf32>
  %6 = dhlo.add %5, %one : tensor<4xf32>
  %7 = dhlo.mul %x, %half : tensor<4xf32>
  %8 = dhlo.mul %7, %6 : tensor<4xf32>
  return %8 : tensor<4xf32>
}

// SiLU: x logistic(x).
// CHECK-LABEL: func.func @silu
// CHECK-NOT: dhlo.gelu
// CHECK: return
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dhlo.logistic %x : tensor<4xf32>
  %1 = dhlo.mul %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The gate of another value: a factor more than the function's own.
// CHECK-LABEL: func.func @gated
// CHECK: %[[G:.*]] = dhlo.gelu erf %arg0
// CHECK: dhlo.mul %[[G]], %arg1
func.func @gated(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  %5 = dhlo.mul %4, %y : tensor<4xf32>
  return %5 : tensor<4xf32>
}
