//===- NcclApi.cpp - The emulator as NCCL ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of NCCL that the runtime calls, between ranks that are threads
// of one process, each on a device of CudaApi.cpp. A send or a receive waits on
// its stream until the other rank's has come to the front of its own.
//
// Calls that would hang or be undefined are reported on the streams of their
// ranks, when the host waits: numbers of bytes that differ, memory out of
// bounds or uninitialised, and work that touches what a transfer sends or
// receives though nothing orders the two.
//
// DYN_EMU_NCCL in the environment selects a faulty library: "broken" makes no
// communicators, "last-broken" none for the last rank, and with "silent" the
// last rank's transfers never begin.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include "dyn/nccl.h"

#include <atomic>
#include <cstring>
#include <utility>

using namespace dyn::emu;

#define DYN_EMU_API extern "C" __attribute__((visibility("default")))
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  DYN_EMU_API result symbol parameters;
#include "dyn/nccl.def"

namespace {
/// A send or a receive.
struct Transfer {
  dyn_nccl_comm_t comm;
  int peer;
  bool isSend;
  void *memory;
  size_t count;
  int type;
  Stream *stream;
  bool isDone = false;

  size_t getBytes() const {
    static constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return count * sizes[type];
  }
  std::string describe() const;
};
using TransferRef = std::shared_ptr<Transfer>;

/// The ranks of a communicator.
struct Clique {
  std::vector<dyn_nccl_comm_t> ranks; ///< null for those that have not come
  size_t joined = 0;
  int error = DYN_NCCL_SUCCESS;
  std::string errorText;
  /// Transfers that wait, by sender and receiver.
  std::map<std::pair<int, int>, std::deque<TransferRef>> sends, receives;

  int fail(int result, const std::string &text) {
    errorText = text;
    return error = result;
  }
};

bool isKind(const char *kind) {
  const char *wanted = std::getenv("DYN_EMU_NCCL");
  return wanted && !std::strcmp(wanted, kind);
}

/// By the bytes of their id.
std::map<std::string, std::shared_ptr<Clique>> &cliques() {
  static auto *all = new std::map<std::string, std::shared_ptr<Clique>>();
  return *all;
}

/// The group that this thread has opened.
thread_local int depth = 0;
thread_local std::vector<TransferRef> group;
thread_local std::string lastError;
} // namespace

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank;
  EmulatedDevice *device;
  std::vector<TransferRef> silent; ///< that DYN_EMU_NCCL keeps from beginning
};

