//===- DeviceResidency.cpp - Constants in a part of device memory ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceResidency.h"

#include "Residency.h"
#include "Thread.h"

#include <algorithm>
#include <numeric>

using namespace dyn::rt;

/// One reads the file while another copies to the device.
static constexpr uint32_t workerCount = 2;

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

dyn_status_t DeviceResidency::open(const Driver &driver,
                                   dyn_cuda_context_t opened, int number,
                                   const char *name, DeviceMemory &memory,
                                   const Constants &area, uint64_t bytesOfArea,
                                   const dyn_constant_t *given, uint32_t count,
                                   uint64_t limit) {
  cuda = &driver;
  context = opened;
  constants = given;
  areaBytes = bytesOfArea;
  limitBytes = limit;
  DYN_RETURN_IF_FAILED(
      blocks.open(driver, opened, number, name, memory, areaBytes));
  uint64_t blockBytes = blocks.blockBytes();
  if (limit < blockBytes)
    return rt::fail(DYN_STATUS_INVALID_ARGUMENT,
                    "memory_limit: expected at least %llu bytes on '%s', got "
                    "%llu",
                    (unsigned long long)blockBytes, name,
                    (unsigned long long)limit);
  DYN_RETURN_IF_FAILED(area.openStore(store, Residency::getRate()));
  capacity =
      uint32_t(std::min<uint64_t>(limit / blockBytes, blocks.blockCount()));
  // Pins say what is being read, so that none is kept because it came last.
  plan.emplace(blocks.blockCount(), capacity, /*together=*/1, /*margin=*/0);
  byOffset.resize(count);
  std::iota(byOffset.begin(), byOffset.end(), 0);
  std::sort(byOffset.begin(), byOffset.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(constants[a].offset, constants[a].bytes) <
           std::pair(constants[b].offset, constants[b].bytes);
  });
  alone.resize(count, true);
  // The one that reaches farthest, of those before.
  uint64_t end = 0;
  uint32_t farthest = 0;
  for (uint32_t i : byOffset) {
    if (end > constants[i].offset)
      alone[farthest] = alone[i] = false;
    uint64_t ownEnd = constants[i].offset + constants[i].bytes;
    if (ownEnd > end) {
      end = ownEnd;
      farthest = i;
    }
  }
  for (uint32_t i = 0; i < workerCount; ++i) {
    pthread_t thread;
    if (!startThread(thread, work, this))
      return rt::fail(DYN_STATUS_OUT_OF_MEMORY,
                      "the system starts no thread that reads constants");
    workers.push_back(thread);
  }
  return DYN_STATUS_OK;
}

DeviceResidency::~DeviceResidency() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stops = true;
    changed.notify_all();
  }
  for (pthread_t worker : workers)
    ::pthread_join(worker, nullptr);
  if (!context)
    return;
  // No execution lives, so that all launches have run.
  Driver::Current current(*cuda, context);
  for (const Queued &each : queued)
    events.push_back(each.event);
  for (dyn_cuda_event_t event : events)
    cuda->eventDestroy(event);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<uint32_t> DeviceResidency::find(const void *address) const {
  // Below the addresses of constants, the difference is above all offsets.
  uint64_t offset = reinterpret_cast<uint64_t>(address) - blocks.begin();
  auto it = std::upper_bound(byOffset.begin(), byOffset.end(), offset,
                             [&](uint64_t offset, uint32_t constant) {
                               return offset < constants[constant].offset;
                             });
  if (it == byOffset.begin())
    return std::nullopt;
  const dyn_constant_t &found = constants[it[-1]];
  if (offset - found.offset >= found.bytes)
    return std::nullopt;
  return it[-1];
}

BlockRange DeviceResidency::getBlocks(uint64_t offset, uint64_t bytes) const {
  uint64_t blockBytes = blocks.blockBytes();
  if (!bytes)
    return {0, 0};
  return {uint32_t(offset / blockBytes),
          uint32_t((offset + bytes + blockBytes - 1) / blockBytes)};
}

uint64_t DeviceResidency::count(const BlockRanges &ranges) const {
  BlockRanges sorted = ranges;
  std::sort(sorted.begin(), sorted.end(),
            [](BlockRange a, BlockRange b) { return a.begin < b.begin; });
  uint64_t sum = 0;
  uint32_t end = 0;
  for (BlockRange range : sorted) {
    sum += range.end - std::min(range.end, std::max(range.begin, end));
    end = std::max(end, range.end);
  }
  return sum;
}

