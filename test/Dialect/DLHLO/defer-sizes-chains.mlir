// RUN: dyn-opt %s --dlhlo-defer-sizes --dlhlo-verify-kernels | FileCheck %s

// A size that only launches of chains need is theirs to read: the host does not wait for it, whatever the chains
// give.
// CHECK: dhlo.dim @K = @N{{ *$}}
// CHECK-LABEL: func.func @main
// CHECK:       %[[COUNT:.*]] = dlhlo.launch @count
// CHECK-NOT:   dhlo.bind
// CHECK:       %[[M:.*]]:3 = dlhlo.launch_many {{.*}} attributes {dlhlo.chains = array<i64: 1, 1, 2>} {
// CHECK:         %[[A:.*]] = dlhlo.launch @neg_0 dims [@K](%{{.*}}, %[[COUNT]])
// CHECK:         %[[B:.*]] = dlhlo.launch @neg_0 dims [@K](%[[A]], %[[COUNT]])
// CHECK:         %[[C:.*]] = dlhlo.launch @neg_0 dims [@K](%{{.*}}, %[[COUNT]])
// CHECK:         dlhlo.yield %[[A]], %[[B]], %[[C]]
// CHECK:       dlhlo.launch @sum_1 dims [@K](%[[M]]#1, %[[M]]#2, %[[COUNT]])
dhlo.dim @N
dhlo.dim @K in [0, ?] at_most @N
dlhlo.kernel @count row {
^bb0(%0: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
dlhlo.kernel @neg loop {
^bb0(%0: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.neg %0 : tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?xi64, #dhlo.dims<d0>>
}
dlhlo.kernel @sum row {
^bb0(%0: tensor<?xi64, #dhlo.dims<d0>>, %1: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %2 = dhlo.add %0, %1 : tensor<?xi64, #dhlo.dims<d0>>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %3 : tensor<i64>
}
func.func @main(%x: tensor<?xi64, #dhlo.dims<N>>) -> tensor<i64> attributes {dhlo.entry} {
  %n = dlhlo.launch @count dims [@N] (%x) : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<i64>
  dhlo.bind @K = %n : tensor<i64>
  %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<K>>
  %m:3 = dlhlo.launch_many : tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>> attributes {dlhlo.chains = array<i64: 1, 1, 2>} {
    %a = dlhlo.launch @neg dims [@K] (%0) : (tensor<?xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<K>>
    %b = dlhlo.launch @neg dims [@K] (%a) : (tensor<?xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<K>>
    %c = dlhlo.launch @neg dims [@K] (%0) : (tensor<?xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<K>>
    dlhlo.yield %a, %b, %c : tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>
  }
  %s = dlhlo.launch @sum dims [@K] (%m#1, %m#2) : (tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>) -> tensor<i64>
  return %s : tensor<i64>
}
