dhlo.dim @N in [0, 512]

func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x16xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 512, key = "w"> : tensor<16x8xf32>
  %b = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %three = dhlo.constant dense<3> : tensor<i64>
  %e = dhlo.exp %x : tensor<?x16xf32, #dhlo.dims<N>>
  %r = cell.route(%e, %w, %b, %three) : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x8xf32>, tensor<8xf32>, tensor<i64>) -> !cell.routes<@N, 8, @N> {
  ^bb0(%cells: tensor<?x16xf32, #dhlo.dims<N>>, %gate: tensor<16x8xf32>, %bias: tensor<8xf32>, %c: tensor<i64>):
    %s = dhlo.dot_general %cells, %gate batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
    %w1, %ids = dhlo.top_k %s axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %ids : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @N>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %t = dhlo.tanh %rows : tensor<?x16xf32, #dhlo.dims<N>>
  %y = cell.combine %t, %r last : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 8, @N>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %y : tensor<?x16xf32, #dhlo.dims<N>>
}
