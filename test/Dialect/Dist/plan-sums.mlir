// A plan that may divide sums has all of them computed in segments, which the sums of a divided matmul are divided by. So one rank
// has the bits of more. A sum that has no equal segments, is left.

// RUN: echo '{"ranks": 4, "rank": {"flops": 5e9, "bytesPerSecond": 1e9, "memoryBytes": 1e9, "kernelSeconds": 1e-9}, "links": [{"ranks": 1, "bytesPerSecond": 1e12, "seconds": 1e-9}]}' > %t.many.json
// RUN: sed 's/"ranks": 4/"ranks": 1/' %t.many.json > %t.one.json
// RUN: dyn-opt %s '--dist-plan=machine=%t.many.json segments=4 at=N=1 stages=1' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: dyn-opt %s '--dist-plan=machine=%t.one.json segments=4 at=N=1' 2>%t.remark | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remark
// RUN: dyn-opt %s '--dist-plan=machine=%t.one.json segments=512 at=N=1' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dyn-opt %s '--dist-plan=machine=%t.one.json segments=6' 2>&1 | FileCheck %s --check-prefix=POWER

// REMARK: remark: plan: one rank is fastest
// ONE: dist.mesh @plan ["outer" = 1, "inner" = 1]
// NONE: remark: plan: one rank is fastest
// NONE-NOT: dist.
// POWER: error: expected a power of two segments, found 6

// CHECK-LABEL: func.func @main
// MANY: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@plan, pair = 0, axes = [{{.*}}"inner"], segments = 4>} : {{.*}}tensor<16x256xf32>
// MANY: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@plan, pair = 0, axes = [{{.*}}"inner"], segments = 4>} : {{.*}}tensor<256x18xf32>
// ONE: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@plan, pair = 0, axes = [], segments = 4>} : {{.*}}tensor<16x256xf32>
// ONE: dhlo.dot_general {{.*}} {dist.sums = #dist.sums<@plan, pair = 0, axes = [], segments = 4>} : {{.*}}tensor<256x18xf32>
// CHECK: dhlo.dot_general
// CHECK-NOT: dist.sums
// CHECK: return
dhlo.dim @N
func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x3xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 16384, key = "w0"> : tensor<16x256xf32>
  %w1 = dhlo.weight <"w.bin", offset = 16384, length = 18432, key = "w1"> : tensor<256x18xf32>
  %w2 = dhlo.weight <"w.bin", offset = 34816, length = 216, key = "w2"> : tensor<18x3xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x16xf32, #dhlo.dims<N>>, tensor<16x256xf32>) -> tensor<?x256xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x256xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x256xf32, #dhlo.dims<N>>, tensor<256x18xf32>) -> tensor<?x18xf32, #dhlo.dims<N>>
  %3 = dhlo.tanh %2 : tensor<?x18xf32, #dhlo.dims<N>>
  %4 = dhlo.dot_general %3, %w2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x18xf32, #dhlo.dims<N>>, tensor<18x3xf32>) -> tensor<?x3xf32, #dhlo.dims<N>>
  return %4 : tensor<?x3xf32, #dhlo.dims<N>>
}
