//===- CellOrigins.h - Which routers route the same cells -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The origins of a router's cells are the values that hold them in the same
// order, from the choices of the router upwards: cell n of the router is cell n
// of its origins.
//
//   %y = dhlo.tanh %x           x and y are origins of both routers,
//   %r = cell.route(%y)         and z of the second one: cell n of z is that of
//   %z = x + attention(%x)      x through the sum, and through the query of
//   %s = cell.route(%z)         attention
//
// A value may depend on other cells as well, as a token does that attends to
// others: it is still the value of its own cell. So two routers whose cells
// have an origin in common route the same cells, one after the other.
//
// Cells are kept by operations (CellFlow.h), and by a combine of the rows that
// were dispatched by the same routes. Where cells are permuted, the search
// ends: profiles pair cells by their number.

#ifndef DYN_DIALECT_CELL_ANALYSIS_CELLORIGINS_H
#define DYN_DIALECT_CELL_ANALYSIS_CELLORIGINS_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

namespace dyn::cell {

class CellOrigins {
public:
  explicit CellOrigins(const SymbolicDims &dims) : dims(dims) {}

  /// Adds a router. Returns the routers added before that route the same cells,
  /// in the order in which they were added.
  llvm::SmallVector<RouteOp> add(RouteOp route);

private:
  /// A value with cells, or with their rows if there are routes, and their
  /// axes.
  struct Holder {
    mlir::Value value;
    CellAxes axes;
    mlir::Value routes;
  };
  /// The holders that hold the cells of a holder directly above it.
  llvm::SmallVector<Holder> getSources(const Holder &holder) const;
  llvm::SmallVector<Holder> getSourcesOfArgument(mlir::BlockArgument argument,
                                                 const Holder &holder) const;
  /// Sources of operations that move cells. Nothing if the operation does not.
  std::optional<llvm::SmallVector<Holder>>
  getMovedSources(mlir::Operation *op, const Holder &holder) const;
  /// The axes of the cells of a reshape's operand.
  std::optional<CellAxes> getReshapedAxes(dhlo::ReshapeOp op,
                                          llvm::ArrayRef<int64_t> axes) const;
  /// The number of a holder. Equal holders have the same number.
  unsigned getNumber(const Holder &holder);

  const SymbolicDims &dims;
  llvm::SmallVector<Holder> holders;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 1>> numbers;
  /// By holder: the numbers of its sources, once they are known.
  llvm::SmallVector<std::optional<llvm::SmallVector<unsigned, 2>>> sources;
  /// By holder: the routers whose cells it holds.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> routersAt;
  llvm::SmallVector<RouteOp> routers;
};

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_ANALYSIS_CELLORIGINS_H
