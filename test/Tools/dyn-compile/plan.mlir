// Plans of a perceptron of three matmuls for four ranks. With many rows, the
// rows are divided; with one, the columns of the larger matmuls.

// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=4096 | FileCheck %s --check-prefix=ROWS
// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=N=1 | FileCheck %s --check-prefix=COLUMNS
// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --plan-stages=2 --plan-micro-batches=8 --explain-at=N=4096 --explain=json | FileCheck %s --check-prefix=JSON
// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --plan-stages=1 --plan-divide-sums --explain-at=N=3 | FileCheck %s --check-prefix=SUMS
// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --explain=html -o %t.html --explain-at=N=4096
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html

// ROWS: plan of main: stages 1, micro-batches 1,
// ROWS: mesh 1 x 4
// ROWS: memory of a rank: weights 25.297 MB
// ROWS: 0 x: all, all;
// ROWS: 1 dot_general: all, rows;
// ROWS: 2 dot_general: all, rows;
// ROWS: 3 dot_general: all, rows;

// COLUMNS: 1 dot_general: all, columns;
// COLUMNS: 2 dot_general: all, columns;
// COLUMNS: bytes between layers that change rank
// COLUMNS-NEXT: 1 to 2: 0.0{{[0-9]*}} MB
// COLUMNS: of 1 rank: 0.0{{[0-9]*}} MB

// JSON: "entry": "main"
// JSON: "micro_batches": 8
// JSON: "stages"

// SUMS: 1 dot_general: all, columns;
// SUMS: 2 dot_general: all, sum;

// PAGE: <svg
// PAGE: <rect {{.*}}<title>1 dot_general, micro-batch 0</title>
// PAGE: plan of main

dhlo.dim @N in [1, 65536]

func.func @main(%x: tensor<?x1024xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> tensor<?x16xf32, #dhlo.dims<N>>
    attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 8388608, key = "w0"> : tensor<1024x2048xf32>
  %w1 = dhlo.weight <"w.bin", offset = 8388608, length = 16777216, key = "w1"> : tensor<2048x2048xf32>
  %w2 = dhlo.weight <"w.bin", offset = 25165824, length = 131072, key = "w2"> : tensor<2048x16xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<1024x2048xf32>) -> tensor<?x2048xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x2048xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x2048xf32, #dhlo.dims<N>>, tensor<2048x2048xf32>) -> tensor<?x2048xf32, #dhlo.dims<N>>
  %3 = dhlo.tanh %2 : tensor<?x2048xf32, #dhlo.dims<N>>
  %4 = dhlo.dot_general %3, %w2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x2048xf32, #dhlo.dims<N>>, tensor<2048x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %4 : tensor<?x16xf32, #dhlo.dims<N>>
}
