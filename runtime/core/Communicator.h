//===- Communicator.h - Communicators -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_COMMUNICATOR_H
#define DYN_RUNTIME_CORE_COMMUNICATOR_H

#include "Object.h"
#include "Status.h"

/// See runtime.h. The extension point for distributed runs, which are not
/// implemented yet: a single process.
struct dyn_communicator final : dyn::rt::Object<dyn_communicator> {
  uint32_t rank = 0;
  uint32_t size = 1;
};

#endif // DYN_RUNTIME_CORE_COMMUNICATOR_H
