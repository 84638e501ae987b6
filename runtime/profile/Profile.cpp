//===- Profile.cpp - Records which paths cells take -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"

#include "Options.h"
#include "Thread.h"

#include <algorithm>
#include <chrono>

using namespace dyn::rt;

//===----------------------------------------------------------------------===//
// All profiles of the process
//===----------------------------------------------------------------------===//

namespace {
struct Registry {
  std::mutex lifecycle; ///< held from the begin to the end of a start or stop
  std::mutex mutex;
  std::vector<dyn_profile *> all;
  Ref<dyn_profile> current;
};

/// Never destroyed: threads may record while the process ends.
Registry &registry() {
  static Registry *only = new Registry();
  return *only;
}
} // namespace

/// A fork happens while no profile is starting or stopping; the child's
/// profiles restart.
struct dyn_profile::Forking {
  static void prepare() {
    registry().lifecycle.lock();
    registry().mutex.lock();
    for (dyn_profile *profile : registry().all) {
      profile->folding.lock();
      profile->queueing.lock();
      profile->raw.flush();
    }
  }
  static void release() {
    for (dyn_profile *profile : registry().all) {
      profile->queueing.unlock();
      profile->folding.unlock();
    }
    registry().mutex.unlock();
    registry().lifecycle.unlock();
  }
  static void inChild() {
    for (dyn_profile *profile : registry().all)
      profile->restartInChild();
    release();
  }
  static void install() {
    static const int installed = ::pthread_atfork(prepare, release, inChild);
    (void)installed;
  }
};

void dyn_profile::installForkHandlers() { Forking::install(); }

void dyn_profile::restartInChild() {
  // Its waiters are in the parent.
  new (&wakeUp) std::condition_variable();
  threadRuns = threadStops = false;
  queue.clear();
  queuedBytes = 0;
  lost.store(0);
  for (std::unique_ptr<RouteTables> &table : tables)
    table->clear();
  raw.reopenInChild();
  // The parent writes its file, unless the name is different in each process.
  if (!tellsProcessesApart(path))
    path.clear();
}

Ref<dyn_profile> dyn_profile::current() {
  if (!recordingProfile.load(std::memory_order_relaxed))
    return {};
  std::lock_guard<std::mutex> lock(registry().mutex);
  return registry().current;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

dyn_profile::dyn_profile(const dyn_profile_options_t &options)
    : path(anchorPattern(options.path ? options.path : "")),
      windowMs(options.window_ms ? options.window_ms : 1000),
      tableBytes(options.table_bytes ? options.table_bytes : 2 << 20),
      queueBytes(options.queue_bytes ? options.queue_bytes : 16 << 20),
      writeMs(options.write_ms) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().all.push_back(this);
}

dyn_status_t dyn_profile::initialize(const dyn_profile_options_t &options) {
  // Fails before hours of recording, not after them.
  if (!path.empty())
    DYN_RETURN_IF_FAILED(write(path.c_str()));
  return raw.open(anchorPattern(options.raw_path ? options.raw_path : ""));
}

dyn_profile::~dyn_profile() {
  joinThread();
  std::lock_guard<std::mutex> lock(registry().mutex);
  std::vector<dyn_profile *> &all = registry().all;
  all.erase(std::find(all.begin(), all.end(), this));
}

dyn_status_t dyn_profile::start(bool inBackground) {
  Forking::install();
  Ref<dyn_profile> replaced; // dropped after the locks
  std::lock_guard<std::mutex> whole(registry().lifecycle);
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    const dyn_profile *other = registry().current.get();
    if (other && (inBackground || !other->isInBackground))
      return fail(DYN_STATUS_BUSY,
                  "%s profile records already: expected dyn_profile_stop first",
                  other == this ? "this" : "another");
    replaced = std::move(registry().current);
    registry().current = Ref<dyn_profile>::share(this);
    isInBackground = inBackground;
    recordingProfile.store(this, std::memory_order_relaxed);
  }
  if (replaced)
    replaced->joinThread();
  startThread();
  return DYN_STATUS_OK;
}

dyn_status_t dyn_profile::stop() {
  Ref<dyn_profile> held; // dropped after the locks
  std::lock_guard<std::mutex> whole(registry().lifecycle);
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    if (registry().current.get() != this)
      return DYN_STATUS_OK;
    recordingProfile.store(nullptr, std::memory_order_relaxed);
    std::swap(held, registry().current);
  }
  joinThread();
  std::lock_guard<std::mutex> lock(folding);
  fold();
  raw.flush();
  dyn_status_t status = raw.check();
  if (!path.empty())
    if (dyn_status_t failed = writeLocked(path.c_str()))
      status = failed;
  return status;
}

