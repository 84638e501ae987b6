//===- Sequences.cpp - Sequences of tensors of ONNX -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ElementCount.h"
#include "../Ragged.h"
#include "CarriedLoop.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

namespace {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Input i; null, with an error, if it is not a sequence.
Value getSequence(OpContext &c, unsigned i) {
  Value value = c.in(i);
  if (!value || isSequence(value))
    return value;
  return c.e.fail("expected a sequence as input " + Twine(i) +
                  ", found a tensor");
}

/// As `getSequence`, of at least one tensor if their number is static.
Value getFilledSequence(OpContext &c, unsigned i) {
  Value value = getSequence(c, i);
  if (!value || isRagged(value) || !getTensors(value).empty())
    return value;
  return c.e.fail("expected a sequence that is not empty");
}

/// Input i; null, with an error, if it is a sequence.
Value getTensor(OpContext &c, unsigned i) {
  Value value = c.in(i);
  if (!value || !isSequence(value))
    return value;
  return c.e.fail("expected a tensor as input " + Twine(i) +
                  ", found a sequence");
}

/// Whether a sequence and the position of input i, if there is one, are static.
bool isKnown(OpContext &c, Value sequence, unsigned i) {
  return !isRagged(sequence) &&
         (!c.has(i) || isSequence(c.in(i)) || c.e.constants(c.in(i)));
}

/// A position in [0, most] from input i, counted back from `number` if
/// negative; `byDefault` if there is no such input.
std::optional<int64_t> getIndex(OpContext &c, unsigned i, int64_t number,
                                int64_t most, int64_t byDefault) {
  int64_t index = byDefault;
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
    index = given->front();
  }
  if (index < -number || index > most) {
    (void)c.error("expected a position in [" + Twine(-number) + ", " +
                  Twine(most) + "], found " + Twine(index));
    return std::nullopt;
  }
  return index < 0 ? index + number : index;
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
  Value sequence = getSequence(c, 0);
  if (!sequence)
    return failure();
  if (isRagged(sequence))
    return c.result(
        c.e.fromSize(c.e.dims.expand(getRagged(sequence).getNumber(c.e))));
  return c.result(
      c.e.constantInt(c.e.builder.getI64Type(), getTensors(sequence).size()));
}

LogicalResult importAt(OpContext &c) {
  Value sequence = getFilledSequence(c, 0), position = getTensor(c, 1);
  if (!sequence || !position)
    return failure();
  if (!isKnown(c, sequence, 1))
    return c.result(getAt(c, toRagged(c, sequence), position));
  SmallVector<Value> tensors = getTensors(sequence);
  int64_t number = tensors.size();
  auto index = getIndex(c, 1, number, number - 1, 0);
  return index ? c.result(tensors[*index]) : failure();
}

/// A ragged sequence with a tensor before a position.
Value insertRagged(OpContext &c, Value sequence, Value tensor, Value position) {
  auto own = getForm(c.e, sequence);
  auto form =
      own ? joinForms(c.e, *own, getTensorForm(c.e, tensor)) : std::nullopt;
  if (!form) {
    (void)failForm(c);
    return {};
  }
  return makeRagged(
      c, insertAt(c, toRagged(c, sequence, *form), tensor, position));
}

LogicalResult importInsert(OpContext &c) {
  Value sequence = getSequence(c, 0), tensor = getTensor(c, 1);
  if (!sequence || !tensor)
    return failure();
  if (!isKnown(c, sequence, 2)) {
    Value position = c.has(2) ? getTensor(c, 2) : Value();
    if (c.has(2) && !position)
      return failure();
    return c.result(insertRagged(c, sequence, tensor, position));
  }
  SmallVector<Value> tensors = getTensors(sequence);
  int64_t number = tensors.size();
  auto index = getIndex(c, 2, number, number, number);
  if (!index)
    return failure();
  tensors.insert(tensors.begin() + *index, tensor);
  return c.result(makeSequence(c, tensors));
}

LogicalResult importErase(OpContext &c) {
  Value sequence = getFilledSequence(c, 0);
  if (!sequence)
    return failure();
  if (!isKnown(c, sequence, 1)) {
    Value position = c.has(1) ? getTensor(c, 1) : Value();
    if (c.has(1) && !position)
      return failure();
    return c.result(makeRagged(c, eraseAt(c, toRagged(c, sequence), position)));
  }
  SmallVector<Value> tensors = getTensors(sequence);
  int64_t number = tensors.size();
  auto index = getIndex(c, 1, number, number - 1, number - 1);
  if (!index)
    return failure();
  tensors.erase(tensors.begin() + *index);
  return c.result(makeSequence(c, tensors));
}

