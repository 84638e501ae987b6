// RUN: dyn-opt %s --dlhlo-fetch-paths=all=true -verify-diagnostics | FileCheck %s
// Weights that cannot be announced before they are read are left, and a remark says why.

dhlo.dim @N in [1, 64]
dlhlo.constant @u : tensor<2x8x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<2x8x4xf32>
  dlhlo.yield %0 : tensor<2x8x4xf32>
}

// CHECK-NOT: dlhlo.fetch
func.func @computed(%x: tensor<?x8xf32, #dhlo.dims<N>>, %w: tensor<2x8x4xf32>, %o: tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %y = dlhlo.fusion contraction (%x, %w, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    // expected-remark @+1 {{its weights are not fetched: they are computed, and not read from a file}}
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

func.func @late(%x: tensor<?x8xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %u = dlhlo.get_constant @u : tensor<2x8x4xf32>
  %y = dlhlo.fusion contraction (%x, %u, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.neg %c : tensor<3xi64>
    // expected-remark @+1 {{its weights are not fetched: their offsets are not known before it}}
    %2 = dhlo.grouped_dot %a, %b, %1 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %2 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// Predictions by values that are not known before, and by a router that is not there.
// CHECK-LABEL: func.func @predicted(
// CHECK:       dlhlo.fetch %
// CHECK-NOT:   dlhlo.fetch predicted
func.func @predicted(%x: tensor<?x8xf32, #dhlo.dims<N>>, %o: tensor<3xi64>, %p: tensor<3xi64>, %s: tensor<?x1xi64, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  // expected-remark @+1 {{its weights are not fetched before it: it predicts itself, by earlier values}}
  dhlo.probe "early" (%o, %s) {dhlo.preload = {}} : tensor<3xi64>, tensor<?x1xi64, #dhlo.dims<N>>
  // expected-remark @+1 {{its weights are not fetched before it: no router 'early' with 3 paths is before it}}
  dhlo.probe "late" (%p, %s) {dhlo.preload = {after = "early", paths = array<i64: 0, 1, 0>}} : tensor<3xi64>, tensor<?x1xi64, #dhlo.dims<N>>
  %u = dlhlo.get_constant @u : tensor<2x8x4xf32>
  %y = dlhlo.fusion contraction (%x, %u, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  %z = dlhlo.fusion contraction (%x, %u, %p) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %y, %z : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// Of what one fusion reads as a whole, another one's parts are not announced.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT:   dlhlo.fetch
func.func @whole(%x: tensor<?x8xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>) attributes {dhlo.entry} {
  %u = dlhlo.get_constant @u : tensor<2x8x4xf32>
  %y = dlhlo.fusion contraction (%x, %u, %o) : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<2x8x4xf32>, %c: tensor<3xi64>):
    %1 = dhlo.grouped_dot %a, %b, %c : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>, tensor<3xi64>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  // expected-remark @+1 {{reads all of 'u', of which others read the parts of paths: none is fetched}}
  %z = dlhlo.fusion loop (%u) : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  ^bb0(%a: tensor<2x8x4xf32>):
    %1 = dhlo.neg %a : tensor<2x8x4xf32>
    dlhlo.yield %1 : tensor<2x8x4xf32>
  }
  return %y, %z : tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>
}
