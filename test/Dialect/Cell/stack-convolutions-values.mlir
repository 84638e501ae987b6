// Small networks of convolutions as paths run as one, whose images use the filters of their paths:
// dropped cells, empty paths, all on one path, no cells.
// RUN: dyn-opt %s -cell-stack-siblings -convert-cell-to-dhlo | FileCheck %s
// RUN: dyn-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: dyn-compile %s --isa=v2,v3,v4 -o %t.so
// RUN: dyn-run --reference %s --input x=random:13x3x16x16 --input ids=random:13x1:0:3 --output %t.t.npz
// RUN: dyn-run %t.so --input x=random:13x3x16x16 --input ids=random:13x1:0:3 --check %t.t.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:9x3x16x16 --input ids=random:9x1:1:2 --output %t.one.npz
// RUN: dyn-run %t.so --input x=random:9x3x16x16 --input ids=random:9x1:1:2 --check %t.one.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:4x3x16x16 --input ids=random:4x1:-1:0 --output %t.none.npz
// RUN: dyn-run %t.so --input x=random:4x3x16x16 --input ids=random:4x1:-1:0 --check %t.none.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:0x3x16x16 --input ids=random:0x1:0:3 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:0x3x16x16 --input ids=random:0x1:0:3 --check %t.0.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:21x3x16x16 --input ids=random:21x1:-1:3 --output %t.some.npz
// RUN: dyn-run %t.so --input x=random:21x3x16x16 --input ids=random:21x1:-1:3 --check %t.some.npz --tolerance 1e-5
// RUN: dyn-run %t.so --input x=random:21x3x16x16 --input ids=random:21x1:-1:3 --check %t.some.npz --tolerance 1e-5 --threads=3
// RUN: dyn-run %t.so --input x=random:21x3x16x16 --input ids=random:21x1:-1:3 --check %t.some.npz --tolerance 1e-5 --isa=v2

// CHECK-NOT:     dhlo.bind
// CHECK-COUNT-3: dhlo.grouped_convolution
// CHECK-NOT:     dhlo.bind

// As many launches as one network has, with biases and the sum.
// KERNELS-COUNT-3: dlhlo.launch @grouped_convolution
// KERNELS-NOT:     dlhlo.launch @{{(grouped_)?}}convolution

dhlo.dim @N in [0, 512]
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @K2

