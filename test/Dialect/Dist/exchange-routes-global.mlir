// RUN: dyn-opt %s --dhlo-interpret -o /dev/null > %t.all
// RUN: dyn-opt %s --dist-exchange-routes --dhlo-interpret -o /dev/null >> %t.all
// RUN: FileCheck %s < %t.all
// RUN: dyn-opt %s --dist-exchange-routes | FileCheck %s --check-prefix=PARTS

// A global program with a placed router is partitioned first. Seven cells on three ranks, divided around
// the mixture: counts, rows and rows back are exchanged, and the result is gathered.

// CHECK:      @main{{$}}
// CHECK-NEXT:   [[Y:tensor<7x2xf32>.*]]
// CHECK:      @main_0
// CHECK-NEXT:   [[Y]]
// CHECK:      @main_1
// CHECK-NEXT:   [[Y]]
// CHECK:      @main_2
// CHECK-NEXT:   [[Y]]

// PARTS-LABEL:   func.func @main_0
// PARTS-COUNT-4: dist.exchange_start
// PARTS-NOT:     dist.exchange_start
// PARTS-LABEL:   func.func @main_1
// PARTS-COUNT-4: dist.exchange_start
// PARTS-NOT:     dist.exchange_start
// PARTS-LABEL:   func.func @main_2

dist.mesh @mesh ["rank" = 3]
dhlo.dim @K0
dhlo.dim @K1
func.func @main() -> tensor<7x2xf32> attributes {dhlo.entry} {
  %c = dhlo.constant dense<[[1.0, -2.0], [0.5, 3.0], [-1.5, 4.0], [2.5, 0.25], [-0.75, 8.0], [6.0, -3.0], [0.125, 1.0]]> : tensor<7x2xf32>
  %x = dist.reshard %c : tensor<7x2xf32> to <@mesh, [["rank"], []]>
  %n = dhlo.neg %x : tensor<7x2xf32>
  %h = dist.reshard %n : tensor<7x2xf32> to <@mesh, [["rank"], []]>
  %r = cell.route(%h) : (tensor<7x2xf32>) -> !cell.routes<7, 2, 7> {
  ^bb0(%a: tensor<7x2xf32>):
    %w, %i = dhlo.top_k %a axis = 1 largest : (tensor<7x2xf32>) -> (tensor<7x1xf32>, tensor<7x1xi64>)
    cell.choose %i weights(%w : tensor<7x1xf32>) : tensor<7x1xi64>
  } {dist.placement = array<i64: 2, 0>}
  %rows = cell.dispatch %h, %r : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  %s = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<7, 2, 7>, tensor<7x2xf32>) -> tensor<7x2xf32> {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x2xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x2xf32, #dhlo.dims<K1>>):
    %0 = dhlo.exp %a : tensor<?x2xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x2xf32, #dhlo.dims<K1>>
  }
  %y = cell.combine %s, %r sum : (tensor<7x2xf32>, !cell.routes<7, 2, 7>) -> tensor<7x2xf32>
  %own = dist.reshard %y : tensor<7x2xf32> to <@mesh, [["rank"], []]>
  %z = dhlo.add %own, %h : tensor<7x2xf32>
  return %z : tensor<7x2xf32>
}
