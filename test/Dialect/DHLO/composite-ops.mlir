// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Operations that later stages want whole, with optional operands present and
// absent.

dhlo.dim @B
dhlo.dim @S
dhlo.dim @T
dhlo.dim @H
dhlo.dim @W
dhlo.dim @H2
dhlo.dim @W2

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %v: tensor<0xf16>) {
  // CHECK: dhlo.softmax %{{.*}} axis = 1 : tensor<?x?xf32, #dhlo.dims<B, S>>
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.softmax %{{.*}} axis = 0 log : tensor<?x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.softmax %x axis = 0 log : tensor<?x?xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.softmax %{{.*}} axis = 0 : tensor<0xf16>
  %2 = dhlo.softmax %v axis = 0 : tensor<0xf16>
  return
}

// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%x: tensor<?x?x384xf32, #dhlo.dims<B, S>>, %g: tensor<384xf32>, %h: tensor<?x384xf32, #dhlo.dims<S>>) {
  // CHECK: dhlo.layer_norm %{{.*}}, %{{.*}}, %{{.*}} axis = 2 eps = 9.9999999999999998E-13 : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384xf32>, tensor<384xf32>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
  %0 = dhlo.layer_norm %x, %g, %g axis = 2 eps = 9.9999999999999998E-13 : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384xf32>, tensor<384xf32>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.layer_norm %{{.*}}, %{{.*}} axis = 1 eps = 0.000000e+00 : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<?x384xf32, #dhlo.dims<S>>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
  %1 = dhlo.layer_norm %x, %h axis = 1 eps = 0.000000e+00 : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<?x384xf32, #dhlo.dims<S>>) -> tensor<?x?x384xf32, #dhlo.dims<B, S>>
  return
}

