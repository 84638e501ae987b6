//===- Environment.cpp - The profile that the environment asks for --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// DYN_PROFILE and DYN_PROFILE_RAW profile hosts without a change of their
// source. An error when the process ends could not be reported, so the file is
// written once, empty, when the first context is made.

#include "Profile.h"

#include <cstdlib>

using namespace dyn::rt;

/// Kept for the rest of the process.
static dyn_profile *profileOfEnvironment = nullptr;

static dyn_status_t start() {
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  options.path = std::getenv("DYN_PROFILE");
  options.raw_path = std::getenv("DYN_PROFILE_RAW");
  options.write_ms = 60000;
  auto isSet = [](const char *name) { return name && *name; };
  if (!isSet(options.path) && !isSet(options.raw_path))
    return DYN_STATUS_OK;
  dyn_profile_t *profile = nullptr;
  DYN_RETURN_IF_FAILED(dyn_profile_create(&options, &profile));
  auto owned = Ref<dyn_profile>::adopt(profile);
  DYN_RETURN_IF_FAILED(owned->start());
  profileOfEnvironment = owned.take();
  std::atexit([] { (void)dyn_profile_stop(profileOfEnvironment); });
  return DYN_STATUS_OK;
}

dyn_status_t dyn::rt::startProfileOfEnvironment() {
  static std::atomic<bool> isDone{false};
  static std::mutex mutex;
  if (isDone.load(std::memory_order_acquire))
    return DYN_STATUS_OK;
  std::lock_guard<std::mutex> lock(mutex);
  if (isDone.load(std::memory_order_relaxed))
    return DYN_STATUS_OK;
  // A failure is reported again by each context.
  DYN_RETURN_IF_FAILED(start());
  isDone.store(true, std::memory_order_release);
  return DYN_STATUS_OK;
}
