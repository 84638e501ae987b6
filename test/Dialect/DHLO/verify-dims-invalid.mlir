// RUN: dyn-opt %s -split-input-file -dhlo-verify-dims -verify-diagnostics

// expected-error @+1 {{'dhlo.dim' op expected a declared size in the definition, found undeclared '@B'}}
dhlo.dim @A = @B + 1

// -----

// expected-error @+1 {{'dhlo.dim' op expected a declared size in the bound, found undeclared '@B'}}
dhlo.dim @A at_most 2 * @B

// -----

// expected-error @+1 {{'dhlo.dim' op expected a definition that does not depend on itself}}
dhlo.dim @A = @B + 1
dhlo.dim @B = @A + 1

// -----

func.func @undeclared_in_type(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.iota' op uses undeclared size '@M'}}
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N
func.func @undeclared_in_attribute(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.from_dims' op uses undeclared size '@M'}}
  %0 = dhlo.from_dims [@N + @M] : tensor<i64>
  return
}

// -----

func.func @bind_undeclared(%x: tensor<i64>) {
  // expected-error @+1 {{'dhlo.bind' op expected to bind a declared size, found undeclared '@K'}}
  dhlo.bind @K = %x : tensor<i64>
  return
}

// -----

dhlo.dim @N
// expected-note @+1 {{defined here}}
dhlo.dim @K = @N + 1
func.func @bind_defined(%x: tensor<i64>) {
  // expected-error @+1 {{'dhlo.bind' op expected to bind a size without definition, found '@K'}}
  dhlo.bind @K = %x : tensor<i64>
  return
}

// -----

dhlo.dim @K
func.func @bind_twice(%x: tensor<i64>) {
  // expected-note @+1 {{bound here}}
  dhlo.bind @K = %x : tensor<i64>
  // expected-error @+1 {{'dhlo.bind' op expected to bind a size that is not bound yet, found '@K'}}
  dhlo.bind @K = %x : tensor<i64>
  return
}

// -----

dhlo.dim @K
dhlo.dim @L = 2 * @K
func.func @used_before_its_binding(%x: tensor<i64>) {
  // expected-error @+1 {{'dhlo.iota' op uses size '@K' where it has no value}}
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<L>>
  dhlo.bind @K = %x : tensor<i64>
  return
}

// -----

dhlo.dim @K
func.func @used_outside_its_region(%p: tensor<i1>, %x: tensor<i64>) {
  dhlo.if %p {
    dhlo.bind @K = %x : tensor<i64>
    dhlo.yield
  } else {
    dhlo.yield
  }
  // expected-error @+1 {{'dhlo.from_dims' op uses size '@K' where it has no value}}
  %0 = dhlo.from_dims [@K] : tensor<i64>
  return
}

// -----

dhlo.dim @N in [1, 8]
dhlo.dim @M in [9, 16]
func.func @inferred(%x: tensor<?x4xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.transpose' op expected size '@N' at axis 1 of result 0, found '@M'}}
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [1, 8]
dhlo.dim @M = @N + 1
func.func @elementwise(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.convert' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.convert %x : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [1, 8]
dhlo.dim @M = 2 * @N
func.func @reshape(%x: tensor<?x4xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.reshape' op expected as many elements as the operand has, '4 * @N', found '2 * @N'}}
  %0 = dhlo.reshape %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 8]
func.func @broadcast(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected size '@N' at axis 0 of result 0, found '1'}}
  %0 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32>
  return
}

// -----

dhlo.dim @N in [2, 8]
func.func @slice(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0 of size '@N', found index '@N'}}
  %0 = dhlo.slice %x starts = [@N] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32>
  return
}

// -----

dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @dot_general(%x: tensor<4x?xf32, #dhlo.dims<N>>, %y: tensor<?x4xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<M>>) -> tensor<4x4xf32>
  return
}

// -----

dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @concat(%x: tensor<?x4xf32, #dhlo.dims<N>>, %y: tensor<?x4xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.concat' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<M>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N in [2, 8]
dhlo.dim @K
func.func @branches(%p: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.if' op expected size '2 * @N' at axis 0 of yielded else value 0, found '@N'}}
  %r = dhlo.if %p binds [@K] then_dims [@N] else_dims [2 * @N] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %x : tensor<?xf32, #dhlo.dims<N>>
  } else {
    dhlo.yield %x : tensor<?xf32, #dhlo.dims<N>>
  }
  return
}

// -----

dhlo.dim @N
dhlo.dim @P in [0, ?]
dhlo.dim @R in [0, ?]
func.func @loop(%x: tensor<?xf32, #dhlo.dims<N>>, %go: tensor<i1>) {
  // expected-error @+1 {{'dhlo.while' op expected size '@P + 1' at axis 0 of yielded value 0, found '@P'}}
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    dhlo.yield %go, %c : tensor<i1>, tensor<?xf32, #dhlo.dims<P>>
  }
  return
}

// -----

// What stands in attributes and types is as long as its sizes together.
dhlo.dim @A
dhlo.dim @B
dhlo.dim @C
dhlo.dim @D
dhlo.dim @E
dhlo.dim @F
dhlo.dim @G
dhlo.dim @H
dhlo.dim @N0 = @A + @B + @C + @D + @E + @F + @G + @H
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N = @N1 * @N1
func.func @attribute(%a: tensor<?x?x?x?x?x?x?x?xf32, #dhlo.dims<A, B, C, D, E, F, G, H>>) {
  // expected-error @+1 {{'dhlo.from_dims' op expected a size of at most 4096 terms once the definitions of its sizes are put in, found 108900}}
  %0 = dhlo.from_dims [@N * @N] : tensor<1xi64>
  return
}

// -----

dhlo.dim @A
dhlo.dim @B
dhlo.dim @C
dhlo.dim @D
dhlo.dim @E
dhlo.dim @F
dhlo.dim @G
dhlo.dim @H
dhlo.dim @N0 = @A + @B + @C + @D + @E + @F + @G + @H
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N = @N1 * @N1
// expected-error @+1 {{'func.func' op expected a number of elements of at most 4096 terms once the definitions of its sizes are put in, found 108900}}
func.func @type(%a: tensor<?x?x?xf32, #dhlo.dims<N, N, N>>) {
  return
}
