// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --dlhlo-explain -o /dev/null | %python %S/Inputs/print_edges.py | FileCheck %s

// Values that launches pass on, each once, with the launches that read them.

dhlo.dim @N in [1, 64]
dhlo.dim @K in [0, ?]
dhlo.dim @N2 = 2 * @N
dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]

// CHECK-LABEL: chain
// CHECK-NEXT: input x, 32 * @N bytes -> launch 0, launch 2
// CHECK-NEXT: launch 0, 32 bytes -> launch 1, output sums
// CHECK-NEXT: launch 1, 32 bytes -> launch 3
// CHECK-NEXT: launch 2, 32 * @N bytes -> launch 3
// CHECK-NEXT: launch 3, 32 * @N bytes -> output y
func.func @chain(%x: tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "y"}, tensor<8xf32> {dhlo.name = "sums"})
    attributes {dhlo.entry} {
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<8xf32>
  %1 = dhlo.softmax %0 axis = 0 : tensor<8xf32>
  %2 = dhlo.broadcast %1 axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %3 = dhlo.cumulative sum %x axis = 0 : tensor<?x8xf32, #dhlo.dims<N>>
  %4 = dhlo.mul %3, %2 : tensor<?x8xf32, #dhlo.dims<N>>
  return %4, %0 : tensor<?x8xf32, #dhlo.dims<N>>, tensor<8xf32>
}

// A value of a branch is that of either side, and one of a loop is read by the
// next iteration.

// CHECK-LABEL: control
// CHECK-NEXT: input x, 4 * @N bytes -> launch 0, launch 1, launch 2, launch 5
// CHECK-NEXT: launch 0, 4 * @N bytes -> launch 4
// CHECK-NEXT: launch 1, 8 * @N bytes -> launch 4
// CHECK-NEXT: launch 2, 4 * @P + 4 bytes -> launch 3, launch 5, launch 2
// CHECK-NEXT: launch 4, 4 * @K bytes -> output branch
// CHECK-NEXT: launch 5, 4 * @R bytes -> output loop
func.func @control(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %p: tensor<i1>)
    -> (tensor<?xf32, #dhlo.dims<K>> {dhlo.name = "branch"}, tensor<?xf32, #dhlo.dims<R>> {dhlo.name = "loop"})
    attributes {dhlo.entry} {
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
  return %r, %w : tensor<?xf32, #dhlo.dims<K>>, tensor<?xf32, #dhlo.dims<R>>
}
