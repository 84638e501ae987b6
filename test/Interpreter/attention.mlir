// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @attention{{$}}
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}2.3836517], [2.534607]]]]
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}1.3775407], [2.534607]]]]
func.func @attention() -> (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) {
  %q = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %k = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32>
  %v = dhlo.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %y = dhlo.attention %q, %k, %v scale = 0.5 : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x2x1xf32>
  %z = dhlo.attention %q, %k, %v scale = 0.5 causal : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x2x1xf32>
  return %y, %z : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
}

// Scores of half a unit become tanh(2) / 4.
// CHECK-LABEL: @attention_cap{{$}}
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}2.3589{{[0-9]*}}], [2.4358{{[0-9]*}}]]]]
func.func @attention_cap() -> tensor<1x1x2x1xf32> {
  %q = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %k = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32>
  %v = dhlo.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %y = dhlo.attention %q, %k, %v scale = 0.5 cap = 0.25 : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x2x1xf32>
  return %y : tensor<1x1x2x1xf32>
}

// A boolean mask removes; a row without keys gives zeros.
// CHECK-LABEL: @attention_mask{{$}}
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}4], [0]]]]
func.func @attention_mask() -> tensor<1x1x2x1xf32> {
  %q = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %k = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32>
  %v = dhlo.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %m = dhlo.constant dense<[[[[false, false, true], [false, false, false]]]]> : tensor<1x1x2x3xi1>
  %y = dhlo.attention %q, %k, %v mask %m scale = 0.5 : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>, tensor<1x1x2x3xi1>) -> tensor<1x1x2x1xf32>
  return %y : tensor<1x1x2x1xf32>
}

// A row without keys is NaN if asked for, whatever removed them.
// CHECK-LABEL: @attention_nan_if_empty{{$}}
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}4], [nan]]]]
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}nan], [nan]]]]
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}nan], [1]]]]
func.func @attention_nan_if_empty() -> (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) {
  %q = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %k = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32>
  %v = dhlo.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %m = dhlo.constant dense<[[[[false, false, true], [false, false, false]]]]> : tensor<1x1x2x3xi1>
  %y = dhlo.attention %q, %k, %v mask %m scale = 0.5 nan_if_empty : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>, tensor<1x1x2x3xi1>) -> tensor<1x1x2x1xf32>
  %n = dhlo.constant dense<0xFF800000> : tensor<1x1x1x3xf32>
  %z = dhlo.attention %q, %k, %v mask %n scale = 0.5 nan_if_empty : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x2x1xf32>
  // The first query is before the only key.
  %k1 = dhlo.constant dense<1.0> : tensor<1x1x1x2xf32>
  %v1 = dhlo.constant dense<1.0> : tensor<1x1x1x1xf32>
  %w = dhlo.attention %q, %k1, %v1 scale = 0.5 causal nan_if_empty : (tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x1xf32>
  return %y, %z, %w : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
}

// A mask of floats is added, repeated where its size is 1.
// CHECK-LABEL: @attention_bias{{$}}
// CHECK-NEXT:    tensor<1x1x2x1xf32> {{\[\[}}{{\[\[}}2], [2]]]]
func.func @attention_bias() -> tensor<1x1x2x1xf32> {
  %q = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %k = dhlo.constant dense<[[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]]> : tensor<1x1x3x2xf32>
  %v = dhlo.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %m = dhlo.constant dense<[[[[0xFF800000, 0.0, 0xFF800000]]]]> : tensor<1x1x1x3xf32>
  %y = dhlo.attention %q, %k, %v mask %m scale = 0.5 : (tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x2x1xf32>
  return %y : tensor<1x1x2x1xf32>
}

// Two heads of the query share a group.
// CHECK-LABEL: @attention_groups{{$}}
// CHECK-NEXT:    tensor<1x2x1x1xf32> {{\[\[}}{{\[\[}}0.7310586]], {{\[\[}}0.26894143]]]]
func.func @attention_groups() -> tensor<1x2x1x1xf32> {
  %q = dhlo.constant dense<[[[[1.0]], [[-1.0]]]]> : tensor<1x2x1x1xf32>
  %k = dhlo.constant dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  %v = dhlo.constant dense<[[[[0.0], [1.0]]]]> : tensor<1x1x2x1xf32>
  %y = dhlo.attention %q, %k, %v scale = 1.0 : (tensor<1x2x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}

// Sums over no keys are 0, as those of a matmul are.
// CHECK-LABEL: @attention_no_keys{{$}}
// CHECK-NEXT:    tensor<1x1x1x1xf32> {{\[\[}}{{\[\[}}0]]]]
// CHECK-NEXT:    tensor<1x1x1x1xf32> {{\[\[}}{{\[\[}}0]]]]
func.func @attention_no_keys() -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
  %q = dhlo.constant dense<1.0> : tensor<1x1x1x1xf32>
  %k = dhlo.constant dense<> : tensor<1x1x0x1xf32>
  %y = dhlo.attention %q, %k, %k scale = 1.0 : (tensor<1x1x1x1xf32>, tensor<1x1x0x1xf32>, tensor<1x1x0x1xf32>) -> tensor<1x1x1x1xf32>
  %z = dhlo.attention %q, %k, %k scale = 1.0 nan_if_empty : (tensor<1x1x1x1xf32>, tensor<1x1x0x1xf32>, tensor<1x1x0x1xf32>) -> tensor<1x1x1x1xf32>
  return %y, %z : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}
