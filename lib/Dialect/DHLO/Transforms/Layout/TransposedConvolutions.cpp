//===- TransposedConvolutions.cpp - Convolutions of dilated inputs --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedConvolutions.h"
#include "ConvolutionPhases.h"
#include "MarkedTransposes.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// Writes the convolutions of the phases.
class Writer {
public:
  Writer(Convolves op, ArrayRef<PhasedAxis> axes, DimBuilder &symbols,
         OpBuilder &builder)
      : op(op), axes(axes), symbols(symbols), b(op.getLoc(), builder), at(op),
        element(op.getType().getElementType()) {
    ArrayRef<int64_t> filter = getType(op.getFilter()).getShape();
    numbers = filter[at.filterNumber];
    // Channels with a filter each are repeated, so that they stay such.
    isDepthwise = filter[at.filterChannel] == 1 && op.getGroups() == numbers;
    groups = isDepthwise ? 1 : op.getGroups();
  }

  Value write();

private:
  DimExpr constant(int64_t value) { return getConstDim(b.getContext(), value); }
  RankedTensorType type(ArrayRef<DimExpr> sizes) {
    return symbols.getTensorType(sizes, element);
  }
  Value reshape(Value value, ArrayRef<DimExpr> sizes) {
    return ReshapeOp::create(b, type(sizes), value);
  }
  Value reshape(Value value, ArrayRef<int64_t> sizes) {
    return ReshapeOp::create(b, RankedTensorType::get(sizes, element), value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    return TransposeOp::create(b, permuteType(getType(value), permutation),
                               value, b.getDenseI64ArrayAttr(permutation));
  }
  Value slice(Value value, ArrayRef<int64_t> starts, RankedTensorType to);
  /// Adds zeros at the ends of axes, or removes elements.
  Value pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high);

  /// The taps of each phase: of a filter with axes [..., w, ..., C, N], one
  /// with axes [..., taps, phases, ..., C, groups, N / groups].
  Value splitFilter();
  /// The filter of some phases, which are output channels.
  Value getFilter(ArrayRef<Phases> phases);
  /// The input with its channels repeated for each phase.
  Value repeatInput(int64_t count);
  /// The pixels of some phases, with axes [N, q..., groups, r..., C / groups].
  /// The axis of groups is missing if there is one.
  Value convolve(ArrayRef<Phases> phases);
  /// The pixels of some phases along the first axes and all along the others.
  Value computePhases(SmallVectorImpl<Phases> &phases);
  /// Where the axes of phases begin in such a result.
  int64_t getFirstPhases() const {
    return 1 + at.spatial + (groups > 1 ? 1 : 0);
  }

  Convolves op;
  ArrayRef<PhasedAxis> axes;
  DimBuilder &symbols;
  ImplicitLocOpBuilder b;
  ConvolutionAxes at;
  Type element;
  int64_t numbers, groups;
  bool isDepthwise;
  Value filter; ///< the result of splitFilter
};

} // namespace

Value Writer::slice(Value value, ArrayRef<int64_t> starts,
                    RankedTensorType to) {
  if (getType(value) == to)
    return value;
  SmallVector<Attribute> from;
  for (int64_t start : starts)
    from.push_back(constant(start));
  SmallVector<int64_t> ones(starts.size(), 1);
  return SliceOp::create(b, to, value, b.getArrayAttr(from),
                         b.getDenseI64ArrayAttr(ones));
}

Value Writer::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<DimExpr> sizes = getDims(getType(value));
  SmallVector<Attribute> before, after;
  for (auto [size, from, to] : llvm::zip(sizes, low, high)) {
    size = add(size, from + to);
    before.push_back(constant(from));
    after.push_back(constant(to));
  }
  RankedTensorType padded = type(sizes);
  if (padded == getType(value))
    return value;
  auto zero = RankedTensorType::get({}, element);
  return PadOp::create(
      b, padded, value,
      ConstantOp::create(b, cast<ElementsAttr>(b.getZeroAttr(zero))),
      PadModeAttr::get(b.getContext(), PadMode::Constant),
      b.getArrayAttr(before), b.getArrayAttr(after));
}

