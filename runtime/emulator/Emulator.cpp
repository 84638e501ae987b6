//===- Emulator.cpp - A device that is a program --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include "Block.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace dyn::emu;

static constexpr size_t kAlignment = 256;

Device::Device(const Limits &limits, uint32_t number)
    : limits(limits), number(number),
      stacks(limits.threads, limits.stackBytes) {}

void *Device::allocate(size_t bytes) {
  if (bytes > limits.memoryBytes - used)
    return nullptr;
  auto memory = std::make_unique<char[]>(bytes + 2 * kAlignment);
  auto address = reinterpret_cast<uintptr_t>(memory.get());
  char *begin = memory.get() + (kAlignment - address % kAlignment);
  used += bytes;
  allocations.emplace(begin,
                      Allocation{bytes, std::move(memory), Shadow(bytes)});
  return begin;
}

void Device::release(void *memory) {
  auto it = allocations.find(static_cast<const char *>(memory));
  if (it == allocations.end())
    return;
  used -= it->second.bytes;
  allocations.erase(it);
}

//===----------------------------------------------------------------------===//
// Memory that is mapped
//===----------------------------------------------------------------------===//

void *Device::reserve(size_t bytes) {
  void *addresses = ::mmap(nullptr, bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED)
    return nullptr;
  reservations.emplace(static_cast<const char *>(addresses), bytes);
  return addresses;
}

bool Device::unreserve(void *addresses) {
  auto found = reservations.find(static_cast<const char *>(addresses));
  if (found == reservations.end())
    return false;
  auto [begin, bytes] = *found;
  for (const auto &[handle, each] : mappables)
    if (each.at && each.at >= begin && each.at < begin + bytes)
      return false;
  ::munmap(addresses, bytes);
  reservations.erase(found);
  return true;
}

bool Device::isReserved(const void *address) const {
  auto *at = static_cast<const char *>(address);
  auto after = reservations.upper_bound(at);
  return after != reservations.begin() &&
         size_t(at - std::prev(after)->first) < std::prev(after)->second;
}

uint64_t Device::create(size_t bytes) {
  if (bytes > limits.memoryBytes - used)
    return 0;
  used += bytes;
  mappables.emplace(++lastMappable, Mappable{bytes, nullptr, false});
  return lastMappable;
}

bool Device::destroy(uint64_t handle) {
  auto found = mappables.find(handle);
  if (found == mappables.end() || found->second.isGivenBack)
    return false;
  found->second.isGivenBack = true;
  if (!found->second.at) {
    used -= found->second.bytes;
    mappables.erase(found);
  }
  return true;
}

