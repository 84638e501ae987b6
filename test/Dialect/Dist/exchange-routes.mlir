// RUN: dyn-opt %s --split-input-file --dist-exchange-routes | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dist-exchange-routes --convert-cell-to-dhlo --dhlo-verify-dims -o /dev/null

// Each rank routes its block of the cells. Counts go first, then the rows of each rank as one range,
// and results return by the same ranges. The operations in between run on the rows of the rank's paths.

dhlo.dim @N
dhlo.dim @R = 2 * @N
// CHECK-LABEL: func.func @main_1
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32, #dhlo.dims<N>>, %[[IDS:[^:]*]]:
// CHECK:         %[[OWN_IDS:.*]] = dhlo.slice {{.*}} starts = [min(@N, (@N + 1) floordiv 2), 0]
// CHECK:         %[[OWN_W:.*]] = dhlo.slice {{.*}} starts = [min(@N, (@N + 1) floordiv 2), 0]
// CHECK:         %[[HOME:.*]] = cell.route(%[[OWN_IDS]], %[[OWN_W]]) {{.*}} -> !cell.routes<@[[NR:.*]], 4, 2 * @[[NR]]>
// CHECK-NOT:     dist.placement
// CHECK:         %[[FROM:.*]] = cell.offsets %[[HOME]]
// CHECK:         %[[BOUNDS:.*]] = dhlo.constant dense<[0, 1, 1, 4]>
// CHECK:         %[[SENDS:.*]] = dhlo.gather %[[FROM]], %[[BOUNDS]] axis = 0
// CHECK:         %[[COUNTS:.*]] = dhlo.sub
// CHECK-DAG:     %[[ASKED:.*]] = dhlo.constant dense<[0, 1, 1, 4]>
// CHECK-DAG:     %[[GIVEN:.*]] = dhlo.constant dense<[0, 3, 3, 6]>
// CHECK:         %[[T:.*]] = dist.exchange_start %[[COUNTS]] among [0, 1] sends %[[ASKED]] receives %[[GIVEN]]
// CHECK:         %[[CAME:.*]] = dist.exchange_wait %[[T]] : !dist.request -> tensor<6xi64>
// CHECK:         dhlo.cumulative sum %[[CAME]] axis = 0
// CHECK:         %[[RECEIVES:.*]] = dhlo.gather {{.*}} : (tensor<7xi64>, tensor<4xi64>) -> tensor<4xi64>
// CHECK:         %[[HERE:.*]] = cell.route({{.*}} -> !cell.routes<@R, 3, @R>
// CHECK:         cell.probe "layer" %[[HOME]]
// CHECK:         %[[OWN:.*]] = dhlo.slice %[[X]]
// CHECK:         %[[SENT:.*]] = cell.dispatch %[[OWN]], %[[HOME]]
// CHECK:         %[[T:.*]] = dist.exchange_start %[[SENT]] among [0, 1] sends %[[SENDS]] receives %[[RECEIVES]]
// CHECK:         %[[CAME:.*]] = dist.exchange_wait %[[T]] {{.*}} -> tensor<?x4xf32, #dhlo.dims<R>>
// CHECK:         %[[ROWS:.*]] = cell.dispatch %[[CAME]], %[[HERE]]
// CHECK:         %[[OFFSETS:.*]] = cell.offsets %[[HERE]] {{.*}} -> tensor<4xi64>
// CHECK:         %[[PATHS:.*]] = cell.paths %[[HERE]]
// CHECK:         %[[W:.*]] = dhlo.slice {{.*}} starts = [1, 0, 0] {{.*}} -> tensor<3x4x6xf32>
// CHECK:         %[[DOT:.*]] = dhlo.grouped_dot %[[ROWS]], %[[W]], %[[OFFSETS]]
// CHECK:         %[[B:.*]] = dhlo.slice {{.*}} starts = [1, 0] {{.*}} -> tensor<3x6xf32>
// CHECK:         %[[BIAS:.*]] = dhlo.gather %[[B]], %[[PATHS]]
// CHECK:         %[[SUM:.*]] = dhlo.add %[[DOT]], %[[BIAS]]
// CHECK:         %[[BACK:.*]] = cell.combine %[[SUM]], %[[HERE]] last
// CHECK:         %[[T:.*]] = dist.exchange_start %[[BACK]] among [0, 1] sends %[[RECEIVES]] receives %[[SENDS]]
// CHECK:         %[[RETURNED:.*]] = dist.exchange_wait %[[T]]
// CHECK:         %[[OTHERWISE:.*]] = dhlo.slice
// CHECK:         %[[CELLS:.*]] = cell.combine %[[RETURNED]], %[[HOME]], %[[OTHERWISE]] sum
// CHECK:         %[[ALL:.*]] = dhlo.from_dims [0, min(@N, (@N + 1) floordiv 2), min(@N, (@N + 1) floordiv 2), @N]
// CHECK:         %[[T:.*]] = dist.exchange_start %[[CELLS]] among [0, 1] {{.*}} receives %[[ALL]]
// CHECK:         %[[Y:.*]] = dist.exchange_wait %[[T]]
// CHECK:         return %[[Y]]
func.func @main_1(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x2xi64, #dhlo.dims<N>>,
                  %w: tensor<?x2xf32, #dhlo.dims<N>>, %o: tensor<?x6xf32, #dhlo.dims<N>>,
                  %experts: tensor<4x4x6xf32>, %biases: tensor<4x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
    attributes {dist.part = #dist.part<"main", rank = 1, ranks = 2>} {
  %r = cell.route(%ids, %w) : (tensor<?x2xi64, #dhlo.dims<N>>, tensor<?x2xf32, #dhlo.dims<N>>)
      -> !cell.routes<@N, 4, @R> {
  ^bb0(%i: tensor<?x2xi64, #dhlo.dims<N>>, %v: tensor<?x2xf32, #dhlo.dims<N>>):
    cell.choose %i weights(%v : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1, 1, 1>}
  cell.probe "layer" %r : !cell.routes<@N, 4, @R>
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @R>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %offsets = cell.offsets %r : !cell.routes<@N, 4, @R> -> tensor<5xi64>
  %paths = cell.paths %r : !cell.routes<@N, 4, @R> -> tensor<?xi64, #dhlo.dims<R>>
  %d = dhlo.grouped_dot %rows, %experts, %offsets
      : (tensor<?x4xf32, #dhlo.dims<R>>, tensor<4x4x6xf32>, tensor<5xi64>) -> tensor<?x6xf32, #dhlo.dims<R>>
  %b = dhlo.gather %biases, %paths axis = 0 batch = 0
      : (tensor<4x6xf32>, tensor<?xi64, #dhlo.dims<R>>) -> tensor<?x6xf32, #dhlo.dims<R>>
  %s = dhlo.add %d, %b : tensor<?x6xf32, #dhlo.dims<R>>
  %y = cell.combine %s, %r, %o sum : (tensor<?x6xf32, #dhlo.dims<R>>, !cell.routes<@N, 4, @R>, tensor<?x6xf32, #dhlo.dims<N>>)
      -> tensor<?x6xf32, #dhlo.dims<N>>
  return %y : tensor<?x6xf32, #dhlo.dims<N>>
}

// -----

// The paths of rank 0 are no range: rows are sorted by rank before they leave, and back. Each rank
// keeps the regions of its paths.

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @K2
// CHECK-LABEL: func.func @main_0
// CHECK:         %[[HOME:.*]] = cell.route
// CHECK:         %[[OF:.*]] = cell.paths %[[HOME]]
// CHECK:         %[[TABLE:.*]] = dhlo.constant dense<[0, 2, 1]>
// CHECK:         dhlo.gather %[[TABLE]], %[[OF]]
// CHECK:         %[[SORTED:.*]] = cell.route({{.*}} -> !cell.routes<@[[NR:.*]], 3, @[[NR]]>
// CHECK:         %[[HERE:.*]] = cell.route({{.*}} -> !cell.routes<@N, 2, @N>
// CHECK:         %[[A:.*]] = cell.dispatch %{{.*}}, %[[HOME]]
// CHECK:         %[[SENT:.*]] = cell.dispatch %[[A]], %[[SORTED]]
// CHECK:         dist.exchange_start %[[SENT]]
// CHECK:         cell.switch %[[HERE]] counts [@K0, @K2]
// CHECK:           dhlo.tanh
// CHECK:           dhlo.neg
// CHECK:         %[[BACK:.*]] = dist.exchange_wait
// CHECK:         %[[ROWS:.*]] = cell.combine %[[BACK]], %[[SORTED]] last
// CHECK:         cell.combine %[[ROWS]], %[[HOME]] last
func.func @main_0(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1, 0>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %s = cell.switch %r counts [@K0, @K1, @K2] (%rows)
      : (!cell.routes<@N, 3, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.exp %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K2>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K2>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K2>>
  }
  %y = cell.combine %s, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A capacity concerns all cells: each rank routes all of them by its own paths, and sends each result
// to all. Rank 2 has no paths, and receives alone.

dhlo.dim @N
// CHECK-LABEL: func.func @main_0
// CHECK:         %[[HOME:.*]] = cell.route({{.*}} capacity = <3> : {{.*}} -> !cell.routes<@N, 2, @N>
// CHECK:         %[[RECEIVES:.*]] = dhlo.gather
// CHECK:         %[[HERE:.*]] = cell.route({{.*}} capacity = <3> : {{.*}} -> !cell.routes<@N, 1, @N>
// CHECK:         %[[SENDS:.*]] = dhlo.gather
// CHECK:         %[[ROWS:.*]] = cell.dispatch %arg0, %[[HERE]]
// CHECK:         %[[Y:.*]] = dhlo.grouped_dot %[[ROWS]]
// CHECK:         dist.exchange_start %[[Y]] among [0, 1, 2] sends %[[SENDS]] receives %[[RECEIVES]]
// CHECK:         %[[ALL:.*]] = dist.exchange_wait
// CHECK:         %[[Z:.*]] = cell.combine %[[ALL]], %[[HOME]] max
// CHECK:         return %[[Z]]
func.func @main_0(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>,
                  %experts: tensor<2x4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 3>} {
  %r = cell.route(%ids) capacity = <3> : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %offsets = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %d = dhlo.grouped_dot %rows, %experts, %offsets
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r max : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @main_2
// CHECK-NOT:     dhlo.grouped_dot
// CHECK:         dist.exchange_start %{{.*}} among [0, 1, 2] {{.*}} : (tensor<0x4xf32>,
// CHECK:         cell.combine
func.func @main_2(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>,
                  %experts: tensor<2x4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    attributes {dist.part = #dist.part<"main", rank = 2, ranks = 3>} {
  %r = cell.route(%ids) capacity = <3> : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %offsets = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  %d = dhlo.grouped_dot %rows, %experts, %offsets
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r max : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
