// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Probes over buffers print and parse.

// CHECK-LABEL: func.func @ops(
func.func @ops(%a: !dlhlo.buffer, %b: !dlhlo.buffer, %c: !dlhlo.buffer, %n: index, %k: index) {
  // CHECK: dlhlo.probe 0 cells %{{.*}} choices %{{.*}} buffers(%{{.*}}, %{{.*}})
  dlhlo.probe 0 cells %n choices %k buffers (%a, %b)
  // CHECK: dlhlo.probe 1 cells %{{.*}} choices %{{.*}} buffers(%{{.*}}, %{{.*}}, %{{.*}})
  dlhlo.probe 1 cells %n choices %k buffers (%a, %b, %c)
  return
}
