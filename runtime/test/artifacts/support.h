//===- support.h - Macros for hand-written artifacts ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The artifacts in this folder replace the compiler's: the runtime is tested
// without it, and with errors that it would not make. They include only
// artifact.h and link against nothing, as real ones do.
//
//===---------------------------------------------------------------------===*/

#ifndef DYN_TEST_ARTIFACTS_SUPPORT_H
#define DYN_TEST_ARTIFACTS_SUPPORT_H

#include "dyn/artifact.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sizes of ports. */
#define STATIC_SIZE(n) {n, -1, 0, NULL, #n}
#define SYMBOL_SIZE(index, name) {-1, index, 0, NULL, name}
#define EXPRESSION_SIZE(code, text) {-1, -1, COUNT(code), code, text}
#define UNKNOWN_SIZE {-1, -1, 0, NULL, "?"}

#define PORT(name, dtype, sizes) {name, dtype, COUNT(sizes), sizes}
#define SCALAR(name, dtype) {name, dtype, 0, NULL}

/* A kernel that is the same for every instruction set. */
#define KERNEL(name, kind, buffers, dims, geometry, body)                      \
  {                                                                            \
    name, kind, buffers, dims, {geometry, geometry, geometry}, {               \
      body, body, body                                                         \
    }                                                                          \
  }

#define ENTRY(name, inputs, outputs, dims, arenas, fn)                         \
  {name,                                                                       \
   COUNT(inputs),                                                              \
   COUNT(outputs),                                                             \
   COUNT(dims),                                                                \
   arenas,                                                                     \
   inputs,                                                                     \
   outputs,                                                                    \
   dims,                                                                       \
   fn,                                                                         \
   NULL,                                                                       \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   0,                                                                          \
   NULL}

/* Returns from an entry when a service has failed. */
#define RETURN_IF(status)                                                      \
  do {                                                                         \
    int32_t failed = (status);                                                 \
    if (failed)                                                                \
      return failed;                                                           \
  } while (0)
#define RETURN_IF_NULL(pointer)                                                \
  do {                                                                         \
    if (!(pointer))                                                            \
      return -1;                                                               \
  } while (0)

/* Records a data error, as a kernel does. */
static inline void dataError(dyn_worker_t *worker, uint64_t site) {
  uint64_t mine = worker->site_base + site;
  uint64_t seen = __atomic_load_n(worker->error, __ATOMIC_RELAXED);
  while (mine < seen &&
         !__atomic_compare_exchange_n(worker->error, &seen, mine, 1,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* The grid of a kernel that one block computes. */
static inline void oneGrid(const int64_t *dims, dyn_grid_t *grid) {
  (void)dims;
  grid->version = 0;
  grid->blocks = 1;
  grid->flops = grid->bytes = 0;
}

#endif /* DYN_TEST_ARTIFACTS_SUPPORT_H */
