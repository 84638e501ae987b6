// Every form of a transform has the values of the plain sums: interpreted, for a
// device as well, and compiled.
// DEFINE: %{some} = --input x0=random:5x5 --input x1=random:5x5x3 --input z1=random:5x5x3 --input x2=random:5x4 --input z2=random:5x4 --input x3=random:5x7
// DEFINE: %{more} = --input x4=random:5x131 --input x5=random:5x131x3 --input z5=random:5x131x3 --input x6=random:5x66 --input z6=random:5x66 --input x7=random:5x132
// DEFINE: %{rest} = --input z7=random:5x132 --input x8=random:5x131 --input x9=random:5x34 --input x10=random:5x18x3 --input z10=random:5x18x3 --input x11=random:5x288 --input z11=random:5x288
// DEFINE: %{inputs} = %{some} %{more} %{rest} --seed=3
// RUN: dyn-run --reference %s %{inputs} --output %t.npz
// RUN: dyn-opt %s -dhlo-expand-fourier -o %t.mlir
// RUN: dyn-run --reference %t.mlir %{inputs} --check %t.npz --tolerance 2e-6
// RUN: dyn-opt %s -dhlo-expand-fourier=device -o %t.device.mlir
// RUN: dyn-run --reference %t.device.mlir %{inputs} --check %t.npz --tolerance 2e-6
// RUN: dyn-compile %s -o %t.so --isa=v3
// RUN: dyn-run %t.so %{inputs} --check %t.npz --tolerance 2e-6

dhlo.dim @B
dhlo.dim @N
dhlo.dim @H = @N floordiv 2 + 1

