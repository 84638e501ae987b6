//===- Residency.cpp - Constants in a limited part of memory --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residency.h"

#include "MemoryLimit.h"
#include "Thread.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dyn::rt;

/// The work of a path without rows, in rows, at most.
static constexpr int64_t mostRowsOfPath = 64;
/// Paths of all constants; of others, kernels run in order.
static constexpr size_t mostUses = 8192;

/// The unit that is dropped: small against the weights of a path, so that
/// little of other paths comes with it.
static constexpr uint64_t blockBytes = 65536;
static constexpr uint64_t readBuffer = blockBytes * ResidencyPlan::readBlocks;
/// So that the store always has a read to do while others are installed.
static constexpr uint32_t workerCount = 4;
/// Memory beside that of constants: a page is new before those that it joins
/// are gone.
static constexpr uint64_t otherBytes =
    workerCount * readBuffer + FaultRegion::joinedBytes;
static_assert(FaultRegion::joinedBytes ==
              blockBytes * ResidencyPlan::groupBlocks);

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// A number of bytes, such as 512M; 0 if it is none.
static uint64_t parseBytes(const char *text) {
  char *end = nullptr;
  unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *text == '-')
    return 0;
  unsigned shift = 0;
  if (const char *units = "KMGT"; *end)
    if (const char *unit = std::strchr(units, *end)) {
      shift = unsigned(unit - units + 1) * 10;
      ++end;
    }
  return *end || value > UINT64_MAX >> shift ? 0 : uint64_t(value) << shift;
}

uint64_t Residency::getRate() {
  const char *rate = std::getenv("DYN_MEMORY_RATE");
  return rate ? parseBytes(rate) : 0;
}

dyn_status_t Residency::chooseLimit(uint64_t given, bool isOfHost,
                                    uint64_t &limit) {
  limit = given;
  const char *text = std::getenv("DYN_MEMORY_LIMIT");
  if (given || !text || !*text)
    return DYN_STATUS_OK;
  if (std::strcmp(text, "cgroup") == 0) {
    // The rest is for inputs, results and the host.
    uint64_t group = isOfHost ? MemoryLimit::ofGroups().memory : UINT64_MAX;
    limit = group >> 60 ? 0 : group / 4 * 3;
    return DYN_STATUS_OK;
  }
  limit = parseBytes(text);
  if (!limit)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "DYN_MEMORY_LIMIT: expected 'cgroup' or a number of bytes, "
                "such as 512M, got '%s'",
                text);
  return DYN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

dyn_status_t Residency::open(const dyn_descriptor_t &desc,
                             const Constants &constants, uint64_t limit) {
  uint64_t least = otherBytes + ResidencyPlan::leastCapacity * blockBytes;
  if (limit < least)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "memory_limit: expected at least %llu bytes, got %llu",
                (unsigned long long)least, (unsigned long long)limit);
  root = &desc;
  limitBytes = limit;
  owner = ::getpid();
  DYN_RETURN_IF_FAILED(constants.openStore(store, getRate()));
  uint64_t blocks = (desc.constants_bytes + blockBytes - 1) / blockBytes;
  DYN_RETURN_IF_FAILED(region.open(blocks * blockBytes));
  plan.emplace(uint32_t(blocks), uint32_t((limit - otherBytes) / blockBytes));
  ofPaths.resize(desc.constant_count);
  uses.resize(mostUses);
  pathUses.resize(desc.constant_count);
  for (uint32_t i = 0; i < desc.constant_count; ++i)
    data.push_back(region.data() + desc.constants[i].offset);
  byOffset.resize(desc.constant_count);
  std::iota(byOffset.begin(), byOffset.end(), 0);
  std::sort(byOffset.begin(), byOffset.end(), [&](uint32_t a, uint32_t b) {
    const dyn_constant_t &left = desc.constants[a], &right = desc.constants[b];
    // Of those at one offset, the longest is found.
    return std::pair(left.offset, left.bytes) <
           std::pair(right.offset, right.bytes);
  });
  bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (uint32_t i = 0; i < workerCount; ++i) {
    pthread_t thread;
    if (bell < 0 || !startThread(thread, work, this))
      return fail(DYN_STATUS_OUT_OF_MEMORY,
                  "the system starts no thread that reads constants");
    workers.push_back(thread);
  }
  return DYN_STATUS_OK;
}

Residency::~Residency() {
  // A forked child has neither the threads nor the memory.
  if (!workers.empty() && owner == ::getpid()) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stops = true;
      callWorkers();
    }
    for (pthread_t worker : workers)
      ::pthread_join(worker, nullptr);
  }
  if (bell >= 0)
    ::close(bell);
}

