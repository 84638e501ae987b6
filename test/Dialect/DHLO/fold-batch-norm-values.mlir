// Folded, a network gives the same values, in the interpreter and compiled.
// DEFINE: %{inputs} = --input x=random:2x2x3x3 --seed=3
// RUN: dyn-run --reference %s %{inputs} --output %t.npz
// RUN: dyn-opt %s -dhlo-fold-batch-norm -canonicalize -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: dyn-run --reference %t.mlir %{inputs} --check %t.npz --tolerance 1e-6
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so %{inputs} --check %t.npz --tolerance 1e-5

// CHECK: dhlo.convolution
// CHECK-NOT: dhlo.mul {{.*}} : tensor<?x
// CHECK: dhlo.add {{.*}} : tensor<?x
// CHECK-NOT: dhlo.add {{.*}} : tensor<?x
dhlo.dim @N
func.func @main(%x: tensor<?x2x3x3xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x2x3x3xf32, #dhlo.dims<N>> {dhlo.name = "y"})
    attributes {dhlo.entry} {
  %w = dhlo.constant dense<[[[[1.0]], [[-2.0]]], [[[0.5]], [[3.0]]]]> : tensor<2x2x1x1xf32>
  %b = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = dhlo.constant dense<[3.0, -0.5]> : tensor<2xf32>
  %t = dhlo.constant dense<0.25> : tensor<1xf32>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x2x3x3xf32, #dhlo.dims<N>>, tensor<2x2x1x1xf32>) -> tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<2xf32>) -> tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %2 = dhlo.add %0, %1 : tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %3 = dhlo.broadcast %s axes = [1] : (tensor<2xf32>) -> tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %4 = dhlo.mul %3, %2 : tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %5 = dhlo.broadcast %t axes = [3] : (tensor<1xf32>) -> tensor<?x2x3x3xf32, #dhlo.dims<N>>
  %6 = dhlo.add %4, %5 : tensor<?x2x3x3xf32, #dhlo.dims<N>>
  return %6 : tensor<?x2x3x3xf32, #dhlo.dims<N>>
}
