// RUN: dyn-opt %s --dist-exchange-routes | FileCheck %s
// RUN: dyn-opt %s --dist-exchange-routes --dhlo-verify-dims -o /dev/null

// Cells are divided before and after: the gathers around the router are dropped, and the router's scores
// are those of the rank's own cells. What moves are counts, rows there, and rows back.

dhlo.dim @N
dhlo.dim @A = min(@N, (@N + 1) floordiv 2)
dhlo.dim @B = @N - @A

// CHECK-LABEL: func.func @main_0
// CHECK:         dhlo.dot_general %arg1, %arg2
// CHECK-SAME:      tensor<?x2xf32, #dhlo.dims<A>>
// CHECK:         dist.exchange_start %{{.*}} : (tensor<2xi64>,
// CHECK:         %[[X:.*]] = cell.dispatch %arg1
// CHECK:         dist.exchange_start %[[X]]
// CHECK:         dhlo.grouped_dot
// CHECK:         dist.exchange_start
// CHECK:         %[[Y:.*]] = cell.combine
// CHECK-NOT:     dist.exchange_start
// CHECK:         return %[[Y]] : tensor<?x4xf32, #dhlo.dims<A>>
func.func @main_0(%n: tensor<?xi8, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<A>>, %gate: tensor<4x2xf32>, %w: tensor<2x4x4xf32>)
    -> tensor<?x4xf32, #dhlo.dims<A>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %s = dhlo.from_dims [0, @A, 0, @A] : tensor<4xi64>
  %e = dhlo.from_dims [0, @A, @A, @N] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %e
      : (tensor<?x4xf32, #dhlo.dims<A>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %all = dist.exchange_wait %t : !dist.request -> tensor<?x4xf32, #dhlo.dims<N>>
  %r = cell.route(%all, %gate) : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x2xf32>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x4xf32, #dhlo.dims<N>>, %g: tensor<4x2xf32>):
    %scores = dhlo.dot_general %c, %g batch = 0 lhs_contract = [1] rhs_contract = [0]
        : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %one = dhlo.constant dense<1.0> : tensor<f32>
    %ones = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %sum = dhlo.add %scores, %ones : tensor<?x2xf32, #dhlo.dims<N>>
    %p, %i = dhlo.top_k %sum axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>)
        -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%p : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %all, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %own = dhlo.slice %y starts = [0, 0] strides = [1, 1]
      : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<A>>
  return %own : tensor<?x4xf32, #dhlo.dims<A>>
}

// CHECK-LABEL: func.func @main_1
// CHECK:         dhlo.dot_general %arg1, %arg2
// CHECK-SAME:      tensor<?x2xf32, #dhlo.dims<B>>
// CHECK-COUNT-3: dist.exchange_start
// CHECK-NOT:     dist.exchange_start
// CHECK:         return %{{.*}} : tensor<?x4xf32, #dhlo.dims<B>>
func.func @main_1(%n: tensor<?xi8, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<B>>, %gate: tensor<4x2xf32>, %w: tensor<2x4x4xf32>)
    -> tensor<?x4xf32, #dhlo.dims<B>> attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %s = dhlo.from_dims [0, @B, 0, @B] : tensor<4xi64>
  %e = dhlo.from_dims [0, @A, @A, @N] : tensor<4xi64>
  %t = dist.exchange_start %x among [0, 1] sends %s receives %e
      : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %all = dist.exchange_wait %t : !dist.request -> tensor<?x4xf32, #dhlo.dims<N>>
  %r = cell.route(%all, %gate) : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x2xf32>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x4xf32, #dhlo.dims<N>>, %g: tensor<4x2xf32>):
    %scores = dhlo.dot_general %c, %g batch = 0 lhs_contract = [1] rhs_contract = [0]
        : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %one = dhlo.constant dense<1.0> : tensor<f32>
    %ones = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %sum = dhlo.add %scores, %ones : tensor<?x2xf32, #dhlo.dims<N>>
    %p, %i = dhlo.top_k %sum axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>)
        -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%p : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %all, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %own = dhlo.slice %y starts = [@A, 0] strides = [1, 1]
      : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  return %own : tensor<?x4xf32, #dhlo.dims<B>>
}
