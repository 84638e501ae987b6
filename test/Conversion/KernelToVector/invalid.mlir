// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector -verify-diagnostics

dlhlo.kernel @k loop {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for this operation in a kernel of kind 'loop'}}
  %v, %i = dhlo.sort %x axis = 0 descending = false : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

dlhlo.kernel @s single {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{expected a kernel that yields results of this operation alone}}
  %v, %i = dhlo.sort %x axis = 0 descending = false : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %x : tensor<4xf32>
}
