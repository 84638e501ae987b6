//===- Operations.cpp - Operations as rounds ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankCommunicator.h"
#include "Reduction.h"

#include <cstring>

using namespace dyn::rt;

namespace {
/// The arguments that all operations have.
struct Arguments {
  dyn_communicator_t *communicator;
  const dyn_transfer_options_t *options;
  dyn_request_t **out;

  dyn_status_t check() const {
    if (out)
      *out = nullptr;
    if (!communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "communicator is null");
    return DYN_STATUS_OK;
  }
  std::unique_ptr<dyn_request> makeRequest(Operation operation,
                                           uint32_t rounds = 1) const {
    return std::make_unique<dyn_request>(*communicator, operation, rounds);
  }
  dyn_status_t begin(std::unique_ptr<dyn_request> request) const {
    DYN_RETURN_IF_FAILED(static_cast<RankGroup *>(communicator)
                             ->begin(std::move(request), options, out));
    if (out)
      moveAlone(**out);
    return DYN_STATUS_OK;
  }
};
} // namespace

static dyn_status_t checkMemory(const void *data, uint64_t bytes,
                                const char *name) {
  if (!data && bytes)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "%s is null, of %llu bytes", name,
                (unsigned long long)bytes);
  return DYN_STATUS_OK;
}

/// `count` parts.
static dyn_status_t checkParts(const dyn_part_t *parts, uint32_t count,
                               const char *name) {
  if (!parts)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "%s is null", name);
  for (uint32_t i = 0; i < count; ++i)
    if (!parts[i].data && parts[i].bytes)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "%s[%u] is null, of %llu bytes",
                  name, i, (unsigned long long)parts[i].bytes);
  return DYN_STATUS_OK;
}

/// Moves the part that a rank sends to itself.
static dyn_status_t copyOwn(uint32_t rank, const void *data, uint64_t bytes,
                            const dyn_part_t &target) {
  if (target.bytes != bytes)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "rank %u sends %llu bytes to itself and expects %llu", rank,
                (unsigned long long)bytes, (unsigned long long)target.bytes);
  if (bytes)
    std::memmove(target.data, data, bytes);
  return DYN_STATUS_OK;
}

/// Sends one part to all.
static void sendToAll(Round &round, uint32_t rank, dyn_part_t part,
                      const dyn_part_t *targets) {
  for (uint32_t peer = 0; peer < round.parts.size(); ++peer)
    if (peer != rank)
      round.exchange(peer, part, targets[peer]);
}

dyn_status_t dyn_request_wait(dyn_request_t *request) {
  return guarded([&]() -> dyn_status_t {
    if (!request)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "request is null");
    std::unique_ptr<dyn_request> ended(request);
    return static_cast<RankCommunicator &>(*request->communicator.get())
        .wait(*request);
  });
}

dyn_status_t dyn_communicator_all_to_all(dyn_communicator_t *communicator,
                                         const dyn_part_t *sends,
                                         const dyn_part_t *receives,
                                         const dyn_transfer_options_t *options,
                                         dyn_request_t **out_request) {
  return guarded([&]() -> dyn_status_t {
    Arguments arguments{communicator, options, out_request};
    DYN_RETURN_IF_FAILED(arguments.check());
    uint32_t rank = communicator->rank, size = communicator->size;
    DYN_RETURN_IF_FAILED(checkParts(sends, size, "sends"));
    DYN_RETURN_IF_FAILED(checkParts(receives, size, "receives"));
    DYN_RETURN_IF_FAILED(
        copyOwn(rank, sends[rank].data, sends[rank].bytes, receives[rank]));
    auto request = arguments.makeRequest(Operation::AllToAll);
    for (uint32_t peer = 0; peer < size; ++peer)
      if (peer != rank)
        request->rounds[0].exchange(peer, sends[peer], receives[peer]);
    return arguments.begin(std::move(request));
  });
}

dyn_status_t dyn_communicator_all_gather(dyn_communicator_t *communicator,
                                         const void *data, uint64_t bytes,
                                         const dyn_part_t *receives,
                                         const dyn_transfer_options_t *options,
                                         dyn_request_t **out_request) {
  return guarded([&]() -> dyn_status_t {
    Arguments arguments{communicator, options, out_request};
    DYN_RETURN_IF_FAILED(arguments.check());
    uint32_t rank = communicator->rank;
    DYN_RETURN_IF_FAILED(checkMemory(data, bytes, "data"));
    DYN_RETURN_IF_FAILED(checkParts(receives, communicator->size, "receives"));
    DYN_RETURN_IF_FAILED(copyOwn(rank, data, bytes, receives[rank]));
    auto request = arguments.makeRequest(Operation::AllGather);
    sendToAll(request->rounds[0], rank, {const_cast<void *>(data), bytes},
              receives);
    return arguments.begin(std::move(request));
  });
}

dyn_status_t dyn_communicator_broadcast(dyn_communicator_t *communicator,
                                        uint32_t root, void *data,
                                        uint64_t bytes,
                                        const dyn_transfer_options_t *options,
                                        dyn_request_t **out_request) {
  return guarded([&]() -> dyn_status_t {
    Arguments arguments{communicator, options, out_request};
    DYN_RETURN_IF_FAILED(arguments.check());
    uint32_t rank = communicator->rank, size = communicator->size;
    DYN_RETURN_IF_FAILED(checkMemory(data, bytes, "data"));
    if (root >= size)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "root is %u, of %u ranks", root,
                  size);
    auto request = arguments.makeRequest(Operation::Broadcast);
    request->header.detail = root;
    Round &round = request->rounds[0];
    if (rank != root)
      round.exchange(root, {}, {data, bytes});
    else
      sendToAll(round, rank, {data, bytes},
                std::vector<dyn_part_t>(size).data());
    return arguments.begin(std::move(request));
  });
}

