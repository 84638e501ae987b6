// Operations of dhlo and dlhlo have tensors with named sizes alone, but functions, calls and
// other dialects need not: each pass that asks for sizes leaves such a program as it is, or
// says what it lacks.
// RUN: dyn-opt %s --dhlo-verify-dims --dhlo-simplify-sizes | FileCheck %s
// RUN: dyn-opt %s --dlhlo-defer-sizes | FileCheck %s
// RUN: dyn-opt %s --dlhlo-launch-many | FileCheck %s
// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels -o /dev/null
// RUN: dyn-opt %s --dlhlo-explain -o /dev/null
// RUN: not dyn-opt %s --dlhlo-plan-buffers 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not dyn-opt %s --dyn-print-cell-flow -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLOW

// BUFFERS: error: 'func.func' op expected a name for each dynamic size, found 'tensor<?xf32>'
// FLOW: error: expected a name for the size of axis 0 of cells, found 'tensor<?xf32>'

dhlo.dim @N

func.func private @other(tensor<?xf32>) -> tensor<?xf32>

// CHECK-LABEL: func.func @main(%{{.*}}: tensor<?xf32>
// CHECK:         dhlo.if
// CHECK:           func.call @other(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
func.func @main(%x: tensor<?xf32> {dhlo.name = "x"}, %y: tensor<?x4xf32, #dhlo.dims<N>> {dhlo.name = "y"}, %p: tensor<i1> {dhlo.name = "p"}) -> (tensor<?x4xf32, #dhlo.dims<N>> {dhlo.name = "z"}) attributes {dhlo.entry} {
  %z = dhlo.if %p -> (tensor<?x4xf32, #dhlo.dims<N>>) {
    %a = func.call @other(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %b = func.call @other(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %e = dhlo.exp %y : tensor<?x4xf32, #dhlo.dims<N>>
    dhlo.yield %e : tensor<?x4xf32, #dhlo.dims<N>>
  } else {
    dhlo.yield %y : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %z : tensor<?x4xf32, #dhlo.dims<N>>
}
