// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

dlhlo.kernel @neg loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.neg %0 : tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?xf32, #dhlo.dims<d0>>
}

// CHECK-LABEL: @launch_many{{$}}
// CHECK-NEXT: tensor<2xf32> [-1, -2]
// CHECK-NEXT: tensor<3xf32> [-3, -4, -5]
func.func @launch_many() -> (tensor<2xf32>, tensor<3xf32>) {
  %a = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[3.0, 4.0, 5.0]> : tensor<3xf32>
  %y:2 = dlhlo.launch_many : tensor<2xf32>, tensor<3xf32> {
    %0 = dlhlo.launch @neg dims [2] (%a) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = dlhlo.launch @neg dims [3] (%b) : (tensor<3xf32>) -> tensor<3xf32>
    dlhlo.yield %0, %1 : tensor<2xf32>, tensor<3xf32>
  }
  return %y#0, %y#1 : tensor<2xf32>, tensor<3xf32>
}
