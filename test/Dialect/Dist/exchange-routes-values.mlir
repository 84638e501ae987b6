// RUN: dyn-opt %s --dhlo-interpret -o /dev/null > %t.whole
// RUN: dyn-opt %s --dist-exchange-routes --dhlo-interpret -o /dev/null > %t.parts
// RUN: dyn-opt %s --dist-exchange-routes --convert-cell-to-dhlo --dhlo-interpret -o /dev/null > %t.lowered
// RUN: diff %t.whole %t.parts
// RUN: diff %t.whole %t.lowered
// RUN: FileCheck %s < %t.parts

// Seven cells with two of three paths each, of which one adds the sum of its rows. The ranks together
// compute what each computes alone: rank 0 has paths 0 and 2, rank 1 path 1, and rank 2 none.

// CHECK: @main_0
// CHECK: @main_2

dhlo.dim @K00
dhlo.dim @K01
dhlo.dim @K02
dhlo.dim @K10
dhlo.dim @K11
dhlo.dim @K12
dhlo.dim @K20
dhlo.dim @K21
dhlo.dim @K22

func.func @main_0() -> tensor<7x2xf32> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 3>} {
  %x = dhlo.constant dense<[[1.0, -2.0], [0.5, 3.0], [-1.5, 4.0], [2.5, 0.25], [-0.75, 8.0], [6.0, -3.0], [0.125, 1.0]]> : tensor<7x2xf32>
  %ids = dhlo.constant dense<[[2, 0], [1, 2], [0, 2], [2, 1], [-1, 2], [0, 1], [2, 0]]> : tensor<7x2xi64>
  %w = dhlo.constant dense<[[0.5, 0.25], [1.0, 2.0], [0.75, 0.5], [3.0, 1.0], [1.0, 0.5], [0.25, 2.0], [1.0, 1.0]]> : tensor<7x2xf32>
  %r = cell.route(%ids, %w) : (tensor<7x2xi64>, tensor<7x2xf32>) -> !cell.routes<7, 3, 14> {
  ^bb0(%i: tensor<7x2xi64>, %v: tensor<7x2xf32>):
    cell.choose %i weights(%v : tensor<7x2xf32>) : tensor<7x2xi64>
  } {dist.placement = array<i64: 0, 1, 0>}
  %rows = cell.dispatch %x, %r : (tensor<7x2xf32>, !cell.routes<7, 3, 14>) -> tensor<14x2xf32>
  %s = cell.switch %r counts [@K00, @K01, @K02] (%rows) : (!cell.routes<7, 3, 14>, tensor<14x2xf32>) -> tensor<14x2xf32> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K00>>):
    %0 = dhlo.tanh %a : tensor<?x2xf32, #dhlo.dims<K00>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K00>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K01>>):
    %0 = dhlo.exp %a : tensor<?x2xf32, #dhlo.dims<K01>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K01>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K02>>):
    %0 = dhlo.reduce sum %a axes = [0] : (tensor<?x2xf32, #dhlo.dims<K02>>) -> tensor<2xf32>
    %1 = dhlo.broadcast %0 axes = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #dhlo.dims<K02>>
    %2 = dhlo.add %a, %1 : tensor<?x2xf32, #dhlo.dims<K02>>
    dhlo.yield %2 : tensor<?x2xf32, #dhlo.dims<K02>>
  }
  %y = cell.combine %s, %r, %x sum : (tensor<14x2xf32>, !cell.routes<7, 3, 14>, tensor<7x2xf32>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}

