//===- Bf16Bits.h - bf16 as its bits --------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_NVVMTOEMULATION_BF16BITS_H
#define DYN_CONVERSION_NVVMTOEMULATION_BF16BITS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace dyn {

/// Replaces all values of bf16 in a kernel by 16-bit integers with their bits,
/// and conversions by operations on these. Where a host has no instructions for
/// bf16, LLVM keeps it as f32 between blocks and in vectors, and narrows it by
/// a function that does not exist. Fails at an operation that computes in bf16.
mlir::LogicalResult replaceBf16(mlir::LLVM::LLVMFuncOp function);

} // namespace dyn

#endif // DYN_CONVERSION_NVVMTOEMULATION_BF16BITS_H
