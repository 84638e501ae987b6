// RUN: dyn-opt %s '--dist-plan=machine=%S/Inputs/machine-small.json at=N=512 stages=2' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: dyn-opt %s '--dist-plan=machine=%S/Inputs/machine-small.json at=N=512 stages=2 micro-batches=16' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: not dyn-opt %s '--dist-plan=machine=%S/Inputs/machine-small.json at=N=4 stages=2 micro-batches=8' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MANY

// No rank has the memory for all weights.

// REMARK: remark: plan: 2 ranks, 2 stages, 8 micro-batches, {{[0-9]+}} microseconds
// GIVEN: remark: plan: 2 ranks, 2 stages, 16 micro-batches,
// The second stage gets a value of the first one.

// MANY: error: plan: expected at most 4 micro-batches, found 8

// CHECK: dist.mesh @stage0 ["outer" = 1, "inner" = 1]
// CHECK: dist.mesh @stage1 ["outer" = 1, "inner" = 1] first = 1
// CHECK-LABEL: func.func @main
// CHECK-SAME:  dist.micro_batches = 8 : i64
// CHECK-NOT:   dist.sharding
// CHECK: %[[X:.*]] = dist.reshard %{{.*}} : tensor<?x784xf32, #dhlo.dims<N>> to <@stage0, {{\[\[}}], []]>
// CHECK: %[[Y:.*]] = dhlo.dot_general %[[X]]
// CHECK: %[[Z:.*]] = dhlo.tanh %[[Y]]
// CHECK: %[[T:.*]] = dist.reshard %[[Z]] : tensor<?x512xf32, #dhlo.dims<N>> to <@stage1, {{\[\[}}], []]>
// CHECK: dhlo.dot_general %[[T]]
dhlo.dim @N
func.func @main(%x: tensor<?x784xf32, #dhlo.dims<N>>) -> tensor<?x10xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 1605632, key = "w0"> : tensor<784x512xf32>
  %w1 = dhlo.weight <"w.bin", offset = 1605632, length = 1048576, key = "w1"> : tensor<512x512xf32>
  %w2 = dhlo.weight <"w.bin", offset = 2654208, length = 20480, key = "w2"> : tensor<512x10xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x784xf32, #dhlo.dims<N>>, tensor<784x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x512xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %3 = dhlo.tanh %2 : tensor<?x512xf32, #dhlo.dims<N>>
  %4 = dhlo.dot_general %3, %w2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x10xf32>) -> tensor<?x10xf32, #dhlo.dims<N>>
  return %4 : tensor<?x10xf32, #dhlo.dims<N>>
}