void Residency::callWorkers() {
  uint64_t one = 1;
  // Fails if the bell rings already.
  [[maybe_unused]] ssize_t written = ::write(bell, &one, sizeof(one));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

dyn_status_t Residency::beginCall() {
  if (::getpid() != owner)
    return fail(DYN_STATUS_UNSUPPORTED,
                "a context with memory_limit cannot be used after fork(): "
                "create another one");
  std::lock_guard<std::mutex> lock(mutex);
  ++activeCalls;
  plan->beginCall();
  return DYN_STATUS_OK;
}

void Residency::endCall() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--activeCalls == 0)
    plan->endCall();
}

BlockRange Residency::getBlocks(uint64_t offset, uint64_t bytes) const {
  return {uint32_t(offset / blockBytes),
          uint32_t((offset + bytes + blockBytes - 1) / blockBytes)};
}

void Residency::beginUses(uint32_t count, const dyn_range_t *ranges) {
  for (uint32_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && ranges[end].constant == ranges[i].constant;)
      ++end;
    PathUses &own = pathUses[ranges[i].constant];
    own.count = 0;
    if (end - i > own.room && end - i <= uses.size() - usesTaken) {
      own = {usesTaken, end - i, 0};
      usesTaken += end - i;
    }
  }
}

void Residency::announce(const int64_t *offsets, uint32_t count,
                         const dyn_range_t *ranges, bool isSure) {
  std::lock_guard<std::mutex> lock(mutex);
  BlockRange last = {0, 0};
  if (isSure)
    beginUses(count, ranges);
  for (uint32_t i = 0; i < count; ++i) {
    const dyn_range_t &range = ranges[i];
    ofPaths[range.constant] = true;
    if (!range.bytes ||
        (offsets && offsets[range.path] >= offsets[range.path + 1]))
      continue;
    BlockRange blocks = getBlocks(
        root->constants[range.constant].offset + range.offset, range.bytes);
    // Consecutive ranges may share a block.
    if (blocks.begin < last.end && blocks.begin >= last.begin)
      blocks.begin = last.end;
    if (blocks.begin >= blocks.end)
      continue;
    last = blocks;
    if (isSure) {
      plan->announce(blocks);
      PathUses &own = pathUses[range.constant];
      if (offsets && own.count < own.room)
        uses[own.first + own.count++] = {
            offsets[range.path + 1] - offsets[range.path], blocks};
    } else
      plan->expect(blocks);
  }
  callWorkers();
}

std::optional<uint32_t> Residency::findConstant(uint64_t offset) const {
  auto it = std::upper_bound(byOffset.begin(), byOffset.end(), offset,
                             [&](uint64_t offset, uint32_t constant) {
                               return offset < root->constants[constant].offset;
                             });
  if (it == byOffset.begin())
    return std::nullopt;
  return it[-1];
}

std::optional<uint32_t> Residency::findConstant(const void *address) const {
  // Below the region, the difference is above all offsets.
  uint64_t offset = reinterpret_cast<uint64_t>(address) -
                    reinterpret_cast<uint64_t>(region.data());
  std::optional<uint32_t> constant = findConstant(offset);
  if (constant && root->constants[*constant].offset == offset)
    return constant;
  return std::nullopt;
}

void Residency::beginLaunch(void *const *buffers, uint32_t count,
                            uint64_t bytes) {
  bool isNew = false;
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<uint32_t> constant = findConstant(buffers[i]);
    // A kernel that takes rows of a table does not read all of it.
    if (!constant || ofPaths[*constant] ||
        root->constants[*constant].bytes > bytes)
      continue;
    plan->announce(getBlocks(*constant), /*now=*/true);
    isNew = true;
  }
  if (activeCalls == 1)
    positions.fill({});
  // The calling thread begins at the beginning.
  uint32_t thread = uint32_t(::syscall(SYS_gettid));
  positions[thread % positions.size()] = {thread, 0};
  if (isNew)
    callWorkers();
}

void Residency::endLaunch(void *const *buffers, uint32_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < count; ++i)
    if (std::optional<uint32_t> constant = findConstant(buffers[i]))
      plan->finish(getBlocks(*constant));
}

int64_t Residency::getFirstItem(void *const *buffers, uint32_t count,
                                int64_t items) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<uint32_t> constant = findConstant(buffers[i]);
    if (!constant || !pathUses[*constant].count)
      continue;
    const PathUses &own = pathUses[*constant];
    const PathUse *paths = &uses[own.first];
    size_t behind = own.count;
    while (behind && plan->isResident(paths[behind - 1].blocks))
      --behind;
    if (behind == 0 || behind == own.count)
      return 0;
    // Items are shares of the work in the order of paths. A path has work for
    // its rows, and some for itself, which kernels know: as much as is late.
    int64_t first = 0;
    for (int64_t more : {int64_t(0), mostRowsOfPath}) {
      double before = 0, all = 0;
      for (size_t k = 0; k < own.count; ++k) {
        all += double(paths[k].rows + more);
        before += k < behind ? double(paths[k].rows + more) : 0;
      }
      first = std::max(first, int64_t(before / all * double(items)) + 2);
    }
    return first < items ? first : 0;
  }
  return 0;
}

