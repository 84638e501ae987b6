// RUN: split-file %s %t
// RUN: dyn-opt %t/search.mlir --dist-plan=machine=%S/Inputs/machine.json 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t/remarks
// RUN: dyn-opt %t/small.mlir --dist-plan=machine=%S/Inputs/machine.json 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not dyn-opt %t/small.mlir --dist-plan=machine=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: dyn-compile %t/joined.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=B=64 | FileCheck %s --check-prefix=JOINED
// RUN: sed "s/1, 4096\]/4, 4096] multiple_of 4/" %t/joined.mlir > %t/even.mlir
// RUN: dyn-compile %t/even.mlir --plan=%S/Inputs/machine.json --plan-stages=1 --explain-at=B=64 | FileCheck %s --check-prefix=EVEN

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

// Blocks of an axis that is joined with others are blocks of both only if its
// size has the factor of the ranks. Else the rows are gathered for the reshape.

// JOINED:      1 dot_general: all, rows;
// JOINED-NEXT: 2 reshape: all, all; 0.000 ms
// JOINED-NEXT: 3 dot_general: all, rows;

// EVEN:      1 dot_general: all, rows;
// EVEN-NEXT: 2 dot_general: all, rows;
//--- joined.mlir
dhlo.dim @B in [1, 4096]
dhlo.dim @R = 64 * @B
func.func @main(%x: tensor<?x64x256xf32, #dhlo.dims<B>>) -> tensor<?x256xf32, #dhlo.dims<R>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 262144, key = "w"> : tensor<256x256xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x64x256xf32, #dhlo.dims<B>>, tensor<256x256xf32>) -> tensor<?x64x256xf32, #dhlo.dims<B>>
  %1 = dhlo.reshape %0 : (tensor<?x64x256xf32, #dhlo.dims<B>>) -> tensor<?x256xf32, #dhlo.dims<R>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x256xf32, #dhlo.dims<R>>, tensor<256x256xf32>) -> tensor<?x256xf32, #dhlo.dims<R>>
  return %2 : tensor<?x256xf32, #dhlo.dims<R>>
}
