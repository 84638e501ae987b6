//===- Body.cpp - Regions of operators that hold graphs -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Body.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

const Graph *onnx::getGraph(OpContext &c, StringRef name) {
  const NodeAttribute *attribute = c.attr(name);
  if (attribute && attribute->g)
    return attribute->g.get();
  (void)c.error("expected a graph as '" + name + "'");
  return nullptr;
}

LogicalResult onnx::importGraph(OpContext &c, const Graph &graph,
                                ArrayRef<Value> inputs,
                                SmallVectorImpl<Value> &outputs) {
  if (failed(c.importer.importSubgraph(graph, c.scope, inputs, outputs)))
    return c.error("graph '" + graph.name + "' cannot be imported");
  return success();
}

Body::Body(OpContext &c, TypeRange types) : c(c) {
  OpBuilder::InsertionGuard guard(c.e.builder);
  SmallVector<Location> locs(types.size(), c.e.loc);
  block = c.e.builder.createBlock(&region, {}, types, locs);
}

Body::~Body() {
  // Answers about erased values must not stay memoized.
  if (!region.empty())
    c.e.forget();
}

LogicalResult Body::import(const Graph &graph, ArrayRef<Value> inputs,
                           SmallVectorImpl<Value> &outputs) {
  return fill([&] { return importGraph(c, graph, inputs, outputs); });
}

void Body::yield(ValueRange values) {
  fill([&] { return dhlo::YieldOp::create(c.e.builder, c.e.loc, values); });
}

bool Body::isVisible(DimExpr size) {
  llvm::DenseSet<StringAttr> inner;
  region.walk([&](dhlo::BindsDims op) {
    for (StringAttr name : op.getBoundDims())
      inner.insert(name);
  });
  bool visible = true;
  dhlo::walkSymbols(c.e.dims.expand(size), [&](StringAttr name) {
    visible &= !inner.contains(name) && !hidden.contains(name);
  });
  return visible;
}
