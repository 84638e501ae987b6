// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]

// CHECK-LABEL: @while_count{{$}}
// CHECK-NEXT:    tensor<i64> 3
func.func @while_count() -> tensor<i64> {
  %go = dhlo.constant dense<true> : tensor<i1>
  %zero = dhlo.constant dense<0> : tensor<i64>
  %three = dhlo.constant dense<3> : tensor<i64>
  %one = dhlo.constant dense<1> : tensor<i64>
  %r = dhlo.while %go carries(%zero) : (tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    %next = dhlo.add %i, %one : tensor<i64>
    %again = dhlo.compare lt %next, %three : tensor<i64> -> tensor<i1>
    dhlo.yield %again, %next : tensor<i1>, tensor<i64>
  }
  return %r : tensor<i64>
}

// CHECK-LABEL: @while_never{{$}}
// CHECK-NEXT:    tensor<i64> 5
func.func @while_never() -> tensor<i64> {
  %go = dhlo.constant dense<false> : tensor<i1>
  %zero = dhlo.constant dense<5> : tensor<i64>
  %r = dhlo.while %go carries(%zero) : (tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>):
    dhlo.yield %go, %i : tensor<i1>, tensor<i64>
  }
  return %r : tensor<i64>
}

// A value that grows by an element in each iteration, as a cache of keys does.
// CHECK-LABEL: @while_grows{{$}}
// CHECK-NEXT:    tensor<5xf32> [1, 1, 2, 4, 8]
func.func @while_grows() -> tensor<?xf32, #dhlo.dims<R>> {
  %go = dhlo.constant dense<true> : tensor<i1>
  %x = dhlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %limit = dhlo.constant dense<5> : tensor<i64>
  %r = dhlo.while %go carries(%x) loop_dims [@P] init_dims [2] next_dims [@P + 1] result_dims [@R]
      : (tensor<2xf32>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    %sum = dhlo.reduce sum %c axes = [0] : (tensor<?xf32, #dhlo.dims<P>>) -> tensor<f32>
    %last = dhlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
    %next = dhlo.concat %c, %last axis = 0 : (tensor<?xf32, #dhlo.dims<P>>, tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<P1>>
    %size = dhlo.from_dims [@P + 1] : tensor<i64>
    %again = dhlo.compare lt %size, %limit : tensor<i64> -> tensor<i1>
    dhlo.yield %again, %next : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
  }
  return %r : tensor<?xf32, #dhlo.dims<R>>
}

// It grows past what is declared of it, within the loop and then behind it.
dhlo.dim @Q in [0, 3]
dhlo.dim @Q1 = @Q + 1
dhlo.dim @T in [0, ?] at_most 4
// CHECK-LABEL: @while_against_facts{{$}}
// CHECK-NEXT:    tensor<5xf32> [1, 1, 2, 4, 8]
// CHECK-NEXT:    dhlo.while: size negative or outside its declared range
func.func @while_against_facts() -> tensor<?xf32, #dhlo.dims<T>> {
  %go = dhlo.constant dense<true> : tensor<i1>
  %x = dhlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %limit = dhlo.constant dense<5> : tensor<i64>
  %r = dhlo.while %go carries(%x) loop_dims [@Q] init_dims [2] next_dims [@Q + 1] result_dims [@T]
      : (tensor<2xf32>) -> tensor<?xf32, #dhlo.dims<T>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<Q>>):
    %sum = dhlo.reduce sum %c axes = [0] : (tensor<?xf32, #dhlo.dims<Q>>) -> tensor<f32>
    %last = dhlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
    %next = dhlo.concat %c, %last axis = 0 : (tensor<?xf32, #dhlo.dims<Q>>, tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<Q1>>
    %size = dhlo.from_dims [@Q + 1] : tensor<i64>
    %again = dhlo.compare lt %size, %limit : tensor<i64> -> tensor<i1>
    dhlo.yield %again, %next : tensor<i1>, tensor<?xf32, #dhlo.dims<Q1>>
  }
  return %r : tensor<?xf32, #dhlo.dims<T>>
}
