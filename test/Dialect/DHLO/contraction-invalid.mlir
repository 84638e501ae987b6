// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @dot_general_c1_batch(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected a batch in [0, 2], found 3}}
  %0 = dhlo.dot_general %x, %y batch = 3 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c1_count(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected 1 contracting axes of rhs, found 0}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c1_lhs(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected distinct lhs_contract in [0, 2), found [2]}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c1_rhs(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected distinct rhs_contract in [1, 2), found [0]}}
  %0 = dhlo.dot_general %x, %y batch = 1 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c2_contract(%x: tensor<4x8xf32>, %y: tensor<7x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size 8 at axis 0 of rhs, found 7}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<7x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c2_batch(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size 4 at axis 0 of rhs, found 3}}
  %0 = dhlo.dot_general %x, %y batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dot_general_c3(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected size 2 at axis 1 of result, found 3}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dot_general_c4(%x: tensor<4x8xf32>, %y: tensor<8x2xf64>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected rhs with elements of type 'f32', found 'f64'}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c5(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf64>
  return
}

// -----

func.func @convolution_c1_least(%x: tensor<1x4xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected input of rank at least 3, found rank 2}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c1_filter(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected filter of rank 3, found rank 4}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c1_result(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected result of rank 3, found rank 2}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @convolution_c2_strides(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected 1 strides, found 2}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_low(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected 1 low widths, found 0}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_high(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected 1 high widths, found 0}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_input(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected 1 input dilations, found 2}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1, 1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_filter(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected 1 filter dilations, found 2}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1, 1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_least(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected strides of at least 1, found [0]}}
  %0 = dhlo.convolution %x, %w channels_first strides = [0] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c2_groups(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected groups of at least 1, found [0]}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 0 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_channels(%x: tensor<1x4x8xf32>, %w: tensor<6x5x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected size 5 at axis 1 of input, found 4}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x5x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c3_groups(%x: tensor<1x4x8xf32>, %w: tensor<6x1x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected a number of filters divisible by 4, found 6}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 4 : (tensor<1x4x8xf32>, tensor<6x1x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @convolution_c4(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected size 6 at axis 2 of result, found 7}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x7xf32>
  return
}

// -----

func.func @convolution_c4_last(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @+1 {{'dhlo.convolution' op expected size 6 at axis 1 of result, found 7}}
  %0 = dhlo.convolution %x, %w channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x7x6xf32>
  return
}

// -----

func.func @convolution_c5(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf16>) {
  // expected-error @+1 {{'dhlo.convolution' op expected filter with elements of type 'f32', found 'f16'}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x4x8xf32>, tensor<6x4x3xf16>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @grouped_dot_c1(%x: tensor<4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected lhs of rank at least 2, found rank 1}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<4xf32>, tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @grouped_dot_c1_rhs(%x: tensor<6x4xf32>, %w: tensor<4x3xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected rhs of rank 3, found rank 2}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<4x3xf32>, tensor<3xi64>) -> tensor<6x3xf32>
  return
}

// -----

func.func @grouped_dot_c1_offsets(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3x1xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected offsets of rank 1, found rank 2}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<3x1xi64>) -> tensor<6x3xf32>
  return
}

// -----

func.func @grouped_dot_c2(%x: tensor<6x4xf32>, %w: tensor<2x5x3xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected size 4 at axis 1 of rhs, found 5}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x5x3xf32>, tensor<3xi64>) -> tensor<6x3xf32>
  return
}

// -----

func.func @grouped_dot_c2_offsets(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<2xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected size 3 at axis 0 of offsets, found 2}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<2xi64>) -> tensor<6x3xf32>
  return
}

// -----

func.func @grouped_dot_c3(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected size 3 at axis 1 of result, found 4}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return
}

// -----

func.func @grouped_dot_c4(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf64>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected rhs with elements of type 'f32', found 'f64'}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf64>, tensor<3xi64>) -> tensor<6x3xf32>
  return
}

// -----

func.func @grouped_dot_c4_result(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_dot' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<6x3xf64>
  return
}

// -----

func.func @grouped_convolution_c1_filter(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected filter of rank 4, found rank 3}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<3x4x6xf32>, tensor<3xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c1_offsets(%x: tensor<2x8x4xf32>, %w: tensor<2x3x4x6xf32>, %o: tensor<3x1xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected offsets of rank 1, found rank 2}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x4x6xf32>, tensor<3x1xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c6(%x: tensor<2x8x4xf32>, %w: tensor<2x3x4x6xf32>, %o: tensor<4xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected size 3 at axis 0 of offsets, found 4}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x4x6xf32>, tensor<4xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c2(%x: tensor<2x8x4xf32>, %w: tensor<2x3x4x6xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected 1 strides, found 2}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1, 1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x4x6xf32>, tensor<3xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c3_channels(%x: tensor<2x8x4xf32>, %w: tensor<2x3x5x6xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected size 5 at axis 2 of input, found 4}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x5x6xf32>, tensor<3xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c3_groups(%x: tensor<2x8x4xf32>, %w: tensor<2x3x1x6xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected a number of filters divisible by 4, found 6}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 4 : (tensor<2x8x4xf32>, tensor<2x3x1x6xf32>, tensor<3xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @grouped_convolution_c4(%x: tensor<2x8x4xf32>, %w: tensor<2x3x4x6xf32>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected size 6 at axis 1 of result, found 7}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x4x6xf32>, tensor<3xi64>) -> tensor<2x7x6xf32>
  return
}

// -----

func.func @grouped_convolution_c5(%x: tensor<2x8x4xf32>, %w: tensor<2x3x4x6xf16>, %o: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.grouped_convolution' op expected filter with elements of type 'f32', found 'f16'}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<2x8x4xf32>, tensor<2x3x4x6xf16>, tensor<3xi64>) -> tensor<2x6x6xf32>
  return
}