Value Writer::splitFilter() {
  // The axes of channels at the end, and that of filters in front.
  RankedTensorType given = getType(op.getFilter());
  SmallVector<int64_t> spread, filled, split;
  SmallVector<int64_t> gaps, ends, reversed;
  for (SmallVector<int64_t> *sizes : {&spread, &filled, &split})
    sizes->append(given.getShape().begin(),
                  given.getShape().begin() + at.filterSpatial);
  gaps.assign(at.filterSpatial, 0);
  ends.assign(at.filterSpatial, 0);
  for (const PhasedAxis &axis : axes) {
    spread.append({axis.window, 1});
    gaps.append({0, axis.gap - 1});
    filled.push_back(axis.window * axis.gap);
    ends.push_back(axis.taps * axis.step - filled.back());
    split.append({axis.taps, axis.step});
    if (axis.isDilated())
      reversed.push_back(split.size() - 1);
  }
  int64_t channels = given.getDimSize(at.filterChannel);
  spread.append({channels, numbers});
  filled.append({channels, numbers});
  split.append({channels, groups, numbers / groups});
  gaps.append({0, 0});
  ends.append({0, 0});

  Value value = op.getFilter();
  SmallVector<int64_t> zeros(spread.size(), 0);
  if (llvm::any_of(gaps, [](int64_t gap) { return gap > 0; }))
    value = reshape(pad(reshape(value, spread), zeros, gaps), filled);
  zeros.resize(filled.size());
  value = reshape(pad(value, zeros, ends), split);
  return ReverseOp::create(b, getType(value), value,
                           b.getDenseI64ArrayAttr(reversed));
}

Value Writer::getFilter(ArrayRef<Phases> phases) {
  RankedTensorType split = getType(filter);
  SmallVector<int64_t> starts(split.getRank(), 0);
  SmallVector<int64_t> sizes(split.getShape());
  Permutation order = llvm::to_vector(llvm::seq<int64_t>(0, at.filterSpatial));
  SmallVector<int64_t> joined(split.getShape().take_front(at.filterSpatial));
  int64_t columns = numbers;
  for (auto [i, part] : llvm::enumerate(phases)) {
    int64_t tap = at.filterSpatial + 2 * i;
    sizes[tap] = part.taps;
    starts[tap + 1] = part.first;
    sizes[tap + 1] = part.count;
    order.push_back(tap);
    joined.push_back(part.taps);
    columns *= part.count;
  }
  int64_t rank = split.getRank();
  order.append({rank - 3, rank - 2});
  for (int64_t i = 0; i < at.spatial; ++i)
    order.push_back(at.filterSpatial + 2 * i + 1);
  order.push_back(rank - 1);
  joined.append({split.getDimSize(rank - 3), columns});
  Value part = slice(filter, starts, RankedTensorType::get(sizes, element));
  return reshape(transpose(part, order), joined);
}

Value Writer::repeatInput(int64_t count) {
  Value input = op.getInput();
  if (!isDepthwise || count == 1)
    return input;
  SmallVector<DimExpr> sizes = getDims(getType(input));
  DimExpr channels = sizes.back();
  SmallVector<int64_t> kept =
      llvm::to_vector(llvm::seq<int64_t>(0, sizes.size() - 1));
  kept.push_back(sizes.size());
  sizes.insert(sizes.end() - 1, constant(count));
  Value repeated =
      BroadcastOp::create(b, type(sizes), input, b.getDenseI64ArrayAttr(kept));
  sizes.pop_back();
  sizes.back() = mul(channels, count);
  return reshape(repeated, sizes);
}

