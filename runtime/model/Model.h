//===- Model.h - A model that changes while it runs -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_MODEL_H
#define DYN_RUNTIME_MODEL_MODEL_H

#include "AutoMode.h"
#include "DriftWatch.h"
#include "ForkLock.h"
#include "Recompiler.h"
#include "Ticker.h"
#include "Variant.h"

#include <deque>
#include <memory>

/// See runtime.h. A call takes an execution of the newest variant that its
/// sizes fit and gives it back, so variants come and go between calls. One that
/// is dropped lives as long as its last call.
///
/// A call pays for no change. A variant's code and executions are there before
/// it is added; memory belongs to the model, which lends it to the execution of
/// a call; and what is dropped is released in another thread.
struct dyn_model final : dyn::rt::Object<dyn_model> {
  dyn_status_t initialize(dyn_artifact &artifact,
                          const dyn_model_options_t &options);

  /// `request` is the one that it was compiled for, or null.
  dyn_status_t add(const char *path, const std::string &reason,
                   uint32_t &number,
                   const dyn::rt::CompileRequest *request = nullptr);
  dyn_status_t drop(uint32_t number, const std::string &reason);
  dyn_status_t take(uint32_t entry, const dyn_tensor_t *inputs, uint32_t count,
                    dyn_execution_t *&execution);
  void give(dyn_execution_t *execution);
  dyn_status_t recompile(dyn::rt::CompileRequest request);
  void wait() { recompiler->wait(); }
  std::string report();

private:
  using VariantPtr = std::shared_ptr<dyn::rt::Variant>;
  struct Event {
    uint64_t time; ///< nanoseconds since the model was made
    std::string what, detail;
    uint32_t variant;
  };

  void keepContextOptions(const dyn_context_options_t &given);
  void finishCompilation(const dyn::rt::CompileRequest &request,
                         const std::string &path, const std::string &failure);
  /// An execution that a call has, of a model in automatic mode.
  struct Lent {
    const dyn_execution_t *execution;
    uint64_t sizes; ///< their number
    uint32_t variant;
    uint64_t calls, time; ///< of the execution, before the call
  };

  /// Makes a variant one that calls take.
  void insert(VariantPtr variant, uint32_t &number,
              const dyn::rt::CompileRequest *request);
  /// Blocks of a device belong to the context that allocated them.
  bool lendsMemory() const { return contextOptions.device == DYN_DEVICE_CPU; }
  /// An execution of a variant.
  dyn_status_t createExecution(dyn_context &context,
                               dyn_execution_t *&execution) const;
  /// Gives a variant as many executions as the model has calls at a time.
  dyn_status_t prepare(dyn::rt::Variant &variant);
  /// Removes a variant from those that calls take. `lock` is held.
  void retire(size_t index);
  /// Releases retired variants that no call runs, here, and starts the thread
  /// for others.
  void releaseRetired();
  /// Whether calls still run some.
  bool tryReleaseRetired();
  dyn_status_t startTicker(const dyn_model_options_t &options);
  /// Notes a call that begins. `lock` is held.
  void noteCall(const dyn_execution_t &execution, uint64_t sizes,
                uint32_t variant);
  /// Counts a call that has ended. `lock` is held.
  void endCall(const dyn_execution_t &execution);
  /// Called at intervals, in a thread of the model.
  void attend();
  void watchDrift();
  void decideOnSizes();
  /// `lock` is held.
  void note(const char *what, uint32_t variant, const std::string &detail);
  void writeReport(std::FILE *file);

  std::string path, folder;
  dyn::rt::Ref<dyn_artifact> base;
  // Of the contexts of all variants, with what they point to.
  dyn_context_options_t contextOptions = {};
  dyn_driver_t driver = {};
  std::deque<std::string> texts;
  dyn::rt::Ref<dyn_pool> pool;
  dyn::rt::Ref<dyn_communicator> communicator;
  bool measuresKernels = false;
  uint64_t begin = 0;

  /// Guards the members up to `events`.
  dyn::rt::ForkLock lock{dyn::rt::ForkLock::ofModel};
  std::vector<VariantPtr> variants;          ///< the first artifact first
  std::vector<VariantPtr> retired;           ///< that calls may still run
  std::vector<dyn::rt::CallMemory> memories; ///< of no call; on the CPU
  uint32_t nextNumber = 0;
  uint64_t compilations = 0, failures = 0, eventCount = 0;
  uint64_t compilationBegin = 0;
  std::deque<Event> events; ///< the last ones

  std::unique_ptr<dyn::rt::DriftWatch> drift;   ///< or null
  std::unique_ptr<dyn::rt::AutoMode> automatic; ///< or null, as `lock` guards
  std::vector<Lent> lent;                       ///< guarded by `lock`
  uint64_t memoryFloor = 0;
  // Destroyed first, the last one before the others: their threads use what is
  // above.
  std::unique_ptr<dyn::rt::Ticker> releaser;
  std::unique_ptr<dyn::rt::Recompiler> recompiler;
  std::unique_ptr<dyn::rt::Ticker> ticker;
};

#endif // DYN_RUNTIME_MODEL_MODEL_H
