// RUN: dyn-opt %s -dhlo-expand-fourier | FileCheck %s
// RUN: dyn-opt %s -dhlo-expand-fourier=device | FileCheck %s --check-prefix=DEVICE

dhlo.dim @B in [0, 64]
dhlo.dim @N in [0, 4096]

// A few elements are multiplied by matrices.
// CHECK-LABEL: func.func @few(
// CHECK: %[[COSINES:.*]] = dhlo.convert %{{.*}} : (tensor<3x4xf64>) -> tensor<3x4xf32>
// CHECK: %[[SINES:.*]] = dhlo.convert %{{.*}} : (tensor<3x4xf64>) -> tensor<3x4xf32>
// CHECK: %[[REAL:.*]] = dhlo.dot_general %arg0, %[[COSINES]] batch = 0 lhs_contract = [1] rhs_contract = [1]
// CHECK: %[[PART:.*]] = dhlo.dot_general %arg0, %[[SINES]] batch = 0 lhs_contract = [1] rhs_contract = [1]
// CHECK: %[[IMAGINARY:.*]] = dhlo.neg %[[PART]]
// CHECK: return %[[REAL]], %[[IMAGINARY]]
func.func @few(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> (tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>) {
  %r, %i = dhlo.fft %x half axis = 1 : (tensor<?x4xf32, #dhlo.dims<B>>) -> (tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>)
  return %r, %i : tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>
}

// Along the first axis, which is moved to the end.
// CHECK-LABEL: func.func @few_columns(
// CHECK: dhlo.transpose %arg0 permutation = [1, 0]
// CHECK-COUNT-4: dhlo.dot_general
// CHECK-NOT: dhlo.fft
// DEVICE-LABEL: func.func @few_columns(
// DEVICE-COUNT-4: dhlo.dot_general
func.func @few_columns(%x: tensor<5x?xf32, #dhlo.dims<B>>) -> (tensor<5x?xf32, #dhlo.dims<B>>, tensor<5x?xf32, #dhlo.dims<B>>) {
  %r, %i = dhlo.fft inverse %x, %x axis = 0 : (tensor<5x?xf32, #dhlo.dims<B>>, tensor<5x?xf32, #dhlo.dims<B>>) -> (tensor<5x?xf32, #dhlo.dims<B>>, tensor<5x?xf32, #dhlo.dims<B>>)
  return %r, %i : tensor<5x?xf32, #dhlo.dims<B>>, tensor<5x?xf32, #dhlo.dims<B>>
}

// Roots of a known number are computed from constants.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: dhlo.iota
// CHECK: %[[COSINES:.*]] = dhlo.cos %{{.*}} : tensor<2x400xf64>
// CHECK: %[[ROOTS:.*]] = dhlo.convert %[[COSINES]] : (tensor<2x400xf64>) -> tensor<2x400xf32>
// CHECK: dhlo.fft inverse %arg0, %arg0 roots %[[ROOTS]] half axis = 1
// DEVICE-LABEL: func.func @known(
// DEVICE-NOT: dhlo.fft
// DEVICE: dhlo.dot_general
func.func @known(%x: tensor<?x201xf32, #dhlo.dims<B>>) -> tensor<?x400xf32, #dhlo.dims<B>> {
  %y = dhlo.fft inverse %x, %x half axis = 1 : (tensor<?x201xf32, #dhlo.dims<B>>, tensor<?x201xf32, #dhlo.dims<B>>) -> tensor<?x400xf32, #dhlo.dims<B>>
  return %y : tensor<?x400xf32, #dhlo.dims<B>>
}

// Those of an unknown one from indices.
// CHECK-LABEL: func.func @unknown(
// CHECK: dhlo.iota
// CHECK: %[[COSINES:.*]] = dhlo.cos %{{.*}} : tensor<2x?xf64, #dhlo.dims<N>>
// CHECK: %[[ROOTS:.*]] = dhlo.convert %[[COSINES]]
// CHECK: dhlo.fft %arg0 roots %[[ROOTS]] axis = 0
// DEVICE-LABEL: func.func @unknown(
// DEVICE-NOT: dhlo.fft
// DEVICE: dhlo.dot_general
func.func @unknown(%x: tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) {
  %r, %i = dhlo.fft %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>)
  return %r, %i : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}

// A large prime is a convolution of a power of two, at least twice as long.
// CHECK-LABEL: func.func @prime(
// CHECK: dhlo.fft %{{.*}}, %{{.*}} roots %{{.*}} axis = 0 : (tensor<512xf32>, tensor<512xf32>, tensor<2x512xf32>)
// CHECK: dhlo.pad
// CHECK: dhlo.fft %{{.*}}, %{{.*}} roots %{{.*}} axis = 1 : (tensor<?x512xf32, #dhlo.dims<B>>
// CHECK: dhlo.fft inverse %{{.*}}, %{{.*}} roots %{{.*}} axis = 1 : (tensor<?x512xf32, #dhlo.dims<B>>
// CHECK: dhlo.slice %{{.*}} : (tensor<?x512xf32, #dhlo.dims<B>>) -> tensor<?x131xf32, #dhlo.dims<B>>
// CHECK: return %{{.*}} : tensor<?x66xf32
func.func @prime(%x: tensor<?x131xf32, #dhlo.dims<B>>) -> (tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>) {
  %r, %i = dhlo.fft %x half axis = 1 : (tensor<?x131xf32, #dhlo.dims<B>>) -> (tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>)
  return %r, %i : tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>
}

// 127 is not.
// CHECK-LABEL: func.func @small_prime(
// CHECK: dhlo.fft %arg0, %arg0 roots %{{.*}} axis = 0 : (tensor<127xf64>
// CHECK: return
func.func @small_prime(%x: tensor<127xf64>) -> (tensor<127xf64>, tensor<127xf64>) {
  %r, %i = dhlo.fft %x, %x axis = 0 : (tensor<127xf64>, tensor<127xf64>) -> (tensor<127xf64>, tensor<127xf64>)
  return %r, %i : tensor<127xf64>, tensor<127xf64>
}

// Roots that are given stay.
// CHECK-LABEL: func.func @given(
// CHECK-NEXT: dhlo.fft %arg0 roots %arg1 axis = 0
func.func @given(%x: tensor<30xf32>, %t: tensor<2x30xf32>) -> (tensor<30xf32>, tensor<30xf32>) {
  %r, %i = dhlo.fft %x roots %t axis = 0 : (tensor<30xf32>, tensor<2x30xf32>) -> (tensor<30xf32>, tensor<30xf32>)
  return %r, %i : tensor<30xf32>, tensor<30xf32>
}
