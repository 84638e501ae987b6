/*===- faulty.c - Artifacts with one mistake each -------------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once for each name that CMakeLists.txt defines as FAULT_name.
//
//===---------------------------------------------------------------------===*/

#include "support.h"

#include "dyn/emulated.h"

#if defined(FAULT_emulated_magic) || defined(FAULT_emulated_table) ||          \
    defined(FAULT_emulated_name) || defined(FAULT_emulated_code) ||            \
    defined(FAULT_emulated_sites) || defined(FAULT_emulated_site)
#define EMULATED
#endif

/* Each is defined to a faulty value in one artifact, else to the right one. */
#ifdef FAULT_version
#define VERSION 999
#else
#define VERSION DYN_ARTIFACT_VERSION
#endif

static void geometryOf(const int64_t *dims, dyn_geometry_t *geometry) {
  (void)dims;
#ifdef FAULT_grain
  geometry->grain = 0;
#endif
#ifdef FAULT_scratch
  geometry->scratch_bytes = INT64_MAX - 100;
#endif
  geometry->items = 1;
#ifdef FAULT_results
  geometry->results = 1;
#endif
#if defined(FAULT_result_bytes) || defined(FAULT_result_overflow)
  geometry->items = 3;
  geometry->results = 1;
  geometry->item_bytes = 8;
  geometry->result_bytes = 15;
#endif
#ifdef FAULT_result_overflow
  geometry->item_bytes = INT64_MAX / 2;
  geometry->result_bytes = INT64_MAX;
#endif
}
static void bodyOf(void *const *buffers, const int64_t *dims, int64_t begin,
                   int64_t end, dyn_worker_t *worker) {
  (void)buffers, (void)dims, (void)begin, (void)end, (void)worker;
}
static int32_t entryOf(const dyn_frame_t *frame) {
  return frame->services->launch(frame->call, 0, NULL, NULL, 0);
}

static const dyn_dim_t dims[] = {
#ifdef FAULT_dim_bounds
    {"n", 5, 4, 1, -1},
#else
    {"n", 0, 9, 1, -1},
#endif
};

#if defined(FAULT_expression_opcode)
static const int64_t code[] = {DYN_SIZE_DIM, 0, 99};
#elif defined(FAULT_expression_depth)
static const int64_t code[] = {DYN_SIZE_DIM, 0, DYN_SIZE_CONST, 1};
#elif defined(FAULT_expression_symbol)
static const int64_t code[] = {DYN_SIZE_DIM, 7};
#elif defined(FAULT_expression_operand)
static const int64_t code[] = {DYN_SIZE_CONST};
#elif defined(FAULT_expression_stack)
static const int64_t code[] = {DYN_SIZE_DIM, 0, DYN_SIZE_ADD};
#else
static const int64_t code[] = {DYN_SIZE_DIM, 0, DYN_SIZE_CONST, 1,
                               DYN_SIZE_ADD};
#endif

static const dyn_size_t sizes[] = {
#ifdef FAULT_symbol_index
    SYMBOL_SIZE(1, "n"),
#elif defined(FAULT_unbound)
    EXPRESSION_SIZE(code, "n + 1"),
#elif defined(FAULT_no_size)
    UNKNOWN_SIZE,
#elif defined(FAULT_size_text)
    {-1, 0, 0, NULL, (const char *)8},
#else
    SYMBOL_SIZE(0, "n"),
#endif
    EXPRESSION_SIZE(code, "n + 1"),
};

static const dyn_port_t inputs[] = {
#ifdef FAULT_dtype
    PORT("x", 99, sizes),
#elif defined(FAULT_rank)
    {"x", DYN_F32, 99, sizes},
#elif defined(FAULT_port_name)
    PORT(NULL, DYN_F32, sizes),
#else
    PORT("x", DYN_F32, sizes),
#endif
};

static const uint32_t reads[] = {99};

