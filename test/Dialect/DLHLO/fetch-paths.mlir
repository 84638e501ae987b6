// RUN: dyn-opt %s --dlhlo-fetch-paths=all=true | FileCheck %s
// RUN: dyn-opt %s -dlhlo-fetch-paths | FileCheck %s --check-prefix=MARKED
// The weights of all paths are announced when the offsets are known: those of marked operations,
// or of all.

dhlo.dim @N in [1, 64]
dlhlo.constant @u : tensor<2x8x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<2x8x4xf32>
  dlhlo.yield %0 : tensor<2x8x4xf32>
}
dlhlo.constant @v : tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>> {
  %0 = dhlo.constant dense<1.0> : tensor<2x4x8xf32>
  %1 = dlhlo.pack %0 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
  dlhlo.yield %1 : tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
}
dlhlo.constant @f : tensor<2x3x3x2x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<2x3x3x2x4xf32>
  dlhlo.yield %0 : tensor<2x3x3x2x4xf32>
}

// Two grouped GEMMs by the same offsets: one announcement, in the order of their launches, once for
// each constant. Columns are padded to panels of 16.
// CHECK-LABEL: func.func @two(
// CHECK:       %[[O:.*]] = dlhlo.fusion loop
// CHECK:       dlhlo.fetch %[[O]] [#dlhlo.range<@u, path = 0, offset = 0, bytes = 128>, #dlhlo.range<@u, path = 1, offset = 128, bytes = 128>, #dlhlo.range<@v, path = 0, offset = 0, bytes = 256>, #dlhlo.range<@v, path = 1, offset = 256, bytes = 256>] : tensor<3xi64>
// CHECK-NEXT:  dlhlo.fusion contraction
// CHECK-NOT:   dlhlo.fetch
// CHECK-NOT:   dhlo.preload
// MARKED-LABEL: func.func @two(
// MARKED:       %[[O:.*]] = dlhlo.fusion loop
// MARKED:       dlhlo.fetch %[[O]] [#dlhlo.range<@v, path = 0, offset = 0, bytes = 256>, #dlhlo.range<@v, path = 1, offset = 256, bytes = 256>] : tensor<3xi64>
// MARKED-NOT:   dhlo.preload
func.func @two(%x: tensor<?x8xf32, #dhlo.dims<N>>, %i: tensor<3xi64>) -> (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %u = dlhlo.get_constant @u : tensor<2x8x4xf32>
  %v = dlhlo.get_constant @v : tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
  %o = dlhlo.fusion loop (%i) : (tensor<3xi64>) -> tensor<3xi64> {
  ^bb0(%a: tensor<3xi64>):
    %1 = dhlo.neg %a : tensor<3xi64>
    dlhlo.yield %1 : tensor<3xi64>
  }
  %y = dlhlo.fusion contraction (%x, %u, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  %z = dlhlo.fusion contraction (%y, %v, %o) : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, tensor<3xi64>) -> tensor<?x8xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<N>>, %b: tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c {dhlo.preload} : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, tensor<3xi64>) -> tensor<?x8xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x8xf32, #dhlo.dims<N>>
  }
  %w = dlhlo.fusion contraction (%x, %u, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %z, %w : tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// Filters of convolutions, by offsets that an entry takes.
// CHECK-LABEL: func.func @filters(
// CHECK-SAME:    %[[O:[^:,]*]]: tensor<3xi64>
// CHECK-NEXT:  dlhlo.fetch %[[O]] [#dlhlo.range<@f, path = 0, offset = 0, bytes = 288>, #dlhlo.range<@f, path = 1, offset = 288, bytes = 288>] : tensor<3xi64>
// MARKED-LABEL: func.func @filters(
// MARKED-NOT:  dlhlo.fetch
func.func @filters(%o: tensor<3xi64>, %x: tensor<?x5x5x2xf32, #dhlo.dims<N>>) -> tensor<?x3x3x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %f = dlhlo.get_constant @f : tensor<2x3x3x2x4xf32>
  %y = dlhlo.fusion contraction (%x, %f, %o) : (tensor<?x5x5x2xf32, #dhlo.dims<N>>, tensor<2x3x3x2x4xf32>, tensor<3xi64>) -> tensor<?x3x3x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x5x5x2xf32, #dhlo.dims<N>>, %b: tensor<2x3x3x2x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_convolution %a, %b, %c channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
        input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
        : (tensor<?x5x5x2xf32, #dhlo.dims<N>>, tensor<2x3x3x2x4xf32>, tensor<3xi64>) -> tensor<?x3x3x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x3x3x4xf32, #dhlo.dims<N>>
  }
  return %y : tensor<?x3x3x4xf32, #dhlo.dims<N>>
}
