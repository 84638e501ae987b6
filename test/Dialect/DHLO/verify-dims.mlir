// RUN: dyn-opt %s -split-input-file -dhlo-verify-dims | dyn-opt -split-input-file | FileCheck %s

// Two names for sizes that may be equal are no error.

dhlo.dim @M
dhlo.dim @N
// CHECK-LABEL: func.func @perhaps_equal
func.func @perhaps_equal(%x: tensor<?xf32, #dhlo.dims<M>>, %y: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi1, #dhlo.dims<N>> {
  %0 = dhlo.reshape %x : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.compare lt %0, %y : tensor<?xf32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
  return %1 : tensor<?xi1, #dhlo.dims<N>>
}

// -----

// A data-dependent size serves what follows, and derived sizes with it.

dhlo.dim @K in [0, ?]
dhlo.dim @K2 = 2 * @K
// CHECK-LABEL: func.func @bound_by_data
func.func @bound_by_data(%x: tensor<4xf32>) -> tensor<?xi64, #dhlo.dims<K2>> {
  %0 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K2>>
  return %1 : tensor<?xi64, #dhlo.dims<K2>>
}

// -----

dhlo.dim @N
dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<?xf32, #dhlo.dims<N>>, %go: tensor<i1>, %one: tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<R>> {
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    %next = dhlo.concat %c, %one axis = 0 : (tensor<?xf32, #dhlo.dims<P>>, tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<P1>>
    dhlo.yield %go, %next : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
  }
  return %r : tensor<?xf32, #dhlo.dims<R>>
}

// -----

dhlo.dim @N
dhlo.dim @N2 = 2 * @N
dhlo.dim @K in [0, ?]
// CHECK-LABEL: func.func @branches
func.func @branches(%p: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<K>> {
  %r = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %x : tensor<?xf32, #dhlo.dims<N>>
  } else {
    %y = dhlo.concat %x, %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N2>>
    dhlo.yield %y : tensor<?xf32, #dhlo.dims<N2>>
  }
  return %r : tensor<?xf32, #dhlo.dims<K>>
}
