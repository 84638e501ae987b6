// RUN: dyn-opt %s -cell-stack-siblings -split-input-file -verify-diagnostics | FileCheck %s

// Weights from outside of the paths; what is equal in all is read once.
// CHECK-LABEL: func.func @dense(
// CHECK-SAME:    %[[X:[^:]*]]: {{.*}}, %[[W0:[^:]*]]: {{.*}}, %[[W1:[^:]*]]: {{.*}}, %[[S:[^:]*]]: {{.*}}, %[[R:[^:]*]]: !cell
// CHECK-DAG:     %[[HALF:.*]] = dhlo.constant dense<5.0
// CHECK-DAG:     %[[M0:.*]] = dhlo.reshape %[[W0]] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
// CHECK-DAG:     %[[M1:.*]] = dhlo.reshape %[[W1]] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
// CHECK-DAG:     %[[W:.*]] = dhlo.concat %[[M0]], %[[M1]] axis = 0
// CHECK-DAG:     %[[O:.*]] = cell.offsets %[[R]]
// CHECK:         %[[P:.*]] = dhlo.grouped_dot %[[X]], %[[W]], %[[O]]
// CHECK:         %[[H:.*]] = dhlo.broadcast %[[HALF]]
// CHECK:         %[[Q:.*]] = dhlo.mul %[[P]], %[[H]]
// CHECK:         %[[Y:.*]] = dhlo.dot_general %[[Q]], %[[S]]
// CHECK-NOT:     cell.switch
// CHECK:         cell.combine %[[Y]], %[[R]] sum
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @dense(%x: tensor<?x8xf32, #dhlo.dims<N>>, %w0: tensor<8x4xf32>, %w1: tensor<8x4xf32>, %s: tensor<4x4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<K0>>):
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<K0>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    %2 = dhlo.mul %0, %1 : tensor<?x4xf32, #dhlo.dims<K0>>
    %3 = dhlo.dot_general %2, %s batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %3 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<K1>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %2 = dhlo.mul %0, %1 : tensor<?x4xf32, #dhlo.dims<K1>>
    %3 = dhlo.dot_general %2, %s batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %3 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A bias is chosen by row. Somebody reads all rows of the result: those past the last are zeros.
// CHECK-LABEL: func.func @bias(
// CHECK-DAG:     %[[B:.*]] = dhlo.concat
// CHECK-DAG:     %[[P:.*]] = cell.paths
// CHECK:         %[[G:.*]] = dhlo.gather %[[B]], %[[P]] axis = 0 batch = 0
// CHECK:         %[[H:.*]] = dhlo.broadcast %[[G]] axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4x3xf32, #dhlo.dims<N>>
// CHECK:         %[[Y:.*]] = dhlo.add %{{.*}}, %[[H]]
// CHECK:         %[[Z:.*]] = dhlo.select %{{.*}}, %[[Y]], %{{.*}}
// CHECK:         return %[[Z]]
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @bias(%x: tensor<?x4x3xf32, #dhlo.dims<N>>, %b0: tensor<4xf32>, %b1: tensor<4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4x3xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4x3xf32, #dhlo.dims<N>>) -> tensor<?x4x3xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4x3xf32, #dhlo.dims<K0>>):
    %0 = dhlo.broadcast %b0 axes = [1] : (tensor<4xf32>) -> tensor<?x4x3xf32, #dhlo.dims<K0>>
    %1 = dhlo.add %a, %0 : tensor<?x4x3xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4x3xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4x3xf32, #dhlo.dims<K1>>):
    %0 = dhlo.broadcast %b1 axes = [1] : (tensor<4xf32>) -> tensor<?x4x3xf32, #dhlo.dims<K1>>
    %1 = dhlo.add %a, %0 : tensor<?x4x3xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4x3xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4x3xf32, #dhlo.dims<N>>
}

// -----

// Norms lose their scales and biases to the rows.
// CHECK-LABEL: func.func @norms(
// CHECK:         %[[L:.*]] = dhlo.layer_norm %{{[^,]*}}, %{{[^,]*}} axis = 1
// CHECK:         %[[M:.*]] = dhlo.mul %[[L]]
// CHECK:         %[[A:.*]] = dhlo.add %[[M]]
// CHECK:         %[[Q:.*]] = dhlo.rms_norm %[[A]]
// CHECK:         dhlo.mul %[[Q]]
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @norms(%x: tensor<?x4xf32, #dhlo.dims<N>>, %g0: tensor<4xf32>, %g1: tensor<4xf32>, %b0: tensor<4xf32>, %b1: tensor<4xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.layer_norm %a, %g0, %b0 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    %1 = dhlo.rms_norm %0, %g0 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.layer_norm %a, %g1, %b1 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.rms_norm %0, %g1 axis = 1 eps = 1.0e-5 : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// No kernel groups rows of doubles; one matmul they may share.
// CHECK-LABEL: func.func @doubles(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @doubles(%x: tensor<?x8xf64, #dhlo.dims<N>>, %w0: tensor<8x4xf64>, %w1: tensor<8x4xf64>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf64, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x8xf64, #dhlo.dims<N>>) -> tensor<?x4xf64, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf64, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.dot_general': operand 1 differs between paths, and it cannot choose by row}}
    %0 = dhlo.dot_general %a, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf64, #dhlo.dims<K0>>, tensor<8x4xf64>) -> tensor<?x4xf64, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf64, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x8xf64, #dhlo.dims<K1>>):
    %0 = dhlo.dot_general %a, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf64, #dhlo.dims<K1>>, tensor<8x4xf64>) -> tensor<?x4xf64, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf64, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf64, #dhlo.dims<N>>
}

// -----

// Filters are chosen by the offsets; layouts and padding stay.
// CHECK-LABEL: func.func @filters(
// CHECK-SAME:    %[[X:[^:]*]]: {{.*}}, %[[F0:[^:]*]]: {{.*}}, %[[F1:[^:]*]]: {{.*}}, %[[R:[^:]*]]: !cell
// CHECK-DAG:     %[[M0:.*]] = dhlo.reshape %[[F0]] : (tensor<4x3x3x3xf32>) -> tensor<1x4x3x3x3xf32>
// CHECK-DAG:     %[[M1:.*]] = dhlo.reshape %[[F1]]
// CHECK-DAG:     %[[F:.*]] = dhlo.concat %[[M0]], %[[M1]] axis = 0
// CHECK-DAG:     %[[O:.*]] = cell.offsets %[[R]]
// CHECK:         %[[Y:.*]] = dhlo.grouped_convolution %[[X]], %[[F]], %[[O]] channels_first strides = [1, 2] low = [1, 0] high = [1, 2] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x8x9xf32, #dhlo.dims<N>>, tensor<2x4x3x3x3xf32>, tensor<3xi64>) -> tensor<?x4x8x5xf32, #dhlo.dims<N>>
// CHECK-NOT:     cell.switch
// CHECK:         cell.combine %[[Y]]
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @filters(%x: tensor<?x3x8x9xf32, #dhlo.dims<N>>, %f0: tensor<4x3x3x3xf32>, %f1: tensor<4x3x3x3xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4x8x5xf32, #dhlo.dims<N>> {
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x3x8x9xf32, #dhlo.dims<N>>) -> tensor<?x4x8x5xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x8x9xf32, #dhlo.dims<K0>>):
    %0 = dhlo.convolution %a, %f0 channels_first strides = [1, 2] low = [1, 0] high = [1, 2] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x8x9xf32, #dhlo.dims<K0>>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x5xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4x8x5xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x8x9xf32, #dhlo.dims<K1>>):
    %0 = dhlo.convolution %a, %f1 channels_first strides = [1, 2] low = [1, 0] high = [1, 2] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x8x9xf32, #dhlo.dims<K1>>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x5xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4x8x5xf32, #dhlo.dims<K1>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x4x8x5xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4x8x5xf32, #dhlo.dims<N>>
  return %z : tensor<?x4x8x5xf32, #dhlo.dims<N>>
}

// -----

// What is computed element by element if it chooses stays apart.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @depthwise(%x: tensor<?x3x8x8xf32, #dhlo.dims<N>>, %f0: tensor<3x1x3x3xf32>, %f1: tensor<3x1x3x3xf32>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x3x8x8xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x3x8x8xf32, #dhlo.dims<N>>) -> tensor<?x3x8x8xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x8x8xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.convolution': operand 1 differs between paths, and it cannot choose by row}}
    %0 = dhlo.convolution %a, %f0 channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 3 : (tensor<?x3x8x8xf32, #dhlo.dims<K0>>, tensor<3x1x3x3xf32>) -> tensor<?x3x8x8xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x3x8x8xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x8x8xf32, #dhlo.dims<K1>>):
    %0 = dhlo.convolution %a, %f1 channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 3 : (tensor<?x3x8x8xf32, #dhlo.dims<K1>>, tensor<3x1x3x3xf32>) -> tensor<?x3x8x8xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x3x8x8xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x3x8x8xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @other_op(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @other_op(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.tanh': path 1 has no 'dhlo.tanh' there}}
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @shorter(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @shorter(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %1 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    // expected-note @below {{because of 'dhlo.neg': path 1 has no 'dhlo.neg' there}}
    %0 = dhlo.neg %1 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @longer(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @longer(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %1 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    // expected-note @below {{because of 'dhlo.neg': path 0 has no such operation there}}
    %0 = dhlo.neg %1 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @attributes(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @attributes(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %0 = dhlo.cumulative sum %a axis = 1 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @below {{because of 'dhlo.cumulative': path 1 has other attributes than path 0}}
    %0 = dhlo.cumulative max %a axis = 1 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @mixes(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @mixes(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.softmax': it mixes rows}}
    %0 = dhlo.softmax %a axis = 0 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.softmax %a axis = 0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @fails(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @fails(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.convert': it may fail on rows that no cell has}}
    %c = dhlo.convert %a : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<?x4xi32, #dhlo.dims<K0>>
    %0 = dhlo.convert %c : (tensor<?x4xi32, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %c = dhlo.convert %a : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xi32, #dhlo.dims<K1>>
    %0 = dhlo.convert %c : (tensor<?x4xi32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @transposed(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @transposed(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'dhlo.transpose': its result does not have the rows on axis 0}}
    %t = dhlo.transpose %a permutation = [1, 0] : (tensor<?x4xf32, #dhlo.dims<K0>>) -> tensor<4x?xf32, #dhlo.dims<K0>>
    %0 = dhlo.transpose %t permutation = [1, 0] : (tensor<4x?xf32, #dhlo.dims<K0>>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %t = dhlo.transpose %a permutation = [1, 0] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<4x?xf32, #dhlo.dims<K1>>
    %0 = dhlo.transpose %t permutation = [1, 0] : (tensor<4x?xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @other_rows(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @other_rows(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %1 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    %0 = dhlo.neg %1 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %1 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    // expected-note @below {{because of 'dhlo.neg': path 1 reads other rows}}
    %0 = dhlo.neg %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @no_choice(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_choice(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %c = dhlo.constant dense<0.0> : tensor<f32>
    // expected-note @below {{because of 'dhlo.pad': operand 1 differs between paths, and it cannot choose by row}}
    %0 = dhlo.pad %a, %c constant low = [0, 0] high = [0, 0] : (tensor<?x4xf32, #dhlo.dims<K0>>, tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %c = dhlo.constant dense<1.0> : tensor<f32>
    %0 = dhlo.pad %a, %c constant low = [0, 0] high = [0, 0] : (tensor<?x4xf32, #dhlo.dims<K1>>, tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// CHECK-LABEL: func.func @yields(
// CHECK:         cell.switch
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @yields(%x: tensor<?x4xf32, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    %1 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    %0 = dhlo.neg %1 : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    %1 = dhlo.neg %0 : tensor<?x4xf32, #dhlo.dims<K1>>
    // expected-note @below {{because of 'dhlo.yield': path 1 yields another value}}
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A router inside of a path: its routes are of the path's cells.

// CHECK-LABEL: func.func @nested(
// CHECK:         cell.switch
// CHECK:           cell.route
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @nested(%x: tensor<?x4xf32, #dhlo.dims<N>>, %i: tensor<?x1xi64, #dhlo.dims<N>>, %r: !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @below {{paths are not stacked}}
  %y = cell.switch %r counts [@K0, @K1] (%x, %i) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>, %j: tensor<?x1xi64, #dhlo.dims<K0>>):
    // expected-note @below {{because of 'cell.route': it is not known to keep rows apart}}
    %q = cell.route(%j) : (tensor<?x1xi64, #dhlo.dims<K0>>) -> !cell.routes<@K0, 3, @K0> {
    ^bb0(%s: tensor<?x1xi64, #dhlo.dims<K0>>):
      cell.choose %s : tensor<?x1xi64, #dhlo.dims<K0>>
    }
    %d = cell.dispatch %a, %q : (tensor<?x4xf32, #dhlo.dims<K0>>, !cell.routes<@K0, 3, @K0>) -> tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %d : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>, %j: tensor<?x1xi64, #dhlo.dims<K1>>):
    %q = cell.route(%j) : (tensor<?x1xi64, #dhlo.dims<K1>>) -> !cell.routes<@K1, 3, @K1> {
    ^bb0(%s: tensor<?x1xi64, #dhlo.dims<K1>>):
      cell.choose %s : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %d = cell.dispatch %a, %q : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 3, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %d : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
