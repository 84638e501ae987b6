//===- Ranks.cpp - Artifacts that run on several ranks --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <cstring>

using namespace dyn::rt;

namespace {
/// Sent to all other ranks when a context is made.
struct Introduction {
  char id[40];     ///< of the artifact
  char code[36];   ///< the instruction set or device that runs
  uint32_t status; ///< of making the context so far
  char reason[256];
};
} // namespace

dyn_status_t dyn::rt::tellAll(dyn_communicator &communicator, void *all,
                              size_t bytes) {
  auto at = [&](uint32_t rank) {
    return static_cast<char *>(all) + rank * bytes;
  };
  std::vector<ExchangePart> parts;
  for (uint32_t i = 0; i < communicator.size; ++i)
    if (i != communicator.rank)
      parts.push_back({i, at(communicator.rank), bytes, at(i), bytes});
  std::unique_ptr<PendingExchange> begun;
  RankError none;
  DYN_RETURN_IF_FAILED(
      communicator.exchange(parts, 0, nullptr, Rows::MovedHere, none, begun));
  return begun->wait(none);
}

std::string dyn::rt::nameRanks(const std::vector<uint32_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (!i                     ? ""
             : i + 1 < ranks.size() ? ", "
                                    : " and ") +
            std::to_string(ranks[i]);
  return text;
}

/// The same words on all ranks.
static dyn_status_t compare(const std::vector<Introduction> &all) {
  const Introduction &first = all.front();
  for (size_t i = 1; i < all.size(); ++i)
    if (std::strcmp(all[i].id, first.id) != 0)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "rank 0 has artifact %s, rank %zu has %s: expected the same "
                  "file on all ranks",
                  first.id, i, all[i].id);
  for (size_t i = 1; i < all.size(); ++i)
    if (std::strcmp(all[i].code, first.code) != 0)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "rank 0 runs code for %s, rank %zu for %s: expected one "
                  "instruction set, see `isa` and `device`",
                  first.code, i, all[i].code);
  return DYN_STATUS_OK;
}

/// Artifacts without parts run with any communicator, and exchange nothing.
static dyn_status_t checkSize(const dyn_artifact &artifact, uint32_t size) {
  uint32_t other = 0;
  for (const Signature &signature : artifact.entries()) {
    if (signature.desc().ranks == size)
      return DYN_STATUS_OK;
    other = std::max(other, signature.desc().ranks);
  }
  if (!other)
    return DYN_STATUS_OK;
  return fail(DYN_STATUS_INVALID_ARGUMENT,
              "'%s' is for %u ranks: the communicator has %u",
              artifact.info().path, other, size);
}

dyn_status_t dyn::rt::agreeOnArtifact(const dyn_artifact &artifact,
                                      const char *code,
                                      dyn_communicator &communicator,
                                      dyn_status_t opened) {
  std::string reason = opened ? dyn_last_error() : "";
  std::vector<Introduction> all(communicator.size);
  Introduction &own = all[communicator.rank];
  std::strcpy(own.id, artifact.info().id);
  std::strncpy(own.code, code, sizeof(own.code) - 1);
  own.status = opened;
  reason.copy(own.reason, sizeof(own.reason) - 1);
  dyn_status_t told = tellAll(communicator, all.data(), sizeof(own));
  if (opened)
    return fail(opened, "%s", reason.c_str());
  DYN_RETURN_IF_FAILED(told);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].status)
      return fail(DYN_STATUS_RANK_FAILED,
                  "rank %zu could not make its context: %.255s", i,
                  all[i].reason);
  DYN_RETURN_IF_FAILED(compare(all));
  return checkSize(artifact, communicator.size);
}

dyn_status_t dyn::rt::checkPart(const dyn_entry_t &entry,
                                const dyn_communicator *communicator) {
  if (isOwnPart(entry, communicator))
    return DYN_STATUS_OK;
  if (!communicator)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "entry '%s' is what rank %u of %u runs: expected a context "
                "with a communicator",
                entry.name, entry.rank, entry.ranks);
  return fail(DYN_STATUS_INVALID_ARGUMENT,
              "entry '%s' is what rank %u of %u runs: this is rank %u of %u",
              entry.name, entry.rank, entry.ranks, communicator->rank,
              communicator->size);
}

std::vector<bool>
dyn::rt::findOwnConstants(const dyn_entry_t *entries, uint32_t entryCount,
                          uint32_t constantCount,
                          const dyn_communicator *communicator) {
  std::vector<bool> isRead(constantCount);
  for (uint32_t i = 0; i < entryCount; ++i)
    for (uint32_t j = 0; j < entries[i].constant_count; ++j)
      if (isOwnPart(entries[i], communicator))
        isRead[entries[i].constants[j]] = true;
  return isRead;
}

uint64_t dyn::rt::bytesOfOwnConstants(const dyn_descriptor_t &artifact,
                                      const dyn_communicator *communicator) {
  std::vector<bool> isRead =
      findOwnConstants(artifact.entries, artifact.entry_count,
                       artifact.constant_count, communicator);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < artifact.constant_count; ++i)
    bytes += isRead[i] ? artifact.constants[i].bytes : 0;
  return bytes;
}
