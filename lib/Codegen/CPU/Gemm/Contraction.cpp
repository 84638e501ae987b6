//===- Contraction.cpp - Schedule of dot_general --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/Gemm.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;

/// The product of the sizes of axes [begin, end).
static DimExpr getProduct(RankedTensorType type, int64_t begin, int64_t end) {
  DimExpr product = dhlo::getConstDim(type.getContext(), 1);
  for (int64_t axis = begin; axis < end; ++axis)
    product = dhlo::mul(product, dhlo::getDim(type, axis));
  return product;
}

/// Whether `axes` are first, first + 1, ...
static bool isRange(ArrayRef<int64_t> axes, int64_t first) {
  return llvm::equal(axes, llvm::seq<int64_t>(first, first + axes.size()));
}

static std::optional<RhsOrder> getRhsOrder(dhlo::DotGeneralOp op,
                                           Factors factors) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  int64_t batch = op.getBatch();
  int64_t contracted = op.getRhsContract().size();
  bool isRows = isRange(op.getRhsContract(), batch);
  if (auto packed = dyn_cast_or_null<dlhlo::PackedAttr>(type.getEncoding())) {
    // With 16 columns, the group size determines the packed layout.
    bool fits =
        dlhlo::isPanels(packed.getKind()) &&
        dlhlo::getGroupSize(packed.getKind()) == getGroupSize(factors) &&
        packed.getBatch() == batch && packed.getRows() == contracted;
    return fits && isRows ? std::optional(RhsOrder::Panels) : std::nullopt;
  }
  if (isRows)
    return RhsOrder::RowsOfN;
  if (isRange(op.getRhsContract(), type.getRank() - contracted))
    return RhsOrder::RowsOfK;
  return std::nullopt;
}

/// The factors of a matmul, if there is arithmetic for them.
static std::optional<Factors> getFactors(dhlo::DotGeneralOp op) {
  auto element = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Type lhs = element(op.getLhs()), rhs = element(op.getRhs());
  if (rhs.isF32())
    return Factors::F32;
  if (rhs.isBF16())
    return Factors::BF16;
  if (rhs.isF16())
    return Factors::F16;
  if (lhs.isUnsignedInteger(8) && rhs.isSignlessInteger(8) &&
      element(op).isSignlessInteger(32))
    return Factors::Bytes;
  return std::nullopt;
}

/// Whether a value is computed from arguments by operations whose elements can
/// be computed one by one.
static bool isComputable(Value value) {
  llvm::SetVector<Operation *> sources;
  BackwardSliceOptions options;
  options.inclusive = options.omitBlockArguments = true;
  return succeeded(getBackwardSlice(value, &sources, options)) &&
         llvm::all_of(sources, [](Operation *op) {
           return isa<dhlo::ConstantOp, dhlo::DimOp>(op) ||
                  ElementEmitter::canEmit(op);
         });
}

/// Whether each matmul is by one column, whose panel would be empty but for it.
static bool isColumn(const Gemm &gemm) {
  return gemm.rhsOrder != RhsOrder::Panels &&
         dhlo::getConstantValue(gemm.n) == 1 &&
         dhlo::getConstantValue(gemm.m) != 1 &&
         getElementTypeOrSelf(gemm.lhs) == getElementTypeOrSelf(gemm.rhs);
}

/// A matmul by a column as one of a row: [g][m][1] is [g][1][m].
static Gemm swapOperands(Gemm gemm) {
  gemm.rhsOrder = gemm.lhsRows ? RhsOrder::RowsOfK : RhsOrder::RowsOfN;
  gemm.lhsRows = true;
  std::swap(gemm.lhs, gemm.rhs);
  std::swap(gemm.m, gemm.n);
  return gemm;
}

/// The matmul of a contraction, or null and why it is none.
static std::optional<Gemm> findGemm(dhlo::DotGeneralOp op, StringRef &reason) {
  auto refuse = [&](StringRef why) {
    reason = why;
    return std::nullopt;
  };
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto result = cast<RankedTensorType>(op.getType());
  std::optional<Factors> factors = getFactors(op);
  if (!factors)
    return refuse("no GEMM multiplies elements of these types");
  if (!isa<BlockArgument>(op.getRhs()))
    return refuse("its right operand is computed in the kernel");

  int64_t batch = op.getBatch();
  int64_t contracted = op.getLhsContract().size();
  int64_t lhsFree = lhs.getRank() - batch - contracted;
  std::optional<RhsOrder> rhsOrder = getRhsOrder(op, *factors);
  bool isRows = isRange(op.getLhsContract(), batch + lhsFree);
  bool isColumns = isRange(op.getLhsContract(), batch);
  if (!rhsOrder || (!isRows && !isColumns))
    return refuse("the axes that it sums are not next to each other");
  if (!isa<BlockArgument>(op.getLhs()) &&
      (*rhsOrder != RhsOrder::Panels || !isRows || batch != 0 ||
       contracted != 1 || *factors == Factors::Bytes ||
       !isComputable(op.getLhs())))
    return refuse("its left operand is computed in the kernel");

  Gemm gemm;
  gemm.lhs = op.getLhs();
  gemm.rhs = op.getRhs();
  gemm.result = op.getResult();
  gemm.g = getProduct(result, 0, batch);
  gemm.m = getProduct(result, batch, batch + lhsFree);
  gemm.n = getProduct(result, batch + lhsFree, result.getRank());
  int64_t first = isRows ? batch + lhsFree : batch;
  gemm.k = *rhsOrder == RhsOrder::Panels
               ? getProduct(rhs, batch, batch + contracted)
               : getProduct(lhs, first, first + contracted);
  gemm.rhsOrder = *rhsOrder;
  gemm.lhsRows = isRows;
  gemm.factors = *factors;
  return isColumn(gemm) ? swapOperands(gemm) : gemm;
}

std::optional<Gemm> dyn::getGemm(dhlo::DotGeneralOp op) {
  StringRef reason;
  return findGemm(op, reason);
}

namespace {
/// Selects by the kind of contraction.
class ContractionSchedule : public DelegatingSchedule {
  std::unique_ptr<Schedule> choose(dlhlo::KernelOp kernel,
                                   const SymbolicDims &dims) override {
    auto grouped = kernel.getBody().getOps<dhlo::GroupedDotOp>();
    if (!grouped.empty())
      return createGroupedGemmSchedule(*grouped.begin());
    auto ops = kernel.getBody().getOps<dhlo::DotGeneralOp>();
    int64_t count = std::distance(ops.begin(), ops.end());
    if (count != 1) {
      kernel.emitError("expected one dhlo.dot_general in a kernel of kind "
                       "'contraction', found ")
          << count;
      return nullptr;
    }
    dhlo::DotGeneralOp op = *ops.begin();
    StringRef reason = GemmEpilogue::kObstacle;
    std::optional<Gemm> gemm = findGemm(op, reason);
    if (gemm && GemmEpilogue::canEmit(kernel, op.getResult(), dims))
      return createGemmSchedule(*gemm);
    if (hasVectorContraction(kernel, op, dims))
      return createVectorContractionSchedule(op);
    return createElementwiseContractionSchedule(reason);
  }
};
} // namespace

std::unique_ptr<Schedule> dyn::createContractionSchedule() {
  return std::make_unique<ContractionSchedule>();
}
