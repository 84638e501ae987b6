// RUN: dyn-opt %s -split-input-file --dlhlo-defer-sizes | FileCheck %s

// A kernel that reads how many rows there are. The launch says how many there
// are at most.
// CHECK: dhlo.dim @N
// CHECK: dhlo.dim @K = @N{{ *$}}
// CHECK-LABEL: dlhlo.kernel @gather_0 loop
// CHECK-NEXT: ^bb0(%{{[^:]*}}: tensor<?x4xf32, #dhlo.dims<d0>>, %{{[^:]*}}: tensor<?xi64, #dhlo.dims<d1>>, %[[COUNT:.*]]: tensor<i64>):
// CHECK: dhlo.dim @d1
// CHECK-NEXT: dhlo.bind @d1 = %[[COUNT]] : tensor<i64>
// CHECK-LABEL: func.func @main
// CHECK: %[[FOUND:.*]]:2 = dlhlo.launch @find
// CHECK-NOT: dhlo.bind
// CHECK: dlhlo.launch @gather_0 dims [@N, @K](%{{.*}}, %{{.*}}, %[[FOUND]]#1) {sites = [#dlhlo.site<size, op = "dhlo.bind", location = "/k">, #dlhlo.site<index, op = "dhlo.gather", location = "/g">]}
// Another kernel reads the product of two sizes, one of which is data-dependent.
// CHECK: dlhlo.launch @sum_1 dims [@K](%{{.*}}, %[[FOUND]]#1)
dhlo.dim @N
dhlo.dim @K in [0, ?] at_most @N
dhlo.dim @P = 4 * @K
dlhlo.kernel @find single {
^bb0(%0: tensor<?xi1, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %i, %n = dlhlo.find_nonzero %0 : (tensor<?xi1, #dhlo.dims<d0>>) -> (tensor<?x1xi64, #dhlo.dims<d0>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x1xi64, #dhlo.dims<d0>>, tensor<i64>
}
dlhlo.kernel @gather loop {
^bb0(%0: tensor<?x4xf32, #dhlo.dims<d0>>, %1: tensor<?xi64, #dhlo.dims<d1>>):
  dhlo.dim @d0
  dhlo.dim @d1
  %2 = dhlo.gather %0, %1 axis = 0 batch = 0 : (tensor<?x4xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d1>>) -> tensor<?x4xf32, #dhlo.dims<d1>>
  dlhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<d1>>
}
dlhlo.kernel @sum row {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<f32>
  dlhlo.yield %1 : tensor<f32>
}
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<N>>, %m: tensor<?xi1, #dhlo.dims<N>>) -> tensor<f32> attributes {dhlo.entry} {
  %f:2 = dlhlo.launch @find dims [@N] (%m) : (tensor<?xi1, #dhlo.dims<N>>) -> (tensor<?x1xi64, #dhlo.dims<N>>, tensor<i64>)
  dhlo.bind @K = %f#1 : tensor<i64> loc("/k")
  %0 = dhlo.slice %f#0 starts = [0, 0] strides = [1, 1] : (tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<K>>
  %1 = dhlo.reshape %0 : (tensor<?x1xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<K>>
  %2 = dlhlo.launch @gather dims [@N, @K] (%x, %1) {sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/g">]} : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<K>>) -> tensor<?x4xf32, #dhlo.dims<K>>
  %3 = dhlo.reshape %2 : (tensor<?x4xf32, #dhlo.dims<K>>) -> tensor<?xf32, #dhlo.dims<P>>
  %4 = dlhlo.launch @sum dims [@P] (%3) : (tensor<?xf32, #dhlo.dims<P>>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// What is left of two parts is at most everything: in the entry its size is
// that, and the kernel knows better.
// CHECK: dhlo.dim @A = 8{{ *$}}
// CHECK: dhlo.dim @R = @N{{ *$}}
// CHECK-LABEL: dlhlo.kernel @rest_0
// CHECK: dhlo.dim @d0 = -1 * @s0 + @s1
// CHECK-NEXT: dhlo.dim @s0 in [1, 8]
// CHECK-NEXT: dhlo.dim @s1 in [8, ?]
// CHECK-NEXT: dhlo.bind @s0
// CHECK-LABEL: func.func @parts
// CHECK-NOT: dhlo.bind
// CHECK: dlhlo.launch @rest_0 dims [@A, @N]
dhlo.dim @N in [8, ?]
dhlo.dim @A in [1, 8]
dhlo.dim @R = @N - @A
dlhlo.kernel @rest loop {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi64, #dhlo.dims<d0>>
}
dlhlo.kernel @last loop {
^bb0(%0: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
func.func @parts(%x: tensor<?xf32, #dhlo.dims<N>>, %a: tensor<i64>) -> tensor<i64> attributes {dhlo.entry} {
  dhlo.bind @A = %a : tensor<i64>
  %0 = dlhlo.launch @rest dims [@R] () : () -> tensor<?xi64, #dhlo.dims<R>>
  %1 = dlhlo.launch @last dims [@R] (%0) : (tensor<?xi64, #dhlo.dims<R>>) -> tensor<i64>
  return %1 : tensor<i64>
}

// -----

// What stays: a size without a bound, one of an output, one that is read as
// data, one that a branch depends on, one that has to be checked, one that
// another depends on that has no bound, one whose pairs, and one whose rows would
// take too much memory.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-8: dhlo.bind
// CHECK-NOT: dhlo.bind
dhlo.dim @N
dhlo.dim @FREE
dhlo.dim @OUT in [0, 8]
dhlo.dim @DATA in [0, 8]
dhlo.dim @BRANCH in [0, 8]
dhlo.dim @CHECKED in [0, 8]
dhlo.dim @DIVISOR in [1, 8]
dhlo.dim @QUOTIENT = @N floordiv @DIVISOR
dhlo.dim @PAIRED at_most @N
dhlo.dim @PAIRS = @PAIRED * @PAIRED
dhlo.dim @VAST at_most @N
dhlo.dim @ROWS = 1000 * @VAST
dhlo.dim @RESULT
dlhlo.kernel @fill loop {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi64, #dhlo.dims<d0>>
}
func.func @kept(%x: tensor<?xf32, #dhlo.dims<N>>, %p: tensor<i1>, %a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>, %e: tensor<i64>, %f: tensor<i64>, %g: tensor<i64>, %h: tensor<i64>)
    -> (tensor<?xi64, #dhlo.dims<OUT>>, tensor<?xi64, #dhlo.dims<RESULT>>) attributes {dhlo.entry} {
  dhlo.bind @FREE = %a : tensor<i64>
  dhlo.bind @OUT = %b : tensor<i64>
  dhlo.bind @DATA = %c : tensor<i64>
  dhlo.bind @BRANCH = %d : tensor<i64>
  dhlo.bind @CHECKED = %e : tensor<i64>
  dhlo.bind @DIVISOR = %f : tensor<i64>
  dhlo.bind @PAIRED = %g : tensor<i64>
  dhlo.bind @VAST = %h : tensor<i64>
  %9 = dlhlo.launch @fill dims [@PAIRS] () : () -> tensor<?xi64, #dhlo.dims<PAIRS>>
  %10 = dlhlo.launch @fill dims [@ROWS] () : () -> tensor<?xi64, #dhlo.dims<ROWS>>
  %0 = dlhlo.launch @fill dims [@FREE] () : () -> tensor<?xi64, #dhlo.dims<FREE>>
  %1 = dlhlo.launch @fill dims [@OUT] () : () -> tensor<?xi64, #dhlo.dims<OUT>>
  %2 = dhlo.from_dims [@DATA] : tensor<i64>
  %3 = dlhlo.launch @fill dims [@CHECKED] () : () -> tensor<?xi64, #dhlo.dims<CHECKED>>
  %4 = dhlo.reshape %3 : (tensor<?xi64, #dhlo.dims<CHECKED>>) -> tensor<?xi64, #dhlo.dims<N>>
  %5 = dlhlo.launch @fill dims [@QUOTIENT] () : () -> tensor<?xi64, #dhlo.dims<QUOTIENT>>
  %6 = dhlo.if %p binds [@RESULT] then_dims [@BRANCH] else_dims [@N] -> (tensor<?xi64, #dhlo.dims<RESULT>>) {
    %7 = dlhlo.launch @fill dims [@BRANCH] () : () -> tensor<?xi64, #dhlo.dims<BRANCH>>
    dhlo.yield %7 : tensor<?xi64, #dhlo.dims<BRANCH>>
  } else {
    %8 = dlhlo.launch @fill dims [@N] () : () -> tensor<?xi64, #dhlo.dims<N>>
    dhlo.yield %8 : tensor<?xi64, #dhlo.dims<N>>
  }
  return %1, %6 : tensor<?xi64, #dhlo.dims<OUT>>, tensor<?xi64, #dhlo.dims<RESULT>>
}

// -----

// A size that stays is compared with what the host knows of its bound.
// CHECK: dhlo.dim @P = @N{{ *$}}
// CHECK: dhlo.dim @Q at_most @N{{ *$}}
// CHECK-LABEL: func.func @rests
// CHECK-NOT: dhlo.bind @P
// CHECK: dhlo.bind @Q
dhlo.dim @N
dhlo.dim @P at_most @N
dhlo.dim @Q at_most @N - @P
dlhlo.kernel @fill loop {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi64, #dhlo.dims<d0>>
}
func.func @rests(%x: tensor<?xi64, #dhlo.dims<N>>, %p: tensor<i64>, %q: tensor<i64>) -> tensor<?xi64, #dhlo.dims<Q>> attributes {dhlo.entry} {
  dhlo.bind @P = %p : tensor<i64>
  dhlo.bind @Q = %q : tensor<i64>
  %0 = dlhlo.launch @fill dims [@P] () : () -> tensor<?xi64, #dhlo.dims<P>>
  %1 = dlhlo.launch @fill dims [@Q] () : () -> tensor<?xi64, #dhlo.dims<Q>>
  return %1 : tensor<?xi64, #dhlo.dims<Q>>
}
