// RUN: dyn-opt %s --dlhlo-hoist-constants | FileCheck %s

// Which values are computed when the artifact is written: how large they may be, and what computes
// them.

dhlo.dim @N in [1, 64]

// A value of 4096 bytes is written, whatever it is repeated from; one of a few more is left to the
// kernels that read it.
// CHECK-LABEL: func.func @small(
// CHECK: dlhlo.get_constant {{.*}} : tensor<256x4xf32>
// CHECK: dhlo.broadcast {{.*}} -> tensor<257x4xf32>
func.func @small(%x: tensor<256x4xf32>, %y: tensor<257x4xf32>) -> (tensor<256x4xf32>, tensor<257x4xf32>) attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<4xf32>
  %0 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<256x4xf32>
  %1 = dhlo.add %x, %0 : tensor<256x4xf32>
  %2 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<257x4xf32>
  %3 = dhlo.add %y, %2 : tensor<257x4xf32>
  return %1, %3 : tensor<256x4xf32>, tensor<257x4xf32>
}

// Above that, one of twice the bytes that it is computed from is written, one of thrice is not.
// CHECK-LABEL: func.func @twice(
// CHECK: dlhlo.get_constant {{.*}} : tensor<2x2048xf32>
// CHECK: dhlo.broadcast {{.*}} -> tensor<3x2048xf32>
func.func @twice(%x: tensor<2x2048xf32>, %y: tensor<3x2048xf32>) -> (tensor<2x2048xf32>, tensor<3x2048xf32>) attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 8192, key = "v"> : tensor<2048xf32>
  %0 = dhlo.broadcast %w axes = [1] : (tensor<2048xf32>) -> tensor<2x2048xf32>
  %1 = dhlo.add %x, %0 : tensor<2x2048xf32>
  %2 = dhlo.broadcast %w axes = [1] : (tensor<2048xf32>) -> tensor<3x2048xf32>
  %3 = dhlo.add %y, %2 : tensor<3x2048xf32>
  return %1, %3 : tensor<2x2048xf32>, tensor<3x2048xf32>
}

// A filter is packed if it is written, so one of floats is that are computed from as many bytes.
// Repeated ones are not, nor is what another kernel reads.
// CHECK-LABEL: func.func @filter(
// CHECK: %[[W:.*]] = dlhlo.get_constant {{.*}} : tensor<3x3x16x16xf32>
// CHECK: dhlo.convolution %{{.*}}, %[[W]]
// CHECK: dhlo.convert {{.*}} : (tensor<3x3x16x16xi8>) -> tensor<3x3x16x16xf32>
// CHECK: dhlo.convolution
// CHECK: dhlo.convert {{.*}} : (tensor<3x3x16x16xi8>) -> tensor<3x3x16x16xf32>
// CHECK: dhlo.add
func.func @filter(%x: tensor<1x8x8x16xf32>, %y: tensor<3x3x16x16xf32>) -> (tensor<1x6x6x16xf32>, tensor<1x6x6x16xf32>, tensor<3x3x16x16xf32>) attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 2304, key = "w8"> : tensor<3x3x16x16xi8>
  %0 = dhlo.convert %w : (tensor<3x3x16x16xi8>) -> tensor<3x3x16x16xf32>
  %1 = dhlo.convolution %x, %0 channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x6x6x16xf32>
  %v = dhlo.weight <"m", offset = 0, length = 256, key = "v8"> : tensor<16x16xi8>
  %2 = dhlo.broadcast %v axes = [2, 3] : (tensor<16x16xi8>) -> tensor<3x3x16x16xi8>
  %3 = dhlo.convert %2 : (tensor<3x3x16x16xi8>) -> tensor<3x3x16x16xf32>
  %4 = dhlo.convolution %x, %3 channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x6x6x16xf32>
  %u = dhlo.weight <"m", offset = 2304, length = 2304, key = "u8"> : tensor<3x3x16x16xi8>
  %5 = dhlo.convert %u : (tensor<3x3x16x16xi8>) -> tensor<3x3x16x16xf32>
  %6 = dhlo.add %y, %5 : tensor<3x3x16x16xf32>
  return %1, %4, %6 : tensor<1x6x6x16xf32>, tensor<1x6x6x16xf32>, tensor<3x3x16x16xf32>
}

// One that takes exponentials of its elements may have a megabyte, and not more.
// CHECK-LABEL: func.func @slow(
// CHECK: dlhlo.get_constant {{.*}} : tensor<65536x4xf32>
// CHECK: dhlo.exp {{.*}} : tensor<65537x4xf32>
func.func @slow(%x: tensor<65536x4xf32>, %y: tensor<65537x4xf32>) -> (tensor<65536x4xf32>, tensor<65537x4xf32>) attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<4xf32>
  %0 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<65536x4xf32>
  %1 = dhlo.exp %0 : tensor<65536x4xf32>
  %2 = dhlo.add %x, %1 : tensor<65536x4xf32>
  %3 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<65537x4xf32>
  %4 = dhlo.exp %3 : tensor<65537x4xf32>
  %5 = dhlo.add %y, %4 : tensor<65537x4xf32>
  return %2, %5 : tensor<65536x4xf32>, tensor<65537x4xf32>
}

