/*===- device.c - An artifact with a program for a device -----------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its kernels are written as the compiler writes them for the emulator. The CPU
// has the same entries, whose kernels do nothing.
//
//===---------------------------------------------------------------------===*/

#include "support.h"

#include "dyn/emulated.h"

enum { ADD, FIRST, OVERRUN, RACE, KERNEL_COUNT };

/*===-- kernels -----------------------------------------------------------===*/

static const dyn_emu_site_t seats[] = {{"llvm.load", "/block/Add"},
                                       {"llvm.store", "/block/Out"}};

static int64_t getThread(const dyn_emu_thread_t *thread) {
  return (int64_t)thread->ctaid[0] * thread->ntid[0] + thread->tid[0];
}
static float load(dyn_emu_thread_t *thread, const float *at) {
  thread->ops->access(thread, 0, at, 4, DYN_EMU_LOAD);
  return *at;
}
static void store(dyn_emu_thread_t *thread, float *at, float value) {
  thread->ops->access(thread, 1, at, 4, DYN_EMU_STORE);
  *at = value;
}

/* out[i] = x[i] + y[i]; a data error where x is negative. */
static void addThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  int64_t i = getThread(thread);
  if (i >= (int64_t)words[3])
    return;
  float x = load(thread, (const float *)words[0] + i);
  float y = load(thread, (const float *)words[1] + i);
  if (x < 0) {
    uint64_t *error = (uint64_t *)words[5];
    thread->ops->access(thread, 0, error, 8, DYN_EMU_ATOMIC);
    if (words[6] < *error)
      *error = words[6];
  }
  store(thread, (float *)words[2] + i, x + y);
}
/* The first element of a table. */
static void firstThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  if (getThread(thread) == 0)
    store(thread, (float *)words[1], load(thread, (const float *)words[0]));
}
/* Writes far beyond its result. */
static void overrunThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  if (getThread(thread) == 0)
    store(thread, (float *)words[1] + 1000, 1);
}
/* All threads write the same element. */
static void raceThread(const void *params, dyn_emu_thread_t *thread) {
  const uint64_t *words = params;
  store(thread, (float *)words[1], 1);
}

#define EMULATED(name, fn, words)                                              \
  {name, fn, 8 * (words), 0, COUNT(seats), 0, seats}
static const dyn_emu_kernel_t emulated[] = {
    EMULATED("add", addThread, 8),
    EMULATED("first", firstThread, 6),
    EMULATED("overrun", overrunThread, 6),
    EMULATED("race", raceThread, 6),
};
static const dyn_emu_image_t image = {DYN_EMU_MAGIC, COUNT(emulated), emulated};

static void addGrid(const int64_t *dims, dyn_grid_t *grid) {
  grid->version = 0;
  grid->blocks = (dims[0] + DYN_DEVICE_THREADS - 1) / DYN_DEVICE_THREADS;
  grid->flops = dims[0];
  grid->bytes = 12 * dims[0];
}

static const char *const addVersions[] = {"add"};
static const char *const firstVersions[] = {"first"};
static const char *const overrunVersions[] = {"overrun"};
static const char *const raceVersions[] = {"race"};
static const dyn_device_kernel_t deviceKernels[] = {
    {"add", "loop", 3, 1, 1, 0, addVersions, addGrid, 0},
    {"first", "loop", 2, 0, 1, 0, firstVersions, oneGrid, 0},
    {"overrun", "loop", 2, 0, 1, 0, overrunVersions, oneGrid, 0},
    {"race", "loop", 2, 0, 1, 0, raceVersions, oneGrid, 0},
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
    KERNEL("add", "loop", 3, 1, noGeometry, noBody),
    KERNEL("first", "loop", 2, 0, noGeometry, noBody),
    KERNEL("overrun", "loop", 2, 0, noGeometry, noBody),
    KERNEL("race", "loop", 2, 0, noGeometry, noBody),
};

/*===-- entries -----------------------------------------------------------===*/

