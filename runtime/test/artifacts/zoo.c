/*===- zoo.c - An artifact with an entry for each thing the runtime does --===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===*/

#include "support.h"

/* Kernels, by index. */
enum { ADD, GATHER, REVERSE, RANDOM, STEP, MODE, KERNEL_COUNT };

/* Sites, by index. */
enum { GATHER_INDEX, GATHER_LATER, SLICE_SIZE, SITE_COUNT };

/*===-- add: f32[batch, n] + f32[batch, n], in parallel -------------------===*/

static void addGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  geometry->items = dims[0] * dims[1];
  geometry->grain = 64;
  geometry->flops = geometry->items;
  geometry->bytes = 12 * geometry->items;
  geometry->results = 1;
  geometry->item_bytes = 4;
  geometry->result_bytes = 4 * geometry->items;
}
static void addBody(void *const *buffers, const int64_t *dims, int64_t begin,
                    int64_t end, dyn_worker_t *worker) {
  const float *a = buffers[0], *b = buffers[1];
  float *out = buffers[2];
  (void)dims, (void)worker;
  for (int64_t i = begin; i < end; ++i)
    out[i] = a[i] + b[i];
}
static int32_t addEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *buffers[] = {(void *)frame->inputs[0], (void *)frame->inputs[1], out};
  return services->launch(frame->call, ADD, buffers, frame->dims, 0);
}
static const dyn_dim_t addDims[] = {{"batch", 0, 64, 1, 1},
                                    {"n", 0, INT64_MAX, 1, -1}};
static const dyn_size_t addSizes[] = {SYMBOL_SIZE(0, "batch"),
                                      SYMBOL_SIZE(1, "n")};
static const dyn_port_t addInputs[] = {PORT("x", DYN_F32, addSizes),
                                       PORT("y", DYN_F32, addSizes)};
static const dyn_port_t addOutputs[] = {PORT("sum", DYN_F32, addSizes)};

/*===-- facts: nothing but a signature that says a lot --------------------===*/

static int32_t factsEntry(const dyn_frame_t *frame) {
  int64_t *out = frame->services->output(frame->call, 0, NULL);
  RETURN_IF_NULL(out);
  *out = frame->dims[0] * 1000 + frame->dims[1];
  return 0;
}
#ifdef WIDER
enum { FACTS_ROWS = 9 };
#else
enum { FACTS_ROWS = 8 };
#endif
static const dyn_dim_t factsDims[] = {{"rows", 1, FACTS_ROWS, 1, -1},
                                      {"s", 4, INT64_MAX, 4, 16}};
static const int64_t twiceSPlusOne[] = {
    DYN_SIZE_CONST, 2, DYN_SIZE_DIM, 1, DYN_SIZE_MUL,
    DYN_SIZE_CONST, 1, DYN_SIZE_ADD};
static const int64_t rowsByZero[] = {
    DYN_SIZE_DIM,   0, DYN_SIZE_DIM, 1,
    DYN_SIZE_CONST, 8, DYN_SIZE_MOD, DYN_SIZE_FLOORDIV};
static const dyn_size_t idsSizes[] = {SYMBOL_SIZE(0, "rows"),
                                      SYMBOL_SIZE(1, "s")};
static const dyn_size_t pastSizes[] = {
    SYMBOL_SIZE(0, "rows"), STATIC_SIZE(3),
    EXPRESSION_SIZE(twiceSPlusOne, "2 * s + 1")};
static const dyn_size_t ratioSizes[] = {
    EXPRESSION_SIZE(rowsByZero, "rows floordiv (s mod 8)")};
static const dyn_port_t factsInputs[] = {
    PORT("ids", DYN_I64, idsSizes), PORT("mask", DYN_I32, idsSizes),
    PORT("past", DYN_F32, pastSizes), PORT("ratio", DYN_U8, ratioSizes)};
static const dyn_port_t factsOutputs[] = {SCALAR("code", DYN_I64)};

/*===-- gather: a constant table, indices that may be wrong ---------------===*/

