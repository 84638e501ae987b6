//===- Ragged.cpp - Sequences with a dynamic number of tensors ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ragged.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

/// The attribute of the cast that represents a ragged sequence: the axis, -1 if
/// there is none.
static constexpr StringRef kRaggedAttr = "ragged";

bool onnx::isRagged(Value value) {
  return isSequence(value) && value.getDefiningOp()->hasAttr(kRaggedAttr);
}

Ragged onnx::getRagged(Value value) {
  SmallVector<Value> parts = getTensors(value);
  int64_t axis =
      value.getDefiningOp()->getAttrOfType<IntegerAttr>(kRaggedAttr).getInt();
  if (axis < 0)
    return {parts[0], {}, std::nullopt};
  return {parts[0], parts[1], axis};
}

Value onnx::makeRagged(OpContext &c, const Ragged &ragged) {
  if (!ragged || (ragged.axis && !ragged.lengths))
    return {};
  SmallVector<Value> parts{ragged.data};
  if (ragged.axis)
    parts.push_back(ragged.lengths);
  OpBuilder &builder = c.e.builder;
  Type type =
      TupleType::get(builder.getContext(), TypeRange(ValueRange(parts)));
  auto cast = UnrealizedConversionCastOp::create(builder, c.e.loc, type, parts);
  cast->setAttr(kRaggedAttr,
                builder.getI64IntegerAttr(ragged.axis.value_or(-1)));
  return cast.getResult(0);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

LogicalResult onnx::failForm(OpContext &c) {
  return c.error("expected tensors of equal rank and element type, whose sizes "
                 "differ along one axis at most, in a sequence whose length is "
                 "known at run time only");
}

std::optional<Form>
onnx::joinForms(const Form &lhs, const Form &rhs,
                llvm::function_ref<bool(DimExpr, DimExpr)> isEqual) {
  if (!lhs.elementType || !rhs.elementType)
    return lhs.elementType ? lhs : rhs;
  if (lhs.elementType != rhs.elementType ||
      lhs.sizes.size() != rhs.sizes.size())
    return std::nullopt;
  Form both = lhs;
  int64_t number = 0;
  for (auto [i, size] : llvm::enumerate(both.sizes)) {
    DimExpr other = rhs.sizes[i];
    if (size && other && isEqual(size, other))
      continue;
    size = {};
    both.axis = i;
    ++number;
  }
  return number <= 1 ? std::optional<Form>(both) : std::nullopt;
}

std::optional<Form> onnx::joinForms(Emitter &e, const Form &lhs,
                                    const Form &rhs) {
  return joinForms(lhs, rhs,
                   [&](DimExpr a, DimExpr b) { return e.dims.isEqual(a, b); });
}

Form onnx::getTensorForm(Emitter &e, Value tensor) {
  return {e.elementType(tensor), e.sizes(tensor), std::nullopt};
}

std::optional<Form> onnx::getForm(Emitter &e, Value sequence) {
  if (isRagged(sequence)) {
    Ragged ragged = getRagged(sequence);
    Form form = getTensorForm(e, ragged.data);
    form.axis = ragged.axis;
    form.sizes.erase(form.sizes.begin());
    if (form.axis)
      form.sizes.insert(form.sizes.begin() + *form.axis, DimExpr());
    return form;
  }
  Form form;
  for (Value tensor : getTensors(sequence)) {
    auto both = joinForms(e, form, getTensorForm(e, tensor));
    if (!both)
      return std::nullopt;
    form = *both;
  }
  return form;
}

/// One of the tensors in the layout of the buffer.
static Value toBuffer(Emitter &e, Value tensor, std::optional<int64_t> axis) {
  return axis ? e.moveAxis(tensor, *axis, 0) : e.unsqueeze(tensor, {0});
}

Ragged onnx::toRagged(OpContext &c, Value sequence, const Form &form) {
  Emitter &e = c.e;
  Type i64 = e.builder.getI64Type();
  if (!isRagged(sequence)) {
    SmallVector<Value> parts;
    Sizes lengths;
    for (Value tensor : getTensors(sequence)) {
      parts.push_back(toBuffer(e, tensor, form.axis));
      if (form.axis)
        lengths.push_back(e.dims.expand(e.dim(tensor, *form.axis)));
    }
    if (parts.empty()) {
      Sizes sizes = form.sizes;
      if (form.axis)
        sizes.erase(sizes.begin() + *form.axis);
      sizes.insert(sizes.begin(), e.size(0));
      parts.push_back(e.full(form.elementType, 0, sizes));
    }
    Value data = e.concat(parts, 0);
    if (!form.axis)
      return {data, {}, std::nullopt};
    return {data,
            lengths.empty() ? e.full(i64, 0, {e.size(0)})
                            : e.fromSizes(lengths),
            form.axis};
  }
  Ragged ragged = getRagged(sequence);
  if (ragged.axis == form.axis)
    return ragged;
  if (ragged.axis) {
    (void)failForm(c);
    return {};
  }
  // Rows of equal size are parts of equal length.
  int64_t axis = *form.axis;
  DimExpr number = e.dims.expand(e.dim(ragged.data, 0));
  DimExpr length = e.dims.expand(e.dim(ragged.data, axis + 1));
  Value data = e.moveAxis(ragged.data, axis + 1, 1);
  Sizes sizes = e.sizes(data);
  sizes.erase(sizes.begin());
  sizes.front() = dhlo::mul(number, length);
  Value lengths = e.broadcastTo(e.fromSize(length), {number});
  return {e.reshape(data, sizes), lengths, axis};
}

Ragged onnx::toRagged(OpContext &c, Value sequence) {
  if (isRagged(sequence))
    return getRagged(sequence);
  auto form = getForm(c.e, sequence);
  if (!form) {
    (void)failForm(c);
    return {};
  }
  if (!form->elementType) {
    (void)c.error("expected a sequence that is not empty");
    return {};
  }
  return toRagged(c, sequence, *form);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// A position as a scalar of i64, counted from the end if it is negative.
static Value countPosition(OpContext &c, Value position, DimExpr number) {
  Emitter &e = c.e;
  position = e.convert(e.reshape(position, {}), e.builder.getI64Type());
  if (!position)
    return {};
  Value length = e.fromSize(e.dims.expand(number));
  return e.select(e.compare(CompareDirection::LT, position, 0.0),
                  e.add(position, length), position);
}

DimExpr onnx::getPosition(OpContext &c, Value position, DimExpr number) {
  Value counted = countPosition(c, position, number);
  return counted ? c.e.bind(counted, "position") : DimExpr();
}

namespace {
/// The range of one tensor in a buffer.
struct Part {
  DimExpr start, length;
};
} // namespace

/// The part at a position, a size of at most the number of tensors.
static std::optional<Part> getPart(OpContext &c, const Ragged &ragged,
                                   DimExpr position, bool needsLength) {
  Emitter &e = c.e;
  if (!ragged.axis)
    return position ? std::optional<Part>({position, e.size(1)}) : std::nullopt;
  if (!position)
    return std::nullopt;
  // The tensors before it.
  Value before = e.sliceAxis(ragged.lengths, 0, e.size(0), position);
  DimExpr start = e.bind(e.reduce(dhlo::ReduceKind::Sum, before, {0}), "start");
  if (!start)
    return std::nullopt;
  Part part{start, {}};
  if (needsLength) {
    Value length = e.sliceAxis(ragged.lengths, 0, position, e.size(1));
    part.length = e.bind(e.reshape(length, {}), "length");
    if (!part.length)
      return std::nullopt;
  }
  return part;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value onnx::getAt(OpContext &c, const Ragged &ragged, Value position) {
  Emitter &e = c.e;
  if (!ragged || !position)
    return {};
  if (!ragged.axis)
    return e.gather(ragged.data, e.reshape(position, {}), 0);
  DimExpr number = ragged.getNumber(e);
  auto part = getPart(c, ragged, getPosition(c, position, number), true);
  if (!part)
    return {};
  Value rows = e.sliceAxis(ragged.data, 0, part->start, part->length);
  return e.moveAxis(rows, 0, *ragged.axis);
}

/// `x` with `middle`, unless that is null, between its first elements and those
/// from `end` on.
static Value replace(Emitter &e, Value x, DimExpr begin, DimExpr end,
                     Value middle) {
  DimExpr size = e.dims.expand(e.dim(x, 0));
  SmallVector<Value> parts{e.sliceAxis(x, 0, e.size(0), begin)};
  if (middle)
    parts.push_back(middle);
  parts.push_back(e.sliceAxis(x, 0, end, dhlo::sub(size, end)));
  return e.concat(parts, 0);
}

Ragged onnx::insertAt(OpContext &c, const Ragged &ragged, Value tensor,
                      Value position) {
  Emitter &e = c.e;
  if (!ragged || !tensor)
    return {};
  Ragged result = ragged;
  Value part = toBuffer(e, tensor, ragged.axis), length;
  if (ragged.axis)
    length = e.fromSizes({e.dims.expand(e.dim(tensor, *ragged.axis))});
  if (!position) {
    result.data = e.concat({ragged.data, part}, 0);
    if (ragged.axis)
      result.lengths = e.concat({ragged.lengths, length}, 0);
    return result;
  }
  DimExpr at = getPosition(c, position, ragged.getNumber(e));
  auto range = getPart(c, ragged, at, false);
  if (!range)
    return {};
  result.data = replace(e, ragged.data, range->start, range->start, part);
  if (ragged.axis)
    result.lengths = replace(e, ragged.lengths, at, at, length);
  return result;
}

Ragged onnx::eraseAt(OpContext &c, const Ragged &ragged, Value position) {
  Emitter &e = c.e;
  if (!ragged)
    return {};
  if (!position)
    position = e.constantInt(e.builder.getI64Type(), -1);
  DimExpr at = getPosition(c, position, ragged.getNumber(e));
  auto part = getPart(c, ragged, at, true);
  if (!part)
    return {};
  Ragged result = ragged;
  result.data = replace(e, ragged.data, part->start,
                        dhlo::add(part->start, part->length), {});
  if (ragged.axis)
    result.lengths = replace(e, ragged.lengths, at, dhlo::add(at, 1), {});
  return result;
}

/// A row for each tensor, whose sizes must be equal.
static Value toRows(OpContext &c, const Ragged &ragged) {
  Emitter &e = c.e;
  if (!ragged.axis)
    return ragged.data;
  // They are equal if the longest length times the number of tensors is the
  // size of the buffer.
  DimExpr number = ragged.getNumber(e);
  Value longest = e.reduce(dhlo::ReduceKind::Max, ragged.lengths, {0});
  DimExpr length = e.bind(e.maximum(longest, 0.0), "length");
  Sizes sizes = e.sizes(ragged.data);
  sizes.front() = length;
  sizes.insert(sizes.begin(), number);
  return e.moveAxis(e.reshape(ragged.data, sizes), 1, *ragged.axis + 1);
}

Value onnx::concat(OpContext &c, const Ragged &ragged, int64_t axis,
                   bool isNew) {
  Emitter &e = c.e;
  if (!ragged)
    return {};
  if (ragged.axis && !isNew && *ragged.axis == axis)
    return e.moveAxis(ragged.data, 0, axis);
  Value rows = toRows(c, ragged);
  if (isNew || !rows)
    return e.moveAxis(rows, 0, axis);
  rows = e.moveAxis(rows, 0, axis);
  Sizes sizes = e.sizes(rows);
  sizes[axis] =
      dhlo::mul(e.dims.expand(sizes[axis]), e.dims.expand(sizes[axis + 1]));
  sizes.erase(sizes.begin() + axis + 1);
  return e.reshape(rows, sizes);
}
