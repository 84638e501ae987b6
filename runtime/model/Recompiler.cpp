//===- Recompiler.cpp - Compiles variants beside running calls ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recompiler.h"

#include "Profile.h"
#include "Thread.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ftw.h>
#include <unistd.h>
#include <utility>

using namespace dyn::rt;

/// Removes a folder with all that is in it: a compiler that was killed leaves
/// what it has made there.
static void removeFolder(const std::string &path) {
  auto removeOne = [](const char *name, const struct stat *, int, FTW *) {
    ::remove(name);
    return 0;
  };
  const int openFolders = 16;
  ::nftw(path.c_str(), removeOne, openFolders, FTW_DEPTH | FTW_PHYS);
}

Recompiler::Recompiler(const dyn_model_options_t &options,
                       const std::string &artifact, Done done)
    : artifact(artifact), function(options.recompile), user(options.user),
      limits{options.cpu_seconds ? options.cpu_seconds : 600,
             options.wall_ms ? options.wall_ms : 1800000,
             options.file_bytes ? options.file_bytes : uint64_t(4) << 30},
      done(std::move(done)) {
  if (options.work_folder)
    workFolder = options.work_folder;
  else if (const char *temporary = std::getenv("TMPDIR"))
    workFolder = temporary;
  else
    workFolder = "/tmp";
  for (const char *const *word = options.compiler; word && *word; ++word)
    command.push_back(*word);
}

Recompiler::~Recompiler() {
  cancel.store(1);
  wait();
}

bool Recompiler::isRunning() {
  std::lock_guard<std::mutex> guard(lock.mutex);
  return running && process == ::getpid();
}

void Recompiler::wait() {
  std::unique_lock<std::mutex> held(lock.mutex);
  if (process != ::getpid()) // of the parent
    return;
  lock.changed.wait(held, [&] { return !running; });
  if (std::exchange(joinable, false))
    ::pthread_join(thread, nullptr);
}

dyn_status_t Recompiler::start(CompileRequest request) {
  if (!function && command.empty())
    return fail(DYN_STATUS_UNSUPPORTED,
                "the model has no compiler: expected dyn_model_options_t."
                "compiler or recompile");
  std::lock_guard<std::mutex> guard(lock.mutex);
  if (process == ::getpid() && running)
    return fail(DYN_STATUS_BUSY, "another variant is being compiled");
  if (process == ::getpid() && std::exchange(joinable, false))
    ::pthread_join(thread, nullptr);
  process = ::getpid();
  current = std::move(request);
  running = joinable = startThread(
      thread,
      [](void *self) -> void * {
        static_cast<Recompiler *>(self)->runThread();
        return nullptr;
      },
      this);
  if (!running)
    return fail(DYN_STATUS_OUT_OF_MEMORY, "cannot start a thread to compile");
  return DYN_STATUS_OK;
}

void Recompiler::runThread() {
  std::string folder = workFolder + "/dyn-model-XXXXXX", failure;
  if (!::mkdtemp(folder.data())) {
    done(current, "",
         "cannot make a folder in '" + workFolder +
             "': " + std::strerror(errno));
  } else {
    std::string output = folder + "/variant.so";
    failure = writeRoutes(folder);
    if (failure.empty())
      failure = compile(folder, output);
    if (failure.empty() && ::access(output.c_str(), R_OK) != 0)
      failure = "it wrote no artifact";
    if (cancel.load())
      failure = "cancelled";
    done(current, output, failure);
    removeFolder(folder);
  }
  std::lock_guard<std::mutex> guard(lock.mutex);
  running = false;
  lock.changed.notify_all();
}

std::string Recompiler::writeRoutes(const std::string &folder) {
  if (current.routes.empty())
    return "";
  std::vector<const RouteTables *> routers;
  for (const RouteTables &counts : current.routes)
    routers.push_back(&counts);
  current.profile = folder + "/routes.json";
  return writeProfile(current.profile, 0, routers) == DYN_STATUS_OK
             ? ""
             : dyn_last_error();
}

std::string Recompiler::compile(const std::string &folder,
                                const std::string &output) {
  if (function)
    return callHost(output);
  std::vector<std::string> words;
  for (const std::string &word : command)
    // The new profile takes the place of the one that was given.
    if (current.profile.empty() || word.rfind("--profile=", 0) != 0)
      words.push_back(word);
  words.insert(words.end(), {"-o", output, "--share-weights=" + artifact});
  if (!current.profile.empty())
    words.push_back("--profile=" + current.profile);
  for (const std::string &dim : current.dims)
    words.insert(words.end(), {"--dim", dim});
  return runChild(words, folder, limits, cancel);
}

std::string Recompiler::callHost(const std::string &output) {
  std::vector<const char *> dims;
  for (const std::string &dim : current.dims)
    dims.push_back(dim.c_str());
  dyn_recompile_request_t request = {};
  request.struct_size = sizeof(request);
  request.reason = current.reason.c_str();
  request.artifact = artifact.c_str();
  request.output = output.c_str();
  request.profile = current.profile.empty() ? nullptr : current.profile.c_str();
  request.dims = dims.data();
  request.dim_count = uint32_t(dims.size());
  static_assert(sizeof(cancel) == sizeof(int32_t));
  request.cancel = reinterpret_cast<const volatile int32_t *>(&cancel);
  if (int32_t status = function(user, &request))
    return "the host's function returned " + std::to_string(status);
  return "";
}
