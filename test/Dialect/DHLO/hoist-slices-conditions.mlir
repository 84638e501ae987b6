// RUN: dyn-opt %s -dhlo-hoist-slices -split-input-file | FileCheck %s

// Which producers a slice passes, and which it stays behind: each function has one idea.

// One slice is made of two equal ones, whichever comes first, and one of them has no reader then.
// CHECK-LABEL: func.func @shared
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [1, 0]
// CHECK-NOT: dhlo.slice
// CHECK: %[[E:.*]] = dhlo.exp %[[S]]
// CHECK: dhlo.add %[[E]], %[[S]]
// CHECK-NOT: dhlo.slice
// CHECK: return
func.func @shared(%x: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [1, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %2 = dhlo.slice %x starts = [1, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %3 = dhlo.add %1, %2 : tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// Slices that differ in a start, a stride or a size remain two.
// CHECK-LABEL: func.func @not_shared
// CHECK-COUNT-4: dhlo.slice %arg0
// CHECK-NOT: dhlo.slice
func.func @not_shared(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) {
  %0 = dhlo.slice %x starts = [1] strides = [1] : (tensor<8xf32>) -> tensor<3xf32>
  %1 = dhlo.slice %x starts = [2] strides = [1] : (tensor<8xf32>) -> tensor<3xf32>
  %2 = dhlo.slice %x starts = [1] strides = [2] : (tensor<8xf32>) -> tensor<3xf32>
  %3 = dhlo.exp %x : tensor<8xf32>
  %4 = dhlo.slice %3 starts = [1] strides = [1] : (tensor<8xf32>) -> tensor<2xf32>
  return %0, %1, %2, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>
}

// A slice of everything is the value itself.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: dhlo.slice
// CHECK: %[[E:.*]] = dhlo.exp %arg0
// CHECK-NEXT: return %[[E]]
func.func @whole(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// An empty slice passes, too: nothing is computed.
// CHECK-LABEL: func.func @empty
// CHECK: %[[S:.*]] = dhlo.slice %arg0 {{.*}} -> tensor<0x8xf32>
// CHECK: dhlo.exp %[[S]] : tensor<0x8xf32>
func.func @empty(%x: tensor<4x8xf32>) -> tensor<0x8xf32> {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<0x8xf32>
  return %1 : tensor<0x8xf32>
}

// What has no operands, has several results, or is in another block stays.
// CHECK-LABEL: func.func @other_producers
// CHECK: %[[I:.*]] = dhlo.iota
// CHECK: dhlo.slice %[[I]]
// CHECK: %[[V:.*]], %{{.*}} = dhlo.top_k %arg0
// CHECK: dhlo.slice %[[V]]
// CHECK: %[[E:.*]] = dhlo.exp %arg0
// CHECK: dhlo.if
// CHECK: dhlo.slice %[[E]]
func.func @other_producers(%x: tensor<4x8xf32>, %p: tensor<i1>) -> (tensor<2xi64>, tensor<2x3xf32>, tensor<2x8xf32>) {
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xi64>
  %1 = dhlo.slice %0 starts = [1] strides = [1] : (tensor<4xi64>) -> tensor<2xi64>
  %v, %i = dhlo.top_k %x axis = 1 largest : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %2 = dhlo.slice %v starts = [1, 0] strides = [1, 1] : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %3 = dhlo.exp %x : tensor<4x8xf32>
  %4 = dhlo.if %p -> (tensor<2x8xf32>) {
    %5 = dhlo.slice %3 starts = [1, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    dhlo.yield %5 : tensor<2x8xf32>
  } else {
    %5 = dhlo.slice %x starts = [1, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
    dhlo.yield %5 : tensor<2x8xf32>
  }
  return %1, %2, %4 : tensor<2xi64>, tensor<2x3xf32>, tensor<2x8xf32>
}

// A producer that is read twice, by one slice and by another reader or by two slices, is computed
// in full anyway.
// CHECK-LABEL: func.func @two_slices
// CHECK: %[[E:.*]] = dhlo.exp %arg0 : tensor<4x8xf32>
// CHECK: dhlo.slice %[[E]] starts = [0, 0]
// CHECK: dhlo.slice %[[E]] starts = [2, 0]
func.func @two_slices(%x: tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = dhlo.exp %x : tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %2 = dhlo.slice %0 starts = [2, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return %1, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}

// The cut axis of a contraction is that of the RHS: a value that is computed is cut, a weight not;
// a filter is a weight as well. Images are cut before a filter that is one.
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.*]] = dhlo.slice %arg1 starts = [0, 0] {{.*}} -> tensor<8x2xf32>
// CHECK: dhlo.dot_general %arg0, %[[W]] {{.*}} -> tensor<4x2xf32>
// CHECK: %[[C:.*]] = dhlo.convolution %arg2, {{.*}} -> tensor<1x4x5x5xf32>
// CHECK: dhlo.slice %[[C]]
// CHECK: %[[I:.*]] = dhlo.slice %arg3 {{.*}} -> tensor<1x3x5x5xf32>
// CHECK: dhlo.convolution %[[I]], {{.*}} -> tensor<1x4x5x5xf32>
func.func @weights(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<1x3x5x5xf32>, %z: tensor<6x3x5x5xf32>)
    -> (tensor<4x2xf32>, tensor<1x2x5x5xf32>, tensor<1x4x5x5xf32>) {
  %f = dhlo.weight <"w", offset = 0, length = 48, key = "f"> : tensor<4x3x1x1xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %2 = dhlo.convolution %y, %f channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x3x5x5xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x5x5xf32>
  %3 = dhlo.slice %2 starts = [0, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<1x4x5x5xf32>) -> tensor<1x2x5x5xf32>
  %4 = dhlo.convolution %z, %f channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<6x3x5x5xf32>, tensor<4x3x1x1xf32>) -> tensor<6x4x5x5xf32>
  %5 = dhlo.slice %4 starts = [2, 0, 0, 0] strides = [1, 1, 1, 1] : (tensor<6x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return %1, %3, %5 : tensor<4x2xf32>, tensor<1x2x5x5xf32>, tensor<1x4x5x5xf32>
}

// -----

// Of a weight, a part that the compiler cuts stays, and the calls' part is one of it; of a value
// that is computed, or of a size that the compiler knows, one slice is left.
dhlo.dim @P in [0, 8]
// CHECK-LABEL: func.func @part_of_weight
// CHECK: %[[W:.*]] = dhlo.weight
// CHECK: %[[C:.*]] = dhlo.slice %[[W]] starts = [0, 2] {{.*}} -> tensor<8x2xf32>
// CHECK: dhlo.slice %[[C]] starts = [0, 0] {{.*}} -> tensor<?x2xf32, #dhlo.dims<P>>
// CHECK: dhlo.slice %[[W]] starts = [1, 2] {{.*}} -> tensor<3x2xf32>
// CHECK: dhlo.slice %arg0 starts = [0, 2] {{.*}} -> tensor<?x2xf32, #dhlo.dims<P>>
// CHECK-NOT: dhlo.slice
func.func @part_of_weight(%x: tensor<8x4xf32>) -> (tensor<?x2xf32, #dhlo.dims<P>>, tensor<3x2xf32>, tensor<?x2xf32, #dhlo.dims<P>>) {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "f"> : tensor<8x4xf32>
  %0 = dhlo.slice %w starts = [0, 2] strides = [1, 1] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %1 = dhlo.slice %0 starts = [0, 0] strides = [1, 1] : (tensor<8x2xf32>) -> tensor<?x2xf32, #dhlo.dims<P>>
  %2 = dhlo.slice %w starts = [0, 2] strides = [1, 1] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %3 = dhlo.slice %2 starts = [1, 0] strides = [1, 1] : (tensor<8x2xf32>) -> tensor<3x2xf32>
  %4 = dhlo.slice %x starts = [0, 2] strides = [1, 1] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %5 = dhlo.slice %4 starts = [0, 0] strides = [1, 1] : (tensor<8x2xf32>) -> tensor<?x2xf32, #dhlo.dims<P>>
  return %1, %3, %5 : tensor<?x2xf32, #dhlo.dims<P>>, tensor<3x2xf32>, tensor<?x2xf32, #dhlo.dims<P>>
}

// -----

// The last queries of causal attention: as many as a number, or as there are; a part that ends
// before the last one, and every second one, see fewer keys than their positions say.
dhlo.dim @S
dhlo.dim @Five = min(5, @S)
dhlo.dim @T = @S + 5
// CHECK-LABEL: func.func @last_queries
// CHECK: dhlo.slice %arg0 starts = [0, 0, max(0, @S - 5), 0]
// CHECK: dhlo.attention {{.*}} causal {{.*}} -> tensor<1x1x?x8xf32, #dhlo.dims<Five>>
func.func @last_queries(%q: tensor<1x1x?x8xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<Five>> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal
      : (tensor<1x1x?x8xf32, #dhlo.dims<S>>, tensor<1x1x?x8xf32, #dhlo.dims<S>>, tensor<1x1x?x8xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
  %1 = dhlo.slice %0 starts = [0, 0, max(0, @S - 5), 0] strides = [1, 1, 1, 1] : (tensor<1x1x?x8xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<Five>>
  return %1 : tensor<1x1x?x8xf32, #dhlo.dims<Five>>
}

// CHECK-LABEL: func.func @end_of_a_sum
// CHECK: dhlo.slice %arg0 starts = [0, 0, 5, 0]
// CHECK: dhlo.attention {{.*}} causal {{.*}} -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
func.func @end_of_a_sum(%q: tensor<1x1x?x8xf32, #dhlo.dims<T>>, %s: tensor<?xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal
      : (tensor<1x1x?x8xf32, #dhlo.dims<T>>, tensor<1x1x?x8xf32, #dhlo.dims<T>>, tensor<1x1x?x8xf32, #dhlo.dims<T>>) -> tensor<1x1x?x8xf32, #dhlo.dims<T>>
  %1 = dhlo.slice %0 starts = [0, 0, 5, 0] strides = [1, 1, 1, 1] : (tensor<1x1x?x8xf32, #dhlo.dims<T>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
  return %1 : tensor<1x1x?x8xf32, #dhlo.dims<S>>
}

// CHECK-LABEL: func.func @one_before_the_end
// CHECK: %[[A:.*]] = dhlo.attention {{.*}} -> tensor<1x1x?x8xf32, #dhlo.dims<T>>
// CHECK: dhlo.slice %[[A]] starts = [0, 0, 4, 0]
func.func @one_before_the_end(%q: tensor<1x1x?x8xf32, #dhlo.dims<T>>, %s: tensor<?xf32, #dhlo.dims<S>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal
      : (tensor<1x1x?x8xf32, #dhlo.dims<T>>, tensor<1x1x?x8xf32, #dhlo.dims<T>>, tensor<1x1x?x8xf32, #dhlo.dims<T>>) -> tensor<1x1x?x8xf32, #dhlo.dims<T>>
  %1 = dhlo.slice %0 starts = [0, 0, 4, 0] strides = [1, 1, 1, 1] : (tensor<1x1x?x8xf32, #dhlo.dims<T>>) -> tensor<1x1x?x8xf32, #dhlo.dims<S>>
  return %1 : tensor<1x1x?x8xf32, #dhlo.dims<S>>
}

// CHECK-LABEL: func.func @every_second
// CHECK: %[[A:.*]] = dhlo.attention {{.*}} -> tensor<1x1x8x8xf32>
// CHECK: dhlo.slice %[[A]] starts = [0, 0, 1, 0] strides = [1, 1, 2, 1]
func.func @every_second(%q: tensor<1x1x8x8xf32>) -> tensor<1x1x4x8xf32> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal : (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0, 1, 0] strides = [1, 1, 2, 1] : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x8xf32>
  return %1 : tensor<1x1x4x8xf32>
}

// Some of the features of the values: queries and keys are read whole.
// CHECK-LABEL: func.func @features
// CHECK: %[[V:.*]] = dhlo.slice %arg1 starts = [0, 0, 0, 2] {{.*}} -> tensor<1x1x4x3xf32>
// CHECK: dhlo.attention %arg0, %arg0, %[[V]]
func.func @features(%q: tensor<1x1x4x8xf32>, %v: tensor<1x1x4x8xf32>) -> tensor<1x1x4x3xf32> {
  %0 = dhlo.attention %q, %q, %v scale = 1.0 causal : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %1 = dhlo.slice %0 starts = [0, 0, 0, 2] strides = [1, 1, 1, 1] : (tensor<1x1x4x8xf32>) -> tensor<1x1x4x3xf32>
  return %1 : tensor<1x1x4x3xf32>
}

// -----

// Reshapes of rows: an operand of rows without batches is given the axes of the result if it is of
// one of three kinds, each with a near miss.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @N = @B * @S
dhlo.dim @L = min(1, @S)
// The bias is one for each row, not one for each column.
// CHECK-LABEL: func.func @row_bias
// CHECK: %[[W:.*]] = dhlo.broadcast %arg0 axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
// CHECK: %[[R:.*]] = dhlo.reshape %[[W]]
// CHECK: dhlo.slice %[[R]]
func.func @row_bias(%b: tensor<?xf32, #dhlo.dims<N>>, %x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>> {
  %0 = dhlo.broadcast %b axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>>
  return %2 : tensor<?x?x4xf32, #dhlo.dims<B, L>>
}

// The sum runs over rows.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[D:.*]] = dhlo.dot_general %arg0, %arg1 batch = 0 lhs_contract = [0]
// CHECK: %[[R:.*]] = dhlo.reshape %[[D]]
// CHECK: dhlo.slice %[[R]]
func.func @transposed(%x: tensor<8x?xf32, #dhlo.dims<N>>, %w: tensor<8x4xf32>, %s: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>> {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<8x?xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x4xf32, #dhlo.dims<B, L>>
  return %2 : tensor<?x?x4xf32, #dhlo.dims<B, L>>
}

// Columns are split as well: no operand has them.
// CHECK-LABEL: func.func @split_columns
// CHECK: %[[E:.*]] = dhlo.exp %arg0
// CHECK: %[[R:.*]] = dhlo.reshape %[[E]]
// CHECK: dhlo.slice %[[R]]
func.func @split_columns(%x: tensor<?x8xf32, #dhlo.dims<N>>, %s: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, L>> {
  %0 = dhlo.exp %x : tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, max(0, @S - 1), 0, 0] strides = [1, 1, 1, 1] : (tensor<?x?x2x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, L>>
  return %2 : tensor<?x?x2x4xf32, #dhlo.dims<B, L>>
}

// An operation on rows that may fail does so for rows that no slice reads, too.
// CHECK-LABEL: func.func @may_fail
// CHECK: %[[C:.*]] = dhlo.convert %arg0
// CHECK: %[[R:.*]] = dhlo.reshape %[[C]]
// CHECK: dhlo.slice %[[R]]
func.func @may_fail(%x: tensor<?x8xf32, #dhlo.dims<N>>, %s: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xi32, #dhlo.dims<B, L>> {
  %0 = dhlo.convert %x : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x8xi32, #dhlo.dims<N>>) -> tensor<?x?x8xi32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x8xi32, #dhlo.dims<B, S>>) -> tensor<?x?x8xi32, #dhlo.dims<B, L>>
  return %2 : tensor<?x?x8xi32, #dhlo.dims<B, L>>
}

// Rows that somebody else reads without batches keep their reshape.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK: %[[E:.*]] = dhlo.exp %arg0
// CHECK: %[[R:.*]] = dhlo.reshape %[[E]]
// CHECK: dhlo.slice %[[R]]
func.func @read_elsewhere(%x: tensor<?x8xf32, #dhlo.dims<N>>, %s: tensor<?x?xf32, #dhlo.dims<B, S>>) -> (tensor<?x?x8xf32, #dhlo.dims<B, L>>, tensor<?x8xf32, #dhlo.dims<N>>) {
  %0 = dhlo.exp %x : tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, max(0, @S - 1), 0] strides = [1, 1, 1] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<B, L>>
  return %2, %0 : tensor<?x?x8xf32, #dhlo.dims<B, L>>, tensor<?x8xf32, #dhlo.dims<N>>
}

// A slice of the columns is one of the rows' columns: the reshape moves behind it.
// CHECK-LABEL: func.func @columns
// CHECK: %[[S:.*]] = dhlo.slice %arg0 starts = [0, 2] strides = [1, 3] : {{.*}} -> tensor<?x2xf32, #dhlo.dims<N>>
// CHECK: %[[E:.*]] = dhlo.exp %[[S]]
// CHECK: dhlo.reshape %[[E]] : {{.*}} -> tensor<?x?x2xf32, #dhlo.dims<B, S>>
func.func @columns(%x: tensor<?x8xf32, #dhlo.dims<N>>, %s: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2xf32, #dhlo.dims<B, S>> {
  %0 = dhlo.exp %x : tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.reshape %0 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %2 = dhlo.slice %1 starts = [0, 0, 2] strides = [1, 1, 3] : (tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x2xf32, #dhlo.dims<B, S>>
  return %2 : tensor<?x?x2xf32, #dhlo.dims<B, S>>
}
