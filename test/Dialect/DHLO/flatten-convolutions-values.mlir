// A block of a video network has the same values: interpreted to the bit, and compiled, where the
// convolution of planes is one of Winograd's and what follows joins both kernels.
// RUN: dyn-run --reference %s --input x=random:2x8x4x10x12 --seed=7 --output %t.npz
// RUN: dyn-opt %s -dhlo-propagate-layout -dhlo-flatten-convolutions -canonicalize -cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir --input x=random:2x8x4x10x12 --seed=7 --check %t.npz --tolerance 1e-6
// RUN: dyn-compile %s -o %t.so --explain | FileCheck %s --check-prefix=KERNELS
// RUN: dyn-run %t.so --input x=random:2x8x4x10x12 --seed=7 --check %t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:1x8x1x1x7 --seed=7 --output %t.1.npz
// RUN: dyn-run %t.so --input x=random:1x8x1x1x7 --seed=7 --check %t.1.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:0x8x3x2x2 --seed=7 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:0x8x3x2x2 --seed=7 --check %t.0.npz --tolerance 1e-5

// CHECK-COUNT-2: dhlo.convolution {{.*}} channels_last strides = [1, 1]
// KERNELS: kernels
// KERNELS: convolution_maximum
// KERNELS: convolution_maximum
// KERNELS-NOT: loop
dhlo.dim @N in [0, 8]
dhlo.dim @D in [1, 64]
dhlo.dim @H in [1, 64]
dhlo.dim @W in [1, 64]
func.func @main(%x: tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>> {dhlo.name = "x"}) -> (tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %i = dhlo.iota axis = 0 start = [-4] step = [1] : tensor<8x8x1x3x3xf32>
  %j = dhlo.iota axis = 3 start = [-1] step = [1] : tensor<8x8x1x3x3xf32>
  %w = dhlo.mul %i, %j : tensor<8x8x1x3x3xf32>
  %v = dhlo.iota axis = 1 start = [-3] step = [1] : tensor<8x8x3x1x1xf32>
  %z0 = dhlo.constant dense<0.0> : tensor<f32>
  %z = dhlo.broadcast %z0 axes = [] : (tensor<f32>) -> tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1, 1] low = [0, 1, 1] high = [0, 1, 1] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>, tensor<8x8x1x3x3xf32>) -> tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
  %1 = dhlo.maximum %0, %z : tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
  %2 = dhlo.convolution %1, %v channels_first strides = [1, 1, 1] low = [1, 0, 0] high = [1, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>, tensor<8x8x3x1x1xf32>) -> tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
  %3 = dhlo.maximum %2, %z : tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
  return %3 : tensor<?x8x?x?x?xf32, #dhlo.dims<N, D, H, W>>
}
