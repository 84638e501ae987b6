// A size that nothing declares.
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>)
    -> tensor<?xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<N>>
  return %0 : tensor<?xf32, #dhlo.dims<N>>
}
