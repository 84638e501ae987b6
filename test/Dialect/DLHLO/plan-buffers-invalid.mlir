// RUN: dyn-opt %s --dlhlo-plan-buffers --split-input-file --verify-diagnostics

func.func @no_launch(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<4xf32>
  // expected-error @below {{expected operand 0 to be the result of a launch that is returned once}}
  return %0 : tensor<4xf32>
}

// -----

func.func @leftover(%x: tensor<4xf32>, %y: tensor<i64>) attributes {dhlo.entry} {
  // expected-error @below {{expected a launch, control flow or a view here; run dlhlo-outline-kernels before dlhlo-plan-buffers}}
  %0 = dhlo.neg %y : tensor<i64>
  dhlo.bind @N = %0 : tensor<i64>
  return
}
dhlo.dim @N in [0, ?]

// -----

dhlo.dim @N in [0, ?]
func.func @unbound() attributes {dhlo.entry} {
  // expected-error @below {{needs the size @N, which neither an input of the entry nor an operation before it binds}}
  %0 = dhlo.from_dims [@N] : tensor<1xi64>
  return
}
