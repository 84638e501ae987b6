// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-verify-fusions | FileCheck %s
// RUN: dyn-opt %s --dlhlo-fuse=device=true --dlhlo-verify-fusions | FileCheck %s --check-prefix=DEVICE

dhlo.dim @N in [1, 64]
dhlo.dim @D0 in [40, 4096]
dhlo.dim @D1 = @D0 - 1
dhlo.dim @D2 = @D0 - 2
dhlo.dim @D3 = @D0 - 3
dhlo.dim @D4 = @D0 - 4

// Each difference of adjacent elements reads what leads to it at twice as many
// positions: a chain is cut where they are more than four.
// CHECK-LABEL: func.func @differences
// CHECK: dlhlo.fusion loop({{.*}}"sub with 2 operations that lead to it"
// CHECK: dlhlo.fusion loop({{.*}}"sub with 8 operations that lead to it"
// CHECK-NOT: dlhlo.fusion
// CHECK: return
// DEVICE-LABEL: func.func @differences
// DEVICE-COUNT-2: dlhlo.fusion loop
// DEVICE-NOT: dlhlo.fusion
// DEVICE: return
func.func @differences(%x: tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D4>> attributes {dhlo.entry} {
  %a1 = dhlo.slice %x starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D1>>
  %b1 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D1>>
  %d1 = dhlo.sub %a1, %b1 : tensor<?x?xf32, #dhlo.dims<N, D1>>
  %a2 = dhlo.slice %d1 starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D1>>) -> tensor<?x?xf32, #dhlo.dims<N, D2>>
  %b2 = dhlo.slice %d1 starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D1>>) -> tensor<?x?xf32, #dhlo.dims<N, D2>>
  %d2 = dhlo.sub %a2, %b2 : tensor<?x?xf32, #dhlo.dims<N, D2>>
  %a3 = dhlo.slice %d2 starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D2>>) -> tensor<?x?xf32, #dhlo.dims<N, D3>>
  %b3 = dhlo.slice %d2 starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D2>>) -> tensor<?x?xf32, #dhlo.dims<N, D3>>
  %d3 = dhlo.sub %a3, %b3 : tensor<?x?xf32, #dhlo.dims<N, D3>>
  %a4 = dhlo.slice %d3 starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D3>>) -> tensor<?x?xf32, #dhlo.dims<N, D4>>
  %b4 = dhlo.slice %d3 starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D3>>) -> tensor<?x?xf32, #dhlo.dims<N, D4>>
  %d4 = dhlo.sub %a4, %b4 : tensor<?x?xf32, #dhlo.dims<N, D4>>
  return %d4 : tensor<?x?xf32, #dhlo.dims<N, D4>>
}

// What costs much is not computed for each of two adjacent elements, even where its
// only reader is.
// CHECK-LABEL: func.func @behind_a_reader
// CHECK: dlhlo.fusion loop
// CHECK: dhlo.exp
// CHECK: dlhlo.fusion loop
// CHECK: dhlo.neg
// CHECK: dhlo.slice
func.func @behind_a_reader(%x: tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D1>> attributes {dhlo.entry} {
  %e = dhlo.exp %x : tensor<?x?xf32, #dhlo.dims<N, D0>>
  %n = dhlo.neg %e : tensor<?x?xf32, #dhlo.dims<N, D0>>
  %a = dhlo.slice %n starts = [0, 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D1>>
  %b = dhlo.slice %n starts = [0, 0] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, D0>>) -> tensor<?x?xf32, #dhlo.dims<N, D1>>
  %d = dhlo.sub %a, %b : tensor<?x?xf32, #dhlo.dims<N, D1>>
  return %d : tensor<?x?xf32, #dhlo.dims<N, D1>>
}