std::string Transfer::describe() const {
  return std::string(isSend ? "ncclSend" : "ncclRecv") + " of rank " +
         std::to_string(comm->rank) + (isSend ? " to rank " : " from rank ") +
         std::to_string(peer);
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

int ncclGetVersion(int *version) {
  *version = DYN_NCCL_OLDEST;
  return DYN_NCCL_SUCCESS;
}

const char *ncclGetErrorString(int result) {
  switch (result) {
  case DYN_NCCL_SUCCESS:
    return "no error";
  case DYN_NCCL_INVALID_ARGUMENT:
    return "invalid argument";
  case DYN_NCCL_INVALID_USAGE:
    return "invalid usage";
  case DYN_NCCL_IN_PROGRESS:
    return "in progress";
  }
  return "unhandled cuda error";
}

const char *ncclGetLastError(dyn_nccl_comm_t) { return lastError.c_str(); }

int ncclGetUniqueId(dyn_nccl_id_t *id) {
  static std::atomic<uint64_t> last{0};
  *id = {};
  uint64_t number = ++last;
  std::memcpy(id->internal, &number, sizeof(number));
  return DYN_NCCL_SUCCESS;
}

static int refuse(int result, const std::string &text) {
  lastError = text;
  return result;
}

int ncclCommInitRankConfig(dyn_nccl_comm_t *comm, int size, dyn_nccl_id_t id,
                           int rank, dyn_nccl_config_t *config) {
  *comm = nullptr;
  if (isKind("broken") || (isKind("last-broken") && rank + 1 == size))
    return refuse(DYN_NCCL_UNHANDLED_CUDA_ERROR, "as DYN_EMU_NCCL wants");
  if (!config || config->magic != DYN_NCCL_MAGIC || config->blocking != 0)
    return refuse(DYN_NCCL_INVALID_ARGUMENT,
                  "the emulator has communicators that do not block alone");
  if (size < 1 || rank < 0 || rank >= size)
    return refuse(DYN_NCCL_INVALID_ARGUMENT, "no such rank");
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  std::string key(id.internal, sizeof(id.internal));
  std::shared_ptr<Clique> &clique = cliques()[key];
  if (!clique) {
    clique = std::make_shared<Clique>();
    clique->ranks.resize(size_t(size));
  }
  auto *made = new ncclComm{clique, rank, &state.current(), {}};
  *comm = made;
  if (clique->ranks.size() != size_t(size))
    clique->fail(DYN_NCCL_INVALID_ARGUMENT, "ranks give different sizes");
  else if (clique->ranks[size_t(rank)])
    clique->fail(DYN_NCCL_INVALID_USAGE,
                 "rank " + std::to_string(rank) + " comes twice");
  else
    clique->ranks[size_t(rank)] = made;
  for (dyn_nccl_comm_t other : clique->ranks)
    if (other && other != made && other->device == made->device)
      clique->fail(DYN_NCCL_INVALID_USAGE,
                   "ranks " + std::to_string(other->rank) + " and " +
                       std::to_string(rank) + " have the same device");
  if (++clique->joined == clique->ranks.size())
    cliques().erase(key);
  return DYN_NCCL_IN_PROGRESS;
}

int ncclCommGetAsyncError(dyn_nccl_comm_t comm, int *result) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  const Clique &clique = *comm->clique;
  *result = clique.error                          ? clique.error
            : clique.joined < clique.ranks.size() ? DYN_NCCL_IN_PROGRESS
                                                  : DYN_NCCL_SUCCESS;
  lastError = clique.errorText;
  return DYN_NCCL_SUCCESS;
}

int ncclCommAbort(dyn_nccl_comm_t comm) {
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  for (auto *queues : {&comm->clique->sends, &comm->clique->receives})
    for (auto &[pair, queue] : *queues)
      for (auto it = queue.begin(); it != queue.end();) {
        bool isOwn = (*it)->comm == comm;
        (*it)->isDone |= isOwn;
        it = isOwn ? queue.erase(it) : it + 1;
      }
  for (const TransferRef &transfer : comm->silent)
    transfer->isDone = true;
  for (dyn_nccl_comm_t &each : comm->clique->ranks)
    if (each == comm)
      each = nullptr;
  state.advance();
  delete comm;
  return DYN_NCCL_SUCCESS;
}

int ncclCommFinalize(dyn_nccl_comm_t) { return DYN_NCCL_SUCCESS; }
int ncclCommDestroy(dyn_nccl_comm_t comm) { return ncclCommAbort(comm); }

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static void report(const Transfer &transfer, Fault fault,
                   const std::string &text) {
  Emulated::reporting(*transfer.stream, [&] {
    transfer.stream->device->device.report(
        fault, transfer.isSend ? "ncclSend" : "ncclRecv", text);
    return 0;
  });
}

/// Moves the data of a pair that has met.
static void move(Emulated &state, Transfer &send, Transfer &receive) {
  send.isDone = receive.isDone = true;
  if (send.count != receive.count || send.type != receive.type) {
    auto name = [](const Transfer &transfer) {
      return std::to_string(transfer.count) + " elements of type " +
             std::to_string(transfer.type);
    };
    std::string text = "rank " + std::to_string(send.comm->rank) + " sends " +
                       name(send) + " to rank " +
                       std::to_string(receive.comm->rank) + ", which expects " +
                       name(receive);
    report(send, Fault::Disagreement, text);
    report(receive, Fault::Disagreement, text);
    return;
  }
  if (send.getBytes())
    state.ownerOf(receive.memory)
        .copy(receive.memory, state.ownerOf(send.memory), send.memory,
              send.getBytes());
}

