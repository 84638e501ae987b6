/*===- ranks.c - The parts of ranks that exchange rows --------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of RANKS ranks: 2, 3, 4 or 8. Each reads a constant of its own.
// With DEVICE they are for the emulator, too, and no longer for the CPU.
//
//===---------------------------------------------------------------------===*/

#include "support.h"

#ifndef RANKS
#define RANKS 2
#endif
#ifndef VARIANT
#define VARIANT 0
#endif

#define EACH2(X) X(0) X(1)
#define EACH3(X) EACH2(X) X(2)
#define EACH4(X) EACH3(X) X(3)
#define EACH8(X) EACH4(X) X(4) X(5) X(6) X(7)
#define EACH_OF(ranks, X) EACH##ranks(X)
#define EXPAND(ranks, X) EACH_OF(ranks, X)
#define EACH_RANK(X) EXPAND(RANKS, X)

enum { COLUMNS = 3, WEIGHT_BYTES = 1024 * 1024 };
enum { STOP_SITE, INDEX_SITE, MISMATCH_SITE, GATHER_SITE };

/*===-- sum: the sum of a constant ----------------------------------------===*/

static void sumGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = geometry->grain = 1;
  geometry->bytes = WEIGHT_BYTES;
}
static void sumBody(void *const *buffers, const int64_t *dims, int64_t begin,
                    int64_t end, dyn_worker_t *worker) {
  const float *weights = buffers[0];
  int64_t *sum = buffers[1];
  (void)dims, (void)begin, (void)end, (void)worker;
  *sum = 0;
  for (int64_t i = 0; i < WEIGHT_BYTES / 4; ++i)
    *sum += (int64_t)weights[i];
}

/*===-- gather: a data error ----------------------------------------------===*/

static void gatherGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = geometry->grain = 1;
}
static void gatherBody(void *const *buffers, const int64_t *dims, int64_t begin,
                       int64_t end, dyn_worker_t *worker) {
  (void)buffers, (void)dims, (void)begin, (void)end;
  *worker->error = worker->site_base;
}

#ifdef DEVICE
#include "dyn/emulated.h"

static const dyn_emu_site_t seats[] = {{"llvm.load", "/block/Sum"}};

static void sumThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  const float *weights = (const float *)words[0];
  int64_t *sum = (int64_t *)words[1];
  if (thread->ctaid[0] || thread->tid[0])
    return;
  int64_t value = 0;
  for (int64_t i = 0; i < WEIGHT_BYTES / 4; i += WEIGHT_BYTES / 16) {
    thread->ops->access(thread, 0, weights + i, 4, DYN_EMU_LOAD);
    value += (int64_t)weights[i];
  }
  thread->ops->access(thread, 0, sum, 8, DYN_EMU_STORE);
  *sum = value;
}
/* Overwrites a row. */
static void spoilThread(const void *params, dyn_emu_thread_t *thread) {
  int64_t *row = (int64_t *)((const uint64_t *)params)[0];
  if (thread->ctaid[0] || thread->tid[0])
    return;
  thread->ops->access(thread, 0, row, 8, DYN_EMU_STORE);
  *row = -1;
}

static const dyn_emu_kernel_t emulated[] = {
    {"sum", sumThread, 8 * 8, 0, COUNT(seats), 0, seats},
    {"spoil", spoilThread, 8 * 5, 0, COUNT(seats), 0, seats},
};
static const dyn_emu_image_t image = {DYN_EMU_MAGIC, COUNT(emulated), emulated};

static const char *const sumVersions[] = {"sum"};
static const char *const spoilVersions[] = {"spoil"};
static const dyn_device_kernel_t deviceKernels[] = {
    {"sum", "row", 2, 2, 1, 0, sumVersions, oneGrid, 0},
    {"spoil", "row", 1, 0, 1, 0, spoilVersions, oneGrid, 0},
};
static const dyn_image_t images[] = {
    {DYN_IMAGE_EMULATED, 0, &image, sizeof(image), "emulator"},
};
#endif

enum { N, M };

/* Exchanges no rows with one rank after the other, whose numbers differ from
   this one in one bit. */
static int32_t tellPairs(const dyn_frame_t *frame, uint32_t rank, void *y) {
  static const int64_t none[4];
  for (uint32_t bit = 1; bit < RANKS; bit *= 2) {
    int64_t pair[] = {rank, rank ^ bit};
    int64_t exchange = frame->services->exchange_start(
        frame->call, 2, pair, frame->inputs[0], 0, y, 0, COLUMNS * 8, none,
        none, INDEX_SITE);
    if (exchange < 0)
      return -1;
    RETURN_IF(frame->services->exchange_wait(frame->call, exchange));
  }
  return 0;
}

/* Exchanges the rows of x by the ranges, and sums a constant meanwhile. In
   mode 1, the rank stops with a data error before; in 2, between the two; in 3,
   it waits twice; in 4 it names a rank that there is not; in 5, a kernel of a
   device writes a row of x meanwhile, and in 6 one of y; in 7 and 8, it
   exchanges no rows, in pairs, and in 8 a kernel meets a data error before. */
