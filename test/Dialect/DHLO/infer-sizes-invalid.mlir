// RUN: dyn-opt %s --dhlo-verify-dims -split-input-file -verify-diagnostics
// Sizes of results that operands contradict, by what is known of symbols: N is at
// least 2, M is N + 1 and S is 2 N.

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @broadcast(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected size '@N' at axis 1 of result 0, found '@N + 1'}}
  %0 = dhlo.broadcast %x axes = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<4x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @transpose(%x: tensor<?x4xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.transpose' op expected size '@N' at axis 1 of result 0, found '@N + 1'}}
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @pad(%x: tensor<?xf32, #dhlo.dims<N>>, %v: tensor<f32>) {
  // expected-error @+1 {{'dhlo.pad' op expected size '@N + 2' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.pad %x, %v constant low = [1] high = [1] : (tensor<?xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @pad_cuts(%n: tensor<?xf32, #dhlo.dims<N>>, %x: tensor<?xf32, #dhlo.dims<M>>, %v: tensor<f32>) {
  // expected-error @+1 {{'dhlo.pad' op expected size '@N - 1' at axis 0 of result 0, found '@N'}}
  %0 = dhlo.pad %x, %v constant low = [0] high = [-2] : (tensor<?xf32, #dhlo.dims<M>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @concat(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.concat' op expected size '3 * @N' at axis 0 of result 0, found '2 * @N'}}
  %0 = dhlo.concat %x, %x, %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<S>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @concat_other_axis(%x: tensor<?x4xf32, #dhlo.dims<N>>, %y: tensor<?x4xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.concat' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<M>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @gather(%x: tensor<8x4xf32>, %i: tensor<?xi64, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.gather' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<8x4xf32>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @gather_batch(%x: tensor<?x8xf32, #dhlo.dims<N>>, %i: tensor<?x2xi64, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.gather' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.gather %x, %i axis = 1 batch = 1 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @gather_elements(%x: tensor<8xf32>, %i: tensor<?xi64, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.gather_elements' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.gather_elements %x, %i axis = 0 : (tensor<8xf32>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @gather_nd(%x: tensor<8x?xf32, #dhlo.dims<N>>, %i: tensor<5x1xi64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected size '@N' at axis 1 of result 0, found '@N + 1'}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<8x?xf32, #dhlo.dims<N>>, tensor<5x1xi64>) -> tensor<5x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @scatter_nd(%x: tensor<8x?xf32, #dhlo.dims<N>>, %i: tensor<5x1xi64>, %u: tensor<5x?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.scatter_nd' op expected size '@N' at axis 1 of result 0, found '@N + 1'}}
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<8x?xf32, #dhlo.dims<N>>, tensor<5x1xi64>, tensor<5x?xf32, #dhlo.dims<N>>) -> tensor<8x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @scatter_elements(%x: tensor<?xf32, #dhlo.dims<N>>, %i: tensor<5xi64>, %u: tensor<5xf32>) {
  // expected-error @+1 {{'dhlo.scatter_elements' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<5xi64>, tensor<5xf32>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @sort(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.sort' op expected size '@N' at axis 0 of result 1, found '@N + 1'}}
  %0, %1 = dhlo.sort %x axis = 0 : tensor<?xf32, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @top_k(%x: tensor<?x8xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.top_k' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0, %1 = dhlo.top_k %x axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<M>>, tensor<?x2xi64, #dhlo.dims<N>>)
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @top_k_indices(%x: tensor<?x8xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.top_k' op expected size '@N' at axis 0 of result 1, found '@N + 1'}}
  %0, %1 = dhlo.top_k %x axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<M>>)
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @reduce(%x: tensor<?x4xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.reduce' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @arg_reduce(%x: tensor<4x?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.arg_reduce' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.arg_reduce max %x axis = 0 : (tensor<4x?xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @reduce_window(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.reduce_window sum %x window = [3] strides = [1] dilations = [1] low = [1] high = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @reduce_window_stride(%n: tensor<?xf32, #dhlo.dims<N>>, %x: tensor<?xf32, #dhlo.dims<S>>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.reduce_window sum %x window = [2] strides = [2] dilations = [1] low = [0] high = [0] : (tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @segment_reduce(%x: tensor<8x?xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected size '@N' at axis 1 of result 0, found '@N + 1'}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<8x?xf32, #dhlo.dims<N>>, tensor<3xi64>) -> tensor<2x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @dot_general(%x: tensor<?x4xf32, #dhlo.dims<N>>, %w: tensor<4x5xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x5xf32>) -> tensor<?x5xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @dot_general_batch(%x: tensor<?x2x4xf32, #dhlo.dims<N>>, %w: tensor<?x4x5xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x2x4xf32, #dhlo.dims<N>>, tensor<?x4x5xf32, #dhlo.dims<N>>) -> tensor<?x2x5xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @convolution(%x: tensor<1x3x?xf32, #dhlo.dims<N>>, %w: tensor<8x3x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected size '@N' at axis 2 of result 0, found '@N + 1'}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [1] high = [1] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x3x?xf32, #dhlo.dims<N>>, tensor<8x3x3xf32>) -> tensor<1x8x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @grouped_convolution(%x: tensor<2x3x?xf32, #dhlo.dims<N>>, %w: tensor<4x8x3x3xf32>, %o: tensor<5xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected size '@N' at axis 2 of result 0, found '@N + 1'}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1] low = [1] high = [1] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x3x?xf32, #dhlo.dims<N>>, tensor<4x8x3x3xf32>, tensor<5xi64>) -> tensor<2x8x?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @convolution_dilated(%x: tensor<1x?x3xf32, #dhlo.dims<N>>, %w: tensor<2x3x8xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected size '2 * @N - 2' at axis 1 of result 0, found '2 * @N'}}
  %0 = dhlo.convolution %x, %w channels_last strides = [1] low = [0] high = [0] input_dilation = [2] filter_dilation = [1] groups = 1 : (tensor<1x?x3xf32, #dhlo.dims<N>>, tensor<2x3x8xf32>) -> tensor<1x?x8xf32, #dhlo.dims<S>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @attention(%q: tensor<?x2x3x4xf32, #dhlo.dims<N>>, %k: tensor<?x2x5x4xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.attention' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.attention %q, %k, %k scale = 1.0 : (tensor<?x2x3x4xf32, #dhlo.dims<N>>, tensor<?x2x5x4xf32, #dhlo.dims<N>>, tensor<?x2x5x4xf32, #dhlo.dims<N>>) -> tensor<?x2x3x4xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @lstm(%x: tensor<?x1x1x8xf32, #dhlo.dims<N>>, %r: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0, %1, %2 = dhlo.lstm forward %x, %r : (tensor<?x1x1x8xf32, #dhlo.dims<N>>, tensor<1x2x8xf32>) -> (tensor<?x1x1x2xf32, #dhlo.dims<M>>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @lstm_last(%x: tensor<4x?x1x8xf32, #dhlo.dims<N>>, %r: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op expected size '@N' at axis 1 of result 2, found '@N + 1'}}
  %0, %1, %2 = dhlo.lstm forward %x, %r : (tensor<4x?x1x8xf32, #dhlo.dims<N>>, tensor<1x2x8xf32>) -> (tensor<4x1x?x2xf32, #dhlo.dims<N>>, tensor<1x?x2xf32, #dhlo.dims<N>>, tensor<1x?x2xf32, #dhlo.dims<M>>)
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @reshape(%x: tensor<?x4xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.reshape' op expected as many elements as the operand has, '4 * @N', found '4 * @N + 4'}}
  %0 = dhlo.reshape %x : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @slice(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0 of size '@N', found index '@N'}}
  %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @slice_backwards(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0 of size '@N', found index '@N'}}
  %0 = dhlo.slice %x starts = [@N] strides = [-1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @select(%p: tensor<?xi1, #dhlo.dims<N>>, %x: tensor<?xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.select' op expected size '@N' at axis 0 of operand 1, found '@N + 1'}}
  %0 = dhlo.select %p, %x, %x : tensor<?xi1, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @compare(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.compare' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.compare eq %x, %x : tensor<?xf32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @convert(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.convert' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.convert %x : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N in [2, 64]
dhlo.dim @M = @N + 1
dhlo.dim @S = 2 * @N
func.func @is_nan(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.is_nan' op expected size '@N' at axis 0 of result 0, found '@N + 1'}}
  %0 = dhlo.is_nan %x : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi1, #dhlo.dims<M>>
  return
}
