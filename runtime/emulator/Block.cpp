//===- Block.cpp - Runs the threads of a block in turn --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <cstring>
#include <utility>

using namespace dyn::emu;

//===----------------------------------------------------------------------===//
// Services
//===----------------------------------------------------------------------===//

static Thread &get(dyn_emu_thread_t *thread) {
  return *reinterpret_cast<Thread *>(thread);
}

static void accessService(dyn_emu_thread_t *thread, uint32_t site,
                          const void *address, uint32_t bytes,
                          uint32_t access) {
  get(thread).block->access(get(thread), site, address, bytes,
                            static_cast<dyn_emu_access_t>(access));
}

static void barrierService(dyn_emu_thread_t *thread, uint32_t site) {
  get(thread).block->barrier(get(thread), site);
}

static uint32_t shuffleService(dyn_emu_thread_t *thread, uint32_t site,
                               uint32_t mode, uint32_t mask, uint32_t value,
                               uint32_t lane, uint32_t clamp) {
  return get(thread).block->shuffle(get(thread), site, mode, mask, value, lane,
                                    clamp);
}

static void mmaService(dyn_emu_thread_t *thread, uint32_t site, uint32_t type,
                       const uint32_t *a, const uint32_t *b, const float *c,
                       float *d) {
  get(thread).block->mma(get(thread), site, static_cast<dyn_emu_mma_t>(type),
                         {a, b, c, d});
}

static void loadMatricesService(dyn_emu_thread_t *thread, uint32_t site,
                                const void *row, uint32_t count,
                                uint32_t transposes, uint32_t *results) {
  get(thread).block->loadMatrices(get(thread), site, row, count,
                                  transposes != 0, results);
}

static void copyService(dyn_emu_thread_t *thread, uint32_t site, void *to,
                        const void *from, uint32_t bytes, uint32_t valid) {
  get(thread).block->copy(get(thread), site,
                          {to, from, bytes, valid, site, get(thread).group});
}

static void commitService(dyn_emu_thread_t *thread, uint32_t) {
  get(thread).block->commit(get(thread));
}

static void waitService(dyn_emu_thread_t *thread, uint32_t, uint32_t pending) {
  get(thread).block->waitForCopies(get(thread), pending);
}

static const dyn_emu_ops_t kOps = {
    sizeof(dyn_emu_ops_t), 0,          accessService,       barrierService,
    shuffleService,        mmaService, loadMatricesService, copyService,
    commitService,         waitService};

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Block::Block(Device &device, const dyn_emu_kernel_t &kernel, uint32_t count,
             const void *params)
    : device(device), kernel(kernel), params(params), threads(count),
      shared(kernel.shared_bytes + 16), sharedShadow(kernel.shared_bytes) {
  auto base = reinterpret_cast<uintptr_t>(shared.data());
  void *aligned = shared.data() + (16 - base % 16) % 16;
  for (uint32_t i = 0; i < count; ++i) {
    Thread &thread = threads[i];
    thread.known = {&kOps,     aligned,       {i, 0, 0},
                    {0, 0, 0}, {count, 1, 1}, {0, 1, 1}};
    thread.block = this;
    thread.number = i;
  }
}

void Block::start(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  Block &block = *thread.block;
  block.kernel.fn(block.params, &thread.known);
  thread.state = Thread::State::Done;
  --block.live;
  block.scheduler.enter(thread.fiber);
}

bool Block::run(uint32_t blockNumber, uint32_t blocks) {
  number = blockNumber;
  live = threads.size();
  isStopped = false;
  sharedShadow.clear();
  ready.clear();
  for (Thread &thread : threads) {
    thread.known.ctaid[0] = number;
    thread.known.nctaid[0] = blocks;
    thread.fiber.prepare(device.stacks.get(thread.number),
                         device.stacks.getBytes(), start, &thread);
    wake(thread);
  }
  bool isDone = runThreads();
  // Shared memory ends with the block, but global memory does not.
  for (Thread &thread : threads) {
    for (const Thread::Copy &copy : thread.copies)
      endCopy(thread, copy);
    thread.copies.clear();
  }
  return isDone;
}