static const dyn_entry_t entries[] = {
    {
        "main",
        1,
#ifdef FAULT_output_table
        1,
#else
        0,
#endif
        1,
#ifdef FAULT_arenas
        UINT32_MAX,
#else
        0,
#endif
        inputs,
        NULL,
        dims,
#ifdef FAULT_entry_code
        NULL,
#else
        entryOf,
#endif
#ifdef FAULT_part_name
        NULL,
        0,
        1,
#elif defined(FAULT_part_rank)
        "main",
        2,
        2,
#else
        NULL,
        0,
        0,
#endif
#if defined(FAULT_entry_reads) || defined(FAULT_entry_reads_table)
        1,
#else
        0,
#endif
        0,
#ifdef FAULT_entry_reads_table
        (const uint32_t *)8,
#else
        reads,
#endif
    },
};

static const dyn_kernel_t kernels[] = {
#ifdef FAULT_no_code
    {"k", "loop", 0, 0, {NULL}, {NULL}},
#elif defined(FAULT_half_code)
    {"k", "loop", 0, 0, {geometryOf}, {NULL}},
#elif defined(FAULT_data_as_code)
    {"k", "loop", 0, 0, {geometryOf}, {(dyn_kernel_fn)(void *)dims}},
#elif defined(FAULT_newer_isa)
    {"k", "loop", 0, 0, {NULL, NULL, geometryOf}, {NULL, NULL, bodyOf}},
#elif defined(FAULT_older_isa)
    {"k", "loop", 0, 0, {geometryOf}, {bodyOf}},
#elif defined(FAULT_kernel_buffers)
    KERNEL("k", "loop", UINT32_MAX, 0, geometryOf, bodyOf),
#elif defined(FAULT_kernel_dims)
    KERNEL("k", "loop", 0, UINT32_MAX, geometryOf, bodyOf),
#elif defined(FAULT_result_bytes) || defined(FAULT_result_overflow)
    KERNEL("k", "loop", 1, 0, geometryOf, bodyOf),
#else
    KERNEL("k", "loop", 0, 0, geometryOf, bodyOf),
#endif
};

static const dyn_site_t sites[] = {
#ifdef FAULT_site_text
    {DYN_SITE_INDEX, 0, "dhlo.gather", NULL},
#else
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/Gather"},
#endif
};

static const dyn_constant_t constants[] = {
#ifdef FAULT_constant_range
    {"c", 64, UINT64_MAX, "{}"},
#elif defined(FAULT_constant_alignment)
    {"c", 3, 0, "{}"},
#else
    {"c", 0, 0, "{}"},
#endif
};

static const dyn_router_t routers[] = {
#ifdef FAULT_router_name
    {"r", NULL, "", "", 2, -1, NULL},
#elif defined(FAULT_router_paths)
    {"r", "", "", "", 0, -1, NULL},
#elif defined(FAULT_router_order)
    {"r", "", "", "", 2, 0, NULL},
#elif defined(FAULT_router_load)
    {"r", "", "", "", 2, -1, (const uint32_t *)64},
#else
    {"r", "", "", "", 2, -1, NULL},
#endif
};