Value Writer::convolve(ArrayRef<Phases> phases) {
  SmallVector<DimExpr> sizes = {getDim(op.getType(), 0)}, split;
  SmallVector<Attribute> low(op.getLow().getValue()),
      high(op.getHigh().getValue());
  SmallVector<int64_t> dilation(op.getFilterDilation());
  int64_t count = 1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    sizes.push_back(axis.blocks);
    count *= phases[i].count;
    if (!axis.isDilated())
      continue;
    // As many zeros as give each block a pixel.
    DimExpr read = add(axis.blocks, phases[i].taps - 1 - phases[i].low);
    DimExpr size = getDim(getType(op.getInput()), at.firstSpatial + i);
    low[i] = constant(phases[i].low);
    high[i] = symbols.getDims().expand(sub(read, size));
    dilation[i] = 1;
  }
  split = sizes;
  sizes.push_back(constant(numbers * count));
  if (groups > 1)
    split.push_back(constant(groups));
  for (const Phases &part : phases)
    split.push_back(constant(part.count));
  split.push_back(constant(numbers / groups));

  Value input = repeatInput(count), weights = getFilter(phases);
  auto convolution = cast<Convolves>(b.clone(*op));
  convolution->setOperand(0, input);
  convolution.getFilterMutable().set(weights);
  convolution->setAttr("low", b.getArrayAttr(low));
  convolution->setAttr("high", b.getArrayAttr(high));
  convolution->setAttr(
      "input_dilation",
      b.getDenseI64ArrayAttr(SmallVector<int64_t>(at.spatial, 1)));
  convolution->setAttr("filter_dilation", b.getDenseI64ArrayAttr(dilation));
  if (isDepthwise)
    convolution->setAttr("groups", b.getI64IntegerAttr(numbers * count));
  convolution.getResult().setType(type(sizes));
  return reshape(convolution.getResult(), split);
}

Value Writer::computePhases(SmallVectorImpl<Phases> &phases) {
  size_t i = phases.size();
  if (i == axes.size())
    return convolve(phases);
  SmallVector<Value> parts;
  for (const Phases &part : axes[i].phases) {
    phases.push_back(part);
    parts.push_back(computePhases(phases));
    phases.pop_back();
  }
  if (parts.size() == 1)
    return parts.front();
  int64_t joined = getFirstPhases() + i;
  SmallVector<DimExpr> sizes = getDims(getType(parts.front()));
  for (Value part : ArrayRef(parts).drop_front())
    sizes[joined] = add(sizes[joined], getDim(getType(part), joined));
  return ConcatOp::create(b, type(sizes), parts, joined);
}

Value Writer::write() {
  filter = splitFilter();
  SmallVector<Phases> phases;
  Value result = computePhases(phases);
  int64_t first = getFirstPhases();
  SmallVector<int64_t> low(getType(result).getRank(), 0), high = low;
  for (auto [i, axis] : llvm::enumerate(axes))
    low[first + i] = axis.empty;
  result = pad(result, low, high);

  // Phases beside their pixels, and groups beside their channels.
  Permutation order = {0};
  SmallVector<DimExpr> sizes = {getDim(op.getType(), 0)};
  SmallVector<int64_t> cuts = {0};
  const SymbolicDims &dims = symbols.getDims();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    order.append(
        {1 + static_cast<int64_t>(i), first + static_cast<int64_t>(i)});
    DimExpr size = getDim(op.getType(), 1 + i);
    DimExpr pixels = mul(axis.blocks, axis.step);
    sizes.push_back(dims.isEqual(pixels, size) ? size : pixels);
    cuts.push_back(axis.cut);
  }
  if (groups > 1)
    order.push_back(first - 1);
  order.push_back(first + at.spatial);
  sizes.push_back(constant(numbers));
  cuts.push_back(0);
  return slice(reshape(transpose(result, order), sizes), cuts, op.getType());
}

namespace {

struct TransposedConvolution : OpInterfaceRewritePattern<Convolves> {
  TransposedConvolution(MLIRContext *context, DimBuilder &symbols)
      : OpInterfaceRewritePattern(context), symbols(symbols) {}

  LogicalResult matchAndRewrite(Convolves op,
                                PatternRewriter &rewriter) const override {
    SmallVector<PhasedAxis> axes = choosePhases(op, symbols.getDims());
    if (axes.empty())
      return rewriter.notifyMatchFailure(op, "no convolution of its phases");
    rewriter.replaceOp(op, Writer(op, axes, symbols, rewriter).write());
    return success();
  }

  DimBuilder &symbols;
};

} // namespace

void dhlo::populateTransposedConvolutions(RewritePatternSet &patterns,
                                          DimBuilder &symbols) {
  patterns.add<TransposedConvolution>(patterns.getContext(), symbols);
}
