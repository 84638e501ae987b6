// RUN: dyn-opt %s -split-input-file -dyn-print-cell-flow -o /dev/null | FileCheck %s

// Cells among rows of routes: which rows a switch, a split and a join keep, and where two values
// hold different cells.

// A switch whose paths keep rows apart gives rows; one with a path that mixes them gives none.
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
dhlo.dim @L1
// CHECK-LABEL: func @switches
// CHECK-NEXT:  cells of %arg0: [@N] at [0]
// CHECK-NEXT:  = cell.dispatch keeps %arg0 [0] -> [0] in rows of %arg1
// CHECK-NEXT:  = cell.switch runs paths
// CHECK-NEXT:  = dhlo.tanh keeps %arg0 [0] -> [0] in rows of %arg1
// CHECK-NEXT:  = cell.combine keeps %arg0 [0] -> [0]
// CHECK-NEXT:  = cell.switch runs paths
// CHECK-NEXT:  = dhlo.softmax mixes %arg0
// CHECK-NEXT:  = cell.combine mixes %arg0
func.func @switches(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%d) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = cell.switch %r counts [@L0, @L1] (%d) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<L0>>):
    %0 = dhlo.softmax %a axis = 0 : tensor<?x4xf32, #dhlo.dims<L0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<L0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<L1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<L1>>
  }
  %w = cell.combine %v, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z, %w : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows of routes, and the cells that they were: their sum is of different cells. Rows that are
// dispatched again, and rows that are combined by other routes, are those of no cell.
dhlo.dim @N
// CHECK-LABEL: func @different
// CHECK-NEXT:  cells of %arg0: [@N] at [0]
// CHECK-NEXT:  = cell.dispatch keeps %arg0 [0] -> [0] in rows of %arg1
// CHECK-NEXT:  = dhlo.add mixes %arg0
// CHECK-NEXT:  = cell.dispatch mixes %arg0
// CHECK-NEXT:  = cell.combine mixes %arg0
// CHECK-NEXT:  = cell.combine mixes %arg0
func.func @different(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>, %q: !cell.routes<@N, 2, @N>)
    -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %0 = dhlo.add %d, %x : tensor<?x4xf32, #dhlo.dims<N>>
  %1 = cell.dispatch %d, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = cell.combine %d, %q sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %3 = cell.combine %x, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %0, %1, %2, %3 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The value of cells without a path: the cells themselves, in their order, and in another one.
dhlo.dim @N
// CHECK-LABEL: func @otherwise
// CHECK-NEXT:  cells of %arg0: [@N] at [0]
// CHECK-NEXT:  = cell.dispatch keeps %arg0
// CHECK-NEXT:  = cell.combine keeps %arg0 [0] -> [0]
// CHECK-NEXT:  = dhlo.reverse permutes %arg0 [0] -> [0]
// CHECK-NEXT:  = cell.combine permutes %arg0 [0] -> [0]
// CHECK-NEXT:  = cell.combine mixes %arg0
func.func @otherwise(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>)
    -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %0 = cell.combine %d, %r, %x sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.reverse %x axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  %1 = cell.combine %d, %r, %v sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = cell.combine %d, %r, %d sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A function has a list for each input with dynamic leading axes: two at most, none for a scalar or
// a static axis, and none for what is no tensor.
dhlo.dim @A
dhlo.dim @B
dhlo.dim @C
// CHECK-LABEL: func @inputs
// CHECK-NEXT:  cells of %arg0: [@A, @B] at [0, 1]
// CHECK-NEXT:  = dhlo.exp keeps %arg0
// CHECK-NEXT:  cells of %arg1: [@C] at [0]
// CHECK-NEXT:  = dhlo.neg keeps %arg1
// CHECK-NOT:   cells of
func.func @inputs(%x: tensor<?x?x?xf32, #dhlo.dims<A, B, C>>, %y: tensor<?x3x?xf32, #dhlo.dims<C, A>>, %z: tensor<4x?xf32, #dhlo.dims<A>>, %s: tensor<f32>, %r: !cell.routes<@A, 2, @A>)
    -> (tensor<?x?x?xf32, #dhlo.dims<A, B, C>>, tensor<?x3x?xf32, #dhlo.dims<C, A>>, tensor<4x?xf32, #dhlo.dims<A>>) {
  %0 = dhlo.exp %x : tensor<?x?x?xf32, #dhlo.dims<A, B, C>>
  %1 = dhlo.neg %y : tensor<?x3x?xf32, #dhlo.dims<C, A>>
  %2 = dhlo.tanh %z : tensor<4x?xf32, #dhlo.dims<A>>
  return %0, %1, %2 : tensor<?x?x?xf32, #dhlo.dims<A, B, C>>, tensor<?x3x?xf32, #dhlo.dims<C, A>>, tensor<4x?xf32, #dhlo.dims<A>>
}
