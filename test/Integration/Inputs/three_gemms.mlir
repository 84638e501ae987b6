// Three GEMMs, so that two values lie in the arena, and a kernel that
// reads nothing before them.
dhlo.dim @N in [0, 4096]
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"},
                %w: tensor<6x6xf32> {dhlo.name = "w"})
    -> (tensor<?x6xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x6xf32, #dhlo.dims<N>> loc("/positions/Range")
  %0 = dhlo.dot_general %i, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x6xf32, #dhlo.dims<N>>, tensor<6x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x6xf32, #dhlo.dims<N>>, tensor<6x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x6xf32, #dhlo.dims<N>>, tensor<6x6xf32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  return %2 : tensor<?x6xf32, #dhlo.dims<N>>
}