enum { TABLE_ROWS = 8, TABLE_COLUMNS = 4 };

static void gatherGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  geometry->items = dims[0];
  geometry->grain = 16;
  geometry->bytes = 40 * dims[0];
  geometry->results = 1;
  geometry->item_bytes = 4 * TABLE_COLUMNS;
  geometry->result_bytes = geometry->item_bytes * dims[0];
}
static void gatherBody(void *const *buffers, const int64_t *dims, int64_t begin,
                       int64_t end, dyn_worker_t *worker) {
  const float *table = buffers[0];
  const int64_t *ids = buffers[1];
  float *out = buffers[2];
  (void)dims;
  for (int64_t i = begin; i < end; ++i) {
    int64_t row = ids[i];
    if (row < 0 || row >= TABLE_ROWS) {
      dataError(worker, GATHER_INDEX);
      row = 0;
    }
    for (int64_t j = 0; j < TABLE_COLUMNS; ++j)
      out[i * TABLE_COLUMNS + j] = table[row * TABLE_COLUMNS + j];
  }
}
/* Gathers twice, so that two sites fail and the first must be reported. */
static int32_t gatherEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t sizes[] = {frame->dims[0], TABLE_COLUMNS};
  void *spare = services->reserve(frame->call, 0, frame->dims[0] * 16);
  RETURN_IF_NULL(spare);
  void *out = services->output(frame->call, 0, sizes);
  RETURN_IF_NULL(out);
  void *later[] = {(void *)frame->constants[1], (void *)frame->inputs[0],
                   spare};
  void *buffers[] = {(void *)frame->constants[1], (void *)frame->inputs[0],
                     out};
  RETURN_IF(
      services->launch(frame->call, GATHER, later, frame->dims, GATHER_LATER));
  return services->launch(frame->call, GATHER, buffers, frame->dims,
                          GATHER_INDEX);
}
#ifdef FIXED /* for one size */
static const dyn_dim_t gatherDims[] = {{"n", FIXED, FIXED, 1, -1}};
#else
static const dyn_dim_t gatherDims[] = {{"n", 0, INT64_MAX, 1, -1}};
#endif
static const dyn_size_t vectorSizes[] = {SYMBOL_SIZE(0, "n")};
static const dyn_size_t rowsSizes[] = {SYMBOL_SIZE(0, "n"), STATIC_SIZE(4)};
#ifdef RENAMED
static const dyn_port_t gatherInputs[] = {PORT("rows", DYN_I64, vectorSizes)};
#else
static const dyn_port_t gatherInputs[] = {PORT("ids", DYN_I64, vectorSizes)};
#endif
static const dyn_port_t gatherOutputs[] = {PORT("rows", DYN_F32, rowsSizes)};

/*===-- take: the first k of a vector; the size depends on the data -------===*/

static int32_t takeEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  RETURN_IF(services->check(frame->call));
  int64_t k = *(const int64_t *)frame->inputs[1];
  if (k < 0 || k > frame->dims[0])
    return services->fail(frame->call, SLICE_SIZE, k);
  uint8_t *out = services->output(frame->call, 0, &k);
  RETURN_IF_NULL(out);
  for (int64_t i = 0; i < k; ++i)
    out[i] = ((const uint8_t *)frame->inputs[0])[i];
  return 0;
}
static const dyn_size_t takenSizes[] = {UNKNOWN_SIZE};
static const dyn_port_t takeInputs[] = {PORT("data", DYN_BOOL, vectorSizes),
                                        SCALAR("k", DYN_I64)};
static const dyn_port_t takeOutputs[] = {PORT("taken", DYN_BOOL, takenSizes)};

/*===-- reverse: arenas and scratch ---------------------------------------===*/