bool Block::runThreads() {
  while (live > 0 && !isStopped) {
    if (ready.empty() && !openBarrier())
      return false;
    Thread &next = *ready.front();
    ready.pop_front();
    next.fiber.enter(scheduler);
    if (next.fiber.hasOverflown()) {
      report(Fault::StackOverflow, next, next.site, "");
      return false;
    }
  }
  return !isStopped;
}

void Block::wake(Thread &thread) {
  thread.state = Thread::State::Ready;
  ready.push_back(&thread);
}

void Block::wait(Thread &thread, Thread::State state, uint32_t site) {
  thread.state = state;
  thread.site = site;
  scheduler.enter(thread.fiber);
}

void Block::stop(Thread &thread) {
  isStopped = true;
  scheduler.enter(thread.fiber);
  __builtin_unreachable();
}

void Block::report(Fault fault, const Thread &thread, uint32_t site,
                   std::string detail, const Party *other) {
  auto getSite = [&](uint32_t i) -> dyn_emu_site_t {
    return i < kernel.site_count ? kernel.sites[i] : dyn_emu_site_t{"?", ""};
  };
  Report report;
  report.fault = fault;
  report.kernel = kernel.name;
  report.op = getSite(site).op;
  report.location = getSite(site).location;
  report.block = number;
  report.thread = thread.number;
  report.detail = std::move(detail);
  if (other) {
    report.otherOp = getSite(other->site).op;
    report.otherLocation = getSite(other->site).location;
    if (other->thread < threads.size())
      report.otherThread = other->thread;
  }
  device.add(std::move(report));
}

//===----------------------------------------------------------------------===//
// Barriers and warps
//===----------------------------------------------------------------------===//

void Block::barrier(Thread &thread, uint32_t site) {
  wait(thread, Thread::State::AtBarrier, site);
}

bool Block::openBarrier() {
  Thread *first = nullptr;
  for (Thread &thread : threads) {
    if (thread.state == Thread::State::InWarp) {
      report(Fault::Divergence, thread, thread.site,
             "lanes of its mask have ended or wait elsewhere");
      return false;
    }
    if (thread.state != Thread::State::AtBarrier)
      continue;
    if (!first)
      first = &thread;
    if (thread.site != first->site) {
      Party other = {0, static_cast<uint16_t>(first->site),
                     static_cast<uint16_t>(first->number)};
      report(Fault::BarrierMismatch, thread, thread.site, "", &other);
      return false;
    }
  }
  ++device.epoch.now;
  for (Thread &thread : threads)
    if (thread.state == Thread::State::AtBarrier)
      wake(thread);
  return true;
}

template <typename Act>
void Block::meet(Thread &thread, uint32_t site, uint32_t mask, Act act) {
  thread.site = site;
  thread.mask = mask;
  thread.state = Thread::State::InWarp;
  if (!(mask >> thread.number % DYN_EMU_WARP & 1)) {
    report(Fault::Divergence, thread, site, "the lane is not in its own mask");
    stop(thread);
  }
  uint32_t first = thread.number - thread.number % DYN_EMU_WARP;
  for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Thread *other =
        first + lane < threads.size() ? &threads[first + lane] : nullptr;
    if (!other || other->state != Thread::State::InWarp ||
        other->site != site || other->mask != mask)
      return wait(thread, Thread::State::InWarp, site);
  }
  act(&threads[first]);
  for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane)
    if (mask >> lane & 1 && &threads[first + lane] != &thread)
      wake(threads[first + lane]);
  thread.state = Thread::State::Ready;
}

uint32_t Block::shuffle(Thread &thread, uint32_t site, uint32_t mode,
                        uint32_t mask, uint32_t value, uint32_t lane,
                        uint32_t clamp) {
  thread.shuffle = {mode, value, lane, clamp, 0};
  meet(thread, site, mask, [&](Thread *warp) { exchange(thread, warp); });
  return thread.shuffle.result;
}

