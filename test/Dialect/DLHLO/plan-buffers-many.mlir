// RUN: dyn-opt %s --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s
// RUN: dyn-opt %s --dlhlo-plan-buffers=red-zone=64 --canonicalize --cse | FileCheck %s --check-prefix=ZONES
// RUN: dyn-opt %s --dlhlo-plan-buffers --dlhlo-explain -o /dev/null | FileCheck %s --check-prefix=EXPLAIN
// Kernels that run together write nothing that another of them reads.

dlhlo.kernel @neg loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.neg %0 : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @add loop {
^bb0(%0: tensor<16xf32>, %1: tensor<16xf32>):
  %2 = dhlo.add %0, %1 : tensor<16xf32>
  dlhlo.yield %2 : tensor<16xf32>
}

// Neither of the second two takes a slot of the first two, which are read until
// both have run.
// Sites are numbered in the order of the body.
// CHECK: dlhlo.sites = [#dlhlo.site<index, op = "dhlo.gather", location = "first">, #dlhlo.site<index, op = "dhlo.gather", location = "second">]
// CHECK-LABEL: func.func @dyn.entry.main
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer)
// CHECK: %[[ARENA:.*]] = dlhlo.reserve %c0 bytes %c256
// CHECK-DAG: %[[A:.*]] = dlhlo.view %[[ARENA]][%c0]
// CHECK-DAG: %[[B:.*]] = dlhlo.view %[[ARENA]][%c64]
// CHECK-DAG: %[[C:.*]] = dlhlo.view %[[ARENA]][%c128]
// CHECK-DAG: %[[D:.*]] = dlhlo.view %[[ARENA]][%c192]
// CHECK: %[[Y:.*]] = dlhlo.output 0
// CHECK: dlhlo.dispatch_many {
// CHECK-NEXT: dlhlo.dispatch @neg dims() buffers(%[[X]], %[[A]]) site_base = 0
// CHECK-NEXT: dlhlo.dispatch @neg dims() buffers(%[[X]], %[[B]]) site_base = 0
// CHECK-NEXT: }
// CHECK-NEXT: dlhlo.dispatch_many {
// CHECK-NEXT: dlhlo.dispatch @neg dims() buffers(%[[A]], %[[C]]) site_base = 0
// CHECK-NEXT: dlhlo.dispatch @neg dims() buffers(%[[B]], %[[D]]) site_base = 1
// CHECK-NEXT: }
// CHECK-NEXT: dlhlo.dispatch @add dims() buffers(%[[C]], %[[D]], %[[A]])
// CHECK-NEXT: dlhlo.dispatch @neg dims() buffers(%[[A]], %[[Y]])

// What all kernels of a launch write is allowed before it, and forbidden behind.
// ZONES: dlhlo.unpoison %[[A:.*]] bytes %c64
// ZONES-NEXT: dlhlo.unpoison %[[B:.*]] bytes %c64
// ZONES-NEXT: dlhlo.dispatch_many {
// ZONES: }
// ZONES-NEXT: dlhlo.unpoison
// ZONES-NEXT: dlhlo.unpoison
// ZONES-NEXT: dlhlo.dispatch_many {
// ZONES: }
// ZONES-NEXT: dlhlo.poison %[[A]] bytes %c64
// ZONES-NEXT: dlhlo.poison %[[B]] bytes %c64
// ZONES-NEXT: dlhlo.unpoison
// ZONES-NEXT: dlhlo.dispatch @add

// EXPLAIN: "launches": 6,
// EXPLAIN: "lists": 2,
// EXPLAIN: "sequence": [
// EXPLAIN: "together": 1
// EXPLAIN: "together": 1
// EXPLAIN: "together": 2
// EXPLAIN: "together": 2
// EXPLAIN-NOT: "together": 3
// EXPLAIN: "together": 4
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %ab:2 = dlhlo.launch_many : tensor<16xf32>, tensor<16xf32> {
    %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
    %b = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
    dlhlo.yield %a, %b : tensor<16xf32>, tensor<16xf32>
  }
  %cd:2 = dlhlo.launch_many : tensor<16xf32>, tensor<16xf32> {
    %c = dlhlo.launch @neg dims [] (%ab#0) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "first">]} : (tensor<16xf32>) -> tensor<16xf32>
    %d = dlhlo.launch @neg dims [] (%ab#1) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "second">]} : (tensor<16xf32>) -> tensor<16xf32>
    dlhlo.yield %c, %d : tensor<16xf32>, tensor<16xf32>
  }
  %e = dlhlo.launch @add dims [] (%cd#0, %cd#1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %y = dlhlo.launch @neg dims [] (%e) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
