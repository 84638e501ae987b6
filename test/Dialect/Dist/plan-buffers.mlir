// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-verify-fusions --dlhlo-outline-kernels --dlhlo-verify-kernels --dlhlo-plan-buffers --dlhlo-verify-buffers --canonicalize --cse | FileCheck %s
// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers=red-zone=64 --canonicalize --cse | FileCheck %s --check-prefix=ZONES

dhlo.dim @N in [0, 64]
dhlo.dim @K in [0, 64]
dhlo.dim @M = 2 * @N

// CHECK: dlhlo.sites = [#dlhlo.site<index, op = "dist.exchange_start", location = "/gather">, #dlhlo.site<size_mismatch, op = "dist.exchange_start", location = "/gather">

// What is sent and what is received do not share memory with values of the time between.
// CHECK: dlhlo.entry @main_0
// CHECK-SAME: dist.part = #dist.part<"main", rank = 0, ranks = 2>
// CHECK-LABEL: func.func @dyn.entry.main_0
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer, %[[N:.*]]: index)
// CHECK: dlhlo.reserve %c0
// CHECK: %[[OUT:.*]] = dlhlo.output 0
// CHECK: dlhlo.dispatch @{{.*}} buffers(%[[X]], %[[SENT:.*]]) site_base
// CHECK-NOT: dlhlo.check
// CHECK: %[[T:.*]] = dist.buffer_start %[[SENT]][%[[N]]] to %[[GOT:.*]][%{{.*}}] bytes %c32 among [0, 1] sends %{{.*}} receives %{{.*}} site = 0
// CHECK: dlhlo.dispatch @{{.*}} buffers(%[[X]], %[[FIRST:.*]]) site_base
// CHECK: dlhlo.dispatch @{{.*}} buffers(%[[FIRST]], %[[SECOND:.*]]) site_base
// CHECK: dist.buffer_wait %[[T]]
// CHECK: dlhlo.dispatch @{{.*}} buffers(%[[SECOND]], %[[GOT]], %[[OUT]]) site_base
//
// ZONES-LABEL: func.func @dyn.entry.main_0
// ZONES: dist.buffer_start %[[SENT:[0-9]+]][
// ZONES-NOT: dlhlo.poison %[[SENT]] bytes
// ZONES: dist.buffer_wait
// ZONES: dlhlo.poison %[[SENT]] bytes
func.func @main_0(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<M>>
    attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %0 = dhlo.softmax %x axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>
  %s = dhlo.from_dims [0, @N, 0, @N] : tensor<4xi64>
  %r = dhlo.from_dims [0, @N, @N, 2 * @N] : tensor<4xi64>
  %t = dist.exchange_start %0 among [0, 1] sends %s receives %r
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request loc("/gather")
  %1 = dhlo.softmax %x axis = 0 : tensor<?x8xf32, #dhlo.dims<N>>
  %2 = dhlo.reduce sum %1 axes = [0] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xf32>
  %3 = dist.exchange_wait %t : !dist.request -> tensor<?x8xf32, #dhlo.dims<M>>
  %4 = dhlo.broadcast %2 axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<M>>
  %5 = dhlo.add %3, %4 : tensor<?x8xf32, #dhlo.dims<M>>
  return %5 : tensor<?x8xf32, #dhlo.dims<M>>
}

// Ranges that a kernel computes are read after a check. A result that is returned lies in the output.
// CHECK-LABEL: func.func @dyn.entry.main_1
// CHECK: %[[Y:.*]] = dlhlo.output 0
// CHECK: dlhlo.check
// CHECK-NEXT: %[[T:.*]] = dist.buffer_start %{{.*}} to %[[Y]][%{{.*}}] bytes %c8
// CHECK-NEXT: dist.buffer_wait %[[T]]
func.func @main_1(%x: tensor<?xi64, #dhlo.dims<N>>, %ranges: tensor<4xi64>) -> tensor<?xi64, #dhlo.dims<N>>
    attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %0 = dhlo.add %ranges, %ranges : tensor<4xi64>
  %t = dist.exchange_start %x among [1, 0] sends %0 receives %0
      : (tensor<?xi64, #dhlo.dims<N>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<?xi64, #dhlo.dims<N>>
  return %y : tensor<?xi64, #dhlo.dims<N>>
}

// An exchange may last beyond a segment; its buffers then have arenas of their own.
// CHECK-LABEL: func.func @dyn.entry.main_2
// CHECK: %[[ARENA:.*]] = dlhlo.reserve %c0 bytes
// CHECK: %[[A:.*]] = dlhlo.view %[[ARENA]][%c0]
// CHECK: %[[OTHER:.*]] = dlhlo.reserve %c2 bytes
// CHECK: %[[B:.*]] = dlhlo.view %[[OTHER]][%c0]
// CHECK: dist.buffer_start %[[A]][{{.*}}] to %[[B]][
// CHECK: dlhlo.load
// CHECK: dist.buffer_wait
func.func @main_2(%x: tensor<?xf32, #dhlo.dims<N>>, %k: tensor<i64>) -> (tensor<?xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<K>>)
    attributes {dhlo.entry, dist.part = #dist.part<"other", rank = 0, ranks = 1>} {
  %0 = dhlo.exp %x : tensor<?xf32, #dhlo.dims<N>>
  %s = dhlo.from_dims [0, @N] : tensor<2xi64>
  %t = dist.exchange_start %0 among [0] sends %s receives %s
      : (tensor<?xf32, #dhlo.dims<N>>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  dhlo.bind @K = %k : tensor<i64>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  %1 = dist.exchange_wait %t : !dist.request -> tensor<?xf32, #dhlo.dims<N>>
  %2 = dhlo.exp %1 : tensor<?xf32, #dhlo.dims<N>>
  return %2, %i : tensor<?xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<K>>
}
