// What the program says of its shardings is kept by plans: the first matmul is
// divided by columns, the second by rows of its value.

// RUN: dyn-compile %s --plan=%S/Inputs/machine.json --explain-at=N=4096 | FileCheck %s

// CHECK: plan of main: stages 1
// CHECK: mesh 2 x 2
// CHECK: 1 dot_general: {{all|rows}}, columns;
// CHECK: 2 dot_general: all, rows;

dist.mesh @mesh ["data" = 2, "model" = 2]
dhlo.dim @N in [1, 65536]

func.func @main(%x: tensor<?x1024xf32, #dhlo.dims<N>> {dhlo.name = "x"}) -> tensor<?x16xf32, #dhlo.dims<N>>
    attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 8388608, key = "w0"> : tensor<1024x2048xf32>
  %w1 = dhlo.weight <"w.bin", offset = 8388608, length = 131072, key = "w1"> : tensor<2048x16xf32>
  %v0 = dist.reshard %w0 : tensor<1024x2048xf32> to <@mesh, [[], ["model"]]>
  %0 = dhlo.dot_general %x, %v0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<1024x2048xf32>) -> tensor<?x2048xf32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %0, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x2048xf32, #dhlo.dims<N>>, tensor<2048x16xf32>) -> tensor<?x16xf32, #dhlo.dims<N>>
  %2 = dist.reshard %1 : tensor<?x16xf32, #dhlo.dims<N>> to <@mesh, [["model"], []]>
  return %2 : tensor<?x16xf32, #dhlo.dims<N>>
}