static void reverseGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  geometry->items = dims[0];
  geometry->grain = 1;
  geometry->scratch_bytes = 8 * dims[1];
  geometry->bytes = 16 * dims[0] * dims[1];
}
static void reverseBody(void *const *buffers, const int64_t *dims,
                        int64_t begin, int64_t end, dyn_worker_t *worker) {
  int64_t n = dims[1];
  int64_t *scratch = worker->scratch;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t *in = (const int64_t *)buffers[0] + row * n;
    int64_t *out = (int64_t *)buffers[1] + row * n;
    for (int64_t i = 0; i < n; ++i)
      scratch[i] = in[n - 1 - i];
    for (int64_t i = 0; i < n; ++i)
      out[i] = scratch[i];
  }
}
/* Reverses the rows twice, through an arena. */
static int32_t reverseEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  void *middle =
      services->reserve(frame->call, 1, 8 * frame->dims[0] * frame->dims[1]);
  RETURN_IF_NULL(middle);
  void *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *there[] = {(void *)frame->inputs[0], middle};
  void *back[] = {middle, out};
  RETURN_IF(services->launch(frame->call, REVERSE, there, frame->dims, 0));
  return services->launch(frame->call, REVERSE, back, frame->dims, 0);
}
static const dyn_port_t reverseInputs[] = {PORT("x", DYN_I64, addSizes)};
static const dyn_port_t reverseOutputs[] = {PORT("same", DYN_I64, addSizes)};

/*===-- random: the seed of the call --------------------------------------===*/

static void randomGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  geometry->items = dims[0];
  geometry->grain = 8;
}
static void randomBody(void *const *buffers, const int64_t *dims, int64_t begin,
                       int64_t end, dyn_worker_t *worker) {
  (void)dims;
  for (int64_t i = begin; i < end; ++i)
    ((uint64_t *)buffers[1])[i] =
        (worker->seed + (uint64_t)i) * 0x9e3779b97f4a7c15u;
}
static int32_t randomEntry(const dyn_frame_t *frame) {
  void *out = frame->services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *buffers[] = {(void *)frame->inputs[0], out};
  return frame->services->launch(frame->call, RANDOM, buffers, frame->dims, 0);
}
static const dyn_port_t randomInputs[] = {PORT("like", DYN_I8, vectorSizes)};
static const dyn_port_t randomOutputs[] = {PORT("bits", DYN_U64, vectorSizes)};

/*===-- together: kernels that wait for nothing of each other -------------===*/

/* Reverses the rows twice, each time together with random numbers, a few and
   many. The number of errors in those is added to the first element. */
static int32_t togetherEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t count = frame->dims[0] * frame->dims[1], few = 3, wrong = 0;
  int64_t *middle = services->reserve(frame->call, 1, 8 * count);
  RETURN_IF_NULL(middle);
  uint64_t *bits = services->reserve(frame->call, 0, 8 * (count + few));
  RETURN_IF_NULL(bits);
  int64_t *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  for (int64_t round = 0; round < 2; ++round) {
    void *rows[] = {round ? middle : (void *)frame->inputs[0],
                    round ? out : middle};
    void *fewBits[] = {NULL, bits}, *manyBits[] = {NULL, bits + few};
    dyn_launch_t launches[] = {{RANDOM, 0, fewBits, &few, 0},
                               {REVERSE, 0, rows, frame->dims, 0},
                               {RANDOM, 0, manyBits, &count, 0}};
    for (int64_t i = 0; i < count + few; ++i)
      bits[i] = 0;
    RETURN_IF(services->launch_many(frame->call, COUNT(launches), launches));
    for (int64_t i = 0; i < few; ++i)
      wrong += bits[i] != (uint64_t)i * 0x9e3779b97f4a7c15u;
    for (int64_t i = 0; i < count; ++i)
      wrong += bits[few + i] != (uint64_t)i * 0x9e3779b97f4a7c15u;
  }
  out[0] += wrong;
  return 0;
}

/*===-- chains: kernels that wait for each other in two chains ------------===*/

/* Reverses all numbers twice as one row, and beside it twice more. The number
   of differences is added to the first element. */
