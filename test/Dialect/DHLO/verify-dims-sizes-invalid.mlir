// RUN: dyn-opt %s -split-input-file -dhlo-verify-dims -verify-diagnostics

// Sizes that cannot be equal, beside sizes that may be: an error needs a proof.

dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @batches(%x: tensor<?x2x4xf32, #dhlo.dims<N>>, %y: tensor<?x4x5xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.dot_general %x, %y batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x2x4xf32, #dhlo.dims<N>>, tensor<?x4x5xf32, #dhlo.dims<M>>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  return
}

// -----

// The second pair of summed axes.
dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @second_pair(%x: tensor<4x3x?xf32, #dhlo.dims<N>>, %y: tensor<?x3x5xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1, 2] rhs_contract = [1, 0] : (tensor<4x3x?xf32, #dhlo.dims<N>>, tensor<?x3x5xf32, #dhlo.dims<M>>) -> tensor<4x5xf32>
  return
}

// -----

// A size that may be 1 may be repeated; two that are at least 2 may not.
dhlo.dim @One in [1, 8]
dhlo.dim @Two in [2, 8]
dhlo.dim @M in [9, 16]
func.func @repeated(%x: tensor<?xf32, #dhlo.dims<One>>, %y: tensor<?xf32, #dhlo.dims<Two>>, %m: tensor<?xf32, #dhlo.dims<M>>) {
  %0 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<One>>) -> tensor<?xf32, #dhlo.dims<M>>
  // expected-error @+1 {{'dhlo.broadcast' op expected size '@Two' at axis 0 of result 0, found '@M'}}
  %1 = dhlo.broadcast %y axes = [0] : (tensor<?xf32, #dhlo.dims<Two>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

// The operand's second axis is the result's third.
dhlo.dim @Two in [2, 8]
dhlo.dim @M in [9, 16]
func.func @mapped_axis(%x: tensor<3x?xf32, #dhlo.dims<Two>>, %m: tensor<?xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected size '@Two' at axis 2 of result 0, found '@M'}}
  %0 = dhlo.broadcast %x axes = [0, 2] : (tensor<3x?xf32, #dhlo.dims<Two>>) -> tensor<3x4x?xf32, #dhlo.dims<M>>
  return
}

// -----

// An index before the axis; the last element of a slice in steps is where it ends. A slice that may
// be empty reads nothing, perhaps.
dhlo.dim @N in [2, 8]
dhlo.dim @E in [0, 8]
func.func @before(%x: tensor<?xf32, #dhlo.dims<N>>, %e: tensor<?xf32, #dhlo.dims<E>>) {
  %0 = dhlo.slice %x starts = [@N + 1] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<E>>
  %1 = dhlo.slice %x starts = [1] strides = [-1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<2xf32>
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0 of size '@N', found index '-1 * @N + 1'}}
  %2 = dhlo.slice %x starts = [1 - @N] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32>
  return
}

// -----

dhlo.dim @N in [2, 8]
func.func @steps(%x: tensor<?xf32, #dhlo.dims<N>>) {
  %0 = dhlo.slice %x starts = [1] strides = [2] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0 of size '@N', found index '9'}}
  %1 = dhlo.slice %x starts = [1] strides = [2] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<5xf32>
  return
}

// -----

// The second axis.
dhlo.dim @N in [2, 8]
func.func @second_axis(%x: tensor<4x?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 1 of size '@N', found index '@N + 2'}}
  %0 = dhlo.slice %x starts = [0, @N + 2] strides = [1, 1] : (tensor<4x?xf32, #dhlo.dims<N>>) -> tensor<4x1xf32>
  return
}

// -----

// Of three operands the last one is compared with the first.
dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @third_operand(%x: tensor<?x1xf32, #dhlo.dims<N>>, %y: tensor<?x1xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.concat' op expected size '@N' at axis 0 of operand 2, found '@N + 1'}}
  %0 = dhlo.concat %x, %x, %y axis = 1 : (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xf32, #dhlo.dims<M>>) -> tensor<?x3xf32, #dhlo.dims<N>>
  return
}

// -----

// The branch that is taken yields another size than the conditional says.
dhlo.dim @N in [2, 8]
dhlo.dim @K
func.func @then_branch(%p: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.if' op expected size '@N + 1' at axis 0 of yielded then value 0, found '@N'}}
  %r = dhlo.if %p binds [@K] then_dims [@N + 1] else_dims [@N] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %x : tensor<?xf32, #dhlo.dims<N>>
  } else {
    dhlo.yield %x : tensor<?xf32, #dhlo.dims<N>>
  }
  return
}

// -----

// The second of two values that a branch yields, of a size that the conditional does not bind.
dhlo.dim @N in [2, 8]
dhlo.dim @M = @N + 1
func.func @second_value(%p: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<4x?xf32, #dhlo.dims<M>>, %z: tensor<4x?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.if' op expected size '@N' at axis 1 of yielded else value 1, found '@N + 1'}}
  %r:2 = dhlo.if %p -> (tensor<?xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<N>>) {
    dhlo.yield %x, %z : tensor<?xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<N>>
  } else {
    dhlo.yield %x, %y : tensor<?xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<M>>
  }
  return
}

// -----

// One more element than there is; numbers of elements that may be equal are no error.
dhlo.dim @N in [1, 8]
dhlo.dim @M in [1, 8]
dhlo.dim @Odd = 2 * @N + 1
dhlo.dim @Even = 2 * @M
func.func @elements(%x: tensor<?xf32, #dhlo.dims<Odd>>, %y: tensor<?x?xf32, #dhlo.dims<N, M>>) {
  %0 = dhlo.reshape %y : (tensor<?x?xf32, #dhlo.dims<N, M>>) -> tensor<?xf32, #dhlo.dims<Even>>
  // expected-error @+1 {{'dhlo.reshape' op expected as many elements as the operand has, '2 * @N + 1', found '2 * @N + 2'}}
  %1 = dhlo.reshape %x : (tensor<?xf32, #dhlo.dims<Odd>>) -> tensor<?xf32, #dhlo.dims<OneMore>>
  return
}
dhlo.dim @OneMore = 2 * @N + 2
