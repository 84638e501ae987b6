// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s

// CHECK: dlhlo.entry @main_1
// CHECK-SAME: {dist.part = #dist.part<"main", rank = 1, ranks = 2>}
dlhlo.entry @main_1 calls "dyn.entry.main_1" : (tensor<4xi64>) -> tensor<4xi64> inputs ["x"] outputs ["y"] dims [] arenas 0 {dist.part = #dist.part<"main", rank = 1, ranks = 2>}

// CHECK-LABEL: func.func @dyn.entry.main_1
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer, %[[Y:.*]]: !dlhlo.buffer, %[[S:.*]]: !dlhlo.buffer, %[[R:.*]]: !dlhlo.buffer, %[[N:.*]]: index, %[[M:.*]]: index, %[[B:.*]]: index)
func.func @dyn.entry.main_1(%x: !dlhlo.buffer, %y: !dlhlo.buffer, %s: !dlhlo.buffer, %r: !dlhlo.buffer, %n: index, %m: index, %b: index) {
  // CHECK: %[[T:.*]] = dist.buffer_start %[[X]][%[[N]]] to %[[Y]][%[[M]]] bytes %[[B]] among [0, 1] sends %[[S]] receives %[[R]] site = 4
  %t = dist.buffer_start %x[%n] to %y[%m] bytes %b among [0, 1] sends %s receives %r site = 4
  // CHECK: dist.buffer_wait %[[T]]
  dist.buffer_wait %t
  return
}
