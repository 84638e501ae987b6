//===- Ranks.h - Artifacts that run on several ranks ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_RANKS_H
#define DYN_RUNTIME_CORE_RANKS_H

#include "Artifact.h"
#include "Communicator.h"

namespace dyn::rt {

/// Waits until all ranks have come here, and fails on each of them unless all
/// have opened (`opened` is how this one has) the same artifact, for as many
/// ranks, and run code for the same instruction set or device, which `code`
/// names: results would differ.
dyn_status_t agreeOnArtifact(const dyn_artifact &artifact, const char *code,
                             dyn_communicator &communicator,
                             dyn_status_t opened);

/// Sends the element of this rank to all others, whose elements fill the rest
/// of `all`: of `bytes` bytes each, by rank.
dyn_status_t tellAll(dyn_communicator &communicator, void *all, size_t bytes);

/// "ranks 1 and 2"
std::string nameRanks(const std::vector<uint32_t> &ranks);

/// Fails unless a context, with a communicator or null, may run an entry.
dyn_status_t checkPart(const dyn_entry_t &entry,
                       const dyn_communicator *communicator);

/// Whether a rank runs an entry: it is this rank's part, or a whole model.
inline bool isOwnPart(const dyn_entry_t &entry,
                      const dyn_communicator *communicator) {
  return !entry.ranks || (communicator && entry.rank == communicator->rank &&
                          entry.ranks == communicator->size);
}

/// Which of the constants of an artifact or program, whose entries are given,
/// the entries of this rank read.
std::vector<bool> findOwnConstants(const dyn_entry_t *entries,
                                   uint32_t entryCount, uint32_t constantCount,
                                   const dyn_communicator *communicator);
/// The bytes of those of an artifact.
uint64_t bytesOfOwnConstants(const dyn_descriptor_t &artifact,
                             const dyn_communicator *communicator);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_RANKS_H
