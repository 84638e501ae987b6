//===- Communicator.cpp - Communicators -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Communicator.h"

using namespace dyn::rt;

dyn_status_t
dyn_communicator_create_self(dyn_communicator_t **out_communicator) {
  return guarded([&]() -> dyn_status_t {
    if (!out_communicator)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
    *out_communicator = nullptr;
    *out_communicator = new dyn_communicator_t();
    return DYN_STATUS_OK;
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
