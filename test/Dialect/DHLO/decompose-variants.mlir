// RUN: dyn-opt %s -dhlo-decompose -split-input-file | FileCheck %s
// RUN: dyn-opt %s -dhlo-decompose=ops=gelu,layer_norm -split-input-file | FileCheck %s --check-prefix=SOME

// Each form of each composite. What a form does not have must not be there: a bias, a cap, a mask.

// CHECK-LABEL: func.func @log_softmax
// CHECK: %[[S:.*]] = dhlo.sub %arg0
// CHECK: %[[E:.*]] = dhlo.exp %[[S]]
// CHECK: %[[R:.*]] = dhlo.reduce sum %[[E]] axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: %[[L:.*]] = dhlo.log %[[R]] : tensor<3xf32>
// CHECK: %[[B:.*]] = dhlo.broadcast %[[L]] axes = [1]
// CHECK: %[[Y:.*]] = dhlo.sub %[[S]], %[[B]]
// CHECK-NEXT: return %[[Y]]
// SOME-LABEL: func.func @log_softmax
// SOME: dhlo.softmax
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dhlo.softmax %x axis = 0 log : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @gelu_erf
// CHECK: dhlo.constant dense<0.707106769> : tensor<f32>
// CHECK: dhlo.erf
// CHECK-NOT: dhlo.tanh
// CHECK: return
// SOME-LABEL: func.func @gelu_erf
// SOME-NOT: dhlo.gelu
func.func @gelu_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dhlo.gelu erf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// In f64, the constants have the digits of f64; nothing is converted.
// CHECK-LABEL: func.func @gelu_tanh
// CHECK-NOT: dhlo.convert
// CHECK-DAG: dhlo.constant dense<4.471500e-02> : tensor<f64>
// CHECK-DAG: dhlo.constant dense<0.79788456080286541> : tensor<f64>
// CHECK: dhlo.tanh
// CHECK-NOT: dhlo.erf
// CHECK: return
func.func @gelu_tanh(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = dhlo.gelu tanh %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// bf16 is computed in f32, as f16 is. Only what has the narrow type is converted.
// CHECK-LABEL: func.func @gelu_bf16
// CHECK: %[[X:.*]] = dhlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: dhlo.erf {{.*}} : tensor<4xf32>
// CHECK: %[[Y:.*]] = dhlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: return %[[Y]]
func.func @gelu_bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = dhlo.gelu erf %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK: dhlo.constant dense<3.000000e+00> : tensor<f32>
// CHECK: %[[C:.*]] = dhlo.sub %arg0
// CHECK: dhlo.mul %[[C]], %[[C]]
// CHECK: dhlo.rsqrt
// CHECK: %[[B:.*]] = dhlo.broadcast %arg2 axes = [1]
// CHECK: dhlo.add %{{.*}}, %[[B]]
// CHECK-NEXT: return
// SOME-LABEL: func.func @layer_norm
// SOME-NOT: dhlo.layer_norm
func.func @layer_norm(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = dhlo.layer_norm %x, %g, %b axis = 1 eps = 1.0e-6 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Over all axes: the mean is one number, the product of two sizes. No bias, so the scale comes last.
// CHECK-LABEL: func.func @norm_of_all
// CHECK: dhlo.reduce sum %arg0 axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
// CHECK: dhlo.constant dense<6.000000e+00> : tensor<f32>
// CHECK: %[[G:.*]] = dhlo.broadcast %arg1 axes = [0, 1]
// CHECK-NEXT: %[[Y:.*]] = dhlo.mul %{{.*}}, %[[G]] : tensor<2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @norm_of_all(%x: tensor<2x3xf32>, %g: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dhlo.layer_norm %x, %g axis = 0 eps = 1.0e-6 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A root mean square is not centred.
// CHECK-LABEL: func.func @rms_norm
// CHECK-NOT: dhlo.sub
// CHECK: dhlo.mul %arg0, %arg0
// CHECK-NOT: dhlo.sub
// CHECK: return
// SOME-LABEL: func.func @rms_norm
// SOME: dhlo.rms_norm
func.func @rms_norm(%x: tensor<2x3xf64>, %g: tensor<3xf64>) -> tensor<2x3xf64> {
  %0 = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-6 : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// -----

// Attention without mask, cap and condition has one choice for rows without keys and one for sums
// that are zero, and repeats no heads.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: dhlo.iota
// CHECK-NOT: dhlo.tanh
// CHECK: dhlo.dot_general %arg0, %arg1 batch = 2
// CHECK-COUNT-2: dhlo.select
// CHECK-NOT: dhlo.select
// CHECK: return
func.func @plain(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32> {
  %0 = dhlo.attention %q, %k, %v scale = 0.5 : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  return %0 : tensor<1x2x3x6xf32>
}

// A mask of numbers is added; one of the scores' own sizes is not broadcast before.
// CHECK-LABEL: func.func @added
// CHECK: %[[S:.*]] = dhlo.dot_general
// CHECK: %[[X:.*]] = dhlo.mul %[[S]]
// CHECK: dhlo.add %[[X]], %arg2 : tensor<1x2x3x3xf32>
func.func @added(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %m: tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.5 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// A cap is applied before what is added, which may be lower than any cap.
// CHECK-LABEL: func.func @capped
// CHECK: %[[T:.*]] = dhlo.tanh
// CHECK: %[[C:.*]] = dhlo.mul %[[T]]
// CHECK: dhlo.add %[[C]]
func.func @capped(%q: tensor<1x2x3x4xf32>, %m: tensor<1x1x1x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = dhlo.attention %q, %q, %q mask %m scale = 0.5 cap = 30.0 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// The last query sees all keys, whatever the number of queries is: here the first one sees three.
// CHECK-LABEL: func.func @causal
// CHECK-DAG: %[[K:.*]] = dhlo.iota axis = 3 start = [0]
// CHECK-DAG: %[[Q:.*]] = dhlo.iota axis = 2 start = [2]
// CHECK: dhlo.compare le %[[K]], %[[Q]]
func.func @causal(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = dhlo.attention %q, %k, %k scale = 0.5 causal : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// Of booleans a mask stays what it is where the scores are f16.
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-3: dhlo.convert {{.*}}xf16>) -> {{.*}}xf32>
// CHECK-NOT: dhlo.convert
// CHECK: dhlo.select %arg1, {{.*}} : tensor<1x1x3x3xi1>, tensor<1x1x3x3xf32>
// CHECK: dhlo.convert {{.*}} -> tensor<1x1x3x4xf16>
// CHECK-NEXT: return
func.func @narrow(%q: tensor<1x1x3x4xf16>, %m: tensor<1x1x3x3xi1>) -> tensor<1x1x3x4xf16> {
  %0 = dhlo.attention %q, %q, %q mask %m scale = 0.5 : (tensor<1x1x3x4xf16>, tensor<1x1x3x4xf16>, tensor<1x1x3x4xf16>, tensor<1x1x3x3xi1>) -> tensor<1x1x3x4xf16>
  return %0 : tensor<1x1x3x4xf16>
}

// -----

// A composite in a branch.
// CHECK-LABEL: func.func @branch
// CHECK: dhlo.if
// CHECK: dhlo.erf
// CHECK-NOT: dhlo.gelu
func.func @branch(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dhlo.if %p -> (tensor<4xf32>) {
    %1 = dhlo.gelu erf %x : tensor<4xf32>
    dhlo.yield %1 : tensor<4xf32>
  } else {
    dhlo.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