const RouterIndices *dyn_profile::attach(const dyn_descriptor_t &artifact) {
  std::lock_guard<std::mutex> lock(folding);
  RouterIndices indices;
  for (uint32_t i = 0; i < artifact.router_count; ++i) {
    const dyn_router_t &router = artifact.routers[i];
    RouterIdentity identity = {router.key,
                               router.label,
                               router.cell,
                               router.fingerprint,
                               router.paths,
                               "",
                               0};
    if (router.after >= 0) {
      identity.after = artifact.routers[router.after].key;
      identity.afterPaths = artifact.routers[router.after].paths;
    }
    auto same =
        std::find_if(tables.begin(), tables.end(), [&](const auto &table) {
          return table->identity() == identity;
        });
    indices.push_back(uint32_t(same - tables.begin()));
    if (same == tables.end())
      tables.push_back(std::make_unique<RouteTables>(std::move(identity),
                                                     windowMs, tableBytes));
  }
  return &*artifacts.insert(std::move(indices)).first;
}

std::vector<RouteTables> dyn_profile::count(const RouterIndices &routers) {
  std::lock_guard<std::mutex> lock(folding);
  fold();
  std::vector<RouteTables> counts;
  for (uint32_t router : routers)
    counts.emplace_back(tables[router]->identity(),
                        tables[router]->windowLength(),
                        tables[router]->getSum());
  return counts;
}

