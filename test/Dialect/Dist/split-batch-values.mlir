// RUN: dyn-opt %s --dist-split-batch --dist-propagate --dist-partition --canonicalize --cse --dhlo-verify-dims -o %t
// RUN: FileCheck %s --check-prefix=ORDER --input-file=%t
// RUN: dyn-run %s --reference --input x=random:7x4 > %t.expected
// RUN: dyn-run %t --reference --entry main --input x=random:7x4 | diff %t.expected -
// RUN: dyn-run %t --reference --entry main_1 --input x=random:7x4 | diff %t.expected -
// RUN: dyn-run %s --reference --input x=random:1x4 > %t.expected
// RUN: dyn-run %t --reference --entry main_2 --input x=random:1x4 | diff %t.expected -

// Three blocks of seven rows, or of one, go through three stages. The one in the middle begins to receive the next
// block before it computes one, and to send a block before it waits for the one before it.

// ORDER-LABEL: func.func @main_1
// ORDER:       %[[R0:.*]] = dist.exchange_start %{{.*}} among [1, 0]
// ORDER:       %[[X0:.*]] = dist.exchange_wait %[[R0]]
// ORDER:       %[[R1:.*]] = dist.exchange_start %{{.*}} among [1, 0]
// ORDER:       %[[Y0:.*]] = dhlo.exp %[[X0]]
// ORDER:       %[[S0:.*]] = dist.exchange_start %[[Y0]] among [1, 2]
// ORDER:       %[[X1:.*]] = dist.exchange_wait %[[R1]]
// ORDER:       dist.exchange_start %{{.*}} among [1, 0]
// ORDER:       %[[Y1:.*]] = dhlo.exp %[[X1]]
// ORDER:       dist.exchange_wait %[[S0]]
// ORDER:       dist.exchange_start %[[Y1]] among [1, 2]

dist.mesh @first ["m" = 1]
dist.mesh @second ["m" = 1] first = 1
dist.mesh @third ["m" = 1] first = 2
dhlo.dim @B in [0, 64]
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<B>> {dhlo.name = "x"})
    -> (tensor<?x4xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry, dist.micro_batches = 3 : i64} {
  %0 = dist.reshard %x : tensor<?x4xf32, #dhlo.dims<B>> to <@first, [[], []]>
  %1 = dhlo.tanh %0 : tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dist.reshard %1 : tensor<?x4xf32, #dhlo.dims<B>> to <@second, [[], []]>
  %3 = dhlo.exp %2 : tensor<?x4xf32, #dhlo.dims<B>>
  %4 = dist.reshard %3 : tensor<?x4xf32, #dhlo.dims<B>> to <@third, [[], []]>
  %5 = dhlo.softmax %4 axis = 1 : tensor<?x4xf32, #dhlo.dims<B>>
  return %5 : tensor<?x4xf32, #dhlo.dims<B>>
}
