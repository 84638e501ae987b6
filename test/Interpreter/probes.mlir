// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s
// Probes change nothing that a program can see.

// CHECK-LABEL: @routes{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 1, 3]
func.func @routes() -> tensor<3xi64> {
  %r = cell.route() : () -> !cell.routes<3, 2, 3> {
    %i = dhlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>
    cell.choose %i : tensor<3x1xi64>
  }
  cell.probe "a" %r {cell = "token"} : !cell.routes<3, 2, 3>
  %o = cell.offsets %r : !cell.routes<3, 2, 3> -> tensor<3xi64>
  return %o : tensor<3xi64>
}

// CHECK-LABEL: @groups{{$}}
// CHECK-NEXT:    tensor<3xi64> [0, 1, 3]
// CHECK-NEXT:    tensor<3x1xi64>
func.func @groups() -> (tensor<3xi64>, tensor<3x1xi64>) {
  %i = dhlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>
  %o, %rows, %p = dhlo.group %i : (tensor<3x1xi64>) -> (tensor<3xi64>, tensor<3xi64>, tensor<3x1xi64>)
  dhlo.probe "a" (%o, %p) : tensor<3xi64>, tensor<3x1xi64>
  return %o, %p : tensor<3xi64>, tensor<3x1xi64>
}
