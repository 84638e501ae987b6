// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @if_c2_count(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.if' op expected 1 values yielded, found 0}}
  %0 = dhlo.if %p  -> (tensor<4xf32>) {
    dhlo.yield
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @if_c2_type(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.if' op expected values yielded like 'tensor<4xf64>' at position 0, found 'tensor<4xf32>'}}
  %0 = dhlo.if %p  -> (tensor<4xf64>) {
    dhlo.yield %x : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @if_c2_end(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.if' op expected else region to end in 'dhlo.yield'}}
  %0 = dhlo.if %p  -> (tensor<4xf32>) {
    dhlo.yield %x : tensor<4xf32>
  } else {
    %y = dhlo.neg %x : tensor<4xf32>
  }
  return
}

// -----

func.func @if_c3_then(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.if' op expected 1 then_dims, found 0}}
  %0 = dhlo.if %p binds [@K] then_dims [] else_dims [4] -> (tensor<4xf32>) {
    dhlo.yield %x : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @if_c3_else(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.if' op expected 1 else_dims, found 2}}
  %0 = dhlo.if %p binds [@K] then_dims [4] else_dims [4, 4] -> (tensor<4xf32>) {
    dhlo.yield %x : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @while_c2_arguments(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected body arguments like 'tensor<4xf32>' at position 0, found 'tensor<4xf64>'}}
  %0 = dhlo.while %go carries(%x)  : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf64>):
    dhlo.yield %go, %x : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @while_c2_results(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected results like 'tensor<4xf32>' at position 0, found 'tensor<5xf32>'}}
  %0 = dhlo.while %go carries(%x)  : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %go, %c : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @while_c2_yielded(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected 1 values yielded, found 0}}
  %0 = dhlo.while %go carries(%x)  : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %go : tensor<i1>
  }
  return
}

// -----

func.func @while_c3_init(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected 1 init_dims, found 0}}
  %0 = dhlo.while %go carries(%x) loop_dims [@P] init_dims [] next_dims [4] result_dims [@R] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %go, %c : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @while_c3_next(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected 1 next_dims, found 0}}
  %0 = dhlo.while %go carries(%x) loop_dims [@P] init_dims [4] next_dims [] result_dims [@R] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %go, %c : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @while_c3_result(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected 1 result_dims, found 0}}
  %0 = dhlo.while %go carries(%x) loop_dims [@P] init_dims [4] next_dims [4] result_dims [] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %go, %c : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @while_c4(%go: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.while' op expected to yield first a value of type 'tensor<i1>'}}
  %0 = dhlo.while %go carries(%x)  : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    dhlo.yield %c, %c : tensor<4xf32>, tensor<4xf32>
  }
  return
}
