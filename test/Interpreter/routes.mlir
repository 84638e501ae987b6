// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s
// RUN: dyn-opt %s --convert-cell-to-dhlo --dhlo-verify-dims --dhlo-interpret -o /dev/null | FileCheck %s
// Cells, routers and routes: what they mean, and that lowering keeps it.

dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
dhlo.dim @L1

// CHECK-LABEL: @split{{$}}
// CHECK-NEXT:    tensor<2x4xi64> {{\[\[}}0, 1, 4, 5], [2, 3, 6, 7]]
// CHECK-NEXT:    tensor<2x4xi64> {{\[\[}}0, 1, 2, 3], [4, 5, 6, 7]]
func.func @split() -> (tensor<2x4xi64>, tensor<2x4xi64>) {
  %x = dhlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>
  %p = cell.split %x axes = [0, 1] block = [2, 2] : (tensor<2x4xi64>) -> tensor<2x2x2xi64>
  %flat = dhlo.reshape %p : (tensor<2x2x2xi64>) -> tensor<2x4xi64>
  %y = cell.join %p axes = [0, 1] block = [2, 2] : (tensor<2x2x2xi64>) -> tensor<2x4xi64>
  return %flat, %y : tensor<2x4xi64>, tensor<2x4xi64>
}

// Two paths a cell; cell 1 takes one of them and cell 2 none.
// CHECK-LABEL: @weighted{{$}}
// CHECK-NEXT:    tensor<4xi64> [0, 1, 1, 3]
// CHECK-NEXT:    tensor<6xi64> [0, 2, 2, 0, 0, 0]
// CHECK-NEXT:    tensor<6x2xf32> {{\[\[}}1, 2], [1, 2], [3, 4], [0, 0], [0, 0], [0, 0]]
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}1.25, 2.5], [6, 8], [0, 0]]
func.func @weighted() -> (tensor<4xi64>, tensor<6xi64>, tensor<6x2xf32>, tensor<3x2xf32>) {
  %r = cell.route() : () -> !cell.routes<3, 3, 6> {
    %i = dhlo.constant dense<[[2, 0], [-1, 2], [-1, -1]]> : tensor<3x2xi64>
    %w = dhlo.constant dense<[[0.25, 1.0], [9.0, 2.0], [9.0, 9.0]]> : tensor<3x2xf32>
    cell.choose %i weights(%w : tensor<3x2xf32>) : tensor<3x2xi64>
  }
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %o = cell.offsets %r : !cell.routes<3, 3, 6> -> tensor<4xi64>
  %p = cell.paths %r : !cell.routes<3, 3, 6> -> tensor<6xi64>
  %rows = cell.dispatch %x, %r : (tensor<3x2xf32>, !cell.routes<3, 3, 6>) -> tensor<6x2xf32>
  %y = cell.combine %rows, %r sum : (tensor<6x2xf32>, !cell.routes<3, 3, 6>) -> tensor<3x2xf32>
  return %o, %p, %rows, %y : tensor<4xi64>, tensor<6xi64>, tensor<6x2xf32>, tensor<3x2xf32>
}

