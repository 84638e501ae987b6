// RUN: dyn-opt %s --dlhlo-plan-buffers --split-input-file --verify-diagnostics

func.func @no_launch(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<4xf32>
  // expected-error @+1 {{'func.return' op expected operand 0 to be the result of a launch or an exchange that is returned once}}
  return %0 : tensor<4xf32>
}

// -----

func.func @leftover(%x: tensor<4xf32>, %y: tensor<i64>) attributes {dhlo.entry} {
  // expected-error @+1 {{'dhlo.neg' op expected a launch, control flow or a view here; run dlhlo-outline-kernels before dlhlo-plan-buffers}}
  %0 = dhlo.neg %y : tensor<i64>
  dhlo.bind @N = %0 : tensor<i64>
  return
}
dhlo.dim @N in [0, ?]

// -----

dhlo.dim @N in [0, ?]
func.func @unbound() attributes {dhlo.entry} {
  // expected-error @+1 {{'dhlo.from_dims' op needs the size @N, which neither an input of the entry nor an operation before it binds}}
  %0 = dhlo.from_dims [@N] : tensor<1xi64>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a body of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected a name for each dynamic size, found 'tensor<?xf32>'}}
func.func @unnamed(%x: tensor<?xf32>) attributes {dhlo.entry} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tensors alone in the signature of an entry, found 'index'}}
func.func @no_tensor(%x: index) attributes {dhlo.entry} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tensors alone in the signature of an entry, found 'f32'}}
func.func @no_tensor_result() -> f32 attributes {dhlo.entry} {
  %0 = arith.constant 1.0 : f32
  return %0 : f32
}

// -----

// expected-error @+1 {{'func.func' op expected distinct names of inputs, found "a" twice}}
func.func @same_inputs(%x: tensor<4xf32> {dhlo.name = "a"}, %y: tensor<4xf32> {dhlo.name = "a"}) attributes {dhlo.entry} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected distinct names of outputs, found "a" twice}}
func.func @same_outputs(%x: tensor<4xf32>) -> (tensor<4xf32> {dhlo.name = "a"}, tensor<4xf32> {dhlo.name = "a"}) attributes {dhlo.entry} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