LogicalResult importConcatFromSequence(OpContext &c) {
  Emitter &e = c.e;
  Value sequence = getFilledSequence(c, 0);
  bool isNew = c.getInt("new_axis", 0) != 0;
  if (!sequence)
    return failure();
  if (!c.hasAttr("axis"))
    return c.error("expected an axis");
  SmallVector<Value> tensors = getTensors(sequence);
  // A buffer of rows has one more axis.
  int64_t rank = e.rank(tensors.front());
  if (isRagged(sequence) && !getRagged(sequence).axis)
    --rank;
  auto axis = c.getAxis("axis", 0, rank + isNew);
  if (!axis)
    return failure();
  if (isRagged(sequence))
    return c.result(concat(c, getRagged(sequence), *axis, isNew));
  for (Value &tensor : tensors) {
    if (e.rank(tensor) != rank)
      return c.error("expected tensors of equal rank, found " + Twine(rank) +
                     " and " + Twine(e.rank(tensor)));
    if (isNew)
      tensor = e.unsqueeze(tensor, {*axis});
  }
  return c.result(e.concat(tensors, *axis));
}

/// The value of all elements, if they are one compile-time constant.
std::optional<int64_t> getSplat(Emitter &e, Value tensor) {
  while (tensor && tensor.getDefiningOp() &&
         isa<dhlo::BroadcastOp, dhlo::ReshapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto known = e.constants(tensor);
  return known && !known->empty() && llvm::all_equal(*known)
             ? std::optional<int64_t>(known->front())
             : std::nullopt;
}

/// Parts with dynamic lengths, a vector of any size.
Value splitByLengths(OpContext &c, Value x, int64_t axis, Value lengths) {
  Emitter &e = c.e;
  Value rows = e.moveAxis(x, axis, 0);
  // Exporters write a vector of ones to separate all elements.
  if (auto length = getSplat(e, lengths); length && *length >= 0) {
    Sizes sizes = e.sizes(rows);
    sizes.front() = e.size(*length);
    sizes.insert(sizes.begin(), e.dim(lengths, 0));
    return makeRagged(
        c, {e.moveAxis(e.reshape(rows, sizes), 1, axis + 1), {}, {}});
  }
  lengths = e.convert(lengths, e.builder.getI64Type());
  DimExpr total =
      e.bind(e.reduce(dhlo::ReduceKind::Sum, lengths, {0}), "split");
  if (!rows || !total)
    return {};
  // These are all parts.
  Sizes sizes = e.sizes(rows);
  sizes.front() = total;
  return makeRagged(c, {e.reshape(rows, sizes), lengths, axis});
}

/// A data-dependent length of parts, at least 1.
DimExpr bindLength(OpContext &c, Value length) {
  Emitter &e = c.e;
  length = e.convert(e.reshape(length, {}), e.builder.getI64Type());
  if (!length)
    return {};
  DimExpr symbol = e.symbols.createSymbol("split", 1);
  dhlo::BindOp::create(e.builder, e.loc,
                       FlatSymbolRefAttr::get(symbol.getName()), length);
  return symbol;
}

/// Parts of equal length, except for the last, which has the remainder.
Value splitEvenly(OpContext &c, Value x, int64_t axis, DimExpr part,
                  bool keepsAxis) {
  Emitter &e = c.e;
  Type i64 = e.builder.getI64Type();
  Value rows = e.moveAxis(x, axis, 0);
  DimExpr whole = e.dims.expand(e.dim(x, axis));
  if (part.isConst(1))
    return makeRagged(
        c, {keepsAxis ? e.unsqueeze(rows, {axis + 1}) : rows, {}, {}});
  DimExpr number = dhlo::ceilDiv(whole, part);
  Value length = e.fromSize(part);
  Value before = e.mul(e.iota(0, {number}, i64), length);
  Value lengths = e.minimum(e.sub(e.fromSize(whole), before), length);
  return makeRagged(c, {rows, lengths, axis});
}

LogicalResult importSplitToSequence(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), split = c.optional(1);
  if (!x)
    return failure();
  auto axis = c.getAxis("axis", 0, e.rank(x));
  bool keepsAxis = c.getInt("keepdims", 1) != 0 || split;
  if (!axis)
    return failure();
  Sizes lengths;
  if (split && e.rank(split) != 0) {
    if (e.rank(split) != 1)
      return c.error("expected a vector of lengths");
    // Few parts may have any sizes; many are those of a buffer.
    DimExpr number = e.dims.expand(e.dim(split, 0));
    if (!number.isConst() || number.getValue() > 64)
      return c.result(splitByLengths(c, x, *axis, split));
    auto sizes = e.sizesFrom(split, "split");
    if (!sizes)
      return failure();
    lengths = *sizes;
  } else {
    DimExpr part = e.size(1);
    if (split) {
      auto known = e.constants(split);
      part = known ? e.size(known->front()) : bindLength(c, split);
      if (!part)
        return failure();
    }
    if (part.isConst() && part.getValue() < 1)
      return c.error("expected parts of at least 1, found " +
                     Twine(part.getValue()));
    // No axis is longer.
    if (part.isConst())
      part = e.size(std::min(part.getValue(), kMaxElements));
    DimExpr whole = e.dims.expand(e.dim(x, *axis));
    DimExpr number = e.dims.expand(dhlo::ceilDiv(whole, part));
    if (!number.isConst() || number.getValue() > kMaxTensors)
      return c.result(splitEvenly(c, x, *axis, part, keepsAxis));
    lengths.assign(number.getValue(), part);
    if (!lengths.empty())
      lengths.back() = dhlo::sub(whole, dhlo::mul(part, number.getValue() - 1));
  }
  auto parts = e.split(x, *axis, lengths);
  if (!parts)
    return failure();
  for (Value &part : *parts)
    if (!keepsAxis)
      part = e.squeeze(part, {*axis});
  return c.result(makeSequence(c, *parts));
}

