// Each size is a square of the one before: written out, the last would have terms of 1024 factors.
dhlo.dim @N0 in [1, 4]
dhlo.dim @N1 = @N0 * @N0 + @N0
dhlo.dim @N2 = @N1 * @N1 + @N1
dhlo.dim @N3 = @N2 * @N2 + @N2
dhlo.dim @N4 = @N3 * @N3 + @N3
dhlo.dim @N5 = @N4 * @N4 + @N4
dhlo.dim @N6 = @N5 * @N5 + @N5
dhlo.dim @N7 = @N6 * @N6 + @N6
dhlo.dim @N8 = @N7 * @N7 + @N7
dhlo.dim @N9 = @N8 * @N8 + @N8
dhlo.dim @N10 = @N9 * @N9 + @N9
dhlo.dim @N11 = @N10 * @N10 + @N10
dhlo.dim @N12 = @N11 * @N11 + @N11
dhlo.dim @N13 = @N12 * @N12 + @N12
dhlo.dim @N14 = @N13 * @N13 + @N13
dhlo.dim @N15 = @N14 * @N14 + @N14
dhlo.dim @N16 = @N15 * @N15 + @N15
dhlo.dim @N17 = @N16 * @N16 + @N16
dhlo.dim @N18 = @N17 * @N17 + @N17
dhlo.dim @N19 = @N18 * @N18 + @N18
dhlo.dim @N20 = @N19 * @N19 + @N19
dhlo.dim @N21 = @N20 * @N20 + @N20
dhlo.dim @N22 = @N21 * @N21 + @N21
dhlo.dim @N23 = @N22 * @N22 + @N22
dhlo.dim @N24 = @N23 * @N23 + @N23
dhlo.dim @N25 = @N24 * @N24 + @N24
dhlo.dim @N26 = @N25 * @N25 + @N25
dhlo.dim @N27 = @N26 * @N26 + @N26
dhlo.dim @N28 = @N27 * @N27 + @N27
dhlo.dim @N29 = @N28 * @N28 + @N28
dhlo.dim @N30 = @N29 * @N29 + @N29
dhlo.dim @N31 = @N30 * @N30 + @N30
dhlo.dim @N32 = @N31 * @N31 + @N31
dhlo.dim @N33 = @N32 * @N32 + @N32
dhlo.dim @N34 = @N33 * @N33 + @N33
dhlo.dim @N35 = @N34 * @N34 + @N34

func.func @main(%x: tensor<?xf32, #dhlo.dims<N0>>)
    -> tensor<?xf32, #dhlo.dims<N35>> attributes {dhlo.entry} {
  %c = dhlo.constant dense<1.0> : tensor<f32>
  %0 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N35>>
  return %0 : tensor<?xf32, #dhlo.dims<N35>>
}
