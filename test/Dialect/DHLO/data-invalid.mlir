// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @iota_c1() {
  // expected-error @+1 {{'dhlo.iota' op expected axis in [0, 1), found 1}}
  %0 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<4xi64>
  return
}

// -----

func.func @iota_c2_start() {
  // expected-error @+1 {{'dhlo.iota' op expected 1 start, found 2}}
  %0 = dhlo.iota axis = 0 start = [0, 1] step = [1] : tensor<4xi64>
  return
}

// -----

func.func @iota_c2_step() {
  // expected-error @+1 {{'dhlo.iota' op expected 1 step, found 0}}
  %0 = dhlo.iota axis = 0 start = [0] step = [] : tensor<4xi64>
  return
}

// -----

func.func @broadcast_c1_count(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected 2 axes, found 1}}
  %0 = dhlo.broadcast %x axes = [0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_c1_order(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected strictly ascending axes in [0, 2), found [1, 0]}}
  %0 = dhlo.broadcast %x axes = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected size 8 at axis 1 of result, found 9}}
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<4x8xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.broadcast' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reshape' op expected a result of 32 elements, found 33}}
  %0 = dhlo.reshape %x : (tensor<4x8xf32>) -> tensor<33xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reshape' op expected result with elements of type 'f32', found 'i32'}}
  %0 = dhlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xi32>
  return
}

// -----

