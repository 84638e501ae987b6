// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @atan2{{$}}
// CHECK-NEXT:    tensor<5xf32> [0.7853982, -2.3561945, 3.1415927, -3.1415927, nan]
func.func @atan2() -> tensor<5xf32> {
  %x = dhlo.constant dense<[1.0, -1.0, 0.0, -0.0, 0x7FC00000]> : tensor<5xf32>
  %y = dhlo.constant dense<[1.0, -1.0, -1.0, -1.0, 1.0]> : tensor<5xf32>
  %z = dhlo.atan2 %x, %y : tensor<5xf32>
  return %z : tensor<5xf32>
}