/// The lane whose value `lane` reads.
static uint32_t getSource(uint32_t lane, uint32_t mode, uint32_t b,
                          uint32_t clamp) {
  uint32_t limit = clamp & 31, segment = clamp >> 8 & 31;
  uint32_t last = (lane & segment) | (limit & ~segment);
  b &= 31;
  uint32_t source = lane;
  switch (mode) {
  case DYN_EMU_SHUFFLE_IDX:
    source = (lane & segment) | (b & ~segment);
    break;
  case DYN_EMU_SHUFFLE_UP:
    // For this mode, the limit is the first lane of the segment.
    return lane >= b + last ? lane - b : lane;
  case DYN_EMU_SHUFFLE_DOWN:
    source = lane + b;
    break;
  case DYN_EMU_SHUFFLE_BFLY:
    source = lane ^ b;
    break;
  }
  return source <= last ? source : lane;
}

void Block::exchange(Thread &last, Thread *warp) {
  for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane) {
    if (!(last.mask >> lane & 1))
      continue;
    Thread &thread = warp[lane];
    auto &shuffle = thread.shuffle;
    uint32_t source =
        getSource(lane, shuffle.mode, shuffle.lane, shuffle.clamp);
    if (!(last.mask >> source & 1)) {
      report(Fault::Divergence, thread, thread.site,
             "it asks for lane " + std::to_string(source) +
                 ", which takes no part");
      stop(last);
    }
    shuffle.result = warp[source].shuffle.value;
  }
}

void Block::mma(Thread &thread, uint32_t site, dyn_emu_mma_t type,
                const MmaRegisters &registers) {
  thread.mma = registers;
  meet(thread, site, ~0u, [&](Thread *warp) {
    MmaRegisters lanes[DYN_EMU_WARP];
    for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane)
      lanes[lane] = warp[lane].mma;
    multiplyMatrices(type, lanes);
  });
}