dyn_status_t Residency::check() const {
  if (!failed.load(std::memory_order_acquire))
    return DYN_STATUS_OK;
  return fail(DYN_STATUS_BAD_ARTIFACT, "%s", failure.c_str());
}

dyn_memory_stats_t Residency::stats() const {
  std::lock_guard<std::mutex> lock(mutex);
  dyn_memory_stats_t stats = {};
  stats.limit_bytes = limitBytes;
  stats.used_bytes = otherBytes + plan->getResident() * blockBytes;
  stats.peak_bytes = otherBytes + peakBlocks * blockBytes;
  stats.read_bytes = readBytes;
  stats.faults = faults;
  stats.constant_bytes = plan->getResident() * blockBytes;
  stats.peak_constant_bytes = peakBlocks * blockBytes;
  return stats;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void *Residency::work(void *self) {
  static_cast<Residency *>(self)->serve();
  return nullptr;
}

void Residency::serve() {
  std::unique_ptr<char, decltype(&std::free)> buffer(
      static_cast<char *>(std::aligned_alloc(DYN_PAGE, readBuffer)),
      &std::free);
  std::vector<uint32_t> dropped;
  // Groups may be dropped for each block that is read, and one for the first.
  dropped.reserve((ResidencyPlan::readBlocks + 1) * ResidencyPlan::groupBlocks);
  std::unique_lock<std::mutex> lock(mutex);
  while (!stops) {
    takeFaults();
    BlockRange read;
    dropped.clear();
    bool isFound = plan->takeRead(read, dropped);
    // While the lock is held: nobody installs these again before.
    drop(dropped);
    if (isFound) {
      peakBlocks = std::max<uint64_t>(peakBlocks, plan->getResident());
      readBytes += uint64_t(read.end - read.begin) * blockBytes;
      lock.unlock();
      load(read, buffer.get());
      lock.lock();
      plan->arrive(read);
      continue;
    }
    if (uint32_t group; !joins && plan->joinGroup(group)) {
      joins = true;
      lock.unlock();
      region.join(group * FaultRegion::joinedBytes);
      lock.lock();
      joins = false;
      continue;
    }
    lock.unlock();
    pollfd files[] = {{region.descriptor(), POLLIN, 0}, {bell, POLLIN, 0}};
    ::poll(files, 2, -1);
    lock.lock();
    uint64_t rung;
    // The other worker has to hear it, too.
    if (!stops) [[maybe_unused]]
      ssize_t got = ::read(bell, &rung, sizeof(rung));
  }
}

/// In as few pieces as possible, since each one interrupts the processors that
/// run kernels.
void Residency::drop(std::vector<uint32_t> &dropped) {
  std::sort(dropped.begin(), dropped.end());
  for (auto it = dropped.begin(), end = dropped.end(); it != end;) {
    auto last = std::adjacent_find(
        it, end, [](uint32_t a, uint32_t b) { return b != a + 1; });
    uint64_t begin = *it;
    it = last == end ? end : std::next(last);
    region.drop(begin * blockBytes, (*std::prev(it) + 1 - begin) * blockBytes);
  }
}

void Residency::takeFaults() {
  while (std::optional<FaultRegion::Fault> fault = region.takeFault()) {
    ++faults;
    uint32_t block = uint32_t(fault->offset / blockBytes);
    notePosition(fault->thread, block);
    if (!plan->demand(block))
      region.wake(block * blockBytes, blockBytes);
  }
}

/// A thread reads a constant from its beginning to its end, so that it needs
/// nothing any more between the block that it waited for last and this one. Of
/// a thread that helps, nobody knows where it began.
void Residency::notePosition(uint32_t thread, uint32_t block) {
  Position &last = positions[thread % positions.size()];
  if (last.thread == thread && last.block < block) {
    std::optional<uint32_t> constant = findConstant(block * blockBytes);
    uint32_t begin = constant ? getBlocks(*constant).begin : 0;
    plan->finish({std::max(last.block, begin), block});
  }
  last = {thread, block};
}

void Residency::load(BlockRange read, char *buffer) {
  uint64_t offset = read.begin * blockBytes;
  uint64_t length = (read.end - read.begin) * blockBytes;
  uint64_t bytes = std::min(length, root->constants_bytes - offset);
  if (!buffer || !store.read(offset, buffer, bytes)) {
    static constexpr char zeros[4096] = {};
    std::lock_guard<std::mutex> lock(mutex);
    if (!failed.load(std::memory_order_relaxed)) {
      failure = "cannot read constants of the artifact: its file was changed, "
                "or its device fails";
      failed.store(true, std::memory_order_release);
    }
    // Nobody waits for ever; the call fails when its kernels have run.
    for (uint64_t at = 0; at < length; at += sizeof(zeros))
      region.install(offset + at, zeros, sizeof(zeros));
    return;
  }
  region.install(offset, buffer, length);
}
