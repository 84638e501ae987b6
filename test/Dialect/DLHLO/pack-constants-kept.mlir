// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-pack-constants | FileCheck %s
// RUN: not dyn-opt %s --dlhlo-pack-constants=target-info=%t.none 2>&1 | FileCheck %s --check-prefix=NONE

// Operands that keep their order in memory, and those of other operations that are packed.

// NONE: error: target info: {{.*}}.none: No such file or directory

dhlo.dim @N in [1, 64]

// A matrix that is an input; a constant LHS; none of elements.
// CHECK-LABEL: func.func @plain(
// CHECK: dhlo.dot_general %arg0, %arg1 {{.*}} tensor<4x16xf32>)
// CHECK: %[[W:.*]] = dlhlo.get_constant {{.*}} : tensor<4x16xf32>{{$}}
// CHECK: dhlo.dot_general %[[W]], %arg2
// CHECK: dlhlo.get_constant {{.*}} : tensor<0x16xf32>{{$}}
func.func @plain(%x: tensor<?x4xf32, #dhlo.dims<N>>, %w: tensor<4x16xf32>, %y: tensor<16x?xf32, #dhlo.dims<N>>, %z: tensor<?x0xf32, #dhlo.dims<N>>)
    -> (tensor<?x16xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %c = dhlo.weight <"m", offset = 0, length = 256, key = "c"> : tensor<4x16xf32>
  %1 = dhlo.dot_general %c, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x16xf32>, tensor<16x?xf32, #dhlo.dims<N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %e = dhlo.weight <"m", offset = 0, length = 0, key = "e"> : tensor<0x16xf32>
  %2 = dhlo.dot_general %z, %e batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x0xf32, #dhlo.dims<N>>, tensor<0x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?x16xf32, #dhlo.dims<N>>, tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>
}

// One constant that two matmuls read, as rows and as columns, is packed for each; a sum reads it as
// it is.
// CHECK-LABEL: func.func @both_ways(
// CHECK-DAG: dlhlo.get_constant @[[ROWS:[a-z0-9_]*]] : tensor<16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
// CHECK-DAG: dlhlo.get_constant @[[COLUMNS:[a-z0-9_]*]] : tensor<16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
// CHECK-DAG: dlhlo.get_constant @{{.*}} : tensor<16x16xf32>{{$}}
// CHECK: dhlo.add
func.func @both_ways(%x: tensor<?x16xf32, #dhlo.dims<N>>, %y: tensor<16x16xf32>)
    -> (tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x16xf32>) attributes {dhlo.entry} {
  %c = dhlo.weight <"m", offset = 0, length = 1024, key = "both"> : tensor<16x16xf32>
  %0 = dhlo.dot_general %x, %c batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %x, %c batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %2 = dhlo.add %y, %c : tensor<16x16xf32>
  return %0, %1, %2 : tensor<?x16xf32, #dhlo.dims<N>>, tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x16xf32>
}

// Batches come first, then what is summed: here two axes in the order in which they are summed.
// CHECK-LABEL: func.func @axes(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x4x8x16xf32, #dlhlo.packed<panels16, batch = 1, rows = 2>>
// CHECK: dhlo.dot_general {{.*}} batch = 1 lhs_contract = [2, 3] rhs_contract = [1, 2]
func.func @axes(%x: tensor<3x?x4x8xf32, #dhlo.dims<N>>) -> tensor<3x?x16xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %c = dhlo.weight <"m", offset = 0, length = 6144, key = "axes"> : tensor<3x16x8x4xf32>
  %0 = dhlo.dot_general %x, %c batch = 1 lhs_contract = [2, 3] rhs_contract = [3, 2] : (tensor<3x?x4x8xf32, #dhlo.dims<N>>, tensor<3x16x8x4xf32>) -> tensor<3x?x16xf32, #dhlo.dims<N>>
  return %0 : tensor<3x?x16xf32, #dhlo.dims<N>>
}

// A sum of a few rows of a constant is no matmul.
// CHECK-LABEL: func.func @few_rows(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x16x8xf32>{{$}}
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x17x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
func.func @few_rows(%x: tensor<3x16xf32>, %y: tensor<3x17xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) attributes {dhlo.entry} {
  %c = dhlo.weight <"m", offset = 0, length = 1536, key = "sixteen"> : tensor<3x16x8xf32>
  %0 = dhlo.dot_general %x, %c batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<3x16xf32>, tensor<3x16x8xf32>) -> tensor<3x8xf32>
  %d = dhlo.weight <"m", offset = 0, length = 1632, key = "seventeen"> : tensor<3x17x8xf32>
  %1 = dhlo.dot_general %y, %d batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<3x17xf32>, tensor<3x17x8xf32>) -> tensor<3x8xf32>
  return %0, %1 : tensor<3x8xf32>, tensor<3x8xf32>
}

// Filters with channels first of few channels, of groups of channels, and of f16.
// CHECK-LABEL: func.func @filters(
// CHECK: dlhlo.get_constant {{.*}} : tensor<4x4x3x3xf32>{{$}}
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x1x16xf32>{{$}}
// CHECK: dlhlo.get_constant {{.*}} : tensor<1x1x16x16xf16>{{$}}
func.func @filters(%x: tensor<?x4x8x8xf32, #dhlo.dims<N>>, %y: tensor<?x8x8x16xf32, #dhlo.dims<N>>, %z: tensor<?x8x8x16xf16, #dhlo.dims<N>>)
    -> (tensor<?x4x8x8xf32, #dhlo.dims<N>>, tensor<?x8x8x16xf32, #dhlo.dims<N>>, tensor<?x8x8x16xf16, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %a = dhlo.weight <"m", offset = 0, length = 576, key = "first"> : tensor<4x4x3x3xf32>
  %0 = dhlo.convolution %x, %a channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x4x8x8xf32, #dhlo.dims<N>>, tensor<4x4x3x3xf32>) -> tensor<?x4x8x8xf32, #dhlo.dims<N>>
  %b = dhlo.weight <"m", offset = 0, length = 576, key = "depth"> : tensor<3x3x1x16xf32>
  %1 = dhlo.convolution %y, %b channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 16
      : (tensor<?x8x8x16xf32, #dhlo.dims<N>>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32, #dhlo.dims<N>>
  %c = dhlo.weight <"m", offset = 0, length = 512, key = "half"> : tensor<1x1x16x16xf16>
  %2 = dhlo.convolution %z, %c channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x16xf16, #dhlo.dims<N>>, tensor<1x1x16x16xf16>) -> tensor<?x8x8x16xf16, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?x4x8x8xf32, #dhlo.dims<N>>, tensor<?x8x8x16xf32, #dhlo.dims<N>>, tensor<?x8x8x16xf16, #dhlo.dims<N>>
}

// Groups whose vectors have channels of several: packed if all panels are full.
// CHECK-LABEL: func.func @groups(
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
// CHECK: dlhlo.get_constant {{.*}} : tensor<3x3x4x24xf32>{{$}}
func.func @groups(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>, %y: tensor<?x8x8x24xf32, #dhlo.dims<N>>)
    -> (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<?x8x8x24xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %a = dhlo.weight <"m", offset = 0, length = 4608, key = "full"> : tensor<3x3x4x32xf32>
  %0 = dhlo.convolution %x, %a channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 8
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<3x3x4x32xf32>) -> tensor<?x8x8x32xf32, #dhlo.dims<N>>
  %b = dhlo.weight <"m", offset = 0, length = 3456, key = "rest"> : tensor<3x3x4x24xf32>
  %1 = dhlo.convolution %y, %b channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 6
      : (tensor<?x8x8x24xf32, #dhlo.dims<N>>, tensor<3x3x4x24xf32>) -> tensor<?x8x8x24xf32, #dhlo.dims<N>>
  return %0, %1 : tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<?x8x8x24xf32, #dhlo.dims<N>>
}

// The recurrent matrix of each direction; of f64 it stays.
// CHECK-LABEL: func.func @recurrence(
// CHECK: dlhlo.get_constant {{.*}} : tensor<1x4x16xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
// CHECK: dlhlo.get_constant {{.*}} : tensor<1x4x16xf64>{{$}}
func.func @recurrence(%x: tensor<?x1x1x16xf32, #dhlo.dims<N>>, %y: tensor<?x1x1x16xf64, #dhlo.dims<N>>)
    -> (tensor<?x1x1x4xf32, #dhlo.dims<N>>, tensor<?x1x1x4xf64, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %a = dhlo.weight <"m", offset = 0, length = 256, key = "r"> : tensor<1x4x16xf32>
  %0:3 = dhlo.lstm forward %x, %a : (tensor<?x1x1x16xf32, #dhlo.dims<N>>, tensor<1x4x16xf32>) -> (tensor<?x1x1x4xf32, #dhlo.dims<N>>, tensor<1x1x4xf32>, tensor<1x1x4xf32>)
  %b = dhlo.weight <"m", offset = 0, length = 512, key = "d"> : tensor<1x4x16xf64>
  %1:3 = dhlo.lstm forward %y, %b : (tensor<?x1x1x16xf64, #dhlo.dims<N>>, tensor<1x4x16xf64>) -> (tensor<?x1x1x4xf64, #dhlo.dims<N>>, tensor<1x1x4xf64>, tensor<1x1x4xf64>)
  return %0#0, %1#0 : tensor<?x1x1x4xf32, #dhlo.dims<N>>, tensor<?x1x1x4xf64, #dhlo.dims<N>>
}
