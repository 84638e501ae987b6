//===- PackConstants.cpp - Packs constant operands of GEMMs ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "ConstantTable.h"

#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"
#include "dyn/Dialect/DHLO/Analysis/SumOfRows.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"
#include "dyn/Support/Panels.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_PACKCONSTANTSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// Whether an operand is a constant whose layout may be changed.
bool isPlain(Value factor) {
  auto type = llvm::cast<RankedTensorType>(factor.getType());
  return factor.getDefiningOp<GetConstantOp>() && !type.getEncoding() &&
         type.getNumElements() > 0;
}

/// Whether micro-kernels of f32 read this operand.
bool canPack(Value factor) {
  return isPlain(factor) && getElementTypeOrSelf(factor).isF32();
}

/// The packed layout of operands of floats, if micro-kernels read them.
std::optional<PackKind> getFloatPackKind(Type element) {
  if (element.isBF16())
    return PackKind::Panels16x2;
  return element.isF32() || element.isF16() ? std::optional(PackKind::Panels16)
                                            : std::nullopt;
}

/// The packed layout of a contraction's RHS, if micro-kernels read it.
std::optional<PackKind> getPackKind(dhlo::DotGeneralOp op) {
  if (!isPlain(op.getRhs()) || isSumOfRows(op))
    return std::nullopt;
  Type lhs = getElementTypeOrSelf(op.getLhs());
  Type rhs = getElementTypeOrSelf(op.getRhs());
  if (lhs.isUnsignedInteger(8) && rhs.isSignlessInteger(8) &&
      getElementTypeOrSelf(op.getResult()).isSignlessInteger(32))
    return PackKind::Panels16x4;
  return getFloatPackKind(rhs);
}

struct PackConstantsPass
    : dlhlo::impl::PackConstantsPassBase<PackConstantsPass> {
  using PackConstantsPassBase::PackConstantsPassBase;

  void runOnOperation() override {
    TargetInfo target = TargetInfo::forProgram(/*isDevice=*/false);
    if (failed(target.overrideByFile(targetInfo, getOperation())))
      return signalPassFailure();
    markAnalysesPreserved<SymbolicDims>();
    ConstantTable table(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(dhlo::DHLODialect::kEntryAttr))
        continue;
      function.walk([&](dhlo::DotGeneralOp op) { packDot(op, table); });
      function.walk([&](dhlo::GroupedDotOp op) {
        auto kind = getFloatPackKind(getElementTypeOrSelf(op.getRhs()));
        if (kind && isPlain(op.getRhs()))
          pack(op.getRhsMutable(), {0, 1, 2}, /*batch=*/1, /*rows=*/1, table,
               *kind);
      });
      function.walk([&](dhlo::Convolves op) {
        packConvolution(op, table, target.convolution());
      });
      function.walk([&](dhlo::LstmOp op) { packRecurrence(op, table); });
    }
    removeUnusedConstants();
  }

private:
  /// Replaces an operand by the packed form of its constant: its axes are
  /// permuted, then packed with `batch` and `rows`.
  void pack(OpOperand &use, ArrayRef<int64_t> permutation, int64_t batch,
            int64_t rows, ConstantTable &table,
            PackKind kind = PackKind::Panels16) {
    OpBuilder builder(use.getOwner());
    Location loc = use.getOwner()->getLoc();
    Value value = use.get();
    SmallVector<Operation *> steps;
    auto type = llvm::cast<RankedTensorType>(value.getType());
    if (!llvm::is_sorted(permutation)) {
      SmallVector<int64_t> shape;
      for (int64_t axis : permutation)
        shape.push_back(type.getDimSize(axis));
      type = RankedTensorType::get(shape, type.getElementType());
      value = dhlo::TransposeOp::create(
          builder, loc, type, value, builder.getDenseI64ArrayAttr(permutation));
      steps.push_back(value.getDefiningOp());
    }
    auto packed = RankedTensorType::get(
        type.getShape(), type.getElementType(),
        PackedAttr::get(&getContext(), kind, batch, rows));
    value = PackOp::create(builder, loc, packed, value);
    steps.push_back(value.getDefiningOp());
    Value old = use.get();
    use.set(table.get(builder, value));
    for (Operation *step : llvm::reverse(steps))
      step->erase();
    if (old.use_empty())
      old.getDefiningOp()->erase();
    ++numPacked;
  }

  void packDot(dhlo::DotGeneralOp op, ConstantTable &table) {
    std::optional<PackKind> kind = getPackKind(op);
    if (!kind)
      return;
    int64_t batch = op.getBatch(), rows = op.getRhsContract().size();
    int64_t rank =
        llvm::cast<RankedTensorType>(op.getRhs().getType()).getRank();
    SmallVector<int64_t> permutation, contract;
    for (int64_t axis = 0; axis != batch; ++axis)
      permutation.push_back(axis);
    llvm::append_range(permutation, op.getRhsContract());
    for (int64_t axis = batch; axis != rank; ++axis)
      if (!llvm::is_contained(op.getRhsContract(), axis))
        permutation.push_back(axis);
    for (int64_t i = 0; i != rows; ++i)
      contract.push_back(batch + i);
    pack(op.getRhsMutable(), permutation, batch, rows, table, *kind);
    op.setRhsContract(contract);
  }

  void packConvolution(dhlo::Convolves op, ConstantTable &table,
                       const ConvolutionInfo &info) {
    int64_t rank = op.getFilter().getType().getRank();
    int64_t batch = dhlo::ConvolutionAxes(op).filterGroups;
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (winograd && canPack(op.getFilter()) && suitsWinogradLines(op, info))
      return pack(op.getFilterMutable(), axes, batch, /*rows=*/2, table,
                  PackKind::Winograd4Lines);
    // With channels first, a filter has no columns of output channels. Vectors
    // of several groups have no rest, so their panels must be full; of groups
    // of one, nothing is summed but the taps. Where vectors are along K, so is
    // each thread's copy.
    ArrayRef<int64_t> shape = op.getFilter().getType().getShape();
    bool isDepthwise = shape[dhlo::ConvolutionAxes(op).filterChannel] == 1;
    if (!canPack(op.getFilter()) ||
        op.getLayout() != dhlo::Layout::ChannelsLast ||
        (isGroupwiseConvolution(op) &&
         (isDepthwise || shape.back() % kPanelWidth != 0)) ||
        isSkinnyConvolution(op))
      return;
    pack(op.getFilterMutable(), axes, batch, rank - 1 - batch, table,
         winograd && suitsWinograd(op, info) ? PackKind::Winograd4
                                             : PackKind::Panels16);
  }

  void packRecurrence(dhlo::LstmOp op, ConstantTable &table) {
    // For each direction, the hidden state is a row of the LHS.
    if (canPack(op.getRecurrent()))
      pack(op.getRecurrentMutable(), {0, 1, 2}, 1, 1, table);
  }

  void removeUnusedConstants() {
    // One pass over all uses: a model has as many constants as layers.
    llvm::DenseSet<StringAttr> used;
    auto uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
    for (SymbolTable::SymbolUse use : *uses)
      used.insert(use.getSymbolRef().getRootReference());
    for (auto constant :
         llvm::make_early_inc_range(getOperation().getOps<ConstantOp>()))
      if (!used.contains(constant.getSymNameAttr()))
        constant.erase();
  }
};

} // namespace
