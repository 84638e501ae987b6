//===- nccl.h - The part of NCCL that dyn uses ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of NCCL that the runtime calls: types and values as in its header,
// so that neither the library nor its header is needed to build.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_NCCL_H
#define DYN_NCCL_H

#include "dyn/cuda_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ncclComm *dyn_nccl_comm_t;

typedef struct dyn_nccl_id {
  char internal[128];
} dyn_nccl_id_t;

/// The config of the oldest version that has one, which newer ones read, too.
typedef struct dyn_nccl_config {
  size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
} dyn_nccl_config_t;
#define DYN_NCCL_MAGIC 0xcafebeefu
/// Of versions, as ncclGetVersion gives them: 2.14.0.
#define DYN_NCCL_OLDEST 21400

/// Values of ncclResult_t.
enum {
  DYN_NCCL_SUCCESS = 0,
  DYN_NCCL_UNHANDLED_CUDA_ERROR = 1,
  DYN_NCCL_INVALID_ARGUMENT = 4,
  DYN_NCCL_INVALID_USAGE = 5,
  DYN_NCCL_IN_PROGRESS = 7
};

/// A value of ncclDataType_t: ncclUint8.
enum { DYN_NCCL_BYTE = 1 };

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_NCCL_H
