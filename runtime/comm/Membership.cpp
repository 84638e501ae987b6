//===- Membership.cpp - Rank, size and address of the environment ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace dyn::rt;

static dyn_status_t parse(const char *variable, uint64_t limit,
                          uint64_t &number) {
  const char *text = std::getenv(variable);
  if (!text)
    return fail(DYN_STATUS_NOT_FOUND, "%s is not set", variable);
  char *end = nullptr;
  errno = 0;
  number = std::strtoull(text, &end, 10);
  if (end == text || *end || errno || number > limit)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "%s is '%s': expected a number of at most %llu", variable, text,
                (unsigned long long)limit);
  return DYN_STATUS_OK;
}

static dyn_status_t readRank(Membership &self) {
  static constexpr const char *pairs[][2] = {
      {"RANK", "WORLD_SIZE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"}};
  for (const auto &[rankName, sizeName] : pairs) {
    if (!std::getenv(rankName))
      continue;
    uint64_t rank, size;
    DYN_RETURN_IF_FAILED(parse(rankName, UINT32_MAX, rank));
    DYN_RETURN_IF_FAILED(parse(sizeName, UINT32_MAX, size));
    self.rank = uint32_t(rank);
    self.size = uint32_t(size);
    return DYN_STATUS_OK;
  }
  return fail(DYN_STATUS_NOT_FOUND,
              "no rank is set: expected RANK and WORLD_SIZE, or the variables "
              "of mpirun");
}

static dyn_status_t readPort(Membership &self) {
  uint64_t port;
  if (std::getenv("DYN_MASTER_PORT")) {
    DYN_RETURN_IF_FAILED(parse("DYN_MASTER_PORT", 65535, port));
  } else {
    DYN_RETURN_IF_FAILED(parse("MASTER_PORT", 65534, port));
    const char *agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
    port += agent && std::strcmp(agent, "True") == 0;
  }
  self.port = uint16_t(port);
  return DYN_STATUS_OK;
}

dyn_status_t Membership::complete() {
  if (!size)
    DYN_RETURN_IF_FAILED(readRank(*this));
  if (rank >= size)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "rank is %u, of %u ranks", rank,
                size);
  if (size > 1024)
    return fail(DYN_STATUS_UNSUPPORTED, "expected at most 1024 ranks, found %u",
                size);
  // A single rank meets nobody.
  if (size == 1)
    return DYN_STATUS_OK;
  if (address.empty()) {
    const char *text = std::getenv("MASTER_ADDR");
    if (!text)
      return fail(DYN_STATUS_NOT_FOUND, "MASTER_ADDR is not set");
    address = text;
  }
  return port ? DYN_STATUS_OK : readPort(*this);
}
