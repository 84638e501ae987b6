//===- Transposing.cpp - Loads of elements, transposes in registers -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/Transposing.h"

#include "Codegen/Common/Builder/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

std::string ElementSource::getName(StringRef function, bool isPairs) const {
  if (!element)
    return function.str();
  return (function + (isBytes()          ? "_bytes"
                      : isPairs          ? "_pairs"
                      : element.isBF16() ? "_bf16"
                                         : "_f16"))
      .str();
}

Value ElementSource::load(CodeBuilder &b, Type type, Value start,
                          Value index) const {
  if (!element)
    return b.load(type, b.offset(start, b.mul(index, 4)));
  auto vector = dyn_cast<VectorType>(type);
  auto like = [&](Type element) {
    return vector ? Type(vector.clone(element)) : element;
  };
  Value ptr = b.offset(start, b.mul(index, getBytes()));
  ImplicitLocOpBuilder located(b.getLoc(), b.builder());
  if (!groupStride)
    return widenFloat(located, b.load(like(element), ptr), isa);

  // The first element of a group has the lowest bits.
  int64_t bits = element.getIntOrFloatBitWidth();
  Type i32 = like(located.getI32Type());
  auto number = [&](int64_t value) -> Value {
    TypedAttr attr = located.getI32IntegerAttr(value);
    if (vector)
      attr = DenseElementsAttr::get(cast<ShapedType>(i32), Attribute(attr));
    return arith::ConstantOp::create(located, attr);
  };
  auto loadBits = [&](int64_t i) -> Value {
    Value offset = last ? b.min(b.constant(i), last) : b.constant(i);
    Value read = b.load(like(located.getIntegerType(bits)),
                        b.offset(ptr, b.mul(offset, groupStride)));
    read = arith::ExtUIOp::create(located, i32, read);
    if (!last)
      return read;
    return arith::SelectOp::create(located, b.le(b.constant(i), last), read,
                                   number(0));
  };
  Value group = loadBits(0);
  for (int64_t i = 1; i < 32 / bits; ++i)
    group = arith::OrIOp::create(
        located, group,
        arith::ShLIOp::create(located, loadBits(i), number(i * bits)));
  return arith::BitcastOp::create(located, type, group);
}

SmallVector<Value> dyn::emitTranspose(CodeBuilder &b, SmallVector<Value> rows,
                                      int64_t group) {
  int64_t n = rows.size();
  int64_t lanes = cast<VectorType>(rows[0].getType()).getNumElements();
  if (group == 0)
    group = lanes;
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < lanes; first += group)
    for (int64_t i = first; i < first + group / 2; ++i) {
      low.append({i, lanes + i});
      high.append({group / 2 + i, lanes + group / 2 + i});
    }
  for (int64_t round = 1; round < n; round *= 2) {
    SmallVector<Value> next(n);
    for (int64_t i = 0; i < n / 2; ++i) {
      next[2 * i] = vector::ShuffleOp::create(b.builder(), b.getLoc(), rows[i],
                                              rows[i + n / 2], low);
      next[2 * i + 1] = vector::ShuffleOp::create(
          b.builder(), b.getLoc(), rows[i], rows[i + n / 2], high);
    }
    rows = std::move(next);
  }
  return rows;
}

SmallVector<Value> dyn::loadColumns(CodeBuilder &b, const ElementSource &source,
                                    ArrayRef<Value> starts, Value k) {
  int64_t lanes = starts.size(), piece = getColumnPiece(lanes);
  auto type = VectorType::get({piece}, b.builder().getF32Type());
  SmallVector<Value> rows;
  for (int64_t i = 0; i < piece; ++i) {
    Value row = source.load(b, type, starts[i], k);
    if (piece < lanes) {
      Value above = source.load(b, type, starts[i + piece], k);
      row = vector::ShuffleOp::create(
          b.builder(), b.getLoc(), row, above,
          llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
    }
    rows.push_back(row);
  }
  return emitTranspose(b, std::move(rows), piece);
}
