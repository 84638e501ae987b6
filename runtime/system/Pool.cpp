//===- Pool.cpp - Pool handles --------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "Options.h"

using namespace dyn::rt;

dyn_status_t dyn_pool::initialize(const dyn_pool_options_t &options) {
  // Longer than the serial kernels between two parallel ones, but short enough
  // that a host does not notice an idle pool.
  const uint32_t defaultSpin = 200;
  uint32_t spin = options.spin_us == DYN_SPIN_NEVER ? 0
                  : options.spin_us                 ? options.spin_us
                                                    : defaultSpin;
  if (options.threads > ThreadPool::maxThreads)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "a pool has at most %u threads, got %u", ThreadPool::maxThreads,
                options.threads);
  quota = options.threads ? options.threads : availableCores();
  host = options.parallel;
  hostUser = options.user;
  if (host)
    return DYN_STATUS_OK;
  own = Ref<ThreadPool>::adopt(new ThreadPool(quota, spin));
  return own->initialize();
}

void dyn_pool::initialize(dyn_pool &pool, uint32_t wanted) {
  own = pool.own;
  host = pool.host;
  hostUser = pool.hostUser;
  quota = wanted ? std::min(wanted, pool.quota) : pool.quota;
}

void dyn_pool::run(uint32_t seats, dyn_task_fn task, void *argument,
                   bool wake) {
  if (host)
    host(hostUser, seats, task, argument);
  else
    own->run(seats, task, argument, wake);
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_pool_create(const dyn_pool_options_t *options,
                             dyn_pool_t **out_pool) {
  return guarded([&]() -> dyn_status_t {
    if (!out_pool)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_pool is null");
    *out_pool = nullptr;
    dyn_pool_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_pool_options_t", given));
    auto pool = Ref<dyn_pool_t>::adopt(new dyn_pool_t());
    DYN_RETURN_IF_FAILED(pool->initialize(given));
    *out_pool = pool.take();
    return DYN_STATUS_OK;
  });
}

dyn_status_t dyn_pool_share(dyn_pool_t *pool, uint32_t quota,
                            dyn_pool_t **out_pool) {
  return guarded([&]() -> dyn_status_t {
    if (!out_pool)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_pool is null");
    *out_pool = nullptr;
    if (!pool)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "pool is null");
    auto shared = Ref<dyn_pool_t>::adopt(new dyn_pool_t());
    shared->initialize(*pool, quota);
    *out_pool = shared.take();
    return DYN_STATUS_OK;
  });
}

uint32_t dyn_pool_threads(const dyn_pool_t *pool) {
  return pool ? pool->threads() : 1;
}
void dyn_pool_retain(dyn_pool_t *pool) {
  if (pool)
    pool->retain();
}
void dyn_pool_release(dyn_pool_t *pool) {
  if (pool)
    pool->release();
}
