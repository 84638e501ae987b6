// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --dlhlo-verify-buffers --canonicalize --cse | FileCheck %s
// Branches, loops, bound sizes and outputs.

// CHECK: dlhlo.sites = [#dlhlo.site<size, op = "dhlo.bind"
// CHECK: dlhlo.entry @main calls "dyn.entry.main"
// CHECK-SAME: inputs ["input0", "input1", "input2"] outputs ["output0", "output1", "output2", "output3", "output4", "output5"] dims [@N] arenas 5
// CHECK-LABEL: func.func @dyn.entry.main
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer, %[[P:.*]]: !dlhlo.buffer, %[[K:.*]]: !dlhlo.buffer, %[[N:.*]]: index)

// Both branches use the first arena and give an address and a size.
// CHECK: dlhlo.check
// CHECK: %[[CONDITION:.*]] = dlhlo.load %[[P]] : i1
// CHECK: %[[IF:.*]]:2 = scf.if %[[CONDITION]] -> (!dlhlo.buffer, index) {
// CHECK:   dlhlo.reserve %c0 bytes %{{.*}} {dlhlo.formula = #dhlo.expr<64 * ((4 * @N + 63) floordiv 64)>}
// CHECK:   scf.yield %{{.*}}, %[[N]]
// CHECK: } else {
// CHECK:   dlhlo.reserve %c0
// CHECK:   scf.yield

// What the loop carries is written to one of two arenas in turn.
// CHECK: %[[WHILE:.*]]:3 = scf.while (%{{.*}}, %{{.*}} = %[[X]], %{{.*}} = %[[N]], %{{.*}} = %c0)
// CHECK: ^bb0(%[[C:.*]]: !dlhlo.buffer, %[[SIZE:.*]]: index, %[[PARITY:.*]]: index):
// CHECK:   %[[ARENA:.*]] = arith.addi %[[PARITY]], %c1
// CHECK:   %[[NEXT:.*]] = dlhlo.reserve %[[ARENA]] bytes
// CHECK:   dlhlo.dispatch @concat_0 dims(%[[SIZE]]) buffers(%[[C]], %[[NEXT]])
// CHECK:   dlhlo.check
// CHECK:   %[[GO:.*]] = dlhlo.load
// CHECK:   %[[OTHER:.*]] = arith.subi %c1, %[[PARITY]]
// CHECK:   scf.yield %[[GO]], %[[NEXT]], %{{.*}}, %[[OTHER]]

// CHECK: dlhlo.check
// CHECK: %[[LOADED:.*]] = dlhlo.load %[[K]] : i64
// CHECK: %[[M:.*]] = arith.index_cast %[[LOADED]]
// CHECK: dlhlo.fail_if %{{.*}} value %[[M]] site = 0

// Outputs are written where the host wants them; host code writes sizes.
// CHECK-DAG: %[[O2:.*]] = dlhlo.output 2 sizes(%[[M]])
// CHECK-DAG: %[[O0:.*]] = dlhlo.output 0 sizes(%[[IF]]#1)
// CHECK: dlhlo.dispatch @iota dims(%[[M]]) buffers(%[[O2]])
// CHECK: dlhlo.store %[[N]], %{{.*}}[0] as i64
// CHECK: dlhlo.store %[[WHILE]]#1, %{{.*}}[1] as i64
// CHECK: dlhlo.dispatch @copy dims(%[[IF]]#1) buffers(%[[IF]]#0, %[[O0]])
dhlo.dim @N in [1, 64]
dhlo.dim @K in [0, ?]
dhlo.dim @N2 = 2 * @N
dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]
dhlo.dim @M in [0, 100]
dhlo.dim @Q = @N - 3
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>, %p: tensor<i1>, %k: tensor<i64>) -> (tensor<?xf32, #dhlo.dims<K>>, tensor<?xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<M>>, tensor<?xf32, #dhlo.dims<Q>>, tensor<2xi64>, tensor<?xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %r = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xf32, #dhlo.dims<K>>) {
    %e = dhlo.exp %x : tensor<?xf32, #dhlo.dims<N>>
    dhlo.yield %e : tensor<?xf32, #dhlo.dims<N>>
  } else {
    %c = dhlo.concat %x, %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N2>>
    dhlo.yield %c : tensor<?xf32, #dhlo.dims<N2>>
  }
  %go = dhlo.constant dense<true> : tensor<i1>
  %w = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R]
        : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<R>>) {
    ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
      %zero = dhlo.constant dense<0.0> : tensor<1xf32>
      %n = dhlo.concat %c, %zero axis = 0 : (tensor<?xf32, #dhlo.dims<P>>, tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<P1>>
      %s = dhlo.reduce sum %n axes = [0] : (tensor<?xf32, #dhlo.dims<P1>>) -> tensor<f32>
      %h = dhlo.constant dense<100.0> : tensor<f32>
      %again = dhlo.compare lt %s, %h : tensor<f32> -> tensor<i1>
      dhlo.yield %again, %n : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
    }
  dhlo.bind @M = %k : tensor<i64>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<M>>
  %sl = dhlo.slice %x starts = [3] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<Q>>
  %fd = dhlo.from_dims [@N, @R] : tensor<2xi64>
  return %r, %w, %i, %sl, %fd, %x : tensor<?xf32, #dhlo.dims<K>>, tensor<?xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<M>>, tensor<?xf32, #dhlo.dims<Q>>, tensor<2xi64>, tensor<?xf32, #dhlo.dims<N>>
}
