// RUN: dyn-opt %s --dhlo-interpret -split-input-file -verify-diagnostics -o /dev/null
// What stops a run: sizes that make no sense, and programs that are none of its business.

dhlo.dim @H
dhlo.dim @G
func.func @attention_heads() {
  %H_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @H = %H_ : tensor<i64>
  %G_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @G = %G_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %q = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x?x2x4xf32, #dhlo.dims<H>>
  %k = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x?x2x4xf32, #dhlo.dims<G>>
  // expected-error @+1 {{'dhlo.attention' op expected a multiple of 2 heads of the query, found 3}}
  %y = dhlo.attention %q, %k, %k scale = 1.0 : (tensor<1x?x2x4xf32, #dhlo.dims<H>>, tensor<1x?x2x4xf32, #dhlo.dims<G>>, tensor<1x?x2x4xf32, #dhlo.dims<G>>) -> tensor<1x?x2x4xf32, #dhlo.dims<H>>
  return
}

// -----

dhlo.dim @S
func.func @attention_mask() {
  %S_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @S = %S_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %q = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x2x4xf32>
  %m = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x?x1xf32, #dhlo.dims<S>>
  // expected-error @+1 {{'dhlo.attention' op expected size 2 for axis 2 of the mask, or size 1, found 3}}
  %y = dhlo.attention %q, %q, %q mask %m scale = 1.0 : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x?x1xf32, #dhlo.dims<S>>) -> tensor<1x1x2x4xf32>
  return
}

// -----

dhlo.dim @T
func.func @attention_key() {
  %T_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @T = %T_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %q = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x2x4xf32>
  %v = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x?x4xf32, #dhlo.dims<T>>
  // expected-error @+1 {{'dhlo.attention' op expected size 2 for axis 2 of the value, found 3}}
  %y = dhlo.attention %q, %q, %v scale = 1.0 : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x?x4xf32, #dhlo.dims<T>>) -> tensor<1x1x2x4xf32>
  return
}

// -----

dhlo.dim @O
func.func @convolution_filters() {
  %O_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @O = %O_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %x = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x4x5xf32>
  %w = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<?x2x1xf32, #dhlo.dims<O>>
  // expected-error @+1 {{'dhlo.convolution' op expected a multiple of 2 filters, found 3}}
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 2 : (tensor<1x4x5xf32>, tensor<?x2x1xf32, #dhlo.dims<O>>) -> tensor<1x?x5xf32, #dhlo.dims<O>>
  return
}

// -----

dhlo.dim @C
func.func @convolution_channels() {
  %C_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @C = %C_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %x = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x?x5xf32, #dhlo.dims<C>>
  %w = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<2x4x1xf32>
  // expected-error @+1 {{'dhlo.convolution' op expected size 4 for the input's channels, found 3}}
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x?x5xf32, #dhlo.dims<C>>, tensor<2x4x1xf32>) -> tensor<1x2x5xf32>
  return
}

// -----

dhlo.dim @L
func.func @convolution_window() {
  %L_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @L = %L_ : tensor<i64>
  %s = dhlo.constant dense<1.0> : tensor<f32>
  %x = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x?xf32, #dhlo.dims<L>>
  %w = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<1x1x4xf32>
  // expected-error @+1 {{'dhlo.convolution' op expected a filter of at most 2 elements along spatial axis 0, found 4}}
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x1x?xf32, #dhlo.dims<L>>, tensor<1x1x4xf32>) -> tensor<1x1x0xf32>
  return
}

// -----

func.func @constant_elements() {
  // expected-error @+1 {{'dhlo.constant' op expected dense elements}}
  %x = dhlo.constant sparse<[0], 1.0> : tensor<4xf32>
  return
}

// -----

func.func @endless() {
  %go = dhlo.constant dense<true> : tensor<i1>
  // expected-error @+1 {{'dhlo.while' op does not end after 1000000 iterations}}
  dhlo.while %go carries() : () -> () {
  ^bb0():
    dhlo.yield %go : tensor<i1>
  }
  return
}

// -----

dhlo.dim @N
func.func @too_large() {
  %N_ = dhlo.constant dense<1099511627776> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  // expected-error @+1 {{'dhlo.iota' op makes a tensor of sizes 1099511627776x4 of 'f32': expected at most 34359738368 bytes}}
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N
func.func @not_bound() {
  // expected-error @+1 {{'dhlo.iota' op needs the size @N, which has no value}}
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

func.func @undeclared() {
  // expected-error @+1 {{'dhlo.iota' op needs the size @N, which has no value}}
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

func.func @unnamed() {
  %x = dhlo.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'dlhlo.find_nonzero' op is not supported by the interpreter}}
  %i, %n = dlhlo.find_nonzero %x : (tensor<4xf32>) -> (tensor<?x1xi64>, tensor<i64>)
  return
}

// -----

dhlo.dim @N
dhlo.dim @M = 8 floordiv @N
func.func @no_divisor() {
  %N_ = dhlo.constant dense<0> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  // expected-error @+1 {{'dhlo.iota' op needs the size @M, which has no value}}
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

dhlo.dim @N
dhlo.dim @M = @N - 3
func.func @negative() {
  %N_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  // expected-error @+1 {{'dhlo.iota' op expected the size @M of at least 0, found -1}}
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<M>>
  return
}

// -----

func.func @other_dialect() {
  // expected-error @+1 {{'arith.constant' op is not supported by the interpreter}}
  %0 = arith.constant 1 : i64
  return
}

// -----

// expected-error @+1 {{expected a function of one block}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @+1 {{expected tensors alone in the signature of 'signature'}}
func.func @signature() -> index {
  %0 = arith.constant 1 : index
  return %0 : index
}

// -----

dhlo.dim @N
func.func @gather_elements() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xi64, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.gather_elements' op expected at most 2 indices along axis 0, found 3}}
  %y = dhlo.gather_elements %x, %i axis = 1 : (tensor<2x4xf32>, tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N
func.func @scatter_elements() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xi64, #dhlo.dims<N>>
  %u = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.scatter_elements' op expected at most 2 indices along axis 0, found 3}}
  %y = dhlo.scatter_elements %x, %i, %u add axis = 1 : (tensor<2x4xf32>, tensor<?x1xi64, #dhlo.dims<N>>, tensor<?x1xf32, #dhlo.dims<N>>) -> tensor<2x4xf32>
  return
}

// -----

dhlo.dim @N
func.func @scatter_elements_updates() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2xi64>
  %u = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.scatter_elements' op expected size 2 for axis 0 of the updates, found 3}}
  %y = dhlo.scatter_elements %x, %i, %u add axis = 0 : (tensor<4xf32>, tensor<2xi64>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @scatter_nd_updates() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x1xi64>
  %u = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.scatter_nd' op expected size 2 for axis 0 of the updates, found 3}}
  %y = dhlo.scatter_nd %x, %i, %u add : (tensor<4xf32>, tensor<2x1xi64>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @pad_empty() {
  %N_ = dhlo.constant dense<0> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  %v = dhlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{'dhlo.pad' op expected elements to repeat along axis 0, found size 0}}
  %y = dhlo.pad %x, %v edge low = [1] high = [0] : (tensor<?xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

dhlo.dim @N
func.func @pad_size() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  %v = dhlo.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{'dhlo.pad' op expected size 4 for axis 0 of the result, found 3}}
  %y = dhlo.pad %x, %v constant low = [1] high = [0] : (tensor<?xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N
func.func @reshape() {
  %N_ = dhlo.constant dense<5> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.reshape' op expected 5 elements, found sizes 2x2}}
  %y = dhlo.reshape %x : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<2x2xf32>
  return
}

// -----

dhlo.dim @N
func.func @slice() {
  %N_ = dhlo.constant dense<5> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.slice' op reads elements 3 to 5 along axis 0, which has size 5}}
  %y = dhlo.slice %x starts = [@N - 2] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<3xf32>
  return
}

// -----

dhlo.dim @K in [0, 3]
func.func @nonzero() {
  %x = dhlo.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'dhlo.nonzero' op expected at most 3 elements that are not zero, found 4}}
  %i = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return
}

// -----

dhlo.dim @N
func.func @top_k() {
  %N_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.top_k' op expected at most 2 elements along axis 0, found 3}}
  %v, %i = dhlo.top_k %x axis = 0 largest : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<3xf32>, tensor<3xi64>)
  return
}

// -----

dhlo.dim @N
func.func @suppress_sizes() {
  %N_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.constant dense<1.0> : tensor<3x4xf32>
  %c = dhlo.constant dense<true> : tensor<i1>
  %d = dhlo.broadcast %c axes = [] : (tensor<i1>) -> tensor<?xi1, #dhlo.dims<N>>
  %t = dhlo.constant dense<0.5> : tensor<f32>
  // expected-error @+1 {{'dhlo.suppress' op expected boxes and candidates of the same sizes}}
  %0 = dhlo.suppress %x, %d, %t, %N_ : (tensor<3x4xf32>, tensor<?xi1, #dhlo.dims<N>>, tensor<f32>, tensor<i64>) -> tensor<?xi1, #dhlo.dims<N>>
  return
}

// -----

dhlo.dim @N
func.func @top_k_sizes() {
  %N_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<8xf32>
  // expected-error @+1 {{'dhlo.top_k' op expected values and indices of the same sizes}}
  %v, %i = dhlo.top_k %x axis = 0 largest : (tensor<8xf32>) -> (tensor<3xf32>, tensor<?xi64, #dhlo.dims<N>>)
  return
}

// -----

dhlo.dim @N
func.func @top_k_rows() {
  %N_ = dhlo.constant dense<2> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<3x8xf32>
  // expected-error @+1 {{'dhlo.top_k' op expected size 3 for axis 0 of the result, found 2}}
  %v, %i = dhlo.top_k %x axis = 1 largest : (tensor<3x8xf32>) -> (tensor<?x3xf32, #dhlo.dims<N>>, tensor<?x3xi64, #dhlo.dims<N>>)
  return
}

// -----

dhlo.dim @N
func.func @reduce_window() {
  %N_ = dhlo.constant dense<1> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.reduce_window' op expected a window of at most 1 elements along axis 0, found 3}}
  %y = dhlo.reduce_window sum %x window = [3] strides = [1] dilations = [1] low = [0] high = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<0xf32>
  return
}

// -----

dhlo.dim @N
func.func @resize() {
  %N_ = dhlo.constant dense<0> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.resize' op expected elements to interpolate along axis 0, found size 0}}
  %y = dhlo.resize linear half_pixel floor %x scales = [0.0] coefficient = 0.0 : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @broadcast() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.broadcast' op expected size 4 for axis 0 of the operand, or size 1, found 3}}
  %y = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @concat() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<N>>
  %z = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  // expected-error @+1 {{'dhlo.concat' op expected size 2 for axis 0 of operand 0, found 3}}
  %y = dhlo.concat %x, %z axis = 1 : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return
}

// -----

dhlo.dim @N
func.func @concat_axis() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.concat' op expected size 6 for axis 0 of the result, found 5}}
  %y = dhlo.concat %x, %x axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<5xf32>
  return
}

// -----

dhlo.dim @N
func.func @transpose() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.transpose' op expected size 2 for axis 1 of the result, found 3}}
  %y = dhlo.transpose %x permutation = [1, 0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4x2xf32>
  return
}

// -----

dhlo.dim @N
func.func @reduce() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.reduce' op expected size 4 for axis 0 of the result, found 3}}
  %y = dhlo.reduce sum %x axes = [1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @dot_general() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x?xf32, #dhlo.dims<N>>
  %w = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4x5xf32>
  // expected-error @+1 {{'dhlo.dot_general' op expected size 3 for contracted axis 0 of rhs, found 4}}
  %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x?xf32, #dhlo.dims<N>>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

dhlo.dim @N
func.func @segment_reduce() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xf32>
  %o = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.segment_reduce' op expected size 5 for the offsets, found 3}}
  %y = dhlo.segment_reduce sum %x, %o : (tensor<4xf32>, tensor<?xi64, #dhlo.dims<N>>) -> tensor<4xf32>
  return
}

// -----

dhlo.dim @N
func.func @layer_norm() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %g = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.layer_norm' op expected sizes 4 for the scale, found 3}}
  %y = dhlo.layer_norm %x, %g axis = 1 eps = 0.0 : (tensor<2x4xf32>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<2x4xf32>
  return
}

// -----

dhlo.dim @N
func.func @rms_norm() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %g = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.rms_norm' op expected sizes 4 for the scale, found 3}}
  %y = dhlo.rms_norm %x, %g axis = 1 eps = 0.0 : (tensor<2x4xf32>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<2x4xf32>
  return
}

// -----

dhlo.dim @N
func.func @gather_batch() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xi64, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.gather' op expected size 2 for axis 0 of the indices, found 3}}
  %y = dhlo.gather %x, %i axis = 1 batch = 1 : (tensor<2x4xf32>, tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<2x1xf32>
  return
}

// -----

dhlo.dim @N
func.func @gather_nd_batch() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %x = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x1xi64, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.gather_nd' op expected size 2 for axis 0 of the indices, found 3}}
  %y = dhlo.gather_nd %x, %i batch = 1 : (tensor<2x4xf32>, tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<2xf32>
  return
}

// -----

dhlo.dim @N
func.func @lstm_batch() {
  %N_ = dhlo.constant dense<3> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %g = dhlo.iota axis = 0 start = [0] step = [1] : tensor<2x1x1x8xf32>
  %r = dhlo.iota axis = 0 start = [0] step = [1] : tensor<1x2x8xf32>
  %h0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<1x?x2xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.lstm' op expected sizes 1x1x2 for the initial hidden state, found 1x3x2}}
  %y, %h, %c = dhlo.lstm forward %g, %r hidden %h0 : (tensor<2x1x1x8xf32>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<N>>) -> (tensor<2x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return
}

// -----

dhlo.dim @N

func.func @fft_half() {
  %n = dhlo.constant dense<4> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %z = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.fft' op expected size 5 for axis 0, found 4}}
  %y = dhlo.fft %z, %z half axis = 0 : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>) -> tensor<8xf32>
  return
}

// -----

dhlo.dim @N

func.func @fft_parts() {
  %n = dhlo.constant dense<4> : tensor<i64>
  dhlo.bind @N = %n : tensor<i64>
  %x = dhlo.constant dense<0.0> : tensor<3xf32>
  %z = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xf32, #dhlo.dims<N>>
  // expected-error @+1 {{'dhlo.fft' op expected both parts of the same sizes}}
  %0, %1 = dhlo.fft %x, %z axis = 0 : (tensor<3xf32>, tensor<?xf32, #dhlo.dims<N>>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @weight() {
  // expected-error @+1 {{'dhlo.weight' op weights in 'no such file': cannot open it: No such file or directory}}
  %w = dhlo.weight <"no such file", offset = 0, length = 4, key = "w"> : tensor<f32>
  return
}

// -----

dhlo.dim @N
func.func @select() {
  %N_ = dhlo.constant dense<1> : tensor<i64>
  dhlo.bind @N = %N_ : tensor<i64>
  %r = cell.route() : () -> !cell.routes<@N, 2, @N> {
    %one = dhlo.constant dense<1> : tensor<i64>
    %i = dhlo.broadcast %one axes = [] : (tensor<i64>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %s = cell.route() : () -> !cell.routes<2, 2, 2> {
    %i = dhlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
    cell.choose %i : tensor<2x1xi64>
  }
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // expected-error @+1 {{'cell.select' op expected routes of the first cells}}
  %y = cell.select %r from(%s) rows(%x) : (!cell.routes<@N, 2, @N>, !cell.routes<2, 2, 2>, tensor<2xf32>) -> tensor<?xf32, #dhlo.dims<N>>
  return
}
