// RUN: dyn-opt %s --dlhlo-hoist-constants | FileCheck %s

dhlo.dim @N in [1, 64]

// Kernels know numbers, and what is cheap on them; what is not is computed once.
// CHECK: dlhlo.constant @[[NUMBER:[a-z0-9_]*]] : tensor<f32> {
// CHECK:   dhlo.exp
// CHECK:   dhlo.add
// CHECK-LABEL: func.func @numbers
// CHECK: %[[EXP:.*]] = dlhlo.get_constant @[[NUMBER]]
// CHECK: dhlo.broadcast %[[EXP]]
// CHECK: dhlo.neg
func.func @numbers(%x: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?x3xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.constant dense<2.0> : tensor<f32>
  %1 = dhlo.exp %0 : tensor<f32>
  %2 = dhlo.add %1, %0 : tensor<f32>
  %3 = dhlo.broadcast %2 axes = [] : (tensor<f32>) -> tensor<?x3xf32, #dhlo.dims<N>>
  %4 = dhlo.mul %x, %3 : tensor<?x3xf32, #dhlo.dims<N>>
  %5 = dhlo.neg %0 : tensor<f32>
  %6 = dhlo.broadcast %5 axes = [] : (tensor<f32>) -> tensor<?x3xf32, #dhlo.dims<N>>
  %7 = dhlo.mul %4, %6 : tensor<?x3xf32, #dhlo.dims<N>>
  return %7 : tensor<?x3xf32, #dhlo.dims<N>>
}
