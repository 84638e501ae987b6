// RUN: dyn-opt %s --dlhlo-outline-kernels --dlhlo-plan-buffers=red-zone=64 --canonicalize --cse | FileCheck %s
// RUN: not dyn-opt %s --dlhlo-plan-buffers=red-zone=65 2>&1 | FileCheck %s --check-prefix=ODD

// ODD: error: expected a red zone of a multiple of 64 bytes, found 65

dhlo.dim @N in [16, 1024] multiple_of 16

// Slots are 64 bytes apart; values can be touched while somebody needs them.
// CHECK-LABEL: func.func @dyn.entry.chain
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %[[N:.*]]: index)
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[ARENA:.*]] = dlhlo.reserve %c0 bytes %[[ALL:.*]] {dlhlo.formula = #dhlo.expr<8 * @N + 192>}
// CHECK: dlhlo.poison %[[ARENA]] bytes %[[ALL]]
// CHECK: %[[A:.*]] = dlhlo.view %[[ARENA]][%c64]
// CHECK: %[[B:.*]] = dlhlo.view
// CHECK: dlhlo.unpoison %[[A]] bytes %[[BYTES]]
// CHECK-NEXT: dlhlo.dispatch @neg dims(%[[N]]) buffers(%{{.*}}, %[[A]])
// CHECK-NEXT: dlhlo.unpoison %[[B]] bytes %[[BYTES]]
// CHECK-NEXT: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[A]], %[[B]])
// CHECK-NEXT: dlhlo.poison %[[A]] bytes %[[BYTES]]
// CHECK-NEXT: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[B]], %{{.*}})
// CHECK-NEXT: dlhlo.poison %[[B]] bytes %[[BYTES]]
func.func @chain(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.neg %a : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<N>>
  }
  %1 = dlhlo.fusion loop (%0) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.neg %a : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<N>>
  }
  %2 = dlhlo.fusion loop (%1) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.neg %a : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<N>>
  }
  return %2 : tensor<?xf32, #dhlo.dims<N>>
}
