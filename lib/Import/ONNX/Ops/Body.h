//===- Body.h - Regions of operators that hold graphs ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_BODY_H
#define DYN_LIB_IMPORT_ONNX_OPS_BODY_H

#include "../GraphImporter.h"

namespace dyn::onnx {

/// The graph of an attribute; null, with an error, if there is none.
const Graph *getGraph(OpContext &c, llvm::StringRef name);

/// Imports a graph of the node at the insertion point, with these inputs; an
/// error at the node, beside those within the graph, if that fails.
mlir::LogicalResult importGraph(OpContext &c, const Graph &graph,
                                llvm::ArrayRef<Value> inputs,
                                llvm::SmallVectorImpl<Value> &outputs);

/// A region that is filled before its operation is created, as the operation's
/// types follow from its contents.
class Body {
public:
  Body(OpContext &c, mlir::TypeRange types);
  ~Body();

  /// Runs `fn` with the insertion point at the end of the block.
  template <typename Fn> auto fill(Fn fn) {
    mlir::OpBuilder::InsertionGuard guard(c.e.builder);
    c.e.builder.setInsertionPointToEnd(block);
    return fn();
  }
  mlir::LogicalResult import(const Graph &graph, llvm::ArrayRef<Value> inputs,
                             llvm::SmallVectorImpl<Value> &outputs);
  void yield(mlir::ValueRange values);
  /// Whether a size is defined outside, too.
  bool isVisible(DimExpr size);

  OpContext &c;
  mlir::Region region;
  mlir::Block *block;
  /// Symbols that the region itself defines.
  llvm::DenseSet<mlir::StringAttr> hidden;
};

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_BODY_H
