// Rows stay rows between a combine and a dispatch by the same routes.
// RUN: dyn-opt %s -split-input-file -cell-cancel-routes -canonicalize | FileCheck %s

// What lies between runs on rows; the residual is dispatched itself.
dhlo.dim @N
// CHECK-LABEL: func.func @residual
// CHECK:       %[[R:.*]] = cell.route
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0, %[[R]]
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.combine
// CHECK:       %[[SUM:.*]] = dhlo.add %[[T]], %{{.*}} : tensor<?x4xf32
// CHECK:       %[[NORM:.*]] = dhlo.layer_norm %[[SUM]]
// CHECK-NEXT:  cell.combine %[[NORM]], %[[R]]
func.func @residual(%x: tensor<?x4xf32, #dhlo.dims<N>>, %g: tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %rows : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %a = dhlo.add %c, %x : tensor<?x4xf32, #dhlo.dims<N>>
  %n = dhlo.layer_norm %a, %g axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %d = cell.dispatch %n, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Weights are applied by the combine, rows past the last are seen, cells are mixed between,
// and the cells are read elsewhere: nothing is done.
dhlo.dim @N
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-5: cell.combine
func.func @refused(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %q = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id weights(%w : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %c = cell.combine %x, %q sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %d = cell.dispatch %c, %q : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %d, %q sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %c1 = cell.combine %x, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %d1 = cell.dispatch %c1, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.reverse %c1 axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  %d2 = cell.dispatch %v, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y2 = cell.combine %d2, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %c1 : tensor<?x4xf32, #dhlo.dims<N>>
  %d3 = cell.dispatch %t, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y3 = cell.combine %d3, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %both = dhlo.add %t, %y3 : tensor<?x4xf32, #dhlo.dims<N>>
  return %y, %d1, %y2, %both : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// What reads the rows may fail on those past the last, which then are not zeros.
dhlo.dim @N
// CHECK-LABEL: func.func @may_fail
// CHECK:       cell.combine
// CHECK:       cell.dispatch
// CHECK:       dhlo.convert
func.func @may_fail(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %c = cell.combine %x, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %d = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %i = dhlo.convert %d : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>>
  %y = cell.combine %i, %r last : (tensor<?x4xi32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}
