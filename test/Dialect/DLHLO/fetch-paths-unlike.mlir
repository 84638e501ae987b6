// RUN: dyn-opt %s -dlhlo-fetch-paths -verify-diagnostics | FileCheck %s
// RUN: dyn-opt %s --dlhlo-fetch-paths=all=true | FileCheck %s --check-prefix=ALL
// What regions of unlike paths read is announced by the number of their rows, and what a prediction
// names before its router has run.

dhlo.dim @N in [1, 64]
dhlo.dim @K0 at_most @N
dhlo.dim @K1 at_most @N
dhlo.dim @L0 at_most @N
dhlo.dim @Twice = 2 * @K1
dlhlo.constant @u : tensor<4x4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4x4xf32>
  dlhlo.yield %0 : tensor<4x4xf32>
}
dlhlo.constant @v : tensor<4x8xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4x8xf32>
  dlhlo.yield %0 : tensor<4x8xf32>
}
dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.constant @all : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}

// Of router b all cells are predicted to take path 0, of router c those that follow path 1 of a.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[A:[^:,]*]]: tensor<3xi64>, %[[B:[^:,]*]]: tensor<2xi64>, %[[C:[^:,]*]]: tensor<2xi64>
// CHECK-NEXT:  dlhlo.fetch %[[C]] [#dlhlo.range<@w, path = 0, offset = 0, bytes = 16>] : tensor<2xi64>
// CHECK-NEXT:  dlhlo.fetch %[[B]] [#dlhlo.range<@v, path = 0, offset = 0, bytes = 128>] : tensor<2xi64>
// CHECK-NEXT:  dlhlo.fetch predicted %[[A]] [#dlhlo.range<@w, path = 1, offset = 0, bytes = 16>] : tensor<3xi64>
// CHECK-NEXT:  dlhlo.fetch predicted [#dlhlo.range<@v, path = 0, offset = 0, bytes = 128>]
// CHECK-NOT:   dlhlo.fetch
// CHECK-NOT:   dhlo.preload
// CHECK-NOT:   dhlo.rows_of

// Without its router's mark, too. What is read without rows, or by more than a path, is not.
// ALL-LABEL:   func.func @main(
// ALL-SAME:      %[[A:[^:,]*]]: tensor<3xi64>
// ALL:         dlhlo.fetch %[[A]] [#dlhlo.range<@u, path = 1, offset = 0, bytes = 64>] : tensor<3xi64>
// ALL-NOT:     dhlo.rows_of
func.func @main(%a: tensor<3xi64>, %b: tensor<2xi64>, %c: tensor<2xi64>, %s: tensor<?x1xi64, #dhlo.dims<N>>, %n: tensor<i64>, %x: tensor<?x4xf32, #dhlo.dims<N>>)
    -> (tensor<?x4xf32, #dhlo.dims<Twice>>, tensor<?x8xf32, #dhlo.dims<K0>>, tensor<?x4xf32, #dhlo.dims<L0>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  dhlo.probe "a" (%a, %s) : tensor<3xi64>, tensor<?x1xi64, #dhlo.dims<N>>
  dhlo.bind @K1 = %n {dhlo.rows_of = ["a", 1]} : tensor<i64>
  %u = dlhlo.get_constant @u : tensor<4x4xf32>
  %v = dlhlo.get_constant @v : tensor<4x8xf32>
  %w = dlhlo.get_constant @w : tensor<4xf32>
  %0 = dlhlo.fusion loop (%u) : (tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<Twice>> {
  ^bb0(%i: tensor<4x4xf32>):
    %1 = dhlo.slice %i starts = [0, 0] strides = [1, 1] : (tensor<4x4xf32>) -> tensor<?x4xf32, #dhlo.dims<Twice>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<Twice>>
  }
  dhlo.probe "b" (%b, %s) {dhlo.preload = {paths = array<i64: 0>}} : tensor<2xi64>, tensor<?x1xi64, #dhlo.dims<N>>
  dhlo.bind @K0 = %n {dhlo.rows_of = ["b", 0]} : tensor<i64>
  %2 = dlhlo.fusion loop (%v) : (tensor<4x8xf32>) -> tensor<?x8xf32, #dhlo.dims<K0>> {
  ^bb0(%i: tensor<4x8xf32>):
    %1 = dhlo.slice %i starts = [0, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<?x8xf32, #dhlo.dims<K0>>
    dlhlo.yield %1 : tensor<?x8xf32, #dhlo.dims<K0>>
  }
  dhlo.probe "c" (%c, %s) {dhlo.preload = {after = "a", paths = array<i64: 5, 0>}} : tensor<2xi64>, tensor<?x1xi64, #dhlo.dims<N>>
  dhlo.bind @L0 = %n {dhlo.rows_of = ["c", 0]} : tensor<i64>
  %3 = dlhlo.fusion loop (%w) : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<L0>> {
  ^bb0(%i: tensor<4xf32>):
    %1 = dhlo.broadcast %i axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<L0>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<L0>>
  }
  %all = dlhlo.get_constant @all : tensor<4xf32>
  %4 = dlhlo.fusion loop (%all) : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%i: tensor<4xf32>):
    %1 = dhlo.broadcast %i axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dlhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %0, %2, %3, %4 : tensor<?x4xf32, #dhlo.dims<Twice>>, tensor<?x8xf32, #dhlo.dims<K0>>, tensor<?x4xf32, #dhlo.dims<L0>>, tensor<?x4xf32, #dhlo.dims<N>>
}
