// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sum{{$}}
// CHECK-NEXT:    tensor<4xf32> [2, 1, 4, 4.5]
func.func @sum() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative sum %x axis = 0 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @sum_exclusive{{$}}
// CHECK-NEXT:    tensor<4xf32> [0, 2, 1, 4]
func.func @sum_exclusive() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative sum %x axis = 0 exclusive : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @sum_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [4.5, 2.5, 3.5, 0.5]
func.func @sum_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative sum %x axis = 0 reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @sum_exclusive_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [2.5, 3.5, 0.5, 0]
func.func @sum_exclusive_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative sum %x axis = 0 exclusive reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @prod{{$}}
// CHECK-NEXT:    tensor<4xf32> [2, -2, -6, -3]
func.func @prod() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative prod %x axis = 0 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @prod_exclusive_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [-1.5, 1.5, 0.5, 1]
func.func @prod_exclusive_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative prod %x axis = 0 exclusive reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @max{{$}}
// CHECK-NEXT:    tensor<4xf32> [2, 2, 3, 3]
func.func @max() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative max %x axis = 0 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @max_exclusive{{$}}
// CHECK-NEXT:    tensor<4xf32> [-inf, 2, 2, 3]
func.func @max_exclusive() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative max %x axis = 0 exclusive : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @max_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [3, 3, 3, 0.5]
func.func @max_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative max %x axis = 0 reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @max_exclusive_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [3, 3, 0.5, -inf]
func.func @max_exclusive_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative max %x axis = 0 exclusive reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @min{{$}}
// CHECK-NEXT:    tensor<4xf32> [2, -1, -1, -1]
func.func @min() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative min %x axis = 0 : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @min_exclusive_reverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [-1, 0.5, 0.5, inf]
func.func @min_exclusive_reverse() -> tensor<4xf32> {
  %x = dhlo.constant dense<[2.0, -1.0, 3.0, 0.5]> : tensor<4xf32>
  %y = dhlo.cumulative min %x axis = 0 exclusive reverse : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @outer{{$}}
// CHECK-NEXT:    tensor<2x2xi8> {{\[\[}}100, 1], [-56, 3]]
func.func @outer() -> tensor<2x2xi8> {
  %x = dhlo.constant dense<[[100, 1], [100, 2]]> : tensor<2x2xi8>
  %y = dhlo.cumulative sum %x axis = 0 : tensor<2x2xi8>
  return %y : tensor<2x2xi8>
}

// CHECK-LABEL: @empty{{$}}
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
func.func @empty() -> tensor<2x0xf32> {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %y = dhlo.cumulative sum %x axis = 1 exclusive : tensor<2x0xf32>
  return %y : tensor<2x0xf32>
}
