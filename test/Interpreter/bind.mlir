// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @N in [2, 10] multiple_of 4
dhlo.dim @K in [0, ?] at_most @N + 1

// 8 and 4 are the only legal values.
// CHECK-LABEL: @bind{{$}}
// CHECK-NEXT:    tensor<8xi64> [0, 1, 2, 3, 4, 5, 6, 7]
func.func @bind() -> tensor<?xi64, #dhlo.dims<N>> {
  %n = dhlo.constant dense<8> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  return %0 : tensor<?xi64, #dhlo.dims<N>>
}

// CHECK-LABEL: @bind_negative{{$}}
// CHECK-NEXT:    tensor<4xi64> [0, 1, 2, 3]
// CHECK-NEXT:    dhlo.bind: size negative or outside its declared range
func.func @bind_negative() -> tensor<?xi64, #dhlo.dims<N>> {
  %n = dhlo.constant dense<-3> : tensor<i32>
  dhlo.bind @N = %n : tensor<i32>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  return %0 : tensor<?xi64, #dhlo.dims<N>>
}

// CHECK-LABEL: @bind_too_large{{$}}
// CHECK-NEXT:    tensor<8xi64> [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT:    dhlo.bind: size negative or outside its declared range
func.func @bind_too_large() -> tensor<?xi64, #dhlo.dims<N>> {
  %n = dhlo.constant dense<100> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  return %0 : tensor<?xi64, #dhlo.dims<N>>
}

// Above its bound, which another size tells.
// CHECK-LABEL: @bind_bounded{{$}}
// CHECK-NEXT:    tensor<5xi64> [0, 1, 2, 3, 4]
// CHECK-NEXT:    dhlo.bind: size negative or outside its declared range
func.func @bind_bounded() -> tensor<?xi64, #dhlo.dims<K>> {
  %n = dhlo.constant dense<4> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %k = dhlo.constant dense<6> : tensor<i64>
  dhlo.bind @K = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  return %0 : tensor<?xi64, #dhlo.dims<K>>
}

// CHECK-LABEL: @bind_no_multiple{{$}}
// CHECK-NEXT:    tensor<8xi64> [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT:    dhlo.bind: size negative or outside its declared range
func.func @bind_no_multiple() -> tensor<?xi64, #dhlo.dims<N>> {
  %n = dhlo.constant dense<7> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  return %0 : tensor<?xi64, #dhlo.dims<N>>
}
