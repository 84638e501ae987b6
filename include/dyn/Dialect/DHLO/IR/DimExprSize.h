//===- DimExprSize.h - How much a size expression says
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs can multiply sizes with themselves again and again, so that the
// normal form of a product, a sum of terms, has more of them than a compiler
// wants to see.

#ifndef DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
#define DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

namespace dyn::dhlo {

/// Terms of an expression as a sum; a constant is one.
unsigned getNumTerms(DimExpr expr);

/// Whether an expression, written out, has at most `most` constants and
/// symbols.
bool isShort(DimExpr expr, unsigned most);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DIMEXPRSIZE_H
