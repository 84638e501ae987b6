dhlo.dim @N in [0, 64]
func.func @main(%x: tensor<?x1xi64, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<2050xi64> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0, %1, %2 = dhlo.group %x : (tensor<?x1xi64, #dhlo.dims<N>>) -> (tensor<2050xi64>, tensor<?xi64, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
  return %0 : tensor<2050xi64>
}
