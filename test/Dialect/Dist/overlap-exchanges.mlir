// RUN: dyn-opt %s --split-input-file --dist-overlap-exchanges | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dist-overlap-exchanges=max-open=1 | FileCheck %s --check-prefix=ONE

// A matmul that needs no exchange runs beside it, with what it reads and what only reads it. What is cheap
// stays where it is read.

// CHECK-LABEL: func.func @beside
// CHECK:      dist.exchange_start
// CHECK-NEXT: dhlo.neg
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dhlo.tanh
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: dhlo.exp
// CHECK-NEXT: dhlo.add
// CHECK-NEXT: dhlo.add
// CHECK-NEXT: return
func.func @beside(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>) -> tensor<256x256xf32> {
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %1 = dhlo.exp %x : tensor<256x256xf32>
  %2 = dhlo.add %0, %1 : tensor<256x256xf32>
  %3 = dhlo.neg %x : tensor<256x256xf32>
  %4 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %5 = dhlo.tanh %4 : tensor<256x256xf32>
  %6 = dhlo.add %2, %5 : tensor<256x256xf32>
  return %6 : tensor<256x256xf32>
}

// -----

// An exchange begins in front of work that it does not need.

// CHECK-LABEL: func.func @early
// CHECK-NEXT: dhlo.exp
// CHECK-NEXT: dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: return
func.func @early(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>) {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = dhlo.dot_general %w, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = dhlo.exp %x : tensor<256x256xf32>
  %t = dist.exchange_start %2 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %3 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  return %0, %1, %3 : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

// Blocks of columns: while one is sent, the next one is computed. With one exchange at a time, the first
// ends before the second begins.

// CHECK-LABEL: func.func @blocks
// CHECK:      dhlo.dot_general
// CHECK-NEXT: %[[A:.*]] = dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: %[[B:.*]] = dist.exchange_start
// CHECK-NEXT: dist.exchange_wait %[[A]]
// CHECK-NEXT: dist.exchange_wait %[[B]]
// CHECK-NEXT: dhlo.concat
// ONE-LABEL: func.func @blocks
// ONE:      dhlo.dot_general
// ONE-NEXT: %[[A:.*]] = dist.exchange_start
// ONE-NEXT: dhlo.dot_general
// ONE-NEXT: dist.exchange_wait %[[A]]
// ONE-NEXT: %[[B:.*]] = dist.exchange_start
// ONE-NEXT: dist.exchange_wait %[[B]]
func.func @blocks(%x: tensor<256x256xf32>, %v: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> tensor<1024x256xf32> {
  %0 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %t = dist.exchange_start %0 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %1 = dist.exchange_wait %t : !dist.request -> tensor<512x256xf32>
  %2 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %u = dist.exchange_start %2 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %3 = dist.exchange_wait %u : !dist.request -> tensor<512x256xf32>
  %4 = dhlo.concat %1, %3 axis = 0 : (tensor<512x256xf32>, tensor<512x256xf32>) -> tensor<1024x256xf32>
  return %4 : tensor<1024x256xf32>
}

// -----

// There and back, with one matmul beside each.

// CHECK-LABEL: func.func @there_and_back
// CHECK:      dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: dhlo.neg
// CHECK-NEXT: dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
func.func @there_and_back(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %1 = dhlo.neg %0 : tensor<256x256xf32>
  %u = dist.exchange_start %1 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %2 = dist.exchange_wait %u : !dist.request -> tensor<256x256xf32>
  %3 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %4 = dhlo.dot_general %3, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %2, %4 : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

// Sizes that an exchange brings are known after it: the matmul over them waits, the other one does not.

dhlo.dim @K in [0, 512]

// CHECK-LABEL: func.func @sizes
// CHECK:      dist.exchange_start
// CHECK-NEXT: dhlo.dot_general {{.*}} -> tensor<256x256xf32>
// CHECK-NEXT: %[[COUNT:.*]] = dist.exchange_wait
// CHECK-NEXT: dhlo.reshape %[[COUNT]]
// CHECK-NEXT: dhlo.bind @K
// CHECK-NEXT: dhlo.broadcast
// CHECK-NEXT: dhlo.dot_general
func.func @sizes(%n: tensor<1xi64>, %x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %v: tensor<256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> (tensor<?x256xf32, #dhlo.dims<K>>, tensor<256x256xf32>) {
  %t = dist.exchange_start %n among [0, 1] sends %s receives %r
      : (tensor<1xi64>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<1xi64>
  %1 = dhlo.reshape %0 : (tensor<1xi64>) -> tensor<i64>
  dhlo.bind @K = %1 : tensor<i64>
  %2 = dhlo.broadcast %v axes = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #dhlo.dims<K>>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x256xf32, #dhlo.dims<K>>, tensor<256x256xf32>) -> tensor<?x256xf32, #dhlo.dims<K>>
  %4 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %3, %4 : tensor<?x256xf32, #dhlo.dims<K>>, tensor<256x256xf32>
}

// -----

// Exchanges in regions keep their order among those around them, and are ordered inside.

// CHECK-LABEL: func.func @regions
// CHECK:      %[[A:.*]] = dist.exchange_start
// CHECK:      dhlo.if
// CHECK-NEXT: dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
// CHECK:      %[[B:.*]] = dist.exchange_start
// CHECK:      dist.exchange_wait
func.func @regions(%c: tensor<i1>, %x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> tensor<256x256xf32> {
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %1 = dhlo.if %c -> (tensor<256x256xf32>) {
    %t1 = dist.exchange_start %x among [0, 1] sends %s receives %r
        : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
    %2 = dist.exchange_wait %t1 : !dist.request -> tensor<256x256xf32>
    %3 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %4 = dhlo.add %2, %3 : tensor<256x256xf32>
    dhlo.yield %4 : tensor<256x256xf32>
  } else {
    dhlo.yield %x : tensor<256x256xf32>
  }
  %u = dist.exchange_start %0 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %5 = dist.exchange_wait %u : !dist.request -> tensor<256x256xf32>
  %6 = dhlo.add %1, %5 : tensor<256x256xf32>
  return %6 : tensor<256x256xf32>
}

// -----

// The bound of a size is checked where it is bound, so its symbols come first.

dhlo.dim @A in [0, 512]
dhlo.dim @B in [0, 512] at_most @A

// CHECK-LABEL: func.func @bounds
// CHECK:      dist.exchange_wait
// CHECK-NEXT: dhlo.reshape
// CHECK-NEXT: dhlo.bind @A
// CHECK-NEXT: dhlo.bind @B
// CHECK-NEXT: dhlo.broadcast
// CHECK-NEXT: dhlo.dot_general
func.func @bounds(%n: tensor<1xi64>, %b: tensor<i64>, %w: tensor<256x256xf32>, %v: tensor<256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> tensor<?x256xf32, #dhlo.dims<B>> {
  %t = dist.exchange_start %n among [0, 1] sends %s receives %r
      : (tensor<1xi64>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<1xi64>
  %1 = dhlo.reshape %0 : (tensor<1xi64>) -> tensor<i64>
  dhlo.bind @A = %1 : tensor<i64>
  dhlo.bind @B = %b : tensor<i64>
  %2 = dhlo.broadcast %v axes = [1] : (tensor<256xf32>) -> tensor<?x256xf32, #dhlo.dims<B>>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x256xf32, #dhlo.dims<B>>, tensor<256x256xf32>) -> tensor<?x256xf32, #dhlo.dims<B>>
  return %3 : tensor<?x256xf32, #dhlo.dims<B>>
}

// -----

// The sender may begin at any time, so what has come is worked on before the next exchange ends, though that
// should have ended before. With one exchange at a time, too.

// CHECK-LABEL: func.func @receives
// CHECK:      %[[A:.*]] = dist.exchange_start
// CHECK-NEXT: %[[B:.*]] = dist.exchange_start
// CHECK-NEXT: %[[X:.*]] = dist.exchange_wait %[[A]]
// CHECK-NEXT: %[[XW:.*]] = dhlo.dot_general %[[X]]
// CHECK-NEXT: %[[Y:.*]] = dist.exchange_wait %[[B]]
// CHECK-NEXT: dhlo.dot_general %[[Y]]
// CHECK-NEXT: dhlo.concat
// CHECK-NEXT: dist.exchange_start
// ONE-LABEL: func.func @receives
// ONE:      %[[A:.*]] = dist.exchange_start
// ONE-NEXT: %[[X:.*]] = dist.exchange_wait %[[A]]
// ONE-NEXT: %[[B:.*]] = dist.exchange_start
// ONE-NEXT: dhlo.dot_general %[[X]]
// ONE-NEXT: dist.exchange_wait %[[B]]
func.func @receives(%w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>) -> tensor<512x256xf32> {
  %none = dhlo.constant dense<0.0> : tensor<0x256xf32>
  %t = dist.exchange_start %none among [1, 0] sends %s receives %r
      : (tensor<0x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %u = dist.exchange_start %none among [1, 0] sends %s receives %r
      : (tensor<0x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %1 = dist.exchange_wait %u : !dist.request -> tensor<256x256xf32>
  %2 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %4 = dhlo.concat %2, %3 axis = 0 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  %v = dist.exchange_start %4 among [1, 0] sends %s receives %r
      : (tensor<512x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %5 = dist.exchange_wait %v : !dist.request -> tensor<0x256xf32>
  return %4 : tensor<512x256xf32>
}

// -----

// A broadcast is repeated after an exchange, so that it is never stored.

// CHECK-LABEL: func.func @broadcasts
// CHECK:      %[[A:.*]] = dhlo.broadcast
// CHECK-NEXT: dhlo.maximum %{{.*}}, %[[A]]
// CHECK-NEXT: dist.exchange_start
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: %[[B:.*]] = dhlo.broadcast
// CHECK-NEXT: %[[C:.*]] = dhlo.maximum %{{.*}}, %[[B]]
// CHECK-NEXT: dhlo.add %[[C]], %[[B]]
func.func @broadcasts(%x: tensor<256x256xf32>, %zero: tensor<f32>, %s: tensor<4xi64>, %r: tensor<4xi64>) -> tensor<256x256xf32> {
  %0 = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<256x256xf32>
  %1 = dhlo.maximum %x, %0 : tensor<256x256xf32>
  %t = dist.exchange_start %1 among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %2 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %3 = dhlo.maximum %2, %0 : tensor<256x256xf32>
  %4 = dhlo.add %3, %0 : tensor<256x256xf32>
  return %4 : tensor<256x256xf32>
}
