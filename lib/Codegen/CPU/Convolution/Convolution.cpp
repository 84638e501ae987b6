//===- Convolution.cpp - Schedule of convolutions -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions of f32 with channels last are implicit GEMMs, without an im2col.
// The pixels of an image row of the result, at one filter element, read pixels
// of the input that are a constant distance apart; so a tile of pixels is a
// tile of rows of a micro-kernel, and the filter's elements are its taps:
// offsets from the pixels' addresses. Filter elements along the row that are
// not dilated are contiguous in memory with their channels and form one tap.
//
// Padding: a block of image rows that needs any is computed from a padded copy
// of its input rows in scratch. The copy is small compared to the work, and
// edges need no other code.
//
// Image rows of few pixels are few rows for a micro-kernel, which then waits
// for the filter. There, a block is some pixels of several image rows and
// images, treated as one row, and their input is gathered in scratch, a row for
// every tap and pixel. The sums have the same order, so the bits are the same,
// and calls select by their sizes.
//
// Items are (block of image rows, group of panels), so that a filter's panels
// serve all rows of a block, and a thread with a range of items copies a block
// once. If K is large, sums are computed block by block along K, so that the
// panels stay in the cache.
//
// With several filters, a block uses that of its image. So all of them are one
// launch, whose number of items does not depend on the filters.
//
// With channels first, a convolution with few of them has vectors of
// consecutive pixels (PlaneConvolution.cpp).
//
// Of several groups of channels, an item has columns of one, and the pixels
// that it reads are those of the group's channels. Panels hold columns without
// regard to groups: where one has columns of two, both groups compute all of it
// and store their own.
//
// With a few output channels, vectors are along K (SkinnyConvolution.cpp).
//
// Depthwise convolutions and those of small groups have vectors of channels of
// several groups (Groupwise.cpp). A convolution with a window of one element is
// a matmul. Filters that were packed for Winograd's algorithm have a schedule
// of their own. Everything else is computed element by element.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"

#include "Codegen/CPU/Gemm/Gemm.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "dyn/Dialect/DHLO/Analysis/ConvolutionChoice.h"
#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using dhlo::DimExpr;
using dlhlo::PackKind;

static bool isZero(ArrayAttr exprs) {
  return llvm::all_of(exprs.getAsRange<dhlo::DimExprAttr>(),
                      [](dhlo::DimExprAttr expr) { return expr.isConst(0); });
}

static bool isOne(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 1; });
}

static dlhlo::PackedAttr getPacked(dhlo::Convolves op) {
  auto type = cast<RankedTensorType>(op.getFilter().getType());
  return dyn_cast_or_null<dlhlo::PackedAttr>(type.getEncoding());
}

/// The layout of the filter as a matrix of (taps, channels) x filters.
static std::optional<RhsOrder> getFilterOrder(dhlo::Convolves op) {
  auto type = cast<RankedTensorType>(op.getFilter().getType());
  dlhlo::PackedAttr packed = getPacked(op);
  if (!packed)
    return RhsOrder::RowsOfN;
  int64_t batch = dhlo::ConvolutionAxes(op).filterGroups;
  if (packed.getBatch() == batch &&
      packed.getRows() == type.getRank() - 1 - batch)
    return RhsOrder::Panels;
  return std::nullopt;
}

/// Why no schedule but the general one computes a convolution, a clause: of
/// its form and of what is fused with it. Empty if one may.
static StringRef getObstacle(dlhlo::KernelOp kernel, dhlo::Convolves op,
                             const SymbolicDims &dims) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (op.getLayout() != dhlo::Layout::ChannelsLast)
    return "its channels come first and are not a few";
  if (!getFilterOrder(op))
    return "its filter is packed for other axes";
  if (!input.getElementType().isF32())
    return "no tile multiplies elements of these types";
  if (!filter.hasStaticShape())
    return "the size of its filter is only known at run time";
  if (!isa<BlockArgument>(op.getInput()) || !isa<BlockArgument>(op.getFilter()))
    return "an operand is computed in the kernel";
  if (!isOne(op.getInputDilation()))
    return "its input is dilated";
  if (cast<RankedTensorType>(op.getType()).getRank() > 5)
    return "it has more than three spatial axes";
  if (op.getImageOffsets() && !isa<BlockArgument>(op.getImageOffsets()))
    return "its offsets are computed in the kernel";
  if (!GemmEpilogue::canEmit(kernel, op.getResult(), dims))
    return GemmEpilogue::kObstacle;
  if (filter.getNumElements() == 0)
    return "its filter is empty";
  return "";
}

