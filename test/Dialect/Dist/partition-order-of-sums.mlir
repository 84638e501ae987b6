// RUN: dyn-compile %s --emit=dhlo | FileCheck %s

// A matmul with one column is a sum of each row on any number of ranks. The transpose after an exchange
// of columns in unequal blocks, folded into the matmul first, would have left a matmul, which adds in another order.

dist.mesh @mesh ["m" = 2]
dhlo.dim @N in [0, 512]

// CHECK-LABEL: func.func @main_0
// CHECK-NOT: dhlo.dot_general
// CHECK: dist.exchange_wait {{.*}} -> tensor<63x?xf32
// CHECK-NEXT: dhlo.transpose {{.*}} permutation = [1, 0]
// CHECK-NEXT: dhlo.reduce sum {{.*}} axes = [1]
// CHECK-NOT: dhlo.dot_general
// CHECK-LABEL: func.func @main_1
func.func @main(%x: tensor<?x63xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 252, key = "w"> : tensor<63x1xf32>
  %0 = dist.reshard %x : tensor<?x63xf32, #dhlo.dims<N>> to <@mesh, [[], ["m"]]>
  %1 = dhlo.tanh %0 : tensor<?x63xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x63xf32, #dhlo.dims<N>>, tensor<63x1xf32>) -> tensor<?x1xf32, #dhlo.dims<N>>
  return %2 : tensor<?x1xf32, #dhlo.dims<N>>
}
