//===- Shape.cpp - Operators of ONNX that move data and change sizes ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ElementCount.h"
#include "../GraphImporter.h"
#include "ChannelsLast.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

LogicalResult importShape(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  // Attributes of opset 15, as bounds of a slice in Python: out of range they
  // are clamped, and an empty range gives an empty vector.
  auto clamp = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamp(c.getInt("start", 0)),
          end = clamp(c.getInt("end", rank));
  Sizes sizes = c.e.sizes(x);
  return c.result(c.e.fromSizes(ArrayRef<DimExpr>(sizes).slice(
      start, std::max<int64_t>(end - start, 0))));
}

LogicalResult importSize(OpContext &c) {
  Value x = c.in(0);
  return x ? c.result(c.e.fromSize(c.e.dims.expand(c.e.product(c.e.sizes(x)))))
           : failure();
}

/// A data-dependent shape, with its -1 and 0 replaced by their values.
Value resolveShape(Emitter &e, Value x, Value shape, bool allowZero) {
  int64_t number = cast<RankedTensorType>(shape.getType()).getDimSize(0);
  Sizes own = e.sizes(x);
  own.resize(number, e.size(0));
  Type i64 = e.builder.getI64Type();
  Value sizes = e.convert(shape, i64);
  auto is = [&](double value) {
    return e.compare(dhlo::CompareDirection::EQ, sizes, value);
  };
  if (!allowZero)
    sizes = e.select(is(0), e.fromSizes(own), sizes);
  Value inferred = is(-1);
  Value ones = e.constantInts(SmallVector<int64_t>(number, 1));
  Value others =
      e.reduce(dhlo::ReduceKind::Prod, e.select(inferred, ones, sizes), {0});
  Value rest = e.div(e.fromSize(e.product(e.sizes(x))), e.maximum(others, 1));
  return e.select(inferred, rest, sizes);
}

LogicalResult importReshape(OpContext &c) {
  Value x = c.in(0);
  bool allowZero = c.getInt("allowzero", 0) != 0;
  // A hint of opset 1 about reuse of memory.
  c.ignore({"consumed_inputs"});
  if (!x)
    return failure();
  if (c.importer.isBlocked(c.node.inputs[0]))
    return reshapeBlocks(c);
  Sizes target;
  if (auto given = c.getInts("shape")) {
    target = c.e.sizes(*given);
  } else {
    Value shape = c.in(1);
    // An unknown size of one axis follows from the others.
    auto known = c.e.elements(shape);
    if (known && llvm::count(*known, DimExpr()) == 1 &&
        !llvm::any_of(*known, [](DimExpr s) { return s && s.isConst(-1); })) {
      target = *known;
      *llvm::find(target, DimExpr()) = c.e.size(-1);
    } else {
      DimExpr number = c.e.rank(shape) == 1 ? c.e.dim(shape, 0) : DimExpr();
      bool isVector = number && number.isConst() && number.getValue() <= 64;
      if (isVector && llvm::is_contained(known.value_or(Sizes(1)), DimExpr()))
        shape = resolveShape(c.e, x, shape, allowZero);
      auto sizes = c.e.sizesFrom(shape, "reshape");
      if (!sizes)
        return failure();
      target = *sizes;
      if (known && known->size() == target.size())
        for (auto [size, expr] : llvm::zip(target, *known))
          if (expr)
            size = expr;
    }
  }
  std::optional<size_t> inferred;
  DimExpr others = c.e.size(1);
  for (auto [i, size] : llvm::enumerate(target)) {
    // A 0 copies the size of the input; with allowzero (opset 14) it is a size.
    if (size.isConst(0) && !allowZero) {
      if (static_cast<int64_t>(i) >= c.e.rank(x))
        return c.error("expected no 0 in the shape beyond the input's rank");
      size = c.e.dim(x, i);
    }
    if (size.isConst(-1)) {
      if (inferred)
        return c.error("expected at most one -1 in the shape");
      inferred = i;
      continue;
    }
    if (size.isConst() && size.getValue() < 0)
      return c.error("expected sizes of at least -1, found " +
                     Twine(size.getValue()));
    others = dhlo::mul(others, size);
  }
  if (inferred) {
    DimExpr total = c.e.dims.expand(c.e.product(c.e.sizes(x)));
    others = c.e.dims.expand(others);
    // An empty tensor fits any size, of which 0 is one.
    if (others.isConst(0))
      target[*inferred] = c.e.size(0);
    else
      target[*inferred] = dhlo::floorDiv(total, others);
    if (total.isConst() && others.isConst() && !others.isConst(0) &&
        total.getValue() % others.getValue() != 0)
      return c.error("cannot reshape " + Twine(total.getValue()) +
                     " elements to a multiple of " + Twine(others.getValue()));
  }
  return c.result(c.e.reshape(x, target));
}

