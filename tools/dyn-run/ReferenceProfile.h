//===- ReferenceProfile.h - Profiles of routes in the interpreter ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_REFERENCEPROFILE_H
#define DYN_TOOLS_RUN_REFERENCEPROFILE_H

#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Profile/RouteProfile.h"

#include <map>

namespace dyn::run {

/// The profile of a module's probes, counted as by the runtime.
class ReferenceProfile {
public:
  /// Adds probes to the routers of a module. Fails after emitting a diagnostic.
  llvm::LogicalResult start(mlir::ModuleOp module, uint64_t windowMs);
  /// Observes a run, which is one call.
  void observe(InterpreterOptions &options);
  llvm::Error write(llvm::StringRef path) const;

private:
  void add(llvm::StringRef key, llvm::ArrayRef<int64_t> paths, int64_t choices);

  RouteProfile profile;
  int64_t callMs = 0;
  std::map<std::string, CellDecisions> decided; ///< in this call
};

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_REFERENCEPROFILE_H
