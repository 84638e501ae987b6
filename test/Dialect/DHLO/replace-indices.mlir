// RUN: dyn-opt %s -dhlo-replace-indices | FileCheck %s

dhlo.dim @B
dhlo.dim @S
dhlo.dim @S2 = @S + 2
dhlo.dim @S4 = 2 * @S + 3
dhlo.dim @T in [1, ?]
dhlo.dim @T3 = 3 * @T + 2
dhlo.dim @S3 = 3 * @S + 2

// An expert's matrix, at an index from the end: a part of the weight.
// CHECK-LABEL: func.func @expert
// CHECK: %[[W:.*]] = dhlo.weight
// CHECK: %[[S:.*]] = dhlo.slice %[[W]] starts = [3, 0, 0] strides = [1, 1, 1] {{.*}} -> tensor<1x8x4xf32>
// CHECK: dhlo.reshape %[[S]] {{.*}} -> tensor<8x4xf32>
// CHECK-NOT: dhlo.gather
func.func @expert(%x: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 512, key = "w"> : tensor<4x8x4xf32>
  %i = dhlo.constant dense<-1> : tensor<i64>
  %0 = dhlo.gather %w, %i axis = 0 batch = 0 : (tensor<4x8x4xf32>, tensor<i64>) -> tensor<8x4xf32>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  return %1 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Every third column.
// CHECK-LABEL: func.func @columns
// CHECK: dhlo.slice %arg0 starts = [0, 1] strides = [1, 3] {{.*}} -> tensor<?x3xf32, #dhlo.dims<B>>
func.func @columns(%x: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x3xf32, #dhlo.dims<B>> {
  %i = dhlo.constant dense<[1, 4, 7]> : tensor<3xi64>
  %0 = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<3xi64>) -> tensor<?x3xf32, #dhlo.dims<B>>
  return %0 : tensor<?x3xf32, #dhlo.dims<B>>
}

// A size decides what is read; the index is in range, whatever it is.
// CHECK-LABEL: func.func @positions
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [2, 0] strides = [1, 1] {{.*}} -> tensor<?x4xf32, #dhlo.dims<S>>
// CHECK: return %[[S]]
func.func @positions(%x: tensor<?x4xf32, #dhlo.dims<S2>>) -> tensor<?x4xf32, #dhlo.dims<S>> {
  %i = dhlo.iota axis = 0 start = [2] step = [1] : tensor<?xi64, #dhlo.dims<S>>
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?x4xf32, #dhlo.dims<S2>>, tensor<?xi64, #dhlo.dims<S>>) -> tensor<?x4xf32, #dhlo.dims<S>>
  return %0 : tensor<?x4xf32, #dhlo.dims<S>>
}

// Positions that are the same for the whole batch: the slice is repeated.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [0, 0, 0] strides = [1, 2, 1] {{.*}} -> tensor<2x3x4xf32>
// CHECK: dhlo.broadcast %[[S]] axes = [0, 2, 3] {{.*}} -> tensor<2x?x3x4xf32, #dhlo.dims<B>>
func.func @repeated(%x: tensor<2x8x4xf32>) -> tensor<2x?x3x4xf32, #dhlo.dims<B>> {
  %i = dhlo.iota axis = 1 start = [0] step = [2] : tensor<?x3xi64, #dhlo.dims<B>>
  %0 = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<2x8x4xf32>, tensor<?x3xi64, #dhlo.dims<B>>) -> tensor<2x?x3x4xf32, #dhlo.dims<B>>
  return %0 : tensor<2x?x3x4xf32, #dhlo.dims<B>>
}

