// RUN: dyn-opt %s --dlhlo-explain -o /dev/null | FileCheck %s

// What the explanation says of sizes: each form of a fact, of a kernel and of the module.

// CHECK: "entries": []
// CHECK: "kernels": [
// CHECK: "constant_sizes": [
// CHECK-NEXT: 3,
// CHECK-NEXT: 7
// CHECK-NEXT: ],
// A size of 1 is no size that a kernel rests on, and one of an operation in it is not either.
// CHECK: "text": "d0 is any size"
// CHECK: "text": "d1 is at least 2"
// CHECK: "text": "d2 is from 0 to 9"
// CHECK: "text": "d3 is from 4 to 64, a multiple of 4"
// CHECK: "text": "d4 is any size, a multiple of 8"
// CHECK: "text": "d5 is @d0 + 1"
// A kernel that nobody launches.
// CHECK: "launches": 0,
// CHECK: "name": "facts",
// CHECK-NOT: "reason"
// CHECK: "sizes": [
// CHECK: "at_most": {
// CHECK: "text": "2 * @N"
// CHECK: "name": "A"
// CHECK: "definition": {
// CHECK: "text": "@N floordiv 2"
// CHECK: "name": "D",
// CHECK: "value": 50
// CHECK: "likely": [
// CHECK-NEXT: 100,
// CHECK-NEXT: 7
// The first likely value is the one that formulas are evaluated at.
// CHECK: "name": "N",
// CHECK: "value": 100
dhlo.dim @A in [0, ?] at_most 2 * @N
dhlo.dim @D = @N floordiv 2
dhlo.dim @N in [0, 1000] likely [100, 7]

dlhlo.kernel @facts loop {
^bb0(%0: tensor<?x?x7xf32, #dhlo.dims<d0, d1>>, %1: tensor<?x?x?x1xf32, #dhlo.dims<d2, d3, d4>>):
  dhlo.dim @d0
  dhlo.dim @d1 in [2, ?]
  dhlo.dim @d2 in [0, 9]
  dhlo.dim @d3 in [4, 64] multiple_of 4
  dhlo.dim @d4 in [0, ?] multiple_of 8
  dhlo.dim @d5 = @d0 + 1
  %2 = dhlo.constant dense<1.0> : tensor<11xf32>
  %3 = dhlo.slice %2 starts = [0] strides = [1] : (tensor<11xf32>) -> tensor<3xf32>
  dlhlo.yield %3 : tensor<3xf32>
}
