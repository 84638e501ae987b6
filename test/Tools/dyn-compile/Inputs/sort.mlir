dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0, %1 = dhlo.sort %x axis = 1 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xi64, #dhlo.dims<N>>
  return %0 : tensor<?x4xf32, #dhlo.dims<N>>
}
