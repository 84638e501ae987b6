// RUN: dyn-opt %s --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s
// RUN: dyn-opt %s --dlhlo-outline-kernels --dlhlo-plan-buffers=reuse=false --canonicalize --cse | FileCheck %s --check-prefix=APART

dhlo.dim @N in [16, 1024] multiple_of 16
dhlo.dim @Q = @N - 20

// The third value takes the slot of the first; without reuse it has its own.
// CHECK-LABEL: func.func @dyn.entry.chain
// CHECK-SAME: (%[[X:.*]]: !dlhlo.buffer, %[[N:.*]]: index)
// CHECK: dlhlo.reserve %c0 bytes %{{.*}} {dlhlo.formula = #dhlo.expr<8 * @N>}
// CHECK: %[[Y:.*]] = dlhlo.output 0 sizes(%[[N]])
// CHECK: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[X]], %[[A:.*]]) site_base = 0
// CHECK: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[A]], %[[B:.*]]) site_base = 0
// CHECK: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[B]], %[[A]]) site_base = 0
// CHECK: dlhlo.dispatch @neg dims(%[[N]]) buffers(%[[A]], %[[Y]]) site_base = 0
// APART: dlhlo.formula = #dhlo.expr<12 * @N>
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
  %3 = dlhlo.fusion loop (%2) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.neg %a : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<N>>
  }
  return %3 : tensor<?xf32, #dhlo.dims<N>>
}

// A size that may be negative is checked before memory is asked for.
// CHECK-LABEL: func.func @dyn.entry.negative
// CHECK: %[[Q:.*]] = arith.addi %{{.*}}, %c-20
// CHECK: %[[BAD:.*]] = arith.cmpi slt, %[[Q]], %c0
// CHECK: dlhlo.fail_if %[[BAD]] value %[[Q]] site = 0
// CHECK: dlhlo.output 0 sizes(%[[Q]])
func.func @negative(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<Q>> attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop (%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<Q>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %b = dhlo.slice %a starts = [20] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<Q>>
    dlhlo.yield %b : tensor<?xf32, #dhlo.dims<Q>>
  }
  return %0 : tensor<?xf32, #dhlo.dims<Q>>
}
