// RUN: split-file %s %t
// RUN: dyn-opt %t/search.mlir --dist-plan=machine=%S/Inputs/machine.json 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t/remarks
// RUN: dyn-opt %t/small.mlir --dist-plan=machine=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not dyn-opt %t/small.mlir --dist-plan=machine=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE

// Rows of a matmul are divided, and its result is gathered.

// REMARK: remark: plan: 4 ranks, {{[0-9]+}} microseconds
// CHECK: dist.mesh @plan ["outer" = {{[12]}}, "inner" = {{[24]}}]
// CHECK-LABEL: func.func @main
// CHECK-SAME: dist.sharding = #dist.sharding<@plan, {{\[\[}}], []]>
// CHECK: %[[Y:.*]] = dhlo.dot_general
// CHECK: %[[R:.*]] = dist.reshard %[[Y]] : tensor<4096x512xf32> to <@plan, {{\[\[}}{{.*}}"inner"], []]>
// CHECK: return %[[R]]
//--- search.mlir
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x512xf32> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 2097152, key = "w"> : tensor<1024x512xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<4096x1024xf32>, tensor<1024x512xf32>) -> tensor<4096x512xf32>
  return %0 : tensor<4096x512xf32>
}

// SMALL: remark: plan: one rank is fastest
// NONE: error: machine: {{.*}}none.json: 
//--- small.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {dhlo.entry} {
  %0 = dhlo.tanh %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
