//===- Routes.cpp - Cells, routers and routes -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Grouping
//===----------------------------------------------------------------------===//

/// Sorts choices by group. `ids` has `perRow` for each row; rows are taken in
/// the order of `rows`. Choices of a group beyond `capacity` are dropped.
static GroupedChoices groupChoices(Operation *op, const Tensor &ids,
                                   int64_t groups, ArrayRef<int64_t> rows,
                                   int64_t capacity, Evaluator &state) {
  int64_t perRow = ids.getSize(1);
  std::vector<std::vector<int64_t>> members(groups);
  for (int64_t row : rows)
    for (int64_t choice = row * perRow; choice != (row + 1) * perRow;
         ++choice) {
      int64_t id = ids.getInt(choice);
      if (id < -1 || id >= groups)
        state.reportDataError(op, DataErrorKind::Index);
      else if (id >= 0 && int64_t(members[id].size()) < capacity)
        members[id].push_back(choice);
    }
  GroupedChoices grouped;
  grouped.offsets.push_back(0);
  grouped.order.reserve(ids.getNumElements());
  grouped.seats.assign(ids.getNumElements(), -1);
  std::vector<int64_t> used(ids.getSize(0));
  for (ArrayRef<int64_t> group : members) {
    for (int64_t choice : group) {
      int64_t row = choice / perRow;
      grouped.seats[row * perRow + used[row]++] = grouped.order.size();
      grouped.order.push_back(choice);
    }
    grouped.offsets.push_back(grouped.order.size());
  }
  grouped.order.resize(ids.getNumElements(), -1);
  return grouped;
}

/// The number of choices that a group takes: all, if there is no capacity.
static FailureOr<int64_t>
evaluateCapacity(Operation *op, dhlo::DimExpr capacity, Evaluator &state) {
  if (!capacity)
    return std::numeric_limits<int64_t>::max();
  return state.evaluateDim(op, capacity);
}

/// Sets a value to a tensor of the integers.
static LogicalResult setIntegers(Operation *op, Value value,
                                 ArrayRef<int64_t> integers, Evaluator &state) {
  FailureOr<Tensor> tensor = state.allocate(op, value.getType());
  if (failed(tensor))
    return failure();
  if (tensor->getNumElements() != int64_t(integers.size()))
    return emitSizeMismatch(op, "the result", integers.size(),
                            tensor->getNumElements());
  llvm::copy(integers, tensor->getMutableData<int64_t>().begin());
  return state.set(op, value, *tensor);
}