/// A transfer comes to the front of its stream.
static void post(Emulated &state, const TransferRef &transfer) {
  Stream &stream = *transfer->stream;
  Device &device = stream.device->device;
  int rank = transfer->comm->rank;
  if (isKind("silent") &&
      size_t(rank) + 1 == transfer->comm->clique->ranks.size())
    return transfer->comm->silent.push_back(transfer);
  size_t bytes = transfer->getBytes();
  bool isInside = Emulated::reporting(stream, [&] {
    return !bytes || device.access(transfer->isSend ? "ncclSend" : "ncclRecv",
                                   transfer->describe().c_str(),
                                   transfer->memory, bytes, !transfer->isSend);
  });
  if (!isInside) {
    transfer->isDone = true;
    return;
  }
  stream.transfers.push_back(
      device.beginTransfer({static_cast<const char *>(transfer->memory), bytes,
                            !transfer->isSend, transfer->describe()}));
  Clique &clique = *transfer->comm->clique;
  std::pair<int, int> pair = transfer->isSend ? std::pair(rank, transfer->peer)
                                              : std::pair(transfer->peer, rank);
  auto &sends = clique.sends[pair], &receives = clique.receives[pair];
  (transfer->isSend ? sends : receives).push_back(transfer);
  while (!sends.empty() && !receives.empty()) {
    TransferRef send = sends.front(), receive = receives.front();
    sends.pop_front();
    receives.pop_front();
    move(state, *send, *receive);
  }
}

/// Queues the transfers of a group, which go on together.
static int begin(std::vector<TransferRef> transfers) {
  if (transfers.empty())
    return DYN_NCCL_SUCCESS;
  Emulated &state = emulated();
  std::lock_guard<std::mutex> lock(state.mutex);
  Stream &stream = *transfers.front()->stream;
  auto isDone = [transfers] {
    for (const TransferRef &transfer : transfers)
      if (!transfer->isDone)
        return false;
    return true;
  };
  stream.work.push_back({nullptr, [&state, &stream, transfers] {
                           Emulated::endTransfers(stream);
                           for (const TransferRef &transfer : transfers)
                             post(state, transfer);
                         }});
  state.enqueue(stream, {isDone, [] {}});
  return DYN_NCCL_SUCCESS;
}

static int add(const void *memory, size_t count, int type, int peer,
               dyn_nccl_comm_t comm, dyn_cuda_stream_t handle, bool isSend) {
  if (peer < 0 || size_t(peer) >= comm->clique->ranks.size() || type < 0 ||
      type > 9)
    return refuse(DYN_NCCL_INVALID_ARGUMENT, "no such rank or type");
  auto transfer = std::make_shared<Transfer>();
  {
    Emulated &state = emulated();
    std::lock_guard<std::mutex> lock(state.mutex);
    *transfer = {comm,
                 peer,
                 isSend,
                 const_cast<void *>(memory),
                 count,
                 type,
                 &state.find(handle)};
  }
  if (transfer->stream->device != comm->device)
    return refuse(DYN_NCCL_INVALID_USAGE, "the stream is of another device");
  if (!group.empty() && group.front()->stream != transfer->stream)
    return refuse(DYN_NCCL_INVALID_USAGE,
                  "the emulator's groups are of one stream");
  group.push_back(transfer);
  return depth ? DYN_NCCL_SUCCESS : begin(std::exchange(group, {}));
}

int ncclGroupStart(void) {
  ++depth;
  return DYN_NCCL_SUCCESS;
}

int ncclGroupEnd(void) {
  if (depth == 0)
    return refuse(DYN_NCCL_INVALID_USAGE, "no group has begun");
  return --depth ? DYN_NCCL_SUCCESS : begin(std::exchange(group, {}));
}

int ncclSend(const void *memory, size_t count, int type, int peer,
             dyn_nccl_comm_t comm, dyn_cuda_stream_t stream) {
  return add(memory, count, type, peer, comm, stream, /*isSend=*/true);
}

int ncclRecv(void *memory, size_t count, int type, int peer,
             dyn_nccl_comm_t comm, dyn_cuda_stream_t stream) {
  return add(memory, count, type, peer, comm, stream, /*isSend=*/false);
}
