// RUN: dyn-opt %s -dhlo-recognize-composites -split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// GELU
//===----------------------------------------------------------------------===//

// As PyTorch writes it: x / sqrt(2), then x * (erf + 1) * 0.5.
// CHECK-LABEL: func.func @gelu_erf
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = dhlo.gelu erf %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @gelu_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<1.41421354> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.div %x, %root : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %1, %one : tensor<4xf32>
  %3 = dhlo.mul %x, %2 : tensor<4xf32>
  %4 = dhlo.mul %3, %half : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// x is a product itself, and half of it comes first.
// CHECK-LABEL: func.func @gelu_of_product
// CHECK: %[[X:.*]] = dhlo.mul
// CHECK-NEXT: dhlo.gelu erf %[[X]]
func.func @gelu_of_product(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %x = dhlo.mul %a, %b : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh_pow
// CHECK-NEXT: dhlo.gelu tanh %arg0
func.func @gelu_tanh_pow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = dhlo.constant dense<3.0> : tensor<4xf32>
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<0.797884583> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.pow %x, %three : tensor<4xf32>
  %1 = dhlo.mul %0, %c : tensor<4xf32>
  %2 = dhlo.add %x, %1 : tensor<4xf32>
  %3 = dhlo.mul %2, %root : tensor<4xf32>
  %4 = dhlo.tanh %3 : tensor<4xf32>
  %5 = dhlo.add %4, %one : tensor<4xf32>
  %6 = dhlo.mul %x, %half : tensor<4xf32>
  %7 = dhlo.mul %6, %5 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// x * logistic(2 u), u factored as x (a + b x x).
// CHECK-LABEL: func.func @gelu_logistic
// CHECK-NEXT: dhlo.gelu tanh %arg0
func.func @gelu_logistic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = dhlo.constant dense<4.471500e-02> : tensor<4xf32>
  %root = dhlo.constant dense<1.59576917> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4xf32>
  %1 = dhlo.mul %0, %c : tensor<4xf32>
  %2 = dhlo.add %1, %one : tensor<4xf32>
  %3 = dhlo.mul %x, %root : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  %5 = dhlo.logistic %4 : tensor<4xf32>
  %6 = dhlo.mul %x, %5 : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_wrong_constant
// CHECK-NOT: dhlo.gelu
func.func @gelu_wrong_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<0.7071> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The polynomial is in another value than the factor.
// CHECK-LABEL: func.func @gelu_wrong_factor
// CHECK-NOT: dhlo.gelu
func.func @gelu_wrong_factor(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %root, %y : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_second_use
// CHECK-NOT: dhlo.gelu
func.func @gelu_second_use(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %root = dhlo.constant dense<0.707106769> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %half = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %root, %x : tensor<4xf32>
  %1 = dhlo.erf %0 : tensor<4xf32>
  %2 = dhlo.add %one, %1 : tensor<4xf32>
  %3 = dhlo.mul %x, %half : tensor<4xf32>
  %4 = dhlo.mul %3, %2 : tensor<4xf32>
  return %4, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

dhlo.dim @B
dhlo.dim @S
// The reduced axis is kept with size 1.
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[Y:.*]] = dhlo.softmax %arg0 axis = 1
// CHECK-NEXT: return %[[Y]]
func.func @softmax(%x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.reshape %0 : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x1xf32, #dhlo.dims<B>>
  %2 = dhlo.broadcast %1 axes = [0, 1] : (tensor<?x1xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.sub %x, %2 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %4 = dhlo.exp %3 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %5 = dhlo.reduce sum %4 axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %6 = dhlo.reshape %5 : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x1xf32, #dhlo.dims<B>>
  %7 = dhlo.broadcast %6 axes = [0, 1] : (tensor<?x1xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %8 = dhlo.div %4, %7 : tensor<?x?xf32, #dhlo.dims<B, S>>
  return %8 : tensor<?x?xf32, #dhlo.dims<B, S>>
}

// CHECK-LABEL: func.func @log_softmax
// CHECK-NEXT: dhlo.softmax %arg0 axis = 0 log
func.func @log_softmax(%x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>> {
  %0 = dhlo.reduce max %x axes = [0] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<S>>
  %1 = dhlo.broadcast %0 axes = [1] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %2 = dhlo.sub %x, %1 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %3 = dhlo.exp %2 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %4 = dhlo.reduce sum %3 axes = [0] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<S>>
  %5 = dhlo.log %4 : tensor<?xf32, #dhlo.dims<S>>
  %6 = dhlo.broadcast %5 axes = [1] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %7 = dhlo.sub %2, %6 : tensor<?x?xf32, #dhlo.dims<B, S>>
  return %7 : tensor<?x?xf32, #dhlo.dims<B, S>>
}

// The sum runs along another axis than the maximum.
// CHECK-LABEL: func.func @softmax_wrong_axis
// CHECK-NOT: dhlo.softmax
func.func @softmax_wrong_axis(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x4xf32>
  %3 = dhlo.exp %2 : tensor<4x4xf32>
  %4 = dhlo.reduce sum %3 axes = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %6 = dhlo.div %3, %5 : tensor<4x4xf32>
  return %6 : tensor<4x4xf32>
}

// Sums of rows divide columns.
// CHECK-LABEL: func.func @softmax_wrong_spread
// CHECK-NOT: dhlo.softmax
func.func @softmax_wrong_spread(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x4xf32>
  %3 = dhlo.exp %2 : tensor<4x4xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %6 = dhlo.div %3, %5 : tensor<4x4xf32>
  return %6 : tensor<4x4xf32>
}

// Without the maximum, sums overflow.
// CHECK-LABEL: func.func @softmax_without_max
// CHECK-NOT: dhlo.softmax
func.func @softmax_without_max(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = dhlo.exp %x : tensor<4x4xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = dhlo.broadcast %1 axes = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %3 = dhlo.div %0, %2 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

dhlo.dim @B
dhlo.dim @S
dhlo.dim @Few in [1, 2048]
// As PyTorch writes it below opset 17.
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x8xf32{{[^%]*}}%[[G:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = dhlo.layer_norm %[[X]], %[[G]], %[[B]] axis = 2 eps = 9.99999{{[0-9]*}}E-9
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>> {
  %eight = dhlo.constant dense<8.0> : tensor<f32>
  %two = dhlo.constant dense<2.0> : tensor<f32>
  %eps = dhlo.constant dense<1.0e-8> : tensor<f32>
  %n = dhlo.broadcast %eight axes = [] : (tensor<f32>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f32>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %t = dhlo.broadcast %two axes = [] : (tensor<f32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %0 = dhlo.reduce sum %x axes = [2] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reshape %0 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %2 = dhlo.div %1, %n : tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %3 = dhlo.broadcast %2 axes = [0, 1, 2] : (tensor<?x?x1xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %4 = dhlo.sub %x, %3 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %5 = dhlo.pow %4, %t : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %6 = dhlo.reduce sum %5 axes = [2] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %7 = dhlo.reshape %6 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %8 = dhlo.div %7, %n : tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %9 = dhlo.add %8, %e : tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %10 = dhlo.sqrt %9 : tensor<?x?x1xf32, #dhlo.dims<B, S>>
  %11 = dhlo.broadcast %10 axes = [0, 1, 2] : (tensor<?x?x1xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %12 = dhlo.div %4, %11 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %13 = dhlo.broadcast %g axes = [2] : (tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %14 = dhlo.mul %12, %13 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %15 = dhlo.broadcast %b axes = [2] : (tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %16 = dhlo.add %14, %15 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %16 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// Over two axes, one of them dynamic, with no bias.
// CHECK-LABEL: func.func @rms_norm
// CHECK-NEXT: dhlo.rms_norm %arg0, %arg1 axis = 1 eps = 5.000000e-01
func.func @rms_norm(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %g: tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>> {
  %eps = dhlo.constant dense<0.5> : tensor<f32>
  %count = dhlo.from_dims [8 * @S] : tensor<i64>
  %count1 = dhlo.convert %count : (tensor<i64>) -> tensor<f32>
  %n = dhlo.broadcast %count1 axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %0 = dhlo.mul %x, %x : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reduce sum %0 axes = [1, 2] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %2 = dhlo.div %1, %n : tensor<?xf32, #dhlo.dims<B>>
  %3 = dhlo.add %2, %e : tensor<?xf32, #dhlo.dims<B>>
  %4 = dhlo.rsqrt %3 : tensor<?xf32, #dhlo.dims<B>>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %6 = dhlo.mul %x, %5 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %7 = dhlo.broadcast %g axes = [1, 2] : (tensor<?x8xf32, #dhlo.dims<S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %8 = dhlo.mul %7, %6 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %8 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// Without a scale there are ones.
// CHECK-LABEL: func.func @rms_norm_alone
// CHECK: %[[ONE:.*]] = dhlo.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT: dhlo.rms_norm %arg0, %[[ONE]] axis = 1 eps = 5.000000e-01
func.func @rms_norm_alone(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Of f16, with the means computed in f32, as the front ends write them.
// CHECK-LABEL: func.func @layer_norm_of_narrow_floats
// CHECK: %[[ONE:.*]] = dhlo.constant dense<1.000000e+00> : tensor<8xf16>
// CHECK-NEXT: dhlo.layer_norm %arg0, %[[ONE]] axis = 1 eps = 5.000000e-01 : {{.*}}f16
// CHECK-NEXT: return
func.func @layer_norm_of_narrow_floats(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf16>
  %wide = dhlo.convert %x : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %0 = dhlo.reduce sum %wide axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.div %0, %n : tensor<4xf32>
  %2 = dhlo.convert %1 : (tensor<4xf32>) -> tensor<4xf16>
  %3 = dhlo.broadcast %2 axes = [0] : (tensor<4xf16>) -> tensor<4x8xf16>
  %4 = dhlo.sub %x, %3 : tensor<4x8xf16>
  %5 = dhlo.mul %4, %4 : tensor<4x8xf16>
  %6 = dhlo.convert %5 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %7 = dhlo.reduce sum %6 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %8 = dhlo.div %7, %n : tensor<4xf32>
  %9 = dhlo.convert %8 : (tensor<4xf32>) -> tensor<4xf16>
  %10 = dhlo.add %9, %e : tensor<4xf16>
  %11 = dhlo.sqrt %10 : tensor<4xf16>
  %12 = dhlo.broadcast %11 axes = [0] : (tensor<4xf16>) -> tensor<4x8xf16>
  %13 = dhlo.div %4, %12 : tensor<4x8xf16>
  return %13 : tensor<4x8xf16>
}

// The mean of whole parts.
// CHECK-LABEL: func.func @norm_of_integers
// CHECK-NOT: dhlo.rms_norm
func.func @norm_of_integers(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.convert %0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %2 = dhlo.convert %1 : (tensor<4x8xi32>) -> tensor<4x8xf32>
  %3 = dhlo.reduce sum %2 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %4 = dhlo.div %3, %n : tensor<4xf32>
  %5 = dhlo.add %4, %e : tensor<4xf32>
  %6 = dhlo.sqrt %5 : tensor<4xf32>
  %7 = dhlo.broadcast %6 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = dhlo.div %x, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// The mean of whole parts of 16 bits, rounded to 16 bits again.
// CHECK-LABEL: func.func @norm_of_widened_integers
// CHECK-NOT: dhlo.rms_norm
func.func @norm_of_widened_integers(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf16>
  %0 = dhlo.mul %x, %x : tensor<4x8xf16>
  %1 = dhlo.convert %0 : (tensor<4x8xf16>) -> tensor<4x8xi32>
  %2 = dhlo.convert %1 : (tensor<4x8xi32>) -> tensor<4x8xf32>
  %3 = dhlo.reduce sum %2 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %4 = dhlo.div %3, %n : tensor<4xf32>
  %5 = dhlo.convert %4 : (tensor<4xf32>) -> tensor<4xf16>
  %6 = dhlo.add %5, %e : tensor<4xf16>
  %7 = dhlo.sqrt %6 : tensor<4xf16>
  %8 = dhlo.broadcast %7 axes = [0] : (tensor<4xf16>) -> tensor<4x8xf16>
  %9 = dhlo.div %x, %8 : tensor<4x8xf16>
  return %9 : tensor<4x8xf16>
}

// The mean of what a conversion has narrowed.
// CHECK-LABEL: func.func @norm_of_narrowed
// CHECK-NOT: dhlo.rms_norm
func.func @norm_of_narrowed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf16>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.convert %0 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %2 = dhlo.reduce sum %1 axes = [1] : (tensor<4x8xf16>) -> tensor<4xf16>
  %3 = dhlo.div %2, %n : tensor<4xf16>
  %4 = dhlo.convert %3 : (tensor<4xf16>) -> tensor<4xf32>
  %5 = dhlo.add %4, %e : tensor<4xf32>
  %6 = dhlo.sqrt %5 : tensor<4xf32>
  %7 = dhlo.broadcast %6 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = dhlo.div %x, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// A number that 16 bits have rounded to is another one.
// CHECK-LABEL: func.func @norm_rounded_count
// CHECK-NOT: dhlo.rms_norm
func.func @norm_rounded_count(%x: tensor<4x2049xf16>) -> tensor<4x2049xf16> {
  %n = dhlo.constant dense<2048.0> : tensor<4xf16>
  %e = dhlo.constant dense<0.5> : tensor<4xf16>
  %0 = dhlo.mul %x, %x : tensor<4x2049xf16>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x2049xf16>) -> tensor<4xf16>
  %2 = dhlo.div %1, %n : tensor<4xf16>
  %3 = dhlo.add %2, %e : tensor<4xf16>
  %4 = dhlo.sqrt %3 : tensor<4xf16>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf16>) -> tensor<4x2049xf16>
  %6 = dhlo.div %x, %5 : tensor<4x2049xf16>
  return %6 : tensor<4x2049xf16>
}

// The same of a size that may be too large.
// CHECK-LABEL: func.func @norm_rounded_size
// CHECK-NOT: dhlo.rms_norm
func.func @norm_rounded_size(%x: tensor<4x?xf16, #dhlo.dims<S>>, %g: tensor<?xf16, #dhlo.dims<S>>) -> tensor<4x?xf16, #dhlo.dims<S>> {
  %eps = dhlo.constant dense<0.5> : tensor<f16>
  %count = dhlo.from_dims [@S] : tensor<i64>
  %half = dhlo.convert %count : (tensor<i64>) -> tensor<f16>
  %n = dhlo.broadcast %half axes = [] : (tensor<f16>) -> tensor<4xf16>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f16>) -> tensor<4xf16>
  %0 = dhlo.mul %x, %x : tensor<4x?xf16, #dhlo.dims<S>>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x?xf16, #dhlo.dims<S>>) -> tensor<4xf16>
  %2 = dhlo.div %1, %n : tensor<4xf16>
  %3 = dhlo.add %2, %e : tensor<4xf16>
  %4 = dhlo.rsqrt %3 : tensor<4xf16>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf16>) -> tensor<4x?xf16, #dhlo.dims<S>>
  %6 = dhlo.mul %x, %5 : tensor<4x?xf16, #dhlo.dims<S>>
  %7 = dhlo.broadcast %g axes = [1] : (tensor<?xf16, #dhlo.dims<S>>) -> tensor<4x?xf16, #dhlo.dims<S>>
  %8 = dhlo.mul %6, %7 : tensor<4x?xf16, #dhlo.dims<S>>
  return %8 : tensor<4x?xf16, #dhlo.dims<S>>
}

// One that 16 bits hold.
// CHECK-LABEL: func.func @norm_small_size
// CHECK: dhlo.rms_norm
func.func @norm_small_size(%x: tensor<4x?xf16, #dhlo.dims<Few>>, %g: tensor<?xf16, #dhlo.dims<Few>>) -> tensor<4x?xf16, #dhlo.dims<Few>> {
  %eps = dhlo.constant dense<0.5> : tensor<f16>
  %count = dhlo.from_dims [@Few] : tensor<i64>
  %half = dhlo.convert %count : (tensor<i64>) -> tensor<f16>
  %n = dhlo.broadcast %half axes = [] : (tensor<f16>) -> tensor<4xf16>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f16>) -> tensor<4xf16>
  %0 = dhlo.mul %x, %x : tensor<4x?xf16, #dhlo.dims<Few>>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x?xf16, #dhlo.dims<Few>>) -> tensor<4xf16>
  %2 = dhlo.div %1, %n : tensor<4xf16>
  %3 = dhlo.add %2, %e : tensor<4xf16>
  %4 = dhlo.rsqrt %3 : tensor<4xf16>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf16>) -> tensor<4x?xf16, #dhlo.dims<Few>>
  %6 = dhlo.mul %x, %5 : tensor<4x?xf16, #dhlo.dims<Few>>
  %7 = dhlo.broadcast %g axes = [1] : (tensor<?xf16, #dhlo.dims<Few>>) -> tensor<4x?xf16, #dhlo.dims<Few>>
  %8 = dhlo.mul %6, %7 : tensor<4x?xf16, #dhlo.dims<Few>>
  return %8 : tensor<4x?xf16, #dhlo.dims<Few>>
}

// Divided by the wrong number.
// CHECK-LABEL: func.func @norm_wrong_count
// CHECK-NOT: dhlo.rms_norm
func.func @norm_wrong_count(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<7.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Divided by a size that is not provably that of the axis.
// CHECK-LABEL: func.func @norm_unproven_count
// CHECK-NOT: dhlo.rms_norm
func.func @norm_unproven_count(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %g: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>> {
  %eps = dhlo.constant dense<0.5> : tensor<f32>
  %count = dhlo.from_dims [@B] : tensor<f32>
  %n = dhlo.broadcast %count axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %0 = dhlo.mul %x, %x : tensor<?x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %2 = dhlo.div %1, %n : tensor<?xf32, #dhlo.dims<B>>
  %3 = dhlo.add %2, %e : tensor<?xf32, #dhlo.dims<B>>
  %4 = dhlo.rsqrt %3 : tensor<?xf32, #dhlo.dims<B>>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %6 = dhlo.mul %x, %5 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %7 = dhlo.broadcast %g axes = [1] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %8 = dhlo.mul %7, %6 : tensor<?x?xf32, #dhlo.dims<B, S>>
  return %8 : tensor<?x?xf32, #dhlo.dims<B, S>>
}

// Divided by a size that may wrap.
// CHECK-LABEL: func.func @norm_narrow_count
// CHECK-NOT: dhlo.rms_norm
func.func @norm_narrow_count(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %g: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>> {
  %eps = dhlo.constant dense<0.5> : tensor<f32>
  %size = dhlo.from_dims [@S] : tensor<i64>
  %narrow = dhlo.convert %size : (tensor<i64>) -> tensor<ui8>
  %count = dhlo.convert %narrow : (tensor<ui8>) -> tensor<f32>
  %n = dhlo.broadcast %count axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %e = dhlo.broadcast %eps axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<B>>
  %0 = dhlo.mul %x, %x : tensor<?x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<B>>
  %2 = dhlo.div %1, %n : tensor<?xf32, #dhlo.dims<B>>
  %3 = dhlo.add %2, %e : tensor<?xf32, #dhlo.dims<B>>
  %4 = dhlo.rsqrt %3 : tensor<?xf32, #dhlo.dims<B>>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %6 = dhlo.mul %x, %5 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %7 = dhlo.broadcast %g axes = [1] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %8 = dhlo.mul %7, %6 : tensor<?x?xf32, #dhlo.dims<B, S>>
  return %8 : tensor<?x?xf32, #dhlo.dims<B, S>>
}

// Over the first axis.
// CHECK-LABEL: func.func @norm_wrong_axis
// CHECK-NOT: dhlo.rms_norm
func.func @norm_wrong_axis(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<8x4xf32>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %6 = dhlo.div %x, %5 : tensor<8x4xf32>
  return %6 : tensor<8x4xf32>
}

// The root is a result too.
// CHECK-LABEL: func.func @norm_second_use
// CHECK-NOT: dhlo.rms_norm
func.func @norm_second_use(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %x, %5 : tensor<4x8xf32>
  return %6, %4 : tensor<4x8xf32>, tensor<4xf32>
}
