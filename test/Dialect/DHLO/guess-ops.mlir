// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Guesses that the runtime switches.

dhlo.dim @G in [0, 1]

// CHECK-LABEL: func.func @guess(
func.func @guess(%routes: tensor<9xi64>, %guess: tensor<9xi64>, %rest: tensor<9xi64>) {
  // CHECK: dhlo.guess @G = "a" pays_from 312
  dhlo.guess @G = "a" pays_from 312
  // CHECK: dhlo.guessed "a"(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<9xi64>
  dhlo.guessed "a" (%routes, %guess, %rest) : tensor<9xi64>
  return
}
