// The softmax of rows.mlir under another name and at another place: the one before it takes its name.
dhlo.dim @N in [1, 64]
func.func @main(%x: tensor<?x48xf32, #dhlo.dims<N>> {dhlo.name = "x"},
                %y: tensor<?x32xf32, #dhlo.dims<N>> {dhlo.name = "y"})
    -> (tensor<?x48xf32, #dhlo.dims<N>> {dhlo.name = "p"},
        tensor<?x32xf32, #dhlo.dims<N>> {dhlo.name = "q"}) attributes {dhlo.entry} {
  %0 = dhlo.softmax %x axis = 1 : tensor<?x48xf32, #dhlo.dims<N>>
  %1 = dhlo.softmax %y axis = 1 : tensor<?x32xf32, #dhlo.dims<N>>
  return %0, %1 : tensor<?x48xf32, #dhlo.dims<N>>, tensor<?x32xf32, #dhlo.dims<N>>
}
