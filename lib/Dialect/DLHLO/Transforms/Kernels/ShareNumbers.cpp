//===- ShareNumbers.cpp - Merges fusions that differ in numbers -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "Dialect/DLHLO/Transforms/Constants/ConstantTable.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionBuilder.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_SHARENUMBERSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// Whether an operation is a splat constant of floats.
bool isNumber(Operation &op) {
  return llvm::isa<dhlo::ConstantOp>(op) && isSplatConstant(op.getResult(0)) &&
         llvm::isa<FloatType>(getElementTypeOrSelf(op.getResult(0)));
}

SmallVector<dhlo::ConstantOp> getNumbers(FusionOp fusion) {
  SmallVector<dhlo::ConstantOp> numbers;
  for (Operation &op : fusion.getBody().front())
    if (isNumber(op))
      numbers.push_back(llvm::cast<dhlo::ConstantOp>(op));
  return numbers;
}

/// A hash of a fusion's structure that ignores its numbers and the names of its
/// sizes.
llvm::hash_code hashWithoutNumbers(FusionOp fusion) {
  auto combine = [](llvm::hash_code hash, Type type) {
    auto tensor = llvm::cast<RankedTensorType>(type);
    return llvm::hash_combine(hash, tensor.getShape(), tensor.getElementType());
  };
  llvm::hash_code hash = llvm::hash_value(static_cast<int>(fusion.getKind()));
  for (Value input : fusion.getInputs())
    hash = combine(hash, input.getType());
  for (Operation &op : fusion.getBody().front()) {
    hash = llvm::hash_combine(hash, op.getName());
    if (!isNumber(op))
      hash = llvm::hash_combine(hash, op.getAttrDictionary());
    for (Type type : op.getResultTypes())
      hash = combine(hash, type);
  }
  return hash;
}

struct ShareNumbersPass : dlhlo::impl::ShareNumbersPassBase<ShareNumbersPass> {
  void runOnOperation() override {
    llvm::MapVector<size_t, SmallVector<FusionOp>> groups;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](FusionOp fusion) {
        groups[hashWithoutNumbers(fusion)].push_back(fusion);
      });
    std::optional<ConstantTable> table;
    for (auto &[hash, fusions] : groups) {
      for (unsigned position : getDifferent(fusions)) {
        if (!table)
          table.emplace(getOperation());
        for (FusionOp fusion : fusions)
          makeInput(fusion, getNumbers(fusion)[position], *table);
      }
    }
    if (numShared == 0)
      markAllAnalysesPreserved();
  }

private:
  /// The indices of numbers that differ between fusions, in descending order.
  static SmallVector<unsigned> getDifferent(ArrayRef<FusionOp> fusions) {
    SmallVector<SmallVector<dhlo::ConstantOp>> numbers;
    for (FusionOp fusion : fusions)
      numbers.push_back(getNumbers(fusion));
    SmallVector<unsigned> different;
    for (unsigned i = numbers[0].size(); i-- > 0;)
      if (llvm::any_of(numbers, [&](auto &others) {
            return others[i].getValue() != numbers[0][i].getValue();
          }))
        different.push_back(i);
    FusionOp first = fusions.front();
    if (first.getInputs().size() + different.size() > kMaxInputs)
      different.clear();
    return different;
  }

  void makeInput(FusionOp fusion, dhlo::ConstantOp number,
                 ConstantTable &table) {
    OpBuilder builder(fusion);
    Operation *outside = builder.clone(*number);
    fusion.getInputsMutable().append(table.get(builder, outside->getResult(0)));
    outside->erase();
    Value inside =
        fusion.getBody().addArgument(number.getType(), number.getLoc());
    number.replaceAllUsesWith(inside);
    number.erase();
    ++numShared;
  }
};

} // namespace