// CHECK-LABEL: func.func @rms_norm(
func.func @rms_norm(%x: tensor<4x8xbf16>, %g: tensor<8xbf16>) {
  // CHECK: dhlo.rms_norm %{{.*}}, %{{.*}} axis = 1 eps = 9.9999999999999995E-7 : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  %0 = dhlo.rms_norm %x, %g axis = 1 eps = 9.9999999999999995E-7 : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func.func @gelu(
func.func @gelu(%x: tensor<?x4xf32, #dhlo.dims<B>>, %s: tensor<f64>) {
  // CHECK: dhlo.gelu erf %{{.*}} : tensor<?x4xf32, #dhlo.dims<B>>
  %0 = dhlo.gelu erf %x : tensor<?x4xf32, #dhlo.dims<B>>
  // CHECK: dhlo.gelu tanh %{{.*}} : tensor<f64>
  %1 = dhlo.gelu tanh %s : tensor<f64>
  return
}

// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, %k: tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, %v: tensor<?x4x?x32xf32, #dhlo.dims<B, T>>, %m: tensor<?x1x?x?xf32, #dhlo.dims<B, S, T>>, %p: tensor<1x1x1x?xi1, #dhlo.dims<T>>) {
  // CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.250000e-01 : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  %0 = dhlo.attention %q, %k, %v scale = 1.250000e-01 : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>, tensor<?x1x?x?xf32, #dhlo.dims<B, S, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  %1 = dhlo.attention %q, %k, %v mask %m scale = 1.000000e+00 : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>, tensor<?x1x?x?xf32, #dhlo.dims<B, S, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 causal : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>, tensor<1x1x1x?xi1, #dhlo.dims<T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  %2 = dhlo.attention %q, %k, %v mask %p scale = 1.000000e+00 causal : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>, tensor<1x1x1x?xi1, #dhlo.dims<T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 cap = 5.000000e+01 causal : (
  %3 = dhlo.attention %q, %k, %v scale = 1.000000e+00 cap = 5.000000e+01 causal : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 causal nan_if_empty : (
  %4 = dhlo.attention %q, %k, %v scale = 1.000000e+00 causal nan_if_empty : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x4x?x64xf32, #dhlo.dims<B, T>>, tensor<?x4x?x32xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x32xf32, #dhlo.dims<B, S>>
  return
}

// CHECK-LABEL: func.func @lstm(
func.func @lstm(%x: tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, %r: tensor<1x2x8xf32>, %s: tensor<1x?x2xf32, #dhlo.dims<B>>, %l: tensor<?xi32, #dhlo.dims<B>>, %x2: tensor<?x?x2x8xf32, #dhlo.dims<T, B>>, %r2: tensor<2x2x8xf32>) {
  // CHECK: dhlo.lstm forward %{{.*}}, %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %0, %1, %2 = dhlo.lstm forward %x, %r : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm reverse %{{.*}}, %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %3, %4, %5 = dhlo.lstm reverse %x, %r : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm forward %{{.*}}, %{{.*}} hidden %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %6, %7, %8 = dhlo.lstm forward %x, %r hidden %s : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm forward %{{.*}}, %{{.*}} cell %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %9, %10, %11 = dhlo.lstm forward %x, %r cell %s : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm forward %{{.*}}, %{{.*}} lengths %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<?xi32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %12, %13, %14 = dhlo.lstm forward %x, %r lengths %l : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<?xi32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm reverse %{{.*}}, %{{.*}} hidden %{{.*}} cell %{{.*}} lengths %{{.*}} : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<?xi32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  %15, %16, %17 = dhlo.lstm reverse %x, %r hidden %s cell %s lengths %l : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<?xi32, #dhlo.dims<B>>) -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  // CHECK: dhlo.lstm bidirectional %{{.*}}, %{{.*}} : (tensor<?x?x2x8xf32, #dhlo.dims<T, B>>, tensor<2x2x8xf32>) -> (tensor<?x2x?x2xf32, #dhlo.dims<T, B>>, tensor<2x?x2xf32, #dhlo.dims<B>>, tensor<2x?x2xf32, #dhlo.dims<B>>)
  %18, %19, %20 = dhlo.lstm bidirectional %x2, %r2 : (tensor<?x?x2x8xf32, #dhlo.dims<T, B>>, tensor<2x2x8xf32>) -> (tensor<?x2x?x2xf32, #dhlo.dims<T, B>>, tensor<2x?x2xf32, #dhlo.dims<B>>, tensor<2x?x2xf32, #dhlo.dims<B>>)
  return
}

// CHECK-LABEL: func.func @resize(
func.func @resize(%x: tensor<?x8x?x?xf32, #dhlo.dims<B, H, W>>, %u: tensor<4x6xui8>) {
  // CHECK: dhlo.resize nearest asymmetric floor %{{.*}} scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] coefficient = -7.500000e-01 : (tensor<?x8x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x8x?x?xf32, #dhlo.dims<B, H2, W2>>
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00] coefficient = -7.500000e-01 : (tensor<?x8x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x8x?x?xf32, #dhlo.dims<B, H2, W2>>
  // CHECK: dhlo.resize linear half_pixel round_prefer_floor %{{.*}} scales = [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00] coefficient = 0.000000e+00 : (tensor<?x8x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x8x?x?xf32, #dhlo.dims<B, H2, W2>>
  %1 = dhlo.resize linear half_pixel round_prefer_floor %x scales = [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00] coefficient = 0.000000e+00 : (tensor<?x8x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x8x?x?xf32, #dhlo.dims<B, H2, W2>>
  // CHECK: dhlo.resize cubic align_corners ceil %{{.*}} scales = [5.000000e-01, 1.500000e+00] coefficient = -5.000000e-01 : (tensor<4x6xui8>) -> tensor<2x9xui8>
  %2 = dhlo.resize cubic align_corners ceil %u scales = [5.000000e-01, 1.500000e+00] coefficient = -5.000000e-01 : (tensor<4x6xui8>) -> tensor<2x9xui8>
  // CHECK: dhlo.resize nearest pytorch_half_pixel round_prefer_ceil %{{.*}} scales = [5.000000e-01, 1.500000e+00] coefficient = 0.000000e+00 : (tensor<4x6xui8>) -> tensor<2x9xui8>
  %3 = dhlo.resize nearest pytorch_half_pixel round_prefer_ceil %u scales = [5.000000e-01, 1.500000e+00] coefficient = 0.000000e+00 : (tensor<4x6xui8>) -> tensor<2x9xui8>
  return
}

// CHECK-LABEL: func.func @fft(
func.func @fft(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %t: tensor<2x?xf32, #dhlo.dims<S>>, %v: tensor<4x8xf64>) {
  // CHECK: dhlo.fft %{{.*}} axis = 1 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  %0, %1 = dhlo.fft %x axis = 1 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  // CHECK: dhlo.fft inverse %{{.*}}, %{{.*}} axis = 0 : (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  %2, %3 = dhlo.fft inverse %x, %x axis = 0 : (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  // CHECK: dhlo.fft %{{.*}}, %{{.*}} roots %{{.*}} axis = 1 : (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<2x?xf32, #dhlo.dims<S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  %4, %5 = dhlo.fft %x, %x roots %t axis = 1 : (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<2x?xf32, #dhlo.dims<S>>) -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<B, S>>)
  // CHECK: dhlo.fft %{{.*}} half axis = 1 : (tensor<4x8xf64>) -> (tensor<4x5xf64>, tensor<4x5xf64>)
  %6, %7 = dhlo.fft %v half axis = 1 : (tensor<4x8xf64>) -> (tensor<4x5xf64>, tensor<4x5xf64>)
  // CHECK: dhlo.fft inverse %{{.*}}, %{{.*}} half axis = 1 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x15xf64>
  %8 = dhlo.fft inverse %v, %v half axis = 1 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x15xf64>
  // CHECK: dhlo.fft %{{.*}}, %{{.*}} half axis = 1 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x14xf64>
  %9 = dhlo.fft %v, %v half axis = 1 : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x14xf64>
  return
}
