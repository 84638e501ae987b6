// RUN: dyn-opt %s --split-input-file --dist-exchange-routes --verify-diagnostics

// dist_c3
// expected-error @+1 {{expected 'dist.placement' to be an array of ranks, found 3}}
func.func @type() attributes {dist.placement = 3} {
  return
}

// -----

// dist_c3
// expected-error @+1 {{expected 'dist.placement' to be an array of ranks, found array<i64: 0, -1>}}
func.func @negative() attributes {dist.placement = array<i64: 0, -1>} {
  return
}

// -----

dhlo.dim @N
func.func @paths(%ids: tensor<?x1xi64, #dhlo.dims<N>>) attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-error @+1 {{expected one of 2 ranks for each of 3 paths, found array<i64: 0, 1>}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  return
}

// -----

dhlo.dim @N
func.func @ranks(%ids: tensor<?x1xi64, #dhlo.dims<N>>) attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-error @+1 {{expected one of 2 ranks for each of 2 paths, found array<i64: 0, 2>}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 2>}
  return
}
