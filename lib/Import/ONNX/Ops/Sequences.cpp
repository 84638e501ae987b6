//===- Sequences.cpp - Sequences of tensors of ONNX
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ElementCount.h"
#include "../Sequence.h"
#include "Body.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The tensors of input i; nothing, with an error, if it is no sequence.
std::optional<SmallVector<Value>> getSequence(OpContext &c, unsigned i) {
  Value value = c.in(i);
  if (value && isSequence(value))
    return getTensors(value);
  if (value)
    (void)c.error("expected a sequence as input " + Twine(i) +
                  ", found a tensor");
  return std::nullopt;
}

/// As `getSequence`, of at least one tensor.
std::optional<SmallVector<Value>> getFilledSequence(OpContext &c, unsigned i) {
  auto tensors = getSequence(c, i);
  if (!tensors || !tensors->empty())
    return tensors;
  (void)c.error("expected a sequence that is not empty");
  return std::nullopt;
}

/// Input i; null, with an error, if it is a sequence.
Value getTensor(OpContext &c, unsigned i) {
  Value value = c.in(i);
  if (!value || !isSequence(value))
    return value;
  return c.e.fail("expected a tensor as input " + Twine(i) +
                  ", found a sequence");
}

/// A place in [0, most] that input i gives, counted back from `number` if it is
/// negative; `byDefault` if there is no such input.
std::optional<int64_t> getPlace(OpContext &c, unsigned i, int64_t number,
                                int64_t most, int64_t byDefault) {
  int64_t place = byDefault;
  if (c.has(i)) {
    if (!getTensor(c, i))
      return std::nullopt;
    auto given = c.constantInput(i, "position");
    if (!given)
      return std::nullopt;
    if (given->size() != 1) {
      (void)c.error("expected one position, found " + Twine(given->size()));
      return std::nullopt;
    }
    place = given->front();
  }
  if (place < -number || place > most) {
    (void)c.error("expected a position in [" + Twine(-number) + ", " +
                  Twine(most) + "], found " + Twine(place));
    return std::nullopt;
  }
  return place < 0 ? place + number : place;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

LogicalResult importConstruct(OpContext &c) {
  SmallVector<Value> tensors;
  for (unsigned i = 0; i < c.numInputs(); ++i)
    tensors.push_back(c.in(i));
  return c.result(makeSequence(c, tensors));
}

LogicalResult importEmpty(OpContext &c) {
  c.ignore({"dtype"});
  return c.result(makeSequence(c, {}));
}

LogicalResult importLength(OpContext &c) {
  auto tensors = getSequence(c, 0);
  return tensors ? c.result(c.e.constantInt(c.e.builder.getI64Type(),
                                            tensors->size()))
                 : failure();
}

LogicalResult importAt(OpContext &c) {
  Emitter &e = c.e;
  auto tensors = getFilledSequence(c, 0);
  Value position = getTensor(c, 1);
  if (!tensors || !position)
    return failure();
  int64_t number = tensors->size();
  if (e.constants(position)) {
    auto place = getPlace(c, 1, number, number - 1, 0);
    return place ? c.result((*tensors)[*place]) : failure();
  }
  // One of tensors that are alike is a row of all of them.
  Sizes sizes = e.sizes(tensors->front());
  SmallVector<Value> rows;
  for (Value tensor : *tensors) {
    if (!llvm::equal(e.sizes(tensor), sizes, [&](DimExpr a, DimExpr b) {
          return e.dims.isEqual(a, b);
        }))
      return c.error("expected a constant position, or tensors of equal sizes");
    rows.push_back(e.unsqueeze(tensor, {0}));
  }
  return c.result(e.gather(e.concat(rows, 0), e.reshape(position, {}), 0));
}

LogicalResult importInsert(OpContext &c) {
  auto tensors = getSequence(c, 0);
  Value tensor = getTensor(c, 1);
  if (!tensors || !tensor)
    return failure();
  int64_t number = tensors->size();
  auto place = getPlace(c, 2, number, number, number);
  if (!place)
    return failure();
  tensors->insert(tensors->begin() + *place, tensor);
  return c.result(makeSequence(c, *tensors));
}

LogicalResult importErase(OpContext &c) {
  auto tensors = getFilledSequence(c, 0);
  if (!tensors)
    return failure();
  int64_t number = tensors->size();
  auto place = getPlace(c, 1, number, number - 1, number - 1);
  if (!place)
    return failure();
  tensors->erase(tensors->begin() + *place);
  return c.result(makeSequence(c, *tensors));
}

LogicalResult importConcatFromSequence(OpContext &c) {
  Emitter &e = c.e;
  auto tensors = getFilledSequence(c, 0);
  bool isNew = c.getInt("new_axis", 0) != 0;
  if (!tensors)
    return failure();
  if (!c.hasAttr("axis"))
    return c.error("expected an axis");
  int64_t rank = e.rank(tensors->front());
  auto axis = c.getAxis("axis", 0, rank + isNew);
  if (!axis)
    return failure();
  for (Value &tensor : *tensors) {
    if (e.rank(tensor) != rank)
      return c.error("expected tensors of equal rank, found " + Twine(rank) +
                     " and " + Twine(e.rank(tensor)));
    if (isNew)
      tensor = e.unsqueeze(tensor, {*axis});
  }
  return c.result(e.concat(*tensors, *axis));
}

LogicalResult importSplitToSequence(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", 0, e.rank(x));
  bool keepsAxis = c.getInt("keepdims", 1) != 0 || c.has(1);
  if (!axis)
    return failure();
  Sizes lengths;
  if (c.has(1) && e.rank(c.in(1)) != 0) {
    auto sizes = e.sizesFrom(c.in(1), "split");
    if (!sizes)
      return failure();
    lengths = *sizes;
  } else {
    // Parts of one length but the last, which has the rest.
    int64_t part = 1;
    if (c.has(1)) {
      auto given = c.constantInput(1, "split");
      if (!given)
        return failure();
      part = given->front();
    }
    if (part < 1)
      return c.error("expected parts of at least 1, found " + Twine(part));
    // No axis is longer.
    part = std::min(part, kMaxElements);
    DimExpr whole = e.dims.expand(e.dim(x, *axis));
    DimExpr number = e.dims.expand(dhlo::ceilDiv(whole, e.size(part)));
    if (!number.isConst() || number.getValue() > kMaxTensors)
      return c.error("expected a number of parts of at most " +
                     Twine(kMaxTensors) +
                     " that is known when the model is imported");
    lengths.assign(number.getValue(), e.size(part));
    if (!lengths.empty())
      lengths.back() = dhlo::sub(whole, e.size((number.getValue() - 1) * part));
  }
  auto parts = e.split(x, *axis, lengths);
  if (!parts)
    return failure();
  for (Value &part : *parts)
    if (!keepsAxis)
      part = e.squeeze(part, {*axis});
  return c.result(makeSequence(c, *parts));
}

LogicalResult importMap(OpContext &c) {
  const Graph *body = getGraph(c, "body");
  auto first = getSequence(c, 0);
  if (!body || !first)
    return failure();
  // What each input gives to the body, place by place.
  SmallVector<SmallVector<Value>> columns;
  for (unsigned i = 0; i < c.numInputs(); ++i) {
    Value input = c.in(i);
    if (!input)
      return failure();
    columns.push_back(isSequence(input)
                          ? getTensors(input)
                          : SmallVector<Value>(first->size(), input));
    if (columns.back().size() != first->size())
      return c.error("expected sequences of equal length");
  }
  SmallVector<SmallVector<Value>> results(c.numOutputs());
  for (size_t place = 0; place < first->size(); ++place) {
    SmallVector<Value> inputs, outputs;
    for (ArrayRef<Value> column : columns)
      inputs.push_back(column[place]);
    if (failed(importGraph(c, *body, inputs, outputs)))
      return failure();
    if (outputs.size() != results.size())
      return c.error("expected a body with as many outputs as the node");
    for (auto [result, output] : llvm::zip_equal(results, outputs))
      result.push_back(output);
  }
  for (auto [i, result] : llvm::enumerate(results)) {
    Value sequence = makeSequence(c, result);
    if (!sequence)
      return failure();
    c.out(i, sequence);
  }
  return success();
}

} // namespace

void onnx::registerSequences(OpRegistry &r) {
  r.addWithSequences("SequenceConstruct", 11, importConstruct);
  r.addWithSequences("SequenceEmpty", 11, importEmpty);
  r.addWithSequences("SequenceLength", 11, importLength);
  r.addWithSequences("SequenceAt", 11, importAt);
  r.addWithSequences("SequenceInsert", 11, importInsert);
  r.addWithSequences("SequenceErase", 11, importErase);
  r.addWithSequences("SequenceMap", 17, importMap);
  r.addWithSequences("ConcatFromSequence", 11, importConcatFromSequence);
  r.add("SplitToSequence", 11, importSplitToSequence);
}
