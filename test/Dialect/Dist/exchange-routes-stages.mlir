// RUN: split-file %s %t
// RUN: dyn-opt %t/two.mlir --dist-split-batch --dist-exchange-routes -o %t/parts.mlir
// RUN: FileCheck %s --input-file=%t/parts.mlir
// RUN: dyn-run %t/two.mlir --reference --input x=random:7x2 > %t/expected
// RUN: dyn-run %t/parts.mlir --reference --entry main --input x=random:7x2 | diff %t/expected -
// RUN: dyn-run %t/parts.mlir --reference --entry main_1 --input x=random:7x2 | diff %t/expected -
// RUN: dyn-run %t/parts.mlir --reference --entry main_2 --input x=random:7x2 | diff %t/expected -
// RUN: dyn-opt %t/first.mlir --dist-partition -o %t/local.mlir
// RUN: FileCheck %s --check-prefix=SENT --input-file=%t/local.mlir
// RUN: dyn-opt %t/local.mlir --dist-exchange-routes -o %t/parts.mlir
// RUN: dyn-run %t/first.mlir --reference --input x=random:7x2 > %t/expected
// RUN: dyn-run %t/parts.mlir --reference --entry main --input x=random:7x2 | diff %t/expected -
// RUN: not dyn-opt %t/rank.mlir --dist-exchange-routes 2>&1 | FileCheck %s --check-prefix=RANK

// Two blocks of the batch go through two stages. The paths of a router are on the ranks of its stage, counted from its first.

// CHECK-LABEL: func.func @main_0
// CHECK-SAME:  stage = [0]>
// CHECK-NOT:   cell.route
// CHECK-LABEL: func.func @main_1
// CHECK-SAME:  stage = [1, 2]>
// CHECK:       cell.route
// CHECK:       dist.exchange_start %{{.*}} among [1, 2]
// CHECK-LABEL: func.func @main_2
// CHECK:       dist.exchange_start %{{.*}} among [1, 2]
//--- two.mlir
dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 2] first = 1
dhlo.dim @N in [0, 64]
func.func @main(%x: tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry, dist.micro_batches = 2 : i64} {
  %0 = dist.reshard %x : tensor<?x2xf32, #dhlo.dims<N>> to <@early, [[], []]>
  %1 = dhlo.tanh %0 : tensor<?x2xf32, #dhlo.dims<N>>
  %2 = dist.reshard %1 : tensor<?x2xf32, #dhlo.dims<N>> to <@late, [[], []]>
  %r = cell.route(%2) : (tensor<?x2xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<N>>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%w : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 1, 0>}
  %rows = cell.dispatch %2, %r : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %s = dhlo.softmax %rows axis = 1 : tensor<?x2xf32, #dhlo.dims<N>>
  %y = cell.combine %s, %r sum : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  return %y : tensor<?x2xf32, #dhlo.dims<N>>
}

// One rank of the first stage sends what all of it combine.

// SENT-LABEL: func.func @main_1
// SENT:       %[[Y:.*]] = cell.combine
// SENT-NOT:   exchange_start %[[Y]]
// SENT-LABEL: func.func @main_2
// SENT-NOT:   cell.combine
//--- first.mlir
dist.mesh @early ["m" = 2]
dist.mesh @late ["m" = 1] first = 2
dhlo.dim @N in [0, 64]
func.func @main(%x: tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dist.reshard %x : tensor<?x2xf32, #dhlo.dims<N>> to <@early, [[], []]>
  %r = cell.route(%0) : (tensor<?x2xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<N>>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %i weights(%w : tensor<?x1xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 1, 0>}
  %rows = cell.dispatch %0, %r : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %s = dhlo.softmax %rows axis = 1 : tensor<?x2xf32, #dhlo.dims<N>>
  %y = cell.combine %s, %r sum : (tensor<?x2xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %1 = dist.reshard %y : tensor<?x2xf32, #dhlo.dims<N>> to <@late, [[], []]>
  %2 = dhlo.tanh %1 : tensor<?x2xf32, #dhlo.dims<N>>
  return %2 : tensor<?x2xf32, #dhlo.dims<N>>
}

// RANK: error: 'cell.route' op expected one of 1 ranks for each of 2 paths, found array<i64: 1, 0>
//--- rank.mlir
dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
func.func @main(%x: tensor<7x2xf32>) -> tensor<7x2xf32> attributes {dhlo.entry} {
  %0 = dist.reshard %x : tensor<7x2xf32> to <@late, [[], []]>
  %r = cell.route(%0) : (tensor<7x2xf32>) -> !cell.routes<7, 2, 7> {
  ^bb0(%a: tensor<7x2xf32>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<7x2xf32>) -> (tensor<7x1xf32>, tensor<7x1xi64>)
    cell.choose %i weights(%w : tensor<7x1xf32>) : tensor<7x1xi64>
  } {dist.placement = array<i64: 1, 0>}
  %rows = cell.dispatch %0, %r : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  %y = cell.combine %rows, %r sum : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}
