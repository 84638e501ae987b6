//===- Profile.h - Records which paths cells take -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call writes the routes that its probes show into a block of its own, which
// no other thread accesses, and submits the block when it has succeeded. The
// submitting thread adds all waiting blocks to the tables, unless another
// thread is doing so; then, and if single decisions are written to a file, a
// thread of the profile adds them. If more blocks wait than there is memory
// for, the submitting thread waits and adds them: nothing is lost and memory is
// bounded.
//
// One profile of a process records at a time. A call checks once, by one load,
// whether there is one.
//
// A forked child has no thread and starts with empty tables: the parent writes
// its own counts.
//
// Locks, in the order in which they are taken: the registry's two, `folding`,
// `queueing`.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_PROFILE_PROFILE_H
#define DYN_RUNTIME_PROFILE_PROFILE_H

#include "Object.h"
#include "RawFile.h"
#include "RouteBlock.h"
#include "RouteTables.h"
#include "Routes.h"
#include "Status.h"
#include "dyn/artifact.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <vector>

namespace dyn::rt {

/// The indices of an artifact's routers among those of a profile.
using RouterIndices = std::vector<uint32_t>;

} // namespace dyn::rt

/// See runtime.h.
struct dyn_profile final : dyn::rt::Object<dyn_profile> {
  explicit dyn_profile(const dyn_profile_options_t &options);
  ~dyn_profile();

  dyn_status_t initialize(const dyn_profile_options_t &options);
  /// One that starts in the background gives way to one that does not.
  dyn_status_t start(bool inBackground = false);
  /// No call begins to record after this; calls that already record continue.
  /// Writes the file of the options, if there is one.
  dyn_status_t stop();
  dyn_status_t write(const char *path);

  /// Prepares for forks. Handlers of forks that are installed later may run
  /// threads that use profiles.
  static void installForkHandlers();
  /// The profile that records, or null.
  static dyn::rt::Ref<dyn_profile> current();

  /// Adds the routers of an artifact; valid as long as the profile.
  const dyn::rt::RouterIndices *attach(const dyn_descriptor_t &artifact);

  /// An empty block for a call. Null if there is no memory.
  std::unique_ptr<dyn::rt::RouteBlock> take() noexcept;
  /// Queues a call's block.
  void submit(std::unique_ptr<dyn::rt::RouteBlock> block) noexcept;
  void countLost(uint64_t routers = 1) {
    lost.fetch_add(routers, std::memory_order_relaxed);
  }

  /// The counts so far of each of some routers.
  std::vector<dyn::rt::RouteTables>
  count(const dyn::rt::RouterIndices &routers);
  uint64_t decisions();
  uint64_t lostRecords() const { return lost.load(); }

private:
  using BlockPtr = std::unique_ptr<dyn::rt::RouteBlock>;
  using Lock = std::unique_lock<std::mutex>;

  struct Forking;
  friend struct Forking;

  void startThread() noexcept;
  void joinThread();
  void runThread();
  /// Adds all waiting blocks to the tables. `folding` is held.
  void fold() noexcept;
  void foldBlock(const dyn::rt::RouteBlock &block);
  /// Keeps counted blocks for other calls.
  void recycle(std::vector<BlockPtr> &blocks) noexcept;
  dyn_status_t writeLocked(const char *path);
  void restartInChild();

  dyn::rt::RawFile raw;
  std::string path;
  uint64_t windowMs, tableBytes, queueBytes, writeMs;
  std::atomic<uint64_t> lost{0};

  std::mutex queueing;
  std::condition_variable wakeUp;
  std::vector<BlockPtr> queue, spare;
  uint64_t queuedBytes = 0, spareBytes = 0;
  bool threadRuns = false, threadStops = false;
  pthread_t thread = {};
  bool isInBackground = false; ///< guarded by the registry

  std::mutex folding;
  std::vector<std::unique_ptr<dyn::rt::RouteTables>> tables;
  std::set<dyn::rt::RouterIndices> artifacts; ///< lent by attach()
  uint64_t foldedCalls = 0;
  std::vector<BlockPtr> folded; ///< blocks that are being added
  dyn::rt::RouteReader reader;
};

namespace dyn::rt {

/// A recorder of calls of the artifact to the profile that records when they
/// begin.
std::unique_ptr<RouteRecorder>
openRouteRecorder(const dyn_descriptor_t &artifact);

/// Writes counts as a profile.
dyn_status_t writeProfile(const std::string &path, uint64_t lost,
                          const std::vector<const RouteTables *> &routers);

/// Starts the profile that the environment requests, once per process.
dyn_status_t startProfileOfEnvironment();

/// `pattern` with the process's number for each "%p" and a '%' for each "%%".
std::string expandProcess(const std::string &pattern);
/// Whether the expanded name is different in each process.
bool tellsProcessesApart(const std::string &pattern);
/// The pattern as an absolute path, which stays valid if the process changes
/// its folder. "" stays "".
std::string anchorPattern(const std::string &pattern);

} // namespace dyn::rt

#endif // DYN_RUNTIME_PROFILE_PROFILE_H
