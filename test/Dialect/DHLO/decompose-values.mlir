// Composites, what they decompose to, and what is recognised in that again give
// the same values in the interpreter; and compiled, whatever has a kernel.
// DEFINE: %{inputs} = --input x=random:3x5x8 --input q=random:2x4x5x4 --input k=random:2x2x5x4 --input mask=random:2x5:0:2 --seed=3
// RUN: dyn-run --reference %s %{inputs} --output %t.npz
// RUN: dyn-opt %s -dhlo-decompose -o %t.primitive.mlir
// RUN: FileCheck %s < %t.primitive.mlir
// RUN: dyn-run --reference %t.primitive.mlir %{inputs} --check %t.npz --tolerance 2e-3
// RUN: dyn-opt %t.primitive.mlir -canonicalize -dhlo-recognize-composites | FileCheck %s --check-prefix=AGAIN
// RUN: dyn-opt %t.primitive.mlir -canonicalize -dhlo-recognize-composites -o %t.again.mlir
// RUN: dyn-run --reference %t.again.mlir %{inputs} --check %t.npz --tolerance 2e-3
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run %t.so %{inputs} --check %t.npz --tolerance 2e-3

// CHECK-NOT: dhlo.{{(softmax|layer_norm|rms_norm|gelu|attention)}}
// AGAIN-DAG: dhlo.softmax {{.*}} axis = 2 : {{.*}}xf32
// AGAIN-DAG: dhlo.softmax {{.*}} axis = 1 log
// AGAIN-DAG: dhlo.layer_norm {{.*}} axis = 2
// AGAIN-DAG: dhlo.rms_norm {{.*}} axis = 2
// AGAIN-DAG: dhlo.gelu erf
// AGAIN-DAG: dhlo.gelu tanh
dhlo.dim @B
dhlo.dim @S
func.func @main(%x: tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "x"}, %q: tensor<?x4x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "q"},
                %k: tensor<?x2x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "k"}, %mask: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "mask"})
    -> (tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "softmax"}, tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "log_softmax"},
        tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "layer_norm"}, tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "rms_norm"},
        tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "erf"}, tensor<3x?x8xf32, #dhlo.dims<S>> {dhlo.name = "tanh"},
        tensor<?x4x?x4xf32, #dhlo.dims<B, S>> {dhlo.name = "attention"}, tensor<?x4x?x4xf16, #dhlo.dims<B, S>> {dhlo.name = "attention16"},
        tensor<?x4x?x4xf64, #dhlo.dims<B, S>> {dhlo.name = "attention64"})
    attributes {dhlo.entry} {
  %g = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %b = dhlo.constant dense<[1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0]> : tensor<8xf32>
  %0 = dhlo.softmax %x axis = 2 : tensor<3x?x8xf32, #dhlo.dims<S>>
  %1 = dhlo.softmax %x axis = 1 log : tensor<3x?x8xf32, #dhlo.dims<S>>
  %2 = dhlo.layer_norm %x, %g, %b axis = 2 eps = 1.0e-3 : (tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<8xf32>, tensor<8xf32>) -> tensor<3x?x8xf32, #dhlo.dims<S>>
  %3 = dhlo.rms_norm %x, %g axis = 2 eps = 1.0e-3 : (tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<8xf32>) -> tensor<3x?x8xf32, #dhlo.dims<S>>
  %4 = dhlo.gelu erf %x : tensor<3x?x8xf32, #dhlo.dims<S>>
  %5 = dhlo.gelu tanh %x : tensor<3x?x8xf32, #dhlo.dims<S>>
  %m = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xi1, #dhlo.dims<B, S>>
  %m1 = dhlo.reshape %m : (tensor<?x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, S>>
  // Two heads share a group, and the first queries see no key where the mask
  // begins with zeros.
  %6 = dhlo.attention %q, %k, %k mask %m1 scale = 0.5 causal
      : (tensor<?x4x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x2x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x4x?x4xf32, #dhlo.dims<B, S>>
  %q16 = dhlo.convert %q : (tensor<?x4x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x4xf16, #dhlo.dims<B, S>>
  %k16 = dhlo.convert %k : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf16, #dhlo.dims<B, S>>
  %7 = dhlo.attention %q16, %k16, %k16 scale = 0.5 cap = 0.25
      : (tensor<?x4x?x4xf16, #dhlo.dims<B, S>>, tensor<?x2x?x4xf16, #dhlo.dims<B, S>>, tensor<?x2x?x4xf16, #dhlo.dims<B, S>>) -> tensor<?x4x?x4xf16, #dhlo.dims<B, S>>
  %q64 = dhlo.convert %q : (tensor<?x4x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x4xf64, #dhlo.dims<B, S>>
  %k64 = dhlo.convert %k : (tensor<?x2x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x4xf64, #dhlo.dims<B, S>>
  %8 = dhlo.attention %q64, %k64, %k64 mask %m1 scale = 0.5 causal
      : (tensor<?x4x?x4xf64, #dhlo.dims<B, S>>, tensor<?x2x?x4xf64, #dhlo.dims<B, S>>, tensor<?x2x?x4xf64, #dhlo.dims<B, S>>, tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x4x?x4xf64, #dhlo.dims<B, S>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<?x4x?x4xf32, #dhlo.dims<B, S>>, tensor<?x4x?x4xf16, #dhlo.dims<B, S>>, tensor<?x4x?x4xf64, #dhlo.dims<B, S>>
}