bool Device::map(void *address, size_t bytes, uint64_t handle) {
  auto found = mappables.find(handle);
  auto *at = static_cast<const char *>(address);
  if (found == mappables.end() || found->second.at ||
      found->second.bytes != bytes || !isReserved(at) ||
      !isReserved(at + bytes - 1))
    return false;
  for (const auto &[other, each] : mappables)
    if (each.at && each.at < at + bytes && at < each.at + each.bytes)
      return false;
  if (::mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  found->second.at = at;
  mapped += bytes;
  mostMapped = std::max(mostMapped, mapped);
  return true;
}

bool Device::unmap(void *address, size_t bytes) {
  auto found =
      std::find_if(mappables.begin(), mappables.end(),
                   [&](const auto &each) { return each.second.at == address; });
  if (found == mappables.end() || found->second.bytes != bytes)
    return false;
  ::mmap(address, bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  allocations.erase(found->second.at);
  mapped -= bytes;
  found->second.at = nullptr;
  if (found->second.isGivenBack) {
    used -= bytes;
    mappables.erase(found);
  }
  return true;
}

bool Device::permitAccess(void *address, size_t bytes) {
  for (const auto &[handle, each] : mappables)
    if (each.at == address && each.bytes == bytes)
      return allocations
          .emplace(each.at, Allocation{bytes, nullptr, Shadow(bytes)})
          .second;
  return false;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::pair<const char *, Device::Allocation *>
Device::find(const void *address) {
  // The first allocation that does not begin after the address.
  auto it = allocations.lower_bound(static_cast<const char *>(address));
  if (it == allocations.end())
    return {nullptr, nullptr};
  return {it->first, &it->second};
}

bool Device::owns(const void *address) {
  size_t offset;
  return findWhole(address, 0, offset);
}

void Device::markWritten(const void *address, size_t bytes) {
  auto [begin, allocation] = find(address);
  allocation->shadow.markWritten(static_cast<const char *>(address) - begin,
                                 bytes);
}

Device::Allocation *Device::findWhole(const void *address, size_t bytes,
                                      size_t &offset) {
  auto [begin, allocation] = find(address);
  if (!allocation)
    return nullptr;
  offset = size_t(static_cast<const char *>(address) - begin);
  bool isInside =
      offset <= allocation->bytes && bytes <= allocation->bytes - offset;
  return isInside ? allocation : nullptr;
}

Device::TransferId Device::beginTransfer(Transfer transfer) {
  transfers.emplace(++lastTransfer, std::move(transfer));
  return lastTransfer;
}

const Device::Transfer *Device::findRace(const void *address, size_t bytes,
                                         bool isWrite) const {
  auto *begin = static_cast<const char *>(address);
  for (const auto &[id, transfer] : transfers)
    if ((isWrite || transfer.isWrite) &&
        begin < transfer.begin + transfer.bytes &&
        transfer.begin < begin + bytes)
      return &transfer;
  return nullptr;
}

void Device::checkTransfers(const char *kernel, const void *address,
                            size_t bytes, bool isWrite, Device &reporter) {
  if (const Transfer *other = findRace(address, bytes, isWrite))
    reporter.report(Fault::Race, kernel,
                    std::to_string(bytes) + " bytes, with " + other->text +
                        ", which has not ended");
}

void Device::checkStreams(const char *kernel, const Allocation &allocation,
                          size_t offset, size_t bytes, bool isWrite) {
  streams.setName(kernel);
  if (!streams.hasOthers())
    return;
  if (std::optional<uint32_t> other =
          allocation.shadow.findRace(offset, bytes, isWrite, streams))
    report(Fault::Race, kernel,
           std::to_string(bytes) + " bytes, with '" +
               streams.findOther(*other) +
               "' of another stream, which no event orders");
}

void Device::beginWork(const void *stream, const StreamClock &known) {
  streams.begin(stream, known, ++epoch.now);
  epoch.streams = streams.hasOthers() ? &streams : nullptr;
}

void Device::endWork() {
  streams.end(epoch.now);
  epoch.streams = nullptr;
}

bool Device::write(void *to, const void *from, size_t bytes, Device &reporter) {
  size_t offset;
  Allocation *allocation = findWhole(to, bytes, offset);
  if (!allocation)
    return false;
  checkTransfers("copy to the device", to, bytes, /*isWrite=*/true, reporter);
  checkStreams("copy to the device", *allocation, offset, bytes,
               /*isWrite=*/true);
  std::memcpy(to, from, bytes);
  allocation->shadow.markWritten(offset, bytes, workEpoch());
  return true;
}

bool Device::read(void *to, const void *from, size_t bytes, Device &reporter) {
  size_t offset;
  Allocation *allocation = findWhole(from, bytes, offset);
  if (!allocation)
    return false;
  checkTransfers("copy to the host", from, bytes, /*isWrite=*/false, reporter);
  checkStreams("copy to the host", *allocation, offset, bytes,
               /*isWrite=*/false);
  allocation->shadow.markRead(offset, bytes, workEpoch());
  std::memcpy(to, from, bytes);
  if (std::optional<size_t> at =
          allocation->shadow.findUnwritten(offset, bytes))
    reporter.report(Fault::Uninitialized, "copy to the host",
                    "byte " + std::to_string(*at - offset) + " of " +
                        std::to_string(bytes));
  return true;
}

bool Device::copy(void *to, Device &source, const void *from, size_t bytes) {
  size_t begin, sourceBegin;
  Allocation *target = findWhole(to, bytes, begin);
  Allocation *other = source.findWhole(from, bytes, sourceBegin);
  if (!target || !other)
    return false;
  constexpr const char *kName = "copy on the device";
  source.checkStreams(kName, *other, sourceBegin, bytes, /*isWrite=*/false);
  checkStreams(kName, *target, begin, bytes, /*isWrite=*/true);
  std::memcpy(to, from, bytes);
  target->shadow.copyWritten(begin, other->shadow, sourceBegin, bytes,
                             workEpoch());
  other->shadow.markRead(sourceBegin, bytes, source.workEpoch());
  return true;
}

std::string Device::describeElsewhere(const void *address) const {
  if (isReserved(address))
    return "addresses that are reserved, but not mapped";
  Device *owner = findOwner ? findOwner(address) : nullptr;
  if (!owner || owner == this || !owner->owns(address))
    return "";
  return "memory of device " + std::to_string(owner->number) +
         ", not of device " + std::to_string(number);
}

bool Device::access(const char *kernel, const char *what, const void *address,
                    size_t bytes, bool isWrite) {
  size_t offset;
  Allocation *allocation = findWhole(address, bytes, offset);
  if (!allocation) {
    std::string text = describeElsewhere(address);
    report(Fault::OutOfBounds, kernel,
           std::to_string(bytes) + " bytes of " + what +
               (text.empty() ? "" : ", " + text));
    return false;
  }
  checkTransfers(kernel, address, bytes, isWrite, *this);
  checkStreams(kernel, *allocation, offset, bytes, isWrite);
  if (isWrite) {
    allocation->shadow.markWritten(offset, bytes, workEpoch());
    return true;
  }
  if (std::optional<size_t> at =
          allocation->shadow.findUnwritten(offset, bytes))
    report(Fault::Uninitialized, kernel,
           "byte " + std::to_string(*at - offset) + " of " +
               std::to_string(bytes) + " of " + what);
  allocation->shadow.markRead(offset, bytes, workEpoch());
  return true;
}

void Device::report(Fault fault, const char *kernel, std::string detail) {
  Report report;
  report.fault = fault;
  report.kernel = kernel;
  report.detail = std::move(detail);
  add(std::move(report));
}

void Device::add(Report report) {
  bool isKnown =
      std::any_of(reports.begin(), reports.end(), [&](const Report &other) {
        return other.fault == report.fault && other.kernel == report.kernel &&
               other.op == report.op && other.location == report.location;
      });
  if (!isKnown)
    reports.push_back(std::move(report));
}

bool Device::launch(const dyn_emu_kernel_t &kernel, uint32_t blocks,
                    uint32_t threads, const void *params) {
  auto refuse = [&](const char *what, size_t asked, size_t limit) {
    report(Fault::Limit, kernel.name,
           std::to_string(asked) + " " + what + ", at most " +
               std::to_string(limit));
    return false;
  };
  if (threads == 0 || threads > limits.threads)
    return refuse("threads a block", threads, limits.threads);
  if (kernel.shared_bytes > limits.sharedBytes)
    return refuse("bytes of shared memory", kernel.shared_bytes,
                  limits.sharedBytes);
  streams.setName(kernel.name);
  epoch.launchStart = ++epoch.now;
  if (counter)
    counter->start(kernel, threads);
  Block block(*this, kernel, threads, params);
  for (uint32_t i = 0; i < blocks; ++i) {
    epoch.blockStart = ++epoch.now;
    if (!block.run(i, blocks))
      return false;
    if (counter)
      counter->finishBlock();
  }
  return true;
}
