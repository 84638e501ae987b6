//===- SubGroup.cpp - Some of the ranks -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds concern pairs of ranks, so a group of some ranks needs no connections
// of its own: its operations are rounds of the whole with parts for its
// members.
//
//===----------------------------------------------------------------------===//

#include "RankCommunicator.h"

#include <algorithm>

using namespace dyn::rt;

namespace {
class SubGroup final : public RankGroup {
public:
  /// `members` are ranks of the whole, `rank` is the index of this one.
  SubGroup(RankCommunicator &whole, uint32_t number,
           std::vector<uint32_t> members, uint32_t rank)
      : RankGroup(rank, uint32_t(members.size())),
        root(Ref<dyn_communicator>::share(&whole)), number(number),
        members(std::move(members)) {}

  dyn_status_t begin(std::unique_ptr<dyn_request> request,
                     const dyn_transfer_options_t *options,
                     dyn_request_t **out) override {
    request->header.group = number;
    for (Round &round : request->rounds) {
      std::vector<RoundPart> parts(root->size);
      for (uint32_t i = 0; i < size; ++i)
        parts[members[i]] = round.parts[i];
      round.parts = std::move(parts);
    }
    // This one may be released before the request.
    request->communicator = root;
    return whole().begin(std::move(request), options, out, operations);
  }
  dyn_status_t check(const std::vector<uint32_t> &ranks) override {
    std::vector<uint32_t> ofWhole;
    for (uint32_t i : ranks)
      ofWhole.push_back(members[i]);
    return whole().check(ofWhole);
  }
  RankCommunicator &whole() override {
    return static_cast<RankCommunicator &>(*root);
  }

private:
  const Ref<dyn_communicator> root;
  const uint32_t number;
  const std::vector<uint32_t> members;
  uint64_t operations = 0; ///< guarded by the mutex of the whole
};

/// The choice of a rank.
struct Choice {
  uint32_t color, key;
  uint32_t rank;  ///< of the whole
  uint32_t group; ///< the number that it would give
};
} // namespace

dyn_status_t dyn_communicator_split(dyn_communicator_t *communicator,
                                    uint32_t color, uint32_t key,
                                    dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    if (!out_communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
    *out_communicator = nullptr;
    if (!communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "communicator is null");
    auto &parent = static_cast<RankGroup &>(*communicator);
    RankCommunicator &whole = parent.whole();
    Choice own = {color, key, whole.rank, whole.nextGroup()};
    std::vector<Choice> choices(parent.size);
    std::vector<dyn_part_t> parts;
    for (Choice &choice : choices)
      parts.push_back({&choice, sizeof(choice)});
    DYN_RETURN_IF_FAILED(dyn_communicator_all_gather(
        communicator, &own, sizeof(own), parts.data(), nullptr, nullptr));
    // Ranks may have been in different numbers of groups.
    uint32_t number = 0;
    for (const Choice &choice : choices)
      number = std::max(number, choice.group);
    whole.setLastGroup(number);
    if (color == DYN_NO_GROUP)
      return DYN_STATUS_OK;
    // Stable, so that equal keys are in the order of ranks.
    std::stable_sort(
        choices.begin(), choices.end(),
        [](const Choice &a, const Choice &b) { return a.key < b.key; });
    std::vector<uint32_t> members;
    uint32_t rank = 0;
    for (const Choice &choice : choices) {
      if (choice.color != color)
        continue;
      if (choice.rank == own.rank)
        rank = uint32_t(members.size());
      members.push_back(choice.rank);
    }
    *out_communicator = new SubGroup(whole, number, std::move(members), rank);
    return DYN_STATUS_OK;
  });
}