func.func @transpose_c1_count(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.transpose' op expected 2 axes in the permutation, found 1}}
  %0 = dhlo.transpose %x permutation = [0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c1_distinct(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.transpose' op expected distinct axes in [0, 2), found [0, 0]}}
  %0 = dhlo.transpose %x permutation = [0, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.transpose' op expected size 8 at axis 0 of result, found 4}}
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.transpose' op expected result with elements of type 'f32', found 'f16'}}
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf16>
  return
}

// -----

func.func @slice_c1_starts(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected 2 starts, found 1}}
  %0 = dhlo.slice %x starts = [0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c1_strides(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected 2 strides, found 1}}
  %0 = dhlo.slice %x starts = [0, 0] strides = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected strides other than 0, found 0}}
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 1 of size 8, found index 8}}
  %0 = dhlo.slice %x starts = [0, 2] strides = [1, 3] : (tensor<4x8xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c3_dynamic(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected to read inside axis 0, found index -1}}
  %0 = dhlo.slice %x starts = [1] strides = [-1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3_overflow(%x: tensor<?xf32, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.slice' op expected the last index along axis 0 to fit 64 bits}}
  %0 = dhlo.slice %x starts = [1] strides = [9223372036854775807] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c4_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf64>
  return
}

// -----

func.func @slice_c4_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.slice' op expected result of rank 2, found rank 1}}
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_c1_low(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'dhlo.pad' op expected 2 low widths, found 1}}
  %0 = dhlo.pad %x, %v constant low = [0] high = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_c1_high(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'dhlo.pad' op expected 2 high widths, found 1}}
  %0 = dhlo.pad %x, %v constant low = [0, 0] high = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'dhlo.pad' op expected size 6 at axis 0 of result, found 4}}
  %0 = dhlo.pad %x, %v constant low = [1, 0] high = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4x8xf32>, %v: tensor<f64>) {
  // expected-error @+1 {{'dhlo.pad' op expected value with elements of type 'f32', found 'f64'}}
  %0 = dhlo.pad %x, %v constant low = [0, 0] high = [0, 0] : (tensor<4x8xf32>, tensor<f64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error @+1 {{'dhlo.concat' op expected at least one operand, found none}}
  %0 = "dhlo.concat"() {axis = 0 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.concat' op expected axis in [0, 2), found 2}}
  %0 = dhlo.concat %x axis = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @concat_c2_rank(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.concat' op expected operand 1 of rank 2, found rank 1}}
  %0 = dhlo.concat %x, %y axis = 0 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @concat_c2_type(%x: tensor<4x8xf32>, %y: tensor<4x8xf64>) {
  // expected-error @+1 {{'dhlo.concat' op expected operand 1 with elements of type 'f32', found 'f64'}}
  %0 = dhlo.concat %x, %y axis = 0 : (tensor<4x8xf32>, tensor<4x8xf64>) -> tensor<8x8xf32>
  return
}

// -----

func.func @concat_c3_off_axis(%x: tensor<4x8xf32>, %y: tensor<4x9xf32>) {
  // expected-error @+1 {{'dhlo.concat' op expected size 8 at axis 1 of operand 1, found 9}}
  %0 = dhlo.concat %x, %y axis = 0 : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @concat_c3_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.concat' op expected size 8 at axis 0 of result, found 9}}
  %0 = dhlo.concat %x, %x axis = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @reverse_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.reverse' op expected distinct axes in [0, 2), found [1, 1]}}
  %0 = dhlo.reverse %x axes = [1, 1] : tensor<4x8xf32>
  return
}

// -----

func.func @gather_c1_axis(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.gather' op expected axis in [0, 2), found 2}}
  %0 = dhlo.gather %x, %i axis = 2 batch = 0 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c1_batch(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.gather' op expected a batch in [0, 1], found 2}}
  %0 = dhlo.gather %x, %i axis = 1 batch = 2 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c1_batch_sizes(%x: tensor<4x8xf32>, %i: tensor<3x2xi64>) {
  // expected-error @+1 {{'dhlo.gather' op expected size 4 at axis 0 of indices, found 3}}
  %0 = dhlo.gather %x, %i axis = 1 batch = 1 : (tensor<4x8xf32>, tensor<3x2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.gather' op expected size 3 at axis 1 of result, found 2}}
  %0 = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.gather' op expected result with elements of type 'f32', found 'f64'}}
  %0 = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<4x3xf64>
  return
}

// -----

func.func @gather_elements_c1(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.gather_elements' op expected indices of rank 2, found rank 1}}
  %0 = dhlo.gather_elements %x, %i axis = 1 : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_elements_c2(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>) {
  // expected-error @+1 {{'dhlo.gather_elements' op expected size 2 at axis 1 of result, found 3}}
  %0 = dhlo.gather_elements %x, %i axis = 1 : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_nd_c1_static(%x: tensor<4x8xf32>, %i: tensor<3x?xi64, #dhlo.dims<N>>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected index vectors of static length, found 'tensor<3x?xi64, #dhlo.dims<N>>'}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<4x8xf32>, tensor<3x?xi64, #dhlo.dims<N>>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_scalar(%x: tensor<4x8xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected indices of rank at least 1, found rank 0}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<4x8xf32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_length(%x: tensor<4x8xf32>, %i: tensor<3x3xi64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected index vectors of length at most 2, found 3}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<4x8xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_batch(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected a batch in [0, 1], found 2}}
  %0 = dhlo.gather_nd %x, %i batch = 2 : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op expected size 8 at axis 1 of result, found 7}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3x7xf32>
  return
}

// -----

func.func @scatter_nd_c1(%x: tensor<4x8xf32>, %i: tensor<3x3xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{'dhlo.scatter_nd' op expected index vectors of length at most 2, found 3}}
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<4x8xf32>, tensor<3x3xi64>, tensor<3xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_nd_c2(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x7xf32>) {
  // expected-error @+1 {{'dhlo.scatter_nd' op expected size 8 at axis 1 of updates, found 7}}
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_nd_c3(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf64>) {
  // expected-error @+1 {{'dhlo.scatter_nd' op expected updates with elements of type 'f32', found 'f64'}}
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c1(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) {
  // expected-error @+1 {{'dhlo.scatter_elements' op expected axis in [0, 2), found -1}}
  %0 = dhlo.scatter_elements %x, %i, %u add axis = -1 : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c2(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{'dhlo.scatter_elements' op expected size 2 at axis 1 of updates, found 3}}
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 1 : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_elements_c3(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) {
  // expected-error @+1 {{'dhlo.scatter_elements' op expected size 8 at axis 1 of result, found 9}}
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 1 : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @nonzero_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.nonzero' op expected result of type 'tensor<?x2xi64, #dhlo.dims<K>>', found 'tensor<?x3xi64, #dhlo.dims<K>>'}}
  %0 = dhlo.nonzero %x binds @K : (tensor<4x8xf32>) -> tensor<?x3xi64, #dhlo.dims<K>>
  return
}

// -----

func.func @sort_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.sort' op expected axis in [0, 2), found 2}}
  %0, %1 = dhlo.sort %x axis = 2 : tensor<4x8xf32>, tensor<4x8xi64>
  return
}

// -----

func.func @sort_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.sort' op expected size 8 at axis 1 of result 1, found 7}}
  %0, %1 = dhlo.sort %x axis = 1 : tensor<4x8xf32>, tensor<4x7xi64>
  return
}

// -----

func.func @top_k_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.top_k' op expected axis in [0, 2), found 2}}
  %0, %1 = dhlo.top_k %x axis = 2 largest : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return
}

// -----

func.func @top_k_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.top_k' op expected size 2 at axis 1 of result 1, found 3}}
  %0, %1 = dhlo.top_k %x axis = 1 largest : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x3xi64>)
  return
}

// -----

func.func @top_k_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'dhlo.top_k' op expected result 0 with elements of type 'f32', found 'f64'}}
  %0, %1 = dhlo.top_k %x axis = 1 largest : (tensor<4x8xf32>) -> (tensor<4x2xf64>, tensor<4x2xi64>)
  return
}

// -----

func.func @suppress_c1_rank(%x: tensor<4xf32>, %c: tensor<i1>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @+1 {{'dhlo.suppress' op expected boxes of rank 2 or more, found rank 1}}
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<4xf32>, tensor<i1>, tensor<f32>, tensor<i64>) -> tensor<i1>
  return
}

// -----

func.func @suppress_c1_bounds(%x: tensor<3x5xf32>, %c: tensor<3xi1>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @+1 {{'dhlo.suppress' op expected size 4 at axis 1 of boxes, found 5}}
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<3x5xf32>, tensor<3xi1>, tensor<f32>, tensor<i64>) -> tensor<3xi1>
  return
}

// -----

func.func @suppress_c2_candidates(%x: tensor<3x4xf32>, %c: tensor<2xi1>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @+1 {{'dhlo.suppress' op expected size 3 at axis 0 of candidates, found 2}}
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<3x4xf32>, tensor<2xi1>, tensor<f32>, tensor<i64>) -> tensor<2xi1>
  return
}