static int32_t chainsEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t count = frame->dims[0] * frame->dims[1], row[] = {1, count};
  int64_t *middle = services->reserve(frame->call, 0, 8 * count);
  RETURN_IF_NULL(middle);
  int64_t *other = services->reserve(frame->call, 1, 8 * 2 * count);
  RETURN_IF_NULL(other);
  int64_t *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  void *x = (void *)frame->inputs[0];
  void *buffers[][2] = {
      {x, middle}, {x, other}, {middle, out}, {other, other + count}};
  dyn_launch_t launches[] = {{REVERSE, 1, buffers[0], row, 0},
                             {REVERSE, 7, buffers[1], row, 0},
                             {REVERSE, 1, buffers[2], row, 0},
                             {REVERSE, 7, buffers[3], row, 0}};
  RETURN_IF(services->launch_many(frame->call, COUNT(launches), launches));
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i)
    wrong += other[count + i] != out[i];
  out[0] += wrong;
  return 0;
}

/*===-- steps: as many tiny kernels as the input says ---------------------===*/

static void stepGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
  geometry->items = 1;
}
static void stepBody(void *const *buffers, const int64_t *dims, int64_t begin,
                     int64_t end, dyn_worker_t *worker) {
  (void)dims, (void)begin, (void)end, (void)worker;
  ++*(int64_t *)buffers[0];
}
static int32_t stepsEntry(const dyn_frame_t *frame) {
  int64_t *out = frame->services->output(frame->call, 0, NULL);
  RETURN_IF_NULL(out);
  *out = 0;
  void *buffers[] = {out};
  int64_t count = *(const int64_t *)frame->inputs[0];
  for (int64_t i = 0; i < count; ++i)
    RETURN_IF(frame->services->launch(frame->call, STEP, buffers, NULL, 0));
  return 0;
}
static const dyn_port_t stepsInputs[] = {SCALAR("count", DYN_I64)};
static const dyn_port_t stepsOutputs[] = {SCALAR("done", DYN_I64)};

/*===-- mode: the floating-point mode of every thread ---------------------===*/

static void modeGeometry(const int64_t *dims, dyn_geometry_t *geometry) {
  geometry->items = dims[0];
  geometry->grain = 1;
}
static void modeBody(void *const *buffers, const int64_t *dims, int64_t begin,
                     int64_t end, dyn_worker_t *worker) {
  (void)dims, (void)worker;
  for (int64_t i = begin; i < end; ++i)
    ((uint32_t *)buffers[0])[i] = __builtin_ia32_stmxcsr();
}
static int32_t modeEntry(const dyn_frame_t *frame) {
  void *out = frame->services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  return frame->services->launch(frame->call, MODE, &out, frame->dims, 0);
}
static const dyn_port_t modeOutputs[] = {PORT("mxcsr", DYN_U32, vectorSizes)};

/*===-- route: ids[n, k] to 4 paths, shown by three routers ---------------===*/

enum { PATHS = 4 };

/* A counting sort of ids + shift: offsets, then seats. */
static void groupIds(const int64_t *ids, int64_t shift, int64_t n, int64_t k,
                     int64_t *offsets, int64_t *seats) {
  int64_t used[PATHS] = {0};
  for (int64_t i = 0; i < n * k; ++i)
    if (ids[i] >= 0)
      ++used[(ids[i] + shift) % PATHS];
  offsets[0] = 0;
  for (int64_t path = 0; path < PATHS; ++path) {
    offsets[path + 1] = offsets[path] + used[path];
    used[path] = offsets[path];
  }
  for (int64_t cell = 0; cell < n; ++cell) {
    int64_t *row = seats + cell * k, count = 0;
    for (int64_t path = 0; path < PATHS; ++path)
      for (int64_t i = 0; i < k; ++i)
        if (ids[cell * k + i] >= 0 &&
            (ids[cell * k + i] + shift) % PATHS == path)
          row[count++] = used[path]++;
    while (count < k)
      row[count++] = -1;
  }
}
/* The third router has the ids of the first, with its cells in reverse order.
   The output is the number of rows of the ids. */
