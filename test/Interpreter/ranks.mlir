// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Rank r of 3 has the rows [3r, 3r + 3) of 7 and gathers all.

// CHECK-LABEL: @gather_0
// CHECK-NEXT:    tensor<7xf32> [1, 2, 3, 4, 5, 6, 7]
func.func @gather_0() -> tensor<7xf32> attributes {dist.part = #dist.part<"gather", rank = 0, ranks = 3>} {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = dhlo.from_dims [0, 3, 0, 3, 0, 3] : tensor<6xi64>
  %r = dhlo.from_dims [0, 3, 3, 6, 6, 7] : tensor<6xi64>
  %t = dist.exchange_start %x among [0, 1, 2] sends %s receives %r : (tensor<3xf32>, tensor<6xi64>, tensor<6xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @gather_1
// CHECK-NEXT:    tensor<7xf32> [1, 2, 3, 4, 5, 6, 7]
func.func @gather_1() -> tensor<7xf32> attributes {dist.part = #dist.part<"gather", rank = 1, ranks = 3>} {
  %x = dhlo.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %s = dhlo.from_dims [0, 3, 0, 3, 0, 3] : tensor<6xi64>
  %r = dhlo.from_dims [0, 3, 3, 6, 6, 7] : tensor<6xi64>
  %t = dist.exchange_start %x among [0, 1, 2] sends %s receives %r : (tensor<3xf32>, tensor<6xi64>, tensor<6xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @gather_2
// CHECK-NEXT:    tensor<7xf32> [1, 2, 3, 4, 5, 6, 7]
func.func @gather_2() -> tensor<7xf32> attributes {dist.part = #dist.part<"gather", rank = 2, ranks = 3>} {
  %x = dhlo.constant dense<[7.0]> : tensor<1xf32>
  %s = dhlo.from_dims [0, 1, 0, 1, 0, 1] : tensor<6xi64>
  %r = dhlo.from_dims [0, 3, 3, 6, 6, 7] : tensor<6xi64>
  %t = dist.exchange_start %x among [0, 1, 2] sends %s receives %r : (tensor<1xf32>, tensor<6xi64>, tensor<6xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// Two requests at once, which end in the other order; rows that nobody sends
// are zeros, and a range past the end is a data error.

// CHECK-LABEL: @two_0
// CHECK-NEXT:    tensor<2xf32> [0, 3]
// CHECK-NEXT:    tensor<2xf32> [4, 2]
// CHECK-NEXT:    dist.exchange_start: index out of range
func.func @two_0() -> (tensor<2xf32>, tensor<2xf32>) attributes {dist.part = #dist.part<"two", rank = 0, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 3] : tensor<4xi64>
  %r = dhlo.from_dims [0, 0, 1, 2] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %s2 = dhlo.from_dims [1, 2, 0, 0] : tensor<4xi64>
  %r2 = dhlo.from_dims [1, 2, 0, 1] : tensor<4xi64>
  %t2 = dist.exchange_start %x among [0, 1] sends %s2 receives %r2 : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %z = dist.exchange_wait %t2 : !dist.request -> tensor<2xf32>
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @two_1
// CHECK-NEXT:    tensor<2xf32> [1, 2]
// CHECK-NEXT:    tensor<0xf32> []
func.func @two_1() -> (tensor<2xf32>, tensor<0xf32>) attributes {dist.part = #dist.part<"two", rank = 1, ranks = 2>} {
  %x = dhlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 1, 0, 0] : tensor<4xi64>
  %r = dhlo.from_dims [0, 2, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %s2 = dhlo.from_dims [1, 2, 0, 0] : tensor<4xi64>
  %r2 = dhlo.from_dims [0, 0, 0, 0] : tensor<4xi64>
  %t2 = dist.exchange_start %x among [0, 1] sends %s2 receives %r2 : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  %z = dist.exchange_wait %t2 : !dist.request -> tensor<0xf32>
  return %y, %z : tensor<2xf32>, tensor<0xf32>
}

// In a global program, a reshard changes nothing.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: @global
// CHECK-NEXT:    tensor<2xf32> [1, 2]
func.func @global() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = dist.reshard %x : tensor<2xf32> to <@mesh, [["m"]]>
  return %y : tensor<2xf32>
}