// -----

func.func @suppress_c2_result(%x: tensor<3x4xf32>, %c: tensor<3xi1>, %t: tensor<f32>, %n: tensor<i64>) {
  // expected-error @+1 {{'dhlo.suppress' op expected size 3 at axis 0 of result, found 2}}
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<3x4xf32>, tensor<3xi1>, tensor<f32>, tensor<i64>) -> tensor<2xi1>
  return
}

// -----

func.func @suppress_c3(%x: tensor<3x4xf32>, %c: tensor<3xi1>, %t: tensor<f64>, %n: tensor<i64>) {
  // expected-error @+1 {{'dhlo.suppress' op expected threshold with elements of type 'f32', found 'f64'}}
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<3x4xf32>, tensor<3xi1>, tensor<f64>, tensor<i64>) -> tensor<3xi1>
  return
}

// -----

func.func @group_c1(%i: tensor<4xi64>) {
  // expected-error @+1 {{'dhlo.group' op expected ids of rank 2, found rank 1}}
  %o, %r, %p = dhlo.group %i : (tensor<4xi64>) -> (tensor<9xi64>, tensor<4xi64>, tensor<4xi64>)
  return
}

// -----

func.func @group_c2(%i: tensor<4x1xi64>) {
  // expected-error @+1 {{'dhlo.group' op expected a static number of at least one offset, found 'tensor<0xi64>'}}
  %o, %r, %p = dhlo.group %i : (tensor<4x1xi64>) -> (tensor<0xi64>, tensor<4xi64>, tensor<4x1xi64>)
  return
}

// -----

func.func @group_c3(%i: tensor<4x2xi64>) {
  // expected-error @+1 {{'dhlo.group' op expected size 8 at axis 0 of result 1, found 4}}
  %o, %r, %p = dhlo.group %i : (tensor<4x2xi64>) -> (tensor<9xi64>, tensor<4xi64>, tensor<4x2xi64>)
  return
}
