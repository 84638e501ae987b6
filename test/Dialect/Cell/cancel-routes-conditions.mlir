// RUN: dyn-opt %s -split-input-file -cell-cancel-routes -canonicalize | FileCheck %s

// Which operations may stand between a combine and a dispatch, and which readers the rows may have.
// Rows past the last one are zeros behind a dispatch and anything before a combine.

// Nothing stands between.
dhlo.dim @N
// CHECK-LABEL: func.func @nothing_between
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.exp %[[T]]
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @nothing_between(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A matrix is the same for all rows.
dhlo.dim @N
// CHECK-LABEL: func.func @matmul
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.dot_general %[[T]], %arg1
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @matmul(%x: tensor<?x4xf32, #dhlo.dims<N>>, %k: tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.dot_general %c, %k batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// What is repeated for all cells is repeated for all rows.
dhlo.dim @N
// CHECK-LABEL: func.func @bias
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       %[[B:.*]] = dhlo.broadcast %arg1 axes = [1]
// CHECK:       dhlo.add %[[T]], %[[B]]
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @bias(%x: tensor<?x4xf32, #dhlo.dims<N>>, %k: tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %b = dhlo.broadcast %k axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.add %c, %b : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Two combines by the same routes meet.
dhlo.dim @N
// CHECK-LABEL: func.func @both_sides
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK-DAG:   %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-DAG:   %[[S:.*]] = dhlo.neg %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.mul %[[T]], %[[S]]
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @both_sides(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t2 = dhlo.neg %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c2 = cell.combine %t2, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.mul %c, %c2 : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// An operation that reads the same cells twice has one user of them.
dhlo.dim @N
// CHECK-LABEL: func.func @twice
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.mul %[[T]], %[[T]]
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @twice(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.mul %c, %c : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows of another router are other rows.
dhlo.dim @N
// CHECK-LABEL: func.func @other_routes
// CHECK-COUNT-2: cell.dispatch
func.func @other_routes(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %q = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %q : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %q last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A softmax along the cells mixes them.
dhlo.dim @N
// CHECK-LABEL: func.func @softmax_of_cells
// CHECK-COUNT-2: cell.dispatch
func.func @softmax_of_cells(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.softmax %c axis = 0 : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// One along their features does not.
dhlo.dim @N
// CHECK-LABEL: func.func @softmax_of_features
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.softmax %[[T]] axis = 1
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @softmax_of_features(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.softmax %c axis = 1 : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Movements other than a repetition stay where they are.
dhlo.dim @N
// CHECK-LABEL: func.func @slice
// CHECK-COUNT-2: cell.dispatch
func.func @slice(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %m = dhlo.reverse %c axes = [1] : tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %m, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The rows are a result: whoever reads them sees those past the last one.
dhlo.dim @N
// CHECK-LABEL: func.func @output
// CHECK-COUNT-2: cell.dispatch
func.func @output(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %e : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Their reader mixes rows.
dhlo.dim @N
// CHECK-LABEL: func.func @mixed_rows
// CHECK-COUNT-2: cell.dispatch
func.func @mixed_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.cumulative sum %e axis = 0 : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %v, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Their reader makes one row of them.
dhlo.dim @N
// CHECK-LABEL: func.func @reduced_rows
// CHECK-COUNT-2: cell.dispatch
func.func @reduced_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4xf32> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.reduce sum %e axes = [0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return %v : tensor<4xf32>
}

// -----

// What reads the readers counts as well.
dhlo.dim @N
// CHECK-LABEL: func.func @behind_readers
// CHECK-COUNT-2: cell.dispatch
func.func @behind_readers(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %z = dhlo.neg %v : tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// They are the value of cells without a path, of which all rows are read.
dhlo.dim @N
// CHECK-LABEL: func.func @otherwise
// CHECK-COUNT-2: cell.dispatch
func.func @otherwise(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %t, %r, %e last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// They are combined by other routes.
dhlo.dim @N
// CHECK-LABEL: func.func @combined_elsewhere
// CHECK-COUNT-2: cell.dispatch
func.func @combined_elsewhere(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %q = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %e, %q last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A division of floats fails nowhere.
dhlo.dim @N
// CHECK-LABEL: func.func @division
// CHECK:       %[[ROWS:.*]] = cell.dispatch %arg0
// CHECK:       %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK-NOT:   cell.dispatch
// CHECK:       dhlo.div %[[T]], %[[T]]
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @division(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %v = dhlo.div %e, %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %v, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A cell with two rows has the sum of both behind a combine, neither of them.
dhlo.dim @N
dhlo.dim @R = 2 * @N
// CHECK-LABEL: func.func @two_rows
// CHECK-COUNT-2: cell.dispatch
func.func @two_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @R> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @R>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<R>>
  %c = cell.combine %t, %r sum : (tensor<?x4xf32, #dhlo.dims<R>>, !cell.routes<@N, 4, @R>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @R>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<R>>
  %y = cell.combine %u, %r sum : (tensor<?x4xf32, #dhlo.dims<R>>, !cell.routes<@N, 4, @R>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Routes that are an argument may have any number of rows for each cell.
dhlo.dim @N
// CHECK-LABEL: func.func @unknown_router
// CHECK-COUNT-2: cell.dispatch
func.func @unknown_router(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A mask of one path is one choice for each cell as well: of weight 1, or none.
dhlo.dim @N
// CHECK-LABEL: func.func @mask
// CHECK-COUNT-1: cell.dispatch
// CHECK-NOT:   cell.dispatch
// CHECK:       cell.combine
// CHECK-NOT:   cell.combine
func.func @mask(%x: tensor<?x4xf32, #dhlo.dims<N>>, %m: tensor<?x1xi1, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%m) : (tensor<?x1xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 1, @N> {
  ^bb0(%s: tensor<?x1xi1, #dhlo.dims<N>>):
    cell.choose %s : tensor<?x1xi1, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 1, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<N>>
  %c = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 1, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = cell.dispatch %c, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 1, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %u = dhlo.exp %e : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %u, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 1, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