void Block::loadMatrices(Thread &thread, uint32_t site, const void *row,
                         uint32_t count, bool transposes, uint32_t *results) {
  constexpr uint32_t kSize = 8, kRowBytes = 16;
  thread.site = site;
  if (thread.number % DYN_EMU_WARP < kSize * count)
    note(thread, site,
         locate(thread, site, row, kRowBytes, kRowBytes, /*isShared=*/true),
         row, kRowBytes, DYN_EMU_LOAD, device.epoch.now);
  thread.matrices = {row, results};
  meet(thread, site, ~0u, [&](Thread *warp) {
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane) {
        uint16_t pair[2];
        for (uint32_t j = 0; j < 2; ++j) {
          uint32_t at = lane / 4, along = lane % 4 * 2 + j;
          if (transposes)
            std::swap(at, along);
          std::memcpy(
              &pair[j],
              static_cast<const uint16_t *>(warp[kSize * i + at].matrices.row) +
                  along,
              sizeof(pair[j]));
        }
        warp[lane].matrices.results[i] = pair[0] | uint32_t(pair[1]) << 16;
      }
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Block::Target Block::locate(Thread &thread, uint32_t site, const void *address,
                            uint32_t bytes, uint32_t alignment, bool isShared) {
  auto *at = static_cast<const char *>(address);
  auto *sharedBegin = static_cast<const char *>(thread.known.shared);
  const char *begin = sharedBegin;
  size_t size = kernel.shared_bytes;
  Shadow *shadow = &sharedShadow;
  if (at < begin || at >= begin + size) {
    auto [found, allocation] = device.find(address);
    if (!allocation || isShared) {
      std::string text = device.describeElsewhere(address);
      report(Fault::OutOfBounds, thread, site,
             isShared       ? "no shared memory"
             : text.empty() ? "no memory of the device"
                            : text);
      stop(thread);
    }
    begin = found;
    size = allocation->bytes;
    shadow = &allocation->shadow;
  }
  size_t offset = at - begin;
  if (offset + bytes > size) {
    std::string text = device.describeElsewhere(address);
    if (text.empty())
      text = std::to_string(bytes) + " bytes at " + std::to_string(offset) +
             " of memory of " + std::to_string(size);
    report(Fault::OutOfBounds, thread, site, text);
    stop(thread);
  }
  if (reinterpret_cast<uintptr_t>(at) % alignment != 0) {
    report(Fault::Misaligned, thread, site,
           std::to_string(bytes) + " bytes at " + std::to_string(offset));
    stop(thread);
  }
  return {shadow, offset};
}

void Block::note(Thread &thread, uint32_t site, const Target &target,
                 const void *address, uint32_t bytes, dyn_emu_access_t access,
                 uint32_t epoch) {
  auto [shadow, offset] = target;
  bool isShared = shadow == &sharedShadow;
  if (device.counter)
    device.counter->add(
        thread.number, site, isShared,
        isShared ? offset : reinterpret_cast<uintptr_t>(address), bytes);
  if (!isShared)
    if (const Device::Transfer *other =
            device.findRace(address, bytes, access != DYN_EMU_LOAD))
      report(Fault::Race, thread, site,
             std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                 ", with " + other->text + ", which has not ended");
  Party who = {epoch, static_cast<uint16_t>(site),
               static_cast<uint16_t>(thread.number)};
  auto conflict = shadow->access(offset, bytes, access, who, device.epoch);
  if (!conflict)
    return;
  if (conflict->isUninitialized)
    report(Fault::Uninitialized, thread, site,
           std::to_string(bytes) + " bytes at " + std::to_string(offset));
  else if (const char *other = device.streams.findOther(conflict->other.epoch))
    report(Fault::Race, thread, site,
           std::to_string(bytes) + " bytes at " + std::to_string(offset) +
               ", with '" + other +
               "' of another stream, which no event orders");
  else
    report(Fault::Race, thread, site,
           std::to_string(bytes) + " bytes at " + std::to_string(offset),
           &conflict->other);
}

void Block::access(Thread &thread, uint32_t site, const void *address,
                   uint32_t bytes, dyn_emu_access_t access) {
  thread.site = site;
  note(thread, site,
       locate(thread, site, address, bytes, bytes, /*isShared=*/false), address,
       bytes, access, device.epoch.now);
}

void Block::copy(Thread &thread, uint32_t site, const Thread::Copy &copy) {
  thread.site = site;
  Target to =
      locate(thread, site, copy.to, copy.bytes, copy.bytes, /*isShared=*/true);
  note(thread, site, to, copy.to, copy.bytes, DYN_EMU_STORE, Epoch::kUnderWay);
  if (copy.valid > 0) {
    Target from = locate(thread, site, copy.from, copy.valid, copy.bytes,
                         /*isShared=*/false);
    note(thread, site, from, copy.from, copy.valid, DYN_EMU_LOAD,
         Epoch::kUnderWay);
  } else if (device.counter) {
    device.counter->add(thread.number, site, /*isShared=*/false, 0, 0);
  }
  thread.copies.push_back(copy);
}

void Block::endCopy(Thread &thread, const Thread::Copy &copy) {
  Party who = {device.epoch.now, static_cast<uint16_t>(copy.site),
               static_cast<uint16_t>(thread.number)};
  auto end = [&](const void *address, uint32_t bytes) {
    Target target = locate(thread, copy.site, address, bytes, 1,
                           /*isShared=*/false);
    target.shadow->end(target.offset, bytes, who);
  };
  end(copy.to, copy.bytes);
  if (copy.valid > 0)
    end(copy.from, copy.valid);
}

void Block::waitForCopies(Thread &thread, uint32_t pending) {
  while (!thread.copies.empty() &&
         thread.copies.front().group + pending < thread.group) {
    const Thread::Copy &copy = thread.copies.front();
    auto *to = static_cast<char *>(copy.to);
    std::memcpy(to, copy.from, copy.valid);
    std::memset(to + copy.valid, 0, copy.bytes - copy.valid);
    endCopy(thread, copy);
    thread.copies.pop_front();
  }
}