static int32_t routeEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t n = frame->dims[0], k = frame->dims[1], offsets[PATHS + 1];
  const int64_t *ids = frame->inputs[0];
  int64_t *out = services->output(frame->call, 0, NULL);
  RETURN_IF_NULL(out);
  int64_t *memory = services->reserve(frame->call, 0, 8 * (2 * n * k + n));
  RETURN_IF_NULL(memory);
  int64_t *sorted = memory + n * k, *order = sorted + n * k;
  for (int64_t shift = 0; shift < 2; ++shift) {
    groupIds(ids, shift, n, k, offsets, memory);
    RETURN_IF(services->probe(frame->call, shift, offsets, memory, NULL, n, k));
  }
  groupIds(ids, 0, n, k, offsets, memory);
  for (int64_t i = 0; i < n; ++i) {
    order[i] = n - 1 - i;
    for (int64_t j = 0; j < k; ++j)
      sorted[i * k + j] = memory[order[i] * k + j];
  }
  RETURN_IF(services->probe(frame->call, 2, offsets, sorted, order, n, k));
  *out = offsets[PATHS];
  return 0;
}
static const dyn_dim_t routeDims[] = {{"cells", 0, INT64_MAX, 1, -1},
                                      {"choices", 0, INT64_MAX, 1, -1}};
static const dyn_size_t routeSizes[] = {SYMBOL_SIZE(0, "cells"),
                                        SYMBOL_SIZE(1, "choices")};
static const dyn_port_t routeInputs[] = {PORT("ids", DYN_I64, routeSizes)};
static const dyn_port_t routeOutputs[] = {SCALAR("rows", DYN_I64)};

/* What the compiler assumed of the second router. */
static const uint32_t load[PATHS] = {512, 256, 256};
/* Routers of a program for one size have other fingerprints. */
#ifdef FIXED
#define PRINT "fixed"
#else
#define PRINT "00000000000000"
#endif
static const dyn_router_t routers[] = {
    {"layers.0", "experts", "token", PRINT "aa", PATHS, -1, NULL},
    {"layers.1", "experts", "token", PRINT "ab", PATHS, 0, load},
    {"sorted", "", "", "", PATHS, 0, NULL},
};

/*===-- guess: chains beside which a router is guessed --------------------===*/

/* As chains; the second chain has no rows unless router 0 is guessed. Of four
   rows of the router, the guess has as many right as the first number says. */
static int32_t guessEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t isOn = services->guess(frame->call, 0, 512);
  int64_t count = frame->dims[0] * frame->dims[1], row[] = {1, count},
          other[] = {isOn, count};
  int64_t *middle = services->reserve(frame->call, 0, 8 * 3 * count);
  RETURN_IF_NULL(middle);
  int64_t *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  const int64_t *x = frame->inputs[0];
  void *buffers[][2] = {{(void *)x, middle},
                        {(void *)x, middle + count},
                        {middle, out},
                        {middle + count, middle + 2 * count}};
  dyn_launch_t launches[] = {{REVERSE, 1, buffers[0], row, 0},
                             {REVERSE, 2, buffers[1], other, 0},
                             {REVERSE, 1, buffers[2], row, 0},
                             {REVERSE, 2, buffers[3], other, 0}};
  RETURN_IF(services->launch_many(frame->call, COUNT(launches), launches));
  int64_t routes[PATHS + 1] = {0, 0, 4, 4, 4},
                         guess[PATHS + 1] = {0, 0, 0, 0, 4 * isOn},
                         rest[PATHS + 1] = {0, 0, 0, 0, 4 - *x * isOn};
  return services->guessed(frame->call, 0, routes, guess, rest);
}

/* Copies the numbers. A guess is an error, as is a negative number. */
static int32_t guessFailEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  const int64_t *x = frame->inputs[0];
  int64_t *out = services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(out);
  if (services->guess(frame->call, 0, 512) || *x < 0)
    return services->fail(frame->call, SLICE_SIZE, *x);
  for (int64_t i = 0; i < frame->dims[0] * frame->dims[1]; ++i)
    out[i] = x[i];
  return 0;
}

/*===-- breaches: entries that break the contract -------------------------===*/