/// The schedule of a convolution. Null if only the general one computes it, and
/// why.
static std::unique_ptr<Schedule> chooseSchedule(dlhlo::KernelOp kernel,
                                                dhlo::Convolves op,
                                                const SymbolicDims &dims,
                                                StringRef &reason) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto result = cast<RankedTensorType>(op.getType());
  std::optional<RhsOrder> order = getFilterOrder(op);
  dlhlo::PackedAttr packed = getPacked(op);
  bool hasPlanes = !packed || packed.getKind() == PackKind::Winograd4Lines;
  if (isPlaneConvolution(op) && hasPlanes &&
      llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>) &&
      GemmEpilogue::canEmit(kernel, op.getResult(), dims))
    return createPlaneConvolutionSchedule(op);
  reason = getObstacle(kernel, op, dims);
  if (!reason.empty())
    return nullptr;

  int64_t rank = filter.getRank();
  int64_t channels = filter.getDimSize(rank - 2);
  int64_t numbers = filter.getDimSize(rank - 1);
  int64_t groups = op.getGroups();
  bool padded = !isZero(op.getLow()) || !isZero(op.getHigh());
  if (op.getImageOffsets())
    return createLineConvolutionSchedule(op, *order, padded);
  if (groups == 1 && isOne(filter.getShape().drop_back(2)) &&
      isOne(op.getStrides()) && isZero(op.getLow()) && isZero(op.getHigh())) {
    Gemm gemm;
    gemm.lhs = op.getInput();
    gemm.rhs = op.getFilter();
    gemm.result = op.getResult();
    gemm.g = dhlo::getConstDim(op.getContext(), 1);
    gemm.m = gemm.g;
    for (int64_t axis = 0; axis < rank - 1; ++axis)
      gemm.m = dhlo::mul(gemm.m, dhlo::getDim(result, axis));
    gemm.n = dhlo::getConstDim(op.getContext(), numbers);
    gemm.k = dhlo::getConstDim(op.getContext(), channels);
    gemm.rhsOrder = *order;
    gemm.lhsRows = true;
    return createGemmSchedule(gemm);
  }
  bool isWinograd = packed && packed.getKind() == PackKind::Winograd4;
  if (isWinograd && isOne(op.getStrides()) && isOne(op.getFilterDilation()) &&
      channels % kPanelWidth == 0)
    return createWinogradSchedule(op, padded);
  if (isGroupwiseConvolution(op) &&
      (*order == RhsOrder::RowsOfN || numbers % kPanelWidth == 0))
    return createGroupwiseSchedule(op, *order);
  if (isSkinnyConvolution(op) && *order == RhsOrder::RowsOfN)
    return createSkinnyConvolutionSchedule(op, padded);
  return createLineConvolutionSchedule(op, *order, padded);
}

namespace {
/// Selects by the kind of convolution.
class ConvolutionSchedule : public DelegatingSchedule {
  std::unique_ptr<Schedule> choose(dlhlo::KernelOp kernel,
                                   const SymbolicDims &dims) override {
    auto ops = kernel.getBody().getOps<dhlo::Convolves>();
    int64_t count = std::distance(ops.begin(), ops.end());
    if (count != 1) {
      kernel.emitError("expected one convolution in a kernel of kind "
                       "'convolution', found ")
          << count;
      return nullptr;
    }
    StringRef reason;
    std::unique_ptr<Schedule> schedule =
        chooseSchedule(kernel, *ops.begin(), dims, reason);
    return schedule ? std::move(schedule)
                    : createElementwiseContractionSchedule(reason);
  }
};
} // namespace

std::unique_ptr<Schedule> dyn::createConvolutionSchedule() {
  return std::make_unique<ConvolutionSchedule>();
}
