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

// -----

// Without a name there is nothing to number cells by, whichever axis is theirs.
// expected-error @+1 {{expected a name for the size of axis 1 of cells, found 'tensor<4x?xf32>'}}
func.func @unnamed(%x: tensor<4x?xf32> {cell.axes = array<i64: 1>}) -> tensor<4x?xf32> {
  return %x : tensor<4x?xf32>
}
