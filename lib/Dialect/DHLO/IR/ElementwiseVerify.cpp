//===- ElementwiseVerify.cpp - Verifiers of elementwise operations --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operations whose operands and results all have one type need no code.

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

// is_nan_c1
LogicalResult IsNanOp::verify() { return verifyElementwiseSizes(*this); }

// is_inf_c1
LogicalResult IsInfOp::verify() { return verifyElementwiseSizes(*this); }

// compare_c1
LogicalResult CompareOp::verify() { return verifyElementwiseSizes(*this); }

// select_c1
LogicalResult SelectOp::verify() { return verifyElementwiseSizes(*this); }

// convert_c1
LogicalResult ConvertOp::verify() { return verifyElementwiseSizes(*this); }
