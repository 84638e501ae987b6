// RUN: dyn-opt %s -dhlo-recognize-composites -split-input-file | FileCheck %s

// Forms of norms and of softmax that differ from the usual ones in one place.

// The inverse root by a reciprocal, and by a division of one; the square by a power; the sum with
// the epsilon first.
// CHECK-LABEL: func.func @reciprocal
// CHECK: dhlo.rms_norm %arg0, %arg1 axis = 1 eps = 5.000000e-01
// CHECK-NEXT: return
func.func @reciprocal(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %two = dhlo.constant dense<2.0> : tensor<4x8xf32>
  %0 = dhlo.pow %x, %two : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %e, %2 : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.reciprocal %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.mul %6, %x : tensor<4x8xf32>
  %8 = dhlo.broadcast %g axes = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %9 = dhlo.mul %7, %8 : tensor<4x8xf32>
  return %9 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @divided_one
// CHECK: dhlo.rms_norm %arg0
// CHECK-NEXT: return
func.func @divided_one(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %one = dhlo.constant dense<1.0> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.div %one, %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.mul %x, %6 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Two over the root.
// CHECK-LABEL: func.func @two_over_root
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @two_over_root(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %two = dhlo.constant dense<2.0> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.div %two, %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.mul %x, %6 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Times the root, not over it.
// CHECK-LABEL: func.func @times_root
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @times_root(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Over the inverse of the root.
// CHECK-LABEL: func.func @over_inverse
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @over_inverse(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// The same with a reciprocal.
// CHECK-LABEL: func.func @over_reciprocal
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @over_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.sqrt %3 : tensor<4xf32>
  %5 = dhlo.reciprocal %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.div %x, %6 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Over the mean itself.
// CHECK-LABEL: func.func @no_root
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @no_root(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.broadcast %3 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %5 = dhlo.div %x, %4 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// The mean of cubes.
// CHECK-LABEL: func.func @cubes
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @cubes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %three = dhlo.constant dense<3.0> : tensor<4x8xf32>
  %0 = dhlo.pow %x, %three : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Squares of another tensor.
// CHECK-LABEL: func.func @other_squares
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @other_squares(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %y, %y : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Products of two tensors.
// CHECK-LABEL: func.func @products
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @products(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %y : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// An epsilon for each row, which is an input.
// CHECK-LABEL: func.func @computed_epsilon
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @computed_epsilon(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %v : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// No epsilon: the operation always adds one.
// CHECK-LABEL: func.func @no_epsilon
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @no_epsilon(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.mul %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// The largest square is no mean.
// CHECK-LABEL: func.func @maximum
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @maximum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce max %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Less the mean of another axis: a root mean square of what is computed, not centred.
// CHECK-LABEL: func.func @other_mean
// CHECK-NOT: dhlo.layer_norm
// CHECK: %[[C:.*]] = dhlo.sub %arg0
// CHECK-NOT: dhlo.layer_norm
// CHECK: dhlo.rms_norm %[[C]]
func.func @other_mean(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %n = dhlo.constant dense<8.0> : tensor<8xf32>
  %e = dhlo.constant dense<0.5> : tensor<8xf32>
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<8x8xf32>) -> tensor<8xf32>
  %1 = dhlo.div %0, %n : tensor<8xf32>
  %2 = dhlo.broadcast %1 axes = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %3 = dhlo.sub %x, %2 : tensor<8x8xf32>
  %4 = dhlo.mul %3, %3 : tensor<8x8xf32>
  %5 = dhlo.reduce sum %4 axes = [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %6 = dhlo.div %5, %n : tensor<8xf32>
  %7 = dhlo.add %6, %e : tensor<8xf32>
  %8 = dhlo.rsqrt %7 : tensor<8xf32>
  %9 = dhlo.broadcast %8 axes = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %10 = dhlo.mul %3, %9 : tensor<8x8xf32>
  return %10 : tensor<8x8xf32>
}

// A root mean square has no bias: the sum stays behind it. A scale of rows is no scale of the norm.
// CHECK-LABEL: func.func @outside
// CHECK: %[[N:.*]] = dhlo.rms_norm %arg0, %arg1
// CHECK: dhlo.add %[[N]]
// CHECK: %[[M:.*]] = dhlo.rms_norm %arg3
// CHECK: dhlo.mul %[[M]]
func.func @outside(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>, %y: tensor<4x8xf32>, %r: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = dhlo.constant dense<8.0> : tensor<4xf32>
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x8xf32>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x8xf32>
  %7 = dhlo.broadcast %g axes = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %8 = dhlo.mul %6, %7 : tensor<4x8xf32>
  %9 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %10 = dhlo.add %8, %9 : tensor<4x8xf32>
  %11 = dhlo.mul %y, %y : tensor<4x8xf32>
  %12 = dhlo.reduce sum %11 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %13 = dhlo.div %12, %n : tensor<4xf32>
  %14 = dhlo.add %13, %e : tensor<4xf32>
  %15 = dhlo.rsqrt %14 : tensor<4xf32>
  %16 = dhlo.broadcast %15 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %17 = dhlo.mul %y, %16 : tensor<4x8xf32>
  %18 = dhlo.broadcast %r axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %19 = dhlo.mul %17, %18 : tensor<4x8xf32>
  return %10, %19 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Axes with a gap between them are not the last ones.
// CHECK-LABEL: func.func @gap
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @gap(%x: tensor<4x2x8xf32>) -> tensor<4x2x8xf32> {
  %n = dhlo.constant dense<32.0> : tensor<2xf32>
  %e = dhlo.constant dense<0.5> : tensor<2xf32>
  %0 = dhlo.mul %x, %x : tensor<4x2x8xf32>
  %1 = dhlo.reduce sum %0 axes = [0, 2] : (tensor<4x2x8xf32>) -> tensor<2xf32>
  %2 = dhlo.div %1, %n : tensor<2xf32>
  %3 = dhlo.add %2, %e : tensor<2xf32>
  %4 = dhlo.rsqrt %3 : tensor<2xf32>
  %5 = dhlo.broadcast %4 axes = [1] : (tensor<2xf32>) -> tensor<4x2x8xf32>
  %6 = dhlo.mul %x, %5 : tensor<4x2x8xf32>
  return %6 : tensor<4x2x8xf32>
}

// A scale that is missing is ones, of as many elements as are known: not of a dynamic size.
// CHECK-LABEL: func.func @no_ones
// CHECK-NOT: dhlo.rms_norm
// CHECK: return
func.func @no_ones(%x: tensor<4x?xf32, #dhlo.dims<S>>) -> tensor<4x?xf32, #dhlo.dims<S>> {
  %e = dhlo.constant dense<0.5> : tensor<4xf32>
  %count = dhlo.from_dims [@S] : tensor<f32>
  %n = dhlo.broadcast %count axes = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = dhlo.mul %x, %x : tensor<4x?xf32, #dhlo.dims<S>>
  %1 = dhlo.reduce sum %0 axes = [1] : (tensor<4x?xf32, #dhlo.dims<S>>) -> tensor<4xf32>
  %2 = dhlo.div %1, %n : tensor<4xf32>
  %3 = dhlo.add %2, %e : tensor<4xf32>
  %4 = dhlo.rsqrt %3 : tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x?xf32, #dhlo.dims<S>>
  %6 = dhlo.mul %x, %5 : tensor<4x?xf32, #dhlo.dims<S>>
  return %6 : tensor<4x?xf32, #dhlo.dims<S>>
}
dhlo.dim @S

// -----

// Softmax by the reciprocal of the sum. Each function after it differs in one operation.
// CHECK-LABEL: func.func @softmax_reciprocal
// CHECK: dhlo.softmax %arg0 axis = 1 :
// CHECK-NEXT: return
func.func @softmax_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.reciprocal %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.mul %6, %3 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Times the sum.
// CHECK-LABEL: func.func @times_sum
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @times_sum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.mul %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// The sum over the exponentials.
// CHECK-LABEL: func.func @sum_over
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @sum_over(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %5, %3 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Less the logarithm of the reciprocal of the sum.
// CHECK-LABEL: func.func @log_of_reciprocal
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @log_of_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.reciprocal %4 : tensor<4xf32>
  %6 = dhlo.log %5 : tensor<4xf32>
  %7 = dhlo.broadcast %6 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = dhlo.sub %2, %7 : tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// The logarithm of the sum, less from the exponentials.
// CHECK-LABEL: func.func @log_of_exponentials
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @log_of_exponentials(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.log %4 : tensor<4xf32>
  %6 = dhlo.broadcast %5 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %7 = dhlo.sub %3, %6 : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// A product in place of the sum.
// CHECK-LABEL: func.func @product
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @product(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce prod %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// The maximum of another tensor.
// CHECK-LABEL: func.func @other_maximum
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @other_maximum(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %y axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// The least in place of the largest.
// CHECK-LABEL: func.func @minimum
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @minimum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce min %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %5 = dhlo.broadcast %4 axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = dhlo.div %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// Along two axes: softmax has one.
// CHECK-LABEL: func.func @two_axes
// CHECK-NOT: dhlo.softmax
// CHECK: return
func.func @two_axes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.reduce max %x axes = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  %1 = dhlo.broadcast %0 axes = [] : (tensor<f32>) -> tensor<4x8xf32>
  %2 = dhlo.sub %x, %1 : tensor<4x8xf32>
  %3 = dhlo.exp %2 : tensor<4x8xf32>
  %4 = dhlo.reduce sum %3 axes = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  %5 = dhlo.broadcast %4 axes = [] : (tensor<f32>) -> tensor<4x8xf32>
  %6 = dhlo.div %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}
