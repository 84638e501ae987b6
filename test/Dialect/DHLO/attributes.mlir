// RUN: dyn-opt %s -split-input-file | dyn-opt -split-input-file | FileCheck %s
// Attributes by themselves, on functions that have no bodies.

// CHECK-LABEL: @names
// CHECK-SAME: empty = #dhlo.dims<>
// CHECK-SAME: one = #dhlo.dims<N>
// CHECK-SAME: quoted = #dhlo.dims<"a b", N, "0">
// CHECK-SAME: twice = #dhlo.dims<N, N>
func.func private @names() attributes {
  empty = #dhlo.dims<>,
  one = #dhlo.dims<N>,
  quoted = #dhlo.dims<"a b", "N", "0">,
  twice = #dhlo.dims<N, N>
}

// CHECK-LABEL: @types
// CHECK-SAME: tensor<?x?x384xf32, #dhlo.dims<B, S>>
// CHECK-SAME: tensor<?x?xi1, #dhlo.dims<N, N>>
// CHECK-SAME: tensor<0x?xf64, #dhlo.dims<"a b">>
// CHECK-SAME: tensor<4xf32, #dhlo.dims<>>
func.func private @types(tensor<?x?x384xf32, #dhlo.dims<B, S>>,
                         tensor<?x?xi1, #dhlo.dims<N, N>>,
                         tensor<0x?xf64, #dhlo.dims<"a b">>,
                         tensor<4xf32, #dhlo.dims<>>)

// CHECK-LABEL: @weights
// CHECK-SAME: #dhlo.weight<"bert.onnx", offset = 4096, length = 1536, key = "encoder.0.bias">
// CHECK-SAME: #dhlo.weight<"a \22quoted\22 name", offset = 18446744073709551615, length = 0, key = "">
func.func private @weights() attributes {
  a = #dhlo.weight<"bert.onnx", offset = 4096, length = 1536, key = "encoder.0.bias">,
  b = #dhlo.weight<"a \"quoted\" name", offset = 18446744073709551615, length = 0, key = "">
}

// CHECK-LABEL: @enumerations
// CHECK-SAME: #dhlo<arg_kind max>
// CHECK-SAME: #dhlo<direction ge>
// CHECK-SAME: #dhlo<gelu_kind tanh>
// CHECK-SAME: #dhlo<layout channels_last>
// CHECK-SAME: #dhlo<pad_mode wrap>
// CHECK-SAME: #dhlo<reduce_kind prod>
// CHECK-SAME: #dhlo<resize_coord pytorch_half_pixel>
// CHECK-SAME: #dhlo<resize_mode cubic>
// CHECK-SAME: #dhlo<rng_kind normal>
// CHECK-SAME: #dhlo<rnn_direction bidirectional>
// CHECK-SAME: #dhlo<round_mode round_prefer_ceil>
// CHECK-SAME: #dhlo<scatter_kind mul>
func.func private @enumerations() attributes {
  a = #dhlo<arg_kind max>,
  b = #dhlo<direction ge>,
  c = #dhlo<gelu_kind tanh>,
  d = #dhlo<layout channels_last>,
  e = #dhlo<pad_mode wrap>,
  f = #dhlo<reduce_kind prod>,
  g = #dhlo<resize_coord pytorch_half_pixel>,
  h = #dhlo<resize_mode cubic>,
  i = #dhlo<rng_kind normal>,
  j = #dhlo<rnn_direction bidirectional>,
  k = #dhlo<round_mode round_prefer_ceil>,
  l = #dhlo<scatter_kind mul>
}
