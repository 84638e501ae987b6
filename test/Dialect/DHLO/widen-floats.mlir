// RUN: dyn-opt %s --dhlo-widen-floats | FileCheck %s

dhlo.dim @N in [0, 100]

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64, #dhlo.dims<N>>) -> tensor<?x2xf64, #dhlo.dims<N>>
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  // CHECK: %[[W:.*]] = dhlo.weight {{.*}} : tensor<2xf32>
  // CHECK: %[[WIDE:.*]] = dhlo.convert %[[W]] : (tensor<2xf32>) -> tensor<2xf64>
  %w = dhlo.weight <"m.onnx", offset = 64, length = 8, key = "w"> : tensor<2xf32>
  // CHECK: dhlo.constant dense<[1.500000e+00, 0xFFF0000000000000]> : tensor<2xf64>
  %c = dhlo.constant dense<[1.5, 0xFF800000]> : tensor<2xf32>
  // CHECK: %[[S:.*]] = dhlo.add %[[WIDE]], %{{.*}} : tensor<2xf64>
  %s = dhlo.add %w, %c : tensor<2xf32>
  // CHECK: %[[R:.*]] = dhlo.rng uniform {{.*}} : tensor<2xf32>
  // CHECK: dhlo.convert %[[R]] : (tensor<2xf32>) -> tensor<2xf64>
  %r = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<2xf32>
  // Integers stay what they are.
  // CHECK: dhlo.convert %{{.*}} : (tensor<2xf64>) -> tensor<2xi32>
  %i = dhlo.convert %r : (tensor<2xf32>) -> tensor<2xi32>
  // CHECK: dhlo.convert %{{.*}} : (tensor<2xi32>) -> tensor<2xf64>
  %f = dhlo.convert %i : (tensor<2xi32>) -> tensor<2xf32>
  %t = dhlo.add %s, %f : tensor<2xf32>
  %0 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %t axes = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %y = dhlo.mul %0, %1 : tensor<?x2xf32, #dhlo.dims<N>>
  return %y : tensor<?x2xf32, #dhlo.dims<N>>
}
