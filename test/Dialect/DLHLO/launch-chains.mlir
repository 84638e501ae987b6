// RUN: dyn-opt %s --dlhlo-launch-many --dlhlo-verify-kernels | FileCheck %s
// RUN: dyn-opt %s --dlhlo-launch-many --dlhlo-plan-buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: dyn-opt %s --dlhlo-launch-many=device --dlhlo-verify-kernels | FileCheck %s
// A router and, beside it, paths by a guess are chains of launches. The first kernel is needed by both, and
// the probe reads what the router's chain computes. An announcement of weights ends no chain.

dhlo.dim @K in [0, 16384]

dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.constant dense<0.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}

dlhlo.kernel @neg loop {
^bb0(%0: tensor<16384xf32>):
  %1 = dhlo.neg %0 : tensor<16384xf32>
  dlhlo.yield %1 : tensor<16384xf32>
}
dlhlo.kernel @tanh loop {
^bb0(%0: tensor<128x128xf32>):
  %1 = dhlo.tanh %0 : tensor<128x128xf32>
  dlhlo.yield %1 : tensor<128x128xf32>
}
dlhlo.kernel @group single {
^bb0(%0: tensor<128x1xi64>):
  %offsets, %order, %seats = dhlo.group %0 : (tensor<128x1xi64>) -> (tensor<3xi64>, tensor<128xi64>, tensor<128x1xi64>)
  dlhlo.yield %offsets, %order, %seats : tensor<3xi64>, tensor<128xi64>, tensor<128x1xi64>
}
dlhlo.kernel @choose row {
^bb0(%0: tensor<16384xf32>):
  %1 = dhlo.reshape %0 : (tensor<16384xf32>) -> tensor<128x128xf32>
  %2 = dhlo.arg_reduce max %1 axis = 1 : (tensor<128x128xf32>) -> tensor<128xi64>
  %3 = dhlo.reshape %2 : (tensor<128xi64>) -> tensor<128x1xi64>
  dlhlo.yield %3 : tensor<128x1xi64>
}
dlhlo.kernel @count loop {
^bb0(%0: tensor<3xi64>):
  %1 = dhlo.slice %0 starts = [1] strides = [1] : (tensor<3xi64>) -> tensor<1xi64>
  %2 = dhlo.reshape %1 : (tensor<1xi64>) -> tensor<i64>
  dlhlo.yield %2 : tensor<i64>
}
dlhlo.kernel @add loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>, %1: tensor<128x128xf32>):
  dhlo.dim @d0 in [0, 16384]
  %2 = dhlo.reshape %1 : (tensor<128x128xf32>) -> tensor<16384xf32>
  %3 = dhlo.slice %2 starts = [0] strides = [1] : (tensor<16384xf32>) -> tensor<?xf32, #dhlo.dims<d0>>
  %4 = dhlo.add %0, %3 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: func.func @main
// CHECK:       %[[X:.*]] = dlhlo.launch @neg
// CHECK:       %[[M:.*]]:8 = dlhlo.launch_many {{.*}} attributes {dlhlo.chains = array<i64: 1, 1, 2, 2, 2, 2>} {
// CHECK:         %[[A:.*]] = dlhlo.launch @neg dims [](%[[X]])
// CHECK:         %[[V:.*]] = dhlo.reshape %[[A]]
// CHECK:         dlhlo.launch @tanh dims [](%[[V]])
// CHECK:         %[[B:.*]] = dlhlo.launch @neg dims [](%[[X]])
// CHECK:         %[[C:.*]] = dlhlo.launch @choose dims [](%[[B]])
// CHECK:         %[[G:.*]]:3 = dlhlo.launch @group dims [](%[[C]])
// CHECK:         dlhlo.launch @count dims [](%[[G]]#0)
// CHECK:         dlhlo.yield
// CHECK:       dlhlo.fetch %[[M]]#4
// CHECK:       dhlo.probe "r"(%[[M]]#4, %[[M]]#6)
// CHECK:       dhlo.bind @K = %[[M]]#7

// BUFFERS: dlhlo.dispatch_many attributes {dlhlo.chains = array<i64: 1, 1, 2, 2, 2, 2>}
func.func @main(%x: tensor<16384xf32>) -> tensor<?xf32, #dhlo.dims<K>> attributes {dhlo.entry} {
  %0 = dlhlo.launch @neg dims [] (%x) : (tensor<16384xf32>) -> tensor<16384xf32>
  %a = dlhlo.launch @neg dims [] (%0) : (tensor<16384xf32>) -> tensor<16384xf32>
  %v = dhlo.reshape %a : (tensor<16384xf32>) -> tensor<128x128xf32>
  %s = dlhlo.launch @tanh dims [] (%v) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %b = dlhlo.launch @neg dims [] (%0) : (tensor<16384xf32>) -> tensor<16384xf32>
  %c = dlhlo.launch @choose dims [] (%b) : (tensor<16384xf32>) -> tensor<128x1xi64>
  %g:3 = dlhlo.launch @group dims [] (%c) : (tensor<128x1xi64>) -> (tensor<3xi64>, tensor<128xi64>, tensor<128x1xi64>)
  dlhlo.fetch %g#0 [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>] : tensor<3xi64>
  dhlo.probe "r" (%g#0, %g#2) : tensor<3xi64>, tensor<128x1xi64>
  %n = dlhlo.launch @count dims [] (%g#0) : (tensor<3xi64>) -> tensor<i64>
  dhlo.bind @K = %n {dhlo.after_guess} : tensor<i64>
  %w = dhlo.slice %x starts = [0] strides = [1] : (tensor<16384xf32>) -> tensor<?xf32, #dhlo.dims<K>>
  %y = dlhlo.launch @add dims [@K] (%w, %s) : (tensor<?xf32, #dhlo.dims<K>>, tensor<128x128xf32>) -> tensor<?xf32, #dhlo.dims<K>>
  return %y : tensor<?xf32, #dhlo.dims<K>>
}
