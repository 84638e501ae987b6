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
/// ranks, with the same instruction set: results would differ.
dyn_status_t agreeOnArtifact(const dyn_artifact &artifact, dyn_isa_t isa,
                             dyn_communicator &communicator,
                             dyn_status_t opened);

/// Fails unless a context, with a communicator or null, may run an entry.
dyn_status_t checkPart(const dyn_entry_t &entry,
                       const dyn_communicator *communicator);

/// Whether a rank runs an entry: it is this rank's part, or a whole model.
inline bool isOwnPart(const dyn_entry_t &entry,
                      const dyn_communicator *communicator) {
  return !entry.ranks || (communicator && entry.rank == communicator->rank &&
                          entry.ranks == communicator->size);
}

/// The bytes of the constants that the entries of this rank read.
uint64_t bytesOfOwnConstants(const dyn_descriptor_t &artifact,
                             const dyn_communicator *communicator);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_RANKS_H