dyn_status_t dyn_communicator_all_reduce(dyn_communicator_t *communicator,
                                         const void *elements, void *result,
                                         uint64_t count, dyn_dtype_t dtype,
                                         dyn_reduction_t reduction,
                                         dyn_reduction_order_t order,
                                         const dyn_transfer_options_t *options,
                                         dyn_request_t **out_request) {
  return guarded([&]() -> dyn_status_t {
    Arguments arguments{communicator, options, out_request};
    DYN_RETURN_IF_FAILED(arguments.check());
    uint32_t rank = communicator->rank, size = communicator->size;
    if (!Reduction::supports(dtype))
      return fail(DYN_STATUS_UNSUPPORTED,
                  "cannot reduce %s: expected f32, f64, i32 or i64",
                  dyn_dtype_name(dtype));
    if (unsigned(reduction) > DYN_REDUCE_MAX ||
        unsigned(order) > DYN_ORDER_TREE)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "reduction is %d, order is %d: expected values of comm.h",
                  int(reduction), int(order));
    const uint64_t width = dyn_dtype_size(dtype);
    if (count > UINT64_MAX / 2 / width / size)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "count is %llu",
                  (unsigned long long)count);
    DYN_RETURN_IF_FAILED(checkMemory(elements, count * width, "elements"));
    DYN_RETURN_IF_FAILED(checkMemory(result, count * width, "result"));

    // Rank r reduces elements [count * r / size, count * (r + 1) / size).
    auto at = [=](const void *base, uint32_t first) {
      return static_cast<char *>(const_cast<void *>(base)) +
             count / size * first * width + count % size * first / size * width;
    };
    auto slice = [=](const void *base, uint32_t owner) -> dyn_part_t {
      char *begin = at(base, owner);
      return {begin, uint64_t(at(base, owner + 1) - begin)};
    };
    auto request = arguments.makeRequest(Operation::AllReduce, 2);
    request->header.count = count;
    request->header.detail =
        uint32_t(dtype) | uint32_t(reduction) << 8 | uint32_t(order) << 16;
    const dyn_part_t own = slice(elements, rank);
    request->scratch.reset(new char[own.bytes * size]);
    char *rows = request->scratch.get();
    if (own.bytes)
      std::memcpy(rows + own.bytes * rank, own.data, own.bytes);
    for (uint32_t peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      request->rounds[0].exchange(peer, slice(elements, peer),
                                  {rows + own.bytes * peer, own.bytes});
      request->rounds[1].exchange(peer, slice(result, rank),
                                  slice(result, peer));
    }
    request->between = [=, target = slice(result, rank).data] {
      Reduction{dtype, reduction, order}.run(rows, size, own.bytes / width);
      if (own.bytes)
        std::memcpy(target, rows, own.bytes);
    };
    return arguments.begin(std::move(request));
  });
}

dyn_status_t dyn_communicator_barrier(dyn_communicator_t *communicator,
                                      const dyn_transfer_options_t *options,
                                      dyn_request_t **out_request) {
  return guarded([&]() -> dyn_status_t {
    Arguments arguments{communicator, options, out_request};
    DYN_RETURN_IF_FAILED(arguments.check());
    auto request = arguments.makeRequest(Operation::Barrier);
    sendToAll(request->rounds[0], communicator->rank, {},
              std::vector<dyn_part_t>(communicator->size).data());
    return arguments.begin(std::move(request));
  });
}

/// A send or a receive.
static dyn_status_t transfer(const Arguments &arguments, Operation operation,
                             uint32_t peer, void *data, uint64_t bytes) {
  DYN_RETURN_IF_FAILED(arguments.check());
  const dyn_communicator &communicator = *arguments.communicator;
  DYN_RETURN_IF_FAILED(checkMemory(data, bytes, "data"));
  if (peer >= communicator.size || peer == communicator.rank)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "peer is %u: expected another rank than %u, of %u", peer,
                communicator.rank, communicator.size);
  auto request = arguments.makeRequest(operation);
  const dyn_part_t part = {data, bytes};
  bool isSend = operation == Operation::Send;
  request->rounds[0].exchange(peer, isSend ? part : dyn_part_t(),
                              isSend ? dyn_part_t() : part);
  return arguments.begin(std::move(request));
}

dyn_status_t dyn_communicator_send(dyn_communicator_t *communicator,
                                   uint32_t peer, const void *data,
                                   uint64_t bytes,
                                   const dyn_transfer_options_t *options,
                                   dyn_request_t **out_request) {
  return guarded([&] {
    return transfer({communicator, options, out_request}, Operation::Send, peer,
                    const_cast<void *>(data), bytes);
  });
}

dyn_status_t dyn_communicator_receive(dyn_communicator_t *communicator,
                                      uint32_t peer, void *data, uint64_t bytes,
                                      const dyn_transfer_options_t *options,
                                      dyn_request_t **out_request) {
  return guarded([&] {
    return transfer({communicator, options, out_request}, Operation::Receive,
                    peer, data, bytes);
  });
}
