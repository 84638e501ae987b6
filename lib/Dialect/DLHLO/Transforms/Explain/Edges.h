//===- Edges.h - Values that launches pass on -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_EDGES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_EDGES_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {

/// The values that pass between the launches, inputs and outputs of an entry
/// over buffers. The memory plan gives one buffer to several values in turn, so
/// writes and reads are added in the order of the program.
class Edges {
public:
  /// An end of an edge: the number of a launch, or of an input or output.
  struct End {
    enum Kind { Launch, Input, Output } kind;
    int64_t number;
    bool operator==(const End &other) const {
      return kind == other.kind && number == other.number;
    }
  };
  struct Edge {
    End from;
    dhlo::DimExpr bytes;
    llvm::SmallVector<End> to;
  };

  /// `buffer` gets a value of `bytes`.
  void write(mlir::Value buffer, End from, dhlo::DimExpr bytes);
  /// Who reads the value of `buffer`.
  void read(mlir::Value buffer, End to);

  /// Values that are read, in the order in which they are written. Reads that
  /// came before the write are those of a loop's next iteration.
  llvm::SmallVector<Edge> finish();

private:
  llvm::SmallVector<Edge> edges;
  /// The number of the value that is in a buffer.
  llvm::DenseMap<mlir::Value, size_t> current;
  llvm::SmallVector<std::pair<mlir::Value, End>> early;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_EXPLAIN_EDGES_H
