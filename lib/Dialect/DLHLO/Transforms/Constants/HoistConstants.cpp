//===- HoistConstants.cpp - Values of weights become constants ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "ConstantTable.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionBuilder.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/IR/Failure.h"
#include "dyn/Dialect/DHLO/IR/SizeUses.h"

#include "llvm/ADT/SetVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_HOISTCONSTANTSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// Bytes that a constant may have even if it is computed from fewer.
constexpr int64_t kAlwaysSmall = 4096;
/// The same for one that takes powers, exponentials or the like of as many
/// elements: reading them takes a fraction of the time.
constexpr int64_t kAlwaysHoisted = int64_t(1) << 20;
/// The maximum number of bytes of a recipe's step.
constexpr int64_t kMostOfStep = int64_t(256) << 20;

int64_t getBytes(Type type) {
  auto tensor = llvm::cast<RankedTensorType>(type);
  int64_t bits = tensor.getElementType().getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

/// Whether an operation has the same value in every call if its operands do,
/// and no data error.
bool canHoist(Operation *op) {
  if (!llvm::isa<dhlo::DHLODialect>(op->getDialect()) || op->getNumRegions() ||
      op->getNumOperands() == 0 || op->getNumResults() == 0 ||
      llvm::any_of(
          op->getResultTypes(),
          [](Type type) {
            return !llvm::cast<RankedTensorType>(type).hasStaticShape();
          }) ||
      dhlo::usesSizes(op))
    return false;
  return isMemoryEffectFree(op) && !dhlo::mayFailForTypes(op);
}

int64_t getResultBytes(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += getBytes(type);
  return bytes;
}

/// Whether a use reads a constant from memory. Splats are inlined in kernels,
/// except operands of a contraction, if it does not sum a few rows, of a
/// convolution and a grouped GEMM, the weights of a recurrence and attention's
/// operands other than its mask.
bool isRead(OpOperand &use) {
  Operation *user = use.getOwner();
  if (!isSplatConstant(use.get()) || staysOutside(user))
    return true;
  if (auto lstm = llvm::dyn_cast<dhlo::LstmOp>(user))
    return use.get() == lstm.getRecurrent();
  if (auto attention = llvm::dyn_cast<dhlo::AttentionOp>(user))
    return use.get() != attention.getMask();
  auto dot = llvm::dyn_cast<dhlo::DotGeneralOp>(user);
  return llvm::isa<dhlo::Convolves, dhlo::GroupedDotOp>(user) ||
         (dot && !isSumOfRows(dot));
}

struct HoistConstantsPass
    : dlhlo::impl::HoistConstantsPassBase<HoistConstantsPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    ConstantTable table(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(dhlo::DHLODialect::kEntryAttr))
        hoist(function, table);
    numConstants += table.numCreated();
    numMerged += table.numMerged();
  }

private:
  /// Keeps in the program values that are much larger than the values that they
  /// are computed from and are read there. A repeated vector that only other
  /// constants read is just a step of a recipe.
  static void dropLarge(llvm::SetVector<Operation *> &constants,
                        const llvm::DenseMap<Operation *, int64_t> &sources) {
    // Values whose elements take long.
    llvm::DenseSet<Operation *> slow;
    for (Operation *op : constants)
      if ((op->hasTrait<dhlo::Transcendental>() &&
           getResultBytes(op) > kAlwaysSmall) ||
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return slow.contains(operand.getDefiningOp());
          }))
        slow.insert(op);
    // Users first: an operation that is kept needs its operands.
    for (Operation *op : llvm::to_vector(llvm::reverse(constants))) {
      bool isNeeded = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return !constants.contains(user);
      });
      // Only constants are packed, and filters of bytes are read as f32.
      bool isFilter = llvm::any_of(op->getUsers(), [&](Operation *user) {
        auto convolution = llvm::dyn_cast<dhlo::Convolves>(user);
        return convolution && convolution.getFilter().getDefiningOp() == op;
      });
      int64_t most =
          std::max((isFilter ? 4 : 2) * sources.lookup(op),
                   slow.contains(op) ? kAlwaysHoisted : kAlwaysSmall);
      if (isNeeded && !llvm::isa<dhlo::WeightOp, dhlo::ConstantOp>(op) &&
          getResultBytes(op) > most)
        constants.remove(op);
    }
  }

  void hoist(func::FuncOp function, ConstantTable &table) {
    // The bytes of the weights that each constant value is computed from, or
    // its own if it is computed from splats only.
    llvm::DenseMap<Operation *, int64_t> sources;
    llvm::SetVector<Operation *> constants;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (llvm::isa<dhlo::WeightOp, dhlo::ConstantOp>(op)) {
        sources[op] = isSplatConstant(op->getResult(0))
                          ? 0
                          : getBytes(op->getResult(0).getType());
        constants.insert(op);
        return;
      }
      if (!canHoist(op))
        return;
      int64_t bytes = 0;
      for (Value operand : op->getOperands()) {
        auto found = sources.find(operand.getDefiningOp());
        if (!operand.getDefiningOp() || found == sources.end())
          return;
        bytes += found->second;
      }
      bool isHuge = llvm::any_of(op->getResultTypes(), [&](Type type) {
        return getBytes(type) > std::max(2 * bytes, kMostOfStep);
      });
      if (isHuge)
        return;
      if (bytes == 0) {
        // Splats are inlined in kernels, which compute cheap operations.
        bytes = getResultBytes(op);
        if (!isExpensive(op) || bytes > kAlwaysSmall)
          return;
      }
      sources[op] = bytes;
      constants.insert(op);
    });
    dropLarge(constants, sources);

    for (Operation *op : constants) {
      for (Value result : op->getResults()) {
        auto isNeeded = [&](OpOperand &use) {
          return !constants.contains(use.getOwner()) && isRead(use);
        };
        if (llvm::none_of(result.getUses(), isNeeded))
          continue;
        OpBuilder builder(op);
        builder.setInsertionPointAfter(op);
        Value value = table.get(builder, result);
        result.replaceUsesWithIf(value, isNeeded);
      }
    }
    for (Operation *op : llvm::reverse(constants))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace
