// RUN: dyn-opt %s --convert-dlhlo-to-llvm --split-input-file --verify-diagnostics

// Operations of other levels are named.
dlhlo.entry @main calls "dyn.entry.main" : () -> () inputs [] outputs [] dims [] arenas 0
func.func @dyn.entry.main() {
  // expected-error @below {{failed to legalize operation 'dhlo.constant'}}
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  %1 = dhlo.exp %0 : tensor<4xf32>
  return
}
