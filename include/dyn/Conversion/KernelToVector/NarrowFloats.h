//===- NarrowFloats.h - Conversions between f32 and floats of 16 bits -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOVECTOR_NARROWFLOATS_H
#define DYN_CONVERSION_KERNELTOVECTOR_NARROWFLOATS_H

#include "dyn/Support/Isa.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn {

/// The f32 of a bf16 or f16, in as many lanes; exact.
mlir::Value widenFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value narrow,
                       Isa isa);

/// The nearest bf16 or f16 (`element`) of an f32, in as many lanes.
mlir::Value narrowFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value wide,
                        mlir::Type element, Isa isa);

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOVECTOR_NARROWFLOATS_H
