//===- RegisterAll.h - Registration of all of dyn's dialects and passes ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_REGISTERALL_H
#define DYN_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dyn {

/// Adds dyn's dialects and the upstream dialects that they lower to.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Adds interface implementations that live outside of their dialects.
void registerAllExtensions(mlir::DialectRegistry &registry);

/// Registers dyn's passes and named pipelines, and the upstream passes that
/// the pipelines use.
void registerAllPasses();

} // namespace dyn

#endif // DYN_REGISTERALL_H
