//===- Ranks.h - Runs of a model on several ranks -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_RANKS_H
#define DYN_TOOLS_RUN_RANKS_H

#include "dyn/comm.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace dyn::run {

/// One of the ranks, and where it prints.
struct Rank {
  dyn_communicator_t *communicator = nullptr; ///< null for no other ranks
  llvm::raw_ostream *os = nullptr;
  int device = 0; ///< its number among the ranks of its machine

  /// The name of a file of this rank, with its number in place of "%r".
  std::string fileOf(llvm::StringRef name) const;
};

using RankBody = llvm::function_ref<llvm::Error(const Rank &)>;

/// Runs the body on `count` ranks in threads. Prints what they print in the
/// order of ranks, and joins their errors.
llvm::Error runOnThreads(unsigned count, RankBody body);

/// Runs the body as the rank of this process, which a launcher such as torchrun
/// or mpirun has started, over "sockets" or "mpi".
llvm::Error runAsProcess(llvm::StringRef communicator, RankBody body);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_RANKS_H
