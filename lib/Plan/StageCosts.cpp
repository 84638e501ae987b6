//===- StageCosts.cpp - The time of layers on a mesh ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Plan/StageCosts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn::plan;
using namespace llvm;

Splits dyn::plan::getOperandSplits(const Layer &layer, const Operand &operand,
                                   ArrayRef<Split> splits) {
  Splits found;
  for (Split split : splits) {
    if (split == Split::Paths)
      split = layer.routes->isDivided ? Split::Rows : Split::None;
    bool isWhole =
        (split == Split::Rows && !operand.hasRows) ||
        (split == Split::Columns && (layer.isMatmul || !operand.hasColumns));
    found.push_back(isWhole               ? Split::None
                    : split == Split::Sum ? Split::Columns
                                          : split);
  }
  return found;
}

Splits dyn::plan::getValueSplits(const Layer &layer, ArrayRef<Split> splits) {
  Splits found(splits);
  for (Split &split : found)
    if (split == Split::Paths)
      split = layer.routes->isDivided ? Split::Rows : Split::None;
    else if (split == Split::Sum)
      split = Split::None;
  return found;
}

double dyn::plan::getWeightBytes(const Layer &layer, const Mesh &mesh,
                                 ArrayRef<Split> splits,
                                 ArrayRef<int64_t> placement) {
  if (isByPaths(splits)) {
    double most = 0;
    for (const PathShare &share :
         getPathShares(*layer.routes, Machine(), mesh.getRanks(), placement))
      most = std::max(most, share.weightBytes);
    return most;
  }
  return layer.wholeBytes +
         (layer.weightBytes - layer.wholeBytes) *
             getBlockShare(layer.value.columns,
                           mesh.count(splits, Split::Columns)) /
             mesh.count(splits, Split::Sum);
}

bool dyn::plan::hasSegments(const Layer &layer, int64_t segments) {
  return segments && layer.terms && layer.terms % segments == 0;
}

std::vector<Splits> StageCosts::getStrategies(const Layer &layer,
                                              int64_t segments) const {
  if (layer.routes) {
    const Splits none(mesh.sizes.size(), Split::None);
    const Splits paths(mesh.sizes.size(), Split::Paths);
    if (!layer.routes->given.empty())
      return {paths};
    if (mesh.getRanks() > 1)
      return {none, paths};
    return {none};
  }
  std::vector<Splits> found = {{}};
  for (auto [axis, size] : enumerate(mesh.sizes)) {
    SmallVector<Split> choices = {Split::None};
    if (layer.given) {
      choices = {(*layer.given)[axis]};
      if (layer.areRowsFree && choices[0] == Split::None && layer.hasRows)
        choices.push_back(Split::Rows);
    } else if (size > 1 && !layer.isInput) {
      if (layer.hasRows)
        choices.push_back(Split::Rows);
      if (layer.hasColumns)
        choices.push_back(Split::Columns);
      if (hasSegments(layer, segments))
        choices.push_back(Split::Sum);
    }
    std::vector<Splits> next;
    for (const Splits &splits : found)
      for (Split choice : choices) {
        next.push_back(splits);
        next.back().push_back(choice);
      }
    found = std::move(next);
  }
  // Each rank has as many segments, but where the user divides the sum.
  if (!layer.given && segments)
    erase_if(found, [&](const Splits &splits) {
      return segments % mesh.count(splits, Split::Sum) != 0;
    });
  return found;
}

Value StageCosts::getValue(const Layer &layer) const {
  Value value = layer.value;
  if (!layer.isBatched || value.rows == 0)
    return value;
  int64_t rows = divideCeil(value.rows, microBatches);
  value.bytes *= double(rows) / value.rows;
  value.rows = rows;
  return value;
}

double StageCosts::getPart(const Layer &layer) const {
  return layer.value.rows
             ? double(getValue(layer).rows) / double(layer.value.rows)
             : 0;
}

SmallVector<PathShare>
StageCosts::getPathShares(const Layer &layer,
                          ArrayRef<int64_t> placement) const {
  return plan::getPathShares(*layer.routes, machine, mesh.getRanks(), placement,
                             getPart(layer));
}

double StageCosts::getPathTime(const Layer &layer, const Path &path) const {
  return plan::getPathTime(path, machine, getPart(layer));
}

double StageCosts::getComputeTime(const Layer &layer,
                                  const PathShare &share) const {
  if (share.paths == 0)
    return 0;
  const Routes &routes = *layer.routes;
  double rows = 0;
  for (const Path &path : routes.paths)
    rows += path.rows * getPart(layer);
  // A rank that chooses for all cells knows how many rows it has at most.
  if (!routes.isDivided)
    rows *= share.paths / double(routes.paths.size());
  return layer.kernels * machine.kernelSeconds + share.seconds +
         machine.getTime(rows * routes.rowOperations,
                         rows * (routes.bytesToPaths + routes.bytesToHome +
                                 routes.rowBytes));
}

