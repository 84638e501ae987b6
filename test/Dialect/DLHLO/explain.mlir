// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --dlhlo-explain -o /dev/null | FileCheck %s

dhlo.dim @N in [16, 1024] multiple_of 16 likely [64]

// CHECK: "constants": [
// CHECK:   "bytes": 32,
// CHECK:   "name": "b",
// CHECK:   "recipe": [
// CHECK-NEXT: "dhlo.weight"
// CHECK: "entries": [
// CHECK:   "bytes": {
// CHECK:     "text": "96 * @N + 320"
// CHECK:   "flops": {
// CHECK:     "text": "144 * @N",
// CHECK-NEXT: "tree": [
// CHECK-NEXT:   "mul",
// CHECK-NEXT:   144,
// CHECK-NEXT:   "N"
// CHECK:     "value": 9216
// CHECK:   "launches": 2,
// CHECK:   "memory": [
// CHECK:       "arena": 0,
// CHECK:         "text": "32 * @N"
// CHECK:   "name": "main",
// CHECK:   "peak": {
// CHECK:     "text": "32 * @N"
// CHECK:   "sequence": [
// CHECK:       "constant_bytes": 32,
// CHECK:       "constants": [
// CHECK-NEXT:    "b"
// CHECK:         "text": "136 * @N"
// CHECK:       "kernel": "dot_general_add",
// CHECK:       "location": "{{.*}}explain.mlir:
// CHECK: "kernels": [
// CHECK:   "constant_sizes": [
// CHECK-NEXT: 8
// CHECK:   "facts": [
// CHECK:       "is": [
// CHECK-NEXT:    "@N"
// CHECK:       "max": 1024,
// CHECK:       "min": 16,
// CHECK:       "multiple_of": 16,
// CHECK:       "name": "d0"
// CHECK:       "text": "d0 is from 16 to 1024, a multiple of 16"
// CHECK:   "kind": "contraction",
// CHECK:   "launch": {
// CHECK:       "text": "136 * @d0"
// CHECK:   "launches": 1,
// CHECK:   "name": "dot_general_add",
// CHECK:   "reason": "dot_general with 2 operations on its result",
// CHECK: "sizes": [
// CHECK:     "estimate": 64,
// CHECK:     "likely": [
// CHECK-NEXT:  64
// CHECK:     "value": 64
func.func @main(%x: tensor<?x8xf32, #dhlo.dims<N>>, %w: tensor<8x8xf32>) -> tensor<8xf32> attributes {dhlo.entry} {
  %b = dhlo.weight <"m.onnx", offset = 64, length = 32, key = "b"> : tensor<8xf32>
  %0 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %2 = dhlo.add %1, %0 : tensor<?x8xf32, #dhlo.dims<N>>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