uint64_t dyn_profile::decisions() {
  std::lock_guard<std::mutex> lock(folding);
  fold();
  uint64_t sum = 0;
  for (const std::unique_ptr<RouteTables> &table : tables)
    sum += table->decisions();
  return sum;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

std::unique_ptr<RouteBlock> dyn_profile::take() noexcept {
  std::unique_ptr<RouteBlock> block;
  {
    std::lock_guard<std::mutex> lock(queueing);
    if (!spare.empty()) {
      block = std::move(spare.back());
      spare.pop_back();
      spareBytes -= block->bytesKept();
    }
  }
  if (!block)
    block.reset(new (std::nothrow) RouteBlock());
  if (!block)
    return countLost(), nullptr;
  block->clear();
  block->timeMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count();
  return block;
}

void dyn_profile::submit(std::unique_ptr<RouteBlock> block) noexcept {
  uint64_t bytes = block->bytes();
  bool isFull = false, wasQuiet = false, hasThread = false;
  try {
    std::lock_guard<std::mutex> lock(queueing);
    queue.push_back(std::move(block));
    // The thread polls now and then; it is woken when the queue is half full.
    wasQuiet = queuedBytes < queueBytes / 2;
    queuedBytes += bytes;
    wasQuiet &= queuedBytes >= queueBytes / 2;
    hasThread = threadRuns;
    isFull = queuedBytes >= queueBytes || !hasThread;
  } catch (const std::bad_alloc &) {
    return countLost();
  }
  // A forked child has no thread yet.
  if (!hasThread)
    startThread();
  // A block that is counted at once is in this processor's cache. Only the
  // profile's thread writes files.
  std::unique_lock<std::mutex> counting(folding, std::defer_lock);
  if (!raw && counting.try_lock())
    return fold();
  if (wasQuiet)
    wakeUp.notify_one();
  if (!isFull)
    return;
  counting.lock();
  fold();
}

void dyn_profile::recycle(std::vector<BlockPtr> &blocks) noexcept {
  std::lock_guard<std::mutex> lock(queueing);
  for (BlockPtr &block : blocks) {
    uint64_t bytes = block->bytesKept();
    if (spareBytes + bytes > queueBytes)
      continue;
    try {
      spare.push_back(std::move(block));
      spareBytes += bytes;
    } catch (const std::bad_alloc &) {
      // Fewer are kept.
    }
  }
  blocks.clear();
}

void dyn_profile::fold() noexcept {
  {
    std::lock_guard<std::mutex> lock(queueing);
    folded.swap(queue);
    queuedBytes = 0;
  }
  for (BlockPtr &block : folded) {
    try {
      foldBlock(*block);
    } catch (const std::bad_alloc &) {
      countLost();
    }
  }
  recycle(folded);
}

void dyn_profile::foldBlock(const RouteBlock &block) {
  const std::vector<RouteReader::Routes> &decided = reader.read(block);
  uint64_t call = foldedCalls++;
  for (size_t i = 0; i < decided.size(); ++i) {
    RouteTables &table = *tables[decided[i].tables];
    // The last decisions of the previous router.
    CellPaths before;
    const RouterIdentity &router = table.identity();
    for (size_t j = i; !router.after.empty() && j-- > 0;) {
      const RouterIdentity &other = tables[decided[j].tables]->identity();
      if (other.key != router.after || other.paths != router.afterPaths)
        continue;
      before = decided[j].cells;
      break;
    }
    table.add(block.timeMs, decided[i].cells, before);
    if (raw)
      raw.add(decided[i].tables, router, block.timeMs, call, decided[i].cells);
  }
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

void dyn_profile::startThread() noexcept {
  std::lock_guard<std::mutex> lock(queueing);
  if (threadRuns || recordingProfile.load(std::memory_order_relaxed) != this)
    return;
  threadStops = false;
  // Without a thread, the threads that submit blocks count them.
  threadRuns = dyn::rt::startThread(
      thread,
      [](void *self) -> void * {
        static_cast<dyn_profile *>(self)->runThread();
        return nullptr;
      },
      this);
}

void dyn_profile::joinThread() {
  {
    std::lock_guard<std::mutex> lock(queueing);
    if (!threadRuns)
      return;
    threadStops = true;
    threadRuns = false;
  }
  wakeUp.notify_all();
  ::pthread_join(thread, nullptr);
}

void dyn_profile::runThread() {
  using Clock = std::chrono::steady_clock;
  const auto pause = std::chrono::milliseconds(50);
  Clock::time_point written = Clock::now();
  Lock lock(queueing);
  while (!threadStops) {
    wakeUp.wait_for(lock, pause, [&] {
      return threadStops || queuedBytes >= queueBytes / 2;
    });
    if (threadStops)
      return;
    lock.unlock();
    {
      std::lock_guard<std::mutex> foldLock(folding);
      fold();
      std::chrono::milliseconds passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() -
                                                                written);
      if (!path.empty() && writeMs && uint64_t(passed.count()) >= writeMs) {
        // dyn_profile_stop fails again and reports it.
        guarded([&] { return writeLocked(path.c_str()); });
        raw.flush();
        written = Clock::now();
      }
    }
    lock.lock();
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Submits a block for each call, an empty one if the call has failed.
class Recorder final : public RouteRecorder {
public:
  explicit Recorder(const dyn_descriptor_t &artifact) : artifact(artifact) {}

  bool begin() override;
  void add(uint32_t router, uint32_t paths, const int64_t *offsets,
           const int64_t *seats, const int64_t *order, int64_t cells,
           int64_t choices) noexcept override {
    if (!block->add((*indices)[router], paths, offsets, seats, order, cells,
                    choices))
      countLost();
  }
  void countLost() noexcept override { profile->countLost(); }
  void end(bool succeeded) noexcept override {
    // A failed call records nothing; the memory is reused.
    if (!succeeded)
      block->clear();
    profile->submit(std::move(block));
  }

private:
  const dyn_descriptor_t &artifact;
  Ref<dyn_profile> profile; ///< the last one; lends `indices`
  const RouterIndices *indices = nullptr;
  std::unique_ptr<RouteBlock> block;
};
} // namespace

bool Recorder::begin() {
  Ref<dyn_profile> current = dyn_profile::current();
  if (!current)
    return false;
  if (current.get() != profile.get()) {
    try {
      indices = current->attach(artifact);
    } catch (const std::bad_alloc &) {
      current->countLost(artifact.router_count);
      return false;
    }
    profile = std::move(current);
  }
  block = profile->take();
  return block != nullptr;
}

std::unique_ptr<RouteRecorder>
dyn::rt::openRouteRecorder(const dyn_descriptor_t &artifact) {
  return std::make_unique<Recorder>(artifact);
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_profile_create(const dyn_profile_options_t *options,
                                dyn_profile_t **out_profile) {
  return guarded([&]() -> dyn_status_t {
    if (!out_profile)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_profile is null");
    *out_profile = nullptr;
    dyn_profile_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_profile_options_t", given));
    const uint64_t day = 86400000;
    if (given.window_ms > day)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "dyn_profile_options_t: expected windows of at most a day, "
                  "got %llu ms",
                  (unsigned long long)given.window_ms);
    auto profile = Ref<dyn_profile_t>::adopt(new dyn_profile_t(given));
    DYN_RETURN_IF_FAILED(profile->initialize(given));
    *out_profile = profile.take();
    return DYN_STATUS_OK;
  });
}

/// Calls `body` if there is a profile.
template <typename Fn>
static dyn_status_t withProfile(dyn_profile_t *profile, Fn &&body) {
  return guarded([&]() -> dyn_status_t {
    if (!profile)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "profile is null");
    return body();
  });
}

dyn_status_t dyn_profile_start(dyn_profile_t *profile) {
  return withProfile(profile, [&] { return profile->start(); });
}
dyn_status_t dyn_profile_stop(dyn_profile_t *profile) {
  return withProfile(profile, [&] { return profile->stop(); });
}
dyn_status_t dyn_profile_write(dyn_profile_t *profile, const char *path) {
  return withProfile(profile, [&]() -> dyn_status_t {
    if (!path)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "path is null");
    return profile->write(path);
  });
}
uint64_t dyn_profile_decisions(dyn_profile_t *profile) {
  return profile ? profile->decisions() : 0;
}
uint64_t dyn_profile_lost(const dyn_profile_t *profile) {
  return profile ? profile->lostRecords() : 0;
}
void dyn_profile_retain(dyn_profile_t *profile) {
  if (profile)
    profile->retain();
}
void dyn_profile_release(dyn_profile_t *profile) {
  if (profile)
    profile->release();
}
