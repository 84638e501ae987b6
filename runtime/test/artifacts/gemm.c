/*===- gemm.c - GEMMs that a library may compute --------------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its kernels write -1 where a library writes the GEMM, so that a test can tell
// which one ran. From 64 multiply-adds on it is the library.
//
//===---------------------------------------------------------------------===*/

#include "support.h"

#include "dyn/emulated.h"

enum { DENSE, BATCHED, OUTSIDE, KERNEL_COUNT };

/*===-- kernels -----------------------------------------------------------===*/

static const dyn_emu_site_t seats[] = {{"llvm.store", "/block/Out"}};

/* Fills the fourth buffer, whose length is the last dim. */
static void fillThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  int64_t i = (int64_t)thread->ctaid[0] * thread->ntid[0] + thread->tid[0];
  if (i >= (int64_t)words[8])
    return;
  float *out = (float *)words[3] + i;
  thread->ops->access(thread, 0, out, 4, DYN_EMU_STORE);
  *out = -1;
}
static const dyn_emu_kernel_t emulated[] = {
    {"fill", fillThread, 8 * 13, 0, COUNT(seats), 0, seats}};
static const dyn_emu_image_t image = {DYN_EMU_MAGIC, COUNT(emulated), emulated};

static void fillGrid(const int64_t *dims, dyn_grid_t *grid) {
  grid->version = 0;
  grid->blocks = (dims[4] + DYN_DEVICE_THREADS - 1) / DYN_DEVICE_THREADS;
  grid->flops = grid->bytes = 0;
}

/* Dims of all kernels: batch, M, N, K, elements of the result. */
#define DIM(index) SYMBOL_SIZE(index, "d")
static const int64_t tooMany[] = {DYN_SIZE_DIM, 1, DYN_SIZE_CONST, 1000,
                                  DYN_SIZE_MUL};
static const dyn_gemm_t dense = {
    0, 1, 3,  2,      DYN_NO_BUFFER, DYN_F32, DYN_F32, DYN_ACTIVATION_RELU,
    0, 0, 64, DIM(0), DIM(1),        DIM(2),  DIM(3)};
static const dyn_gemm_t batched = {
    0, 1, 3,  DYN_NO_BUFFER, 2,      DYN_F32, DYN_F32, DYN_ACTIVATION_NONE,
    1, 1, 64, DIM(0),        DIM(1), DIM(2),  DIM(3)};
static const dyn_gemm_t outside = {0,
                                   1,
                                   3,
                                   2,
                                   DYN_NO_BUFFER,
                                   DYN_F32,
                                   DYN_F32,
                                   DYN_ACTIVATION_NONE,
                                   0,
                                   0,
                                   64,
                                   DIM(0),
                                   EXPRESSION_SIZE(tooMany, "1000 * d1"),
                                   DIM(2),
                                   DIM(3)};

static const char *const versions[] = {"fill"};
static const dyn_device_kernel_t deviceKernels[] = {
    {"dense", "contraction", 4, 5, 1, 0, versions, fillGrid, &dense},
    {"batched", "contraction", 4, 5, 1, 0, versions, fillGrid, &batched},
    {"outside", "contraction", 4, 5, 1, 0, versions, fillGrid, &outside},
};

static void noGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = 0;
}
static void noBody(void *const *buffers, const int64_t *dims, int64_t begin,
                   int64_t end, dyn_worker_t *worker) {
  (void)buffers, (void)dims, (void)begin, (void)end, (void)worker;
}
static const dyn_kernel_t kernels[] = {
    KERNEL("dense", "contraction", 4, 5, noGeometry, noBody)};

/*===-- entries -----------------------------------------------------------===*/

