// RUN: dyn-opt %s -split-input-file -cell-speculate | FileCheck %s
// RUN: dyn-opt %s -split-input-file -cell-speculate -convert-cell-to-dhlo -dhlo-simplify-sizes -canonicalize -cse | FileCheck %s --check-prefix=DHLO
// Paths run by each kind of prediction.

// The most frequent path of all cells, before the router: neither a group nor a number of rows is
// needed, and the other path does not run by the guess.
// CHECK-LABEL: func.func @majority(
// CHECK:         %[[GUESS:.*]] = cell.route() : () -> !cell.routes<@N, 2, @N>
// CHECK:           dhlo.constant dense<1> : tensor<1xi64>
// CHECK:         %[[A:.*]] = cell.dispatch %arg0, %[[GUESS]]
// CHECK:         %[[SHADOW:.*]] = cell.switch %[[GUESS]] counts [@K0_1, @K1_1](%[[A]])
// CHECK:           dhlo.neg %{{.*}} : tensor<?x4xf32, #dhlo.dims<K1_1>>
// CHECK:         %[[R:.*]] = cell.route(%arg1)
// CHECK-NOT:     cell.speculate
// CHECK:         %[[REST:.*]] = cell.route(%arg1)
// CHECK:         %[[B:.*]] = cell.dispatch %arg0, %[[REST]]
// CHECK:         %[[REDONE:.*]] = cell.switch %[[REST]] counts [@K0, @K1](%[[B]])
// CHECK:         %[[Y:.*]] = cell.select %[[R]] from(%[[REST]], %[[GUESS]]) rows(%[[REDONE]], %[[SHADOW]])
// CHECK:         cell.combine %[[Y]], %[[R]] sum

// DHLO-LABEL:  func.func @majority(
// DHLO-NOT:      dhlo.bind
// DHLO-NOT:      dhlo.tanh
// DHLO:          dhlo.neg %arg0 : tensor<?x4xf32, #dhlo.dims<N>>
// DHLO:          dhlo.group
// DHLO:          dhlo.group
// DHLO:          dhlo.bind @K0
// DHLO:          dhlo.tanh
// DHLO:          dhlo.neg
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @majority(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// By the path that the router before chose: a table, and a copy of its region.
// CHECK-LABEL: func.func @after(
// CHECK:         %[[BEFORE:.*]] = cell.route(%arg1)
// CHECK:         %[[GUESS:.*]] = cell.route(%arg1) : (tensor<?x3xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 2, 3 * @N>
// CHECK:           dhlo.constant dense<[1, 0, 1]> : tensor<3xi64>
// CHECK:           dhlo.gather
// CHECK:         cell.switch %[[GUESS]] counts [@K0_1, @K1_1]
// CHECK:         %[[R:.*]] = cell.route(%arg2)
// CHECK:         %[[REST:.*]] = cell.route(%arg2, %arg1)
// CHECK:           dhlo.reduce or %{{.*}} axes = [2]
// CHECK:         cell.switch %[[REST]]
// CHECK:         cell.select %[[R]] from(%[[REST]], %[[GUESS]])
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @after(%x: tensor<?x4xf32, #dhlo.dims<N>>, %mask: tensor<?x3xi1, #dhlo.dims<N>>, %ids: tensor<?x1xi32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %before = cell.route(%mask) : (tensor<?x3xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 3, 3 * @N> {
  ^bb0(%m: tensor<?x3xi1, #dhlo.dims<N>>):
    cell.choose %m : tensor<?x3xi1, #dhlo.dims<N>>
  }
  cell.probe "before" %before : !cell.routes<@N, 3, 3 * @N>
  %r = cell.route(%ids) : (tensor<?x1xi32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi32, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi32, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<after of "before", share = 1000, paths = [1, 0, 1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// By the router itself, on the cells as they were before the last matmul.
// CHECK-LABEL: func.func @early(
// CHECK:         %[[H:.*]] = dhlo.add %arg0
// CHECK:         %[[GUESS:.*]] = cell.route(%arg0, %arg1)
// CHECK:           dhlo.top_k
// CHECK:         cell.switch %[[GUESS]]
// CHECK:         %[[R:.*]] = cell.route(%[[H]], %arg1)
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @early(%x: tensor<?x2xf32, #dhlo.dims<N>>, %w: tensor<2x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>> {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x2xf32, #dhlo.dims<N>>, tensor<2x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %h = dhlo.add %x, %0 : tensor<?x2xf32, #dhlo.dims<N>>
  %r = cell.route(%h, %w) : (tensor<?x2xf32, #dhlo.dims<N>>, tensor<2x2xf32>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<N>>, %g: tensor<2x2xf32>):
    %s = dhlo.dot_general %a, %g batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x2xf32, #dhlo.dims<N>>, tensor<2x2xf32>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %best, %i = dhlo.top_k %s axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%best : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<early, share = 1000>}
  %rows = cell.dispatch %x, %r : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x2xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K0>>):
    %1 = dhlo.tanh %a : tensor<?x2xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x2xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x2xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x2xf32, #dhlo.dims<N>>
}
