// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Announcements of weights print and parse, by tensors, by buffers, and of all ranges.

dlhlo.constant @w : tensor<2x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<2x4xf32>
  dlhlo.yield %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @ops(
func.func @ops(%a: tensor<3xi64>, %b: !dlhlo.buffer) {
  // CHECK: dlhlo.fetch %{{.*}} [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>, #dlhlo.range<@w, path = 1, offset = 16, bytes = 16>] : tensor<3xi64>
  dlhlo.fetch %a [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>, #dlhlo.range<@w, path = 1, offset = 16, bytes = 16>] : tensor<3xi64>
  // CHECK: dlhlo.fetch %{{.*}} [#dlhlo.range<@w, path = 7, offset = 32, bytes = 0>] : !dlhlo.buffer
  dlhlo.fetch %b [#dlhlo.range<@w, path = 7, offset = 32, bytes = 0>] : !dlhlo.buffer
  // CHECK: dlhlo.fetch predicted %{{.*}} [#dlhlo.range<@w, path = 1, offset = 0, bytes = 16>] : tensor<3xi64>
  dlhlo.fetch predicted %a [#dlhlo.range<@w, path = 1, offset = 0, bytes = 16>] : tensor<3xi64>
  // CHECK: dlhlo.fetch predicted [#dlhlo.range<@w, path = 7, offset = 0, bytes = 16>]{{$}}
  dlhlo.fetch predicted [#dlhlo.range<@w, path = 7, offset = 0, bytes = 16>]
  // CHECK: dlhlo.fetch [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>]{{$}}
  dlhlo.fetch [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>]
  return
}
