// What operations do with cells, by indexing maps and by constant values.
// RUN: dyn-opt %s -split-input-file -dyn-print-cell-flow -o /dev/null | FileCheck %s

// The same contraction keeps, permutes, gathers or mixes cells, by where its matrix is zero.
// CHECK-LABEL: func @matrices
// CHECK-NEXT:  cells of %arg0: [3] at [0]
// CHECK-NEXT:  = dhlo.dot_general keeps %arg0 [0] -> [0]
// CHECK-NEXT:  = dhlo.dot_general permutes %arg0 [0] -> [0]
// CHECK-NEXT:  = dhlo.dot_general gathers %arg0 [0] -> [0]
// CHECK-NEXT:  = dhlo.dot_general mixes %arg0
// CHECK-NEXT:  = dhlo.dot_general permutes %arg0 [0] -> [1]
func.func @matrices(%x: tensor<3x2xf32> {cell.axes = array<i64: 0>}) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>) {
  %diagonal = dhlo.constant dense<[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %cycle = dhlo.constant dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %first = dhlo.constant dense<[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<3x3xf32>
  %full = dhlo.constant dense<[[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %0 = dhlo.dot_general %diagonal, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = dhlo.dot_general %cycle, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = dhlo.dot_general %first, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = dhlo.dot_general %full, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = dhlo.dot_general %x, %cycle batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<3x2xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

// Tokens (b, s) through a layer: heads are other axes, attention mixes what it reads as keys.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @BS = @B * @S
// CHECK-LABEL: func @layer
// CHECK-NEXT:  cells of %arg0: [@B, @S] at [0, 1]
// CHECK-NEXT:  = dhlo.layer_norm keeps %arg0 [0, 1] -> [0, 1]
// CHECK-NEXT:  = dhlo.dot_general keeps %arg0 [0, 1] -> [0, 1]
// CHECK-NEXT:  = dhlo.reshape keeps %arg0 [0, 1] -> [0, 1]
// CHECK-NEXT:  = dhlo.transpose keeps %arg0 [0, 1] -> [0, 2]
// CHECK-NEXT:  = dhlo.attention mixes %arg0
// CHECK-NEXT:  = dhlo.reshape keeps %arg0 [0, 1] -> [0]
// CHECK-NEXT:  = dhlo.gelu keeps %arg0 [0] -> [0]
// CHECK-NEXT:  = dhlo.reshape keeps %arg0 [0] -> [0, 1]
// CHECK-NEXT:  = dhlo.reverse permutes %arg0 [0, 1] -> [0, 1]
// CHECK-NEXT:  = dhlo.softmax mixes %arg0
func.func @layer(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>, %w: tensor<8x8xf32>, %g: tensor<8xf32>)
    -> (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>) {
  %n = dhlo.layer_norm %x, %g axis = 2 eps = 1.0e-5 : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %p = dhlo.dot_general %n, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x8xf32>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %p : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %t = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %t, %t, %t scale = 0.5 : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf32, #dhlo.dims<B, S>>
  %f = dhlo.reshape %p : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x8xf32, #dhlo.dims<BS>>
  %u = dhlo.gelu erf %f : tensor<?x8xf32, #dhlo.dims<BS>>
  %b = dhlo.reshape %u : (tensor<?x8xf32, #dhlo.dims<BS>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %r = dhlo.reverse %b axes = [1] : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %s = dhlo.softmax %r axis = 1 : tensor<?x?x8xf32, #dhlo.dims<B, S>>
  return %a, %s : tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x?x8xf32, #dhlo.dims<B, S>>
}

// -----

// Rows of routes are cells, and the second router sees those of the first.
dhlo.dim @N
// CHECK-LABEL: func @routers
// CHECK-NEXT:  cells of %arg0: [@N] at [0]
// CHECK-NEXT:  %[[R:.*]] = cell.route routes cells: keeps %arg0
// CHECK-NEXT:  = cell.dispatch keeps %arg0 [0] -> [0] in rows of %[[R]]
// CHECK-NEXT:  = dhlo.tanh keeps %arg0 [0] -> [0] in rows of %[[R]]
// CHECK-NEXT:  = cell.combine keeps %arg0 [0] -> [0]
// CHECK-NEXT:  cell.route routes cells: keeps %arg0
// CHECK-NEXT:  = dhlo.reverse permutes %arg0 [0] -> [0]
// CHECK-NEXT:  cell.route routes cells: permutes %arg0
func.func @routers(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> (!cell.routes<@N, 4, @N>, !cell.routes<@N, 4, @N>) {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %rows : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %r2 = cell.route(%c) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %v = dhlo.reverse %c axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  %r3 = cell.route(%v) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return %r2, %r3 : !cell.routes<@N, 4, @N>, !cell.routes<@N, 4, @N>
}
