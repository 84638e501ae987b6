// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @forward{{$}}
// CHECK-NEXT:    tensor<2x1x1x1xf32> {{\[\[}}{{\[\[}}0.3780699]]], {{\[\[}}[0.5886573]]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0.5886573]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[1.0152197]]]
func.func @forward() -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %g = dhlo.constant dense<[[[[1.0, 0.5, -1.0, 2.0]]], [[[2.0, 1.0, -2.0, 4.0]]]]> : tensor<2x1x1x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %y, %h, %c = dhlo.lstm forward %g, %r : (tensor<2x1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %y, %h, %c : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// CHECK-LABEL: @reverse{{$}}
// CHECK-NEXT:    tensor<2x1x1x1xf32> {{\[\[}}{{\[\[}}0.5461857]]], {{\[\[}}[0.5165095]]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0.5461857]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[1.1043737]]]
func.func @reverse() -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %g = dhlo.constant dense<[[[[1.0, 0.5, -1.0, 2.0]]], [[[2.0, 1.0, -2.0, 4.0]]]]> : tensor<2x1x1x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %y, %h, %c = dhlo.lstm reverse %g, %r : (tensor<2x1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %y, %h, %c : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// CHECK-LABEL: @bidirectional{{$}}
// CHECK-NEXT:    tensor<2x2x1x1xf32> {{\[\[}}{{\[\[}}0.3780699]], {{\[\[}}0.5461857]]], {{\[\[}}[0.5886573]], {{\[\[}}0.5165095]]]]
// CHECK-NEXT:    tensor<2x1x1xf32> {{\[\[}}[0.5886573]], {{\[\[}}0.5461857]]]
// CHECK-NEXT:    tensor<2x1x1xf32> {{\[\[}}[1.0152197]], {{\[\[}}1.1043737]]]
func.func @bidirectional() -> (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
  %g = dhlo.constant dense<[[[[1.0, 0.5, -1.0, 2.0], [1.0, 0.5, -1.0, 2.0]]], [[[2.0, 1.0, -2.0, 4.0], [2.0, 1.0, -2.0, 4.0]]]]> : tensor<2x1x2x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]], [[0.5, 0.5, 1.0, 1.0]]]> : tensor<2x1x4xf32>
  %y, %h, %c = dhlo.lstm bidirectional %g, %r : (tensor<2x1x2x4xf32>, tensor<2x1x4xf32>) -> (tensor<2x2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
  return %y, %h, %c : tensor<2x2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>
}

// CHECK-LABEL: @states{{$}}
// CHECK-NEXT:    tensor<2x1x1x1xf32> {{\[\[}}{{\[\[}}0.3685806]]], {{\[\[}}[0.6173729]]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0.6173729]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[1.0253229]]]
func.func @states() -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %g = dhlo.constant dense<[[[[1.1, 0.7, -0.7, 2.4]]], [[[2.1, 1.2, -1.7, 4.4]]]]> : tensor<2x1x1x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %h0 = dhlo.constant dense<0.5> : tensor<1x1x1xf32>
  %c0 = dhlo.constant dense<-0.5> : tensor<1x1x1xf32>
  %y, %h, %c = dhlo.lstm forward %g, %r hidden %h0 cell %c0 : (tensor<2x1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %y, %h, %c : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// Rows past the length are zero.
// CHECK-LABEL: @lengths{{$}}
// CHECK-NEXT:    tensor<2x1x1x1xf32> {{\[\[}}{{\[\[}}0.3780699]]], {{\[\[}}[0]]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0.3780699]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0.7047607]]]
func.func @lengths() -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %g = dhlo.constant dense<[[[[1.0, 0.5, -1.0, 2.0]]], [[[2.0, 1.0, -2.0, 4.0]]]]> : tensor<2x1x1x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %l = dhlo.constant dense<[1]> : tensor<1xi64>
  %y, %h, %c = dhlo.lstm reverse %g, %r lengths %l : (tensor<2x1x1x4xf32>, tensor<1x1x4xf32>, tensor<1xi64>) -> (tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %y, %h, %c : tensor<2x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
}

// CHECK-LABEL: @no_steps{{$}}
// CHECK-NEXT:    tensor<0x1x1x1xf32> []
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0]]]
// CHECK-NEXT:    tensor<1x1x1xf32> {{\[\[}}[0]]]
func.func @no_steps() -> (tensor<0x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
  %g = dhlo.constant dense<> : tensor<0x1x1x4xf32>
  %r = dhlo.constant dense<[[[0.5, 0.5, 1.0, 1.0]]]> : tensor<1x1x4xf32>
  %y, %h, %c = dhlo.lstm forward %g, %r : (tensor<0x1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<0x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %y, %h, %c : tensor<0x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
}
