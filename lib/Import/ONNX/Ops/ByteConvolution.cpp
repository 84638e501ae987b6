//===- ByteConvolution.cpp - Convolutions of quantized integers -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// dhlo.convolution takes floats, and has fast kernels for f32, which represents
// all integers up to 2^24. So channels are divided into parts whose sums are
// not larger. Each part is a group of a convolution, and the results of parts
// are added in f64. This has as many multiply-adds as one convolution.

#include "Convolution.h"
#include "Quantization.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The largest magnitude of bytes less their zero point, which may be null.
static int64_t getMost(Emitter &e, Value bytes, Value zero) {
  int64_t first = e.elementType(bytes).isUnsignedInteger() ? 0 : -128;
  int64_t last = first + 255;
  SmallVector<int64_t> zeros = {0};
  if (zero) {
    auto known = e.constants(zero);
    if (!known)
      return 255;
    zeros = *known;
  }
  int64_t most = 1;
  for (int64_t number : zeros)
    most = std::max({most, last - number, number - first});
  return most;
}

/// In how many equal parts to divide the channels of each group, so that the
/// sums of a part, of terms up to `most`, are exact in f32. Nullopt if no
/// number is known.
static std::optional<int64_t> countParts(OpContext &c, Value x, Value w,
                                         int64_t most) {
  Emitter &e = c.e;
  auto isByte = [&](Value v) {
    Type type = e.elementType(v);
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8 &&
           e.rank(v) > 2;
  };
  if (!isByte(x) || !isByte(w) || !e.dim(x, 1).isConst())
    return std::nullopt;
  for (DimExpr size : e.sizes(w))
    if (!size.isConst() || size.getValue() < 1)
      return std::nullopt;

  int64_t channels = e.dim(w, 1).getValue(), window = 1;
  for (int64_t axis = 2; axis < e.rank(w); ++axis)
    window *= e.dim(w, axis).getValue();
  // Winograd's algorithm, whose sums are not exact, is for one group of at
  // least as many channels as this.
  constexpr int64_t kFewChannels = 8;
  bool isInexact =
      window > 1 && c.getInt("group", 1) == 1 && channels >= kFewChannels;
  constexpr int64_t kExact = int64_t(1) << 24;
  for (int64_t parts = isInexact ? 2 : 1; parts <= channels; ++parts)
    if (channels % parts == 0 && channels / parts <= kExact / most / window)
      return parts;
  return std::nullopt;
}

/// The convolution with the channels of each group in so many parts, of the
/// static filter `w`. Adds parts as f64.
static Value convolveParts(OpContext &c, Value x, Value w, int64_t groups,
                           int64_t parts) {
  Emitter &e = c.e;
  Sizes sizes = e.sizes(w);
  int64_t filters = sizes[0].getValue() / groups;
  auto filterSizes = [&](std::initializer_list<int64_t> front) {
    Sizes result;
    for (int64_t size : front)
      result.push_back(e.size(size));
    result.append(sizes.begin() + 2, sizes.end());
    return result;
  };
  // A group becomes as many, one for each part, with all of its filters.
  int64_t depth = sizes[1].getValue() / parts;
  w = e.reshape(w, filterSizes({groups, filters, parts, depth}));
  w = e.reshape(e.moveAxis(w, 2, 1),
                filterSizes({groups * parts * filters, depth}));
  Value y = convolve(c, x, w, groups * parts);
  if (!y)
    return {};
  Value sum;
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<Value> slices;
    for (int64_t group = 0; group < groups; ++group)
      slices.push_back(e.sliceAxis(
          y, 1, e.size((group * parts + part) * filters), e.size(filters)));
    Value next = groups == 1 ? slices.front() : e.concat(slices, 1);
    next = e.convert(next, e.builder.getF64Type());
    sum = sum ? e.add(sum, next) : next;
  }
  return sum;
}

Value onnx::convolveBytes(OpContext &c, Value x, Value xZero, Value w,
                          Value wZero) {
  Emitter &e = c.e;
  if (!x || !w)
    return {};
  int64_t most = getMost(e, x, xZero) * getMost(e, w, wZero);
  std::optional<int64_t> parts = countParts(c, x, w, most);
  if (wZero && !(wZero = alongAxis(c, w, wZero, 0)))
    return {};
  Type f64 = e.builder.getF64Type();
  Type type = parts ? e.builder.getF32Type() : f64;
  x = centre(c, x, xZero, type);
  w = centre(c, w, wZero, type);
  int64_t groups = c.getInt("group", 1);
  // Wrong groups are refused as for any convolution.
  if (x && w && parts && *parts > 1 && groups >= 1 &&
      e.dim(w, 0).getValue() % groups == 0)
    return convolveParts(c, x, w, groups, *parts);
  return e.convert(convolve(c, x, w), f64);
}
