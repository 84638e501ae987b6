// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Probes and loads.

dhlo.dim @N

// CHECK-LABEL: func.func @probe(
func.func @probe(%offsets: tensor<9xi64>, %seats: tensor<?x2xi64, #dhlo.dims<N>>, %order: tensor<?xi64, #dhlo.dims<N>>) {
  // CHECK: dhlo.probe "a"(%{{.*}}, %{{.*}}) : tensor<9xi64>, tensor<?x2xi64, #dhlo.dims<N>>
  dhlo.probe "a" (%offsets, %seats) : tensor<9xi64>, tensor<?x2xi64, #dhlo.dims<N>>
  // CHECK: dhlo.probe "b"(%{{.*}}, %{{.*}}, %{{.*}}) {after = "a", cell = "token", fingerprint = "00", label = "experts"} : tensor<9xi64>, tensor<?x2xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>
  dhlo.probe "b" (%offsets, %seats, %order) {after = "a", cell = "token", fingerprint = "00", label = "experts"} : tensor<9xi64>, tensor<?x2xi64, #dhlo.dims<N>>, tensor<?xi64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @load(
func.func @load(%ids: tensor<4x1xi64>) {
  // CHECK: dhlo.load = #dhlo.load<rows = 812, shares = [512, 256, 256, 0]>
  %o, %r, %p = dhlo.group %ids {dhlo.load = #dhlo.load<rows = 812, shares = [512, 256, 256, 0]>} : (tensor<4x1xi64>) -> (tensor<5xi64>, tensor<4xi64>, tensor<4x1xi64>)
  return
}
