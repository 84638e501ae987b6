// RUN: dyn-opt %s --dlhlo-verify-fusions -split-input-file -verify-diagnostics

// Operations that must be in a fusion, each for a reason of its own.

dhlo.dim @K in [0, 64]

// The rows that a search finds are searched by a kernel.
func.func @search(%x: tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>> attributes {dhlo.entry} {
  // expected-error @below {{'dhlo.nonzero' op expected to be in a fusion or a constant}}
  %0 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return %0 : tensor<?x1xi64, #dhlo.dims<K>>
}

// -----

// Weights and constants are recipes.
func.func @stored() -> (tensor<4xf32>, tensor<4xf32>) attributes {dhlo.entry} {
  // expected-error @below {{'dhlo.weight' op expected to be in a fusion or a constant}}
  %0 = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<4xf32>
  // expected-error @below {{'dhlo.constant' op expected to be in a fusion or a constant}}
  %1 = dhlo.constant dense<1.0> : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A slice that does not start at the first row, one of columns and one in steps are no views.
func.func @slices(%x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>) attributes {dhlo.entry} {
  // expected-error @below {{'dhlo.slice' op expected to be in a fusion or a constant}}
  %0 = dhlo.slice %x starts = [1, 0] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-error @below {{'dhlo.slice' op expected to be in a fusion or a constant}}
  %1 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  // expected-error @below {{'dhlo.slice' op expected to be in a fusion or a constant}}
  %2 = dhlo.slice %x starts = [0, 0] strides = [2, 1] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>
}

// -----

// In a branch, too.
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %0 = dhlo.if %p -> (tensor<4xf32>) {
    // expected-error @below {{'dhlo.exp' op expected to be in a fusion or a constant}}
    %1 = dhlo.exp %x : tensor<4xf32>
    dhlo.yield %1 : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
