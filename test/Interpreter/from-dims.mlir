// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @N in [0, 100]
dhlo.dim @M = 2 * @N + 1

// CHECK-LABEL: @from_dims{{$}}
// CHECK-NEXT:    tensor<3xi64> [7, 15, 5]
// CHECK-NEXT:    tensor<i32> 3
// CHECK-NEXT:    tensor<1xf32> [10]
func.func @from_dims() -> (tensor<3xi64>, tensor<i32>, tensor<1xf32>) {
  %n = dhlo.constant dense<7> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %a = dhlo.from_dims [@N, @M, 5] : tensor<3xi64>
  %b = dhlo.from_dims [@M floordiv 4] : tensor<i32>
  %c = dhlo.from_dims [max(@N, 10)] : tensor<1xf32>
  return %a, %b, %c : tensor<3xi64>, tensor<i32>, tensor<1xf32>
}
