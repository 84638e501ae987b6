// RUN: dyn-opt %s --dlhlo-verify-fusions --dlhlo-verify-kernels | FileCheck %s

// What may stand between kernels at both levels: control flow, bindings, views, sizes as data and
// constants; and outside of entries anything.

dhlo.dim @N in [0, 64]
dhlo.dim @K in [0, 64]

dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @between(
func.func @between(%x: tensor<?xf32, #dhlo.dims<N>>, %n: tensor<i64>, %p: tensor<i1>) -> (tensor<?xf32, #dhlo.dims<K>>, tensor<4xf32>) attributes {dhlo.entry} {
  %w = dlhlo.get_constant @w : tensor<4xf32>
  dhlo.bind @K = %n : tensor<i64>
  %0 = dhlo.from_dims [@N, @K] : tensor<2xi64>
  %1 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<K>>
  %2 = dhlo.if %p -> (tensor<4xf32>) {
    %3 = dhlo.reshape %w : (tensor<4xf32>) -> tensor<2x2xf32>
    %4 = dhlo.reshape %3 : (tensor<2x2xf32>) -> tensor<4xf32>
    dhlo.yield %4 : tensor<4xf32>
  } else {
    dhlo.yield %w : tensor<4xf32>
  }
  return %1, %2 : tensor<?xf32, #dhlo.dims<K>>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_entry(
// CHECK: dhlo.exp
func.func @no_entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dhlo.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
