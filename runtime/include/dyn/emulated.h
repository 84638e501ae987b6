//===- emulated.h - Emulated kernels and the emulator ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device kernels, lowered to host code, run on the emulator: the same
// operations in the same order as in the code for the device, with a call of
// the emulator in place of each operation that involves other threads, and
// before each access to memory. This header is the whole interface between the
// two, as artifact.h is for host code. It depends on nothing but <stdint.h>.
//
// A thread of the device is a function call with a stack of its own, which runs
// until it has to wait for others. Pointers are the host's: pointers to shared
// memory lie in the block's part of `dyn_emu_thread.shared`.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EMULATED_H
#define DYN_EMULATED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYN_EMU_WARP 32

typedef struct dyn_emu_ops dyn_emu_ops_t;

/// The state of a thread that its code sees. The emulator's own part follows.
typedef struct dyn_emu_thread {
  const dyn_emu_ops_t *ops;
  void *shared;       ///< memory of the block
  uint32_t tid[3];    ///< number of the thread in its block
  uint32_t ctaid[3];  ///< number of the block in the grid
  uint32_t ntid[3];   ///< threads of a block
  uint32_t nctaid[3]; ///< blocks of the grid
} dyn_emu_thread_t;

typedef enum dyn_emu_access {
  DYN_EMU_LOAD = 0,
  DYN_EMU_STORE = 1,
  DYN_EMU_ATOMIC = 2 ///< reads and writes; atomics do not race with each other
} dyn_emu_access_t;

/// The modes of shfl.sync.
typedef enum dyn_emu_shuffle {
  DYN_EMU_SHUFFLE_IDX = 0,
  DYN_EMU_SHUFFLE_UP = 1,
  DYN_EMU_SHUFFLE_DOWN = 2,
  DYN_EMU_SHUFFLE_BFLY = 3
} dyn_emu_shuffle_t;

/// Element types of the operands of mma.sync.
typedef enum dyn_emu_mma {
  DYN_EMU_MMA_F16 = 0,
  DYN_EMU_MMA_BF16 = 1
} dyn_emu_mma_t;

/// The services of the emulator: one for each operation that schedules emit;
/// new ones are appended. `site` is the index of the operation in the kernel's
/// table of sites. Where an operation involves several threads, all that its
/// mask names have to reach the same site.
struct dyn_emu_ops {
  uint32_t struct_size;
  uint32_t reserved;
  /// Called before an access of `bytes` bytes at `address`: 1, 2, 4, 8 or 16,
  /// to which the address has to be aligned.
  void (*access)(dyn_emu_thread_t *thread, uint32_t site, const void *address,
                 uint32_t bytes, uint32_t access);
  /// As bar.sync 0: all threads of the block that have not ended.
  void (*barrier)(dyn_emu_thread_t *thread, uint32_t site);
  /// As shfl.sync: the value of another lane, or the thread's own if that lane
  /// lies outside of the segment that `clamp` defines (PTX's operand c).
  uint32_t (*shuffle)(dyn_emu_thread_t *thread, uint32_t site, uint32_t mode,
                      uint32_t mask, uint32_t value, uint32_t lane,
                      uint32_t clamp);
  /// As mma.sync.m16n8k16 with f32 accumulators, by a whole warp: `a`, `b` and
  /// `c` are the thread's four, two and four registers, `d` receives its four
  /// results.
  void (*mma)(dyn_emu_thread_t *thread, uint32_t site, uint32_t type,
              const uint32_t *a, const uint32_t *b, const float *c, float *d);
  /// As ldmatrix of 16-bit elements, by a whole warp: `count` matrices of 8 x
  /// 8, whose rows lie in shared memory at the addresses of the first 8 * count
  /// lanes. Each lane receives one register of each matrix.
  void (*load_matrices)(dyn_emu_thread_t *thread, uint32_t site,
                        const void *row, uint32_t count, uint32_t transposes,
                        uint32_t *results);
  /// As cp.async: `bytes` bytes of shared memory become the first `valid` bytes
  /// at `from`, and zeros, at a `wait` for the copy's group. Until then no
  /// thread may access the destination or write the source.
  void (*copy)(dyn_emu_thread_t *thread, uint32_t site, void *to,
               const void *from, uint32_t bytes, uint32_t valid);
  /// As cp.async.commit_group: the copies since the last one are a group.
  void (*commit)(dyn_emu_thread_t *thread, uint32_t site);
  /// As cp.async.wait_group: for all groups but the last `pending` ones.
  void (*wait)(dyn_emu_thread_t *thread, uint32_t site, uint32_t pending);
};

/// The origin of an operation that has a site.
typedef struct dyn_emu_site {
  const char *op;       ///< "llvm.load", "nvvm.barrier"
  const char *location; ///< in the source model: "/encoder/Softmax"
} dyn_emu_site_t;

/// One thread's part of a launch, from its first operation to its last.
typedef void (*dyn_emu_fn)(const void *params, dyn_emu_thread_t *thread);

typedef struct dyn_emu_kernel {
  const char *name;
  dyn_emu_fn fn;
  uint32_t param_bytes;
  uint32_t shared_bytes; ///< of a block
  uint32_t site_count;
  uint32_t reserved;
  const dyn_emu_site_t *sites;
} dyn_emu_kernel_t;

#define DYN_EMU_MAGIC "dynemu1"

/// An image for the emulator: the counterpart of a CUDA module.
typedef struct dyn_emu_image {
  char magic[8]; ///< DYN_EMU_MAGIC
  uint64_t kernel_count;
  const dyn_emu_kernel_t *kernels;
} dyn_emu_image_t;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_EMULATED_H