// Weights in f32 of rows in bf16.
// CHECK-LABEL: @weighted_bf16{{$}}
// CHECK-NEXT:    tensor<2x1xbf16> {{\[\[}}6], [14]]
func.func @weighted_bf16() -> tensor<2x1xbf16> {
  %r = cell.route() : () -> !cell.routes<2, 2, 2> {
    %s = dhlo.constant dense<[[1.0, 2.0], [4.0, 3.0]]> : tensor<2x2xf32>
    %w, %i = dhlo.top_k %s axis = 1 largest : (tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    cell.choose %i weights(%w : tensor<2x1xf32>) : tensor<2x1xi64>
  }
  %x = dhlo.constant dense<[[3.0], [3.5]]> : tensor<2x1xbf16>
  %rows = cell.dispatch %x, %r : (tensor<2x1xbf16>, !cell.routes<2, 2, 2>) -> tensor<2x1xbf16>
  %y = cell.combine %rows, %r sum : (tensor<2x1xbf16>, !cell.routes<2, 2, 2>) -> tensor<2x1xbf16>
  return %y : tensor<2x1xbf16>
}

// A path takes two cells at most: those of the highest priority, in that order.
// CHECK-LABEL: @capacity{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 2, 3]
// CHECK-NEXT:    tensor<4xi64> [0, 0, 1, 0]
// CHECK-NEXT:    tensor<4xi64> [13, 11, 12, 0]
// CHECK-NEXT:    tensor<4xi64> [-1, 11, 12, 13]
func.func @capacity() -> (tensor<3xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %r = cell.route() capacity = <2> : () -> !cell.routes<4, 2, 4> {
    %i = dhlo.constant dense<[[0], [0], [1], [0]]> : tensor<4x1xi32>
    %p = dhlo.constant dense<[1.0, 2.0, 0.0, 3.0]> : tensor<4xf32>
    cell.choose %i priorities(%p : tensor<4xf32>) : tensor<4x1xi32>
  }
  %x = dhlo.constant dense<[10, 11, 12, 13]> : tensor<4xi64>
  %none = dhlo.constant dense<-1> : tensor<4xi64>
  %o = cell.offsets %r : !cell.routes<4, 2, 4> -> tensor<3xi64>
  %p = cell.paths %r : !cell.routes<4, 2, 4> -> tensor<4xi64>
  %rows = cell.dispatch %x, %r : (tensor<4xi64>, !cell.routes<4, 2, 4>) -> tensor<4xi64>
  %y = cell.combine %rows, %r, %none last : (tensor<4xi64>, !cell.routes<4, 2, 4>, tensor<4xi64>) -> tensor<4xi64>
  return %o, %p, %rows, %y : tensor<3xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

// CHECK-LABEL: @priorities_of_two{{$}}
// CHECK-NEXT:    tensor<4xi64> [11, 10, 11, 10]
// CHECK-NEXT:    tensor<2xf32> [30, 33]
func.func @priorities_of_two() -> (tensor<4xi64>, tensor<2xf32>) {
  %r = cell.route() : () -> !cell.routes<2, 2, 4> {
    %i = dhlo.constant dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
    %w = dhlo.constant dense<[[1.0, 2.0], [3.0, 0.0]]> : tensor<2x2xf32>
    %p = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    cell.choose %i weights(%w : tensor<2x2xf32>) priorities(%p : tensor<2xf32>) : tensor<2x2xi64>
  }
  %x = dhlo.constant dense<[10, 11]> : tensor<2xi64>
  %rows = cell.dispatch %x, %r : (tensor<2xi64>, !cell.routes<2, 2, 4>) -> tensor<4xi64>
  %f = dhlo.convert %rows : (tensor<4xi64>) -> tensor<4xf32>
  %y = cell.combine %f, %r sum : (tensor<4xf32>, !cell.routes<2, 2, 4>) -> tensor<2xf32>
  // Rows of path 1 are in the order of priorities, too.
  return %rows, %y : tensor<4xi64>, tensor<2xf32>
}

// CHECK-LABEL: @mask{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 1, 3]
// CHECK-NEXT:    tensor<3xf32> [3, 2, 0]
// CHECK-NEXT:    tensor<3xi64> [3, 2, -1]
func.func @mask() -> (tensor<3xi64>, tensor<3xf32>, tensor<3xi64>) {
  %r = cell.route() : () -> !cell.routes<3, 2, 6> {
    %m = dhlo.constant dense<[[true, true], [false, true], [false, false]]> : tensor<3x2xi1>
    cell.choose %m : tensor<3x2xi1>
  }
  %rows = dhlo.constant dense<[3, 1, 2, 9, 9, 9]> : tensor<6xi64>
  %f = dhlo.constant dense<[3.0, 1.0, 2.0, 0x7F800000, 9.0, 9.0]> : tensor<6xf32>
  %none = dhlo.constant dense<-1> : tensor<3xi64>
  %o = cell.offsets %r : !cell.routes<3, 2, 6> -> tensor<3xi64>
  %y = cell.combine %f, %r max : (tensor<6xf32>, !cell.routes<3, 2, 6>) -> tensor<3xf32>
  %z = cell.combine %rows, %r, %none max : (tensor<6xi64>, !cell.routes<3, 2, 6>, tensor<3xi64>) -> tensor<3xi64>
  return %o, %y, %z : tensor<3xi64>, tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: @out_of_range{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 0, 1]
// CHECK-NEXT:    index out of range
func.func @out_of_range() -> tensor<3xi64> {
  %r = cell.route() : () -> !cell.routes<2, 2, 2> {
    %i = dhlo.constant dense<[[2], [1]]> : tensor<2x1xi64>
    cell.choose %i : tensor<2x1xi64>
  }
  %o = cell.offsets %r : !cell.routes<2, 2, 2> -> tensor<3xi64>
  return %o : tensor<3xi64>
}

// Path 1 routes again; path 0 of the inner switch is empty.
// CHECK-LABEL: @nested{{$}}
// CHECK-NEXT:    tensor<4xf32> [-1, 20, 30, -4]
func.func @nested() -> tensor<4xf32> {
  %r = cell.route() : () -> !cell.routes<4, 2, 4> {
    %i = dhlo.constant dense<[[0], [1], [1], [0]]> : tensor<4x1xi64>
    cell.choose %i : tensor<4x1xi64>
  }
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %rows = cell.dispatch %x, %r : (tensor<4xf32>, !cell.routes<4, 2, 4>) -> tensor<4xf32>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<4, 2, 4>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    %0 = dhlo.neg %a : tensor<?xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    %q = cell.route() : () -> !cell.routes<@K1, 2, @K1> {
      %one = dhlo.constant dense<1> : tensor<i64>
      %i = dhlo.broadcast %one axes = [] : (tensor<i64>) -> tensor<?x1xi64, #dhlo.dims<K1>>
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %b = cell.dispatch %a, %q : (tensor<?xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?xf32, #dhlo.dims<K1>>
    %c = cell.switch %q counts [@L0, @L1] (%b) : (!cell.routes<@K1, 2, @K1>, tensor<?xf32, #dhlo.dims<K1>>) -> tensor<?xf32, #dhlo.dims<K1>> {
    ^bb0(%d: tensor<?xf32, #dhlo.dims<L0>>):
      dhlo.yield %d : tensor<?xf32, #dhlo.dims<L0>>
    }, {
    ^bb0(%d: tensor<?xf32, #dhlo.dims<L1>>):
      %ten = dhlo.constant dense<10.0> : tensor<f32>
      %t = dhlo.broadcast %ten axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<L1>>
      %e = dhlo.mul %d, %t : tensor<?xf32, #dhlo.dims<L1>>
      dhlo.yield %e : tensor<?xf32, #dhlo.dims<L1>>
    }
    %f = cell.combine %c, %q last : (tensor<?xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?xf32, #dhlo.dims<K1>>
    dhlo.yield %f : tensor<?xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r last : (tensor<4xf32>, !cell.routes<4, 2, 4>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Of six rows two are not used. Cell 2 has no row on path 1, and cell 1 two on path 2.
// CHECK-LABEL: @select{{$}}
// CHECK-NEXT:    tensor<6xf32> [10, 0, 22, 24, 0, 0]
func.func @select() -> tensor<6xf32> {
  %r = cell.route() : () -> !cell.routes<3, 3, 6> {
    %i = dhlo.constant dense<[[2, 0], [-1, 2], [1, -1]]> : tensor<3x2xi64>
    cell.choose %i : tensor<3x2xi64>
  }
  %rest = cell.route() : () -> !cell.routes<3, 3, 3> {
    %i = dhlo.constant dense<[[0], [-1], [-1]]> : tensor<3x1xi64>
    cell.choose %i : tensor<3x1xi64>
  }
  %guess = cell.route() : () -> !cell.routes<3, 3, 6> {
    %i = dhlo.constant dense<[[2, 1], [2, 2], [0, 0]]> : tensor<3x2xi64>
    cell.choose %i : tensor<3x2xi64>
  }
  %x = dhlo.constant dense<[10.0, 11.0, 12.0]> : tensor<3xf32>
  %z = dhlo.constant dense<[19.0, 20.0, 21.0, 22.0, 23.0, 24.0]> : tensor<6xf32>
  %y = cell.select %r from(%rest, %guess) rows(%x, %z)
      : (!cell.routes<3, 3, 6>, !cell.routes<3, 3, 3>, !cell.routes<3, 3, 6>, tensor<3xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// Routes of one path for all, which need no sort.
// CHECK-LABEL: @select_one{{$}}
// CHECK-NEXT:    tensor<3xf32> [-1, 11, 12]
func.func @select_one() -> tensor<3xf32> {
  %r = cell.route() : () -> !cell.routes<3, 2, 3> {
    %i = dhlo.constant dense<[[0], [1], [1]]> : tensor<3x1xi64>
    cell.choose %i : tensor<3x1xi64>
  }
  %rest = cell.route() : () -> !cell.routes<3, 2, 3> {
    %i = dhlo.constant dense<[[0], [-1], [-1]]> : tensor<3x1xi64>
    cell.choose %i : tensor<3x1xi64>
  }
  %guess = cell.route() : () -> !cell.routes<3, 2, 3> {
    %one = dhlo.constant dense<1> : tensor<i64>
    %i = dhlo.broadcast %one axes = [] : (tensor<i64>) -> tensor<3x1xi64>
    cell.choose %i : tensor<3x1xi64>
  }
  %x = dhlo.constant dense<[-1.0, -2.0, -3.0]> : tensor<3xf32>
  %z = dhlo.constant dense<[10.0, 11.0, 12.0]> : tensor<3xf32>
  %y = cell.select %r from(%rest, %guess) rows(%x, %z)
      : (!cell.routes<3, 2, 3>, !cell.routes<3, 2, 3>, !cell.routes<3, 2, 3>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
