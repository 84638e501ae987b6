// A plan makes no micro-batches where `dist-split-batch` would refuse them, and says why. Asked for them, it says the same.

// RUN: dyn-opt %s '--dist-plan=machine=%S/Inputs/machine-small.json at=N=64 stages=2' 2>&1 | FileCheck %s
// RUN: dyn-compile %s --plan=%S/Inputs/machine-small.json --explain-at=N=64 --plan-stages=2 --remarks-filter=dist-plan 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WHY
// RUN: not dyn-compile %s --plan=%S/Inputs/machine-small.json --explain-at=N=64 --plan-micro-batches=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ASKED

// CHECK: remark: plan: 2 ranks, 2 stages, {{[0-9]+}} microseconds
// CHECK-NOT: dist.micro_batches
// WHY-DAG: plan-one-batch.mlir:[[#@LINE+15]]:{{.*}}makes no micro-batches: expected rows to be computed apart, found that they are read together along axis 0 of an operand
// WHY-DAG: stages 2, micro-batches 1
// ASKED: plan-one-batch.mlir:[[#@LINE+13]]:{{.*}}: error: 'dhlo.softmax' op micro-batches: expected rows to be computed apart, found that they are read together
dhlo.dim @N
func.func @main(%x: tensor<?x784xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x10xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 1605632, key = "w0"> : tensor<784x512xf32>
  %w1 = dhlo.weight <"w.bin", offset = 1605632, length = 1048576, key = "w1"> : tensor<512x512xf32>
  %w2 = dhlo.weight <"w.bin", offset = 2654208, length = 20480, key = "w2"> : tensor<512x10xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x784xf32, #dhlo.dims<N>>, tensor<784x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x512xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %3 = dhlo.tanh %2 : tensor<?x512xf32, #dhlo.dims<N>>
  %4 = dhlo.softmax %3 axis = 0 : tensor<?x512xf32, #dhlo.dims<N>>
  %5 = dhlo.dot_general %4, %w2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x10xf32>) -> tensor<?x10xf32, #dhlo.dims<N>>
  return %5 : tensor<?x10xf32, #dhlo.dims<N>>
}
