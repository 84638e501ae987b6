// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --dlhlo-explain -o /dev/null | FileCheck %s

dhlo.dim @N in [16, 1024] multiple_of 16

// CHECK: "constants": [
// CHECK:   "bytes": 32,
// CHECK:   "name": "b",
// CHECK:   "recipe": [
// CHECK-NEXT: "dhlo.weight"
// CHECK: "entries": [
// CHECK:   "launches": 2,
// CHECK:   "memory": [
// CHECK-NEXT: "32 * @N"
// CHECK:   "name": "main",
// CHECK: "kernels": [
// CHECK:   "facts": [
// CHECK:       "max": 1024,
// CHECK:       "min": 16,
// CHECK:       "multiple_of": 16,
// CHECK:       "name": "d0"
// CHECK:   "kind": "contraction",
// CHECK:   "launches": 1,
// CHECK:   "name": "dot_general_add",
// CHECK:   "reason": "dot_general with 2 operations on its result",
func.func @main(%x: tensor<?x8xf32, #dhlo.dims<N>>, %w: tensor<8x8xf32>) -> tensor<8xf32> attributes {dhlo.entry} {
  %b = dhlo.weight <"m.onnx", offset = 64, length = 32, key = "b"> : tensor<8xf32>
  %0 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %2 = dhlo.add %1, %0 : tensor<?x8xf32, #dhlo.dims<N>>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