SmallVector<Message> StageCosts::getPathMessages(const Layer &layer,
                                                 ArrayRef<PathShare> shares,
                                                 RowsMove move,
                                                 int64_t receivers) const {
  return plan::getPathMessages(*layer.routes, shares, mesh, move,
                               getPart(layer), receivers);
}

double StageCosts::getPathsTime(const Layer &layer,
                                ArrayRef<Split> splits) const {
  if (!isByPaths(splits))
    return 0;
  double seconds = 0;
  SmallVector<PathShare> shares = getPathShares(layer);
  for (RowsMove move : {RowsMove::Counts, RowsMove::ToPaths, RowsMove::ToHome})
    seconds += machine.getTime(
        getPathMessages(layer, shares, move, machine.links.back().ranks));
  return seconds;
}

double StageCosts::getComputeTime(const Layer &layer,
                                  ArrayRef<Split> splits) const {
  if (layer.isInput || layer.isView)
    return 0;
  if (isByPaths(splits)) {
    double most = 0;
    for (const PathShare &share : getPathShares(layer))
      most = std::max(most, getComputeTime(layer, share));
    return most;
  }
  if (layer.routes) {
    const SmallVector<int64_t> together(layer.routes->paths.size(), 0);
    return getComputeTime(layer, plan::getPathShares(*layer.routes, machine, 1,
                                                     together, getPart(layer))
                                     .front());
  }
  Value value = getValue(layer);
  double part = getPart(layer);
  double share = getShare(value, mesh, splits) / mesh.count(splits, Split::Sum);
  double weights = getWeightBytes(layer, mesh, splits);
  double tables =
      layer.tableBytes ? weights * layer.tableBytes / layer.weightBytes : 0;
  double bytes = value.bytes * share + weights - tables +
                 std::min(tables, value.bytes * share);
  for (const Operand &operand : layer.operands) {
    Value read = getValue(model.layers[operand.layer]);
    bytes += read.bytes *
             getShare(read, mesh, getOperandSplits(layer, operand, splits));
  }
  return layer.kernels * machine.kernelSeconds +
         machine.getTime(layer.operations * part * share, bytes);
}

double StageCosts::getExchangeTime(const Layer &layer, ArrayRef<Split> from,
                                   ArrayRef<Split> to) {
  if (layer.isInput || from == to)
    return 0;
  Value value = getValue(layer);
  Key key = {value.rows, value.columns, Splits(from), Splits(to)};
  auto [it, isNew] = exchanges.try_emplace(key);
  if (isNew) {
    value.bytes = 1;
    // The ranks of an outermost group show the time of its link.
    SmallVector<Message> messages =
        getMessages(value, mesh, from, mesh, to, machine.links.back().ranks);
    double seconds = machine.getTime(messages);
    for (Message &message : messages)
      message.bytes = 0;
    it->second.first = machine.getTime(messages);
    it->second.second = seconds - it->second.first;
  }
  return it->second.first + it->second.second * getValue(layer).bytes +
         getArrangeTime(layer, from, to);
}

double StageCosts::getArrangeTime(const Layer &layer, ArrayRef<Split> from,
                                  ArrayRef<Split> to) const {
  if (mesh.count(from, Split::Columns) <= mesh.count(to, Split::Columns))
    return 0;
  // Rows come as they are in memory, columns block by block.
  Value value = getValue(layer);
  double bytes = value.bytes * getShare(value, mesh, to);
  return machine.kernelSeconds + machine.getTime(0, 2 * bytes);
}

double StageCosts::getSumTime(const Layer &layer,
                              ArrayRef<Split> splits) const {
  if (mesh.count(splits, Split::Sum) == 1)
    return 0;
  return 2 * machine.getTime(getSumMessages(getValue(layer), mesh, splits));
}

double StageCosts::getTime(size_t begin, size_t end, ArrayRef<Splits> splits) {
  double seconds = 0;
  for (size_t i = begin; i < end; ++i) {
    const Layer &layer = model.layers[i];
    seconds += getComputeTime(layer, splits[i]) + getSumTime(layer, splits[i]) +
               getPathsTime(layer, splits[i]);
    for (const Operand &operand : layer.operands)
      if (operand.layer >= begin)
        seconds += getExchangeTime(
            model.layers[operand.layer],
            getValueSplits(model.layers[operand.layer], splits[operand.layer]),
            getOperandSplits(layer, operand, splits[i]));
    if (layer.isResult)
      seconds += getExchangeTime(layer, getValueSplits(layer, splits[i]),
                                 Splits(splits[i].size(), Split::None));
  }
  return seconds;
}
