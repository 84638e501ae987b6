// A matmul with helpers, and a softmax of 32 columns, for the tests of the cache of kernels.
dhlo.dim @B in [1, 64]
func.func @main(%x: tensor<?x64xf32, #dhlo.dims<B>> {dhlo.name = "x"},
                %w: tensor<64x32xf32> {dhlo.name = "w"})
    -> (tensor<?x32xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<B>>, tensor<64x32xf32>) -> tensor<?x32xf32, #dhlo.dims<B>>
  %1 = dhlo.softmax %0 axis = 1 : tensor<?x32xf32, #dhlo.dims<B>>
  return %1 : tensor<?x32xf32, #dhlo.dims<B>>
}
