//===- ProbeTable.h - The routers of a module that have probes ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_PROBETABLE_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_PROBETABLE_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Numbers the probes of a module in program order. See
/// DLHLODialect::kProbesAttr.
class ProbeTable {
public:
  explicit ProbeTable(mlir::ModuleOp module);

  /// The number of the probe's router, a new one if its key is new.
  int64_t add(dhlo::ProbeOp probe);
  /// The number of the router with a key; nothing if it has no probe.
  std::optional<int64_t> find(mlir::StringAttr key) const;
  /// Writes the module's attribute, if there is any probe.
  void store(mlir::ModuleOp module) const;

private:
  llvm::SmallVector<mlir::Attribute> routers;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_PROBETABLE_H