/* x + y, by way of an arena. */
static int32_t addEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *sum = services->reserve(frame->call, 0, 4 * frame->dims[0]);
  RETURN_IF_NULL(sum);
  void *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *first[] = {(void *)frame->inputs[0], (void *)frame->inputs[1], sum};
  RETURN_IF(services->launch(frame->call, ADD, first, frame->dims, 1));
  void *second[] = {sum, (void *)frame->inputs[1], out};
  return services->launch(frame->call, ADD, second, frame->dims, 0);
}
/* x + y and y + x. */
static int32_t bothEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *sums[2];
  for (uint32_t i = 0; i < 2; ++i) {
    sums[i] = services->output(frame->call, i, frame->dims);
    RETURN_IF_NULL(sums[i]);
    void *buffers[] = {(void *)frame->inputs[i], (void *)frame->inputs[1 - i],
                       sums[i]};
    RETURN_IF(services->launch(frame->call, ADD, buffers, frame->dims, 0));
  }
  return 0;
}
/* x + x, as often as it has elements. */
static int32_t stepsEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *buffers[] = {(void *)frame->inputs[0], (void *)frame->inputs[0], out};
  for (int64_t i = 0; i < frame->dims[0]; ++i)
    RETURN_IF(services->launch(frame->call, ADD, buffers, frame->dims, 0));
  return 0;
}
/* A vector of zeros whose length is the constant; the host writes the first
 * element, a size. */
static int32_t countEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *memory = services->reserve(frame->call, 0, 4);
  RETURN_IF_NULL(memory);
  void *buffers[] = {(void *)frame->constants[0], memory};
  RETURN_IF(services->launch(frame->call, FIRST, buffers, NULL, 0));
  RETURN_IF(services->check(frame->call));
  float count = 0;
  RETURN_IF(services->read(frame->call, &count, memory, 4));
  int64_t sizes[] = {(int64_t)count};
  char *out = services->output(frame->call, 0, sizes);
  RETURN_IF_NULL(out);
  for (int64_t i = 0; i < sizes[0]; ++i) {
    float value = 10 * (float)i;
    RETURN_IF(services->write(frame->call, out + 4 * i, &value, 4));
  }
  return 0;
}
static int32_t launchOne(const dyn_frame_t *frame, uint32_t kernel) {
  const dyn_services_t *services = frame->services;
  void *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *buffers[] = {(void *)frame->inputs[0], out};
  return services->launch(frame->call, kernel, buffers, NULL, 0);
}
static int32_t overrunEntry(const dyn_frame_t *frame) {
  return launchOne(frame, OVERRUN);
}
static int32_t raceEntry(const dyn_frame_t *frame) {
  return launchOne(frame, RACE);
}
/* Leaves its result as it is. */
static int32_t nothingEntry(const dyn_frame_t *frame) {
  RETURN_IF_NULL(frame->services->output(frame->call, 0, frame->dims));
  return 0;
}
/* Shows two cells, one for each of two paths. */
static int32_t routeEntry(const dyn_frame_t *frame) {
  static const int64_t offsets[] = {0, 1, 2}, seats[] = {1, 0};
  const dyn_services_t *services = frame->services;
  char *memory = services->reserve(frame->call, 0, 40);
  RETURN_IF_NULL(memory);
  RETURN_IF(services->write(frame->call, memory, offsets, 24));
  RETURN_IF(services->write(frame->call, memory + 24, seats, 16));
  RETURN_IF(services->probe(frame->call, 0, (int64_t *)memory,
                            (int64_t *)memory + 3, NULL, 2, 1));
  return addEntry(frame);
}
/* 2 (x + 2 y): twice the sum of x, y and y, the second time, if router 0 is
 * guessed, beside the first one, and then of y first. Of two rows of the router
 * the guess has so many right. */
