//===- cuda_driver.h - The part of the CUDA driver API that dyn uses ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API that the runtime calls: types and values as
// in <cuda.h>, so that neither the toolkit nor a driver is needed to build. It
// is stable: a symbol whose meaning changes gets another name.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CUDA_DRIVER_H
#define DYN_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUctx_st *dyn_cuda_context_t;
typedef struct CUmod_st *dyn_cuda_module_t;
typedef struct CUfunc_st *dyn_cuda_function_t;
typedef struct CUstream_st *dyn_cuda_stream_t;
typedef struct CUevent_st *dyn_cuda_event_t;

/// Values of CUresult.
enum {
  DYN_CUDA_SUCCESS = 0,
  DYN_CUDA_INVALID_VALUE = 1,
  DYN_CUDA_OUT_OF_MEMORY = 2,
  DYN_CUDA_NO_DEVICE = 100,
  DYN_CUDA_INVALID_DEVICE = 101,
  DYN_CUDA_INVALID_IMAGE = 200,
  DYN_CUDA_INVALID_CONTEXT = 201,
  DYN_CUDA_NO_BINARY_FOR_GPU = 209,
  DYN_CUDA_ECC_UNCORRECTABLE = 214,
  DYN_CUDA_UNSUPPORTED_PTX_VERSION = 222,
  DYN_CUDA_NOT_FOUND = 500,
  DYN_CUDA_NOT_READY = 600,
  DYN_CUDA_LAUNCH_FAILED = 719
};

/// Values of CUdevice_attribute.
enum {
  DYN_CUDA_CAPABILITY_MAJOR = 75,
  DYN_CUDA_CAPABILITY_MINOR = 76,
  DYN_CUDA_MAPS_MEMORY = 102
};

/// A CUmemAllocationProp: memory of one device that can be mapped.
typedef struct dyn_cuda_memory {
  int type;        ///< DYN_CUDA_MEMORY_PINNED
  int handle_type; ///< 0: not for other processes
  int location;    ///< DYN_CUDA_LOCATION_DEVICE
  int device;
  void *unused;
  uint64_t flags; ///< 0
} dyn_cuda_memory_t;
enum { DYN_CUDA_MEMORY_PINNED = 1, DYN_CUDA_LOCATION_DEVICE = 1 };

/// A CUmemAccessDesc: who may access mapped memory.
typedef struct dyn_cuda_access {
  int location;
  int device;
  int access; ///< DYN_CUDA_READ_WRITE
} dyn_cuda_access_t;
enum { DYN_CUDA_READ_WRITE = 3 };

/// Flag of cuStreamCreate: does not wait for the default stream.
enum { DYN_CUDA_STREAM_NON_BLOCKING = 1 };

/// Flag of cuEventCreate: does not record times.
enum { DYN_CUDA_EVENT_DISABLE_TIMING = 2 };

/// Values in the last argument of cuLaunchKernel: parameters as one block.
#define DYN_CUDA_LAUNCH_END ((void *)0)
#define DYN_CUDA_LAUNCH_BUFFER ((void *)1)
#define DYN_CUDA_LAUNCH_BUFFER_SIZE ((void *)2)

/// Exported by a library that emulates the driver.
#define DYN_CUDA_EMULATOR_SYMBOL "dyn_emulator_version"

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_CUDA_DRIVER_H
