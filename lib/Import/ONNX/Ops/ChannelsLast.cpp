//===- ChannelsLast.cpp - Operators whose channels may be the last axis ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelsLast.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::toChannelsFirst(Emitter &e, Value x) {
  if (!x || !e.hasAxes(x, 2))
    return {};
  SmallVector<int64_t> order{0, e.rank(x) - 1};
  for (int64_t i = 1; i < e.rank(x) - 1; ++i)
    order.push_back(i);
  return e.transpose(x, order);
}

Value onnx::toChannelsLast(Emitter &e, Value x) {
  if (!x || !e.hasAxes(x, 2))
    return {};
  SmallVector<int64_t> order{0};
  for (int64_t i = 2; i < e.rank(x); ++i)
    order.push_back(i);
  order.push_back(1);
  return e.transpose(x, order);
}