bool DeviceResidency::areResident(const BlockRanges &ranges) const {
  return std::all_of(ranges.begin(), ranges.end(),
                     [&](BlockRange range) { return plan->isResident(range); });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void DeviceResidency::beginCall() {
  std::lock_guard<std::mutex> lock(mutex);
  ++activeCalls;
  // So that reads ahead may replace what the call before has used.
  reapOldest();
  plan->beginCall();
}

void DeviceResidency::endCall() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--activeCalls == 0)
    plan->endCall();
}

void DeviceResidency::announce(const BlockRanges &ranges, bool isSure) {
  std::lock_guard<std::mutex> lock(mutex);
  for (BlockRange range : ranges)
    if (isSure)
      plan->announce(range);
    else
      plan->expect(range);
  changed.notify_all();
}

dyn_status_t DeviceResidency::pin(const BlockRanges &ranges, const char *reader,
                                  uint32_t largest) {
  uint64_t needed = count(ranges) * blocks.blockBytes();
  if (needed > limitBytes)
    return rt::fail(DYN_STATUS_OUT_OF_MEMORY,
                    "memory_limit: '%s', which reads '%s', needs its constants "
                    "in memory of the device at once: expected at least %llu "
                    "bytes, got %llu",
                    reader, constants[largest].name, (unsigned long long)needed,
                    (unsigned long long)limitBytes);
  std::unique_lock<std::mutex> turn(admission);
  std::unique_lock<std::mutex> lock(mutex);
  reapOldest();
  while (!plan->pin(ranges))
    if (!reap())
      DYN_RETURN_IF_FAILED(waitForLaunch(lock));
  turn.unlock();
  Waiter waiter = {ranges, 0, false, DYN_STATUS_OK, {}};
  if (!demand(waiter))
    return DYN_STATUS_OK;
  ++waits;
  waiters.push_back(&waiter);
  while (!waiter.failure && !areResident(ranges)) {
    if (waiter.asksAgain)
      demand(waiter);
    changed.wait(lock);
  }
  waiters.erase(std::find(waiters.begin(), waiters.end(), &waiter));
  if (!waiter.failure)
    return DYN_STATUS_OK;
  plan->unpin(ranges);
  changed.notify_all();
  return rt::fail(waiter.failure, "%s", waiter.text.c_str());
}

bool DeviceResidency::demand(Waiter &waiter) {
  waiter.asked = reads;
  waiter.asksAgain = false;
  bool isAny = false;
  for (BlockRange range : waiter.ranges)
    for (uint32_t block = range.begin; block < range.end; ++block)
      isAny |= plan->demand(block);
  if (isAny)
    changed.notify_all();
  return isAny;
}

void DeviceResidency::unpin(BlockRanges ranges, dyn_cuda_stream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  for (BlockRange range : ranges)
    plan->finish(range);
  dyn_cuda_event_t event = nullptr;
  bool isMade = true;
  if (events.empty()) {
    isMade = cuda->eventCreate(&event, DYN_CUDA_EVENT_DISABLE_TIMING) ==
             DYN_CUDA_SUCCESS;
  } else {
    event = events.back();
    events.pop_back();
  }
  queued.push_back({event, std::move(ranges)});
  if (!isMade || cuda->eventRecord(event, stream) != DYN_CUDA_SUCCESS) {
    // Without an event, the host waits; a lost device reads no more.
    cuda->streamSynchronize(stream);
    plan->unpin(queued.back().ranges);
    queued.pop_back();
    if (isMade)
      cuda->eventDestroy(event);
  }
  changed.notify_all();
}

bool DeviceResidency::hasRun(const Queued &each) const {
  return cuda->eventQuery(each.event) == DYN_CUDA_SUCCESS;
}

void DeviceResidency::endPin(const Queued &each) {
  plan->unpin(each.ranges);
  events.push_back(each.event);
}

bool DeviceResidency::reap() {
  auto waits =
      std::stable_partition(queued.begin(), queued.end(),
                            [&](const Queued &each) { return !hasRun(each); });
  bool isAny = waits != queued.end();
  std::for_each(waits, queued.end(), [&](Queued &each) { endPin(each); });
  queued.erase(waits, queued.end());
  if (isAny)
    changed.notify_all();
  return isAny;
}

void DeviceResidency::reapOldest() {
  while (!queued.empty() && hasRun(queued.front())) {
    endPin(queued.front());
    queued.pop_front();
  }
}

