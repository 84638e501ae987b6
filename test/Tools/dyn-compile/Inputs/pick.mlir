dhlo.dim @N in [1, 4096]

// Each update has its own index; the second result is an ordinary kernel.
func.func @main(%x: tensor<?x384xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %i: tensor<?x384xi64, #dhlo.dims<N>> {dhlo.name = "i"})
    -> (tensor<?x384xf32, #dhlo.dims<N>> {dhlo.name = "y"}, tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "z"}) attributes {dhlo.entry} {
  %0 = dhlo.scatter_elements %x, %i, %x add axis = 1 : (tensor<?x384xf32, #dhlo.dims<N>>, tensor<?x384xi64, #dhlo.dims<N>>, tensor<?x384xf32, #dhlo.dims<N>>) -> tensor<?x384xf32, #dhlo.dims<N>> loc("/pick")
  %1 = dhlo.reduce sum %x axes = [1] : (tensor<?x384xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
  return %0, %1 : tensor<?x384xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}
