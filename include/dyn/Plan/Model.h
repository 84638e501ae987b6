//===- Model.h - The layers of a model, as a planner sees them ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A model is a list of layers, of which each computes one value from those of
// layers before it. A value is a matrix to a planner: its rows, which are
// computed apart from each other, and its columns, such as the features of a
// token or the heads of an attention.

#ifndef DYN_PLAN_MODEL_H
#define DYN_PLAN_MODEL_H

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace dyn::plan {

/// The part of a layer that an axis of a mesh divides. A layer that is divided
/// by columns computes some columns of its value; by the sum, some terms of
/// each element. A layer with routes is not divided, or by paths, along all
/// axes: its value and what it reads by cells are divided by rows then.
enum class Split : uint8_t { None, Rows, Columns, Sum, Paths };

/// For each axis of a mesh. Values are divided by rows and columns alone.
using Splits = llvm::SmallVector<Split, 2>;

struct Value {
  int64_t rows = 1, columns = 1;
  double bytes = 0; ///< of all elements
};

/// A value that a layer reads. Rows and columns that the value does not have
/// in common with the result are read whole.
struct Operand {
  size_t layer;
  bool hasRows = true, hasColumns = true;
};

/// A path of a router: what it takes for its rows of a call.
struct Path {
  double rows = 0, operations = 0, weightBytes = 0;
};

/// The paths of a router and all that is computed of their rows.
struct Routes {
  std::vector<Path> paths;
  /// Of a row on its way to its path, and of what is computed of it.
  double bytesToPaths = 0, bytesToHome = 0;
  /// Kernels that do not ask which rows a path has compute as many rows as
  /// there can be, on each rank: their operations of a row, and the bytes of it
  /// that they read and write between kernels that do ask.
  double rowOperations = 0, rowBytes = 0;
  /// Whether each rank routes its block of the cells. Else all route all cells,
  /// so that rows need not be sent, and all get what is computed.
  bool isDivided = true;
  /// The ranks of paths that the user asks for.
  llvm::SmallVector<int64_t> given;
};

struct Layer {
  std::string name;
  Value value;
  double operations = 0, weightBytes = 0, kernels = 1;
  /// Of its weights, those that divided columns leave whole, and tables, of
  /// which a call reads no more than it has results.
  double wholeBytes = 0, tableBytes = 0;
  /// Whether rows and columns are computed apart.
  bool hasRows = true, hasColumns = true;
  /// Whether its columns are those of a weight, such as a matmul's. They are
  /// computed from whole rows of operands.
  bool isMatmul = false;
  /// Whether its elements are sums over the columns of the operand.
  bool hasSum = false;
  int64_t terms = 0; ///< of such a sum; 0 if that is not known
  /// Whether it is an input of the model, that each rank has.
  bool isInput = false;
  /// Whether it has the memory of what it reads, so that it takes no time.
  bool isView = false;
  /// Whether the model returns it.
  bool isResult = false;
  /// Whether a stage may begin with it: all that layers before it give to
  /// others can change the stage.
  bool canBegin = true;
  llvm::SmallVector<Operand, 2> operands;
  /// Whether micro-batches have parts of the value.
  bool isBatched = true;
  /// The splits that the user asks for; if rows are free, axes that divide
  /// nothing else may divide them.
  std::optional<Splits> given;
  bool areRowsFree = false;
  /// Of a layer that is a router with its paths. It has neither rows nor
  /// columns.
  std::optional<Routes> routes;
};

struct Model {
  std::string name;
  std::vector<Layer> layers;
  /// The rows that micro-batches can divide, and so their number, at most.
  int64_t batch = 1;
  /// The numbers of ranks of the user's mesh, if there is one.
  llvm::SmallVector<int64_t, 2> mesh;
};

} // namespace dyn::plan

#endif // DYN_PLAN_MODEL_H
