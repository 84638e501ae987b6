// RUN: dyn-opt %s --dlhlo-hoist-constants | FileCheck %s

dhlo.dim @N in [1, 64]

// Equal recipes are one constant, named after the weight.
// CHECK: dlhlo.constant @w : tensor<2x3xf32> {
// CHECK:   dhlo.weight
// CHECK:   dhlo.transpose
// CHECK:   dlhlo.yield
// CHECK-NOT: dlhlo.constant @w_

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %y: tensor<?x3xf32, #dhlo.dims<N>>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<?x3xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  // CHECK: %[[W0:.*]] = dlhlo.get_constant @w : tensor<2x3xf32>
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
  %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = dhlo.weight <"m.onnx", offset = 64, length = 24, key = "w"> : tensor<3x2xf32>
  %3 = dhlo.transpose %2 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  // CHECK: %[[W1:.*]] = dlhlo.get_constant @w : tensor<2x3xf32>
  // A splat stays for the fusions, but not where the entry returns it.
  // CHECK: %[[SPLAT:.*]] = dhlo.constant dense<1.000000e+00> : tensor<2x3xf32>
  %4 = dhlo.constant dense<1.0> : tensor<2x3xf32>
  %5 = dhlo.constant dense<2.0> : tensor<2xf32>
  // CHECK: dhlo.add %{{.*}}, %[[W0]]
  %6 = dhlo.add %x, %1 : tensor<2x3xf32>
  // CHECK: dhlo.mul %{{.*}}, %[[W1]]
  %7 = dhlo.mul %x, %3 : tensor<2x3xf32>
  // CHECK: dhlo.mul %{{.*}}, %[[SPLAT]]
  %8 = dhlo.mul %7, %4 : tensor<2x3xf32>
  // A broadcast is left to its reader.
  // CHECK: dhlo.broadcast %{{.*}} axes = [1]
  %9 = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %10 = dhlo.broadcast %9 axes = [1] : (tensor<3xf32>) -> tensor<?x3xf32, #dhlo.dims<N>>
  %11 = dhlo.add %y, %10 : tensor<?x3xf32, #dhlo.dims<N>>
  return %6, %8, %5, %11 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<?x3xf32, #dhlo.dims<N>>
}

// Matmuls read their operands from memory, even if all elements are the same;
// but a sum of few rows is no matmul.
// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32
// CHECK-DAG: %[[ONES:.*]] = dhlo.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-DAG: %[[HALVES:.*]] = dlhlo.get_constant {{.*}} : tensor<3x4xf32>
// CHECK: dhlo.dot_general %[[X]], %[[HALVES]]
// CHECK: dhlo.dot_general %[[ONES]],
func.func @operands(%x: tensor<?x3xf32, #dhlo.dims<N>>, %y: tensor<2x3x?xf32, #dhlo.dims<N>>)
    -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x?xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %0 = dhlo.constant dense<0.5> : tensor<3x4xf32>
  %1 = dhlo.constant dense<1.0> : tensor<2x3xf32>
  %2 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x3xf32, #dhlo.dims<N>>, tensor<3x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.dot_general %1, %y batch = 1 lhs_contract = [1] rhs_contract = [1]
      : (tensor<2x3xf32>, tensor<2x3x?xf32, #dhlo.dims<N>>) -> tensor<2x?xf32, #dhlo.dims<N>>
  return %2, %3 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x?xf32, #dhlo.dims<N>>
}

// Of groups too, offsets included.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32
// CHECK-DAG: %[[THIRDS:.*]] = dlhlo.get_constant {{.*}} : tensor<2x3x4xf32>
// CHECK-DAG: %[[NONE:.*]] = dlhlo.get_constant {{.*}} : tensor<3xi64>
// CHECK: dhlo.grouped_dot %[[X]], %[[THIRDS]], %[[NONE]]
func.func @groups(%x: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.constant dense<0.3> : tensor<2x3x4xf32>
  %1 = dhlo.constant dense<0> : tensor<3xi64>
  %2 = dhlo.grouped_dot %x, %0, %1
      : (tensor<?x3xf32, #dhlo.dims<N>>, tensor<2x3x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4xf32, #dhlo.dims<N>>
}

// What depends on a size is another at each call.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[TABLE:.*]] = dlhlo.get_constant
// CHECK: %[[LAST:.*]] = dhlo.slice %[[TABLE]] starts = [@N - 1, 0]
// CHECK: %[[SHIFTED:.*]] = dhlo.pad %[[LAST]], %{{.*}} low = [0, @N] high = [0, -1 * @N + 6]
// CHECK: return %[[SHIFTED]]
func.func @sizes(%x: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<1x9xf32> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 768, key = "table"> : tensor<64x3xf32>
  %1 = dhlo.slice %0 starts = [@N - 1, 0] strides = [1, 1] : (tensor<64x3xf32>) -> tensor<1x3xf32>
  %2 = dhlo.constant dense<0.0> : tensor<f32>
  %3 = dhlo.pad %1, %2 constant low = [0, @N] high = [0, 6 - @N] : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x9xf32>
  return %3 : tensor<1x9xf32>
}
