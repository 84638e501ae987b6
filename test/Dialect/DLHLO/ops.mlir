// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// Each operation prints and parses.

dhlo.dim @N in [1, 64]

// CHECK: dlhlo.constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
// CHECK:   %[[P:.*]] = dlhlo.pack %{{.*}} : (tensor<4x32xf32>) -> tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
// CHECK:   dlhlo.yield %[[P]]
dlhlo.constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
  %0 = dhlo.constant dense<1.0> : tensor<4x32xf32>
  %1 = dlhlo.pack %0 : (tensor<4x32xf32>) -> tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  dlhlo.yield %1 : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
}

// CHECK: dlhlo.kernel @exp loop {
// CHECK:   dhlo.dim @d0 in [1, 64]
dlhlo.kernel @exp loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  %1 = dhlo.exp %0 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?xf32, #dhlo.dims<d0>>
}

// CHECK: dlhlo.kernel @dense contraction {
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf32, #dhlo.dims<d0>>, %1: tensor<8x4xf32>, %2: tensor<8xf32>, %3: tensor<?x8xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x4xf32, #dhlo.dims<d0>>, tensor<8x4xf32>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf32, #dhlo.dims<d0>>
}
// CHECK: dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 1 transposed bias 2 addend 3 activation gelu_tanh from 1024
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 1 transposed bias 2 addend 3 activation gelu_tanh from 1024
// CHECK: dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 1 activation none from 1{{$}}
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 1 activation none from 1

// CHECK-LABEL: func.func @tensors
func.func @tensors(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<4x8xf32>) {
  // CHECK: dlhlo.fusion loop(%{{.*}}) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  // CHECK:   dlhlo.yield
  %0 = dlhlo.fusion loop (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.neg %a : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<N>>
  }
  // CHECK: dlhlo.launch @exp dims [@N](%{{.*}}) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  %1 = dlhlo.launch @exp dims [@N] (%0) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  // CHECK: dlhlo.launch @exp dims [@N](%{{.*}}) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/embed">]}
  %2 = dlhlo.launch @exp dims [@N] (%1) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/embed">]} : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  // CHECK: %{{.*}}:2 = dlhlo.launch_many : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>> {
  // CHECK-NEXT: dlhlo.launch @exp
  // CHECK-NEXT: dlhlo.launch @exp
  // CHECK-NEXT: dlhlo.yield
  %m:2 = dlhlo.launch_many : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>> {
    %a = dlhlo.launch @exp dims [@N] (%1) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %b = dlhlo.launch @exp dims [@N] (%2) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %a, %b : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
  }
  // CHECK: dlhlo.get_constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  %3 = dlhlo.get_constant @w : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  // CHECK: dlhlo.find_nonzero %{{.*}} : (tensor<4x8xf32>) -> (tensor<32x2xi64>, tensor<i64>)
  %i, %n = dlhlo.find_nonzero %y : (tensor<4x8xf32>) -> (tensor<32x2xi64>, tensor<i64>)
  return
}

// CHECK: dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@N] arenas 1
dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@N] arenas 1

// CHECK-LABEL: func.func @dyn.entry.main
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer, %[[N:.*]]: index)
func.func @dyn.entry.main(%x: !dlhlo.buffer, %N: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = dlhlo.reserve %{{.*}} bytes %[[N]]
  %a = dlhlo.reserve %c0 bytes %N
  // CHECK: %[[V:.*]] = dlhlo.view %[[A]][%[[N]]]
  %v = dlhlo.view %a[%N]
  // CHECK: %[[Y:.*]] = dlhlo.output 0 sizes(%[[N]])
  %y = dlhlo.output 0 sizes (%N)
  // CHECK: dlhlo.constant_buffer @w
  %w = dlhlo.constant_buffer @w
  // CHECK: dlhlo.dispatch @exp dims(%[[N]]) buffers(%[[X]], %[[Y]]) site_base = 4
  dlhlo.dispatch @exp dims (%N) buffers (%x, %y) site_base = 4
  // CHECK: dlhlo.dispatch_many {
  // CHECK-NEXT: dlhlo.dispatch @exp dims(%[[N]]) buffers(%[[X]], %[[Y]]) site_base = 4
  // CHECK-NEXT: dlhlo.dispatch @exp dims(%[[N]]) buffers(%[[X]], %[[V]]) site_base = 5
  // CHECK-NEXT: }
  dlhlo.dispatch_many {
    dlhlo.dispatch @exp dims (%N) buffers (%x, %y) site_base = 4
    dlhlo.dispatch @exp dims (%N) buffers (%x, %v) site_base = 5
  }
  // CHECK: dlhlo.check
  dlhlo.check
  // CHECK: %[[K:.*]] = dlhlo.load %[[V]] : i1
  %k = dlhlo.load %v : i1
  // CHECK: dlhlo.fail_if %[[K]] value %[[N]] site = 7
  dlhlo.fail_if %k value %N site = 7
  // CHECK: dlhlo.store %[[N]], %[[V]][2] as i64
  dlhlo.store %N, %v[2] as i64
  // CHECK: dlhlo.poison %[[V]] bytes %[[N]]
  dlhlo.poison %v bytes %N
  // CHECK: dlhlo.unpoison %[[V]] bytes %[[N]]
  dlhlo.unpoison %v bytes %N
  return
}
