//===- NarrowFloats.h - Conversions between f32 and 16-bit floats ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_NARROWFLOATS_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_NARROWFLOATS_H

#include "dyn/Support/Isa.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dyn {

/// Converts bf16 or f16 to f32, scalar or vector; exact.
mlir::Value widenFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value narrow,
                       Isa isa);

/// Converts f32 to the nearest bf16 or f16 (`element`), scalar or vector.
mlir::Value narrowFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value wide,
                        mlir::Type element, Isa isa);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_NARROWFLOATS_H
