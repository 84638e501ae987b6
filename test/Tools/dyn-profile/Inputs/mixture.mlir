// Two layers of experts: two of four for each token, then one of four by
// priority and with a capacity.

dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N

func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 1 seed = 1 : tensor<16x4xf32>
  %g2 = dhlo.rng normal low = 0.0 high = 1.0 stream = 2 seed = 1 : tensor<16x4xf32>
  %up = dhlo.rng normal low = 0.0 high = 0.25 stream = 3 seed = 1 : tensor<4x16x16xf32>
  %down = dhlo.rng normal low = 0.0 high = 0.25 stream = 4 seed = 1 : tensor<4x16x16xf32>
  %r = cell.route(%x, %g) key = "layers.0.mlp" : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x4xf32>) -> !cell.routes<@N, 4, @R> {
  ^bb0(%cells: tensor<?x16xf32, #dhlo.dims<N>>, %gate: tensor<16x4xf32>):
    %s = dhlo.dot_general %cells, %gate batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %w, %ids = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    cell.choose %ids weights(%w : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  } {cell.label = "experts", cell.kind = "token"}
  %rows = cell.dispatch %x, %r : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @R>) -> tensor<?x16xf32, #dhlo.dims<R>>
  %o = cell.offsets %r : !cell.routes<@N, 4, @R> -> tensor<5xi64>
  %h = dhlo.grouped_dot %rows, %up, %o : (tensor<?x16xf32, #dhlo.dims<R>>, tensor<4x16x16xf32>, tensor<5xi64>) -> tensor<?x16xf32, #dhlo.dims<R>>
  %a = dhlo.tanh %h : tensor<?x16xf32, #dhlo.dims<R>>
  %y = cell.combine %a, %r sum : (tensor<?x16xf32, #dhlo.dims<R>>, !cell.routes<@N, 4, @R>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %r2 = cell.route(%y, %g2) capacity = <(@N + 1) ceildiv 2> key = "layers.1.mlp" : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x4xf32>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%cells: tensor<?x16xf32, #dhlo.dims<N>>, %gate: tensor<16x4xf32>):
    %s = dhlo.dot_general %cells, %gate batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %w, %ids = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    %p = dhlo.reshape %w : (tensor<?x1xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    cell.choose %ids priorities(%p : tensor<?xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.kind = "token"}
  %rows2 = cell.dispatch %y, %r2 : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %o2 = cell.offsets %r2 : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %z = dhlo.grouped_dot %rows2, %down, %o2 : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<4x16x16xf32>, tensor<5xi64>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %out = cell.combine %z, %r2, %y last : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>, tensor<?x16xf32, #dhlo.dims<N>>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %out : tensor<?x16xf32, #dhlo.dims<N>>
}
