// RUN: dyn-opt %s -split-input-file -verify-diagnostics -dhlo-interpret -o /dev/null

func.func @no_rank() {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 2] : tensor<2xi64>
  // expected-error @+1 {{'dist.exchange_start' op is not in the function of a rank}}
  %t = dist.exchange_start %x among [0] sends %s receives %s : (tensor<2xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}

// -----

// expected-error @+1 {{entry 'main': expected functions of 2 ranks, found those of 1}}
module {
  func.func @missing() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
    return
  }
}

// -----

func.func @twice() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 2, 0, 0] : tensor<4xi64>
  %r = dhlo.from_dims [0, 2, 1, 2] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op of rank 0 receives row 1 twice}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}
func.func @twice_1() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  return
}

// -----

func.func @rows_0() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 2] : tensor<4xi64>
  %r = dhlo.from_dims [0, 0, 0, 2] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op of rank 0 receives 2 rows of rank 1, which sends 1}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}
func.func @rows_1() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 1, 0, 0] : tensor<4xi64>
  %r = dhlo.from_dims [0, 2, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}

// -----

func.func @types_0() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 2] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}
func.func @types_1() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %x = dhlo.constant dense<[1, 2]> : tensor<2xi32>
  %s = dhlo.from_dims [0, 2, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %s : (tensor<2xi32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op of rank 1 receives other rows than rank 0 sends}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xi32>
  return
}

// -----

func.func @ended_0() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 2] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op of rank 0 waits for rank 1, which has ended}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  return
}
func.func @ended_1() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  return
}

// -----

// Each waits before it sends what the other waits for.
func.func @deadlock_0() attributes {dist.part = #dist.part<"main", rank = 0, ranks = 3>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op of rank 0 waits for rank 1, which waits for rank 2}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  %t2 = dist.exchange_start %x among [0, 2] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y2 = dist.exchange_wait %t2 : !dist.request -> tensor<2xf32>
  return
}
func.func @deadlock_1() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 3>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [1, 2] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  // expected-note @+1 {{rank 1 waits here}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  %t2 = dist.exchange_start %x among [0, 1] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y2 = dist.exchange_wait %t2 : !dist.request -> tensor<2xf32>
  return
}
func.func @deadlock_2() attributes {dist.part = #dist.part<"main", rank = 2, ranks = 3>} {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.from_dims [0, 0, 0, 0] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 2] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<2xf32>
  %t2 = dist.exchange_start %x among [1, 2] sends %s receives %s : (tensor<2xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y2 = dist.exchange_wait %t2 : !dist.request -> tensor<2xf32>
  return
}