// A large value that only another constant reads is a step of its recipe.
// CHECK-LABEL: func.func @step(
// CHECK-NOT: dhlo.broadcast
// CHECK: dlhlo.get_constant {{.*}} : tensor<2048xf32>
// CHECK-NOT: dhlo.reduce
// CHECK: return
func.func @step(%x: tensor<2048xf32>) -> tensor<2048xf32> attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 8192, key = "u"> : tensor<2048xf32>
  %0 = dhlo.broadcast %w axes = [1] : (tensor<2048xf32>) -> tensor<9x2048xf32>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<9x2048xf32>) -> tensor<2048xf32>
  %2 = dhlo.add %x, %1 : tensor<2048xf32>
  return %2 : tensor<2048xf32>
}

// Integers that are divided may fail, and so may the conversion of a float to one: these fail in a
// call, as the model says. Floats, and conversions to floats and to booleans, do not.
// CHECK-LABEL: func.func @failures(
// CHECK: dhlo.div {{.*}} : tensor<4xi32>
// CHECK: dhlo.convert {{.*}} : (tensor<4xf32>) -> tensor<4xi32>
// CHECK-NOT: dhlo.rem
// CHECK-NOT: dhlo.convert {{.*}} -> tensor<4xf32>
// CHECK-NOT: dhlo.convert {{.*}} -> tensor<4xi1>
// CHECK: return
func.func @failures() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) attributes {dhlo.entry} {
  %i = dhlo.weight <"m", offset = 0, length = 16, key = "i"> : tensor<4xi32>
  %f = dhlo.weight <"m", offset = 16, length = 16, key = "f"> : tensor<4xf32>
  %0 = dhlo.div %i, %i : tensor<4xi32>
  %1 = dhlo.convert %f : (tensor<4xf32>) -> tensor<4xi32>
  %2 = dhlo.rem %f, %f : tensor<4xf32>
  %3 = dhlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  %4 = dhlo.convert %f : (tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// Nor does a division of integers by a constant that is not 0; one by 0 does.
// CHECK-LABEL: func.func @divisors(
// CHECK: dhlo.rem {{.*}} : tensor<4xi32>
// CHECK-NOT: dhlo.rem
// CHECK-NOT: dhlo.div
// CHECK: return
func.func @divisors() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) attributes {dhlo.entry} {
  %i = dhlo.weight <"m", offset = 0, length = 16, key = "i"> : tensor<4xi32>
  %c = dhlo.constant dense<3> : tensor<4xi32>
  %z = dhlo.constant dense<0> : tensor<4xi32>
  %0 = dhlo.rem %i, %z : tensor<4xi32>
  %1 = dhlo.rem %i, %c : tensor<4xi32>
  %2 = dhlo.div %i, %c : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// What is random, counts positions or has a dynamic size is no constant.
// CHECK-LABEL: func.func @others(
// CHECK: dhlo.rng
// CHECK: dhlo.iota
// CHECK: dhlo.broadcast {{.*}} -> tensor<?x4xf32, #dhlo.dims<N>>
func.func @others(%n: tensor<?xf32, #dhlo.dims<N>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 16, key = "o"> : tensor<4xf32>
  %r = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<4xf32>
  %0 = dhlo.add %w, %r : tensor<4xf32>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xf32>
  %1 = dhlo.add %w, %i : tensor<4xf32>
  %2 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<?x4xf32, #dhlo.dims<N>>
}

// A function that is no entry is left alone.
// CHECK-LABEL: func.func @no_entry(
// CHECK: dhlo.weight
// CHECK: dhlo.exp
func.func @no_entry() -> tensor<4xf32> {
  %w = dhlo.weight <"m", offset = 0, length = 16, key = "n"> : tensor<4xf32>
  %0 = dhlo.exp %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// In a branch, too; what only one branch reads is read there.
// CHECK-LABEL: func.func @branch(
// CHECK: dhlo.if
// CHECK: %[[C:.*]] = dlhlo.get_constant
// CHECK: dhlo.yield %[[C]]
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %0 = dhlo.if %p -> (tensor<4xf32>) {
    %w = dhlo.weight <"m", offset = 0, length = 16, key = "b"> : tensor<4xf32>
    %1 = dhlo.exp %w : tensor<4xf32>
    dhlo.yield %1 : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
