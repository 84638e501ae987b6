// RUN: dyn-opt %s --dist-split-batch --dhlo-verify-dims -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: dyn-run %s --reference --input x=random:5x5 --input y=random:5x3 > %t.expected
// RUN: dyn-run %t --reference --input x=random:5x5 --input y=random:5x3 | diff %t.expected -

// Blocks of a value that has the size of the batch twice have whole rows.

// CHECK-LABEL: func.func @main
// CHECK:       %[[X0:.*]] = dhlo.slice %arg0 starts = [0, 0] {{.*}} -> tensor<?x?xf32, #dhlo.dims<[[D:.*]], B>>
// CHECK:       dhlo.reduce sum %[[X0]] axes = [1]
// CHECK-SAME:    -> tensor<?xf32, #dhlo.dims<[[D]]>>
// CHECK:       dhlo.slice %arg0 starts = [(@B + 1) floordiv 2, 0]
// CHECK:       dhlo.concat
dhlo.dim @B in [0, 64]
func.func @main(%x: tensor<?x?xf32, #dhlo.dims<B, B>> {dhlo.name = "x"}, %y: tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "y"})
    -> (tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "z"}) attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, B>>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.broadcast %0 axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x3xf32, #dhlo.dims<B>>
  %2 = dhlo.mul %1, %y : tensor<?x3xf32, #dhlo.dims<B>>
  return %2 : tensor<?x3xf32, #dhlo.dims<B>>
}
