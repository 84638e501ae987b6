// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce' op expected strictly ascending axes in [0, 2), found [1, 0]}}
  %0 = dhlo.reduce sum %x axes = [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce' op expected size 4 at axis 0 of result, found 8}}
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_c3_numbers(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.reduce' op expected numbers for sum, found elements of type 'i1'}}
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<4xi1>) -> tensor<i1>
  return
}

// -----

func.func @reduce_c3_boolean(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce' op expected booleans for and, found elements of type 'f32'}}
  %0 = dhlo.reduce and %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c3_result(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.arg_reduce' op expected axis in [0, 2), found 2}}
  %0 = dhlo.arg_reduce max %x axis = 2 : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.arg_reduce' op expected result of rank 1, found rank 2}}
  %0 = dhlo.arg_reduce max %x axis = 1 : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return
}

// -----

func.func @reduce_window_c1_window(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected 2 window sizes, found 1}}
  %0 = dhlo.reduce_window max %x window = [2] strides = [1, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c1_strides(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected 2 strides, found 1}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [2] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c1_dilations(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected 2 dilations, found 1}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 2] dilations = [1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c1_low(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected 2 low widths, found 1}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 2] dilations = [1, 1] low = [0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c1_high(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected 2 high widths, found 1}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 2] dilations = [1, 1] low = [0, 0] high = [0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c1_least(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected strides of at least 1, found [1, 0]}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 0] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reduce_window_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected size 4 at axis 1 of result, found 5}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @reduce_window_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.reduce_window max %x window = [1, 2] strides = [1, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf64>
  return
}

// -----

func.func @reduce_window_c4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reduce_window' op expected kind sum, prod, max or min, found or}}
  %0 = dhlo.reduce_window or %x window = [1, 2] strides = [1, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @cumulative_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.cumulative' op expected axis in [0, 2), found 2}}
  %0 = dhlo.cumulative sum %x axis = 2 : tensor<4x8xf32>
  return
}

// -----

func.func @cumulative_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.cumulative' op expected kind sum, prod, max or min, found and}}
  %0 = dhlo.cumulative and %x axis = 1 : tensor<4x8xf32>
  return
}

// -----

func.func @segment_reduce_c1_rank(%x: tensor<f32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected operand of rank at least 1, found rank 0}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<f32>, tensor<3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @segment_reduce_c1_sizes(%x: tensor<4x8xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected size 8 at axis 1 of result, found 7}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<2x7xf32>
  return
}

// -----

func.func @segment_reduce_c2_rank(%x: tensor<4x8xf32>, %o: tensor<3x1xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected offsets of rank 1, found rank 2}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<2x8xf32>
  return
}

// -----

func.func @segment_reduce_c2_rows(%x: tensor<4x8xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected size 2 at axis 0 of result, found 3}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return
}

// -----

func.func @segment_reduce_c3(%x: tensor<4x8xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<2x8xf64>
  return
}

// -----

func.func @segment_reduce_c4(%x: tensor<4x8xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op expected kind sum, prod, max or min, found or}}
  %0 = dhlo.segment_reduce or %x, %o : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<2x8xf32>
  return
}
