//===- Recompiler.h - Compiles variants beside running calls --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_RECOMPILER_H
#define DYN_RUNTIME_MODEL_RECOMPILER_H

#include "ChildProcess.h"
#include "ForkLock.h"
#include "RouteTables.h"
#include "Status.h"

#include <functional>
#include <pthread.h>

namespace dyn::rt {

/// A variant that is to be compiled.
struct CompileRequest {
  std::string reason, profile;
  std::vector<std::string> dims; ///< "batch=8"
  /// Counts that are written to a file for `profile`; empty for none.
  std::vector<RouteTables> routes;
  /// The number of the sizes, of AutoMode; 0 for none.
  uint64_t sizes = 0;
};

/// Runs one compilation at a time, in a thread that exists as long as it runs:
/// a child process, or a function of the host.
class Recompiler {
public:
  /// Receives the path of the artifact, which is deleted afterwards, or the
  /// reason of a failure.
  using Done =
      std::function<void(const CompileRequest &request, const std::string &path,
                         const std::string &failure)>;

  Recompiler(const dyn_model_options_t &options, const std::string &artifact,
             Done done);
  ~Recompiler();

  /// Begins a compilation. BUSY while there is another one.
  dyn_status_t start(CompileRequest request);
  /// Waits until none runs.
  void wait();
  bool isRunning();

private:
  void runThread();
  /// Writes the counts of routes. The reason of a failure, or "".
  std::string writeRoutes(const std::string &folder);
  std::string compile(const std::string &folder, const std::string &output);
  std::string callHost(const std::string &output);

  std::string artifact, workFolder;
  std::vector<std::string> command;
  dyn_recompile_fn function;
  void *user;
  ChildLimits limits;
  Done done;
  CompileRequest current;
  std::atomic<int32_t> cancel{0};

  ForkLock lock{ForkLock::ofRecompiler}; ///< guards the members below
  bool running = false, joinable = false;
  pid_t process = 0; ///< the one whose thread runs: not a forked child
  pthread_t thread = {};
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_RECOMPILER_H
