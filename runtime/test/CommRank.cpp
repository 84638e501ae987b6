//===- CommRank.cpp - One rank in a process of its own --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   comm-rank check
//
// Runs operations over sockets and exits with 0 if all are right. All ranks
// are processes of one launcher on this machine.
//
//   comm-rank late LIBRARY, comm-rank sizes LIBRARY
//
// The last rank comes late, or brings another size. Prints the failure of
// operations over the transport of the library.
//
//   comm-rank kill LIBRARY, comm-rank stop LIBRARY
//
// Repeats barriers of 1 s, and after some the last rank gets SIGKILL or
// SIGSTOP. Prints the failure and its time.
//
//   comm-rank fail RANK SIZE ADDRESS PORT TIMEOUT_MS BYTES VICTIM NEXT_PORT
//       [-|cut|call] [network]
//
// Exchanges parts of so many bytes until that fails, or, with "call", rows in
// calls of an artifact. Prints "ready" after the first exchange, the failure,
// what is left of descriptors, threads and memory, and whether the ranks but
// VICTIM can form a group again. With "cut", the victim shuts its connections
// down after the first exchange; with "network", ranks share no memory.
//
//===----------------------------------------------------------------------===//

#include "RankCalls.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <dirent.h>
#include <malloc.h>

using namespace dyn::test;

static int report(const char *what) {
  std::printf("%s: %s\n", what, dyn_last_error());
  return 1;
}

static dyn_communicator_t *create(const std::string &library,
                                  uint64_t timeout) {
  dyn_communicator_options_t options = communicatorOptions(timeout);
  dyn_communicator_t *made = nullptr;
  if (dyn_communicator_create_plugin(library.c_str(), &options, &made))
    report("create");
  return made;
}

/// One of the ranks does not do as the others.
static int fail(const std::string &library, bool isLate) {
  Communicator communicator(create(library, 300 * millisecond));
  dyn_communicator_t *made = communicator.get();
  dyn_transfer_options_t patient = {sizeof(patient), 20 * second, nullptr};
  if (!made || dyn_communicator_barrier(made, &patient, nullptr))
    return report("barrier");
  bool isLast = dyn_communicator_rank(made) + 1 == dyn_communicator_size(made);
  if (isLate) {
    if (isLast)
      std::this_thread::sleep_for(std::chrono::seconds(1));
    dyn_communicator_barrier(made, nullptr, nullptr);
  } else {
    Exchange(made, [&](uint32_t from, uint32_t to) {
      return size_t(from == 0 && to == 1 && isLast ? 5 : 6);
    }).run();
  }
  return report("failure");
}

/// The last rank gets a signal.
static int lose(const std::string &library, int signal) {
  Communicator communicator(create(library, second));
  dyn_communicator_t *made = communicator.get();
  dyn_transfer_options_t patient = {sizeof(patient), 20 * second, nullptr};
  if (!made || dyn_communicator_barrier(made, &patient, nullptr))
    return report("barrier");
  std::chrono::duration<double> time{};
  for (int count = 0;; ++count) {
    if (count == 100 &&
        dyn_communicator_rank(made) + 1 == dyn_communicator_size(made))
      std::raise(signal);
    auto begin = std::chrono::steady_clock::now();
    dyn_status_t status = dyn_communicator_barrier(made, nullptr, nullptr);
    time = std::chrono::steady_clock::now() - begin;
    if (status)
      break;
  }
  std::string failure = dyn_last_error();
  communicator.reset();
  std::printf("after %.1f s: %s\n", time.count(), failure.c_str());
  return 1;
}

/// Rank and size are those of the launcher. Its number gives a port that other
/// tests do not have, below those that the system hands out.
static int check() {
  dyn_communicator_options_t options = communicatorOptions(20 * second);
  dyn_socket_options_t sockets =
      socketOptions(0, 0, 20000 + uint32_t(::getppid()) % 12000);
  dyn_communicator_t *made = nullptr;
  if (dyn_communicator_create_sockets(&sockets, &options, &made))
    return report("create");
  Communicator communicator(made);
  uint32_t rank = dyn_communicator_rank(made),
           size = dyn_communicator_size(made);
  for (size_t scale : {0, 1, 1000, 2000003}) {
    Exchange exchange(made, [&](uint32_t from, uint32_t to) {
      return (from + 2 * to) % 3 * scale;
    });
    dyn_request_t *request = nullptr;
    if (exchange.run(nullptr, &request) || dyn_request_wait(request))
      return report("all_to_all");
    if (!exchange.isRight())
      return report("wrong bytes");
  }
  std::vector<double> values(10007, 1.0 / (rank + 3));
  double expected = 0;
  for (uint32_t i = 0; i < size; ++i)
    expected += 1.0 / (i + 3);
  if (dyn_communicator_all_reduce(made, values.data(), values.data(),
                                  values.size(), DYN_F64, DYN_REDUCE_SUM,
                                  DYN_ORDER_BY_RANK, nullptr, nullptr))
    return report("all_reduce");
  if (values != std::vector<double>(values.size(), expected))
    return report("wrong sum");
  if (dyn_communicator_barrier(made, nullptr, nullptr))
    return report("barrier");
  std::printf("rank %u of %u is right\n", rank, size);
  return 0;
}

