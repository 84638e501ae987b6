/*===- experts.c - More constants than fit in memory ----------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===*/

#include "support.h"

/* The weights of all paths, and what comes before them in the area, whose
   element i is the number i. Numbers of constants need not ascend by offset. */
enum { WEIGHTS, FIRST };
enum { PATHS = 64, PATH_BYTES = 256 * 1024, BEFORE = 128 * 1024 };
enum { PATH_ELEMENTS = PATH_BYTES / 4 };
/* Results: a sum for each path, that of the first constant, the address of the
   weights, and the first path that was summed. */
enum { DENSE_SUM = PATHS, ADDRESS, FIRST_PATH, RESULTS };

/*===-- sum: the sum of the weights of each path that has rows ------------===*/

static void sumGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = PATHS;
  geometry->grain = 4;
  geometry->bytes = PATH_BYTES;
}
static void sumBody(void *const *buffers, const int64_t *dims, int64_t begin,
                    int64_t end, dyn_worker_t *worker) {
  const int64_t *offsets = buffers[0];
  const float *weights = buffers[1];
  int64_t *sums = buffers[2], *first = sums + FIRST_PATH;
  (void)dims, (void)worker;
  for (int64_t path = begin; path < end; ++path) {
    int64_t none = -1;
    sums[path] = 0;
    if (offsets[path] < offsets[path + 1])
      __atomic_compare_exchange_n(first, &none, path, 0, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED);
    if (offsets[path] < offsets[path + 1])
      for (int64_t i = 0; i < PATH_ELEMENTS; ++i)
        sums[path] += (int64_t)weights[path * PATH_ELEMENTS + i];
  }
}

/*===-- dense: the sum of the first constant ------------------------------===*/

static void denseGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = geometry->grain = 1;
  geometry->bytes = BEFORE;
}
static void denseBody(void *const *buffers, const int64_t *dims, int64_t begin,
                      int64_t end, dyn_worker_t *worker) {
  const float *weights = buffers[0];
  int64_t *sum = buffers[1];
  (void)dims, (void)begin, (void)end, (void)worker;
  *sum = 0;
  for (int64_t i = 0; i < BEFORE / 4; ++i)
    *sum += (int64_t)weights[i];
}

enum { SUM, DENSE };

enum { PLAIN, ANNOUNCED, PREDICTED };

/* A prediction is wrong: of the next path. */
static int32_t run(const dyn_frame_t *frame, int how) {
  const dyn_services_t *services = frame->services;
  const int64_t *offsets = frame->inputs[0];
  int64_t *out = services->output(frame->call, 0, (int64_t[]){RESULTS});
  RETURN_IF_NULL(out);
  dyn_range_t announced[PATHS], predicted[PATHS];
  for (uint32_t i = 0; i < PATHS; ++i) {
    uint32_t next = (i + 1) % PATHS;
    dyn_range_t range = {WEIGHTS, i, (uint64_t)i * PATH_BYTES, PATH_BYTES};
    dyn_range_t wrong = {WEIGHTS, i, (uint64_t)next * PATH_BYTES, PATH_BYTES};
    announced[i] = range;
    predicted[i] = wrong;
  }
  if (how == PREDICTED) {
    RETURN_IF(services->expect(frame->call, NULL, 1, predicted));
    RETURN_IF(services->expect(frame->call, offsets, PATHS, predicted));
  }
  if (how != PLAIN)
    RETURN_IF(services->fetch(frame->call, offsets, PATHS, announced));
  out[FIRST_PATH] = -1;
  out[ADDRESS] = (int64_t)frame->constants[WEIGHTS];
  void *dense[] = {(void *)frame->constants[FIRST], out + DENSE_SUM};
  RETURN_IF(services->launch(frame->call, DENSE, dense, frame->dims, 0));
  void *buffers[] = {(void *)offsets, (void *)frame->constants[WEIGHTS], out};
  return services->launch(frame->call, SUM, buffers, frame->dims, 0);
}
static int32_t announcedEntry(const dyn_frame_t *frame) {
  return run(frame, ANNOUNCED);
}
static int32_t plainEntry(const dyn_frame_t *frame) {
  return run(frame, PLAIN);
}
static int32_t predictedEntry(const dyn_frame_t *frame) {
  return run(frame, PREDICTED);
}

static const dyn_size_t offsetSizes[] = {STATIC_SIZE(65)};
static const dyn_size_t sumSizes[] = {STATIC_SIZE(67)};
static const dyn_port_t inputs[] = {PORT("offsets", DYN_I64, offsetSizes)};
static const dyn_port_t outputs[] = {PORT("sums", DYN_I64, sumSizes)};
static const dyn_dim_t noDims[] = {};

/*===-- the descriptor ----------------------------------------------------===*/

static const dyn_entry_t entries[] = {
    ENTRY("announced", inputs, outputs, noDims, 0, announcedEntry),
    ENTRY("plain", inputs, outputs, noDims, 0, plainEntry),
    ENTRY("predicted", inputs, outputs, noDims, 0, predictedEntry),
};
static const dyn_kernel_t kernels[] = {
    KERNEL("sum", "contraction", 3, 0, sumGeometry, sumBody),
    KERNEL("dense", "row", 2, 0, denseGeometry, denseBody),
};
static const dyn_constant_t constants[] = {
    {"weights", BEFORE, (uint64_t)PATHS * PATH_BYTES, "{}"},
    {"before", 0, BEFORE, "{}"},
};
static const dyn_site_t sites[] = {};
static const dyn_router_t routers[] = {};

static const dyn_descriptor_t descriptor = {
    sizeof(dyn_descriptor_t),
    DYN_ARTIFACT_VERSION,
    "experts \x05\x06\x07",
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
    BEFORE + (uint64_t)PATHS *PATH_BYTES,
    "experts.weights",
    COUNT(routers),
    0,
    routers,
    NULL,
    "experts weights",
    BEFORE + (uint64_t)PATHS *PATH_BYTES,
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
