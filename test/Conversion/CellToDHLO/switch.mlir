// Paths that differ, chosen by a mask: some cells take both, some none.
// RUN: dyn-opt %s -convert-cell-to-dhlo -canonicalize | FileCheck %s
// RUN: dyn-compile %s -o %t.so
// RUN: dyn-run --reference %s --input x=random:21x2x5 --input m=random:21x2 --seed=3 --output %t.npz
// RUN: dyn-run %t.so --input x=random:21x2x5 --input m=random:21x2 --seed=3 --check %t.npz --tolerance 1e-6
// RUN: dyn-run --reference %s --input x=random:4x2x5 --input m=random:4x2:0:1 --output %t.none.npz
// RUN: dyn-run %t.so --input x=random:4x2x5 --input m=random:4x2:0:1 --check %t.none.npz
// RUN: dyn-run --reference %s --input x=random:4x2x5 --input m=random:4x2:1:2 --output %t.all.npz
// RUN: dyn-run %t.so --input x=random:4x2x5 --input m=random:4x2:1:2 --check %t.all.npz

// CHECK-LABEL: func.func @main(
// CHECK:       dhlo.group
// CHECK:       dhlo.bind @K0 =
// CHECK:       dhlo.bind @K1 =
// CHECK:       dhlo.slice %{{.*}} starts = [0, 0, 0]
// CHECK:       dhlo.tanh
// CHECK:       dhlo.slice %{{.*}} starts = [@K0, 0, 0]
// CHECK:       dhlo.neg
// CHECK:       dhlo.concat
// CHECK-NOT:   cell.

dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N
dhlo.dim @K0
dhlo.dim @K1

func.func @main(%x: tensor<?x2x5xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %m: tensor<?x2xi64, #dhlo.dims<N>> {dhlo.name = "m"})
    -> (tensor<?x2x5xf32, #dhlo.dims<N>> {dhlo.name = "sum"}, tensor<?x2x5xf32, #dhlo.dims<N>> {dhlo.name = "last"}) attributes {dhlo.entry} {
  %r = cell.route(%m) : (tensor<?x2xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @R> {
  ^bb0(%mask: tensor<?x2xi64, #dhlo.dims<N>>):
    %b = dhlo.convert %mask : (tensor<?x2xi64, #dhlo.dims<N>>) -> tensor<?x2xi1, #dhlo.dims<N>>
    cell.choose %b : tensor<?x2xi1, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x2x5xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @R>) -> tensor<?x2x5xf32, #dhlo.dims<R>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @R>, tensor<?x2x5xf32, #dhlo.dims<R>>) -> tensor<?x2x5xf32, #dhlo.dims<R>> {
  ^bb0(%a: tensor<?x2x5xf32, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x2x5xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x2x5xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x2x5xf32, #dhlo.dims<K1>>):
    %0 = dhlo.neg %a : tensor<?x2x5xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x2x5xf32, #dhlo.dims<K1>>
  }
  %s = cell.combine %y, %r sum : (tensor<?x2x5xf32, #dhlo.dims<R>>, !cell.routes<@N, 2, @R>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  %l = cell.combine %y, %r, %x last : (tensor<?x2x5xf32, #dhlo.dims<R>>, !cell.routes<@N, 2, @R>, tensor<?x2x5xf32, #dhlo.dims<N>>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  return %s, %l : tensor<?x2x5xf32, #dhlo.dims<N>>, tensor<?x2x5xf32, #dhlo.dims<N>>
}
