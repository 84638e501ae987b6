//===- Ranks.h - The ranks of a local program -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_RANKS_H
#define DYN_LIB_INTERPRETER_RANKS_H

#include "Evaluator.h"

#include "dyn/Dialect/Dist/IR/Dist.h"

namespace dyn {

/// The outputs of each rank, and the data errors of all, by rank.
struct RankResults {
  llvm::SmallVector<llvm::SmallVector<Tensor>> outputs;
  llvm::SmallVector<DataError> dataErrors;
};

/// The functions of all ranks of an entry, in the order of ranks; none if no
/// function is a part of it. Emits a diagnostic and fails if some are missing.
llvm::FailureOr<llvm::SmallVector<mlir::func::FuncOp>>
findParts(mlir::ModuleOp module, llvm::StringRef entry);

/// Runs the functions of all ranks on the same inputs, one at a time: a rank
/// goes on until it ends or waits for rows that have not been sent. `run` runs
/// a function by an evaluator. Emits a diagnostic and fails if ranks disagree
/// about rows, or wait for each other.
llvm::FailureOr<RankResults>
runRanks(llvm::ArrayRef<mlir::func::FuncOp> parts,
         const InterpreterOptions &options, bool mayGuess, bool &hasGuessed,
         llvm::function_ref<llvm::FailureOr<llvm::SmallVector<Tensor>>(
             mlir::func::FuncOp, Evaluator &)>
             run);

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_RANKS_H
