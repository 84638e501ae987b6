// A bias over rows, for the tests of dyn-compile.
dhlo.dim @N in [1, 4096]
func.func @main(%x: tensor<?x384xf32, #dhlo.dims<N>> {dhlo.name = "x"},
                %b: tensor<384xf32> {dhlo.name = "b"})
    -> (tensor<?x384xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.broadcast %b axes = [1]
      : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
  %1 = dhlo.add %x, %0 : tensor<?x384xf32, #dhlo.dims<N>>
  return %1 : tensor<?x384xf32, #dhlo.dims<N>>
}
