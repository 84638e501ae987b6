//===- PortNames.h - Names of the inputs and outputs of an entry ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_PORTNAMES_H
#define DYN_DIALECT_DHLO_IR_PORTNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace dyn::dhlo {

/// The name by which hosts pass argument `index`: that of `dhlo.name`, or
/// "input" and the index.
std::string getInputName(mlir::func::FuncOp entry, unsigned index);

/// The name by which hosts get result `index`: that of `dhlo.name`, or "output"
/// and the index.
std::string getOutputName(mlir::func::FuncOp entry, unsigned index);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_PORTNAMES_H
