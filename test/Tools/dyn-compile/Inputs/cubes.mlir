// Sizes that are short by themselves, and long together.
dhlo.dim @A in [1, 4]
dhlo.dim @B in [1, 4]
dhlo.dim @N0 = @A + @B
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
dhlo.dim @N = @N2 * @N2

func.func @main(%x: tensor<?x?xf32, #dhlo.dims<A, B>>)
    -> tensor<?x?x?xf32, #dhlo.dims<N, N, N>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<1.0> : tensor<f32>
  %0 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x?x?xf32, #dhlo.dims<N, N, N>>
  return %0 : tensor<?x?x?xf32, #dhlo.dims<N, N, N>>
}
