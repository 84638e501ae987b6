// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @rms_norm{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}0.8485281, 2.2627416], [0, 0]]
// CHECK-NEXT:    tensor<2x2xf16> {{\[\[}}0.8486, 2.264], [1, 2]]
func.func @rms_norm() -> (tensor<2x2xf32>, tensor<2x2xf16>) {
  %x = dhlo.constant dense<[[3.0, 4.0], [0.0, 0.0]]> : tensor<2x2xf32>
  %g = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-6 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // The squares exceed f16: they are taken in f32.
  %h = dhlo.constant dense<[[300.0, 400.0], [1.0, 1.0]]> : tensor<2x2xf16>
  %k = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %z = dhlo.rms_norm %h, %k axis = 1 eps = 1.0e-6 : (tensor<2x2xf16>, tensor<2xf16>) -> tensor<2x2xf16>
  return %y, %z : tensor<2x2xf32>, tensor<2x2xf16>
}
