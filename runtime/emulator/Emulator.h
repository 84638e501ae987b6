//===- Emulator.h - A device that is a program ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels that were lowered to host code (emulated.h) as a GPU would, one
// host thread for all of their threads, and reports errors that a GPU would
// not: accesses out of bounds, uninitialised reads, races, lanes that diverge
// where they must not. A report names the operation of the model.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_EMULATOR_H
#define DYN_RUNTIME_EMULATOR_EMULATOR_H

#include "AccessCounter.h"
#include "Fiber.h"
#include "Report.h"
#include "Shadow.h"
#include "StreamOrder.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dyn::emu {

/// The limits of a device.
struct Limits {
  uint32_t threads = 1024;         ///< of a block
  uint32_t sharedBytes = 48 << 10; ///< of a block
  size_t memoryBytes = 1ull << 30;
  size_t stackBytes = 64 << 10; ///< of a thread
};

class Device {
public:
  /// `number` is its own among the devices of a host.
  explicit Device(const Limits &limits = {}, uint32_t number = 0);

  /// Memory aligned to 256, with a gap to the next; null if there is not
  /// enough.
  void *allocate(size_t bytes);
  void release(void *memory);

  // Memory that is mapped. Its contents are lost when it is unmapped, which
  // they are not on a GPU: nobody may rely on them.
  /// Addresses without memory, aligned to a page; null if there are none.
  void *reserve(size_t bytes);
  /// False unless all of it was unmapped.
  bool unreserve(void *addresses);
  /// Memory without an address; 0 if there is not enough.
  uint64_t create(size_t bytes);
  bool destroy(uint64_t handle);
  /// False unless the addresses are reserved and free, and the memory has as
  /// many bytes and is not mapped.
  bool map(void *address, size_t bytes, uint64_t handle);
  bool unmap(void *address, size_t bytes);
  /// Permits kernels and copies to access what is mapped. False if nothing is.
  bool permitAccess(void *address, size_t bytes);
  /// The bytes that are mapped, now and at most since the last reset.
  size_t getMapped() const { return mapped; }
  size_t getMostMapped() const { return mostMapped; }
  void resetMostMapped() { mostMapped = mapped; }

  /// Whether an address lies in its memory.
  bool owns(const void *address);
  /// Records that the host has written to device memory.
  void markWritten(const void *address, size_t bytes);
  /// Copies by the host. False if the range is not in one allocation. Reads of
  /// uninitialised memory are reported.
  bool write(void *to, const void *from, size_t bytes) {
    return write(to, from, bytes, *this);
  }
  bool read(void *to, const void *from, size_t bytes) {
    return read(to, from, bytes, *this);
  }
  /// The same, with reports of another device.
  bool write(void *to, const void *from, size_t bytes, Device &reporter);
  bool read(void *to, const void *from, size_t bytes, Device &reporter);
  /// Copies from memory of a device, this or another one, to this one. False if
  /// a range is not in one allocation. Bytes that were not initialised there
  /// are not initialised here.
  bool copy(void *to, Device &source, const void *from, size_t bytes);
  /// Records that kernel `kernel` of a library reads or writes a whole range,
  /// called `what` in reports. False if the range is not in one allocation,
  /// which is reported, as are uninitialised reads and races with other
  /// streams.
  bool access(const char *kernel, const char *what, const void *address,
              size_t bytes, bool isWrite);

  /// Accesses from now on are work of a stream, ordered after `known`.
  void beginWork(const void *stream, const StreamClock &known);
  void endWork();
  /// The host has waited for all work up to a point.
  void forgetWork(const StreamClock &clock) { streams.forget(clock); }
  /// Adds the work of a stream so far to a point behind it.
  void addWork(StreamClock &clock, const void *stream) const {
    clock[stream] = epoch.now;
  }

  /// Runs `blocks` blocks of `threads` threads. False if a fault stopped them.
  /// Faults that do not harm the host (races, uninitialised reads) are
  /// reported, and the launch continues.
  bool launch(const dyn_emu_kernel_t &kernel, uint32_t blocks, uint32_t threads,
              const void *params);

  /// Counts the cost of accesses from the next launch on; slow.
  void countAccesses() { counter.emplace(); }
  /// The counts of the last launch.
  std::vector<AccessCount> getCounts() const {
    return counter ? counter->getCounts() : std::vector<AccessCount>();
  }

  /// The first fault of each kind at each operation, since the last clear.
  const std::vector<Report> &getReports() const { return reports; }
  void clearReports() { reports.clear(); }
  /// Continues with the reports of another queue.
  void swapReports(std::vector<Report> &others) { reports.swap(others); }
  /// Reports a fault that did not occur in a kernel of the emulator.
  void report(Fault fault, const char *kernel, std::string detail);

  /// Memory that a library moves between devices, until work that follows the
  /// transfer on its stream begins.
  struct Transfer {
    const char *begin;
    size_t bytes;
    bool isWrite;
    std::string text; ///< "ncclSend of rank 0 to rank 1"
  };
  using TransferId = uint64_t;
  TransferId beginTransfer(Transfer transfer);
  void endTransfer(TransferId id) { transfers.erase(id); }
  /// A transfer that an access of a range races with, or null.
  const Transfer *findRace(const void *address, size_t bytes,
                           bool isWrite) const;

  /// If set, finds the device that memory belongs to, for reports.
  std::function<Device *(const void *)> findOwner;

private:
  friend class Block;

  /// "memory of device 1, not of device 0", or that it is not mapped; "" if
  /// it is neither another device's nor reserved.
  std::string describeElsewhere(const void *address) const;
  /// Whether an address is reserved, in an allocation or not.
  bool isReserved(const void *address) const;

  struct Allocation {
    size_t bytes;
    std::unique_ptr<char[]> memory; ///< with the gaps; null if it is mapped
    Shadow shadow;
  };
  /// The allocation that an address lies in or follows, if there is one.
  std::pair<const char *, Allocation *> find(const void *address);
  /// The allocation that a range lies in, or null.
  Allocation *findWhole(const void *address, size_t bytes, size_t &offset);
  void add(Report report);
  /// Reports an access of the host that races with a transfer.
  void checkTransfers(const char *kernel, const void *address, size_t bytes,
                      bool isWrite, Device &reporter);
  /// Reports an access of a whole range that races with another stream's.
  void checkStreams(const char *kernel, const Allocation &allocation,
                    size_t offset, size_t bytes, bool isWrite);
  /// The epoch of the work that runs, or 0 without any.
  uint32_t workEpoch() const { return streams.isRunning() ? epoch.now : 0; }

  std::map<TransferId, Transfer> transfers;
  TransferId lastTransfer = 0;
  Limits limits;
  uint32_t number;
  std::map<const char *, Allocation, std::greater<>> allocations;
  struct Mappable {
    size_t bytes;
    const char *at; ///< where it is mapped, or null
    bool isGivenBack;
  };
  std::map<const char *, size_t> reservations;
  std::map<uint64_t, Mappable> mappables; ///< by their handles
  uint64_t lastMappable = 0;
  size_t mapped = 0, mostMapped = 0;
  size_t used = 0;
  Stacks stacks;
  Epoch epoch;
  StreamOrder streams;
  std::vector<Report> reports;
  std::optional<AccessCounter> counter;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_EMULATOR_H
