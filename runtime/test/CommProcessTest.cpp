//===- CommProcessTest.cpp - Ranks in processes that are killed -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommTesting.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

using namespace dyn::test;

namespace {
/// comm-rank, whose output is read line by line.
class Process {
public:
  explicit Process(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), DYN_TEST_RANK);
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    EXPECT_EQ(::posix_spawn(&id, DYN_TEST_RANK, &actions, nullptr,
                            pointers.data(), environ),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output = ::fdopen(ends[0], "r");
  }
  ~Process() {
    kill(SIGKILL);
    ::waitpid(id, nullptr, 0);
    std::fclose(output);
  }
  Process(const Process &) = delete;

  void kill(int signal) const { ::kill(id, signal); }
  std::string readLine() {
    char line[1024] = "";
    if (!std::fgets(line, sizeof(line), output))
      return "no output";
    line[std::strcspn(line, "\n")] = 0;
    return line;
  }

private:
  pid_t id = 0;
  std::FILE *output = nullptr;
};

/// Four ranks exchange parts until one fails.
class CommProcessTest : public ::testing::TestWithParam<size_t> {
protected:
  static constexpr uint32_t size = 4, victim = 2;
  static constexpr int timeoutMs = 2000;

  void start(std::vector<std::string> last = {}) {
    std::string port = std::to_string(freePort()),
                next = std::to_string(freePort());
    for (uint32_t rank = 0; rank < size; ++rank) {
      std::vector<std::string> arguments = {"fail",
                                            std::to_string(rank),
                                            std::to_string(size),
                                            port,
                                            std::to_string(timeoutMs),
                                            std::to_string(GetParam()),
                                            std::to_string(victim),
                                            next};
      arguments.insert(arguments.end(), last.begin(), last.end());
      ranks.push_back(std::make_unique<Process>(arguments));
    }
    for (auto &rank : ranks)
      ASSERT_EQ(rank->readLine(), "ready");
  }

  /// All others name the victim, have nothing left, and go on alone.
  void expectFailures(const char *what) {
    for (uint32_t rank = 0; rank < size; ++rank) {
      if (rank == victim)
        continue;
      std::string line = ranks[rank]->readLine();
      EXPECT_NE(line.find(what), std::string::npos) << line;
    }
    for (uint32_t rank = 0; rank < size; ++rank) {
      if (rank == victim)
        continue;
      EXPECT_EQ(ranks[rank]->readLine(), "0 descriptors are left");
      EXPECT_EQ(ranks[rank]->readLine(), "next");
    }
  }

  std::vector<std::unique_ptr<Process>> ranks;
};

INSTANTIATE_TEST_SUITE_P(Bytes, CommProcessTest,
                         ::testing::Values(0, 100,
                                           sanitized ? 500000 : 5000000));
} // namespace

/// A closed connection is noticed before the deadline.
TEST_P(CommProcessTest, Killed) {
  start();
  ranks[victim]->kill(SIGKILL);
  expectFailures("rank 2 ended or left the communicator in all_to_all");
}

/// A stopped process is noticed at the deadline.
TEST_P(CommProcessTest, Stopped) {
  start();
  ranks[victim]->kill(SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  expectFailures("rank 2 did not answer within 2 s in all_to_all");
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(time.count(), sanitized ? 10 : 4);
}

TEST_P(CommProcessTest, Cut) {
  start({"cut"});
  expectFailures("rank 2 ended or left the communicator in all_to_all");
}

/// The same in the calls of an artifact.
TEST_P(CommProcessTest, KilledInACall) {
  start({"call"});
  ranks[victim]->kill(SIGKILL);
  expectFailures("rank 2 ended or left the communicator in exchange");
}

TEST_P(CommProcessTest, StoppedInACall) {
  start({"call"});
  ranks[victim]->kill(SIGSTOP);
  expectFailures("rank 2 did not answer within 2 s in exchange");
}
