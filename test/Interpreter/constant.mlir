// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @constant{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}1, 2], [3, 4.5]]
// CHECK-NEXT:    tensor<f64> 0.1
// CHECK-NEXT:    tensor<3xi1> [true, false, true]
// CHECK-NEXT:    tensor<2xui8> [255, 255]
// CHECK-NEXT:    tensor<0x2xi64> []
func.func @constant() -> (tensor<2x2xf32>, tensor<f64>, tensor<3xi1>, tensor<2xui8>, tensor<0x2xi64>) {
  %a = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.5]]> : tensor<2x2xf32>
  %b = dhlo.constant dense<0.1> : tensor<f64>
  %c = dhlo.constant dense<[true, false, true]> : tensor<3xi1>
  %d = dhlo.constant dense<255> : tensor<2xui8>
  %e = dhlo.constant dense<> : tensor<0x2xi64>
  return %a, %b, %c, %d, %e : tensor<2x2xf32>, tensor<f64>, tensor<3xi1>, tensor<2xui8>, tensor<0x2xi64>
}

// CHECK-LABEL: @splat{{$}}
// CHECK-NEXT:    tensor<3xi1> [true, true, true]
// CHECK-NEXT:    tensor<2x2xbf16> {{\[\[}}0.1, 0.1], [0.1, 0.1]]
func.func @splat() -> (tensor<3xi1>, tensor<2x2xbf16>) {
  %a = dhlo.constant dense<true> : tensor<3xi1>
  %b = dhlo.constant dense<0.1> : tensor<2x2xbf16>
  return %a, %b : tensor<3xi1>, tensor<2x2xbf16>
}
