// Sizes that are short by themselves, and long together.
dhlo.dim @A in [1, 4]
dhlo.dim @B in [1, 4]
dhlo.dim @C in [1, 4]
dhlo.dim @D in [1, 4]
dhlo.dim @N0 = @A + @B + @C + @D
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N = @N1 * @N1

func.func @main(%x: tensor<?x?x?x?xf32, #dhlo.dims<A, B, C, D>>)
    -> tensor<?x?x?xf32, #dhlo.dims<N, N, N>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<1.0> : tensor<f32>
  %0 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x?x?xf32, #dhlo.dims<N, N, N>>
  return %0 : tensor<?x?x?xf32, #dhlo.dims<N, N, N>>
}
