// Probes on their way to buffers.
// RUN: dyn-opt %s -dyn-form-fusions | FileCheck %s --check-prefix=FUSIONS
// RUN: dyn-opt %s -dyn-form-fusions -dyn-form-kernels -dyn-plan-buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: dyn-opt %s -dyn-form-fusions -dyn-form-kernels -dyn-plan-buffers -dyn-lower-entries | FileCheck %s --check-prefix=LLVM

dhlo.dim @N in [0, 100]

// A probe stands between kernels, reads what the sort writes as it is, and keeps
// nothing from fusing that would fuse without it.

// FUSIONS-LABEL: func.func @main(
// FUSIONS:       %[[SORT:.*]]:2 = dlhlo.fusion single
// FUSIONS:       dhlo.probe "r"(%[[SORT]]#0, %[[SORT]]#1)
// FUSIONS:       dlhlo.fusion
// FUSIONS-NOT:   dlhlo.fusion

// BUFFERS:       module attributes {{.*}}dlhlo.probes = [{cell = "token", fingerprint = "00", key = "r", paths = 4 : i64}, {after = "r", key = "s", paths = 4 : i64}]
// BUFFERS-LABEL: func.func @dyn.entry.main(
// BUFFERS:       dlhlo.dispatch @group dims(%[[N:.*]]) buffers(%{{.*}}, %[[O:.*]], %[[P:.*]])
// BUFFERS:       dlhlo.probe 0 cells %[[N]] choices %c2 buffers(%[[O]], %[[P]])
// BUFFERS:       dlhlo.probe 1 cells %[[N]] choices %c2 buffers(%[[O]], %[[P]])

// LLVM-LABEL: llvm.func @dyn.entry.main(
// LLVM:         %[[SERVICES:.*]] = llvm.load %arg0
// LLVM:         llvm.getelementptr %{{.*}}[48]
// LLVM-COUNT-2: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> i32

func.func @main(%ids: tensor<?x2xi64, #dhlo.dims<N>> {dhlo.name = "ids"}) -> (tensor<?x2xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %offsets, %order, %seats = dhlo.group %ids : (tensor<?x2xi64, #dhlo.dims<N>>) -> (tensor<5xi64>, tensor<?xi64, #dhlo.dims<R>>, tensor<?x2xi64, #dhlo.dims<N>>)
  dhlo.probe "r" (%offsets, %seats) {cell = "token", fingerprint = "00"} : tensor<5xi64>, tensor<?x2xi64, #dhlo.dims<N>>
  dhlo.probe "s" (%offsets, %seats) {after = "r"} : tensor<5xi64>, tensor<?x2xi64, #dhlo.dims<N>>
  %f = dhlo.convert %seats : (tensor<?x2xi64, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
  %g = dhlo.neg %f : tensor<?x2xf32, #dhlo.dims<N>>
  return %g : tensor<?x2xf32, #dhlo.dims<N>>
}
dhlo.dim @R = 2 * @N