static int32_t breachEntry(const dyn_frame_t *frame) {
  const dyn_services_t *services = frame->services;
  int64_t wrong = 3, right = 2;
  switch (*(const int64_t *)frame->inputs[0]) {
  case 0: /* returns an invalid status */
    return 77;
  case 1: /* does not allocate an output */
    return 0;
  case 2: /* allocates an output twice */
    services->output(frame->call, 0, &right);
    services->output(frame->call, 0, &right);
    return 0;
  case 3: /* passes a size that contradicts the signature */
    services->output(frame->call, 0, &wrong);
    return 0;
  case 4:
    services->reserve(frame->call, 9, 1);
    return 0;
  case 5:
    services->reserve(frame->call, 0, -8);
    return 0;
  case 6:
    return services->launch(frame->call, KERNEL_COUNT, NULL, NULL, 0);
  case 7:
    return services->fail(frame->call, SITE_COUNT, 0);
  case 8: /* requests more memory than there is */
    services->reserve(frame->call, 0, INT64_MAX);
    return 0;
  case 9: /* shows routes of a router that does not exist */
    services->output(frame->call, 0, &right);
    services->probe(frame->call, COUNT(routers), &right, &right, NULL, 1, 1);
    return 0;
  case 10:
    return services->launch_many(frame->call, DYN_MAX_LAUNCHES + 1, NULL);
  case 11: {
    dyn_launch_t launch = {KERNEL_COUNT, 0, NULL, NULL, 0};
    return services->launch_many(frame->call, 1, &launch);
  }
  case 12:
    return services->read(frame->call, &right, frame->inputs[0], 8);
  case 13:
    return services->write(frame->call, &right, frame->inputs[0], 8);
  case 14: /* guesses a router that does not exist */
    return services->guess(frame->call, COUNT(routers), 1);
  case 15:
    return services->guessed(frame->call, COUNT(routers), &right, &right,
                             &right);
  }
  return 0;
}
static const dyn_size_t pairSizes[] = {STATIC_SIZE(2)};
static const dyn_port_t breachInputs[] = {SCALAR("which", DYN_I64)};
static const dyn_port_t breachOutputs[] = {PORT("pair", DYN_U8, pairSizes)};

/*===-- halves: bf16, which numpy has not ---------------------------------===*/

/* Returns the bf16 and the f32 input unchanged. */
static int32_t halvesEntry(const dyn_frame_t *frame) {
  uint16_t *half = frame->services->output(frame->call, 0, frame->dims);
  RETURN_IF_NULL(half);
  float *whole = frame->services->output(frame->call, 1, frame->dims);
  RETURN_IF_NULL(whole);
  for (int64_t i = 0; i < frame->dims[0]; ++i) {
    half[i] = ((const uint16_t *)frame->inputs[0])[i];
    whole[i] = ((const float *)frame->inputs[1])[i];
  }
  return 0;
}
static const dyn_port_t halvesInputs[] = {PORT("half", DYN_BF16, vectorSizes),
                                          PORT("whole", DYN_F32, vectorSizes)};
static const dyn_port_t halvesOutputs[] = {PORT("half", DYN_BF16, vectorSizes),
                                           PORT("whole", DYN_F32, vectorSizes)};

/* Returns 1.5; has no inputs. */
static int32_t halfEntry(const dyn_frame_t *frame) {
  uint16_t *half = frame->services->output(frame->call, 0, NULL);
  RETURN_IF_NULL(half);
  *half = 0x3fc0;
  return 0;
}
static const dyn_port_t noPorts[] = {};
static const dyn_port_t halfOutputs[] = {SCALAR("half", DYN_BF16)};

/*===-- the descriptor ----------------------------------------------------===*/

static const dyn_dim_t noDims[] = {};