dyn_status_t
DeviceResidency::waitForLaunch(std::unique_lock<std::mutex> &lock) {
  if (queued.empty()) {
    // Others that have pins have not queued their launches yet.
    changed.wait(lock);
    return DYN_STATUS_OK;
  }
  dyn_cuda_event_t event = queued.front().event;
  lock.unlock();
  int result = cuda->eventSynchronize(event);
  lock.lock();
  DYN_RETURN_IF_FAILED(
      cuda->check(result, "wait for kernels that read constants"));
  // Nobody else ends pins: this launch has the turn.
  endPin(queued.front());
  queued.pop_front();
  return DYN_STATUS_OK;
}

void DeviceResidency::addStats(dyn_memory_stats_t &stats) const {
  std::lock_guard<std::mutex> lock(mutex);
  stats.read_bytes = readBytes;
  stats.faults = waits;
  stats.constant_bytes = plan->getResident() * blocks.blockBytes();
  stats.peak_constant_bytes = peakBlocks * blocks.blockBytes();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void *DeviceResidency::work(void *self) {
  static_cast<DeviceResidency *>(self)->serve();
  return nullptr;
}

void DeviceResidency::serve() {
  Driver::Current current(*cuda, context);
  dyn_status_t opened = current.check();
  void *staging = nullptr;
  dyn_cuda_stream_t stream = nullptr;
  bool hasStaging = false, hasStream = false;
  std::vector<uint32_t> dropped;
  std::unique_lock<std::mutex> lock(mutex);
  while (!stops) {
    BlockRange read;
    dropped.clear();
    if (!plan->takeRead(read, dropped)) {
      changed.wait(lock);
      continue;
    }
    uint64_t number = ++reads;
    // While the lock is held: nobody maps these again before.
    dyn_status_t status = opened;
    if (!status)
      status = remap(read, dropped);
    peakBlocks = std::max<uint64_t>(peakBlocks, plan->getResident());
    lock.unlock();
    // Made when they are needed first, and again after a failure.
    if (!status && !hasStaging)
      hasStaging = !(status = cuda->check(
                         cuda->hostAlloc(&staging, blocks.blockBytes(), 0),
                         "take memory of the host for constants"));
    if (!status && !hasStream)
      hasStream =
          !(status = cuda->check(
                cuda->streamCreate(&stream, DYN_CUDA_STREAM_NON_BLOCKING),
                "make a stream"));
    if (!status)
      status = load(read, static_cast<char *>(staging), stream);
    lock.lock();
    if (status) {
      plan->abandon(read);
      fail(read, number, status);
    } else {
      readBytes += (read.end - read.begin) * blocks.blockBytes();
      plan->arrive(read);
    }
    changed.notify_all();
  }
  if (hasStream)
    cuda->streamDestroy(stream);
  if (hasStaging)
    cuda->hostFree(staging);
}

dyn_status_t DeviceResidency::remap(BlockRange read,
                                    const std::vector<uint32_t> &dropped) {
  for (uint32_t block : dropped)
    DYN_RETURN_IF_FAILED(blocks.unmap(block));
  for (uint32_t block = read.begin; block < read.end; ++block)
    DYN_RETURN_IF_FAILED(blocks.map(block));
  return DYN_STATUS_OK;
}

dyn_status_t DeviceResidency::load(BlockRange read, char *staging,
                                   dyn_cuda_stream_t stream) {
  for (uint32_t block = read.begin; block < read.end; ++block) {
    uint64_t offset = block * blocks.blockBytes();
    uint64_t bytes = std::min(blocks.blockBytes(), areaBytes - offset);
    if (!store.read(offset, staging, bytes))
      return rt::fail(DYN_STATUS_BAD_ARTIFACT,
                      "cannot read constants of the artifact: its file was "
                      "changed, or its device fails");
    DYN_RETURN_IF_FAILED(cuda->check(
        cuda->copyToDeviceAsync(blocks.address(block), staging, bytes, stream),
        "copy constants to the device"));
    DYN_RETURN_IF_FAILED(cuda->check(cuda->streamSynchronize(stream),
                                     "copy constants to the device"));
  }
  return DYN_STATUS_OK;
}

void DeviceResidency::fail(BlockRange read, uint64_t number,
                           dyn_status_t status) {
  auto waitsFor = [&](const Waiter &waiter) {
    return std::any_of(
        waiter.ranges.begin(), waiter.ranges.end(), [&](BlockRange range) {
          return range.begin < read.end && read.begin < range.end;
        });
  };
  for (Waiter *waiter : waiters) {
    if (waiter->failure || !waitsFor(*waiter))
      continue;
    // A read that began before somebody asked may succeed now.
    if (number <= waiter->asked) {
      waiter->asksAgain = true;
    } else {
      waiter->failure = status;
      waiter->text = dyn_last_error();
    }
  }
}
