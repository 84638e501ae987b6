// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s

// CHECK-LABEL: func.func @guess(
func.func @guess(%a: !dlhlo.buffer, %b: !dlhlo.buffer, %c: !dlhlo.buffer) -> index {
  // CHECK: %[[G:.*]] = dlhlo.guess 0 pays_from 312
  %g = dlhlo.guess 0 pays_from 312
  // CHECK: dlhlo.guessed 0 buffers(%{{.*}}, %{{.*}}, %{{.*}})
  dlhlo.guessed 0 buffers (%a, %b, %c)
  // CHECK: return %[[G]]
  return %g : index
}
