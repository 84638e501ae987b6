//===- VectorMath.h - Elementary functions without libm -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATH_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATH_H

#include "Codegen/Common/Builder/KernelBuilder.h"

// Each function takes f32 or f64, scalars or vectors, and emits the same
// operations for both, so that an element's bits do not depend on the lane in
// which it is computed. Errors are given in units in the last place; results
// for NaN, infinities, zeros and subnormal arguments are those of C. For f64,
// sin, cos and tan are accurate for |x| < 1e6.

namespace dyn::vectormath {

mlir::Value exp(KernelBuilder &b, mlir::Value x);
/// The exponential of x <= 0, faster: results below the smallest normal number
/// are 0.
mlir::Value expOfDistance(KernelBuilder &b, mlir::Value x);
mlir::Value expm1(KernelBuilder &b, mlir::Value x);
mlir::Value log(KernelBuilder &b, mlir::Value x);
mlir::Value log1p(KernelBuilder &b, mlir::Value x);
mlir::Value tanh(KernelBuilder &b, mlir::Value x);
/// cap * tanh(x / cap).
mlir::Value limitSoftly(KernelBuilder &b, mlir::Value x, double cap);
mlir::Value erf(KernelBuilder &b, mlir::Value x);
/// Results below the smallest normal number are 0.
mlir::Value logistic(KernelBuilder &b, mlir::Value x);
mlir::Value sin(KernelBuilder &b, mlir::Value x);
mlir::Value cos(KernelBuilder &b, mlir::Value x);
mlir::Value tan(KernelBuilder &b, mlir::Value x);
mlir::Value asin(KernelBuilder &b, mlir::Value x);
mlir::Value acos(KernelBuilder &b, mlir::Value x);
mlir::Value atan(KernelBuilder &b, mlir::Value x);
mlir::Value atan2(KernelBuilder &b, mlir::Value y, mlir::Value x);
mlir::Value sinh(KernelBuilder &b, mlir::Value x);
mlir::Value cosh(KernelBuilder &b, mlir::Value x);
mlir::Value asinh(KernelBuilder &b, mlir::Value x);
mlir::Value acosh(KernelBuilder &b, mlir::Value x);
mlir::Value atanh(KernelBuilder &b, mlir::Value x);
mlir::Value pow(KernelBuilder &b, mlir::Value x, mlir::Value y);
/// x * (1 + erf(x / sqrt(2))) / 2.
mlir::Value geluErf(KernelBuilder &b, mlir::Value x);
/// Its approximation by tanh.
mlir::Value geluTanh(KernelBuilder &b, mlir::Value x);
/// The remainder of truncating division, exact.
mlir::Value fmod(KernelBuilder &b, mlir::Value x, mlir::Value y);

} // namespace dyn::vectormath

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_VECTORMATH_H
