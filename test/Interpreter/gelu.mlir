// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @gelu{{$}}
// CHECK-NEXT:    tensor<5xf32> [-0.004049694, -0.15865526, 0, 0.8413448, 2.9959502]
// CHECK-NEXT:    tensor<5xf32> [-0.003637392, -0.15880801, 0, 0.841192, 2.9963627]
func.func @gelu() -> (tensor<5xf32>, tensor<5xf32>) {
  %x = dhlo.constant dense<[-3.0, -1.0, 0.0, 1.0, 3.0]> : tensor<5xf32>
  %y = dhlo.gelu erf %x : tensor<5xf32>
  %z = dhlo.gelu tanh %x : tensor<5xf32>
  return %y, %z : tensor<5xf32>, tensor<5xf32>
}
