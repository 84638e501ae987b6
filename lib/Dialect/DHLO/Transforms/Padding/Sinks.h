//===- Sinks.h - Where rows of kept cells are converted back --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_SINKS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_SINKS_H

#include "MaskedCells.h"

namespace dyn::dhlo {

/// Where rows that are needed at kept cells only are converted back.
struct Sink {
  enum Kind { Known, Position, Keys } kind;
  mlir::Operation *op;
  /// The axes of the cells: of the result if Known, else of the operand.
  CellAxes axes;
  /// The result at cells where the mask is zero.
  double number = 0;
  /// The position that is read.
  DimExpr position;
};

/// An operation whose result is a constant number where the mask is zero,
/// whatever the rows hold: a multiplication with the mask, a select by it.
std::optional<Sink> matchKnownSink(mlir::Operation *op, MaskedCells &known);

/// An operation that reads the rows of one position, as a first-token head.
std::optional<Sink> matchPositionSink(mlir::Operation *op,
                                      const CellFlow &flow);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_PADDING_SINKS_H
