// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// The numbers depend on seed, stream and index alone.
// CHECK-LABEL: @rng_uniform{{$}}
// CHECK-NEXT:    tensor<6xf32> [0.94007933, 0.067757964, 0.7455901, 0.72044784, 0.3299998, 0.9178445]
// CHECK-NEXT:    tensor<2xf32> [0.88015866, -0.8644841]
// CHECK-NEXT:    tensor<2x2xf16> {{\[\[}}0.94, 0.06775], [0.7456, 0.72]]
func.func @rng_uniform() -> (tensor<6xf32>, tensor<2xf32>, tensor<2x2xf16>) {
  %a = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<6xf32>
  %b = dhlo.rng uniform low = -1.0 high = 1.0 stream = 3 : tensor<2xf32>
  %c = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 : tensor<2x2xf16>
  return %a, %b, %c : tensor<6xf32>, tensor<2xf32>, tensor<2x2xf16>
}

// CHECK-LABEL: @rng_own_seed{{$}}
// CHECK-NEXT:    tensor<2xf32> [0.041240573, 0.18050563]
// CHECK-NEXT:    tensor<2xf64> [0.18050566130346624, 0.29813458755458466]
func.func @rng_own_seed() -> (tensor<2xf32>, tensor<2xf64>) {
  %a = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 seed = 77 : tensor<2xf32>
  %b = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 seed = 77 : tensor<2xf64>
  return %a, %b : tensor<2xf32>, tensor<2xf64>
}

// CHECK-LABEL: @rng_normal{{$}}
// CHECK-NEXT:    tensor<4xf32> [0.9911375, -0.92466277, -0.6176091, -0.48206836]
// CHECK-NEXT:    tensor<0xf32> []
func.func @rng_normal() -> (tensor<4xf32>, tensor<0xf32>) {
  %a = dhlo.rng normal low = 0.0 high = 1.0 stream = 0 : tensor<4xf32>
  %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 0 : tensor<0xf32>
  return %a, %b : tensor<4xf32>, tensor<0xf32>
}

// Nothing lies in an empty interval but its end.
// CHECK-LABEL: @rng_empty_interval{{$}}
// CHECK-NEXT:    tensor<2xf32> [5, 5]
func.func @rng_empty_interval() -> tensor<2xf32> {
  %a = dhlo.rng uniform low = 5.0 high = 5.0 stream = 0 : tensor<2xf32>
  return %a : tensor<2xf32>
}
