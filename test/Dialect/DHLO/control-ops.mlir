// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Regions: with and without results, bound sizes and carried values, nested in one
// another.

dhlo.dim @N
dhlo.dim @M
dhlo.dim @N2 = 2 * @N
dhlo.dim @K in [0, ?]
dhlo.dim @J in [0, ?]
dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]
dhlo.dim @Q in [1, ?]
dhlo.dim @Q2 = 2 * @Q
dhlo.dim @T in [1, ?]

// CHECK-LABEL: func.func @if_without_results(
func.func @if_without_results(%p: tensor<i1>) {
  // CHECK: dhlo.if %{{.*}} {
  dhlo.if %p {
    // CHECK: dhlo.yield
    dhlo.yield
  } else {
    // CHECK: dhlo.yield
    dhlo.yield
  }
  return
}

// CHECK-LABEL: func.func @if_static(
func.func @if_static(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: dhlo.if %{{.*}} -> (tensor<4xf32>) {
  %0 = dhlo.if %p -> (tensor<4xf32>) {
    // CHECK: dhlo.yield %{{.*}} : tensor<4xf32>
    dhlo.yield %a : tensor<4xf32>
  } else {
    // CHECK: dhlo.neg %{{.*}} : tensor<4xf32>
    %1 = dhlo.neg %b : tensor<4xf32>
    // CHECK: dhlo.yield %{{.*}} : tensor<4xf32>
    dhlo.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @if_two_results(
func.func @if_two_results(%p: tensor<i1>, %a: tensor<?xf32, #dhlo.dims<N>>, %b: tensor<i64>) {
  // CHECK: dhlo.if %{{.*}} -> (tensor<?xf32, #dhlo.dims<N>>, tensor<i64>) {
  %0:2 = dhlo.if %p -> (tensor<?xf32, #dhlo.dims<N>>, tensor<i64>) {
    // CHECK: dhlo.yield %{{.*}}, %{{.*}} : tensor<?xf32, #dhlo.dims<N>>, tensor<i64>
    dhlo.yield %a, %b : tensor<?xf32, #dhlo.dims<N>>, tensor<i64>
  } else {
    // CHECK: dhlo.yield %{{.*}}, %{{.*}} : tensor<?xf32, #dhlo.dims<N>>, tensor<i64>
    dhlo.yield %a, %b : tensor<?xf32, #dhlo.dims<N>>, tensor<i64>
  }
  return
}

// CHECK-LABEL: func.func @if_binds(
func.func @if_binds(%p: tensor<i1>, %a: tensor<?xf32, #dhlo.dims<N>>, %b: tensor<?x?xf32, #dhlo.dims<N2, M>>, %c: tensor<3x?xf32, #dhlo.dims<N>>) {
  // CHECK: dhlo.if %{{.*}} binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xf32, #dhlo.dims<K>>) {
  %0 = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xf32, #dhlo.dims<K>>) {
    // CHECK: dhlo.yield %{{.*}} : tensor<?xf32, #dhlo.dims<N>>
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<N>>
  } else {
    // CHECK: dhlo.reduce sum %{{.*}} axes = [1] : (tensor<?x?xf32, #dhlo.dims<N2, M>>) -> tensor<?xf32, #dhlo.dims<N2>>
    %1 = dhlo.reduce sum %b axes = [1] : (tensor<?x?xf32, #dhlo.dims<N2, M>>) -> tensor<?xf32, #dhlo.dims<N2>>
    // CHECK: dhlo.yield %{{.*}} : tensor<?xf32, #dhlo.dims<N2>>
    dhlo.yield %1 : tensor<?xf32, #dhlo.dims<N2>>
  }
  // CHECK: dhlo.if %{{.*}} binds [@J, @R] then_dims [2 * @N, @M] else_dims [3, @N] -> (tensor<?x?xf32, #dhlo.dims<J, R>>) {
  %2 = dhlo.if %p binds [@J, @R] then_dims [2 * @N, @M] else_dims [3, @N] -> (tensor<?x?xf32, #dhlo.dims<J, R>>) {
    // CHECK: dhlo.yield %{{.*}} : tensor<?x?xf32, #dhlo.dims<N2, M>>
    dhlo.yield %b : tensor<?x?xf32, #dhlo.dims<N2, M>>
  } else {
    // CHECK: dhlo.yield %{{.*}} : tensor<3x?xf32, #dhlo.dims<N>>
    dhlo.yield %c : tensor<3x?xf32, #dhlo.dims<N>>
  }
  return
}

// CHECK-LABEL: func.func @if_attributes(
func.func @if_attributes(%p: tensor<i1>) {
  // CHECK: dhlo.if %{{.*}} {
  dhlo.if %p {
    // CHECK: dhlo.yield
    dhlo.yield
  } else {
    // CHECK: dhlo.yield
    dhlo.yield
  // CHECK: } {origin = "If"}
  } {origin = "If"}
  return
}

// CHECK-LABEL: func.func @while_without_values(
func.func @while_without_values(%p: tensor<i1>) {
  // CHECK: dhlo.while %{{.*}} carries() : () -> () {
  dhlo.while %p carries() : () -> () {
    // CHECK: dhlo.yield %{{.*}} : tensor<i1>
    dhlo.yield %p : tensor<i1>
  }
  return
}

// CHECK-LABEL: func.func @while_static(
func.func @while_static(%p: tensor<i1>, %x: tensor<4xf32>, %n: tensor<i64>) {
  // CHECK: dhlo.while %{{.*}} carries(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  %0:2 = dhlo.while %p carries(%x, %n) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%a: tensor<4xf32>, %i: tensor<i64>):
    // CHECK: dhlo.neg %{{.*}} : tensor<4xf32>
    %1 = dhlo.neg %a : tensor<4xf32>
    // CHECK: dhlo.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4xf32>, tensor<i64>
    dhlo.yield %p, %1, %i : tensor<i1>, tensor<4xf32>, tensor<i64>
  }
  return
}

// CHECK-LABEL: func.func @while_grows(
func.func @while_grows(%go: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>, %v: tensor<f32>) {
  // CHECK: dhlo.while %{{.*}} carries(%{{.*}}) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  %0 = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    // CHECK: dhlo.pad %{{.*}}, %{{.*}} constant low = [0] high = [1] : (tensor<?xf32, #dhlo.dims<P>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<P1>>
    %1 = dhlo.pad %c, %v constant low = [0] high = [1] : (tensor<?xf32, #dhlo.dims<P>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<P1>>
    // CHECK: dhlo.yield %{{.*}}, %{{.*}} : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
    dhlo.yield %go, %1 : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
  }
  return
}

// CHECK-LABEL: func.func @nested(
func.func @nested(%go: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>) {
  // CHECK: dhlo.while %{{.*}} carries(%{{.*}}) loop_dims [@Q] init_dims [@N] next_dims [2 * @Q] result_dims [@T] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<T>> {
  %0 = dhlo.while %go carries(%x) loop_dims [@Q] init_dims [@N] next_dims [2 * @Q] result_dims [@T] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<T>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<Q>>):
    // CHECK: dhlo.if %{{.*}} -> (tensor<?xf32, #dhlo.dims<Q2>>) {
    %1 = dhlo.if %go -> (tensor<?xf32, #dhlo.dims<Q2>>) {
      // CHECK: dhlo.concat %{{.*}}, %{{.*}} axis = 0 : (tensor<?xf32, #dhlo.dims<Q>>, tensor<?xf32, #dhlo.dims<Q>>) -> tensor<?xf32, #dhlo.dims<Q2>>
      %2 = dhlo.concat %c, %c axis = 0 : (tensor<?xf32, #dhlo.dims<Q>>, tensor<?xf32, #dhlo.dims<Q>>) -> tensor<?xf32, #dhlo.dims<Q2>>
      // CHECK: dhlo.yield %{{.*}} : tensor<?xf32, #dhlo.dims<Q2>>
      dhlo.yield %2 : tensor<?xf32, #dhlo.dims<Q2>>
    } else {
      // CHECK: dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<Q2>>
      %3 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<Q2>>
      // CHECK: dhlo.yield %{{.*}} : tensor<?xf32, #dhlo.dims<Q2>>
      dhlo.yield %3 : tensor<?xf32, #dhlo.dims<Q2>>
    }
    // CHECK: dhlo.yield %{{.*}}, %{{.*}} : tensor<i1>, tensor<?xf32, #dhlo.dims<Q2>>
    dhlo.yield %go, %1 : tensor<i1>, tensor<?xf32, #dhlo.dims<Q2>>
  }
  return
}
