//===- Window.cpp - Windows of convolutions and pools ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

std::optional<SmallVector<int64_t>>
onnx::getSpatial(OpContext &c, StringRef name, size_t spatial) {
  SmallVector<int64_t> values(spatial, 1);
  if (auto given = c.getInts(name); given && !given->empty())
    values.assign(given->begin(), given->end());
  constexpr int64_t kMost = 1 << 20;
  bool fits = values.size() == spatial && llvm::all_of(values, [](int64_t v) {
                return v >= 1 && v <= kMost;
              });
  if (fits)
    return values;
  (void)c.error("expected " + Twine(spatial) + " values of at least 1 in '" +
                name + "'");
  return std::nullopt;
}

bool Window::read(OpContext &c, Value x, ArrayRef<int64_t> filter) {
  Emitter &e = c.e;
  int64_t rank = e.rank(x);
  if (rank < 3) {
    (void)c.error("expected an input of rank at least 3, found " + Twine(rank));
    return false;
  }
  size_t spatial = rank - 2;
  auto kernel = filter.empty() || c.hasAttr("kernel_shape")
                    ? getSpatial(c, "kernel_shape", spatial)
                    : SmallVector<int64_t>(filter);
  auto s = getSpatial(c, "strides", spatial);
  auto d = getSpatial(c, "dilations", spatial);
  if (!kernel || !s || !d)
    return false;
  if (!filter.empty() && ArrayRef<int64_t>(*kernel) != filter) {
    (void)c.error("expected kernel_shape to be the filter's sizes");
    return false;
  }
  window = *kernel;
  strides = *s;
  dilations = *d;
  ceilMode = c.getInt("ceil_mode", 0) != 0;

  StringRef autoPad = c.getString("auto_pad", "NOTSET");
  auto pads = c.getInts("pads");
  if (autoPad == "NOTSET" && pads && pads->size() != 2 * spatial) {
    (void)c.error("expected " + Twine(2 * spatial) + " values in 'pads'");
    return false;
  }
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  // There already is a window for each stride.
  ceilMode &= !isSame;
  if (!isSame && autoPad != "NOTSET" && autoPad != "VALID") {
    (void)c.error("expected auto_pad NOTSET, SAME_UPPER, SAME_LOWER or VALID, "
                  "found '" +
                  autoPad + "'");
    return false;
  }
  DimExpr zero = e.size(0);
  for (size_t i = 0; i < spatial; ++i) {
    DimExpr size = e.dims.expand(e.dim(x, i + 2));
    int64_t extent = dilations[i] * (window[i] - 1) + 1;
    DimExpr before = zero, after = zero;
    if (isSame) {
      // As many windows as strides fit into the input.
      DimExpr out = dhlo::ceilDiv(size, e.size(strides[i]));
      DimExpr total = dhlo::add(
          dhlo::sub(dhlo::mul(dhlo::add(out, -1), strides[i]), size), extent);
      total = e.dims.expand(dhlo::max(total, zero));
      DimExpr half = dhlo::floorDiv(total, 2), rest = dhlo::sub(total, half);
      before = autoPad == "SAME_UPPER" ? half : rest;
      after = autoPad == "SAME_UPPER" ? rest : half;
    } else if (autoPad == "NOTSET" && pads) {
      constexpr int64_t kMost = 1 << 20;
      int64_t l = (*pads)[i], h = (*pads)[i + spatial];
      if (l < -kMost || l > kMost || h < -kMost || h > kMost) {
        (void)c.error("expected pads of at most " + Twine(kMost));
        return false;
      }
      before = e.size(l);
      after = e.size(h);
    }
    DimExpr out =
        e.windowSize(size, before, after, window[i], strides[i], dilations[i]);
    if (isSame) {
      out = dhlo::ceilDiv(size, e.size(strides[i]));
    } else if (ceilMode) {
      DimExpr span =
          dhlo::add(dhlo::add(size, dhlo::add(before, after)), -extent);
      out = dhlo::add(dhlo::ceilDiv(span, e.size(strides[i])), 1);
      // A window must not start in the padding at the end.
      out = dhlo::min(
          out, dhlo::ceilDiv(dhlo::add(size, before), e.size(strides[i])));
      out = e.dims.expand(out);
      after = dhlo::sub(
          dhlo::add(dhlo::mul(dhlo::add(out, -1), strides[i]), extent),
          dhlo::add(size, before));
      after = e.dims.expand(after);
    }
    // A window that does not fit gives an empty result.
    out = e.dims.expand(out);
    if (out.isConst() && out.getValue() < 0)
      out = zero;
    low.push_back(before);
    high.push_back(after);
    result.push_back(out);
  }
  return true;
}
