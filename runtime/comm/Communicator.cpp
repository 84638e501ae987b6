//===- Communicator.cpp - Making communicators ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "RankCommunicator.h"

#include <dlfcn.h>

using namespace dyn::rt;

dyn_status_t
dyn::rt::makeCommunicator(Transport transport,
                          const dyn_communicator_options_t &options,
                          dyn_communicator_t **out) {
  *out = new RankCommunicator(std::move(transport), options);
  return DYN_STATUS_OK;
}

/// Checks the arguments of a function that makes a communicator.
static dyn_status_t readArguments(const dyn_communicator_options_t *given,
                                  dyn_communicator_options_t &options,
                                  dyn_communicator_t **out) {
  if (!out)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
  *out = nullptr;
  return readOptions(given, "dyn_communicator_options_t", options);
}

dyn_status_t
dyn_communicator_create_self(dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    dyn_communicator_options_t options;
    DYN_RETURN_IF_FAILED(readArguments(nullptr, options, out_communicator));
    auto *table = new dyn_transport_t();
    table->size = 1;
    return makeCommunicator(Transport(table), options, out_communicator);
  });
}

dyn_status_t
dyn_communicator_create(const dyn_transport_t *given,
                        const dyn_communicator_options_t *given_options,
                        dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    if (!given)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "transport is null");
    dyn_transport_t table;
    DYN_RETURN_IF_FAILED(readOptions(given, "dyn_transport_t", table));
    Transport transport(new dyn_transport_t(table));
    dyn_communicator_options_t options;
    DYN_RETURN_IF_FAILED(
        readArguments(given_options, options, out_communicator));
    if (!table.send || !table.receive || !table.progress || !table.wake ||
        !table.abort || !table.close)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "a function of the transport is null");
    if (table.rank >= table.size)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "the transport has rank %u of %u", table.rank, table.size);
    return makeCommunicator(std::move(transport), options, out_communicator);
  });
}

dyn_status_t
dyn_communicator_create_plugin(const char *library,
                               const dyn_communicator_options_t *given,
                               dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    dyn_communicator_options_t options;
    DYN_RETURN_IF_FAILED(readArguments(given, options, out_communicator));
    if (!library)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "library is null");
    void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return fail(DYN_STATUS_NOT_FOUND, "cannot load '%s': %s", library,
                  ::dlerror());
    auto open = reinterpret_cast<dyn_transport_open_fn>(
        ::dlsym(handle, "dyn_transport_open"));
    if (!open)
      return fail(DYN_STATUS_UNSUPPORTED,
                  "'%s' is not a transport: it has no dyn_transport_open",
                  library);
    dyn_transport_t table = {};
    table.struct_size = sizeof(table);
    if (const char *reason = open(&table))
      return fail(DYN_STATUS_UNSUPPORTED, "%s: %s", library, reason);
    return dyn_communicator_create(&table, given, out_communicator);
  });
}

uint32_t dyn_communicator_rank(const dyn_communicator_t *communicator) {
  return communicator ? communicator->rank : 0;
}
uint32_t dyn_communicator_size(const dyn_communicator_t *communicator) {
  return communicator ? communicator->size : 1;
}
void dyn_communicator_retain(dyn_communicator_t *communicator) {
  if (communicator)
    communicator->retain();
}
void dyn_communicator_release(dyn_communicator_t *communicator) {
  if (communicator)
    communicator->release();
}

dyn_status_t dyn_communicator_stats(dyn_communicator_t *communicator,
                                    dyn_communicator_stats_t *out_stats) {
  return guarded([&]() -> dyn_status_t {
    if (!communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "communicator is null");
    return fillInfo(static_cast<RankGroup *>(communicator)->whole().getStats(),
                    "dyn_communicator_stats_t", out_stats);
  });
}
