// RUN: dyn-opt %s -cell-stack-siblings -split-input-file -verify-diagnostics | FileCheck %s

// Each reason why an operation of sibling paths is stacked or not, beside the nearest case in which
// it is the other way.

// Numbers that differ: one for each row is read from a table of two.
// CHECK-LABEL: func.func @single_numbers(
// CHECK:         dhlo.concat {{.*}} axis = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
// CHECK:         %[[G:.*]] = dhlo.gather {{.*}} -> tensor<?xf32, #dhlo.dims<N>>
// CHECK:         %[[B:.*]] = dhlo.broadcast %[[G]] axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
// CHECK:         dhlo.mul %{{.*}}, %[[B]]
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @single_numbers(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %0 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.mul %a, %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %c = dhlo.constant dense<0.25> : tensor<f32>
    %0 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.mul %a, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Matrices of 16 bits are grouped, too.
// CHECK-LABEL: func.func @dot_f16(
// CHECK:         dhlo.grouped_dot {{.*}} -> tensor<?x4xf16, #dhlo.dims<N>>
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @dot_f16(%x: tensor<?x8xf16, #dhlo.dims<N>>, %w0: tensor<8x4xf16>, %w1: tensor<8x4xf16>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf16, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x8xf16, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf16, #dhlo.dims<K0>>):
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf16, #dhlo.dims<K0>>, tensor<8x4xf16>) -> tensor<?x4xf16, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf16, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x8xf16, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf16, #dhlo.dims<K1>>, tensor<8x4xf16>) -> tensor<?x4xf16, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf16, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf16, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @dot_bf16(
// CHECK:         dhlo.grouped_dot {{.*}} -> tensor<?x4xbf16, #dhlo.dims<N>>
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @dot_bf16(%x: tensor<?x8xbf16, #dhlo.dims<N>>, %w0: tensor<8x4xbf16>, %w1: tensor<8x4xbf16>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xbf16, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x8xbf16, #dhlo.dims<N>>) -> tensor<?x4xbf16, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xbf16, #dhlo.dims<K0>>):
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xbf16, #dhlo.dims<K0>>, tensor<8x4xbf16>) -> tensor<?x4xbf16, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xbf16, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x8xbf16, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xbf16, #dhlo.dims<K1>>, tensor<8x4xbf16>) -> tensor<?x4xbf16, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xbf16, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xbf16, #dhlo.dims<N>>
}

// -----

// No kernel groups rows of integers.
// CHECK-LABEL: func.func @dot_i32(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @dot_i32(%x: tensor<?x8xi32, #dhlo.dims<N>>, %w0: tensor<8x4xi32>, %w1: tensor<8x4xi32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x8xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xi32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.dot_general': operand 1 differs between paths, and it cannot choose by row}}
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xi32, #dhlo.dims<K0>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xi32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x8xi32, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xi32, #dhlo.dims<K1>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xi32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// Rows of three axes: all axes but the summed one are rows of the grouped GEMM.
// CHECK-LABEL: func.func @rows_of_rows(
// CHECK-DAG:     dhlo.transpose %arg1 permutation = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
// CHECK-DAG:     dhlo.transpose %arg2 permutation = [1, 0]
// CHECK:         dhlo.grouped_dot %arg0, {{.*}} -> tensor<?x3x5xf32, #dhlo.dims<N>>
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @rows_of_rows(%x: tensor<?x3x4xf32, #dhlo.dims<N>>, %w0: tensor<5x4xf32>, %w1: tensor<5x4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x3x5xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x3x4xf32, #dhlo.dims<N>>) -> tensor<?x3x5xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [2] rhs_contract = [1] : (tensor<?x3x4xf32, #dhlo.dims<K0>>, tensor<5x4xf32>) -> tensor<?x3x5xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x3x5xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [2] rhs_contract = [1] : (tensor<?x3x4xf32, #dhlo.dims<K1>>, tensor<5x4xf32>) -> tensor<?x3x5xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x3x5xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x3x5xf32, #dhlo.dims<N>>
}

// -----

// A scale that is the same in both stays one; only biases are chosen by row.
// CHECK-LABEL: func.func @one_scale(
// CHECK:         %[[L:.*]] = dhlo.layer_norm %arg0, %{{[^,]*}} axis = 1
// CHECK:         %[[G:.*]] = dhlo.broadcast %arg1 axes = [1]
// CHECK:         %[[M:.*]] = dhlo.mul %[[L]], %[[G]]
// CHECK:         %[[B:.*]] = dhlo.gather
// CHECK:         dhlo.add %[[M]], %[[B]]
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @one_scale(%x: tensor<?x4xf32, #dhlo.dims<N>>, %g: tensor<4xf32>, %b0: tensor<4xf32>, %b1: tensor<4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.layer_norm %a, %g, %b0 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.layer_norm %a, %g, %b1 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Divisions of floats and conversions that lose nothing do not fail on rows that no cell has.
// CHECK-LABEL: func.func @may_not_fail(
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @may_not_fail(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.div %a, %a : tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.convert %0 : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<?x4xf16, #dhlo.dims<K0>>
    %2 = dhlo.convert %1 : (tensor<?x4xf16, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.div %a, %a : tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.convert %0 : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf16, #dhlo.dims<K1>>
    %2 = dhlo.convert %1 : (tensor<?x4xf16, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Divisions of integers do: rows past the last are zeros.
// CHECK-LABEL: func.func @may_fail_division(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @may_fail_division(%x: tensor<?x4xi32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xi32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.div': it may fail on rows that no cell has}}
    %0 = dhlo.div %a, %a : tensor<?x4xi32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xi32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xi32, #dhlo.dims<K1>>):
    %0 = dhlo.div %a, %a : tensor<?x4xi32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xi32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// So do indices that are read from rows.
// CHECK-LABEL: func.func @may_fail_index(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @may_fail_index(%x: tensor<?x4xi64, #dhlo.dims<N>>, %t: tensor<9xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xi64, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.gather': it may fail on rows that no cell has}}
    %0 = dhlo.gather %t, %a axis = 0 batch = 0 : (tensor<9xf32>, tensor<?x4xi64, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xi64, #dhlo.dims<K1>>):
    %0 = dhlo.gather %t, %a axis = 0 batch = 0 : (tensor<9xf32>, tensor<?x4xi64, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The number of a row in its path is another one in all rows.
// CHECK-LABEL: func.func @numbers_of_rows(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @numbers_of_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.iota': it mixes rows}}
    %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The number of a column is not.
// CHECK-LABEL: func.func @numbers_in_rows(
// CHECK:         dhlo.iota axis = 1 {{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @numbers_in_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Random numbers belong to the path that draws them.
// CHECK-LABEL: func.func @random(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @random(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.rng': it is not known to keep rows apart}}
    %0 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.add %a, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows in another order.
// CHECK-LABEL: func.func @reversed(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @reversed(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.reverse': it mixes rows}}
    %0 = dhlo.reverse %a axes = [0] : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.reverse %a axes = [0] : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Columns in another order.
// CHECK-LABEL: func.func @reversed_columns(
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @reversed_columns(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.reverse %a axes = [1] : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.reverse %a axes = [1] : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A sum along the rows of a path.
// CHECK-LABEL: func.func @cumulative(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @cumulative(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.cumulative': it mixes rows}}
    %0 = dhlo.cumulative sum %a axis = 0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.cumulative sum %a axis = 0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Layers of other widths.
// CHECK-LABEL: func.func @other_sizes(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @other_sizes(%x: tensor<?x4xf32, #dhlo.dims<N>>, %u0: tensor<4x8xf32>, %v0: tensor<8x4xf32>, %u1: tensor<4x6xf32>, %v1: tensor<6x4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.dot_general %a, %u0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4x8xf32>) -> tensor<?x8xf32, #dhlo.dims<K0>>
    %1 = dhlo.dot_general %0, %v0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<K0>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @below {{because of 'dhlo.dot_general': path 1 has other sizes than path 0}}
    %0 = dhlo.dot_general %a, %u1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4x6xf32>) -> tensor<?x6xf32, #dhlo.dims<K1>>
    %1 = dhlo.dot_general %0, %v1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x6xf32, #dhlo.dims<K1>>, tensor<6x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The same operation in another type.
// CHECK-LABEL: func.func @other_types(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @other_types(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.convert %a : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<?x4xf64, #dhlo.dims<K0>>
    %1 = dhlo.convert %0 : (tensor<?x4xf64, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @below {{because of 'dhlo.convert': path 1 has other sizes than path 0}}
    %0 = dhlo.convert %a : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf16, #dhlo.dims<K1>>
    %1 = dhlo.convert %0 : (tensor<?x4xf16, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A norm without the bias that the other one has.
// CHECK-LABEL: func.func @no_bias(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_bias(%x: tensor<?x4xf32, #dhlo.dims<N>>, %g: tensor<4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.layer_norm %a, %g, %g axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @below {{because of 'dhlo.layer_norm': path 1 has other operands than path 0}}
    %0 = dhlo.layer_norm %a, %g axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// One multiplies rows by rows, the other one by a value that all rows share.
// CHECK-LABEL: func.func @rows_or_not(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @rows_or_not(%x: tensor<?x4xf32, #dhlo.dims<N>>, %b: tensor<4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.broadcast %b axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.mul %a, %a : tensor<?x4xf32, #dhlo.dims<K0>>
    %2 = dhlo.add %1, %0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.broadcast %b axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    // expected-note @below {{because of 'dhlo.mul': path 1 reads other rows}}
    %1 = dhlo.mul %a, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    %2 = dhlo.add %1, %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A transposed convolution chooses no filter by image.
// CHECK-LABEL: func.func @dilated(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @dilated(%x: tensor<?x3x4x4xf32, #dhlo.dims<N>>, %w0: tensor<3x3x2x2xf32>, %w1: tensor<3x3x2x2xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x3x7x7xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x3x4x4xf32, #dhlo.dims<N>>) -> tensor<?x3x7x7xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x4x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.convolution': operand 1 differs between paths, and it cannot choose by row}}
    %0 = dhlo.convolution %a, %w0 channels_first strides = [1, 1] low = [0, 0] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x4x4xf32, #dhlo.dims<K0>>, tensor<3x3x2x2xf32>) -> tensor<?x3x7x7xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x3x7x7xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x4x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.convolution %a, %w1 channels_first strides = [1, 1] low = [0, 0] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x4x4xf32, #dhlo.dims<K1>>, tensor<3x3x2x2xf32>) -> tensor<?x3x7x7xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x3x7x7xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x3x7x7xf32, #dhlo.dims<N>>
}

// -----

// With one filter for both it need not choose.
// CHECK-LABEL: func.func @shared_filter(
// CHECK:         dhlo.convolution %arg0, %arg1
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @shared_filter(%x: tensor<?x3x4x4xf32, #dhlo.dims<N>>, %w: tensor<3x3x2x2xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x3x7x7xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x3x4x4xf32, #dhlo.dims<N>>) -> tensor<?x3x7x7xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x4x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.convolution %a, %w channels_first strides = [1, 1] low = [0, 0] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x4x4xf32, #dhlo.dims<K0>>, tensor<3x3x2x2xf32>) -> tensor<?x3x7x7xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x3x7x7xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x4x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.convolution %a, %w channels_first strides = [1, 1] low = [0, 0] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x4x4xf32, #dhlo.dims<K1>>, tensor<3x3x2x2xf32>) -> tensor<?x3x7x7xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x3x7x7xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x3x7x7xf32, #dhlo.dims<N>>
}

// -----

// A reshape that keeps rows on their axis.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @reshaped(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.reshape %a : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<?x2x2xf32, #dhlo.dims<K0>>
    %1 = dhlo.reshape %0 : (tensor<?x2x2xf32, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.reshape %a : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x2x2xf32, #dhlo.dims<K1>>
    %1 = dhlo.reshape %0 : (tensor<?x2x2xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Paths without operations give their rows back.
// CHECK-LABEL: func.func @identity(
// CHECK-NOT:     cell.switch
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @identity(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows past the last that only a combine would read are not cleared.
// CHECK-LABEL: func.func @combined(
// CHECK:         %[[T:.*]] = dhlo.tanh %arg0
// CHECK-NEXT:    cell.combine %[[T]]
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @combined(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The value of cells without a path is read at all of them.
// CHECK-LABEL: func.func @combined_otherwise(
// CHECK:         %[[T:.*]] = dhlo.tanh %arg0
// CHECK:         dhlo.select %{{.*}}, %[[T]], %{{.*}}
// CHECK:         cell.combine
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @combined_otherwise(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %x, %r, %y sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Beside two equal paths, one: cells without a path must not be computed.
// CHECK-LABEL: func.func @one_path(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
func.func @one_path(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 1, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+2 {{paths are not stacked}}
  // expected-note @+1 {{because of 'cell.switch': there is one path, and cells may have none}}
  %y = cell.switch %r counts [@K0] (%x) : (!cell.routes<@N, 1, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
