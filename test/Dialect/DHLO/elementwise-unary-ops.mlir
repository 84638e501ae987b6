// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Operations on one tensor, at each element type that they take and at every
// kind of shape: scalars, empty, static and symbolic ones.

dhlo.dim @N
dhlo.dim @M

// CHECK-LABEL: func.func @exp(
func.func @exp(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.exp %{{.*}} : tensor<f16>
  %0 = dhlo.exp %x0 : tensor<f16>
  // CHECK: dhlo.exp %{{.*}} : tensor<3xbf16>
  %1 = dhlo.exp %x1 : tensor<3xbf16>
  // CHECK: dhlo.exp %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.exp %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.exp %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.exp %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @expm1(
func.func @expm1(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.expm1 %{{.*}} : tensor<f16>
  %0 = dhlo.expm1 %x0 : tensor<f16>
  // CHECK: dhlo.expm1 %{{.*}} : tensor<3xbf16>
  %1 = dhlo.expm1 %x1 : tensor<3xbf16>
  // CHECK: dhlo.expm1 %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.expm1 %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.expm1 %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.expm1 %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @log(
func.func @log(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.log %{{.*}} : tensor<f16>
  %0 = dhlo.log %x0 : tensor<f16>
  // CHECK: dhlo.log %{{.*}} : tensor<3xbf16>
  %1 = dhlo.log %x1 : tensor<3xbf16>
  // CHECK: dhlo.log %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.log %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.log %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.log %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @log1p(
func.func @log1p(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.log1p %{{.*}} : tensor<f16>
  %0 = dhlo.log1p %x0 : tensor<f16>
  // CHECK: dhlo.log1p %{{.*}} : tensor<3xbf16>
  %1 = dhlo.log1p %x1 : tensor<3xbf16>
  // CHECK: dhlo.log1p %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.log1p %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.log1p %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.log1p %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @sqrt(
func.func @sqrt(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.sqrt %{{.*}} : tensor<f16>
  %0 = dhlo.sqrt %x0 : tensor<f16>
  // CHECK: dhlo.sqrt %{{.*}} : tensor<3xbf16>
  %1 = dhlo.sqrt %x1 : tensor<3xbf16>
  // CHECK: dhlo.sqrt %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.sqrt %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.sqrt %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.sqrt %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @rsqrt(
func.func @rsqrt(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.rsqrt %{{.*}} : tensor<f16>
  %0 = dhlo.rsqrt %x0 : tensor<f16>
  // CHECK: dhlo.rsqrt %{{.*}} : tensor<3xbf16>
  %1 = dhlo.rsqrt %x1 : tensor<3xbf16>
  // CHECK: dhlo.rsqrt %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.rsqrt %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.rsqrt %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.rsqrt %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @reciprocal(
func.func @reciprocal(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.reciprocal %{{.*}} : tensor<f16>
  %0 = dhlo.reciprocal %x0 : tensor<f16>
  // CHECK: dhlo.reciprocal %{{.*}} : tensor<3xbf16>
  %1 = dhlo.reciprocal %x1 : tensor<3xbf16>
  // CHECK: dhlo.reciprocal %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.reciprocal %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reciprocal %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.reciprocal %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @tanh(
func.func @tanh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.tanh %{{.*}} : tensor<f16>
  %0 = dhlo.tanh %x0 : tensor<f16>
  // CHECK: dhlo.tanh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.tanh %x1 : tensor<3xbf16>
  // CHECK: dhlo.tanh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.tanh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.tanh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.tanh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @erf(
func.func @erf(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.erf %{{.*}} : tensor<f16>
  %0 = dhlo.erf %x0 : tensor<f16>
  // CHECK: dhlo.erf %{{.*}} : tensor<3xbf16>
  %1 = dhlo.erf %x1 : tensor<3xbf16>
  // CHECK: dhlo.erf %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.erf %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.erf %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.erf %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @logistic(
func.func @logistic(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.logistic %{{.*}} : tensor<f16>
  %0 = dhlo.logistic %x0 : tensor<f16>
  // CHECK: dhlo.logistic %{{.*}} : tensor<3xbf16>
  %1 = dhlo.logistic %x1 : tensor<3xbf16>
  // CHECK: dhlo.logistic %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.logistic %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.logistic %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.logistic %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @sin(
func.func @sin(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.sin %{{.*}} : tensor<f16>
  %0 = dhlo.sin %x0 : tensor<f16>
  // CHECK: dhlo.sin %{{.*}} : tensor<3xbf16>
  %1 = dhlo.sin %x1 : tensor<3xbf16>
  // CHECK: dhlo.sin %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.sin %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.sin %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.sin %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @cos(
func.func @cos(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.cos %{{.*}} : tensor<f16>
  %0 = dhlo.cos %x0 : tensor<f16>
  // CHECK: dhlo.cos %{{.*}} : tensor<3xbf16>
  %1 = dhlo.cos %x1 : tensor<3xbf16>
  // CHECK: dhlo.cos %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.cos %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.cos %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.cos %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @tan(
func.func @tan(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.tan %{{.*}} : tensor<f16>
  %0 = dhlo.tan %x0 : tensor<f16>
  // CHECK: dhlo.tan %{{.*}} : tensor<3xbf16>
  %1 = dhlo.tan %x1 : tensor<3xbf16>
  // CHECK: dhlo.tan %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.tan %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.tan %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.tan %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @asin(
func.func @asin(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.asin %{{.*}} : tensor<f16>
  %0 = dhlo.asin %x0 : tensor<f16>
  // CHECK: dhlo.asin %{{.*}} : tensor<3xbf16>
  %1 = dhlo.asin %x1 : tensor<3xbf16>
  // CHECK: dhlo.asin %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.asin %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.asin %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.asin %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @acos(
func.func @acos(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.acos %{{.*}} : tensor<f16>
  %0 = dhlo.acos %x0 : tensor<f16>
  // CHECK: dhlo.acos %{{.*}} : tensor<3xbf16>
  %1 = dhlo.acos %x1 : tensor<3xbf16>
  // CHECK: dhlo.acos %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.acos %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.acos %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.acos %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @atan(
func.func @atan(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.atan %{{.*}} : tensor<f16>
  %0 = dhlo.atan %x0 : tensor<f16>
  // CHECK: dhlo.atan %{{.*}} : tensor<3xbf16>
  %1 = dhlo.atan %x1 : tensor<3xbf16>
  // CHECK: dhlo.atan %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.atan %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.atan %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.atan %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @sinh(
func.func @sinh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.sinh %{{.*}} : tensor<f16>
  %0 = dhlo.sinh %x0 : tensor<f16>
  // CHECK: dhlo.sinh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.sinh %x1 : tensor<3xbf16>
  // CHECK: dhlo.sinh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.sinh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.sinh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.sinh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @cosh(
func.func @cosh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.cosh %{{.*}} : tensor<f16>
  %0 = dhlo.cosh %x0 : tensor<f16>
  // CHECK: dhlo.cosh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.cosh %x1 : tensor<3xbf16>
  // CHECK: dhlo.cosh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.cosh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.cosh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.cosh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @asinh(
func.func @asinh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.asinh %{{.*}} : tensor<f16>
  %0 = dhlo.asinh %x0 : tensor<f16>
  // CHECK: dhlo.asinh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.asinh %x1 : tensor<3xbf16>
  // CHECK: dhlo.asinh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.asinh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.asinh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.asinh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @acosh(
func.func @acosh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.acosh %{{.*}} : tensor<f16>
  %0 = dhlo.acosh %x0 : tensor<f16>
  // CHECK: dhlo.acosh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.acosh %x1 : tensor<3xbf16>
  // CHECK: dhlo.acosh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.acosh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.acosh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.acosh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @atanh(
func.func @atanh(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.atanh %{{.*}} : tensor<f16>
  %0 = dhlo.atanh %x0 : tensor<f16>
  // CHECK: dhlo.atanh %{{.*}} : tensor<3xbf16>
  %1 = dhlo.atanh %x1 : tensor<3xbf16>
  // CHECK: dhlo.atanh %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.atanh %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.atanh %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.atanh %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @floor(
func.func @floor(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.floor %{{.*}} : tensor<f16>
  %0 = dhlo.floor %x0 : tensor<f16>
  // CHECK: dhlo.floor %{{.*}} : tensor<3xbf16>
  %1 = dhlo.floor %x1 : tensor<3xbf16>
  // CHECK: dhlo.floor %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.floor %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.floor %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.floor %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @ceil(
func.func @ceil(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.ceil %{{.*}} : tensor<f16>
  %0 = dhlo.ceil %x0 : tensor<f16>
  // CHECK: dhlo.ceil %{{.*}} : tensor<3xbf16>
  %1 = dhlo.ceil %x1 : tensor<3xbf16>
  // CHECK: dhlo.ceil %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.ceil %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.ceil %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.ceil %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @round(
func.func @round(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.round %{{.*}} : tensor<f16>
  %0 = dhlo.round %x0 : tensor<f16>
  // CHECK: dhlo.round %{{.*}} : tensor<3xbf16>
  %1 = dhlo.round %x1 : tensor<3xbf16>
  // CHECK: dhlo.round %{{.*}} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.round %x2 : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.round %{{.*}} : tensor<0x?xf64, #dhlo.dims<N>>
  %3 = dhlo.round %x3 : tensor<0x?xf64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @abs(
func.func @abs(%x0: tensor<i8>, %x1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %x6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>) {
  // CHECK: dhlo.abs %{{.*}} : tensor<i8>
  %0 = dhlo.abs %x0 : tensor<i8>
  // CHECK: dhlo.abs %{{.*}} : tensor<3xi16>
  %1 = dhlo.abs %x1 : tensor<3xi16>
  // CHECK: dhlo.abs %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.abs %x2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.abs %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.abs %x3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.abs %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.abs %x4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.abs %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.abs %x5 : tensor<2x1xui16>
  // CHECK: dhlo.abs %{{.*}} : tensor<7xui32>
  %6 = dhlo.abs %x6 : tensor<7xui32>
  // CHECK: dhlo.abs %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.abs %x7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.abs %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.abs %x8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.abs %{{.*}} : tensor<0xbf16>
  %9 = dhlo.abs %x9 : tensor<0xbf16>
  // CHECK: dhlo.abs %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.abs %x10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.abs %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.abs %x11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @neg(
func.func @neg(%x0: tensor<i8>, %x1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %x6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>) {
  // CHECK: dhlo.neg %{{.*}} : tensor<i8>
  %0 = dhlo.neg %x0 : tensor<i8>
  // CHECK: dhlo.neg %{{.*}} : tensor<3xi16>
  %1 = dhlo.neg %x1 : tensor<3xi16>
  // CHECK: dhlo.neg %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.neg %x2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.neg %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.neg %x3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.neg %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.neg %x4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.neg %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.neg %x5 : tensor<2x1xui16>
  // CHECK: dhlo.neg %{{.*}} : tensor<7xui32>
  %6 = dhlo.neg %x6 : tensor<7xui32>
  // CHECK: dhlo.neg %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.neg %x7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.neg %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.neg %x8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.neg %{{.*}} : tensor<0xbf16>
  %9 = dhlo.neg %x9 : tensor<0xbf16>
  // CHECK: dhlo.neg %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.neg %x10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.neg %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.neg %x11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @sign(
func.func @sign(%x0: tensor<i8>, %x1: tensor<3xi16>, %x2: tensor<?x4xi32, #dhlo.dims<N>>, %x3: tensor<0x?xi64, #dhlo.dims<N>>, %x4: tensor<?x?x5xui8, #dhlo.dims<N, M>>, %x5: tensor<2x1xui16>, %x6: tensor<7xui32>, %x7: tensor<?xui64, #dhlo.dims<N>>, %x8: tensor<1x?xf16, #dhlo.dims<N>>, %x9: tensor<0xbf16>, %x10: tensor<?x?xf32, #dhlo.dims<M, N>>, %x11: tensor<4x4xf64>) {
  // CHECK: dhlo.sign %{{.*}} : tensor<i8>
  %0 = dhlo.sign %x0 : tensor<i8>
  // CHECK: dhlo.sign %{{.*}} : tensor<3xi16>
  %1 = dhlo.sign %x1 : tensor<3xi16>
  // CHECK: dhlo.sign %{{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
  %2 = dhlo.sign %x2 : tensor<?x4xi32, #dhlo.dims<N>>
  // CHECK: dhlo.sign %{{.*}} : tensor<0x?xi64, #dhlo.dims<N>>
  %3 = dhlo.sign %x3 : tensor<0x?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.sign %{{.*}} : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  %4 = dhlo.sign %x4 : tensor<?x?x5xui8, #dhlo.dims<N, M>>
  // CHECK: dhlo.sign %{{.*}} : tensor<2x1xui16>
  %5 = dhlo.sign %x5 : tensor<2x1xui16>
  // CHECK: dhlo.sign %{{.*}} : tensor<7xui32>
  %6 = dhlo.sign %x6 : tensor<7xui32>
  // CHECK: dhlo.sign %{{.*}} : tensor<?xui64, #dhlo.dims<N>>
  %7 = dhlo.sign %x7 : tensor<?xui64, #dhlo.dims<N>>
  // CHECK: dhlo.sign %{{.*}} : tensor<1x?xf16, #dhlo.dims<N>>
  %8 = dhlo.sign %x8 : tensor<1x?xf16, #dhlo.dims<N>>
  // CHECK: dhlo.sign %{{.*}} : tensor<0xbf16>
  %9 = dhlo.sign %x9 : tensor<0xbf16>
  // CHECK: dhlo.sign %{{.*}} : tensor<?x?xf32, #dhlo.dims<M, N>>
  %10 = dhlo.sign %x10 : tensor<?x?xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.sign %{{.*}} : tensor<4x4xf64>
  %11 = dhlo.sign %x11 : tensor<4x4xf64>
  return
}

// CHECK-LABEL: func.func @not(
func.func @not(%x0: tensor<i1>, %x1: tensor<3xi8>, %x2: tensor<?x4xi16, #dhlo.dims<N>>, %x3: tensor<0x?xi32, #dhlo.dims<N>>, %x4: tensor<?x?x5xi64, #dhlo.dims<N, M>>, %x5: tensor<2x1xui8>, %x6: tensor<7xui16>, %x7: tensor<?xui32, #dhlo.dims<N>>, %x8: tensor<1x?xui64, #dhlo.dims<N>>) {
  // CHECK: dhlo.not %{{.*}} : tensor<i1>
  %0 = dhlo.not %x0 : tensor<i1>
  // CHECK: dhlo.not %{{.*}} : tensor<3xi8>
  %1 = dhlo.not %x1 : tensor<3xi8>
  // CHECK: dhlo.not %{{.*}} : tensor<?x4xi16, #dhlo.dims<N>>
  %2 = dhlo.not %x2 : tensor<?x4xi16, #dhlo.dims<N>>
  // CHECK: dhlo.not %{{.*}} : tensor<0x?xi32, #dhlo.dims<N>>
  %3 = dhlo.not %x3 : tensor<0x?xi32, #dhlo.dims<N>>
  // CHECK: dhlo.not %{{.*}} : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  %4 = dhlo.not %x4 : tensor<?x?x5xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.not %{{.*}} : tensor<2x1xui8>
  %5 = dhlo.not %x5 : tensor<2x1xui8>
  // CHECK: dhlo.not %{{.*}} : tensor<7xui16>
  %6 = dhlo.not %x6 : tensor<7xui16>
  // CHECK: dhlo.not %{{.*}} : tensor<?xui32, #dhlo.dims<N>>
  %7 = dhlo.not %x7 : tensor<?xui32, #dhlo.dims<N>>
  // CHECK: dhlo.not %{{.*}} : tensor<1x?xui64, #dhlo.dims<N>>
  %8 = dhlo.not %x8 : tensor<1x?xui64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @is_nan(
func.func @is_nan(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.is_nan %{{.*}} : (tensor<f16>) -> tensor<i1>
  %0 = dhlo.is_nan %x0 : (tensor<f16>) -> tensor<i1>
  // CHECK: dhlo.is_nan %{{.*}} : (tensor<3xbf16>) -> tensor<3xi1>
  %1 = dhlo.is_nan %x1 : (tensor<3xbf16>) -> tensor<3xi1>
  // CHECK: dhlo.is_nan %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  %2 = dhlo.is_nan %x2 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  // CHECK: dhlo.is_nan %{{.*}} : (tensor<0x?xf64, #dhlo.dims<N>>) -> tensor<0x?xi1, #dhlo.dims<N>>
  %3 = dhlo.is_nan %x3 : (tensor<0x?xf64, #dhlo.dims<N>>) -> tensor<0x?xi1, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @is_inf(
func.func @is_inf(%x0: tensor<f16>, %x1: tensor<3xbf16>, %x2: tensor<?x4xf32, #dhlo.dims<N>>, %x3: tensor<0x?xf64, #dhlo.dims<N>>) {
  // CHECK: dhlo.is_inf %{{.*}} : (tensor<f16>) -> tensor<i1>
  %0 = dhlo.is_inf %x0 : (tensor<f16>) -> tensor<i1>
  // CHECK: dhlo.is_inf %{{.*}} : (tensor<3xbf16>) -> tensor<3xi1>
  %1 = dhlo.is_inf %x1 : (tensor<3xbf16>) -> tensor<3xi1>
  // CHECK: dhlo.is_inf %{{.*}} : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  %2 = dhlo.is_inf %x2 : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xi1, #dhlo.dims<N>>
  // CHECK: dhlo.is_inf %{{.*}} : (tensor<0x?xf64, #dhlo.dims<N>>) -> tensor<0x?xi1, #dhlo.dims<N>>
  %3 = dhlo.is_inf %x3 : (tensor<0x?xf64, #dhlo.dims<N>>) -> tensor<0x?xi1, #dhlo.dims<N>>
  return
}