LogicalResult importFlatten(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t axis = c.getInt("axis", 1), rank = c.e.rank(x);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis > rank)
    return c.error("expected an axis in [0, " + Twine(rank) + "]");
  Sizes sizes = c.e.sizes(x);
  ArrayRef<DimExpr> all(sizes);
  return c.result(c.e.reshape(x, {c.e.product(all.take_front(axis)),
                                  c.e.product(all.drop_front(axis))}));
}

LogicalResult importSqueeze(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  bool present;
  // An attribute up to opset 12, then an input.
  auto axes = c.getAxes("axes", 1, c.e.rank(x), present);
  if (!axes)
    return failure();
  for (int64_t i = 0; i < c.e.rank(x); ++i) {
    DimExpr size = c.e.dim(x, i);
    if (!present && c.e.isOne(size))
      axes->push_back(i);
    else if (!present && !c.e.isNotOne(size))
      return c.error("expected axes, or sizes that are known not to be 1; "
                     "--dim says what is known of the model's");
    if (present && llvm::is_contained(*axes, i) && size.isConst() &&
        !size.isConst(1))
      return c.error("expected size 1 along axis " + Twine(i) + ", found " +
                     Twine(size.getValue()));
  }
  return c.result(c.e.squeeze(x, *axes));
}

LogicalResult importUnsqueeze(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  // Axes refer to the result, whose rank is that of the input plus their
  // number.
  size_t number = 0;
  if (auto ints = c.getInts("axes"))
    number = ints->size();
  else if (c.has(1) &&
           cast<RankedTensorType>(c.in(1).getType()).hasStaticShape())
    number = cast<RankedTensorType>(c.in(1).getType()).getNumElements();
  if (number > 64)
    return c.error("expected at most 64 axes");
  bool present;
  auto axes = c.getAxes("axes", 1, c.e.rank(x) + number, present);
  return axes ? c.result(c.e.unsqueeze(x, *axes)) : failure();
}

LogicalResult importTranspose(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  SmallVector<int64_t> permutation;
  if (auto perm = c.getInts("perm"))
    permutation.assign(perm->begin(), perm->end());
  else
    for (int64_t i = 0; i < rank; ++i)
      permutation.push_back(rank - 1 - i);
  for (int64_t &axis : permutation)
    axis += axis < 0 ? rank : 0;
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  for (int64_t i = 0; i < rank; ++i)
    if (static_cast<int64_t>(sorted.size()) != rank || sorted[i] != i)
      return c.error("expected a permutation of " + Twine(rank) + " axes");
  return c.result(c.e.transpose(x, permutation));
}

