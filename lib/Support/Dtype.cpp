//===- Dtype.cpp - Element types as the runtime numbers them --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/Dtype.h"

#include "dyn/artifact.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

uint32_t dyn::getDtype(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DYN_BOOL;
    case 8:
      return isUnsigned ? DYN_U8 : DYN_I8;
    case 16:
      return isUnsigned ? DYN_U16 : DYN_I16;
    case 32:
      return isUnsigned ? DYN_U32 : DYN_I32;
    case 64:
      return isUnsigned ? DYN_U64 : DYN_I64;
    default:
      return 0;
    }
  }
  if (type.isF16())
    return DYN_F16;
  if (type.isBF16())
    return DYN_BF16;
  if (type.isF32())
    return DYN_F32;
  return type.isF64() ? DYN_F64 : 0;
}
