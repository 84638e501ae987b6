// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @logistic{{$}}
// CHECK-NEXT:    tensor<9xf32> [nan, 1, 0, 0.5, 0.5, 0.7310586, 0.26894143, 3.8e-44, 1]
func.func @logistic() -> tensor<9xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -1.0, -100.0, 100.0]> : tensor<9xf32>
  %y = dhlo.logistic %x : tensor<9xf32>
  return %y : tensor<9xf32>
}

// CHECK-LABEL: @logistic_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.731]
func.func @logistic_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.logistic %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
