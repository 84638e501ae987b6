// RUN: dyn-opt %s -split-input-file --dlhlo-defer-sizes --dlhlo-verify-kernels | FileCheck %s

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

// -----

// The rows of a guess, all or none of a data-dependent number: a kernel computes its offsets from what it reads.
// CHECK: dhlo.dim @D = @G * @N{{ *$}}
// CHECK-LABEL: dlhlo.kernel @sizes_0 loop
// CHECK-NEXT: ^bb0(%[[ARG:[^:]*]]: tensor<i64>):
// CHECK:        dhlo.bind @[[K:.*]] = %[[ARG]]
// CHECK:        dhlo.from_dims [0, @d0] : tensor<2xi64>
// CHECK-LABEL: func.func @main
// CHECK:       dhlo.guess @G
// CHECK:       %[[COUNT:.*]] = dlhlo.launch @count
// CHECK-NOT:   dhlo.bind
// CHECK:       %[[O:.*]] = dlhlo.launch @sizes_0 dims [@{{.*}}](%[[COUNT]])
// CHECK:       dhlo.guessed "r"(%[[O]], %[[O]], %[[O]])
// CHECK:       dlhlo.launch @neg_1 dims [{{.*}}](%{{.*}}, %[[COUNT]])
// The host knows this one.
// CHECK:       dhlo.from_dims [0, @G] : tensor<2xi64>
dhlo.dim @N
dhlo.dim @K in [0, ?] at_most @N
dhlo.dim @G in [0, 1]
dhlo.dim @D = @G * @K
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
^bb0(%0: tensor<?xi64, #dhlo.dims<d0>>, %1: tensor<2xi64>):
  dhlo.dim @d0
  %2 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  %3 = dhlo.reduce sum %1 axes = [0] : (tensor<2xi64>) -> tensor<i64>
  %4 = dhlo.add %2, %3 : tensor<i64>
  dlhlo.yield %4 : tensor<i64>
}
func.func @main(%x: tensor<?xi64, #dhlo.dims<N>>) -> tensor<i64> attributes {dhlo.entry} {
  dhlo.guess @G = "r" pays_from 512
  %n = dlhlo.launch @count dims [@N] (%x) : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<i64>
  dhlo.bind @K = %n : tensor<i64>
  %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<K>>
  %o = dhlo.from_dims [0, @D] : tensor<2xi64>
  dhlo.guessed "r" (%o, %o, %o) : tensor<2xi64>
  %1 = dhlo.slice %0 starts = [0] strides = [1] : (tensor<?xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<D>>
  %2 = dlhlo.launch @neg dims [@D] (%1) : (tensor<?xi64, #dhlo.dims<D>>) -> tensor<?xi64, #dhlo.dims<D>>
  %p = dhlo.from_dims [0, @G] : tensor<2xi64>
  %s = dlhlo.launch @sum dims [@D] (%2, %p) : (tensor<?xi64, #dhlo.dims<D>>, tensor<2xi64>) -> tensor<i64>
  return %s : tensor<i64>
}
