// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -verify-diagnostics

// expected-error@+1 {{no code generation for a GPU for kernels of kind 'contraction'}}
dlhlo.kernel @product contraction {
^bb0(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>):
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  dlhlo.yield %0 : tensor<4x4xf32>
}

// -----

dlhlo.kernel @sorted loop {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'loop'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

dlhlo.kernel @sorted_rows row {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'row'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

// expected-error @below {{no code generation for a GPU for reductions over different rows}}
dlhlo.kernel @different row {
^bb0(%x: tensor<4x8xf32>):
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = dhlo.reduce sum %x axes = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  dlhlo.yield %0, %1 : tensor<4xf32>, tensor<8xf32>
}