static const dyn_entry_t entries[] = {
    ENTRY("add", addInputs, addOutputs, addDims, 0, addEntry),
    ENTRY("facts", factsInputs, factsOutputs, factsDims, 0, factsEntry),
    ENTRY("gather", gatherInputs, gatherOutputs, gatherDims, 1, gatherEntry),
    ENTRY("take", takeInputs, takeOutputs, gatherDims, 0, takeEntry),
    ENTRY("reverse", reverseInputs, reverseOutputs, addDims, 2, reverseEntry),
    ENTRY("together", reverseInputs, reverseOutputs, addDims, 2, togetherEntry),
    ENTRY("random", randomInputs, randomOutputs, gatherDims, 0, randomEntry),
    ENTRY("steps", stepsInputs, stepsOutputs, noDims, 0, stepsEntry),
    ENTRY("mode", randomInputs, modeOutputs, gatherDims, 0, modeEntry),
    ENTRY("route", routeInputs, routeOutputs, routeDims, 1, routeEntry),
    ENTRY("halves", halvesInputs, halvesOutputs, gatherDims, 0, halvesEntry),
    ENTRY("half", noPorts, halfOutputs, noDims, 0, halfEntry),
    ENTRY("breach", breachInputs, breachOutputs, noDims, 1, breachEntry),
    ENTRY("chains", reverseInputs, reverseOutputs, addDims, 2, chainsEntry),
    ENTRY("guess", reverseInputs, reverseOutputs, addDims, 1, guessEntry),
    ENTRY("guess_fail", reverseInputs, reverseOutputs, addDims, 0,
          guessFailEntry),
};

static const dyn_kernel_t kernels[] = {
    KERNEL("add", "loop", 3, 2, addGeometry, addBody),
    KERNEL("gather", "gather", 3, 1, gatherGeometry, gatherBody),
    KERNEL("reverse", "row", 2, 2, reverseGeometry, reverseBody),
    KERNEL("random", "loop", 2, 1, randomGeometry, randomBody),
    KERNEL("step", "loop", 1, 0, stepGeometry, stepBody),
    KERNEL("mode", "loop", 1, 1, modeGeometry, modeBody),
};

static const dyn_site_t sites[] = {
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/embed/Gather"},
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/embed/Later"},
    {DYN_SITE_SIZE, 0, "dhlo.slice", "/head/Slice"},
};

/* A variant of zoo_sidecar.so has another table, among constants of its own. */
#ifndef VARIANT
#define TABLE 128
#define CONSTANTS 4096
#else
#define TABLE (4096 + 64 * VARIANT)
#define CONSTANTS 8192
#endif

static const dyn_constant_t constants[] = {
    {"unused", 0, 64, "{}"},
    {"table", TABLE, TABLE_ROWS * TABLE_COLUMNS * sizeof(float), "{}"},
};

static const dyn_descriptor_t descriptor = {
    sizeof(dyn_descriptor_t),
    DYN_ARTIFACT_VERSION,
#ifdef VARIANT
    {'v', 'a', 'r', 'i', 'a', 'n', 't', VARIANT},
#else
    {'z', 'o', 'o', ' ', 'o', 'f', ' ', 't', 'e', 's', 't', 's', 1, 2, 3, 4},
#endif
    "by hand",
    "{\"model\": {\"graph\": \"zoo\", \"producer\": \"a test\", "
    "\"version\": 3, \"properties\": {\"character\": \"a\\nb\"}}}",
    COUNT(entries),
    COUNT(kernels),
    COUNT(sites),
    COUNT(constants),
    entries,
    kernels,
    sites,
    constants,
    CONSTANTS,
#ifdef SIDECAR
    SIDECAR,
#else
    NULL,
#endif
    COUNT(routers),
    0,
    routers,
    NULL,
#ifdef FOREIGN
    {'o', 't', 'h', 'e', 'r', ' ', 'w', 'e', 'i', 'g', 'h', 't', 's', 1, 2, 3},
    4096,
#elif defined(SIDECAR)
    {'w', 'e', 'i', 'g', 'h', 't', 's', ' ', 'o', 'f', ' ', 'z', 'o', 'o', 1,
     2},
    4096,
#else
    {0},
    0,
#endif
};

__attribute__((visibility("default"))) const dyn_descriptor_t *
dyn_artifact(uint32_t newest) {
  return newest >= DYN_ARTIFACT_VERSION ? &descriptor : NULL;
}