func.func @main_1() -> tensor<7x2xf32> attributes {dist.part = #dist.part<"main", rank = 1, ranks = 3>} {
  %x = dhlo.constant dense<[[1.0, -2.0], [0.5, 3.0], [-1.5, 4.0], [2.5, 0.25], [-0.75, 8.0], [6.0, -3.0], [0.125, 1.0]]> : tensor<7x2xf32>
  %ids = dhlo.constant dense<[[2, 0], [1, 2], [0, 2], [2, 1], [-1, 2], [0, 1], [2, 0]]> : tensor<7x2xi64>
  %w = dhlo.constant dense<[[0.5, 0.25], [1.0, 2.0], [0.75, 0.5], [3.0, 1.0], [1.0, 0.5], [0.25, 2.0], [1.0, 1.0]]> : tensor<7x2xf32>
  %r = cell.route(%ids, %w) : (tensor<7x2xi64>, tensor<7x2xf32>) -> !cell.routes<7, 3, 14> {
  ^bb0(%i: tensor<7x2xi64>, %v: tensor<7x2xf32>):
    cell.choose %i weights(%v : tensor<7x2xf32>) : tensor<7x2xi64>
  } {dist.placement = array<i64: 0, 1, 0>}
  %rows = cell.dispatch %x, %r : (tensor<7x2xf32>, !cell.routes<7, 3, 14>) -> tensor<14x2xf32>
  %s = cell.switch %r counts [@K10, @K11, @K12] (%rows) : (!cell.routes<7, 3, 14>, tensor<14x2xf32>) -> tensor<14x2xf32> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K10>>):
    %0 = dhlo.tanh %a : tensor<?x2xf32, #dhlo.dims<K10>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K10>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K11>>):
    %0 = dhlo.exp %a : tensor<?x2xf32, #dhlo.dims<K11>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K11>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K12>>):
    %0 = dhlo.reduce sum %a axes = [0] : (tensor<?x2xf32, #dhlo.dims<K12>>) -> tensor<2xf32>
    %1 = dhlo.broadcast %0 axes = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #dhlo.dims<K12>>
    %2 = dhlo.add %a, %1 : tensor<?x2xf32, #dhlo.dims<K12>>
    dhlo.yield %2 : tensor<?x2xf32, #dhlo.dims<K12>>
  }
  %y = cell.combine %s, %r, %x sum : (tensor<14x2xf32>, !cell.routes<7, 3, 14>, tensor<7x2xf32>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}

func.func @main_2() -> tensor<7x2xf32> attributes {dist.part = #dist.part<"main", rank = 2, ranks = 3>} {
  %x = dhlo.constant dense<[[1.0, -2.0], [0.5, 3.0], [-1.5, 4.0], [2.5, 0.25], [-0.75, 8.0], [6.0, -3.0], [0.125, 1.0]]> : tensor<7x2xf32>
  %ids = dhlo.constant dense<[[2, 0], [1, 2], [0, 2], [2, 1], [-1, 2], [0, 1], [2, 0]]> : tensor<7x2xi64>
  %w = dhlo.constant dense<[[0.5, 0.25], [1.0, 2.0], [0.75, 0.5], [3.0, 1.0], [1.0, 0.5], [0.25, 2.0], [1.0, 1.0]]> : tensor<7x2xf32>
  %r = cell.route(%ids, %w) : (tensor<7x2xi64>, tensor<7x2xf32>) -> !cell.routes<7, 3, 14> {
  ^bb0(%i: tensor<7x2xi64>, %v: tensor<7x2xf32>):
    cell.choose %i weights(%v : tensor<7x2xf32>) : tensor<7x2xi64>
  } {dist.placement = array<i64: 0, 1, 0>}
  %rows = cell.dispatch %x, %r : (tensor<7x2xf32>, !cell.routes<7, 3, 14>) -> tensor<14x2xf32>
  %s = cell.switch %r counts [@K20, @K21, @K22] (%rows) : (!cell.routes<7, 3, 14>, tensor<14x2xf32>) -> tensor<14x2xf32> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K20>>):
    %0 = dhlo.tanh %a : tensor<?x2xf32, #dhlo.dims<K20>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K20>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K21>>):
    %0 = dhlo.exp %a : tensor<?x2xf32, #dhlo.dims<K21>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K21>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K22>>):
    %0 = dhlo.reduce sum %a axes = [0] : (tensor<?x2xf32, #dhlo.dims<K22>>) -> tensor<2xf32>
    %1 = dhlo.broadcast %0 axes = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #dhlo.dims<K22>>
    %2 = dhlo.add %a, %1 : tensor<?x2xf32, #dhlo.dims<K22>>
    dhlo.yield %2 : tensor<?x2xf32, #dhlo.dims<K22>>
  }
  %y = cell.combine %s, %r, %x sum : (tensor<14x2xf32>, !cell.routes<7, 3, 14>, tensor<7x2xf32>) -> tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}
