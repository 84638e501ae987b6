/*===- experts.c - More constants than fit in memory ----------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===*/

#include "support.h"

#include "dyn/emulated.h"

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
static int32_t run(const dyn_frame_t *frame, int how, int isOnDevice) {
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
  int64_t address = (int64_t)frame->constants[WEIGHTS], none = -1;
  if (isOnDevice) {
    RETURN_IF(services->write(frame->call, out + ADDRESS, &address, 8));
    RETURN_IF(services->write(frame->call, out + FIRST_PATH, &none, 8));
  } else {
    out[ADDRESS] = address;
    out[FIRST_PATH] = none;
  }
  void *dense[] = {(void *)frame->constants[FIRST], out + DENSE_SUM};
  RETURN_IF(services->launch(frame->call, DENSE, dense, frame->dims, 0));
  void *buffers[] = {(void *)offsets, (void *)frame->constants[WEIGHTS], out};
  return services->launch(frame->call, SUM, buffers, frame->dims, 0);
}
#define RUN(name, how)                                                         \
  static int32_t name##OnHost(const dyn_frame_t *frame) {                      \
    return run(frame, how, 0);                                                 \
  }                                                                            \
  static int32_t name##OnDevice(const dyn_frame_t *frame) {                    \
    return run(frame, how, 1);                                                 \
  }
RUN(announced, ANNOUNCED)
RUN(plain, PLAIN)
RUN(predicted, PREDICTED)

static const dyn_size_t offsetSizes[] = {STATIC_SIZE(65)};
static const dyn_size_t sumSizes[] = {STATIC_SIZE(67)};
static const dyn_port_t inputs[] = {PORT("offsets", DYN_I64, offsetSizes)};
static const dyn_port_t outputs[] = {PORT("sums", DYN_I64, sumSizes)};
static const dyn_dim_t noDims[] = {};

/*===-- the descriptor ----------------------------------------------------===*/

#define ENTRIES(suffix)                                                        \
  {                                                                            \
      ENTRY("announced", inputs, outputs, noDims, 0, announced##suffix),       \
      ENTRY("plain", inputs, outputs, noDims, 0, plain##suffix),               \
      ENTRY("predicted", inputs, outputs, noDims, 0, predicted##suffix),       \
  }
static const dyn_entry_t entries[] = ENTRIES(OnHost);
static const dyn_entry_t entriesOnDevice[] = ENTRIES(OnDevice);
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

/*===-- the program for devices -------------------------------------------===*/

static const dyn_emu_site_t seats[] = {{"llvm.load", "/experts/MatMul"},
                                       {"llvm.store", "/experts/Out"}};
static int64_t load64(dyn_emu_thread_t *thread, const int64_t *at) {
  thread->ops->access(thread, 0, at, 8, DYN_EMU_LOAD);
  return *at;
}
/* Of each page of floats one, so that an emulator need not take long. */
static int64_t sumOf(dyn_emu_thread_t *thread, const float *at, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i += 1024) {
    thread->ops->access(thread, 0, at + i, 4, DYN_EMU_LOAD);
    sum += (int64_t)at[i];
  }
  return sum;
}
static void store64(dyn_emu_thread_t *thread, int64_t *at, int64_t value) {
  thread->ops->access(thread, 1, at, 8, DYN_EMU_STORE);
  *at = value;
}
static void sumThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  int64_t path = thread->tid[0];
  if (path >= PATHS)
    return;
  const int64_t *offsets = (const int64_t *)words[0];
  const float *weights = (const float *)words[1];
  int64_t sum = 0;
  if (load64(thread, offsets + path) < load64(thread, offsets + path + 1))
    sum = sumOf(thread, weights + path * PATH_ELEMENTS, PATH_ELEMENTS);
  store64(thread, (int64_t *)words[2] + path, sum);
}
static void denseThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  if (thread->tid[0] == 0)
    store64(thread, (int64_t *)words[1],
            sumOf(thread, (const float *)words[0], BEFORE / 4));
}
static const dyn_emu_kernel_t emulated[] = {
    {"sum", sumThread, 8 * 7, 0, COUNT(seats), 0, seats},
    {"dense", denseThread, 8 * 6, 0, COUNT(seats), 0, seats},
};
static const dyn_emu_image_t image = {DYN_EMU_MAGIC, COUNT(emulated), emulated};

static const char *const sumVersions[] = {"sum"};
static const char *const denseVersions[] = {"dense"};
static const dyn_device_kernel_t deviceKernels[] = {
    {"sum", "contraction", 3, 0, 1, 0, sumVersions, oneGrid, 0},
    {"dense", "row", 2, 0, 1, 0, denseVersions, oneGrid, 0},
};
static const dyn_image_t images[] = {
    {DYN_IMAGE_EMULATED, 0, &image, sizeof(image), "emulator"},
    {DYN_IMAGE_FATBIN, 0, seats, sizeof(seats), "sm_80"},
};
static const dyn_program_t programs[] = {{
    1,
    COUNT(entriesOnDevice),
    COUNT(deviceKernels),
    COUNT(sites),
    COUNT(constants),
    COUNT(images),
    entriesOnDevice,
    deviceKernels,
    sites,
    constants,
    images,
}};

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
    COUNT(programs),
    routers,
    programs,
    "experts weights",
    BEFORE + (uint64_t)PATHS *PATH_BYTES,
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