static int32_t launch(const dyn_frame_t *frame, uint32_t kernel,
                      const int64_t *sizes, const int64_t *outSizes) {
  const dyn_services_t *services = frame->services;
  void *out = services->output(frame->call, 0, outSizes);
  RETURN_IF_NULL(out);
  void *buffers[] = {(void *)frame->inputs[0], (void *)frame->inputs[1],
                     (void *)frame->inputs[2], out};
  return services->launch(frame->call, kernel, buffers, sizes, 0);
}
/* max(x * w + b, 0) of [m, k], [k, n], [n]. */
static int32_t denseOf(const dyn_frame_t *frame, uint32_t kernel) {
  int64_t m = frame->dims[0], k = frame->dims[1], n = frame->dims[2];
  int64_t sizes[] = {1, m, n, k, m * n}, outSizes[] = {m, n};
  return launch(frame, kernel, sizes, outSizes);
}
static int32_t denseEntry(const dyn_frame_t *frame) {
  return denseOf(frame, DENSE);
}
static int32_t outsideEntry(const dyn_frame_t *frame) {
  return denseOf(frame, OUTSIDE);
}
/* r + x * w of [b, m, n], [b, k, m] and [b, n, k]. */
static int32_t batchedEntry(const dyn_frame_t *frame) {
  int64_t b = frame->dims[0], k = frame->dims[1], m = frame->dims[2],
          n = frame->dims[3];
  int64_t sizes[] = {b, m, n, k, b * m * n}, outSizes[] = {b, m, n};
  return launch(frame, BATCHED, sizes, outSizes);
}

#define SIZE_DIM(name) {name, 0, INT64_MAX, 1, -1}
static const dyn_dim_t denseDims[] = {SIZE_DIM("m"), SIZE_DIM("k"),
                                      SIZE_DIM("n")};
static const dyn_dim_t batchedDims[] = {SIZE_DIM("b"), SIZE_DIM("k"),
                                        SIZE_DIM("m"), SIZE_DIM("n")};
static const dyn_size_t mk[] = {SYMBOL_SIZE(0, "m"), SYMBOL_SIZE(1, "k")};
static const dyn_size_t kn[] = {SYMBOL_SIZE(1, "k"), SYMBOL_SIZE(2, "n")};
static const dyn_size_t mn[] = {SYMBOL_SIZE(0, "m"), SYMBOL_SIZE(2, "n")};
static const dyn_size_t nOnly[] = {SYMBOL_SIZE(2, "n")};
static const dyn_size_t bkm[] = {SYMBOL_SIZE(0, "b"), SYMBOL_SIZE(1, "k"),
                                 SYMBOL_SIZE(2, "m")};
static const dyn_size_t bnk[] = {SYMBOL_SIZE(0, "b"), SYMBOL_SIZE(3, "n"),
                                 SYMBOL_SIZE(1, "k")};
static const dyn_size_t bmn[] = {SYMBOL_SIZE(0, "b"), SYMBOL_SIZE(2, "m"),
                                 SYMBOL_SIZE(3, "n")};
static const dyn_port_t denseIn[] = {
    PORT("x", DYN_F32, mk), PORT("w", DYN_F32, kn), PORT("b", DYN_F32, nOnly)};
static const dyn_port_t denseOut[] = {PORT("y", DYN_F32, mn)};
static const dyn_port_t batchedIn[] = {
    PORT("x", DYN_F32, bkm), PORT("w", DYN_F32, bnk), PORT("r", DYN_F32, bmn)};
static const dyn_port_t batchedOut[] = {PORT("y", DYN_F32, bmn)};

static const dyn_entry_t entries[] = {
    ENTRY("dense", denseIn, denseOut, denseDims, 0, denseEntry),
    ENTRY("outside", denseIn, denseOut, denseDims, 0, outsideEntry),
    ENTRY("batched", batchedIn, batchedOut, batchedDims, 0, batchedEntry),
};

static const dyn_image_t images[] = {
    {DYN_IMAGE_EMULATED, 0, &image, sizeof(image), "emulator"},
    {DYN_IMAGE_FATBIN, 0, seats, sizeof(seats), "sm_80"},
};
static const dyn_program_t programs[] = {{
    1,
    COUNT(entries),
    COUNT(deviceKernels),
    0,
    0,
    COUNT(images),
    entries,
    deviceKernels,
    NULL,
    NULL,
    images,
}};

static const dyn_descriptor_t descriptor = {
    sizeof(dyn_descriptor_t),
    DYN_ARTIFACT_VERSION,
    "for GEMMs",
    "by hand",
    "{}",
    COUNT(entries),
    COUNT(kernels),
    0,
    0,
    entries,
    kernels,
    NULL,
    NULL,
    128,
    NULL,
    0,
    COUNT(programs),
    NULL,
    programs,
    {0},
    0,
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
