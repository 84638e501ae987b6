// RUN: dyn-opt %s --dhlo-interpret -o /dev/null > %t.all
// RUN: dyn-opt %s --dist-exchange-routes --dhlo-interpret -o /dev/null >> %t.all
// RUN: FileCheck %s < %t.all
// RUN: dyn-opt %s --dist-exchange-routes | FileCheck %s --check-prefix=PARTS

// The paths of rows as numbers are those of one rank, although each rank counts its own from 0. Ranks
// have tables of their own paths.

// CHECK:      @main{{$}}
// CHECK-NEXT:   [[P:tensor<7x1xi64>.*]]
// CHECK-NEXT:   [[Y:tensor<7x2xf32>.*]]
// CHECK:      @main_0
// CHECK-NEXT:   [[P]]
// CHECK-NEXT:   [[Y]]
// CHECK:      @main_1
// CHECK-NEXT:   [[P]]
// CHECK-NEXT:   [[Y]]
// CHECK:      @main_2
// CHECK-NEXT:   [[P]]
// CHECK-NEXT:   [[Y]]

// PARTS-LABEL: func.func @main_2
// PARTS:       %[[HERE:.*]] = cell.paths {{.*}} : !cell.routes<7, 2, 7>
// PARTS-NEXT:  %[[OWN:.*]] = dhlo.constant dense<[0, 2]> : tensor<2xi64>
// PARTS-NEXT:  dhlo.gather %[[OWN]], %[[HERE]] axis = 0 batch = 0
// PARTS:       dhlo.gather %{{.*}}, %[[HERE]] axis = 0 batch = 0 : (tensor<2x2xf32>

dist.mesh @mesh ["rank" = 3]
func.func @main() -> (tensor<7x1xi64>, tensor<7x2xf32>) attributes {dhlo.entry} {
  %x = dhlo.constant dense<[[1.0, -2.0], [0.5, 3.0], [-1.5, 4.0], [2.5, 0.25], [-0.75, 8.0], [6.0, -3.0], [0.125, 1.0]]> : tensor<7x2xf32>
  %ids = dhlo.constant dense<[[2], [1], [0], [2], [2], [1], [0]]> : tensor<7x1xi64>
  %table = dhlo.constant dense<[[0.5, 0.25], [1.0, 2.0], [0.75, 0.125]]> : tensor<3x2xf32>
  %r = cell.route(%ids) : (tensor<7x1xi64>) -> !cell.routes<7, 3, 7> {
  ^bb0(%i: tensor<7x1xi64>):
    cell.choose %i : tensor<7x1xi64>
  } {dist.placement = array<i64: 2, 0, 2>}
  %rows = cell.dispatch %x, %r : (tensor<7x2xf32>, !cell.routes<7, 3, 7>) -> tensor<7x2xf32>
  %p = cell.paths %r : !cell.routes<7, 3, 7> -> tensor<7xi64>
  %t = dhlo.gather %table, %p axis = 0 batch = 0 : (tensor<3x2xf32>, tensor<7xi64>) -> tensor<7x2xf32>
  %m = dhlo.mul %rows, %t : tensor<7x2xf32>
  %n = dhlo.reshape %p : (tensor<7xi64>) -> tensor<7x1xi64>
  %chosen = cell.combine %n, %r last : (tensor<7x1xi64>, !cell.routes<7, 3, 7>) -> tensor<7x1xi64>
  %y = cell.combine %m, %r last : (tensor<7x2xf32>, !cell.routes<7, 3, 7>) -> tensor<7x2xf32>
  return %chosen, %y : tensor<7x1xi64>, tensor<7x2xf32>
}