LogicalResult importExpand(OpContext &c) {
  Value x = c.in(0), shape = c.in(1);
  if (!x || !shape)
    return failure();
  auto target = c.e.sizesFrom(shape, "expand");
  if (!target)
    return failure();
  // The target takes part in broadcasting: it may hold ones and be shorter.
  Sizes own = c.e.sizes(x), result = *target;
  while (own.size() < result.size())
    own.insert(own.begin(), c.e.size(1));
  while (result.size() < own.size())
    result.insert(result.begin(), c.e.size(1));
  for (auto [size, mine] : llvm::zip_equal(result, own)) {
    DimExpr both = c.e.broadcastSize(mine, size);
    if (!both)
      return c.error("size " + Twine(mine.getValue()) +
                     " cannot be expanded to " + Twine(size.getValue()));
    size = both;
  }
  return c.result(c.e.broadcastTo(x, result));
}

LogicalResult importTile(OpContext &c) {
  Value x = c.in(0), counts = c.in(1);
  if (!x || !counts)
    return failure();
  auto repeats = c.e.sizesFrom(counts, "repeats");
  if (!repeats)
    return failure();
  if (static_cast<int64_t>(repeats->size()) != c.e.rank(x))
    return c.error("expected one repeat for each axis, found " +
                   Twine(repeats->size()));
  // Each repeated axis gets an axis of repeats before it, then both merge.
  Sizes wide, result;
  SmallVector<int64_t> axes;
  for (auto [size, repeat] : llvm::zip_equal(c.e.sizes(x), *repeats)) {
    if (!repeat.isConst(1))
      wide.push_back(repeat);
    axes.push_back(wide.size());
    wide.push_back(size);
    result.push_back(dhlo::mul(c.e.dims.expand(size), repeat));
  }
  // A size of 1 would be broadcast by the operation itself, with the same
  // result.
  return c.result(c.e.reshape(c.e.broadcast(x, axes, wide), result));
}

LogicalResult importConcat(OpContext &c) {
  Value first = c.in(0);
  if (!first)
    return failure();
  auto axis = c.getAxis("axis", 1, c.e.rank(first));
  SmallVector<Value> operands;
  for (unsigned i = 0; i < c.numInputs(); ++i)
    operands.push_back(c.in(i));
  return axis ? c.result(c.e.concat(operands, *axis)) : failure();
}

