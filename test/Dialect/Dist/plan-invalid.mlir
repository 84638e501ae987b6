// RUN: split-file %s %t
// RUN: not dyn-compile %t/axis.mlir --plan=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not dyn-compile %t/meshes.mlir --plan=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=MESHES
// RUN: not dyn-compile %t/weight.mlir --plan=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=WEIGHT

// AXIS: axis.mlir:{{.*}}: error: plan: expected a sharding of rows (axis 0) and columns (axis 2), found one of axis 1
//--- axis.mlir
dist.mesh @mesh ["model" = 2]
func.func @main(%x: tensor<8x4x6xf32> {dhlo.name = "x"}) -> tensor<8x4x6xf32> attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<8x4x6xf32>
  %1 = dist.reshard %0 : tensor<8x4x6xf32> to <@mesh, [[], ["model"], []]>
  return %1 : tensor<8x4x6xf32>
}

// MESHES: meshes.mlir:{{.*}}: error: plan: expected one mesh, found @b beside @a
//--- meshes.mlir
dist.mesh @a ["model" = 2]
dist.mesh @b ["model" = 2]
func.func @main(%x: tensor<8x4xf32> {dhlo.name = "x", dist.sharding = #dist.sharding<@a, [["model"], []]>})
    -> tensor<8x4xf32> attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<8x4xf32>
  %1 = dist.reshard %0 : tensor<8x4xf32> to <@b, [["model"], []]>
  return %1 : tensor<8x4xf32>
}

// WEIGHT: weight.mlir:{{.*}}: error: plan: expected a weight that is divided by columns, or by the sum of a contraction, found
//--- weight.mlir
dist.mesh @mesh ["model" = 2]
func.func @main(%x: tensor<8x4xf32> {dhlo.name = "x"}) -> tensor<8x4xf32> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %v = dist.reshard %w : tensor<8x4xf32> to <@mesh, [["model"], []]>
  %0 = dhlo.add %x, %v : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