/// Things that must not leak, as this process has them.
struct Resources {
  int descriptors = countFiles("/proc/self/fd");
  int threads = countFiles("/proc/self/task");
  size_t bytes = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;

  static int countFiles(const char *path) {
    int count = 0;
    if (DIR *folder = ::opendir(path)) {
      while (::readdir(folder))
        ++count;
      ::closedir(folder);
    }
    return count;
  }
};

/// All connections of this process.
static void cutConnections() {
  for (int file = 3; file < 256; ++file)
    ::shutdown(file, SHUT_RDWR);
}

static dyn_communicator_t *join(uint32_t rank, uint32_t size,
                                const char *address, uint32_t port,
                                uint64_t timeout, bool isNetworkOnly) {
  dyn_communicator_options_t options = communicatorOptions(timeout);
  dyn_socket_options_t sockets = socketOptions(rank, size, port);
  sockets.address = address;
  sockets.network_only = isNetworkOnly;
  dyn_communicator_t *made = nullptr;
  if (dyn_communicator_create_sockets(&sockets, &options, &made))
    report("create");
  return made;
}

/// An exchange in a call.
class Call {
public:
  Call(dyn_communicator_t *communicator, uint32_t size, int64_t bytes)
      : artifact(load(artifactPath("ranks" + std::to_string(size) + ".so"))) {
    if (makeRankContext(artifact.get(), communicator, context))
      report("context");
    call = std::make_unique<RankCall>(
        context.get(), dyn_communicator_rank(communicator), size,
        [=](uint32_t, uint32_t) { return bytes / 24; });
  }
  dyn_status_t run() { return call->run(); }

private:
  Artifact artifact;
  Context context;
  std::unique_ptr<RankCall> call;
};

/// Exchanges in a group until that fails, and leaves it.
static int exchangeUntilFailure(dyn_communicator_t *made, int64_t bytes,
                                const std::string &how, bool isVictim) {
  Communicator communicator(made);
  if (!communicator)
    return 1;
  Exchange exchange(made, [&](uint32_t, uint32_t) { return bytes; });
  std::unique_ptr<Call> call;
  if (how == "call")
    call = std::make_unique<Call>(made, dyn_communicator_size(made), bytes);
  dyn_status_t status = DYN_STATUS_OK;
  for (uint64_t count = 0; status == DYN_STATUS_OK; ++count) {
    status = call ? call->run() : exchange.run();
    if (count == 0 && !status)
      std::printf("ready\n");
    std::fflush(stdout);
    if (how == "cut" && isVictim)
      cutConnections();
  }
  std::printf("%s: %s\n", dyn_status_name(status), dyn_last_error());
  std::fflush(stdout);
  return 0;
}

static int runUntilFailure(char **arguments, bool isNetworkOnly) {
  auto number = [&](int i) { return uint32_t(std::atoi(arguments[i])); };
  uint32_t rank = number(0), size = number(1), victim = number(6);
  uint64_t timeout = number(4) * millisecond;
  const char *address = arguments[2], *how = arguments[8];
  // With the first thread a sanitizer starts one of its own.
  std::thread([] {}).join();
  Resources before;
  if (exchangeUntilFailure(
          join(rank, size, address, number(3), timeout, isNetworkOnly),
          number(5), how, rank == victim))
    return 1;
  Resources after;
  std::printf("%d descriptors, %d threads and %ld KB are left\n",
              after.descriptors - before.descriptors,
              after.threads - before.threads,
              long(after.bytes - before.bytes) / 1000);
  std::fflush(stdout);
  if (rank == victim)
    return 0;
  // Ranks of a busy machine come one after another.
  Communicator next(join(rank - (rank > victim), size - 1, address, number(7),
                         10 * timeout, isNetworkOnly));
  if (!next || dyn_communicator_barrier(next.get(), nullptr, nullptr))
    return report("next");
  std::printf("next\n");
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && !std::strcmp(arguments[1], "check"))
    return check();
  if (count == 3 && !std::strcmp(arguments[1], "kill"))
    return lose(arguments[2], SIGKILL);
  if (count == 3 && !std::strcmp(arguments[1], "stop"))
    return lose(arguments[2], SIGSTOP);
  if (count == 3)
    return fail(arguments[2], !std::strcmp(arguments[1], "late"));
  if (count >= 11 && !std::strcmp(arguments[1], "fail"))
    return runUntilFailure(arguments + 2, count == 12);
  return 2;
}