LogicalResult importSplit(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", 0, c.e.rank(x));
  if (!axis)
    return failure();
  int64_t parts = c.numOutputs();
  int64_t stated = c.getInt("num_outputs", parts);
  if (stated != parts)
    return c.error("expected num_outputs to be the number of outputs");
  DimExpr whole = c.e.dims.expand(c.e.dim(x, *axis));
  Sizes lengths;
  if (auto split = c.getInts("split")) {
    lengths = c.e.sizes(*split);
  } else if (c.has(1)) {
    auto sizes = c.e.sizesFrom(c.in(1), "split");
    if (!sizes)
      return failure();
    lengths = *sizes;
  } else {
    // All parts have the rounded-up size except the last, which has the
    // remainder.
    DimExpr part = dhlo::ceilDiv(whole, c.e.size(parts));
    lengths.assign(parts, part);
    lengths.back() = dhlo::sub(whole, dhlo::mul(part, parts - 1));
  }
  if (static_cast<int64_t>(lengths.size()) != parts)
    return c.error("expected " + Twine(parts) + " split sizes, found " +
                   Twine(lengths.size()));
  auto values = c.e.split(x, *axis, lengths);
  if (!values)
    return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    c.out(i, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// `value`, plus `size` if it is negative.
DimExpr countFromEnd(OpContext &c, DimExpr value, DimExpr size) {
  if (c.e.dims.isAtLeast(value, 0))
    return value;
  if (c.e.dims.isAtMost(value, -1))
    return dhlo::add(value, size);
  // value floordiv kMaxElements is -1 if negative, else 0.
  DimExpr isNegative =
      dhlo::mul(dhlo::floorDiv(value, c.e.size(kMaxElements)), -1);
  return dhlo::add(value, dhlo::mul(size, isNegative));
}

/// Limits the huge numbers that mean "to the end" to the range of arithmetic.
DimExpr limit(OpContext &c, DimExpr value) {
  if (!value.isConst())
    return value;
  return c.e.size(std::clamp(value.getValue(), -kMaxElements, kMaxElements));
}

/// A bound of a slice as an expression in [low, high], where low is at most
/// high.
struct Bound {
  OpContext &c;
  DimExpr size;

  DimExpr resolve(DimExpr bound, DimExpr low, DimExpr high) const {
    bound = limit(c, c.e.dims.expand(bound));
    if (bound.isConst(kMaxElements))
      return high;
    if (bound.isConst(-kMaxElements))
      return low;
    bound = countFromEnd(c, bound, size);
    if (c.e.dims.isEqual(bound, high))
      return high;
    return c.e.dims.expand(dhlo::max(dhlo::min(bound, high), low));
  }
  /// A data-dependent bound, in [0, size].
  DimExpr resolve(Value vector, int64_t i) const {
    Emitter &e = c.e;
    Value scalar =
        e.convert(e.reshape(e.sliceAxis(vector, 0, e.size(i), e.size(1)), {}),
                  e.builder.getI64Type());
    Value length = e.fromSize(size);
    Value isNegative = e.compare(dhlo::CompareDirection::LT, scalar, 0.0);
    if (!isNegative)
      return {};
    scalar = e.select(isNegative, e.add(scalar, length), scalar);
    return e.bind(e.minimum(e.maximum(scalar, 0.0), length), "bound");
  }
};

/// `end - start`, with a maximum or minimum moved out: S - max(S - 3, 0) is
/// min(S, 3).
DimExpr distance(DimExpr start, DimExpr end) {
  auto distribute = [](DimExpr expr, llvm::function_ref<DimExpr(DimExpr)> fn) {
    DimExpr result = fn(expr.getOperand(0));
    for (unsigned i = 1; i < expr.getNumOperands(); ++i)
      result = dhlo::min(result, fn(expr.getOperand(i)));
    return result;
  };
  if (start.getKind() == dhlo::DimExprKind::Max)
    return distribute(start, [&](DimExpr s) { return distance(s, end); });
  if (end.getKind() == dhlo::DimExprKind::Min)
    return distribute(end, [&](DimExpr e) { return distance(start, e); });
  return dhlo::sub(end, start);
}

LogicalResult importSlice(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  Sizes starts, ends;
  SmallVector<int64_t> axes, steps;
  // Bounds are attributes up to opset 9, and constant; steps came with the
  // inputs.
  if (c.version < 10) {
    starts = c.e.sizes(c.getInts("starts").value_or(ArrayRef<int64_t>()));
    ends = c.e.sizes(c.getInts("ends").value_or(ArrayRef<int64_t>()));
    if (auto ints = c.getInts("axes"))
      axes.assign(ints->begin(), ints->end());
  } else {
    if (!c.in(1) || !c.in(2))
      return failure();
    for (auto [i, exprs] : {std::pair(1, &starts), std::pair(2, &ends)}) {
      auto known = c.e.elements(c.in(i));
      if (!known || c.e.rank(c.in(i)) != 1)
        return c.error("expected vectors of a known number of bounds");
      *exprs = *known;
    }
    if (c.has(3)) {
      auto values = c.constantInput(3, "axes");
      if (!values)
        return failure();
      axes = *values;
    }
    if (c.has(4)) {
      auto values = c.constantInput(4, "steps");
      if (!values)
        return failure();
      steps = *values;
    }
  }
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(i);
  if (steps.empty())
    steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return c.error("expected as many ends, axes and steps as starts");

  Sizes sizes = c.e.sizes(x), from(rank, c.e.size(0));
  SmallVector<int64_t> strides(rank, 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = c.e.axis(axes[i], rank);
    if (!axis)
      return failure();
    int64_t step = steps[i];
    if (step == 0)
      return c.error("expected steps other than 0");
    // No tensor is that long: only the first element is left.
    step = std::clamp(step, -kMaxElements, kMaxElements);
    DimExpr size = c.e.dims.expand(c.e.dim(x, *axis));
    DimExpr zero = c.e.size(0), last = dhlo::add(size, -1);
    Bound bound{c, size};
    if (step < 0 && (!starts[i] || !ends[i]))
      return c.error(
          "expected bounds known before the run for a negative step");
    DimExpr start, end, length;
    if (step > 0) {
      start = starts[i] ? bound.resolve(starts[i], zero, size)
                        : bound.resolve(c.in(1), i);
      end = ends[i] ? bound.resolve(ends[i], zero, size)
                    : bound.resolve(c.in(2), i);
      if (!start || !end)
        return failure();
      length = dhlo::ceilDiv(distance(start, end), c.e.size(step));
    } else {
      // An empty axis has no first element.
      start = bound.resolve(starts[i], dhlo::min(zero, last), last);
      end = bound.resolve(ends[i], c.e.size(-1), last);
      length = dhlo::ceilDiv(dhlo::sub(start, end), c.e.size(-step));
    }
    sizes[*axis] = c.e.dims.expand(dhlo::max(length, zero));
    from[*axis] = sizes[*axis].isConst(0) ? zero : start;
    strides[*axis] = step;
  }
  return c.result(c.e.slice(x, from, strides, sizes));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// Integers of any sign: an unknown one is the difference of two sizes, one of
/// which is 0.
std::optional<Sizes> integersFrom(Emitter &e, Value tensor, StringRef hint) {
  if (!tensor)
    return std::nullopt;
  std::optional<Sizes> result = e.elements(tensor);
  if (result && !llvm::is_contained(*result, DimExpr()))
    return result;
  Type i64 = e.builder.getI64Type();
  Value wide = e.convert(tensor, i64), zero = e.constantInt(i64, 0);
  // -2^63 has no opposite.
  Value limited = e.maximum(wide, e.constantInt(i64, -(int64_t(1) << 62)));
  auto above = e.sizesFrom(e.maximum(wide, zero), hint);
  auto below = e.sizesFrom(e.maximum(e.sub(zero, limited), zero), hint);
  if (!above || !below)
    return std::nullopt;
  if (!result)
    result = Sizes(above->size());
  for (auto [size, more, less] : llvm::zip_equal(*result, *above, *below))
    if (!size)
      size = dhlo::sub(more, less);
  return result;
}

LogicalResult importPad(OpContext &c) {
  Value x = c.in(0);
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  StringRef name = c.getString("mode", "constant");
  std::optional<dhlo::PadMode> mode = dhlo::symbolizePadMode(name);
  if (!mode)
    return c.error("expected mode constant, reflect, edge or wrap, found '" +
                   name + "'");
  Sizes pads;
  Value value;
  SmallVector<int64_t> axes;
  if (c.version < 11) {
    pads = c.e.sizes(c.getInts("pads").value_or(ArrayRef<int64_t>()));
    value = c.e.constant(c.e.elementType(x), c.getFloat("value", 0));
  } else {
    // ONNX Runtime's own accepts a row of a matrix as well.
    Value given = c.in(1);
    if (given && c.e.rank(given) == 2 && c.e.isOne(c.e.dim(given, 0)))
      given = c.e.squeeze(given, {0});
    auto widths = integersFrom(c.e, given, "pad");
    if (!widths)
      return failure();
    pads = *widths;
    value = c.has(2) ? c.e.reshape(c.in(2), {})
                     : c.e.constant(c.e.elementType(x), 0);
  }
  if (c.has(3)) {
    auto given = c.constantInput(3, "axes");
    if (!given)
      return failure();
    axes = *given;
  } else {
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  }
  if (pads.size() != 2 * axes.size())
    return c.error("expected two widths for each axis, found " +
                   Twine(pads.size()));
  Sizes low(rank, c.e.size(0)), high(low);
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = c.e.axis(axes[i], rank);
    if (!axis)
      return failure();
    low[*axis] = pads[i];
    high[*axis] = pads[i + axes.size()];
  }
  return c.result(c.e.pad(x, value, *mode, low, high));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The middle of the data, or the data in the middle of zeros. An axis is both
/// sliced and padded; one of the two has an effect.
LogicalResult importCenterCropPad(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), shape = c.in(1);
  auto wanted = shape ? e.sizesFrom(shape, "size") : std::nullopt;
  if (!x || !wanted)
    return failure();
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < e.rank(x); ++axis)
    axes.push_back(axis);
  if (auto given = c.getInts("axes"))
    axes.assign(given->begin(), given->end());
  if (axes.size() != wanted->size())
    return c.error("expected a size for each axis");
  DimExpr zero = e.size(0);
  Sizes low(e.rank(x), zero), high = low;
  for (auto [given, size] : llvm::zip_equal(axes, *wanted)) {
    auto axis = e.axis(given, e.rank(x));
    if (!axis)
      return failure();
    DimExpr own = e.dims.expand(e.dim(x, *axis));
    DimExpr more = dhlo::max(dhlo::sub(own, size), zero);
    DimExpr less = dhlo::max(dhlo::sub(size, own), zero);
    x = e.sliceAxis(x, *axis, dhlo::floorDiv(more, 2), dhlo::min(own, size));
    if (!x)
      return failure();
    low[*axis] = dhlo::floorDiv(less, 2);
    high[*axis] = dhlo::sub(less, low[*axis]);
  }
  Type type = e.elementType(x);
  return c.result(
      e.pad(x, e.constant(type, 0), dhlo::PadMode::Constant, low, high));
}

/// The side of the blocks of images that the depth holds.
static FailureOr<int64_t> getBlock(OpContext &c, Value x) {
  int64_t block = c.getInt("blocksize", 1);
  if (!x)
    return failure();
  if (c.e.rank(x) != 4 || block < 1 || block > 1 << 20)
    return c.error("expected rank 4 and a blocksize of at least 1");
  return block;
}

LogicalResult importDepthToSpace(OpContext &c) {
  Value x = c.in(0);
  FailureOr<int64_t> found = getBlock(c, x);
  if (failed(found))
    return failure();
  int64_t block = *found;
  bool isCrd = c.getString("mode", "DCR") == "CRD";
  Sizes s = c.e.sizes(x);
  DimExpr b = c.e.size(block);
  DimExpr depth = dhlo::floorDiv(c.e.dims.expand(s[1]), block * block);
  Value parts =
      isCrd ? c.e.transpose(c.e.reshape(x, {s[0], depth, b, b, s[2], s[3]}),
                            {0, 1, 4, 2, 5, 3})
            : c.e.transpose(c.e.reshape(x, {s[0], b, b, depth, s[2], s[3]}),
                            {0, 3, 4, 1, 5, 2});
  return c.result(c.e.reshape(
      parts, {s[0], depth, dhlo::mul(s[2], block), dhlo::mul(s[3], block)}));
}

LogicalResult importSpaceToDepth(OpContext &c) {
  Value x = c.in(0);
  FailureOr<int64_t> found = getBlock(c, x);
  if (failed(found))
    return failure();
  int64_t block = *found;
  bool isCrd = c.getString("mode", "DCR") == "CRD";
  Sizes s = c.e.sizes(x);
  DimExpr b = c.e.size(block);
  DimExpr h = dhlo::floorDiv(c.e.dims.expand(s[2]), block);
  DimExpr w = dhlo::floorDiv(c.e.dims.expand(s[3]), block);
  Value parts = c.e.reshape(x, {s[0], s[1], h, b, w, b});
  parts = isCrd ? c.e.transpose(parts, {0, 1, 3, 5, 2, 4})
                : c.e.transpose(parts, {0, 3, 5, 1, 2, 4});
  return c.result(
      c.e.reshape(parts, {s[0], dhlo::mul(s[1], block * block), h, w}));
}

LogicalResult importTrilu(OpContext &c) {
  Value x = c.in(0);
  bool upper = c.getInt("upper", 1) != 0;
  if (!x)
    return failure();
  int64_t rank = c.e.rank(x);
  if (rank < 2)
    return c.error("expected a tensor of rank at least 2");
  DimExpr k = c.e.size(0);
  if (c.has(1)) {
    auto known = c.e.elements(c.in(1));
    if (!known || known->size() != 1 || !known->front())
      return c.error("expected a diagonal known before the run");
    k = limit(c, known->front());
  }
  Sizes plane{c.e.dim(x, rank - 2), c.e.dim(x, rank - 1)};
  Type i64 = c.e.builder.getI64Type();
  auto indices = [&](int64_t axis, DimExpr start) -> Value {
    return dhlo::IotaOp::create(c.e.builder, c.e.loc,
                                c.e.type({plane[axis]}, i64), 0,
                                c.e.builder.getArrayAttr({start}),
                                c.e.builder.getArrayAttr({c.e.size(1)}));
  };
  // Kept: column >= row + k (upper), column <= row + k (lower).
  Value row = c.e.unsqueeze(indices(0, k), {1});
  Value column = c.e.unsqueeze(indices(1, c.e.size(0)), {0});
  Value keep = c.e.compare(upper ? dhlo::CompareDirection::GE
                                 : dhlo::CompareDirection::LE,
                           column, row);
  return c.result(c.e.select(keep, x, c.e.constant(c.e.elementType(x), 0)));
}

LogicalResult importReverseSequence(OpContext &c) {
  Value x = c.in(0), lengths = c.e.index(c.in(1));
  int64_t batch = c.getInt("batch_axis", 1), time = c.getInt("time_axis", 0);
  if (!x || !lengths)
    return failure();
  if (batch + time != 1 || batch * time != 0 || c.e.rank(x) < 2)
    return c.error("expected batch and time to be the first two axes");
  SmallVector<int64_t> swap;
  for (int64_t i = 0; i < c.e.rank(x); ++i)
    swap.push_back(i);
  if (batch == 1)
    std::swap(swap[0], swap[1]);
  Value rows = c.e.transpose(x, swap);
  lengths = c.e.unsqueeze(lengths, {1});
  Value step = c.e.iota(1, {c.e.dim(rows, 0), c.e.dim(rows, 1)},
                        c.e.elementType(lengths));
  Value isInside = c.e.compare(dhlo::CompareDirection::LT, step, lengths);
  if (!isInside)
    return failure();
  Value from = c.e.select(isInside, c.e.sub(c.e.sub(lengths, 1.0), step), step);
  return c.result(c.e.transpose(c.e.gather(rows, from, 1, 1), swap));
}

} // namespace

void onnx::registerShape(OpRegistry &r) {
  r.add("Shape", 1, importShape);
  r.add("Size", 1, importSize);
  r.add("Reshape", 1, importReshape);
  r.add("Flatten", 1, importFlatten);
  r.add("Squeeze", 1, importSqueeze);
  r.add("Unsqueeze", 1, importUnsqueeze);
  r.add("Transpose", 1, importTranspose);
  r.add("Expand", 8, importExpand);
  r.add("Tile", 6, importTile);
  r.add("Concat", 4, importConcat);
  r.add("Split", 2, importSplit);
  r.add("Slice", 1, importSlice);
  r.add("Pad", 2, importPad);
  r.add("CenterCropPad", 18, importCenterCropPad);
  r.add("DepthToSpace", 1, importDepthToSpace);
  r.add("SpaceToDepth", 1, importSpaceToDepth);
  r.add("Trilu", 14, importTrilu);
  r.addEquivalent("Trilu", 14, importTrilu);
  r.addEquivalent("Pad", 13, importPad);
  r.addEquivalent("ExpandDims", 13, importUnsqueeze);
  r.add("ReverseSequence", 10, importReverseSequence);
}
