// RUN: dyn-opt %s -convert-cell-to-dhlo -canonicalize -cse | FileCheck %s
// Each operation on cells and routes, with both sides of each condition.

// Counts of rows are at most what the counts before them leave, unless a bound is declared.
// CHECK: dhlo.dim @K0  at_most 5
// CHECK: dhlo.dim @K1  at_most -1 * @K0 + @N

dhlo.dim @B
dhlo.dim @S
dhlo.dim @BS = @B * @S
dhlo.dim @H multiple_of 4
dhlo.dim @W multiple_of 2
dhlo.dim @P = @B * (@H floordiv 4) * (@W floordiv 2)
dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N
dhlo.dim @K0 at_most 5
dhlo.dim @K1

// Blocks of one element are already in the order of cells; others are moved behind the cells.
// CHECK-LABEL: func.func @split(
// CHECK-NEXT:    dhlo.reshape %arg0 : (tensor<?x?x3xf32, #dhlo.dims<B, S>>) -> tensor<?x3xf32, #dhlo.dims<BS>>
// CHECK-NEXT:    %[[SPLIT:.*]] = dhlo.reshape %arg1 : {{.*}} -> tensor<?x3x?x4x?x2xf32, #dhlo.dims<B, [[H:.*]], [[W:.*]]>>
// CHECK-NEXT:    %[[MOVED:.*]] = dhlo.transpose %[[SPLIT]] permutation = [0, 2, 4, 1, 3, 5]
// CHECK-NEXT:    dhlo.reshape %[[MOVED]] : (tensor<?x?x?x3x4x2xf32, #dhlo.dims<B, [[H]], [[W]]>>) -> tensor<?x3x4x2xf32, #dhlo.dims<P>>
// CHECK-NEXT:    return
func.func @split(%x: tensor<?x?x3xf32, #dhlo.dims<B, S>>, %i: tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) -> (tensor<?x3xf32, #dhlo.dims<BS>>, tensor<?x3x4x2xf32, #dhlo.dims<P>>) {
  %0 = cell.split %x axes = [0, 1] block = [1, 1] : (tensor<?x?x3xf32, #dhlo.dims<B, S>>) -> tensor<?x3xf32, #dhlo.dims<BS>>
  %1 = cell.split %i axes = [0, 2, 3] block = [1, 4, 2] : (tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x3x4x2xf32, #dhlo.dims<P>>
  return %0, %1 : tensor<?x3xf32, #dhlo.dims<BS>>, tensor<?x3x4x2xf32, #dhlo.dims<P>>
}

// CHECK-LABEL: func.func @join(
// CHECK-NEXT:    dhlo.reshape %arg0 : (tensor<?x3xf32, #dhlo.dims<BS>>) -> tensor<?x?x3xf32, #dhlo.dims<B, S>>
// CHECK-NEXT:    %[[CELLS:.*]] = dhlo.reshape %arg1 : {{.*}} -> tensor<?x?x?x3x4x2xf32, #dhlo.dims<B, [[H]], [[W]]>>
// CHECK-NEXT:    %[[MOVED:.*]] = dhlo.transpose %[[CELLS]] permutation = [0, 3, 1, 4, 2, 5]
// CHECK-NEXT:    dhlo.reshape %[[MOVED]] : {{.*}} -> tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>
// CHECK-NEXT:    return
func.func @join(%x: tensor<?x3xf32, #dhlo.dims<BS>>, %i: tensor<?x3x4x2xf32, #dhlo.dims<P>>) -> (tensor<?x?x3xf32, #dhlo.dims<B, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) {
  %0 = cell.join %x axes = [0, 1] block = [1, 1] : (tensor<?x3xf32, #dhlo.dims<BS>>) -> tensor<?x?x3xf32, #dhlo.dims<B, S>>
  %1 = cell.join %i axes = [0, 2, 3] block = [1, 4, 2] : (tensor<?x3x4x2xf32, #dhlo.dims<P>>) -> tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>
  return %0, %1 : tensor<?x?x3xf32, #dhlo.dims<B, S>>, tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>
}

// Any integers may drop a choice. Those of 32 bits are converted first.
// CHECK-LABEL: func.func @paths_of_ids(
// CHECK:         %[[IDS:.*]] = dhlo.convert %arg0 : {{.*}} -> tensor<?x2xi64, #dhlo.dims<N>>
// CHECK:         %[[OFFSETS:.*]], %[[ORDER:.*]], %{{.*}} = dhlo.group %[[IDS]] : {{.*}} -> (tensor<4xi64>, tensor<?xi64, #dhlo.dims<R>>, tensor<?x2xi64, #dhlo.dims<N>>)
// CHECK:         %[[FLAT:.*]] = dhlo.reshape %[[IDS]] : {{.*}} -> tensor<?xi64, #dhlo.dims<R>>
// CHECK:         %[[ZERO:.*]] = dhlo.broadcast
// CHECK:         %[[NUMBERS:.*]] = dhlo.maximum %[[ORDER]], %[[ZERO]]
// CHECK:         %[[PATHS:.*]] = dhlo.gather %[[FLAT]], %[[NUMBERS]] axis = 0
// CHECK:         %[[VALID:.*]] = dhlo.compare ge %[[ORDER]], %[[ZERO]]
// CHECK:         %[[RESULT:.*]] = dhlo.select %[[VALID]], %[[PATHS]], %[[ZERO]]
// CHECK:         return %[[OFFSETS]], %[[RESULT]]
func.func @paths_of_ids(%n: tensor<?x2xi32, #dhlo.dims<N>>) -> (tensor<4xi64>, tensor<?xi64, #dhlo.dims<R>>) {
  %r = cell.route(%n) : (tensor<?x2xi32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @R> {
  ^bb0(%a: tensor<?x2xi32, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x2xi32, #dhlo.dims<N>>
  }
  %o = cell.offsets %r : !cell.routes<@N, 3, @R> -> tensor<4xi64>
  %p = cell.paths %r : !cell.routes<@N, 3, @R> -> tensor<?xi64, #dhlo.dims<R>>
  return %o, %p : tensor<4xi64>, tensor<?xi64, #dhlo.dims<R>>
}

// Indices among as many scores as there are paths drop none, also by way of a reshape.
// CHECK-LABEL: func.func @paths_of_scores(
// CHECK:         %[[IDS:.*]] = dhlo.arg_reduce max
// CHECK:         %[[ORDER:[^,]*]], %{{[^,]*}} = dhlo.group
// CHECK-NOT:     dhlo.select
// CHECK:         %[[PATHS:.*]] = dhlo.gather %[[IDS]], %[[ORDER]] axis = 0
// CHECK-NEXT:    return %[[PATHS]]
func.func @paths_of_scores(%s: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>> {
  %r = cell.route(%s) : (tensor<?x3xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x3xf32, #dhlo.dims<N>>):
    %i = dhlo.arg_reduce max %a axis = 1 : (tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %c = dhlo.reshape %i : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %p = cell.paths %r : !cell.routes<@N, 3, @N> -> tensor<?xi64, #dhlo.dims<N>>
  return %p : tensor<?xi64, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @more_scores_than_paths(
// CHECK:         dhlo.top_k
// CHECK:         %[[ORDER:[^,]*]], %{{[^,]*}} = dhlo.group
// CHECK:         %[[VALID:.*]] = dhlo.compare ge %[[ORDER]]
// CHECK:         dhlo.select %[[VALID]]
func.func @more_scores_than_paths(%s: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>> {
  %r = cell.route(%s) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %p = cell.paths %r : !cell.routes<@N, 3, @N> -> tensor<?xi64, #dhlo.dims<N>>
  return %p : tensor<?xi64, #dhlo.dims<N>>
}

// Choices are sorted by the priorities of their cells, and numbers of choices and seats are
// brought back to the order of the cells: cell * 2 + slot, and -1 where there is no row.
// CHECK-LABEL: func.func @priorities(
// CHECK:         %{{.*}}, %[[CELLS:.*]] = dhlo.sort %arg1 axis = 0 descending
// CHECK:         %[[IDS:.*]] = dhlo.gather %arg0, %[[CELLS]] axis = 0
// CHECK:         %{{.*}}, %[[ORDER:.*]], %[[SEATS:.*]] = dhlo.group %[[IDS]] capacity = <@N>
// CHECK:         %[[NUMBER:.*]] = dhlo.maximum %[[ORDER]]
// CHECK:         %[[LINE:.*]] = dhlo.div %[[NUMBER]], %[[TWO:.*]] :
// CHECK:         %[[CELL:.*]] = dhlo.gather %[[CELLS]], %[[LINE]] axis = 0
// CHECK:         %[[SLOT:.*]] = dhlo.rem %[[NUMBER]], %[[TWO]]
// CHECK:         %[[FIRST:.*]] = dhlo.mul %[[CELL]], %[[TWO]]
// CHECK:         %[[CHOICE:.*]] = dhlo.add %[[FIRST]], %[[SLOT]]
// CHECK:         %[[NONE:.*]] = dhlo.broadcast
// CHECK:         %[[VALID:.*]] = dhlo.compare ge %[[ORDER]]
// CHECK:         %[[CHOICES:.*]] = dhlo.select %[[VALID]], %[[CHOICE]], %[[NONE]]
// CHECK:         %{{.*}}, %[[INVERSE:.*]] = dhlo.sort %[[CELLS]] axis = 0 :
// CHECK:         %[[OWN:.*]] = dhlo.gather %[[SEATS]], %[[INVERSE]] axis = 0
// CHECK:         dhlo.gather %[[IDS]], %[[INVERSE]] axis = 0
// CHECK:         dhlo.maximum %[[CHOICES]]
// CHECK:         %[[ROWS:.*]] = dhlo.gather %arg2
// CHECK:         dhlo.maximum %[[OWN]]
// The maximum ignores seats that are missing; a cell without any is zero.
// CHECK:         %[[FOUND:.*]] = dhlo.gather %[[ROWS]]
// CHECK:         %[[LEAST:.*]] = dhlo.broadcast %[[INF:.*]] axes = []
// CHECK:         dhlo.select %{{.*}}, %[[FOUND]], %[[LEAST]]
// CHECK:         %[[MAX:.*]] = dhlo.reduce max %{{.*}} axes = [1]
// CHECK:         %[[ZERO:.*]] = dhlo.broadcast
// CHECK:         dhlo.slice %[[OWN]] starts = [0, 0]
// CHECK:         dhlo.select %{{.*}}, %[[MAX]], %[[ZERO]]
func.func @priorities(%n: tensor<?x2xi64, #dhlo.dims<N>>, %q: tensor<?xf32, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<R>>) {
  %r = cell.route(%n, %q) capacity = <@N> : (tensor<?x2xi64, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @R> {
  ^bb0(%a: tensor<?x2xi64, #dhlo.dims<N>>, %b: tensor<?xf32, #dhlo.dims<N>>):
    cell.choose %a priorities(%b : tensor<?xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @R>) -> tensor<?x4xf32, #dhlo.dims<R>>
  %y = cell.combine %rows, %r max : (tensor<?x4xf32, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %p = cell.paths %r : !cell.routes<@N, 3, @R> -> tensor<?xi64, #dhlo.dims<R>>
  return %y, %p : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<R>>
}

// Rows past the last are zeroed where a sum over rows reads them, and not where a combine
// by the same routes does. One path for each cell needs no division.
// CHECK-LABEL: func.func @rest(
// CHECK-NOT:     dhlo.div
// CHECK:         %[[ROWS:.*]] = dhlo.gather %arg1
// CHECK-NEXT:    %[[T:.*]] = dhlo.tanh %[[ROWS]]
// CHECK:         %[[LAST:.*]] = dhlo.gather %[[T]]
// CHECK:         dhlo.select %{{.*}}, %[[LAST]], %{{.*}}
// CHECK:         %[[E:.*]] = dhlo.exp %arg1
// CHECK:         %[[READ:.*]] = dhlo.gather %[[E]]
// CHECK:         %[[KEPT:.*]] = dhlo.select %{{.*}}, %[[READ]], %{{.*}}
// CHECK-NEXT:    dhlo.reduce sum %[[KEPT]] axes = [0]
func.func @rest(%n: tensor<?x1xi64, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4xf32>) {
  %r = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %rows : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %t, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = dhlo.exp %x : tensor<?x4xf32, #dhlo.dims<N>>
  %read = cell.dispatch %e, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %s = dhlo.reduce sum %read axes = [0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return %y, %s : tensor<?x4xf32, #dhlo.dims<N>>, tensor<4xf32>
}

// Sums of another type than the weights' are in f32, or in f64 for rows of f64. Without
// rows a sum is zero, or what is given for that case.
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[WEIGHTS:.*]] = dhlo.select {{.*}} tensor<?x2xf32, #dhlo.dims<N>>
// CHECK-NEXT:    %[[WIDE:.*]] = dhlo.convert %{{.*}} : (tensor<?x2x4xf16, #dhlo.dims<N>>) -> tensor<?x2x4xf32, #dhlo.dims<N>>
// CHECK-NEXT:    %[[DOT:.*]] = dhlo.dot_general %[[WEIGHTS]], %[[WIDE]] batch = 1 lhs_contract = [1] rhs_contract = [1] {{.*}} -> tensor<?x4xf32, #dhlo.dims<N>>
// CHECK-NEXT:    %[[HALF:.*]] = dhlo.convert %[[DOT]] : {{.*}} -> tensor<?x4xf16, #dhlo.dims<N>>
// CHECK:         %[[DOUBLE:.*]] = dhlo.convert %[[WEIGHTS]] : {{.*}} -> tensor<?x2xf64, #dhlo.dims<N>>
// CHECK-NEXT:    %[[SUM:.*]] = dhlo.dot_general %[[DOUBLE]], %{{.*}} -> tensor<?x4xf64, #dhlo.dims<N>>
// CHECK:         %[[ELSE:.*]] = dhlo.select %{{.*}}, %[[HALF]], %arg4
// CHECK:         return %[[HALF]], %[[SUM]], %[[ELSE]]
func.func @sums(%n: tensor<?x2xi64, #dhlo.dims<N>>, %w: tensor<?x2xf32, #dhlo.dims<N>>, %h: tensor<?x4xf16, #dhlo.dims<R>>, %d: tensor<?x4xf64, #dhlo.dims<R>>, %o: tensor<?x4xf16, #dhlo.dims<N>>) -> (tensor<?x4xf16, #dhlo.dims<N>>, tensor<?x4xf64, #dhlo.dims<N>>, tensor<?x4xf16, #dhlo.dims<N>>) {
  %r = cell.route(%n, %w) : (tensor<?x2xi64, #dhlo.dims<N>>, tensor<?x2xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @R> {
  ^bb0(%a: tensor<?x2xi64, #dhlo.dims<N>>, %b: tensor<?x2xf32, #dhlo.dims<N>>):
    cell.choose %a weights(%b : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %0 = cell.combine %h, %r sum : (tensor<?x4xf16, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?x4xf16, #dhlo.dims<N>>
  %1 = cell.combine %d, %r sum : (tensor<?x4xf64, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?x4xf64, #dhlo.dims<N>>
  %2 = cell.combine %h, %r, %o sum : (tensor<?x4xf16, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>, tensor<?x4xf16, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?x4xf16, #dhlo.dims<N>>, tensor<?x4xf64, #dhlo.dims<N>>, tensor<?x4xf16, #dhlo.dims<N>>
}

// Without weights rows are multiplied by 1 in their own type. No cell is without a row.
// CHECK-LABEL: func.func @unweighted(
// CHECK:         %[[ONE:.*]] = dhlo.constant dense<1.000000e+00> : tensor<bf16>
// CHECK:         %{{.*}}, %{{.*}}, %[[SEATS:.*]] = dhlo.group
// CHECK-NOT:     dhlo.select
// CHECK:         %[[ROWS:.*]] = dhlo.gather %arg1, %[[SEATS]]
// CHECK:         %[[ONES:.*]] = dhlo.broadcast %[[ONE]]
// CHECK:         dhlo.dot_general %[[ONES]], %[[ROWS]] {{.*}} -> tensor<?x4xbf16, #dhlo.dims<N>>
// CHECK:         %[[ALL:.*]] = dhlo.gather %arg2, %[[SEATS]]
// CHECK-NEXT:    dhlo.reduce max %[[ALL]] axes = [1]
// CHECK-NEXT:    %[[LAST:.*]] = dhlo.reduce max %[[SEATS]] axes = [1]
// CHECK-NEXT:    dhlo.gather %arg2, %[[LAST]]
// CHECK-NOT:     dhlo.select
func.func @unweighted(%s: tensor<?x3xf32, #dhlo.dims<N>>, %x: tensor<?x4xbf16, #dhlo.dims<R>>, %i: tensor<?xi64, #dhlo.dims<R>>, %o: tensor<?xi64, #dhlo.dims<N>>) -> (tensor<?x4xbf16, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>) {
  %r = cell.route(%s) : (tensor<?x3xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @R> {
  ^bb0(%a: tensor<?x3xf32, #dhlo.dims<N>>):
    %w, %c = dhlo.top_k %a axis = 1 largest : (tensor<?x3xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    cell.choose %c : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %0 = cell.combine %x, %r sum : (tensor<?x4xbf16, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?x4xbf16, #dhlo.dims<N>>
  %1 = cell.combine %i, %r, %o max : (tensor<?xi64, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
  %2 = cell.combine %i, %r last : (tensor<?xi64, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?xi64, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?x4xbf16, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>
}

// Each path takes its slice of all operands. The capacity that is left is zero in all results.
// CHECK-LABEL: func.func @switch(
// CHECK:         %[[OFFSETS:.*]], %{{.*}}, %{{.*}} = dhlo.group
// CHECK:         %[[PATHS:.*]] = dhlo.select
// CHECK:         dhlo.slice %[[OFFSETS]] starts = [0]
// CHECK:         dhlo.slice %[[OFFSETS]] starts = [1]
// CHECK:         %[[COUNT:.*]] = dhlo.sub
// CHECK-NEXT:    dhlo.bind @K0 = %[[COUNT]]
// CHECK:         dhlo.slice %[[OFFSETS]] starts = [2]
// CHECK:         %[[COUNT:.*]] = dhlo.sub
// CHECK-NEXT:    dhlo.bind @K1 = %[[COUNT]]
// CHECK:         %[[X0:.*]] = dhlo.slice %arg1 starts = [0, 0]
// CHECK-NEXT:    %[[P0:.*]] = dhlo.slice %[[PATHS]] starts = [0]
// CHECK-NEXT:    %[[X1:.*]] = dhlo.slice %arg1 starts = [@K0, 0]
// CHECK-NEXT:    %[[P1:.*]] = dhlo.slice %[[PATHS]] starts = [@K0]
// CHECK-NEXT:    %[[Y1:.*]] = dhlo.neg %[[X1]]
// CHECK-NEXT:    %[[FREE:.*]] = dhlo.broadcast
// CHECK-NEXT:    %[[X:.*]] = dhlo.concat %[[X0]], %[[Y1]], %[[FREE]] axis = 0
// CHECK-NEXT:    %[[FREE:.*]] = dhlo.broadcast
// CHECK-NEXT:    %[[P:.*]] = dhlo.concat %[[P0]], %[[P1]], %[[FREE]] axis = 0
// CHECK-NEXT:    return %[[X]], %[[P]]
func.func @switch(%n: tensor<?x1xi64, #dhlo.dims<N>>, %x: tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>) {
  %r = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %p = cell.paths %r : !cell.routes<@N, 2, @N> -> tensor<?xi64, #dhlo.dims<N>>
  %y:2 = cell.switch %r counts [@K0, @K1] (%x, %p) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>) {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>, %b: tensor<?xi64, #dhlo.dims<K0>>):
    dhlo.yield %a, %b : tensor<?x4xf32, #dhlo.dims<K0>>, tensor<?xi64, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>, %b: tensor<?xi64, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0, %b : tensor<?x4xf32, #dhlo.dims<K1>>, tensor<?xi64, #dhlo.dims<K1>>
  }
  return %y#0, %y#1 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>
}
