dhlo.dim @N in [0, 64]
func.func @main(%x: tensor<?x8x5x3xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %y: tensor<3x8x16xf32> {dhlo.name = "y"})
    -> (tensor<?x5x16xf32, #dhlo.dims<N>> {dhlo.name = "z"}) attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1, 3] rhs_contract = [1, 0]
      : (tensor<?x8x5x3xf32, #dhlo.dims<N>>, tensor<3x8x16xf32>) -> tensor<?x5x16xf32, #dhlo.dims<N>>
  return %0 : tensor<?x5x16xf32, #dhlo.dims<N>>
}
