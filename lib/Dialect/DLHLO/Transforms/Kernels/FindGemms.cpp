//===- FindGemms.cpp - Kernels that a GEMM library may compute ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_FINDGEMMSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;

namespace {

/// An operand as matrices in row-major order without gaps.
struct Factor {
  int64_t argument;
  DimExpr free; ///< M of the LHS, N of the RHS
  DimExpr depth;
  bool isSumFirst; ///< stored as depth x free
};

/// Matches a kernel as a GEMM that a library can compute.
class GemmReader {
public:
  explicit GemmReader(KernelOp kernel) : kernel(kernel), dims(kernel) {}

  /// Whether it matches; then the operation is created after the kernel.
  bool read(int64_t from) {
    Block &body = kernel.getBody().front();
    if (!readDot(body) || !readEpilogue())
      return false;
    OpBuilder b(kernel);
    b.setInsertionPointAfter(kernel);
    SmallVector<Attribute> sizes = {batch, left.free, right.free, left.depth};
    auto getNumber = [&](std::optional<int64_t> argument) {
      return argument ? b.getI64IntegerAttr(*argument) : IntegerAttr();
    };
    LibraryGemmOp::create(
        b, kernel.getLoc(), FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
        b.getArrayAttr(sizes), getNumber(left.argument),
        left.isSumFirst ? b.getUnitAttr() : nullptr, getNumber(right.argument),
        right.isSumFirst ? nullptr : b.getUnitAttr(), getNumber(bias),
        getNumber(addend), ActivationAttr::get(b.getContext(), activation),
        b.getI64IntegerAttr(from));
    return true;
  }

private:
  /// The number of an argument of the kernel.
  std::optional<int64_t> getArgument(Value value) {
    auto argument = llvm::dyn_cast<BlockArgument>(value);
    return argument ? std::optional<int64_t>(argument.getArgNumber())
                    : std::nullopt;
  }

  /// After the batch axes, the contracted axes, in order, must be consecutive,
  /// and so must the other axes.
  bool readFactor(Value tensor, ArrayRef<int64_t> sum, Factor &out) {
    std::optional<int64_t> argument = getArgument(tensor);
    if (!argument || sum.empty())
      return false;
    auto type = llvm::cast<RankedTensorType>(tensor.getType());
    if (type.getEncoding() && llvm::isa<PackedAttr>(type.getEncoding()))
      return false;
    int64_t first = dot.getBatch(), rank = type.getRank();
    int64_t count = sum.size();
    for (int64_t i = 0; i < count; ++i)
      if (sum[i] != sum[0] + i)
        return false;
    out.argument = *argument;
    out.isSumFirst = sum[0] == first && rank > first + count;
    if (!out.isSumFirst && sum[0] + count != rank)
      return false;
    out.free = out.depth = dhlo::getConstDim(tensor.getContext(), 1);
    for (int64_t axis = first; axis < rank; ++axis) {
      bool isSum = axis >= sum[0] && axis < sum[0] + count;
      DimExpr &size = isSum ? out.depth : out.free;
      size = dhlo::mul(size, dims.expand(dims.getDim(tensor, axis)));
    }
    return true;
  }

  bool readDot(Block &body) {
    auto dots = body.getOps<dhlo::DotGeneralOp>();
    if (dots.empty())
      return false;
    dot = *dots.begin();
    Type type = getElementTypeOrSelf(dot.getLhs());
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return false;
    batch = dhlo::getConstDim(dot.getContext(), 1);
    for (int64_t axis = 0; axis < int64_t(dot.getBatch()); ++axis)
      batch = dhlo::mul(batch, dims.expand(dims.getDim(dot.getLhs(), axis)));
    return readFactor(dot.getLhs(), dot.getLhsContract(), left) &&
           readFactor(dot.getRhs(), dot.getRhsContract(), right);
  }

  /// Whether all elements of a value are 0.
  static bool isZero(Value value) {
    if (auto broadcast = value.getDefiningOp<dhlo::BroadcastOp>())
      value = broadcast.getOperand();
    return matchPattern(value, m_AnyZeroFloat());
  }

  /// A bias: a number for each column, broadcast from the last axes of the
  /// result, those of the RHS.
  std::optional<int64_t> getBias(Value value) {
    auto broadcast = value.getDefiningOp<dhlo::BroadcastOp>();
    if (!broadcast)
      return std::nullopt;
    int64_t rank = dot.getType().getRank();
    int64_t numSum = dot.getRhsContract().size();
    int64_t numColumns =
        llvm::cast<RankedTensorType>(dot.getRhs().getType()).getRank() -
        int64_t(dot.getBatch()) - numSum;
    ArrayRef<int64_t> axes = broadcast.getAxes();
    if (int64_t(axes.size()) != numColumns)
      return std::nullopt;
    for (int64_t i = 0; i < numColumns; ++i)
      if (axes[i] != rank - numColumns + i ||
          !dims.isEqual(dims.getDim(broadcast.getOperand(), i),
                        dims.getDim(broadcast.getResult(), axes[i])))
        return std::nullopt;
    return getArgument(broadcast.getOperand());
  }

  bool addTerm(Value term) {
    // The bias of a layer that was never trained.
    if (isZero(term))
      return true;
    std::optional<int64_t> argument = getArgument(term);
    if (argument && !addend &&
        dims.hasSameSizes(llvm::cast<RankedTensorType>(term.getType()),
                          dot.getType())) {
      addend = argument;
      return true;
    }
    if (bias)
      return false;
    bias = getBias(term);
    return bias.has_value();
  }

  /// Matches the operations from the contraction to the kernel's result.
  bool readEpilogue() {
    for (Value value = dot.getResult(); value.hasOneUse();) {
      Operation *user = *value.user_begin();
      if (llvm::isa<YieldOp>(user))
        return user->getNumOperands() == 1;
      // The activation must be last.
      if (activation != Activation::None || user->getNumResults() != 1)
        return false;
      auto getOther = [&] {
        return user->getOperand(user->getOperand(0) == value ? 1 : 0);
      };
      if (llvm::isa<dhlo::AddOp>(user)) {
        if (!addTerm(getOther()))
          return false;
      } else if (llvm::isa<dhlo::MaximumOp>(user) && isZero(getOther())) {
        activation = Activation::Relu;
      } else if (auto gelu = llvm::dyn_cast<dhlo::GeluOp>(user);
                 gelu && gelu.getKind() == dhlo::GeluKind::Tanh) {
        activation = Activation::GeluTanh;
      } else {
        return false;
      }
      value = user->getResult(0);
    }
    return false;
  }

  KernelOp kernel;
  SymbolicDims dims;
  dhlo::DotGeneralOp dot;
  DimExpr batch;
  Factor left, right;
  std::optional<int64_t> bias, addend;
  Activation activation = Activation::None;
};

struct FindGemmsPass : dlhlo::impl::FindGemmsPassBase<FindGemmsPass> {
  using FindGemmsPassBase::FindGemmsPassBase;

  void runOnOperation() override {
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      // A library gets sizes from the host.
      if (kernel.getKind() != FusionKind::Contraction ||
          !kernel.getBody().getOps<dhlo::BindOp>().empty())
        continue;
      if (GemmReader(kernel).read(from))
        ++numFound;
      else
        ++numOthers;
    }
    if (numFound == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