static int32_t guessRows(const dyn_frame_t *frame, int64_t right) {
  const dyn_services_t *services = frame->services;
  dyn_call_t *call = frame->call;
  int64_t n = frame->dims[0], isOn = services->guess(call, 0, 512);
  int64_t guessed[] = {isOn * n};
  char *memory = services->reserve(call, 0, 16 * n + 72);
  RETURN_IF_NULL(memory);
  void *x = (void *)frame->inputs[0], *y = (void *)frame->inputs[1];
  void *out = services->output(call, 0, frame->dims);
  RETURN_IF_NULL(out);
  const int64_t offsets[] = {
      0, 1, 2, 0, isOn, 2 * isOn, 0, 0, isOn ? 2 - right : 2};
  RETURN_IF(services->write(call, memory, offsets, sizeof(offsets)));
  char *sums = memory + 72;
  void *a = sums, *b = sums + 4 * n, *c = sums + 8 * n, *d = sums + 12 * n;
  void *first[] = {x, y, a}, *second[] = {a, y, b}, *third[] = {y, x, c},
       *fourth[] = {c, y, d};
  const dyn_launch_t launches[] = {
      {ADD, 1, first, frame->dims, 1},
      {ADD, 2, third, guessed, 0},
      {ADD, 1, second, frame->dims, 1},
      {ADD, 2, fourth, guessed, 0},
  };
  RETURN_IF(services->launch_many(call, COUNT(launches), launches));
  const int64_t *rows = (const int64_t *)memory;
  RETURN_IF(services->guessed(call, 0, rows, rows + 3, rows + 6));
  void *last[] = {b, isOn ? d : b, out};
  return services->launch(call, ADD, last, frame->dims, 1);
}
static int32_t guessEntry(const dyn_frame_t *frame) {
  return guessRows(frame, 2);
}
static int32_t guessWrongEntry(const dyn_frame_t *frame) {
  return guessRows(frame, 0);
}
static int32_t hugeEntry(const dyn_frame_t *frame) {
  RETURN_IF_NULL(frame->services->reserve(frame->call, 0, (int64_t)1 << 45));
  return 0;
}

static const dyn_dim_t dims[] = {{"n", 0, INT64_MAX, 1, -1}};
static const dyn_size_t sizes[] = {SYMBOL_SIZE(0, "n")};
static const dyn_size_t unknown[] = {UNKNOWN_SIZE};
static const dyn_port_t two[] = {PORT("x", DYN_F32, sizes),
                                 PORT("y", DYN_F32, sizes)};
static const dyn_port_t one[] = {PORT("x", DYN_F32, sizes)};
static const dyn_port_t out[] = {PORT("out", DYN_F32, sizes)};
static const dyn_port_t twoOut[] = {PORT("sum", DYN_F32, sizes),
                                    PORT("again", DYN_F32, sizes)};
static const dyn_port_t counted[] = {PORT("out", DYN_F32, unknown)};

static const dyn_entry_t entries[] = {
    ENTRY("add", two, out, dims, 1, addEntry),
    ENTRY("both", two, twoOut, dims, 0, bothEntry),
    ENTRY("steps", one, out, dims, 0, stepsEntry),
    ENTRY("count", one, counted, dims, 1, countEntry),
    ENTRY("overrun", one, out, dims, 0, overrunEntry),
    ENTRY("race", one, out, dims, 0, raceEntry),
    ENTRY("nothing", one, out, dims, 0, nothingEntry),
    ENTRY("huge", one, out, dims, 1, hugeEntry),
    ENTRY("route", two, out, dims, 1, routeEntry),
    ENTRY("guess", two, out, dims, 1, guessEntry),
    ENTRY("guess_wrong", two, out, dims, 1, guessWrongEntry),
};

static const dyn_site_t sites[] = {
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/second/Add"},
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/first/Add"},
};
static const dyn_constant_t constants[] = {{"count", 64, 4, "{}"}};

static const dyn_router_t routers[] = {
    {"experts", "", "", "00000000000000aa", 2, -1, NULL},
};

static const dyn_image_t images[] = {
#ifdef FATBIN_ALONE
    {DYN_IMAGE_FATBIN, 0, seats, sizeof(seats), "sm_80"},
#else
    {DYN_IMAGE_EMULATED, 0, &image, sizeof(image), "emulator"},
#endif
};
static const dyn_program_t programs[] = {{
    1,
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

static const dyn_descriptor_t descriptor = {
    sizeof(dyn_descriptor_t),
    DYN_ARTIFACT_VERSION,
    "for devices",
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
    128,
    NULL,
    COUNT(routers),
    COUNT(programs),
    routers,
    programs,
    {0},
    0,
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
