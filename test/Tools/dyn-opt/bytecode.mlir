// RUN: dyn-opt %s --emit-bytecode -o %t.mlirbc
// RUN: dyn-opt %t.mlirbc | FileCheck %s
// RUN: head -c 64 %t.mlirbc > %t.short.mlirbc && not dyn-opt %t.short.mlirbc
// Types and attributes of both dialects go through bytecode.

// CHECK: dhlo.dim @N in [1, 64] multiple_of 8 likely [8, 16]
dhlo.dim @N in [1, 64] multiple_of 8 likely [8, 16]
// CHECK: dhlo.dim @M = (@N + 1) floordiv 2
dhlo.dim @M = (@N + 1) floordiv 2

// CHECK: dlhlo.constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
dlhlo.constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
  // CHECK: dhlo.weight <"m.onnx", offset = 64, length = 512, key = "w">
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 512, key = "w"> : tensor<4x32xf32>
  %1 = dlhlo.pack %0 : (tensor<4x32xf32>) -> tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  dlhlo.yield %1 : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
}

// CHECK: func.func @buffers(%{{.*}}: !dlhlo.buffer) attributes {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/embed">]}
func.func @buffers(%x: !dlhlo.buffer) attributes {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/embed">]} {
  return
}

// CHECK: dhlo.slice %{{.*}} starts = [-1 * @M + @N] strides = [-1]
// CHECK: dhlo.reduce max
func.func @tensors(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32> {
  %0 = dhlo.slice %x starts = [@N - @M] strides = [-1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  %1 = dhlo.reduce max %0 axes = [0] : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<f32>
  return %1 : tensor<f32>
}
