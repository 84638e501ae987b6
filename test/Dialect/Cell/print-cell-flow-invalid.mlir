// RUN: dyn-opt %s -split-input-file -verify-diagnostics -dyn-print-cell-flow -o /dev/null

dhlo.dim @N

// expected-error @+1 {{expected axes of cells in [0, 2), found 2}}
func.func @beyond(%x: tensor<?x4xf32, #dhlo.dims<N>> {cell.axes = array<i64: 2>}) -> tensor<?x4xf32, #dhlo.dims<N>> {
  return %x : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N

// expected-error @+1 {{expected axes of cells in [0, 1), found -1}}
func.func @negative(%x: tensor<?xf32, #dhlo.dims<N>> {cell.axes = array<i64: -1>}) -> tensor<?xf32, #dhlo.dims<N>> {
  return %x : tensor<?xf32, #dhlo.dims<N>>
}
