//===- NcclTest.cpp - nccl.h compared with NCCL's header ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built where the header is found. The test is that it compiles.
//
//===----------------------------------------------------------------------===//

#include "SameInterface.h"

#include "dyn/nccl.h"

#include <nccl.h>

SAME(DYN_NCCL_SUCCESS, ncclSuccess);
SAME(DYN_NCCL_UNHANDLED_CUDA_ERROR, ncclUnhandledCudaError);
SAME(DYN_NCCL_INVALID_ARGUMENT, ncclInvalidArgument);
SAME(DYN_NCCL_INVALID_USAGE, ncclInvalidUsage);
SAME(DYN_NCCL_IN_PROGRESS, ncclInProgress);
SAME(DYN_NCCL_BYTE, ncclUint8);
constexpr ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
SAME(DYN_NCCL_MAGIC, config.magic);
SAME(DYN_NCCL_OLDEST, NCCL_VERSION(2, 14, 0));

SAME(sizeof(dyn_nccl_id_t), sizeof(ncclUniqueId));
SAME(offsetof(dyn_nccl_config_t, size), offsetof(ncclConfig_t, size));
SAME(offsetof(dyn_nccl_config_t, magic), offsetof(ncclConfig_t, magic));
SAME(offsetof(dyn_nccl_config_t, version), offsetof(ncclConfig_t, version));
SAME(offsetof(dyn_nccl_config_t, blocking), offsetof(ncclConfig_t, blocking));

#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  static_assert(dyn::test::IsLike<result parameters, decltype(symbol)>::value, \
                #symbol " takes other parameters");
#include "dyn/nccl.def"