template <> LogicalResult dyn::evaluate(dhlo::GroupOp op, Evaluator &state) {
  const Tensor &ids = state.get(op.getIds());
  FailureOr<int64_t> capacity =
      evaluateCapacity(op, op.getCapacityAttr(), state);
  if (failed(capacity))
    return failure();
  GroupedChoices grouped = groupChoices(
      op, ids, op.getOffsets().getType().getDimSize(0) - 1,
      llvm::to_vector(llvm::seq<int64_t>(0, ids.getSize(0))), *capacity, state);
  if (failed(setIntegers(op, op.getOffsets(), grouped.offsets, state)) ||
      failed(setIntegers(op, op.getOrder(), grouped.order, state)))
    return failure();
  return setIntegers(op, op.getSeats(), grouped.seats, state);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Copies the cells of a tensor, or with `isJoin` a tensor from its cells.
template <typename Op>
static LogicalResult moveCells(Op op, ArrayRef<int64_t> whole, bool isJoin,
                               Evaluator &state) {
  // The tensor with each axis split in two, number of blocks and block; then
  // the numbers of blocks are moved to the front.
  SmallVector<int64_t> split, counts, rest;
  size_t next = 0;
  for (int64_t axis = 0; axis != int64_t(whole.size()); ++axis) {
    int64_t size = whole[axis];
    if (next != op.getAxes().size() && op.getAxes()[next] == axis) {
      int64_t block = op.getBlock()[next++];
      if (size % block != 0)
        return op.emitOpError("expected a multiple of ")
               << block << " at axis " << axis << ", found " << size;
      counts.push_back(split.size());
      split.push_back(size / block);
      size = block;
    }
    rest.push_back(split.size());
    split.push_back(size);
  }
  SmallVector<int64_t> permutation = counts;
  llvm::append_range(permutation, rest);
  const Tensor &operand = state.get(op.getOperand());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  SmallVector<int64_t> cells = llvm::map_to_vector(
      permutation, [&](int64_t axis) { return split[axis]; });
  if (product(cells) != operand.getNumElements())
    return emitSizeMismatch(op, "all axes together", product(cells),
                            operand.getNumElements());
  if (!isJoin) {
    Tensor moved = result->withSizes(cells);
    transpose(operand.withSizes(split), permutation, moved);
  } else {
    SmallVector<int64_t> inverse(permutation.size());
    for (auto [to, from] : llvm::enumerate(permutation))
      inverse[from] = to;
    Tensor moved = result->withSizes(split);
    transpose(operand.withSizes(cells), inverse, moved);
  }
  return state.set(op, op.getResult(), *result);
}

template <> LogicalResult dyn::evaluate(cell::SplitOp op, Evaluator &state) {
  return moveCells(op, state.get(op.getOperand()).getSizes(), false, state);
}

template <> LogicalResult dyn::evaluate(cell::JoinOp op, Evaluator &state) {
  FailureOr<SmallVector<int64_t>> sizes = state.evaluateSizes(op, op.getType());
  if (failed(sizes))
    return failure();
  return moveCells(op, *sizes, true, state);
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

/// A mask as ids: the column where it holds, else -1.
static Tensor getIds(const Tensor &mask, Type indexType) {
  Tensor ids = Tensor::create(indexType, mask.getSizes());
  if (ids.isNull())
    return ids;
  MutableArrayRef<int64_t> out = ids.getMutableData<int64_t>();
  for (int64_t i = 0; i != mask.getNumElements(); ++i)
    out[i] = mask.getInt(i) ? i % mask.getSize(1) : -1;
  return ids;
}

/// Cells by descending priority; equal ones in their order.
static SmallVector<int64_t> sortCells(const Tensor &priorities) {
  SmallVector<int64_t> cells =
      llvm::to_vector(llvm::seq<int64_t>(0, priorities.getNumElements()));
  std::stable_sort(cells.begin(), cells.end(), [&](int64_t lhs, int64_t rhs) {
    return isLess(priorities.getDouble(rhs), priorities.getDouble(lhs));
  });
  return cells;
}

template <> LogicalResult dyn::evaluate(cell::RouteOp op, Evaluator &state) {
  SmallVector<Tensor> inputs;
  for (Value operand : op.getInputs())
    inputs.push_back(state.get(operand));
  FailureOr<SmallVector<Tensor>> chosen =
      state.runBlock(op.getRouter().front(), inputs);
  if (failed(chosen))
    return failure();
  auto choose = cast<cell::ChooseOp>(op.getRouter().front().getTerminator());
  cell::RoutesType type = op.getRoutes().getType();
  FailureOr<int64_t> cells = state.evaluateDim(op, type.getCells());
  FailureOr<int64_t> rows = state.evaluateDim(op, type.getRows());
  if (failed(cells) || failed(rows))
    return failure();
  FailureOr<int64_t> capacity =
      evaluateCapacity(op, op.getCapacityAttr(), state);
  if (failed(capacity))
    return failure();

  Tensor ids = chosen->front();
  if (choose.isMask())
    ids = getIds(ids, IntegerType::get(op.getContext(), 64));
  // No test: as in allocate.
  if (ids.isNull())
    return op.emitOpError("runs out of memory");
  if (ids.getSize(0) != *cells)
    return emitSizeMismatch(op, "axis 0 of the choices", *cells,
                            ids.getSize(0));
  if (ids.getNumElements() != *rows)
    return emitSizeMismatch(op, "all choices together", *rows,
                            ids.getNumElements());
  Routes routes;
  routes.perCell = ids.getSize(1);
  if (choose.getWeights())
    routes.weights = (*chosen)[1];
  SmallVector<int64_t> cellOrder =
      choose.getPriorities()
          ? sortCells(chosen->back())
          : llvm::to_vector(llvm::seq<int64_t>(0, ids.getSize(0)));
  routes.choices =
      groupChoices(op, ids, type.getPaths(), cellOrder, *capacity, state);
  state.setRoutes(op.getRoutes(), std::move(routes));
  return success();
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

template <> LogicalResult dyn::evaluate(cell::OffsetsOp op, Evaluator &state) {
  return setIntegers(op, op.getResult(),
                     state.getRoutes(op.getRoutes()).choices.offsets, state);
}

template <> LogicalResult dyn::evaluate(cell::PathsOp op, Evaluator &state) {
  const Routes &routes = state.getRoutes(op.getRoutes());
  std::vector<int64_t> paths(routes.choices.order.size());
  ArrayRef<int64_t> offsets = routes.choices.offsets;
  for (size_t path = 0; path + 1 != offsets.size(); ++path)
    std::fill(paths.begin() + offsets[path], paths.begin() + offsets[path + 1],
              path);
  return setIntegers(op, op.getResult(), paths, state);
}

template <> LogicalResult dyn::evaluate(cell::DispatchOp op, Evaluator &state) {
  const Routes &routes = state.getRoutes(op.getRoutes());
  const Tensor &cells = state.get(op.getCells());
  FailureOr<Tensor> rows = state.allocate(op, op.getType());
  if (failed(rows))
    return failure();
  if (rows->getSize(0) != int64_t(routes.choices.order.size()))
    return emitSizeMismatch(op, "axis 0 of the result",
                            routes.choices.order.size(), rows->getSize(0));
  if (cells.getSize(0) * routes.perCell != rows->getSize(0))
    return emitSizeMismatch(op, "axis 0 of the operand",
                            rows->getSize(0) / routes.perCell,
                            cells.getSize(0));
  int64_t bytes =
      product(cells.getSizes().drop_front()) * cells.getElementBytes();
  for (int64_t row = 0; row != routes.getNumRows(); ++row)
    llvm::copy(cells.getBytes().slice(
                   routes.choices.order[row] / routes.perCell * bytes, bytes),
               rows->getMutableBytes().begin() + row * bytes);
  return state.set(op, op.getRows(), *rows);
}

/// A cell combined with one more row.
template <typename C>
static C combineRow(cell::CombineKind kind, C before, C weight, C row,
                    bool isFirst) {
  switch (kind) {
  case cell::CombineKind::Sum:
    if constexpr (std::is_floating_point_v<C>)
      return std::fma(weight, row, isFirst ? C(0) : before);
    llvm_unreachable("verified to be floats (combine_c4)");
  case cell::CombineKind::Last:
    return row;
  case cell::CombineKind::Max:
    return isFirst || isLess(before, row) ? row : before;
  }
  llvm_unreachable("all kinds are covered");
}

template <> LogicalResult dyn::evaluate(cell::CombineOp op, Evaluator &state) {
  const Routes &routes = state.getRoutes(op.getRoutes());
  const Tensor &rows = state.get(op.getRows());
  FailureOr<Tensor> cells = state.allocate(op, op.getType());
  if (failed(cells))
    return failure();
  if (rows.getSize(0) != int64_t(routes.choices.order.size()))
    return emitSizeMismatch(op, "axis 0 of the operand",
                            routes.choices.order.size(), rows.getSize(0));
  if (op.getOtherwise())
    llvm::copy(state.get(op.getOtherwise()).getBytes(),
               cells->getMutableBytes().begin());
  int64_t inner = product(rows.getSizes().drop_front());
  dispatchNumber(rows.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ArrayRef<T> in = rows.getData<T>();
    MutableArrayRef<T> out = cells->getMutableData<T>();
    for (int64_t i = 0; i != cells->getNumElements(); ++i) {
      ArrayRef<int64_t> seats =
          ArrayRef(routes.choices.seats)
              .slice(i / inner * routes.perCell, routes.perCell)
              .take_while([](int64_t row) { return row >= 0; });
      if (seats.empty())
        continue;
      C value = C(0);
      for (auto [number, row] : llvm::enumerate(seats)) {
        C weight = routes.weights.isNull()
                       ? C(1)
                       : C(routes.weights.getDouble(routes.choices.order[row]));
        value = combineRow(op.getKind(), value, weight,
                           C(in[row * inner + i % inner]), number == 0);
      }
      out[i] = T(value);
    }
  });
  return state.set(op, op.getCells(), *cells);
}

//===----------------------------------------------------------------------===//
// Switch
//===----------------------------------------------------------------------===//

template <> LogicalResult dyn::evaluate(cell::SwitchOp op, Evaluator &state) {
  // A copy: a path may have routes of its own.
  std::vector<int64_t> offsets =
      state.getRoutes(op.getRoutes()).choices.offsets;
  SmallVector<Tensor> results;
  for (Value result : op.getResults()) {
    FailureOr<Tensor> tensor = state.allocate(op, result.getType());
    if (failed(tensor))
      return failure();
    if (tensor->getSize(0) < offsets.back())
      return emitSizeMismatch(op, "axis 0 of the result", offsets.back(),
                              tensor->getSize(0));
    results.push_back(*tensor);
  }
  auto getRowBytes = [](const Tensor &tensor) {
    return product(tensor.getSizes().drop_front()) * tensor.getElementBytes();
  };
  for (auto [path, count] : llvm::enumerate(op.getRegionDims())) {
    int64_t first = offsets[path], rows = offsets[path + 1] - first;
    state.bindDim(count, rows);
    SmallVector<Tensor> arguments;
    for (Value operand : op.getInputs()) {
      const Tensor &tensor = state.get(operand);
      SmallVector<int64_t> sizes(tensor.getSizes());
      if (sizes.front() < offsets.back())
        return emitSizeMismatch(op, "axis 0 of the operand", offsets.back(),
                                sizes.front());
      sizes.front() = rows;
      int64_t bytes = getRowBytes(tensor);
      arguments.push_back(
          Tensor::copy(tensor.getElementType(), sizes,
                       tensor.getBytes().slice(first * bytes, rows * bytes)));
    }
    FailureOr<SmallVector<Tensor>> yielded =
        state.runBlock(op.getPaths()[path].front(), arguments);
    if (failed(yielded))
      return failure();
    for (auto [result, part] : llvm::zip_equal(results, *yielded))
      llvm::copy(part.getBytes(), result.getMutableBytes().begin() +
                                      first * getRowBytes(result));
  }
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results))
    if (failed(state.set(op, value, tensor)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

/// The path of each row.
static SmallVector<int64_t> getPathsOfRows(const Routes &routes) {
  SmallVector<int64_t> paths;
  for (size_t path = 0; path + 1 != routes.choices.offsets.size(); ++path)
    paths.resize(routes.choices.offsets[path + 1], path);
  return paths;
}

/// The last row of a cell on a path; -1 if there is none.
static int64_t findRow(const Routes &routes, ArrayRef<int64_t> paths,
                       int64_t cell, int64_t path) {
  int64_t found = -1;
  if ((cell + 1) * routes.perCell > int64_t(routes.choices.seats.size()))
    return found;
  for (int64_t row : ArrayRef(routes.choices.seats)
                         .slice(cell * routes.perCell, routes.perCell))
    if (row >= 0 && paths[row] == path)
      found = row;
  return found;
}

template <> LogicalResult dyn::evaluate(cell::SelectOp op, Evaluator &state) {
  const Routes &routes = state.getRoutes(op.getRoutes());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  if (result->getSize(0) != int64_t(routes.choices.order.size()))
    return emitSizeMismatch(op, "axis 0 of the result",
                            routes.choices.order.size(), result->getSize(0));
  auto getCells = [](const Routes &of) -> int64_t {
    return of.perCell ? of.choices.seats.size() / of.perCell : 0;
  };
  SmallVector<SmallVector<int64_t>> paths;
  for (auto [from, value] : llvm::zip_equal(op.getFrom(), op.getRows())) {
    const Routes &other = state.getRoutes(from);
    const Tensor &rows = state.get(value);
    if (getCells(other) > getCells(routes))
      return op.emitOpError("expected routes of the first cells");
    if (rows.getSize(0) != int64_t(other.choices.order.size()))
      return emitSizeMismatch(op, "axis 0 of rows", other.choices.order.size(),
                              rows.getSize(0));
    paths.push_back(getPathsOfRows(other));
  }
  int64_t bytes =
      product(result->getSizes().drop_front()) * result->getElementBytes();
  for (auto [row, path] : llvm::enumerate(getPathsOfRows(routes))) {
    int64_t cell = routes.choices.order[row] / routes.perCell;
    for (auto [i, from] : llvm::enumerate(op.getFrom())) {
      int64_t found = findRow(state.getRoutes(from), paths[i], cell, path);
      if (found < 0)
        continue;
      llvm::copy(
          state.get(op.getRows()[i]).getBytes().slice(found * bytes, bytes),
          result->getMutableBytes().begin() + row * bytes);
      break;
    }
  }
  return state.set(op, op.getResult(), *result);
}