// Gathers that are no slices: indices that are unevenly apart or descend, one that
// is out of range, or may be, and none.
// CHECK-LABEL: func.func @gathers
// CHECK-COUNT-5: dhlo.gather
func.func @gathers(%x: tensor<8x4xf32>, %y: tensor<?x4xf32, #dhlo.dims<S>>) -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>) {
  %a = dhlo.constant dense<[0, 1, 3]> : tensor<3xi64>
  %0 = dhlo.gather %x, %a axis = 0 batch = 0 : (tensor<8x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %b = dhlo.constant dense<[2, 1]> : tensor<2xi64>
  %1 = dhlo.gather %x, %b axis = 0 batch = 0 : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  %c = dhlo.constant dense<8> : tensor<i64>
  %2 = dhlo.gather %x, %c axis = 0 batch = 0 : (tensor<8x4xf32>, tensor<i64>) -> tensor<4xf32>
  %d = dhlo.constant dense<0> : tensor<i64>
  %3 = dhlo.gather %y, %d axis = 0 batch = 0 : (tensor<?x4xf32, #dhlo.dims<S>>, tensor<i64>) -> tensor<4xf32>
  %e = dhlo.constant dense<[]> : tensor<0xi64>
  %4 = dhlo.gather %x, %e axis = 0 batch = 0 : (tensor<8x4xf32>, tensor<0xi64>) -> tensor<0x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0x4xf32>
}

// Every third row of as many as there are, or none.
// CHECK-LABEL: func.func @thirds
// CHECK: dhlo.slice %arg0 starts = [4] strides = [3] {{.*}} -> tensor<?xf32, #dhlo.dims<T>>
// CHECK: dhlo.gather %arg1
func.func @thirds(%x: tensor<?xf32, #dhlo.dims<T3>>, %y: tensor<?xf32, #dhlo.dims<S3>>) -> (tensor<?xf32, #dhlo.dims<T>>, tensor<?xf32, #dhlo.dims<S>>) {
  %i = dhlo.iota axis = 0 start = [4] step = [3] : tensor<?xi64, #dhlo.dims<T>>
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<T3>>, tensor<?xi64, #dhlo.dims<T>>) -> tensor<?xf32, #dhlo.dims<T>>
  %j = dhlo.iota axis = 0 start = [4] step = [3] : tensor<?xi64, #dhlo.dims<S>>
  %1 = dhlo.gather %y, %j axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<S3>>, tensor<?xi64, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<S>>
  return %0, %1 : tensor<?xf32, #dhlo.dims<T>>, tensor<?xf32, #dhlo.dims<S>>
}

// One of three columns is replaced: all rows, column 2.
// CHECK-LABEL: func.func @column
// CHECK: %[[I:.*]] = dhlo.iota axis = 1 start = [0] step = [1] : tensor<?x3xi64, #dhlo.dims<B>>
// CHECK: %[[C:.*]] = dhlo.compare ge %[[I]], %{{.*}}
// CHECK: %[[P:.*]] = dhlo.pad %arg1, %{{.*}} constant low = [0, 2] high = [0, 0] {{.*}} -> tensor<?x3xf32, #dhlo.dims<B>>
// CHECK: %[[Y:.*]] = dhlo.select %[[C]], %[[P]], %arg0
// CHECK: return %[[Y]]
func.func @column(%x: tensor<?x3xf32, #dhlo.dims<B>>, %u: tensor<?x1xf32, #dhlo.dims<B>>) -> tensor<?x3xf32, #dhlo.dims<B>> {
  %r = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1x1xi64, #dhlo.dims<B>>
  %c0 = dhlo.constant dense<-1> : tensor<1x1x1xi64>
  %c = dhlo.broadcast %c0 axes = [0, 1, 2] : (tensor<1x1x1xi64>) -> tensor<?x1x1xi64, #dhlo.dims<B>>
  %i = dhlo.concat %r, %c axis = 2 : (tensor<?x1x1xi64, #dhlo.dims<B>>, tensor<?x1x1xi64, #dhlo.dims<B>>) -> tensor<?x1x2xi64, #dhlo.dims<B>>
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x1x2xi64, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>) -> tensor<?x3xf32, #dhlo.dims<B>>
  return %0 : tensor<?x3xf32, #dhlo.dims<B>>
}

// Axes in another order, all rows of two, and columns in the middle.
// CHECK-LABEL: func.func @turned
// CHECK: %[[T:.*]] = dhlo.transpose %arg1 permutation = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
// CHECK-DAG: dhlo.compare ge
// CHECK-DAG: dhlo.compare lt
// CHECK-DAG: dhlo.and
// CHECK: dhlo.pad %[[T]], %{{.*}} constant low = [0, 1] high = [0, 3]
func.func @turned(%x: tensor<2x8xf32>, %u: tensor<4x2xf32>) -> tensor<2x8xf32> {
  %r = dhlo.iota axis = 1 start = [0] step = [1] : tensor<4x2x1xi64>
  %c = dhlo.iota axis = 0 start = [1] step = [1] : tensor<4x2x1xi64>
  %i = dhlo.concat %r, %c axis = 2 : (tensor<4x2x1xi64>, tensor<4x2x1xi64>) -> tensor<4x2x2xi64>
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<2x8xf32>, tensor<4x2x2xi64>, tensor<4x2xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Everything is replaced.
// CHECK-LABEL: func.func @all
// CHECK-NEXT: dhlo.constant
// CHECK-NEXT: return %arg1
func.func @all(%x: tensor<2x8xf32>, %u: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %i = dhlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<2x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Scatters that stay: one of nine rows, which is written in place; rows that are replaced twice;
// a row that may be missing; rows that are not together; a sum.
// CHECK-LABEL: func.func @scatters
// CHECK-COUNT-5: dhlo.scatter_nd
func.func @scatters(%x: tensor<9x4xf32>, %y: tensor<?x4xf32, #dhlo.dims<T>>, %u: tensor<1x4xf32>, %v: tensor<2x4xf32>, %w: tensor<5x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32, #dhlo.dims<T>>, tensor<9x4xf32>, tensor<9x4xf32>) {
  %a = dhlo.constant dense<3> : tensor<1x1xi64>
  %0 = dhlo.scatter_nd %x, %a, %u replace : (tensor<9x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<9x4xf32>
  %b = dhlo.constant dense<3> : tensor<2x1xi64>
  %1 = dhlo.scatter_nd %x, %b, %v replace : (tensor<9x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<9x4xf32>
  %c = dhlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %2 = dhlo.scatter_nd %y, %c, %v replace : (tensor<?x4xf32, #dhlo.dims<T>>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<?x4xf32, #dhlo.dims<T>>
  %d = dhlo.constant dense<[[0], [2], [4], [6], [8]]> : tensor<5x1xi64>
  %3 = dhlo.scatter_nd %x, %d, %w replace : (tensor<9x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  %e = dhlo.constant dense<[[0], [1], [2], [3], [4]]> : tensor<5x1xi64>
  %4 = dhlo.scatter_nd %x, %e, %w add : (tensor<9x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  return %0, %1, %2, %3, %4 : tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32, #dhlo.dims<T>>, tensor<9x4xf32>, tensor<9x4xf32>
}

// Indices that are the same for all columns are those of rows, for each image by itself.
// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = dhlo.reshape %arg1 : (tensor<?x3x1xi64, #dhlo.dims<B>>) -> tensor<?x3xi64, #dhlo.dims<B>>
// CHECK: dhlo.gather %arg0, %[[I]] axis = 1 batch = 1 : {{.*}} -> tensor<?x3x4xf32, #dhlo.dims<B>>
// CHECK: dhlo.gather %arg0, %arg2 axis = 1 batch = 0 : {{.*}} -> tensor<?x5x4xf32, #dhlo.dims<B>>
// CHECK: %[[J:.*]] = dhlo.reshape %arg2 : (tensor<5xi64>) -> tensor<5x1xi64>
// CHECK: dhlo.scatter_nd %arg3, %[[J]], %arg4 add
func.func @rows(%x: tensor<?x8x4xf32, #dhlo.dims<B>>, %i: tensor<?x3x1xi64, #dhlo.dims<B>>, %j: tensor<5xi64>, %y: tensor<9x4xf32>, %u: tensor<5x4xf32>)
    -> (tensor<?x3x4xf32, #dhlo.dims<B>>, tensor<?x5x4xf32, #dhlo.dims<B>>, tensor<9x4xf32>) {
  %0 = dhlo.broadcast %i axes = [0, 1, 2] : (tensor<?x3x1xi64, #dhlo.dims<B>>) -> tensor<?x3x4xi64, #dhlo.dims<B>>
  %1 = dhlo.gather_elements %x, %0 axis = 1 : (tensor<?x8x4xf32, #dhlo.dims<B>>, tensor<?x3x4xi64, #dhlo.dims<B>>) -> tensor<?x3x4xf32, #dhlo.dims<B>>
  %2 = dhlo.broadcast %j axes = [1] : (tensor<5xi64>) -> tensor<?x5x4xi64, #dhlo.dims<B>>
  %3 = dhlo.gather_elements %x, %2 axis = 1 : (tensor<?x8x4xf32, #dhlo.dims<B>>, tensor<?x5x4xi64, #dhlo.dims<B>>) -> tensor<?x5x4xf32, #dhlo.dims<B>>
  %4 = dhlo.broadcast %j axes = [0] : (tensor<5xi64>) -> tensor<5x4xi64>
  %5 = dhlo.scatter_elements %y, %4, %u add axis = 0 : (tensor<9x4xf32>, tensor<5x4xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  return %1, %3, %5 : tensor<?x3x4xf32, #dhlo.dims<B>>, tensor<?x5x4xf32, #dhlo.dims<B>>, tensor<9x4xf32>
}

// These stay of elements: an index for each, fewer columns, a vector, a scatter along the last axis.
// CHECK-LABEL: func.func @elements
// CHECK-COUNT-3: dhlo.gather_elements
// CHECK: dhlo.scatter_elements
func.func @elements(%x: tensor<8x4xf32>, %v: tensor<8xf32>, %i: tensor<3x4xi64>, %j: tensor<3xi64>, %u: tensor<8x3xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<8x4xf32>) {
  %0 = dhlo.gather_elements %x, %i axis = 0 : (tensor<8x4xf32>, tensor<3x4xi64>) -> tensor<3x4xf32>
  %1 = dhlo.broadcast %j axes = [0] : (tensor<3xi64>) -> tensor<3x2xi64>
  %2 = dhlo.gather_elements %x, %1 axis = 0 : (tensor<8x4xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  %3 = dhlo.gather_elements %v, %j axis = 0 : (tensor<8xf32>, tensor<3xi64>) -> tensor<3xf32>
  %4 = dhlo.broadcast %j axes = [1] : (tensor<3xi64>) -> tensor<8x3xi64>
  %5 = dhlo.scatter_elements %x, %4, %u replace axis = 1 : (tensor<8x4xf32>, tensor<8x3xi64>, tensor<8x3xf32>) -> tensor<8x4xf32>
  return %0, %2, %3, %5 : tensor<3x4xf32>, tensor<3x2xf32>, tensor<3xf32>, tensor<8x4xf32>
}

// Windows of a line, and lines that are shifted by their number: indices of a
// kernel, which computes them where it reads.
// CHECK-LABEL: func.func @windows
// CHECK-DAG: %[[T:.*]] = dhlo.iota axis = 0 start = [0] step = [1] : tensor<3x?xi64
// CHECK-DAG: %[[P:.*]] = dhlo.iota axis = 1 start = [0] step = [1] : tensor<3x?xi64
// CHECK: %[[W:.*]] = dhlo.add %[[T]], %[[P]]
// CHECK: dhlo.gather %arg0, %[[W]] axis = 1
// CHECK: dhlo.iota axis = 0 start = [@S + 1] step = [-1] : tensor<?x?xi64
// CHECK: dhlo.gather_elements
func.func @windows(%x: tensor<4x?xf32, #dhlo.dims<S2>>, %y: tensor<?x?xf32, #dhlo.dims<S2, S4>>) -> (tensor<4x3x?xf32, #dhlo.dims<S>>, tensor<?x?xf32, #dhlo.dims<S2, S2>>) {
  %t = dhlo.constant dense<[[0], [1], [2]]> : tensor<3x1xi64>
  %p = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
  %0 = dhlo.broadcast %t axes = [0, 1] : (tensor<3x1xi64>) -> tensor<3x?xi64, #dhlo.dims<S>>
  %1 = dhlo.broadcast %p axes = [1] : (tensor<?xi64, #dhlo.dims<S>>) -> tensor<3x?xi64, #dhlo.dims<S>>
  %2 = dhlo.add %0, %1 : tensor<3x?xi64, #dhlo.dims<S>>
  %3 = dhlo.gather %x, %2 axis = 1 batch = 0 : (tensor<4x?xf32, #dhlo.dims<S2>>, tensor<3x?xi64, #dhlo.dims<S>>) -> tensor<4x3x?xf32, #dhlo.dims<S>>
  %r = dhlo.iota axis = 0 start = [@S + 1] step = [-1] : tensor<?xi64, #dhlo.dims<S2>>
  %c = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S2>>
  %4 = dhlo.broadcast %r axes = [0] : (tensor<?xi64, #dhlo.dims<S2>>) -> tensor<?x?xi64, #dhlo.dims<S2, S2>>
  %5 = dhlo.broadcast %c axes = [1] : (tensor<?xi64, #dhlo.dims<S2>>) -> tensor<?x?xi64, #dhlo.dims<S2, S2>>
  %6 = dhlo.add %4, %5 : tensor<?x?xi64, #dhlo.dims<S2, S2>>
  %7 = dhlo.gather_elements %y, %6 axis = 1 : (tensor<?x?xf32, #dhlo.dims<S2, S4>>, tensor<?x?xi64, #dhlo.dims<S2, S2>>) -> tensor<?x?xf32, #dhlo.dims<S2, S2>>
  return %3, %7 : tensor<4x3x?xf32, #dhlo.dims<S>>, tensor<?x?xf32, #dhlo.dims<S2, S2>>
}

// Not so: windows that end outside of the line.
// CHECK-LABEL: func.func @outside
// CHECK: dhlo.constant
// CHECK-NOT: dhlo.iota axis = 1
// CHECK: dhlo.gather
func.func @outside(%x: tensor<4x?xf32, #dhlo.dims<S>>) -> tensor<4x3x?xf32, #dhlo.dims<S>> {
  %t = dhlo.constant dense<[[0], [1], [2]]> : tensor<3x1xi64>
  %p = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
  %0 = dhlo.broadcast %t axes = [0, 1] : (tensor<3x1xi64>) -> tensor<3x?xi64, #dhlo.dims<S>>
  %1 = dhlo.broadcast %p axes = [1] : (tensor<?xi64, #dhlo.dims<S>>) -> tensor<3x?xi64, #dhlo.dims<S>>
  %2 = dhlo.add %0, %1 : tensor<3x?xi64, #dhlo.dims<S>>
  %3 = dhlo.gather %x, %2 axis = 1 batch = 0 : (tensor<4x?xf32, #dhlo.dims<S>>, tensor<3x?xi64, #dhlo.dims<S>>) -> tensor<4x3x?xf32, #dhlo.dims<S>>
  return %3 : tensor<4x3x?xf32, #dhlo.dims<S>>
}
