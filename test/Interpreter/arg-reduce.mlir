// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @arg_reduce{{$}}
// CHECK-NEXT:    tensor<2xi64> [1, 0]
// CHECK-NEXT:    tensor<2xi64> [2, 1]
// CHECK-NEXT:    tensor<2xi32> [3, 3]
// CHECK-NEXT:    tensor<4xi64> [0, 0, 1, 0]
func.func @arg_reduce() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi32>, tensor<4xi64>) {
  %x = dhlo.constant dense<[[1.0, 3.0, 3.0, -2.0], [7.0, 7.0, -1.0, -1.0]]> : tensor<2x4xf32>
  %a = dhlo.arg_reduce max %x axis = 1 : (tensor<2x4xf32>) -> tensor<2xi64>
  %b = dhlo.arg_reduce max %x axis = 1 last : (tensor<2x4xf32>) -> tensor<2xi64>
  %c = dhlo.arg_reduce min %x axis = 1 last : (tensor<2x4xf32>) -> tensor<2xi32>
  %d = dhlo.arg_reduce min %x axis = 0 : (tensor<2x4xf32>) -> tensor<4xi64>
  return %a, %b, %c, %d : tensor<2xi64>, tensor<2xi64>, tensor<2xi32>, tensor<4xi64>
}

// NaN is the extreme of both kinds.
// CHECK-LABEL: @arg_reduce_nan{{$}}
// CHECK-NEXT:    tensor<i64> 1
// CHECK-NEXT:    tensor<i64> 1
// CHECK-NEXT:    tensor<i64> 3
func.func @arg_reduce_nan() -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  %x = dhlo.constant dense<[1.0, 0x7FC00000, 3.0, 0x7FC00000, 0.0]> : tensor<5xf32>
  %a = dhlo.arg_reduce max %x axis = 0 : (tensor<5xf32>) -> tensor<i64>
  %b = dhlo.arg_reduce min %x axis = 0 : (tensor<5xf32>) -> tensor<i64>
  %c = dhlo.arg_reduce min %x axis = 0 last : (tensor<5xf32>) -> tensor<i64>
  return %a, %b, %c : tensor<i64>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @arg_reduce_empty{{$}}
// CHECK-NEXT:    tensor<2xi64> [0, 0]
// CHECK-NEXT:    dhlo.arg_reduce: index out of range
func.func @arg_reduce_empty() -> tensor<2xi64> {
  %x = dhlo.constant dense<> : tensor<2x0xi32>
  %a = dhlo.arg_reduce max %x axis = 1 last : (tensor<2x0xi32>) -> tensor<2xi64>
  return %a : tensor<2xi64>
}

// An axis of nothing is an error even if there is no result.
// CHECK-LABEL: @arg_reduce_none{{$}}
// CHECK-NEXT:    tensor<0xi64> []
// CHECK-NEXT:    dhlo.arg_reduce: index out of range
func.func @arg_reduce_none() -> tensor<0xi64> {
  %x = dhlo.constant dense<> : tensor<0x0xf32>
  %a = dhlo.arg_reduce min %x axis = 0 : (tensor<0x0xf32>) -> tensor<0xi64>
  return %a : tensor<0xi64>
}