static int32_t run(const dyn_frame_t *frame, uint32_t rank) {
  static const int64_t among[] = {0, 1, 2, 3, 4, 5, 6, 7}, others[RANKS] = {9};
  const dyn_services_t *services = frame->services;
  const int64_t *mode = frame->inputs[3];
#ifdef DEVICE
  int64_t copy = 0;
  RETURN_IF(services->read(frame->call, &copy, mode, 8));
  mode = &copy;
#endif
  if (*mode == 1)
    return services->fail(frame->call, STOP_SITE, -1);
  int64_t *y =
      services->output(frame->call, 0, (int64_t[]){frame->dims[M], COLUMNS});
  RETURN_IF_NULL(y);
  int64_t *sum = services->output(frame->call, 1, NULL);
  RETURN_IF_NULL(sum);
  if (*mode == 8)
    RETURN_IF(services->launch(frame->call, 1, (void *[]){sum}, frame->dims,
                               GATHER_SITE));
  if (*mode == 7 || *mode == 8)
    return tellPairs(frame, rank, y);
  int64_t exchange = services->exchange_start(
      frame->call, RANKS, *mode == 4 ? others : among, frame->inputs[0],
      frame->dims[N], y, frame->dims[M], COLUMNS * 8, frame->inputs[1],
      frame->inputs[2], INDEX_SITE);
  if (exchange < 0)
    return -1;
  if (*mode == 2)
    return services->fail(frame->call, STOP_SITE, -1);
  void *buffers[] = {(void *)frame->constants[rank], sum};
  RETURN_IF(services->launch(frame->call, 0, buffers, frame->dims, 0));
#ifdef DEVICE
  void *spoiled[] = {*mode == 5 ? (void *)frame->inputs[0] : y};
  if (*mode == 5 || *mode == 6)
    RETURN_IF(services->launch(frame->call, 1, spoiled, frame->dims, 0));
#endif
  if (*mode == 3)
    RETURN_IF(services->exchange_wait(frame->call, exchange));
  return services->exchange_wait(frame->call, exchange);
}
#define RUN(rank)                                                              \
  static int32_t run##rank(const dyn_frame_t *frame) {                         \
    return run(frame, rank);                                                   \
  }
EACH_RANK(RUN)

/* Which rows go to the ranks and come from them, and an input whose size is
   the result's. */
static const dyn_size_t xSizes[] = {SYMBOL_SIZE(N, "N"), STATIC_SIZE(3)};
static const dyn_size_t ySizes[] = {SYMBOL_SIZE(M, "M"), STATIC_SIZE(3)};
static const dyn_size_t rangeSizes[] = {{2 * RANKS, -1, 0, NULL, "ranges"}};
static const dyn_size_t likeSizes[] = {SYMBOL_SIZE(M, "M")};
static const dyn_port_t inputs[] = {
    PORT("x", DYN_I64, xSizes), PORT("sends", DYN_I64, rangeSizes),
    PORT("receives", DYN_I64, rangeSizes), SCALAR("mode", DYN_I64),
    PORT("like", DYN_BOOL, likeSizes)};
static const dyn_port_t outputs[] = {PORT("y", DYN_I64, ySizes),
                                     SCALAR("sum", DYN_I64)};
static const dyn_dim_t dims[] = {{"N", 0, INT64_MAX, 1, -1},
                                 {"M", 0, INT64_MAX, 1, -1}};

/*===-- the descriptor ----------------------------------------------------===*/

static const uint32_t reads[] = {0, 1, 2, 3, 4, 5, 6, 7};

#define PART(rank)                                                             \
  {"main_" #rank,                                                              \
   COUNT(inputs),                                                              \
   COUNT(outputs),                                                             \
   COUNT(dims),                                                                \
   0,                                                                          \
   inputs,                                                                     \
   outputs,                                                                    \
   dims,                                                                       \
   run##rank,                                                                  \
   "main",                                                                     \
   rank,                                                                       \
   RANKS,                                                                      \
   1,                                                                          \
   0,                                                                          \
   reads + rank},
static const dyn_entry_t entries[] = {EACH_RANK(PART)};

static const dyn_kernel_t kernels[] = {
    KERNEL("sum", "row", 2, 2, sumGeometry, sumBody),
    KERNEL("gather", "row", 1, 0, gatherGeometry, gatherBody),
};
#define WEIGHTS(rank) {"w" #rank, rank * WEIGHT_BYTES, WEIGHT_BYTES, "{}"},
static const dyn_constant_t constants[] = {EACH_RANK(WEIGHTS)};
static const dyn_site_t sites[] = {
    {DYN_SITE_SIZE, 0, "dhlo.bind", "/stop"},
    {DYN_SITE_INDEX, 0, "dist.exchange_start", "/exchange"},
    {DYN_SITE_SIZE_MISMATCH, 0, "dist.exchange_start", "/exchange"},
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/gather"},
};

#ifdef DEVICE
static const dyn_program_t programs[] = {{
    DYN_DEVICE_CUDA,
    COUNT(entries),
    COUNT(deviceKernels),
    COUNT(sites),
    COUNT(constants),
    COUNT(images),
    entries,
    deviceKernels,
    sites,
    constants,
    images,
}};
#define PROGRAMS COUNT(programs), NULL, programs
#else
#define PROGRAMS 0, NULL, NULL
#endif

static const dyn_descriptor_t descriptor = {
    sizeof(dyn_descriptor_t),
    DYN_ARTIFACT_VERSION,
    {'r', 'a', 'n', 'k', 's', RANKS, VARIANT},
    "by hand",
    "{}",
    COUNT(entries),
    COUNT(kernels),
    COUNT(sites),
    COUNT(constants),
    entries,
    kernels,
    sites,
    constants,
    RANKS *WEIGHT_BYTES,
    NULL,
    0,
    PROGRAMS,
    {0},
    0,
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
