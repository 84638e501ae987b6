//===- ONNX.h - Import of ONNX models -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_IMPORT_ONNX_H
#define DYN_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace dyn {

/// The user's facts about one symbolic size of a model.
struct DimOption {
  /// The size's name: the model's `dim_param`, or `<input>_d<axis>` if the
  /// model has none.
  std::string name;
  /// Inclusive range; the size is fixed if both are equal.
  int64_t min = 0;
  std::optional<int64_t> max;
  /// Promised divisibility.
  int64_t multipleOf = 1;
  /// Values worth specialising for.
  std::vector<int64_t> likely;

  /// Parses `NAME=VALUE` or `NAME=MIN..[MAX][%MULTIPLE][~LIKELY,LIKELY...]`. On
  /// failure returns nothing and sets `error` to the expected and the actual
  /// text.
  static std::optional<DimOption> parse(llvm::StringRef text,
                                        std::string &error);
};

struct ImportOptions {
  /// Facts about symbolic sizes; a name that the model lacks is an error.
  std::vector<DimOption> dims;
};

namespace onnx {

/// Imports the model in the file `path` to a module of dhlo operations with an
/// entry function `main`.
///
/// The file is mapped, and weights stay in it: they become `dhlo.weight`
/// references relative to the model's folder. The model need not be trusted:
/// errors in it, and unsupported features, are reported through `context`'s
/// diagnostics, all unsupported nodes at once, and the import fails. The dhlo
/// and func dialects are loaded into `context`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(llvm::StringRef path, const ImportOptions &options,
           mlir::MLIRContext *context);

} // namespace onnx
} // namespace dyn

#endif // DYN_IMPORT_ONNX_H
