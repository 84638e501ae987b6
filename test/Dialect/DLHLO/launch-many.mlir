// RUN: dyn-opt %s --dlhlo-launch-many --dlhlo-verify-kernels | FileCheck %s
// RUN: dyn-opt %s --dlhlo-launch-many=max-cost=0 | FileCheck %s --check-prefix=APART
// RUN: dyn-opt %s --dlhlo-launch-many=max-bytes=191 | FileCheck %s --check-prefix=FEW
// RUN: dyn-opt %s --dlhlo-launch-many=max-lead=0 | FileCheck %s --check-prefix=LEVEL

// APART-NOT: launch_many

dhlo.dim @M in [1, 64]

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

// Branches run a step each in turn; what all wait for is launched by itself.
// CHECK-LABEL: func.func @branches
// CHECK: %[[A:.*]]:2 = dlhlo.launch_many : tensor<16xf32>, tensor<16xf32> {
// CHECK-NEXT: %[[A0:.*]] = dlhlo.launch @neg dims [](%[[X:.*]]) :
// CHECK-NEXT: %[[A1:.*]] = dlhlo.launch @neg dims [](%[[X]]) :
// CHECK-NEXT: dlhlo.yield %[[A0]], %[[A1]] : tensor<16xf32>, tensor<16xf32>
// CHECK: %[[B:.*]]:2 = dlhlo.launch_many
// CHECK-NEXT: dlhlo.launch @neg dims [](%[[A]]#0)
// CHECK-NEXT: dlhlo.launch @neg dims [](%[[A]]#1)
// CHECK: %[[C:.*]] = dlhlo.launch @neg dims [](%[[B]]#0)
// CHECK: dlhlo.launch @add dims [](%[[C]], %[[B]]#1)
// The longest way is three launches, the second branch is two of them: it is
// waited for from the second on.
// LEVEL-LABEL: func.func @branches
// LEVEL: %[[A:.*]] = dlhlo.launch @neg
// LEVEL: dlhlo.launch_many
// LEVEL-NEXT: dlhlo.launch @neg dims [](%[[A]])
func.func @branches(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %a0 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %a1 = dlhlo.launch @neg dims [] (%a0) : (tensor<16xf32>) -> tensor<16xf32>
  %a2 = dlhlo.launch @neg dims [] (%a1) : (tensor<16xf32>) -> tensor<16xf32>
  %b0 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b1 = dlhlo.launch @neg dims [] (%b0) : (tensor<16xf32>) -> tensor<16xf32>
  %y = dlhlo.launch @add dims [] (%a2, %b1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// Views and constants come along.
// CHECK-LABEL: func.func @views
// CHECK: dhlo.reshape
// CHECK: dhlo.reshape
// CHECK: dlhlo.launch_many
// FEW-LABEL: func.func @views
func.func @views(%x: tensor<4x4xf32>, %y: tensor<2x8xf32>) -> (tensor<16xf32>, tensor<16xf32>) attributes {dhlo.entry} {
  %0 = dhlo.reshape %x : (tensor<4x4xf32>) -> tensor<16xf32>
  %1 = dlhlo.launch @neg dims [] (%0) : (tensor<16xf32>) -> tensor<16xf32>
  %2 = dhlo.reshape %y : (tensor<2x8xf32>) -> tensor<16xf32>
  %3 = dlhlo.launch @neg dims [] (%2) : (tensor<16xf32>) -> tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}

// No more at a time than stay in a cache.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-1: dlhlo.launch_many
// CHECK-NOT: dlhlo.launch_many
// FEW-LABEL: func.func @bytes
// FEW-COUNT-2: dlhlo.launch_many
// FEW-NOT: dlhlo.launch_many
func.func @bytes(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) attributes {dhlo.entry} {
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %c = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %d = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %a, %b, %c, %d : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// What may fail stays behind what may fail before it: the second is not brought
// in front of the first, and the last one, which cannot fail, is.
// CHECK-LABEL: func.func @errors
// FEW-LABEL: func.func @errors
// CHECK: dlhlo.launch_many
// CHECK-NEXT: dlhlo.launch @neg dims [](%{{.*}}) : (tensor<16xf32>)
// CHECK-NEXT: dlhlo.launch @neg dims [](%{{.*}}) : (tensor<16xf32>)
// CHECK-NEXT: dlhlo.yield
// CHECK: dlhlo.launch_many
// CHECK-NEXT: dlhlo.launch @neg dims [](%{{.*}}) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "first">]}
// CHECK-NEXT: dlhlo.launch @neg dims [](%{{.*}}) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "second">]}
// CHECK-NEXT: dlhlo.yield
func.func @errors(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) attributes {dhlo.entry} {
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b = dlhlo.launch @neg dims [] (%a) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "first">]} : (tensor<16xf32>) -> tensor<16xf32>
  %c = dlhlo.launch @neg dims [] (%x) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "second">]} : (tensor<16xf32>) -> tensor<16xf32>
  %d = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %b, %c, %d : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// Where the host waits for a size, nothing passes; a branch is a block of its own.
// CHECK-LABEL: func.func @segments
// CHECK: dlhlo.launch @neg
// CHECK: dhlo.bind @M
// CHECK: dlhlo.launch @neg
// CHECK: dhlo.if
// CHECK: dlhlo.launch_many
// CHECK: dhlo.yield
// CHECK: dlhlo.launch @neg
func.func @segments(%x: tensor<16xf32>, %n: tensor<i64>, %p: tensor<i1>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) attributes {dhlo.entry} {
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  dhlo.bind @M = %n : tensor<i64>
  %b = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %0 = dhlo.if %p -> (tensor<16xf32>) {
    %1 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
    %2 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
    %3 = dlhlo.launch @add dims [] (%1, %2) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    dhlo.yield %3 : tensor<16xf32>
  } else {
    dhlo.yield %x : tensor<16xf32>
  }
  %d = dlhlo.launch @neg dims [] (%0) : (tensor<16xf32>) -> tensor<16xf32>
  return %a, %b, %d : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
