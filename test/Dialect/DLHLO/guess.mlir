// RUN: dyn-opt %s -split-input-file -verify-diagnostics --dlhlo-plan-buffers | FileCheck %s
// Guesses name routers by their numbers, that of a probe behind them as well.

dhlo.dim @N in [0, 8]
dhlo.dim @G in [0, 1]
dhlo.dim @M = @G * @N
dlhlo.kernel @neg loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, 8]
  %1 = dhlo.neg %0 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?xf32, #dhlo.dims<d0>>
}

// CHECK: dlhlo.probes = [{key = "first", paths = 2 : i64}, {key = "second", paths = 2 : i64}]
// CHECK-LABEL: func.func @dyn.entry.main(
// CHECK:         %[[G:.*]] = dlhlo.guess 1 pays_from 312
// CHECK:         %[[M:.*]] = arith.muli %[[G]], %arg5
// CHECK:         dlhlo.probe 0
// CHECK:         dlhlo.probe 1
// CHECK:         dlhlo.guessed 1 buffers(%arg1, %arg2, %arg3)
// CHECK:         dlhlo.dispatch @neg dims(%[[M]])
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>>, %a: tensor<3xi64>, %b: tensor<3xi64>, %c: tensor<3xi64>, %seats: tensor<4x2xi64>) -> tensor<?xf32, #dhlo.dims<M>> attributes {dhlo.entry} {
  dhlo.guess @G = "second" pays_from 312
  dhlo.probe "first" (%b, %seats) : tensor<3xi64>, tensor<4x2xi64>
  dhlo.probe "second" (%a, %seats) : tensor<3xi64>, tensor<4x2xi64>
  dhlo.guessed "second" (%a, %b, %c) : tensor<3xi64>
  %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<M>>
  %1 = dlhlo.launch @neg dims [@M] (%0) : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<M>>
  return %1 : tensor<?xf32, #dhlo.dims<M>>
}

// -----

dhlo.dim @G in [0, 1]
func.func @main() attributes {dhlo.entry} {
  // expected-error @+1 {{'dhlo.guess' op expected a router that has a probe, found "other"}}
  dhlo.guess @G = "other" pays_from 312
  return
}
