// RUN: dyn-opt %s --dist-plan=machine=%S/Inputs/machine-tables.json | FileCheck %s

// A table that is larger than the memory of a rank is divided by its own
// columns, also where arithmetic on indices, which has others, comes before it.

dhlo.dim @B in [1, 1024]

// CHECK-LABEL: func.func @main
func.func @main(%ids: tensor<?x6xi64, #dhlo.dims<B>> {dhlo.name = "ids"})
    -> tensor<?x6x64xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %table = dhlo.weight <"w.bin", offset = 0, length = 25600000, key = "table"> : tensor<100000x64xf32>
  %first = dhlo.constant dense<[0, 10, 200, 3000, 40000, 50000]> : tensor<6xi64>
  %0 = dhlo.broadcast %first axes = [1] : (tensor<6xi64>) -> tensor<?x6xi64, #dhlo.dims<B>>
  %1 = dhlo.add %ids, %0 : tensor<?x6xi64, #dhlo.dims<B>>
  // CHECK: %[[G:.*]] = dhlo.gather
  // CHECK: dist.reshard %[[G]] : {{.*}} to <@plan, {{\[\[}}], [], ["inner"]]>
  %2 = dhlo.gather %table, %1 axis = 0 batch = 0
      : (tensor<100000x64xf32>, tensor<?x6xi64, #dhlo.dims<B>>) -> tensor<?x6x64xf32, #dhlo.dims<B>>
  return %2 : tensor<?x6x64xf32, #dhlo.dims<B>>
}
