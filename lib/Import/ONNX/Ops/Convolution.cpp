//===- Convolution.cpp - Convolutions of ONNX -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"
#include "Window.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

/// The static spatial sizes of a filter; nullopt, with an error, otherwise.
static std::optional<SmallVector<int64_t>> getFilterSizes(OpContext &c, Value x,
                                                          Value filter) {
  SmallVector<int64_t> sizes;
  int64_t rank = c.e.rank(filter);
  if (rank != c.e.rank(x) || rank < 3) {
    (void)c.error(
        "expected input and filter of equal rank, at least 3, found " +
        Twine(c.e.rank(x)) + " and " + Twine(rank));
    return std::nullopt;
  }
  for (int64_t i = 2; i < rank; ++i) {
    DimExpr size = c.e.dims.expand(c.e.dim(filter, i));
    if (!size.isConst()) {
      (void)c.error("expected a filter of static sizes");
      return std::nullopt;
    }
    sizes.push_back(size.getValue());
  }
  return sizes;
}

static ArrayAttr toArray(OpContext &c, ArrayRef<DimExpr> exprs) {
  SmallVector<mlir::Attribute> attrs(exprs.begin(), exprs.end());
  return c.e.builder.getArrayAttr(attrs);
}

Value onnx::addChannelBias(OpContext &c, Value x, Value bias) {
  if (!x || !bias)
    return {};
  if (c.e.rank(bias) != 1)
    return c.e.fail("expected a vector as bias");
  Sizes sizes(c.e.rank(x) - 1, c.e.size(1));
  sizes[0] = c.e.dim(bias, 0);
  return c.e.add(x, c.e.reshape(bias, sizes));
}

Value onnx::convolve(OpContext &c, Value x, Value filter,
                     std::optional<int64_t> given) {
  int64_t groups = given ? *given : c.getInt("group", 1);
  if (!x || !filter)
    return {};
  auto sizes = getFilterSizes(c, x, filter);
  Window w;
  if (!sizes || !w.read(c, x, *sizes))
    return {};
  DimExpr channels = c.e.dim(x, 1), depth = c.e.dim(filter, 1);
  DimExpr number = c.e.dim(filter, 0);
  if (groups < 1 || groups > 1 << 20 ||
      (number.isConst() && number.getValue() % groups != 0) ||
      (channels.isConst() && depth.isConst() &&
       channels.getValue() != depth.getValue() * groups))
    return c.e.fail(
        "expected channels and groups of input and filter to agree");
  Sizes result{c.e.dim(x, 0), number};
  result.append(w.result);
  SmallVector<int64_t> ones(w.window.size(), 1);
  return dhlo::ConvolutionOp::create(
      c.e.builder, c.e.loc, c.e.type(result, c.e.elementType(x)), x, filter,
      dhlo::Layout::ChannelsFirst, w.strides, toArray(c, w.low),
      toArray(c, w.high), ones, w.dilations, groups);
}

namespace {

LogicalResult importConv(OpContext &c) {
  Value y = convolve(c, c.in(0), c.in(1));
  return c.result(c.has(2) ? addChannelBias(c, y, c.in(2)) : y);
}

/// A transposed convolution is a convolution of the dilated input with the
/// mirrored filter, whose channels and outputs are exchanged.
LogicalResult importConvTranspose(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), filter = c.in(1);
  int64_t groups = c.getInt("group", 1);
  if (!x || !filter)
    return failure();
  auto window = getFilterSizes(c, x, filter);
  if (!window)
    return failure();
  size_t spatial = window->size();
  c.ignore({"kernel_shape"});
  auto strides = getSpatial(c, "strides", spatial);
  auto dilations = getSpatial(c, "dilations", spatial);
  if (!strides || !dilations)
    return failure();
  SmallVector<int64_t> pads(2 * spatial, 0), extra(spatial, 0);
  if (auto given = c.getInts("pads"))
    pads.assign(given->begin(), given->end());
  if (auto given = c.getInts("output_padding"))
    extra.assign(given->begin(), given->end());
  auto stated = c.getInts("output_shape");
  if (pads.size() != 2 * spatial || extra.size() != spatial ||
      (stated && stated->size() < spatial))
    return c.error("expected a value for each spatial axis in 'pads', "
                   "'output_padding' and 'output_shape'");
  StringRef autoPad = c.getString("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  DimExpr inputs = e.dim(filter, 0), perGroup = e.dim(filter, 1);
  if (groups < 1 || !inputs.isConst() || inputs.getValue() % groups != 0)
    return c.error("expected a filter whose channels divide into the groups");

  Sizes result{e.dim(x, 0), dhlo::mul(perGroup, groups)}, low, high;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = (*dilations)[i] * ((*window)[i] - 1) + 1;
    DimExpr size = e.dims.expand(e.dim(x, i + 2));
    DimExpr whole = dhlo::add(dhlo::mul(dhlo::add(size, -1), (*strides)[i]),
                              extent + extra[i]);
    DimExpr before = e.size(pads[i]), after = e.size(pads[i + spatial]);
    if (stated || isSame) {
      DimExpr target = stated ? e.size((*stated)[stated->size() - spatial + i])
                              : dhlo::mul(size, (*strides)[i]);
      DimExpr missing = dhlo::sub(whole, target);
      DimExpr total = e.dims.expand(dhlo::max(missing, e.size(0)));
      DimExpr half = dhlo::floorDiv(total, 2), rest = dhlo::sub(total, half);
      // An odd number has its extra element at the start but for SAME_UPPER,
      // also where only output_shape is given.
      before = autoPad == "SAME_UPPER" ? half : rest;
      // A result whose given size is larger has zeros at its end.
      after = dhlo::sub(stated ? missing : total, before);
    } else if (autoPad == "VALID") {
      before = after = e.size(0);
    }
    result.push_back(e.dims.expand(dhlo::sub(whole, dhlo::add(before, after))));
    // Each element of the input adds a window to the result; so an element of
    // the result reads up to a window of the input on each side, and pads crop
    // that.
    low.push_back(dhlo::sub(e.size(extent - 1), before));
    high.push_back(dhlo::sub(e.size(extent - 1 + extra[i]), after));
  }

  // [C, O / g, ...] to [O, C / g, ...], mirrored.
  Sizes grouped{e.size(groups), dhlo::floorDiv(inputs, groups), perGroup};
  Sizes flat{result[1], grouped[1]};
  SmallVector<int64_t> permutation{0, 2, 1}, mirrored, ones(spatial, 1);
  for (size_t i = 0; i < spatial; ++i) {
    grouped.push_back(e.dim(filter, i + 2));
    flat.push_back(e.dim(filter, i + 2));
    permutation.push_back(i + 3);
    mirrored.push_back(i + 2);
  }
  Value turned = e.reverse(
      e.reshape(e.transpose(e.reshape(filter, grouped), permutation), flat),
      mirrored);
  if (!turned)
    return failure();
  Value y = dhlo::ConvolutionOp::create(
      e.builder, e.loc, e.type(result, e.elementType(x)), x, turned,
      dhlo::Layout::ChannelsFirst, ones, toArray(c, low), toArray(c, high),
      *strides, *dilations, groups);
  return c.result(c.has(2) ? addChannelBias(c, y, c.in(2)) : y);
}

} // namespace

void onnx::registerConvolution(OpRegistry &r) {
  r.add("Conv", 1, importConv);
  r.add("ConvTranspose", 1, importConvTranspose);
}
