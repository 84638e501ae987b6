//===- Pool.h - Pool handles ----------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_POOL_H
#define DYN_RUNTIME_SYSTEM_POOL_H

#include "ThreadPool.h"

/// See runtime.h: a quota of the runtime's threads or of the host's.
struct dyn_pool final : dyn::rt::Object<dyn_pool> {
  dyn_status_t initialize(const dyn_pool_options_t &options);
  void initialize(dyn_pool &pool, uint32_t quota);

  uint32_t threads() const { return quota; }

  /// As ThreadPool's. A host's threads never sleep, and are called for every
  /// index.
  bool atRest() const { return own && own->atRest(); }
  void run(uint32_t seats, dyn_task_fn task, void *argument, bool wake);

private:
  dyn::rt::Ref<dyn::rt::ThreadPool> own;
  decltype(dyn_pool_options_t::parallel) host = nullptr;
  void *hostUser = nullptr;
  uint32_t quota = 1;
};

#endif // DYN_RUNTIME_SYSTEM_POOL_H
