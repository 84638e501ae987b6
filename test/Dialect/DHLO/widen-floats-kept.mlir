// RUN: dyn-opt %s --dhlo-widen-floats | FileCheck %s

// What is widened, and what keeps its type: only f32 is, wherever it stands.

dhlo.dim @N in [0, 100]

// Halves, doubles, integers and booleans are no f32; their constants stay as they are.
// CHECK-LABEL: func.func @other_types
// CHECK-SAME: %{{.*}}: tensor<2xf16>, %{{.*}}: tensor<2xbf16>, %{{.*}}: tensor<2xf64>, %{{.*}}: tensor<2xi32>, %{{.*}}: tensor<2xi1>)
// CHECK: dhlo.constant dense<1.500000e+00> : tensor<2xf16>
// CHECK: dhlo.constant dense<1.500000e+00> : tensor<2xbf16>
// CHECK: dhlo.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf64>
// CHECK: dhlo.constant dense<1065353216> : tensor<2xi32>
// CHECK-NOT: dhlo.convert
// CHECK: return
func.func @other_types(%h: tensor<2xf16>, %b: tensor<2xbf16>, %d: tensor<2xf64>, %i: tensor<2xi32>, %p: tensor<2xi1>)
    -> (tensor<2xf16>, tensor<2xbf16>, tensor<2xf64>, tensor<2xi32>) {
  %0 = dhlo.constant dense<1.5> : tensor<2xf16>
  %1 = dhlo.constant dense<1.5> : tensor<2xbf16>
  %2 = dhlo.constant dense<[1.5, 2.5]> : tensor<2xf64>
  // The bits of 1.0.
  %3 = dhlo.constant dense<1065353216> : tensor<2xi32>
  %4 = dhlo.add %h, %0 : tensor<2xf16>
  %5 = dhlo.add %b, %1 : tensor<2xbf16>
  %6 = dhlo.add %d, %2 : tensor<2xf64>
  %7 = dhlo.select %p, %i, %3 : tensor<2xi1>, tensor<2xi32>
  return %4, %5, %6, %7 : tensor<2xf16>, tensor<2xbf16>, tensor<2xf64>, tensor<2xi32>
}

// Constants: a splat, numbers that f64 does not round to those of f32, signed zeros, NaN, none.
// CHECK-LABEL: func.func @constants
// CHECK: dhlo.constant dense<2.500000e+00> : tensor<3xf64>
// CHECK: dhlo.constant dense<[0.10000000149011612, -0.000000e+00, 1.401298464324817{{[0-9]*}}E-45]> : tensor<3xf64>
// CHECK: dhlo.constant dense<0x7FF8000000000000> : tensor<1xf64>
// CHECK: dhlo.constant dense<> : tensor<0xf64>
func.func @constants() -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<0xf32>) {
  %0 = dhlo.constant dense<2.5> : tensor<3xf32>
  %1 = dhlo.constant dense<[0.1, -0.0, 1.4e-45]> : tensor<3xf32>
  %2 = dhlo.constant dense<0x7FC00000> : tensor<1xf32>
  %3 = dhlo.constant dense<> : tensor<0xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<1xf32>, tensor<0xf32>
}

// A size as f32 is rounded to 24 bits, so it is computed so and converted; one as f64 is not touched.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[F:.*]] = dhlo.from_dims [@N] : tensor<f32>
// CHECK: %[[W:.*]] = dhlo.convert %[[F]] : (tensor<f32>) -> tensor<f64>
// CHECK: %[[I:.*]] = dhlo.from_dims [@N] : tensor<i64>
// CHECK: return %[[W]], %[[I]]
func.func @sizes(%x: tensor<?xi64, #dhlo.dims<N>>) -> (tensor<f32>, tensor<i64>) {
  %0 = dhlo.from_dims [@N] : tensor<f32>
  %1 = dhlo.from_dims [@N] : tensor<i64>
  return %0, %1 : tensor<f32>, tensor<i64>
}