func.func @main(%x0: tensor<?x5xf32, #dhlo.dims<B>> {dhlo.name = "x0"},
    %x1: tensor<?x5x3xf32, #dhlo.dims<B>> {dhlo.name = "x1"},
    %z1: tensor<?x5x3xf32, #dhlo.dims<B>> {dhlo.name = "z1"},
    %x2: tensor<?x4xf32, #dhlo.dims<B>> {dhlo.name = "x2"},
    %z2: tensor<?x4xf32, #dhlo.dims<B>> {dhlo.name = "z2"},
    %x3: tensor<?x7xf32, #dhlo.dims<B>> {dhlo.name = "x3"},
    %x4: tensor<?x131xf32, #dhlo.dims<B>> {dhlo.name = "x4"},
    %x5: tensor<?x131x3xf32, #dhlo.dims<B>> {dhlo.name = "x5"},
    %z5: tensor<?x131x3xf32, #dhlo.dims<B>> {dhlo.name = "z5"},
    %x6: tensor<?x66xf32, #dhlo.dims<B>> {dhlo.name = "x6"},
    %z6: tensor<?x66xf32, #dhlo.dims<B>> {dhlo.name = "z6"},
    %x7: tensor<?x132xf32, #dhlo.dims<B>> {dhlo.name = "x7"},
    %z7: tensor<?x132xf32, #dhlo.dims<B>> {dhlo.name = "z7"},
    %x8: tensor<?x131xf32, #dhlo.dims<B>> {dhlo.name = "x8"},
    %x9: tensor<?x?xf32, #dhlo.dims<B, N>> {dhlo.name = "x9"},
    %x10: tensor<?x?x3xf32, #dhlo.dims<B, H>> {dhlo.name = "x10"},
    %z10: tensor<?x?x3xf32, #dhlo.dims<B, H>> {dhlo.name = "z10"},
    %x11: tensor<?x288xf32, #dhlo.dims<B>> {dhlo.name = "x11"},
    %z11: tensor<?x288xf32, #dhlo.dims<B>> {dhlo.name = "z11"})
    -> (tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "a0"},
        tensor<?x3xf32, #dhlo.dims<B>> {dhlo.name = "b0"},
        tensor<?x5x3xf32, #dhlo.dims<B>> {dhlo.name = "a1"},
        tensor<?x5x3xf32, #dhlo.dims<B>> {dhlo.name = "b1"},
        tensor<?x6xf32, #dhlo.dims<B>> {dhlo.name = "a2"},
        tensor<?x7xf32, #dhlo.dims<B>> {dhlo.name = "a3"},
        tensor<?x7xf32, #dhlo.dims<B>> {dhlo.name = "b3"},
        tensor<?x66xf32, #dhlo.dims<B>> {dhlo.name = "a4"},
        tensor<?x66xf32, #dhlo.dims<B>> {dhlo.name = "b4"},
        tensor<?x131x3xf32, #dhlo.dims<B>> {dhlo.name = "a5"},
        tensor<?x131x3xf32, #dhlo.dims<B>> {dhlo.name = "b5"},
        tensor<?x131xf32, #dhlo.dims<B>> {dhlo.name = "a6"},
        tensor<?x262xf32, #dhlo.dims<B>> {dhlo.name = "a7"},
        tensor<?x131xf32, #dhlo.dims<B>> {dhlo.name = "a8"},
        tensor<?x131xf32, #dhlo.dims<B>> {dhlo.name = "b8"},
        tensor<?x?xf32, #dhlo.dims<B, H>> {dhlo.name = "a9"},
        tensor<?x?xf32, #dhlo.dims<B, H>> {dhlo.name = "b9"},
        tensor<?x?x3xf32, #dhlo.dims<B, N>> {dhlo.name = "a10"},
        tensor<?x288xf32, #dhlo.dims<B>> {dhlo.name = "a11"},
        tensor<?x288xf32, #dhlo.dims<B>> {dhlo.name = "b11"})
    attributes {dhlo.entry} {
  %a0, %b0 = dhlo.fft %x0 half axis = 1
      : (tensor<?x5xf32, #dhlo.dims<B>>) -> (tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>)
  %a1, %b1 = dhlo.fft inverse %x1, %z1 axis = 1
      : (tensor<?x5x3xf32, #dhlo.dims<B>>, tensor<?x5x3xf32, #dhlo.dims<B>>) -> (tensor<?x5x3xf32, #dhlo.dims<B>>, tensor<?x5x3xf32, #dhlo.dims<B>>)
  %a2 = dhlo.fft inverse %x2, %z2 half axis = 1
      : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x6xf32, #dhlo.dims<B>>
  %a3, %b3 = dhlo.fft inverse %x3 axis = 1
      : (tensor<?x7xf32, #dhlo.dims<B>>) -> (tensor<?x7xf32, #dhlo.dims<B>>, tensor<?x7xf32, #dhlo.dims<B>>)
  %a4, %b4 = dhlo.fft %x4 half axis = 1
      : (tensor<?x131xf32, #dhlo.dims<B>>) -> (tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>)
  %a5, %b5 = dhlo.fft inverse %x5, %z5 axis = 1
      : (tensor<?x131x3xf32, #dhlo.dims<B>>, tensor<?x131x3xf32, #dhlo.dims<B>>) -> (tensor<?x131x3xf32, #dhlo.dims<B>>, tensor<?x131x3xf32, #dhlo.dims<B>>)
  %a6 = dhlo.fft inverse %x6, %z6 half axis = 1
      : (tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>) -> tensor<?x131xf32, #dhlo.dims<B>>
  %a7 = dhlo.fft %x7, %z7 half axis = 1
      : (tensor<?x132xf32, #dhlo.dims<B>>, tensor<?x132xf32, #dhlo.dims<B>>) -> tensor<?x262xf32, #dhlo.dims<B>>
  %a8, %b8 = dhlo.fft inverse %x8 axis = 1
      : (tensor<?x131xf32, #dhlo.dims<B>>) -> (tensor<?x131xf32, #dhlo.dims<B>>, tensor<?x131xf32, #dhlo.dims<B>>)
  %a9, %b9 = dhlo.fft %x9 half axis = 1
      : (tensor<?x?xf32, #dhlo.dims<B, N>>) -> (tensor<?x?xf32, #dhlo.dims<B, H>>, tensor<?x?xf32, #dhlo.dims<B, H>>)
  %a10 = dhlo.fft inverse %x10, %z10 half axis = 1
      : (tensor<?x?x3xf32, #dhlo.dims<B, H>>, tensor<?x?x3xf32, #dhlo.dims<B, H>>) -> tensor<?x?x3xf32, #dhlo.dims<B, N>>
  %a11, %b11 = dhlo.fft %x11, %z11 axis = 1
      : (tensor<?x288xf32, #dhlo.dims<B>>, tensor<?x288xf32, #dhlo.dims<B>>) -> (tensor<?x288xf32, #dhlo.dims<B>>, tensor<?x288xf32, #dhlo.dims<B>>)
  return %a0, %b0, %a1, %b1, %a2, %a3, %b3, %a4, %b4, %a5, %b5, %a6, %a7, %a8, %b8, %a9, %b9, %a10, %a11, %b11
      : tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x3xf32, #dhlo.dims<B>>, tensor<?x5x3xf32, #dhlo.dims<B>>, tensor<?x5x3xf32, #dhlo.dims<B>>, tensor<?x6xf32, #dhlo.dims<B>>, tensor<?x7xf32, #dhlo.dims<B>>, tensor<?x7xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x66xf32, #dhlo.dims<B>>, tensor<?x131x3xf32, #dhlo.dims<B>>, tensor<?x131x3xf32, #dhlo.dims<B>>, tensor<?x131xf32, #dhlo.dims<B>>, tensor<?x262xf32, #dhlo.dims<B>>, tensor<?x131xf32, #dhlo.dims<B>>, tensor<?x131xf32, #dhlo.dims<B>>, tensor<?x?xf32, #dhlo.dims<B, H>>, tensor<?x?xf32, #dhlo.dims<B, H>>, tensor<?x?x3xf32, #dhlo.dims<B, N>>, tensor<?x288xf32, #dhlo.dims<B>>, tensor<?x288xf32, #dhlo.dims<B>>
}
