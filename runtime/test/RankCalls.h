//===- RankCalls.h - Calls of artifacts on several ranks ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_RANKCALLS_H
#define DYN_RUNTIME_TEST_RANKCALLS_H

#include "CommTesting.h"

namespace dyn::test {

/// The context of a rank.
inline dyn_status_t makeRankContext(dyn_artifact_t *artifact,
                                    dyn_communicator_t *communicator,
                                    Context &out, const char *isa = nullptr,
                                    uint64_t memoryLimit = 0) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.communicator = communicator;
  options.isa = isa;
  options.memory_limit = memoryLimit;
  dyn_context_t *made = nullptr;
  dyn_status_t status = dyn_context_create(artifact, &options, &made);
  out.reset(made);
  return status;
}

/// A call of an artifact of ranks.c. Rank r sends rows(r, t) rows to rank t,
/// one range after the other, and receives theirs in the same way.
class RankCall {
public:
  using Rows = std::function<int64_t(uint32_t from, uint32_t to)>;

  RankCall(dyn_context_t *context, uint32_t rank, uint32_t size,
           const Rows &rows, int64_t mode = 0)
      : execution(makeExecution(context)), mode(mode) {
    for (uint32_t i = 0; i < size; ++i) {
      int64_t first = 0;
      for (uint32_t to = 0; to < rank; ++to)
        first += rows(i, to);
      for (int64_t row = 0; row < rows(i, rank) * 3; ++row)
        expected.push_back(i * 1000000 + first * 3 + row);
      sends.push_back(sent);
      sends.push_back(sent += rows(rank, i));
      receives.push_back(received);
      receives.push_back(received += rows(i, rank));
    }
    for (int64_t i = 0; i < sent * 3; ++i)
      x.push_back(rank * 1000000 + i);
    options.struct_size = sizeof(options);
    EXPECT_EQ(dyn_context_find_entry(context, "main", &options.entry),
              DYN_STATUS_OK);
  }

  dyn_status_t run() {
    Value values[] = {Value::of(x, {sent, 3}), Value::of(sends),
                      Value::of(receives), Value::scalar<int64_t>(mode),
                      Value::iota<bool>({received})};
    std::vector<dyn_tensor_t> inputs;
    for (const Value &value : values)
      inputs.push_back(value.tensor());
    return dyn_execution_run(execution.get(), &options, inputs.data(),
                             uint32_t(inputs.size()), outputs, 2);
  }
  bool isRight() const { return elements<int64_t>(outputs[0]) == expected; }

  Execution execution;
  int64_t mode;
  std::vector<int64_t> x, sends, receives, expected;
  int64_t sent = 0, received = 0;
  dyn_call_options_t options = {};
  dyn_tensor_t outputs[2] = {};
};

/// Rows that ranks send each other, if a test does not care how many.
inline int64_t someRows(uint32_t from, uint32_t to) {
  return (3 * from + to) % 4;
}

inline void expect(const Outcome &outcome, dyn_status_t status,
                   const std::string &message) {
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.message, message);
}

/// A group of ranks in threads that run artifacts of ranks.c.
class RankGroup {
protected:
  using Body = std::function<dyn_status_t(uint32_t rank)>;

  /// `ending` is that of the artifact's name.
  void makeRanks(uint32_t count, const char *ending, Kind kind,
                 uint64_t timeout) {
    size = count;
    group = makeGroup(kind, size, communicatorOptions(timeout));
    artifact = load(artifactPath("ranks" + std::to_string(size) + ending));
    contexts.resize(size);
  }
  /// Runs the body on all ranks.
  std::vector<Outcome> onAll(const Body &body) {
    std::vector<Outcome> outcomes(size);
    runThreads(
        size, [&](uint32_t rank) { outcomes[rank] = Outcome::of(body(rank)); });
    return outcomes;
  }

  uint32_t size = 0;
  std::vector<Communicator> group;
  Artifact artifact;
  std::vector<Context> contexts;
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_RANKCALLS_H
