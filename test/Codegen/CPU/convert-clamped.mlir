// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4 | FileCheck %s

// Quantised numbers are clamped before they are converted: they are only compared with
// themselves, for NaN.

// CHECK-LABEL: func.func @clamped.body(
// CHECK:       arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK:       %[[CLAMPED:.*]] = arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK:       %[[ORDERED:.*]] = arith.cmpf ord, %[[CLAMPED]], %[[CLAMPED]]
// CHECK-NOT:   arith.cmpf {{o[gl]}}
// CHECK:       %[[BYTES:.*]] = arith.fptosi %[[CLAMPED]] : vector<16xf32> to vector<16xi8>
// CHECK-NEXT:  arith.select %[[ORDERED]], %[[BYTES]]
dlhlo.kernel @clamped loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @N
  %low = dhlo.constant dense<-128.0> : tensor<f32>
  %high = dhlo.constant dense<127.0> : tensor<f32>
  %lows = dhlo.broadcast %low axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %highs = dhlo.broadcast %high axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %0 = dhlo.maximum %x, %lows : tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.minimum %0, %highs : tensor<?xf32, #dhlo.dims<N>>
  %2 = dhlo.convert %1 : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi8, #dhlo.dims<N>>
  dlhlo.yield %2 : tensor<?xi8, #dhlo.dims<N>>
}

// -----

// A selection that takes the number in place of NaN leaves nothing to compare.

// CHECK-LABEL: func.func @ordered.body(
// CHECK:       arith.cmpf ogt
// CHECK-NOT:   arith.cmpf ord
// CHECK:       %[[BYTES:.*]] = arith.fptoui {{.*}} : vector<16xf32> to vector<16xi8>
// CHECK-NOT:   arith.select
// CHECK:       llvm.store %[[BYTES]]
dlhlo.kernel @ordered loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @N
  %low = dhlo.constant dense<0.0> : tensor<f32>
  %high = dhlo.constant dense<255.0> : tensor<f32>
  %lows = dhlo.broadcast %low axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %highs = dhlo.broadcast %high axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %isAbove = dhlo.compare gt %x, %lows : tensor<?xf32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
  %0 = dhlo.select %isAbove, %x, %lows : tensor<?xi1, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.minimum %0, %highs : tensor<?xf32, #dhlo.dims<N>>
  %2 = dhlo.convert %1 : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xui8, #dhlo.dims<N>>
  dlhlo.yield %2 : tensor<?xui8, #dhlo.dims<N>>
}

// -----

// One more than i8 holds.

// CHECK-LABEL: func.func @wider.body(
// CHECK:       arith.cmpf olt, {{.*}} : vector<16xf32>
// CHECK:       arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK:       arith.cmpf olt, {{.*}} : vector<16xf32>
// CHECK:       arith.fptosi
dlhlo.kernel @wider loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @N
  %high = dhlo.constant dense<128.0> : tensor<f32>
  %highs = dhlo.broadcast %high axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %0 = dhlo.minimum %x, %highs : tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.convert %0 : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi8, #dhlo.dims<N>>
  dlhlo.yield %1 : tensor<?xi8, #dhlo.dims<N>>
}
