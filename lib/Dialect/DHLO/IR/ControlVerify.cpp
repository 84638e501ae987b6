//===- ControlVerify.cpp - Verifiers of operations with regions -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn::dhlo;

/// The operands of the `dhlo.yield` that ends a region.
static FailureOr<OperandRange> getYielded(Operation *op, StringRef name,
                                          Region &region) {
  if (region.front().empty() || !isa<YieldOp>(region.front().back()))
    return op->emitOpError("expected ")
           << name << " region to end in 'dhlo.yield'";
  return region.front().back().getOperands();
}

/// Checks for equal numbers of types, and pairwise equal ranks and element
/// types.
static LogicalResult verifyEquivalent(Operation *op, StringRef name,
                                      TypeRange expected, TypeRange found) {
  if (failed(verifyCount(op, name, expected.size(), found.size())))
    return failure();
  for (auto [index, types] : llvm::enumerate(llvm::zip(expected, found))) {
    auto wanted = dyn_cast<RankedTensorType>(std::get<0>(types));
    auto given = dyn_cast<RankedTensorType>(std::get<1>(types));
    if (!wanted || !given || wanted.getRank() != given.getRank() ||
        wanted.getElementType() != given.getElementType() ||
        failed(verifyCompatibleShape(wanted, given)))
      return op->emitOpError("expected ")
             << name << " like " << std::get<0>(types) << " at position "
             << index << ", found " << std::get<1>(types);
  }
  return success();
}

LogicalResult IfOp::verify() {
  // if_c1 is a constraint on the operand's type.
  // if_c3
  size_t bound = getBinds().size();
  if (failed(verifyCount(*this, "then_dims", bound, getThenDims().size())) ||
      failed(verifyCount(*this, "else_dims", bound, getElseDims().size())))
    return failure();
  // if_c2
  for (auto [name, region] :
       {std::pair<StringRef, Region *>("then", &getThenRegion()),
        {"else", &getElseRegion()}}) {
    auto yielded = getYielded(*this, name, *region);
    if (failed(yielded))
      return failure();
    if (failed(verifyEquivalent(*this, "values yielded", getResultTypes(),
                                yielded->getTypes())))
      return failure();
  }
  return success();
}

LogicalResult WhileOp::verify() {
  // while_c1 is a constraint on the operand's type.
  // while_c3
  size_t sizes = getLoopDims().size();
  if (failed(verifyCount(*this, "init_dims", sizes, getInitDims().size())) ||
      failed(verifyCount(*this, "next_dims", sizes, getNextDims().size())) ||
      failed(verifyCount(*this, "result_dims", sizes, getResultDims().size())))
    return failure();
  // while_c4
  auto yielded = getYielded(*this, "body", getBody());
  if (failed(yielded))
    return failure();
  auto condition = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (yielded->empty() || yielded->front().getType() != condition)
    return emitOpError("expected to yield first a value of type ") << condition;
  // while_c2
  TypeRange carried = getInits().getTypes();
  if (failed(verifyEquivalent(*this, "body arguments", carried,
                              getBody().getArgumentTypes())) ||
      failed(verifyEquivalent(*this, "results", carried, getResultTypes())))
    return failure();
  return verifyEquivalent(*this, "values yielded", carried,
                          yielded->drop_front().getTypes());
}