static void gridOf(const int64_t *dims, dyn_grid_t *grid) {
  (void)dims;
  grid->blocks = 0;
}
static const char *const versions[] = {
#ifdef FAULT_version_name
    (const char *)8,
#else
    "k",
#endif
};
static const dyn_gemm_t gemm = {
    0,
    1,
#ifdef FAULT_gemm_buffer
    2,
#else
    1,
#endif
    DYN_NO_BUFFER,
    DYN_NO_BUFFER,
#ifdef FAULT_gemm_dtype
    DYN_I32,
#else
    DYN_F32,
#endif
    DYN_F32,
#ifdef FAULT_gemm_activation
    3,
#else
    0,
#endif
    0,
    0,
    1,
    STATIC_SIZE(1),
    STATIC_SIZE(1),
    STATIC_SIZE(1),
#ifdef FAULT_gemm_size
    SYMBOL_SIZE(1, "k"),
#else
    SYMBOL_SIZE(0, "k"),
#endif
};
static const dyn_device_kernel_t deviceKernels[] = {
#ifdef FAULT_no_version
    {"k", "loop", 2, 1, 0, 0, versions, gridOf, &gemm},
#elif defined(FAULT_grid)
    {"k", "loop", 2, 1, 1, 0, versions, NULL, &gemm},
#elif defined(FAULT_gemm_table)
    {"k", "loop", 2, 1, 1, 0, versions, gridOf, (const dyn_gemm_t *)8},
#elif defined(FAULT_device_arguments)
    {"k", "loop", UINT32_MAX, 1, 1, 0, versions, gridOf, &gemm},
#else
    {"k", "loop", 2, 1, 1, 0, versions, gridOf, &gemm},
#endif
};
static void threadOf(const void *params, dyn_emu_thread_t *thread) {
  (void)params, (void)thread;
}
static const dyn_emu_site_t seats[] = {
#ifdef FAULT_emulated_site
    {"llvm.load", (const char *)8},
#else
    {"llvm.load", "/Add"},
#endif
};
static const dyn_emu_kernel_t emulatedKernels[] = {
#ifdef FAULT_emulated_name
    {(const char *)8, threadOf, 8, 0, COUNT(seats), 0, seats},
#elif defined(FAULT_emulated_code)
    {"k", (dyn_emu_fn)(void *)dims, 8, 0, COUNT(seats), 0, seats},
#elif defined(FAULT_emulated_sites)
    {"k", threadOf, 8, 0, 1u << 30, 0, seats},
#else
    {"k", threadOf, 8, 0, COUNT(seats), 0, seats},
#endif
};
static const dyn_emu_image_t emulated = {
#ifdef FAULT_emulated_magic
    "dynemu0",
#else
    DYN_EMU_MAGIC,
#endif
#ifdef FAULT_emulated_table
    UINT64_MAX / sizeof(dyn_emu_kernel_t) + 2,
#else
    COUNT(emulatedKernels),
#endif
    emulatedKernels};
static const dyn_image_t images[] = {
#ifdef FAULT_image
    {DYN_IMAGE_FATBIN, 0, versions, 1u << 30, "sm_80"},
#elif defined(FAULT_emulated_bytes)
    {DYN_IMAGE_EMULATED, 0, &emulated, 1, "emulator"},
#elif defined(EMULATED)
    {DYN_IMAGE_EMULATED, 0, &emulated, sizeof(emulated), "emulator"},
#else
    {DYN_IMAGE_FATBIN, 0, versions, 8, "sm_80"},
#endif
};
static const dyn_program_t programs[] = {{
    1,
#ifdef FAULT_program_entries
    0,
#else
    1,
#endif
    1,
    0,
    0,
    1,
    entries,
    deviceKernels,
    NULL,
    NULL,
    images,
}};

static const dyn_descriptor_t descriptor = {
#ifdef FAULT_struct_size
    8,
#else
    sizeof(dyn_descriptor_t),
#endif
    VERSION,
    "faulty artifact",
    "by hand",
    "{}",
#ifdef FAULT_entry_count
    1000000,
#elif defined(FAULT_no_entry)
    0,
#else
    1,
#endif
    1,
    1,
    1,
    entries,
#ifdef FAULT_kernel_table
    (const dyn_kernel_t *)64,
#else
    kernels,
#endif
    sites,
    constants,
    0,
#ifdef FAULT_sidecar_path
    "../../etc/passwd",
#elif defined(FAULT_sidecar_missing)
    "nowhere.weights",
#else
    NULL,
#endif
    1,
    1,
#ifdef FAULT_router_table
    (const dyn_router_t *)64,
#else
    routers,
#endif
#ifdef FAULT_program_table
    (const dyn_program_t *)64,
#else
    programs,
#endif
    {0},
#ifdef FAULT_sidecar_bytes
    8,
#else
    0,
#endif
};

#ifndef FAULT_symbol
__attribute__((visibility("default")))
const dyn_descriptor_t *dyn_artifact(uint32_t newest) {
  (void)newest;
#ifdef FAULT_refuses
  return NULL;
#elif defined(FAULT_descriptor)
  return (const dyn_descriptor_t *)4096;
#else
  return &descriptor;
#endif
}
#endif
