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
  /// The program is looked for on the path.
  explicit Process(std::vector<std::string> command) {
    std::vector<char *> pointers;
    for (std::string &argument : command)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    EXPECT_EQ(::posix_spawnp(&id, pointers[0], &actions, nullptr,
                             pointers.data(), environ),
              0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output = ::fdopen(ends[0], "r");
  }
  ~Process() {
    if (id) {
      kill(SIGKILL);
      wait();
    }
    std::fclose(output);
  }
  Process(const Process &) = delete;

  void kill(int signal) const { ::kill(id, signal); }
  /// The status of a process that has ended by itself, as a shell has it.
  int wait() {
    int status = 0;
    ::waitpid(id, &status, 0);
    id = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
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
class Ranks {
public:
  static constexpr uint32_t size = 4, victim = 2;
  static constexpr int timeoutMs = 2000;

  /// `prefix` is the command that starts a rank's process, if there is one.
  void start(size_t bytes, const std::string &how, bool isNetworkOnly = false,
             const std::string &address = "127.0.0.1",
             const std::function<std::vector<std::string>(uint32_t)> &prefix =
                 nullptr) {
    std::string port = std::to_string(freePort()),
                next = std::to_string(freePort());
    for (uint32_t rank = 0; rank < size; ++rank) {
      std::vector<std::string> command;
      if (prefix)
        command = prefix(rank);
      for (const std::string &argument :
           {std::string(DYN_TEST_RANK), std::string("fail"),
            std::to_string(rank), std::to_string(size), address, port,
            std::to_string(timeoutMs), std::to_string(bytes),
            std::to_string(victim), next, how})
        command.push_back(argument);
      if (isNetworkOnly)
        command.push_back("network");
      ranks.push_back(std::make_unique<Process>(command));
    }
    for (auto &rank : ranks)
      ASSERT_EQ(rank->readLine(), "ready");
  }
  Process &operator[](uint32_t rank) { return *ranks[rank]; }

  /// All others name the victim, have nothing left, and go on alone.
  void expectFailures(const char *what) {
    for (uint32_t rank = 0; rank < size; ++rank)
      if (rank != victim)
        expectFailure(rank, what);
    for (uint32_t rank = 0; rank < size; ++rank) {
      if (rank == victim)
        continue;
      expectNothingLeft(rank);
      EXPECT_EQ(ranks[rank]->readLine(), "next");
      EXPECT_EQ(ranks[rank]->wait(), 0);
    }
  }
  void expectFailure(uint32_t rank, const char *what) {
    std::string line = ranks[rank]->readLine();
    EXPECT_NE(line.find(what), std::string::npos) << rank << ": " << line;
  }
  /// But for some memory, such as that of symbols that the loader has found.
  void expectNothingLeft(uint32_t rank) {
    int descriptors = -1, threads = -1, kilobytes = -1;
    std::string line = ranks[rank]->readLine();
    std::sscanf(line.c_str(), "%d descriptors, %d threads and %d KB",
                &descriptors, &threads, &kilobytes);
    EXPECT_EQ(descriptors, 0) << line;
    EXPECT_EQ(threads, 0) << line;
    EXPECT_LT(kilobytes, 50) << line;
  }

private:
  std::vector<std::unique_ptr<Process>> ranks;
};

/// Bytes that ranks send each other, and whether over TCP, not in memory.
struct Parts {
  size_t bytes;
  bool isNetworkOnly = false;
};

class CommProcessTest : public ::testing::TestWithParam<Parts> {
protected:
  static constexpr uint32_t victim = Ranks::victim;

  void start(const std::string &how = "-") {
    ranks.start(GetParam().bytes, how, GetParam().isNetworkOnly);
  }
  void expectFailures(const char *what) { ranks.expectFailures(what); }

  Ranks ranks;
};

constexpr size_t manyBytes = sanitized ? 500000 : 5000000;

INSTANTIATE_TEST_SUITE_P(
    Bytes, CommProcessTest,
    ::testing::Values(Parts{0}, Parts{100}, Parts{manyBytes},
                      Parts{manyBytes, /*isNetworkOnly=*/true}),
    [](const auto &info) {
      return (info.param.isNetworkOnly ? "Network" : "") +
             std::to_string(info.param.bytes);
    });
} // namespace

/// A closed connection is noticed before the deadline.
TEST_P(CommProcessTest, Killed) {
  start();
  ranks[victim].kill(SIGKILL);
  expectFailures("rank 2 ended or left the communicator in all_to_all");
}

/// A stopped process is noticed at the deadline.
TEST_P(CommProcessTest, Stopped) {
  start();
  ranks[victim].kill(SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  expectFailures("rank 2 did not answer within 2 s in all_to_all");
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  // Not the 30 s by default.
  EXPECT_LT(time.count(), 15);
}

TEST_P(CommProcessTest, Cut) {
  start("cut");
  expectFailures("rank 2 ended or left the communicator in all_to_all");
}

/// The same in the calls of an artifact.
TEST_P(CommProcessTest, KilledInACall) {
  start("call");
  ranks[victim].kill(SIGKILL);
  expectFailures("rank 2 ended or left the communicator in exchange");
}

TEST_P(CommProcessTest, StoppedInACall) {
  start("call");
  ranks[victim].kill(SIGSTOP);
  expectFailures("rank 2 did not answer within 2 s in exchange");
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

namespace {
/// Two network namespaces with a cable between them, if this process may make
/// them.
class Network {
public:
  Network() {
    isMade = run("ip netns add " + first) && run("ip netns add " + second) &&
             run("ip -n " + first +
                 " link add cable type veth peer cable netns " + second) &&
             setUp(first, "10.17.0.1") && setUp(second, "10.17.0.2");
  }
  ~Network() {
    run("ip netns del " + first);
    run("ip netns del " + second);
  }
  explicit operator bool() const { return isMade; }
  bool cut() { return run("ip -n " + first + " link set cable down"); }

  const std::string first = "dyn-" + std::to_string(::getpid()) + "-1",
                    second = "dyn-" + std::to_string(::getpid()) + "-2";

private:
  static bool run(const std::string &command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }
  static bool setUp(const std::string &name, const std::string &address) {
    return run("ip -n " + name + " link set lo up") &&
           run("ip -n " + name + " addr add " + address + "/24 dev cable") &&
           run("ip -n " + name + " link set cable up");
  }

  bool isMade = false;
};
} // namespace

/// A cable that is cut in the middle of a call: no connection breaks, so both
/// sides find at the deadline that nothing comes.
TEST(CommNetworkTest, CutInACall) {
  Network network;
  if (!network)
    GTEST_SKIP() << "this process cannot make network namespaces";
  Ranks ranks;
  ranks.start(manyBytes, "call", /*isNetworkOnly=*/false, "10.17.0.1",
              [&](uint32_t rank) -> std::vector<std::string> {
                return {"ip", "netns", "exec",
                        rank == Ranks::victim ? network.second : network.first};
              });
  ASSERT_TRUE(network.cut());
  ranks.expectFailures("rank 2 did not answer within 2 s in exchange");
  // Those whose part it has not got, mostly all.
  ranks.expectFailure(Ranks::victim, "did not answer within 2 s in exchange");
  ranks.expectNothingLeft(Ranks::victim);
  EXPECT_EQ(ranks[Ranks::victim].wait(), 0);
}