func.func @main(%x: tensor<?x3x16x16xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x1xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x3x32x32xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x3x16x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x3x16x16xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1, @K2] (%rows) : (!cell.routes<@N, 3, @N>, tensor<?x3x16x16xf32, #dhlo.dims<N>>) -> tensor<?x3x32x32xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x3x16x16xf32, #dhlo.dims<K0>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 10 seed = 1 : tensor<8x3x3x3xf32>
    %v = dhlo.rng normal low = 0.0 high = 0.25 stream = 20 seed = 1 : tensor<8x8x3x3xf32>
    %w = dhlo.rng normal low = 0.0 high = 0.25 stream = 30 seed = 1 : tensor<12x8x3x3xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 40 seed = 1 : tensor<8xf32>
    %z = dhlo.constant dense<0.0> : tensor<f32>
    %0 = dhlo.convolution %a, %u channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x16x16xf32, #dhlo.dims<K0>>, tensor<8x3x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %2 = dhlo.add %0, %1 : tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %3 = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %4 = dhlo.maximum %2, %3 : tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %5 = dhlo.convolution %4, %v channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K0>>, tensor<8x8x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %6 = dhlo.add %2, %5 : tensor<?x8x16x16xf32, #dhlo.dims<K0>>
    %7 = dhlo.convolution %6, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K0>>, tensor<12x8x3x3xf32>) -> tensor<?x12x16x16xf32, #dhlo.dims<K0>>
    %8 = dhlo.reshape %7 : (tensor<?x12x16x16xf32, #dhlo.dims<K0>>) -> tensor<?x3x2x2x16x16xf32, #dhlo.dims<K0>>
    %9 = dhlo.transpose %8 permutation = [0, 1, 4, 2, 5, 3] : (tensor<?x3x2x2x16x16xf32, #dhlo.dims<K0>>) -> tensor<?x3x16x2x16x2xf32, #dhlo.dims<K0>>
    %10 = dhlo.reshape %9 : (tensor<?x3x16x2x16x2xf32, #dhlo.dims<K0>>) -> tensor<?x3x32x32xf32, #dhlo.dims<K0>>
    dhlo.yield %10 : tensor<?x3x32x32xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x3x16x16xf32, #dhlo.dims<K1>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 11 seed = 1 : tensor<8x3x3x3xf32>
    %v = dhlo.rng normal low = 0.0 high = 0.25 stream = 21 seed = 1 : tensor<8x8x3x3xf32>
    %w = dhlo.rng normal low = 0.0 high = 0.25 stream = 31 seed = 1 : tensor<12x8x3x3xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 41 seed = 1 : tensor<8xf32>
    %z = dhlo.constant dense<0.0> : tensor<f32>
    %0 = dhlo.convolution %a, %u channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x16x16xf32, #dhlo.dims<K1>>, tensor<8x3x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %2 = dhlo.add %0, %1 : tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %3 = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %4 = dhlo.maximum %2, %3 : tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %5 = dhlo.convolution %4, %v channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K1>>, tensor<8x8x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %6 = dhlo.add %2, %5 : tensor<?x8x16x16xf32, #dhlo.dims<K1>>
    %7 = dhlo.convolution %6, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K1>>, tensor<12x8x3x3xf32>) -> tensor<?x12x16x16xf32, #dhlo.dims<K1>>
    %8 = dhlo.reshape %7 : (tensor<?x12x16x16xf32, #dhlo.dims<K1>>) -> tensor<?x3x2x2x16x16xf32, #dhlo.dims<K1>>
    %9 = dhlo.transpose %8 permutation = [0, 1, 4, 2, 5, 3] : (tensor<?x3x2x2x16x16xf32, #dhlo.dims<K1>>) -> tensor<?x3x16x2x16x2xf32, #dhlo.dims<K1>>
    %10 = dhlo.reshape %9 : (tensor<?x3x16x2x16x2xf32, #dhlo.dims<K1>>) -> tensor<?x3x32x32xf32, #dhlo.dims<K1>>
    dhlo.yield %10 : tensor<?x3x32x32xf32, #dhlo.dims<K1>>
  }, {
  ^bb0(%a: tensor<?x3x16x16xf32, #dhlo.dims<K2>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 12 seed = 1 : tensor<8x3x3x3xf32>
    %v = dhlo.rng normal low = 0.0 high = 0.25 stream = 22 seed = 1 : tensor<8x8x3x3xf32>
    %w = dhlo.rng normal low = 0.0 high = 0.25 stream = 32 seed = 1 : tensor<12x8x3x3xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 42 seed = 1 : tensor<8xf32>
    %z = dhlo.constant dense<0.0> : tensor<f32>
    %0 = dhlo.convolution %a, %u channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x16x16xf32, #dhlo.dims<K2>>, tensor<8x3x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<8xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %2 = dhlo.add %0, %1 : tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %3 = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %4 = dhlo.maximum %2, %3 : tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %5 = dhlo.convolution %4, %v channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K2>>, tensor<8x8x3x3xf32>) -> tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %6 = dhlo.add %2, %5 : tensor<?x8x16x16xf32, #dhlo.dims<K2>>
    %7 = dhlo.convolution %6, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x16x16xf32, #dhlo.dims<K2>>, tensor<12x8x3x3xf32>) -> tensor<?x12x16x16xf32, #dhlo.dims<K2>>
    %8 = dhlo.reshape %7 : (tensor<?x12x16x16xf32, #dhlo.dims<K2>>) -> tensor<?x3x2x2x16x16xf32, #dhlo.dims<K2>>
    %9 = dhlo.transpose %8 permutation = [0, 1, 4, 2, 5, 3] : (tensor<?x3x2x2x16x16xf32, #dhlo.dims<K2>>) -> tensor<?x3x16x2x16x2xf32, #dhlo.dims<K2>>
    %10 = dhlo.reshape %9 : (tensor<?x3x16x2x16x2xf32, #dhlo.dims<K2>>) -> tensor<?x3x32x32xf32, #dhlo.dims<K2>>
    dhlo.yield %10 : tensor<?x3x32x32xf32, #dhlo.dims<K2>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x3x32x32xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x3x32x32xf32, #dhlo.dims<N>>
  return %z : tensor<?x3x32x32xf32, #dhlo.dims<N>>
}
