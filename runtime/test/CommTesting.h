//===- CommTesting.h - Groups of ranks for tests --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_COMMTESTING_H
#define DYN_RUNTIME_TEST_COMMTESTING_H

#include "Testing.h"

#include "dyn/comm.h"

#include <arpa/inet.h>
#include <functional>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dyn::test {

using Communicator = Handle<dyn_communicator_t, dyn_communicator_release>;

constexpr uint64_t millisecond = 1000000, second = 1000 * millisecond;

inline dyn_communicator_options_t communicatorOptions(uint64_t timeoutNs,
                                                      uint64_t rate = 0) {
  dyn_communicator_options_t options = {};
  options.struct_size = sizeof(options);
  options.timeout_ns = timeoutNs;
  options.link_rate = rate;
  return options;
}

/// A port of this machine that is free now.
inline uint32_t freePort() {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(socket, reinterpret_cast<sockaddr *>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

inline dyn_socket_options_t socketOptions(uint32_t rank, uint32_t size,
                                          uint32_t port,
                                          uint64_t timeoutNs = 10 * second) {
  dyn_socket_options_t options = {};
  options.struct_size = sizeof(options);
  options.rank = rank;
  options.size = size;
  options.address = "127.0.0.1";
  options.port = port;
  options.timeout_ns = timeoutNs;
  return options;
}

/// Ranks with consecutive numbers in threads, which run `body`.
inline void runThreads(uint32_t size,
                       const std::function<void(uint32_t)> &body) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back(body, rank);
  for (std::thread &thread : threads)
    thread.join();
}

/// Sockets of one machine pass messages in memory, but for those of Network.
enum class Kind { Threads, Sockets, Network, Launched };

/// The transport of Kind::Launched, whose ranks are processes that each run the
/// same tests; null if this process is not one of them.
inline const char *launchedPlugin() { return std::getenv("DYN_TEST_PLUGIN"); }

/// A group of ranks; empty handles if it could not be made, and for ranks of
/// other processes.
inline std::vector<Communicator>
makeGroup(Kind kind, uint32_t size, const dyn_communicator_options_t &options) {
  std::vector<dyn_communicator_t *> made(size);
  if (kind == Kind::Threads) {
    EXPECT_EQ(dyn_communicator_create_threads(size, &options, made.data()),
              DYN_STATUS_OK)
        << dyn_last_error();
  } else if (kind == Kind::Launched) {
    dyn_communicator_t *own = nullptr;
    EXPECT_EQ(dyn_communicator_create_plugin(launchedPlugin(), &options, &own),
              DYN_STATUS_OK)
        << dyn_last_error();
    if (own)
      made.at(dyn_communicator_rank(own)) = own;
  } else {
    uint32_t port = freePort();
    runThreads(size, [&](uint32_t rank) {
      dyn_socket_options_t sockets = socketOptions(rank, size, port);
      sockets.network_only = kind == Kind::Network;
      EXPECT_EQ(
          dyn_communicator_create_sockets(&sockets, &options, &made[rank]),
          DYN_STATUS_OK)
          << dyn_last_error();
    });
  }
  return std::vector<Communicator>(made.begin(), made.end());
}

/// The result of a rank's operation.
struct Outcome {
  dyn_status_t status = DYN_STATUS_OK;
  std::string message;

  static Outcome of(dyn_status_t status) {
    return {status, status == DYN_STATUS_OK ? "" : dyn_last_error()};
  }
};

/// Bytes that say who sent them to whom.
inline std::vector<char> makeBytes(uint32_t from, uint32_t to, size_t count) {
  std::vector<char> bytes(count);
  uint32_t state = from * 7919 + to * 104729 + 1;
  for (char &byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = char(state >> 24);
  }
  return bytes;
}

inline dyn_part_t partOf(std::vector<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

/// An all_to_all of parts of makeBytes with sizes that both sides know.
class Exchange {
public:
  using Sizes = std::function<size_t(uint32_t from, uint32_t to)>;

  Exchange(dyn_communicator_t *communicator, const Sizes &sizes)
      : communicator(communicator) {
    uint32_t rank = dyn_communicator_rank(communicator);
    for (uint32_t i = 0; i < dyn_communicator_size(communicator); ++i) {
      sent.push_back(makeBytes(rank, i, sizes(rank, i)));
      expected.push_back(makeBytes(i, rank, sizes(i, rank)));
      received.emplace_back(expected.back().size());
    }
    for (size_t i = 0; i < sent.size(); ++i) {
      sends.push_back(partOf(sent[i]));
      receives.push_back(partOf(received[i]));
    }
  }
  dyn_status_t run(const dyn_transfer_options_t *options = nullptr,
                   dyn_request_t **request = nullptr) {
    return dyn_communicator_all_to_all(communicator, sends.data(),
                                       receives.data(), options, request);
  }
  bool isRight() const { return received == expected; }

private:
  dyn_communicator_t *communicator;
  std::vector<std::vector<char>> sent, received, expected;
  std::vector<dyn_part_t> sends, receives;
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_COMMTESTING_H
