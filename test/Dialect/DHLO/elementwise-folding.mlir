// RUN: dyn-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xi64>, tensor<f32>, tensor<2xi1>, tensor<3xi32>) {
  // CHECK-DAG: %[[SUM:.*]] = dhlo.constant dense<[4, 6]> : tensor<2xi64>
  // CHECK-DAG: %[[QUOTIENT:.*]] = dhlo.constant dense<2.500000e-01> : tensor<f32>
  // CHECK-DAG: %[[LESS:.*]] = dhlo.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: %[[WHOLE:.*]] = dhlo.constant dense<[1, -2, -2147483648]> : tensor<3xi32>
  // CHECK: return %[[SUM]], %[[QUOTIENT]], %[[LESS]], %[[WHOLE]]
  %a = dhlo.constant dense<[1, 4]> : tensor<2xi64>
  %b = dhlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = dhlo.add %a, %b : tensor<2xi64>
  %one = dhlo.constant dense<1.0> : tensor<f32>
  %four = dhlo.constant dense<4.0> : tensor<f32>
  %1 = dhlo.div %one, %four : tensor<f32>
  %2 = dhlo.compare lt %a, %b : tensor<2xi64> -> tensor<2xi1>
  %f = dhlo.constant dense<[1.5, -2.5, 0xFF800000]> : tensor<3xf32>
  %3 = dhlo.convert %f : (tensor<3xf32>) -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<f32>, tensor<2xi1>, tensor<3xi32>
}

// Splats fold at any size.

// CHECK-LABEL: func.func @splats
func.func @splats() -> tensor<1000xf32> {
  // CHECK-NEXT: %[[C:.*]] = dhlo.constant dense<6.000000e+00> : tensor<1000xf32>
  // CHECK-NEXT: return %[[C]]
  %a = dhlo.constant dense<2.0> : tensor<1000xf32>
  %b = dhlo.constant dense<3.0> : tensor<1000xf32>
  %0 = dhlo.mul %a, %b : tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// What is a data error, and a NaN, stays for the call to find.

// CHECK-LABEL: func.func @kept
func.func @kept() -> (tensor<i64>, tensor<f32>, tensor<i32>) {
  // CHECK: dhlo.div {{.*}} : tensor<i64>
  // CHECK: dhlo.div {{.*}} : tensor<f32>
  // CHECK: dhlo.convert
  %a = dhlo.constant dense<1> : tensor<i64>
  %zero = dhlo.constant dense<0> : tensor<i64>
  %0 = dhlo.div %a, %zero : tensor<i64>
  %f = dhlo.constant dense<0.0> : tensor<f32>
  %1 = dhlo.div %f, %f : tensor<f32>
  %big = dhlo.constant dense<1.0e+20> : tensor<f32>
  %2 = dhlo.convert %big : (tensor<f32>) -> tensor<i32>
  return %0, %1, %2 : tensor<i64>, tensor<f32>, tensor<i32>
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xi64>)
func.func @identities(%x: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]]
  %zero = dhlo.constant dense<0> : tensor<4xi64>
  %one = dhlo.constant dense<1> : tensor<4xi64>
  %0 = dhlo.add %x, %zero : tensor<4xi64>
  %1 = dhlo.mul %one, %x : tensor<4xi64>
  %2 = dhlo.neg %x : tensor<4xi64>
  %3 = dhlo.neg %2 : tensor<4xi64>
  %4 = dhlo.div %x, %one : tensor<4xi64>
  return %0, %1, %3, %4 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

// -0.0 + 0.0 is 0.0, so only -0.0 is neutral.

// CHECK-LABEL: func.func @signed_zero
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @signed_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SUM:.*]] = dhlo.add %[[X]]
  // CHECK: return %[[SUM]], %[[X]]
  %plus = dhlo.constant dense<0.0> : tensor<4xf32>
  %minus = dhlo.constant dense<-0.0> : tensor<4xf32>
  %0 = dhlo.add %x, %plus : tensor<4xf32>
  %1 = dhlo.add %x, %minus : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @choices
// CHECK-SAME: (%{{.*}}: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @choices(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: return %[[Y]], %[[X]]
  %false = dhlo.constant dense<false> : tensor<4xi1>
  %0 = dhlo.select %false, %x, %y : tensor<4xi1>, tensor<4xf32>
  %1 = dhlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