// A weight of another type is read as it is; a weight in a region is converted there.
// CHECK-LABEL: func.func @weights
// CHECK: %[[H:.*]] = dhlo.weight {{.*}} : tensor<2xf16>
// CHECK: %[[W:.*]] = dhlo.convert %[[H]] : (tensor<2xf16>) -> tensor<2xf64>
// CHECK: dhlo.if %{{.*}} -> (tensor<2xf64>) {
// CHECK:   %[[V:.*]] = dhlo.weight {{.*}} : tensor<2xf32>
// CHECK:   %[[C:.*]] = dhlo.convert %[[V]] : (tensor<2xf32>) -> tensor<2xf64>
// CHECK:   dhlo.yield %[[C]] : tensor<2xf64>
// CHECK: dhlo.yield %[[W]] : tensor<2xf64>
func.func @weights(%p: tensor<i1>) -> tensor<2xf32> {
  %h = dhlo.weight <"m", offset = 0, length = 4, key = "h"> : tensor<2xf16>
  %w = dhlo.convert %h : (tensor<2xf16>) -> tensor<2xf32>
  %0 = dhlo.if %p -> (tensor<2xf32>) {
    %v = dhlo.weight <"m", offset = 4, length = 8, key = "v"> : tensor<2xf32>
    dhlo.yield %v : tensor<2xf32>
  } else {
    dhlo.yield %w : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// The values that a loop carries, and its block's arguments.
// CHECK-LABEL: func.func @loop
// CHECK: dhlo.while %{{.*}} carries(%arg1) {{.*}}(tensor<2xf64>) -> tensor<2xf64>
// CHECK: ^bb0(%[[C:.*]]: tensor<2xf64>):
// CHECK: dhlo.exp %[[C]] : tensor<2xf64>
func.func @loop(%go: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dhlo.while %go carries(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%c: tensor<2xf32>):
    %1 = dhlo.exp %c : tensor<2xf32>
    dhlo.yield %go, %1 : tensor<i1>, tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// Products of 16 bits that are accumulated in f32: both sides are converted.
// CHECK-LABEL: func.func @accumulated
// CHECK-DAG: %[[X:.*]] = dhlo.convert %arg0 : (tensor<3xbf16>) -> tensor<3xf64>
// CHECK-DAG: %[[Y:.*]] = dhlo.convert %arg1 : (tensor<1x3xbf16>) -> tensor<1x3xf64>
// CHECK: dhlo.dot_general %[[X]], %[[Y]] {{.*}} -> tensor<1xf64>
// CHECK-DAG: %[[L:.*]] = dhlo.convert %arg2 : (tensor<4x3xf16>) -> tensor<4x3xf64>
// CHECK-DAG: %[[R:.*]] = dhlo.convert %arg3 : (tensor<2x3x5xf16>) -> tensor<2x3x5xf64>
// CHECK: dhlo.grouped_dot %[[L]], %[[R]], %arg4 : {{.*}} -> tensor<4x5xf64>
func.func @accumulated(%x: tensor<3xbf16>, %y: tensor<1x3xbf16>, %l: tensor<4x3xf16>, %r: tensor<2x3x5xf16>, %o: tensor<3xi64>) -> (tensor<1xf32>, tensor<4x5xf32>) {
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [0] rhs_contract = [1] : (tensor<3xbf16>, tensor<1x3xbf16>) -> tensor<1xf32>
  %1 = dhlo.grouped_dot %l, %r, %o : (tensor<4x3xf16>, tensor<2x3x5xf16>, tensor<3xi64>) -> tensor<4x5xf32>
  return %0, %1 : tensor<1xf32>, tensor<4x5xf32>
}

// With results of 16 bits they stay as they are.
// CHECK-LABEL: func.func @of_16_bits
// CHECK-NOT: dhlo.convert
// CHECK: dhlo.dot_general %arg0, %arg1 {{.*}} -> tensor<1xbf16>
func.func @of_16_bits(%x: tensor<3xbf16>, %y: tensor<1x3xbf16>) -> tensor<1xbf16> {
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [0] rhs_contract = [1] : (tensor<3xbf16>, tensor<1x3xbf16>) -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}
