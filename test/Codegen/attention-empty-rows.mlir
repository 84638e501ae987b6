// Rows whose keys are all removed, by booleans, by -inf or because they are before all keys:
// zeros or NaN in the interpreter, decomposed, and in the kernels of both targets. Without any
// key all are zeros.
// DEFINE: %{some} = --input q=random:2x4x7x16 --input k=random:2x2x5x16 --input mask=random:2x5:0:2 --seed=3
// DEFINE: %{removed} = --input q=random:2x4x3x16 --input k=random:2x2x5x16 --input mask=random:2x5:0:1 --seed=3
// DEFINE: %{none} = --input q=random:1x4x3x16 --input k=random:1x2x0x16 --input mask=random:1x0:0:2
// RUN: rm -rf %t && mkdir %t && dyn-compile %s -o %t/m.so --target=cpu,emu
// RUN: dyn-opt %s -dhlo-decompose -o %t/primitive.mlir
// RUN: dyn-run --reference %s %{some} --output %t/some.npz
// RUN: dyn-run --reference %s %{removed} --output %t/removed.npz
// RUN: dyn-run --reference %s %{none} --output %t/none.npz
// RUN: dyn-run --reference %t/primitive.mlir %{some} --check %t/some.npz --tolerance 4e-3
// RUN: dyn-run --reference %t/primitive.mlir %{removed} --check %t/removed.npz --tolerance 4e-3
// RUN: dyn-run --reference %t/primitive.mlir %{none} --check %t/none.npz
// RUN: dyn-run %t/m.so %{some} --check %t/some.npz --tolerance 4e-3
// RUN: dyn-run %t/m.so %{removed} --check %t/removed.npz --tolerance 4e-3
// RUN: dyn-run %t/m.so %{none} --check %t/none.npz
// RUN: dyn-run %t/m.so --device=emu %{some} --check %t/some.npz --tolerance 4e-3
// RUN: dyn-run %t/m.so --device=emu %{removed} --check %t/removed.npz --tolerance 4e-3
// RUN: dyn-run %t/m.so --device=emu %{none} --check %t/none.npz
dhlo.dim @B
dhlo.dim @S
dhlo.dim @T
func.func @main(%q: tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {dhlo.name = "q"}, %k: tensor<?x2x?x16xf32, #dhlo.dims<B, T>> {dhlo.name = "k"},
                %mask: tensor<?x?xi64, #dhlo.dims<B, T>> {dhlo.name = "mask"})
    -> (tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {dhlo.name = "zeros"}, tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {dhlo.name = "booleans"},
        tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {dhlo.name = "numbers"}, tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {dhlo.name = "causal"},
        tensor<?x4x?x16xf16, #dhlo.dims<B, S>> {dhlo.name = "half"})
    attributes {dhlo.entry} {
  %m0 = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, T>>) -> tensor<?x?xi1, #dhlo.dims<B, T>>
  %m = dhlo.reshape %m0 : (tensor<?x?xi1, #dhlo.dims<B, T>>) -> tensor<?x1x1x?xi1, #dhlo.dims<B, T>>
  %zero = dhlo.constant dense<0.0> : tensor<f32>
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %z = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, T>>
  %i = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, T>>
  %n = dhlo.select %m, %z, %i : tensor<?x1x1x?xi1, #dhlo.dims<B, T>>, tensor<?x1x1x?xf32, #dhlo.dims<B, T>>
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.25
      : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x1x1x?xi1, #dhlo.dims<B, T>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %1 = dhlo.attention %q, %k, %k mask %m scale = 0.25 nan_if_empty
      : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x1x1x?xi1, #dhlo.dims<B, T>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %2 = dhlo.attention %q, %k, %k mask %n scale = 0.25 nan_if_empty
      : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x1x1x?xf32, #dhlo.dims<B, T>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %3 = dhlo.attention %q, %k, %k scale = 0.25 causal nan_if_empty
      : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>, tensor<?x2x?x16xf32, #dhlo.dims<B, T>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %qh = dhlo.convert %q : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x16xf16, #dhlo.dims<B, S>>
  %kh = dhlo.convert %k : (tensor<?x2x?x16xf32, #dhlo.dims<B, T>>) -> tensor<?x2x?x16xf16, #dhlo.dims<B, T>>
  %4 = dhlo.attention %qh, %kh, %kh mask %m scale = 0.25 causal nan_if_empty
      : (tensor<?x4x?x16xf16, #dhlo.dims<B, S>>, tensor<?x2x?x16xf16, #dhlo.dims<B, T>>, tensor<?x2x?x16xf16, #dhlo.dims<B, T>>, tensor<?x1x1x?xi1, #dhlo.dims<B, T>>) -> tensor<?x4x?x16xf16, #dhlo.dims<B, S>>
  return %0, %1, %2, %3, %4 : tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x4x?x16xf16, #dhlo.dims<B, S>>
}
