// RUN: dyn-opt %s -split-input-file -verify-diagnostics --dist-split-batch

// expected-error @+1 {{micro-batches: expected the batch, a size of the first input, to be dynamic}}
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dhlo.dim @B
func.func @mixes(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.tanh %x : tensor<?x4xf32, #dhlo.dims<B>>
  // expected-error @+1 {{'dhlo.softmax' op micro-batches: expected rows to be computed apart, found that they are read together along axis 0 of an operand}}
  %1 = dhlo.softmax %0 axis = 0 : tensor<?x4xf32, #dhlo.dims<B>>
  return %1 : tensor<?x4xf32, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @both(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'dhlo.dot_general' op micro-batches: expected rows to be computed apart}}
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, B>>
  return %0 : tensor<?x?xf32, #dhlo.dims<B, B>>
}

// -----

dhlo.dim @B
func.func @size(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x?xf32, #dhlo.dims<B, B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'dhlo.broadcast' op micro-batches: expected sizes that do not depend on the batch @B, but for multiples of it along axis 0}}
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x?xf32, #dhlo.dims<B, B>>
  return %0 : tensor<?x4x?xf32, #dhlo.dims<B, B>>
}

// -----

// expected-error @+1 {{micro-batches: expected a function of one block}}
func.func private @declared(tensor<4xf32>) attributes {dist.micro_batches = 2 : i64}
