// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// The second box covers more than half of the first one and it together; the third one does not.
// The fourth one is that of the second, which was not kept.

// CHECK-LABEL: @suppress{{$}}
// CHECK-NEXT:    tensor<2x4xi1> {{\[\[}}true, false, true, false], [true, false, false, false]]
func.func @suppress() -> tensor<2x4xi1> {
  %x = dhlo.constant dense<[[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 3.0], [1.0, 1.0, 3.0, 3.0], [0.0, 0.0, 3.0, 2.0]],
                            [[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 3.0, 2.0], [0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 6.0, 6.0]]]> : tensor<2x4x4xf32>
  %c = dhlo.constant dense<[[true, true, true, true], [true, false, false, false]]> : tensor<2x4xi1>
  %t = dhlo.constant dense<0.5> : tensor<f32>
  %n = dhlo.constant dense<9> : tensor<i64>
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<2x4x4xf32>, tensor<2x4xi1>, tensor<f32>, tensor<i64>) -> tensor<2x4xi1>
  return %0 : tensor<2x4xi1>
}

// Boxes without an area, with a bound that is no number, or with bounds in the wrong order overlap none.
// A threshold of their union is not exceeded. An infinite area has no share.

// CHECK-LABEL: @suppress_edges{{$}}
// CHECK-NEXT:    tensor<9xi1> [true, true, true, true, true, true, false, true, true]
func.func @suppress_edges() -> tensor<9xi1> {
  %x = dhlo.constant dense<[[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 1.0, 2.0], [0x7FF8000000000000, 0.0, 2.0, 2.0],
                            [2.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 4.0], [0.0, -2.0, 2.0, 0.0], [0.0, 0.0, 2.0, 2.5],
                            [0.0, 0.0, 0x7FF0000000000000, 1.0], [0.0, 0.0, 0x7FF0000000000000, 1.0]]> : tensor<9x4xf64>
  %c = dhlo.constant dense<true> : tensor<9xi1>
  %t = dhlo.constant dense<0.5> : tensor<f64>
  %n = dhlo.constant dense<9> : tensor<i64>
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<9x4xf64>, tensor<9xi1>, tensor<f64>, tensor<i64>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}

// CHECK-LABEL: @suppress_most{{$}}
// CHECK-NEXT:    tensor<3xi1> [false, true, false]
// CHECK-NEXT:    tensor<3xi1> [false, false, false]
func.func @suppress_most() -> (tensor<3xi1>, tensor<3xi1>) {
  %x = dhlo.constant dense<[[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], [2.0, 2.0, 3.0, 3.0]]> : tensor<3x4xf32>
  %c = dhlo.constant dense<[false, true, true]> : tensor<3xi1>
  %t = dhlo.constant dense<0.5> : tensor<f32>
  %n = dhlo.constant dense<1> : tensor<i64>
  %m = dhlo.constant dense<-1> : tensor<i64>
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<3x4xf32>, tensor<3xi1>, tensor<f32>, tensor<i64>) -> tensor<3xi1>
  %1 = dhlo.suppress %x, %c, %t, %m : (tensor<3x4xf32>, tensor<3xi1>, tensor<f32>, tensor<i64>) -> tensor<3xi1>
  return %0, %1 : tensor<3xi1>, tensor<3xi1>
}
