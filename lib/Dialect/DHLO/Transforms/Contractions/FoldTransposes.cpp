//===- FoldTransposes.cpp - Contract axes where they are ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A GEMM reads matrices with their sums along either axis. So the transpose of
// an operand only has to bring the batch axes to the front; the others may stay
// in the order of the memory:
//
//   [b, s, h, d] -> [b, h, d, s], contracted at 2   moves single elements
//   [b, s, h, d] -> [b, h, s, d], contracted at 3   moves rows of d
//   [b, s, d]    -> [b, d, s],    contracted at 1   moves nothing at all

#include "Dialect/DHLO/Transforms/ConstantValues.h"
#include "Dialect/DHLO/Transforms/Layout/MarkedTransposes.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Transposes less of an operand of a contraction, and updates the axes that it
/// contracts. False if the order of its axes is that of the memory, or if the
/// matrices would not be those of a GEMM.
static bool foldTranspose(OpOperand &operand, int64_t batch,
                          SmallVectorImpl<int64_t> &contract) {
  auto transpose = operand.get().getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  // The operand's axes behind the batch, in the order of the memory.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, permutation.size()));
  llvm::sort(llvm::drop_begin(order, batch), [&](int64_t a, int64_t b) {
    return permutation[a] < permutation[b];
  });
  if (llvm::is_sorted(order))
    return false;
  SmallVector<int64_t> axes, free, position(order.size());
  for (auto [to, from] : llvm::enumerate(order)) {
    position[from] = to;
    axes.push_back(permutation[from]);
    if (static_cast<int64_t>(to) >= batch &&
        !llvm::is_contained(contract, from))
      free.push_back(from);
  }
  SmallVector<int64_t> moved = llvm::map_to_vector(
      contract, [&](int64_t axis) { return position[axis]; });
  // Free axes are those of the result in this order, and contracted ones all
  // axes before them or behind them.
  int64_t rank = order.size(), count = moved.size();
  if (!llvm::is_sorted(free) || moved.empty() ||
      (!llvm::equal(moved, llvm::seq(batch, batch + count)) &&
       !llvm::equal(moved, llvm::seq(rank - count, rank))))
    return false;
  Value value = transpose.getOperand();
  if (!llvm::is_sorted(axes)) {
    OpBuilder builder(operand.getOwner());
    value = TransposeOp::create(builder, transpose.getLoc(),
                                permuteType(getTensor(value), axes), value,
                                builder.getDenseI64ArrayAttr(axes));
  }
  operand.set(value);
  contract.assign(moved);
  return true;
}

namespace {
struct FoldTransposesPass
    : dhlo::impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    ConstantValues constants(dims);
    llvm::SetVector<Value> operands;
    unsigned folded = 0;
    // Whether an operand was changed, and the axes of it that are contracted.
    auto fold = [&](DotGeneralOp op, OpOperand &operand,
                    SmallVectorImpl<int64_t> &contract) {
      operands.insert(operand.get());
      // A constant is transposed by the compiler.
      bool isFolded = !constants.contains(operand.get()) &&
                      foldTranspose(operand, op.getBatch(), contract);
      folded += isFolded;
      return isFolded;
    };
    for (DotGeneralOp op : collectOps<DotGeneralOp>(getOperation())) {
      SmallVector<int64_t> lhs(op.getLhsContract()), rhs(op.getRhsContract());
      if (fold(op, op.getLhsMutable(), lhs))
        op.setLhsContract(lhs);
      if (fold(op, op.getRhsMutable(), rhs))
        op.setRhsContract(rhs);
    }
    for (Value operand : operands)
      if (auto transpose = operand.getDefiningOp<TransposeOp>();
          transpose && transpose.use_empty())
        transpose.erase();
    numFolded += folded;
    if (folded == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
