// RUN: dyn-opt %s --convert-kernel-to-llvm --split-input-file --verify-diagnostics

// A kernel must have become functions before.
// expected-error @below {{failed to legalize operation 'dlhlo.kernel'}}
dlhlo.kernel @k loop {
^bb0(%x: tensor<4xf32>):
  %0 = dhlo.exp %x : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}

// -----

// Operations of a GPU are for its own module.
func.func @not_a_device() {
  // expected-error @below {{failed to legalize operation 'gpu.barrier'}}
  gpu.barrier
  return
}