/// A loop over the positions of ragged sequences.
LogicalResult importRaggedMap(OpContext &c, const Graph &body) {
  Emitter &e = c.e;
  SmallVector<Ragged> sequences;
  for (unsigned i = 0; i < c.numInputs(); ++i) {
    Value input = c.in(i);
    sequences.push_back(input && isSequence(input) ? toRagged(c, input)
                                                   : Ragged());
    if (!input || (isSequence(input) && !sequences.back()))
      return failure();
  }
  // All are as long as the first.
  Value number = e.fromSize(e.dims.expand(sequences.front().getNumber(e)));
  SmallVector<Value> inits;
  for (unsigned i = 0; i < c.numOutputs(); ++i)
    inits.push_back(makeSequence(c, {}));
  return importCarriedLoop(
      c, {number, {}, inits},
      [&](ArrayRef<Value> inputs, SmallVectorImpl<Value> &outputs) {
        SmallVector<Value> tensors, results;
        for (auto [i, sequence] : llvm::enumerate(sequences)) {
          tensors.push_back(sequence ? getAt(c, sequence, inputs[0]) : c.in(i));
          if (!tensors.back())
            return failure();
        }
        if (failed(importGraph(c, body, tensors, results)))
          return failure();
        if (results.size() != c.numOutputs())
          return LogicalResult(
              c.error("expected a body with as many outputs as the node"));
        if (failed(expectTensors(c, results)))
          return failure();
        outputs.push_back(inputs[1]);
        for (auto [i, result] : llvm::enumerate(results)) {
          Value sequence = inputs[2 + i];
          outputs.push_back(isRagged(sequence)
                                ? insertRagged(c, sequence, result, {})
                                : makeSequence(c, {result}));
          if (!outputs.back())
            return failure();
        }
        return success();
      });
}

LogicalResult importMap(OpContext &c) {
  const Graph *body = getGraph(c, "body");
  if (!body || !getSequence(c, 0))
    return failure();
  if (llvm::any_of(c.allInputs(), [](Value v) { return v && isRagged(v); }))
    return importRaggedMap(c, *body);
  SmallVector<Value> first = getTensors(c.in(0));
  // The inputs of the body, position by position.
  SmallVector<SmallVector<Value>> columns;
  for (unsigned i = 0; i < c.numInputs(); ++i) {
    Value input = c.in(i);
    if (!input)
      return failure();
    columns.push_back(isSequence(input)
                          ? getTensors(input)
                          : SmallVector<Value>(first.size(), input));
    if (columns.back().size() != first.size())
      return c.error("expected sequences of equal length");
  }
  SmallVector<SmallVector<Value>> results(c.numOutputs());
  for (size_t position = 0; position < first.size(); ++position) {
    SmallVector<Value> inputs, outputs;
    for (ArrayRef<Value> column : columns)
      inputs.push_back(column[position]);
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
