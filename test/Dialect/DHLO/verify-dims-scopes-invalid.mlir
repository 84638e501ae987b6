// RUN: dyn-opt %s -split-input-file -dhlo-verify-dims -verify-diagnostics

// Where a size has a value: each operation that binds sizes, and each place that reads one.

// A definition that depends on itself by way of two others is named once, by its first size.
// expected-error @+1 {{'dhlo.dim' op expected a definition that does not depend on itself}}
dhlo.dim @A = @B + 1
dhlo.dim @B = 2 * @C
dhlo.dim @C = max(@A, 1)

// -----

// expected-error @+1 {{'dhlo.dim' op expected a definition that does not depend on itself}}
dhlo.dim @A = @A + 1

// -----

// All undeclared sizes are reported.
// expected-error @+2 {{'dhlo.dim' op expected a declared size in the definition, found undeclared '@B'}}
// expected-error @+1 {{'dhlo.dim' op expected a declared size in the definition, found undeclared '@C'}}
dhlo.dim @A = @B + @C

// -----

func.func @nonzero_undeclared(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.nonzero' op expected to bind a declared size, found undeclared '@K'}}
  %0 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return
}

// -----

dhlo.dim @K
func.func @nonzero_twice(%x: tensor<4xf32>) {
  // expected-note @+1 {{bound here}}
  %0 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  // expected-error @+1 {{'dhlo.nonzero' op expected to bind a size that is not bound yet, found '@K'}}
  %1 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return
}

// -----

// Two functions of a module have the same sizes: one of them binds each.
dhlo.dim @K
func.func @first(%x: tensor<i64>) {
  // expected-note @+1 {{bound here}}
  dhlo.bind @K = %x : tensor<i64>
  return
}
func.func @second(%x: tensor<i64>) {
  // expected-error @+1 {{'dhlo.bind' op expected to bind a size that is not bound yet, found '@K'}}
  dhlo.bind @K = %x : tensor<i64>
  return
}

// -----

// Both branches bind the size that the conditional binds for what follows.
dhlo.dim @K
func.func @if_binds_bound(%p: tensor<i1>, %x: tensor<8xf32>, %n: tensor<i64>) {
  // expected-note @+1 {{bound here}}
  %0 = dhlo.if %p binds [@K] then_dims [8] else_dims [8] -> (tensor<?xf32, #dhlo.dims<K>>) {
    // expected-error @+1 {{'dhlo.bind' op expected to bind a size that is not bound yet, found '@K'}}
    dhlo.bind @K = %n : tensor<i64>
    dhlo.yield %x : tensor<8xf32>
  } else {
    dhlo.yield %x : tensor<8xf32>
  }
  return
}

// -----

dhlo.dim @N
// expected-note @+1 {{defined here}}
dhlo.dim @P = @N + 1
dhlo.dim @R
func.func @loop_size_defined(%x: tensor<?xf32, #dhlo.dims<N>>, %go: tensor<i1>) {
  // expected-error @+1 {{'dhlo.while' op expected to bind a size without definition, found '@P'}}
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    dhlo.yield %go, %c : tensor<i1>, tensor<?xf32, #dhlo.dims<P>>
  }
  return
}

// -----

// The size of an iteration has no value behind the loop; that of the result has.
dhlo.dim @N
dhlo.dim @P
dhlo.dim @R
func.func @loop_size_behind(%x: tensor<?xf32, #dhlo.dims<N>>, %go: tensor<i1>) {
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    dhlo.yield %go, %c : tensor<i1>, tensor<?xf32, #dhlo.dims<P>>
  }
  %0 = dhlo.from_dims [@R] : tensor<i64>
  // expected-error @+1 {{'dhlo.from_dims' op uses size '@P' where it has no value}}
  %1 = dhlo.from_dims [@P] : tensor<i64>
  return
}

// -----

// Nor has the size of the result inside of the loop.
dhlo.dim @N
dhlo.dim @P
dhlo.dim @R
func.func @result_size_inside(%x: tensor<?xf32, #dhlo.dims<N>>, %go: tensor<i1>) {
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    // expected-error @+1 {{'dhlo.from_dims' op uses size '@R' where it has no value}}
    %0 = dhlo.from_dims [@R] : tensor<i64>
    dhlo.yield %go, %c : tensor<i1>, tensor<?xf32, #dhlo.dims<P>>
  }
  return
}

// -----

// The initial size of a loop is one of before the loop.
dhlo.dim @P
dhlo.dim @R
func.func @initial_size(%x: tensor<4xf32>, %go: tensor<i1>) {
  // expected-error @+1 {{'dhlo.while' op uses size '@P' where it has no value}}
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@P] next_dims [@P] result_dims [@R]
      : (tensor<4xf32>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    dhlo.yield %go, %c : tensor<i1>, tensor<?xf32, #dhlo.dims<P>>
  }
  return
}

// -----

// One branch does not see what the other one binds.
dhlo.dim @K
func.func @other_branch(%p: tensor<i1>, %n: tensor<i64>) {
  dhlo.if %p {
    dhlo.bind @K = %n : tensor<i64>
    dhlo.yield
  } else {
    // expected-error @+1 {{'dhlo.from_dims' op uses size '@K' where it has no value}}
    %0 = dhlo.from_dims [@K] : tensor<i64>
    dhlo.yield
  }
  return
}

// -----

// A size of one function's arguments has no value in another.
dhlo.dim @N
func.func @has_it(%x: tensor<?xf32, #dhlo.dims<N>>) {
  %0 = dhlo.from_dims [@N] : tensor<i64>
  return
}
func.func @has_it_not() {
  // expected-error @+1 {{'dhlo.from_dims' op uses size '@N' where it has no value}}
  %0 = dhlo.from_dims [@N] : tensor<i64>
  return
}

// -----

// By way of two definitions; the message names the size that has none.
dhlo.dim @K
dhlo.dim @L = @K + 1
dhlo.dim @M = 2 * @L
func.func @by_definitions() {
  // expected-error @+1 {{'dhlo.from_dims' op uses size '@K' where it has no value}}
  %0 = dhlo.from_dims [@M] : tensor<i64>
  return
}

// -----

// In the start of a slice.
dhlo.dim @K
func.func @in_a_slice(%x: tensor<8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op uses size '@K' where it has no value}}
  %0 = dhlo.slice %x starts = [@K] strides = [1] : (tensor<8xf32>) -> tensor<0xf32>
  return
}
