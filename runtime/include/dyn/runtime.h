//===- runtime.h - The C interface of the dyn runtime ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads artifacts and runs them. The objects:
//
//   artifact   a loaded program: immutable, shared, many in a process
//   context    an artifact made ready for a device: the constants in place, an
//              instruction set chosen, a pool to run on
//   execution  one running call and its memory, kept warm for the next one
//   pool       threads, with a quota
//   trace      a recording of what ran when
//   profile    counts of which paths cells took, for the compiler
//   model      several artifacts of one model, which come and go between calls
//
//   dyn_artifact_t *artifact;
//   dyn_context_t *context;
//   dyn_execution_t *execution;
//   dyn_artifact_load("model.so", NULL, &artifact);
//   dyn_context_create(artifact, NULL, &context);
//   dyn_execution_create(context, NULL, &execution);
//   dyn_execution_run(execution, NULL, inputs, 2, outputs, 1);
//
// Status. Every function that can fail returns a dyn_status_t; the message of
// the last failure in the calling thread is dyn_last_error(). No function
// aborts, exits, throws or prints. A failed call leaves its out-parameters
// null (or untouched, where they are arrays) and its objects usable.
//
// Ownership is in the name. `_create` and `_load` give the caller a reference,
// `_retain` adds one and `_release` drops one; accessors lend what they return
// for the life of the object. Objects keep what they were made from alive, so
// references may be dropped in any order. Releasing null does nothing.
//
// Threads. Artifacts, contexts, pools, traces, profiles and models are
// thread-safe. An execution is thread-compatible: it may move between threads,
// but runs one call at a time and refuses a second with DYN_STATUS_BUSY. For n
// calls at once create n executions of one context.
//
// Processes. After fork() the child may use every object that was idle at the
// fork; pools start their threads again when they are next used. Only a context
// with a `memory_limit` that its constants exceed is the parent's alone.
//
// Versions. Options and info structs begin with `struct_size`, which the
// caller sets; all other members of options may be zero, which means the
// default. New members are only appended. An option set by a newer caller that
// this library does not know is refused, never ignored.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_H
#define DYN_RUNTIME_H

#include "dyn/artifact.h" // dyn_device_kind_t, dyn_dtype_t, dyn_isa_t

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DYN_API __attribute__((visibility("default")))
#else
#define DYN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

/// The outcome of a call. The values are stable: compiled code returns them.
typedef enum dyn_status {
  DYN_STATUS_OK = 0,
  /// An argument breaks the rule that its function states: an input of the
  /// wrong rank, type or size, an unknown entry, a null pointer. The caller's
  /// error; nothing ran.
  DYN_STATUS_INVALID_ARGUMENT = 1,
  /// A file does not exist or cannot be read. See BAD_ARTIFACT for a file that
  /// can be read but is not valid.
  DYN_STATUS_NOT_FOUND = 2,
  /// A file is not an artifact, is damaged, or does not belong to its sidecar.
  DYN_STATUS_BAD_ARTIFACT = 3,
  /// A valid request that this library, processor or build does not support: an
  /// artifact of a newer version, a missing instruction set, a CUDA device.
  DYN_STATUS_UNSUPPORTED = 4,
  /// The system, the driver or the host's callback could not allocate memory.
  DYN_STATUS_OUT_OF_MEMORY = 5,
  /// The values of the inputs are invalid: an index outside its table, a
  /// division by zero. The message names the op, its location in the model and
  /// the kind.
  DYN_STATUS_DATA_ERROR = 6,
  /// The call's cancel flag was set.
  DYN_STATUS_CANCELLED = 7,
  /// The call's deadline passed.
  DYN_STATUS_DEADLINE_EXCEEDED = 8,
  /// The execution is in a call already.
  DYN_STATUS_BUSY = 9,
  /// A file cannot be written.
  DYN_STATUS_IO_ERROR = 10,
  /// Compiled code broke the contract of artifact.h: a bug in the compiler.
  DYN_STATUS_INTERNAL = 11,
  /// A device other than the CPU failed: it was lost, or a kernel faulted. The
  /// message contains the driver's reason.
  DYN_STATUS_DEVICE_ERROR = 12,
  /// Another rank of the communicator ended, left it, or reported a failure,
  /// which the message quotes. See comm.h.
  DYN_STATUS_RANK_FAILED = 13
} dyn_status_t;

/// Message of the last failure in this thread, "" before the first. Lent until
/// the next failing call in the thread.
DYN_API const char *dyn_last_error(void);

/// Name of a status, such as "invalid argument"; "unknown status" for an
/// invalid value. Lent for ever.
DYN_API const char *dyn_status_name(dyn_status_t status);

/// Version of this library, such as "0.1.0". Lent for ever.
DYN_API const char *dyn_runtime_version(void);

/// Size in bytes of an element, 0 for an invalid value.
DYN_API size_t dyn_dtype_size(dyn_dtype_t dtype);

/// Name of an element type: "f32", "bf16", "i64", "u8", "bool"; "unknown" for
/// an invalid value. Lent for ever.
DYN_API const char *dyn_dtype_name(dyn_dtype_t dtype);

/// Name of an instruction set, such as "x86-64-v3". Lent for ever.
DYN_API const char *dyn_isa_name(dyn_isa_t isa);

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

typedef struct dyn_artifact dyn_artifact_t;
typedef struct dyn_context dyn_context_t;
typedef struct dyn_execution dyn_execution_t;
typedef struct dyn_pool dyn_pool_t;
typedef struct dyn_trace dyn_trace_t;
typedef struct dyn_profile dyn_profile_t;
typedef struct dyn_communicator dyn_communicator_t;
typedef struct dyn_model dyn_model_t;

//===----------------------------------------------------------------------===//
// Artifact
//===----------------------------------------------------------------------===//

typedef struct dyn_load_options {
  size_t struct_size;
  /// Folder of the sidecar, null for the artifact's own folder.
  const char *sidecar_folder;
} dyn_load_options_t;

/// Loads the artifact at `path`: maps its code and its constants and checks its
/// tables. Takes less than 10 ms whatever the size of the constants, whose
/// pages are shared with every process that loads the same file. `options` may
/// be null. The file is code: loading it is as safe as running it. Fails with
/// NOT_FOUND, BAD_ARTIFACT, UNSUPPORTED or OUT_OF_MEMORY.
DYN_API dyn_status_t dyn_artifact_load(const char *path,
                                       const dyn_load_options_t *options,
                                       dyn_artifact_t **out_artifact);
DYN_API void dyn_artifact_retain(dyn_artifact_t *artifact);
/// Releasing the last reference, those of contexts included, unloads the code.
DYN_API void dyn_artifact_release(dyn_artifact_t *artifact);

typedef struct dyn_artifact_info {
  size_t struct_size;
  const char *path;     ///< as given to dyn_artifact_load
  const char *producer; ///< compiler and version
  const char *metadata; ///< JSON object, described in artifact.h
  char id[33];          ///< of the program and its constants, in hexadecimal
  uint32_t entry_count;
  uint32_t kernel_count;
  uint64_t constant_bytes;
} dyn_artifact_info_t;

/// Fills `*out_info` up to its struct_size. Strings are lent by the artifact.
DYN_API dyn_status_t dyn_artifact_info(const dyn_artifact_t *artifact,
                                       dyn_artifact_info_t *out_info);

typedef struct dyn_entry_info {
  size_t struct_size;
  const char *name;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t dim_count;
  /// Number of ranks that run the model together, of which this entry is the
  /// part of `rank`; 0 if one process runs it.
  uint32_t ranks;
  uint32_t rank;
  uint32_t reserved;
  const char *part_of; ///< name of the model, null if `ranks` is 0
} dyn_entry_info_t;

/// Describes entry `entry`. Strings are lent by the artifact.
DYN_API dyn_status_t dyn_artifact_entry(const dyn_artifact_t *artifact,
                                        uint32_t entry,
                                        dyn_entry_info_t *out_info);

/// Finds an entry by name. INVALID_ARGUMENT if there is none; the message lists
/// the existing ones.
DYN_API dyn_status_t dyn_artifact_find_entry(const dyn_artifact_t *artifact,
                                             const char *name,
                                             uint32_t *out_entry);

typedef struct dyn_port_info {
  size_t struct_size;
  const char *name;
  dyn_dtype_t dtype;
  uint32_t rank;
  const int64_t *extents;   ///< of each axis, -1 if it is not static
  const char *const *sizes; ///< as text: "3", "batch", "2 * s + 1", "?"
  const char *text;         ///< the whole type: "f32[batch, 3, 2 * s + 1]"
} dyn_port_info_t;

/// Describes an input or output. Pointers are lent by the artifact.
DYN_API dyn_status_t dyn_artifact_input(const dyn_artifact_t *artifact,
                                        uint32_t entry, uint32_t index,
                                        dyn_port_info_t *out_info);
DYN_API dyn_status_t dyn_artifact_output(const dyn_artifact_t *artifact,
                                         uint32_t entry, uint32_t index,
                                         dyn_port_info_t *out_info);

typedef struct dyn_dim_info {
  size_t struct_size;
  const char *name;
  int64_t min;
  int64_t max;         ///< INT64_MAX if unbounded
  int64_t multiple_of; ///< at least 1
  int64_t likely;      ///< -1 if nothing is known
} dyn_dim_info_t;

/// Describes a symbolic size. Strings are lent by the artifact.
DYN_API dyn_status_t dyn_artifact_dim(const dyn_artifact_t *artifact,
                                      uint32_t entry, uint32_t index,
                                      dyn_dim_info_t *out_info);

//===----------------------------------------------------------------------===//
// Pool
//===----------------------------------------------------------------------===//

/// A part of a host-run launch. Returns when the part is done.
typedef void (*dyn_task_fn)(void *argument, uint32_t index);

typedef struct dyn_pool_options {
  size_t struct_size;
  /// Threads that work on a launch, the calling one included. 0 for one per
  /// physical core that the process may run on.
  uint32_t threads;
  /// How long an idle thread polls for work before it sleeps, in microseconds.
  /// 0 for the default, DYN_SPIN_NEVER to sleep at once.
  uint32_t spin_us;
  /// Runs tasks on the host's threads instead: must call task(argument, i) once
  /// for each i in [0, count), from any threads, the calling one included, and
  /// return when all are done. Null for threads of the pool's own.
  void (*parallel)(void *user, uint32_t count, dyn_task_fn task,
                   void *argument);
  void *user;
} dyn_pool_options_t;

#define DYN_SPIN_NEVER UINT32_MAX

/// Makes a pool. `options` may be null. Threads are started, and sleeping ones
/// woken, by the first call with enough work; if the system refuses to start
/// one, the pool is only smaller. Any number of executions may share a pool.
DYN_API dyn_status_t dyn_pool_create(const dyn_pool_options_t *options,
                                     dyn_pool_t **out_pool);

/// Makes another handle to the same threads, of which one launch uses at most
/// `quota`, the calling thread included; 0 for all.
DYN_API dyn_status_t dyn_pool_share(dyn_pool_t *pool, uint32_t quota,
                                    dyn_pool_t **out_pool);

/// Maximum number of threads of a launch, the calling one included.
DYN_API uint32_t dyn_pool_threads(const dyn_pool_t *pool);

DYN_API void dyn_pool_retain(dyn_pool_t *pool);
/// Releasing the last reference joins the threads.
DYN_API void dyn_pool_release(dyn_pool_t *pool);

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

/// An allocator of the device's memory, for intermediate results and for the
/// outputs that lie with them. Functions are called in the threads that run
/// calls or release objects, and must be thread-safe. Memory is deallocated
/// only after queued work has stopped using it.
typedef struct dyn_driver {
  size_t struct_size;
  void *user;
  /// Returns `bytes` (> 0) bytes aligned to `alignment`, a power of two, or
  /// null if there is no memory.
  void *(*allocate)(void *user, uint64_t bytes, uint64_t alignment);
  /// Frees memory of `allocate`.
  void (*deallocate)(void *user, void *memory, uint64_t bytes);
  /// Stream of the device on which work is queued, a CUstream. Null for a
  /// separate stream of each execution, which waits for no other: inputs on the
  /// device must then be ready when a call begins. Null on the CPU.
  void *stream;
} dyn_driver_t;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

typedef struct dyn_context_options {
  size_t struct_size;
  dyn_device_kind_t device;
  int32_t device_ordinal;
  /// Instruction set to use, such as "x86-64-v3" or "v3". Null for the best
  /// that both the processor and the artifact support.
  const char *isa;
  /// Retained. Null for a context that runs in the calling thread alone.
  dyn_pool_t *pool;
  /// Copied. Null for system memory.
  const dyn_driver_t *driver;
  /// Retained. Null for a single process. Of an artifact with parts for ranks,
  /// the context runs those of its rank (docs/Runtime.md). See comm.h.
  dyn_communicator_t *communicator;
  /// The driver library of the device: null for libcuda.so.1. The emulator's is
  /// libdynemu.so.
  const char *device_library;
  /// Upper bound on the bytes of device memory that the context allocates for
  /// its constants and executions; 0 for no limit. Memory of `driver` is not
  /// counted.
  uint64_t device_memory_limit;
  /// GEMM library that computes large GEMMs, in artifacts that allow it
  /// (docs/GPU.md): null for the first that is found of libcublasLt.so.13, .12
  /// and .11, or the emulator's own; "none" for no library. The artifact's
  /// kernels compute all GEMMs that the library does not.
  const char *gemm_library;
  /// File of GEMM algorithms that an earlier context has tuned; null for none.
  /// See dyn_context_write_gemms.
  const char *gemm_table;
  /// Number of the library's algorithms that are timed, each in several runs,
  /// when a GEMM of new sizes is first computed; the fastest is used. The call
  /// that does so takes longer. 0 uses the algorithm that the library proposes.
  uint32_t tune_gemms;
  uint32_t reserved;
  /// Launches on the CPU that read and write at least this many bytes use
  /// non-temporal stores for their results, where kernels allow it: results
  /// that do not stay in the caches need not be read before they are written. 0
  /// for three quarters of the last-level cache, UINT64_MAX for never. Results
  /// do not depend on it.
  uint64_t stream_from;
  /// Upper bound on the bytes of the device's memory that hold the constants of
  /// a context; 0 for that of the environment variable DYN_MEMORY_LIMIT, which
  /// is a number, such as 512M, or, on the CPU, "cgroup" for three quarters of
  /// the control group's memory; without it there is none. Constants that do
  /// not fit are read from the file when they are needed, or before, where the
  /// artifact announces them. Results do not depend on it. At least 10 MiB on
  /// the CPU, and a page of memory (2 MiB) on other devices, where all that a
  /// kernel reads must fit: OUT_OF_MEMORY else.
  uint64_t memory_limit;
  /// Library that moves rows between the devices of ranks: null for
  /// libnccl.so.2, or the emulator's own; "none" for no library. Rows then go
  /// through the memory of the host, as they do if a rank has none, or another
  /// version. Results do not depend on it.
  const char *exchange_library;
} dyn_context_options_t;

/// Makes an artifact ready to run. Retains the artifact. `options` may be null.
/// Constants are copied to a device other than the CPU. Fails with UNSUPPORTED
/// if the artifact holds no code for this processor or device, if `isa` is not
/// available, if there is no driver or device, if `gemm_library` is named
/// but is not a valid GEMM library, or if `gemm_table` is of another device
/// or version of the library, or if constants exceed `memory_limit` and the
/// system has no userfaultfd(2), or the device maps no memory. Fails with
/// NOT_FOUND or BAD_ARTIFACT if `gemm_table` cannot be read or is damaged.
///
/// With a communicator, all of its ranks must call it, in the same order among
/// their uses of the communicator, and wait for each other. Fails on all of
/// them, with both sides named, with INVALID_ARGUMENT if ranks have different
/// artifacts or instruction sets, or the artifact is for another number of
/// ranks; with RANK_FAILED if another rank's fails, else as operations do.
DYN_API dyn_status_t dyn_context_create(dyn_artifact_t *artifact,
                                        const dyn_context_options_t *options,
                                        dyn_context_t **out_context);
DYN_API void dyn_context_retain(dyn_context_t *context);
DYN_API void dyn_context_release(dyn_context_t *context);

/// Finds what the context's rank runs of the model `name`: its part, or else
/// the entry of this name. Null for the model of the first entry.
/// INVALID_ARGUMENT if there is none.
DYN_API dyn_status_t dyn_context_find_entry(const dyn_context_t *context,
                                            const char *name,
                                            uint32_t *out_entry);
/// The artifact, lent.
DYN_API dyn_artifact_t *dyn_context_artifact(const dyn_context_t *context);
/// The instruction set in use.
DYN_API dyn_isa_t dyn_context_isa(const dyn_context_t *context);
/// Number of kernels of the program that runs on the device.
DYN_API uint32_t dyn_context_kernel_count(const dyn_context_t *context);

/// The memory that a context has allocated from the driver of a device other
/// than the CPU, or in which it keeps constants under a `memory_limit`.
typedef struct dyn_memory_stats {
  size_t struct_size;
  uint64_t limit_bytes; ///< of the context's options
  uint64_t used_bytes;  ///< by constants and executions, now
  uint64_t peak_bytes;  ///< maximum of used_bytes so far
  /// Released by executions and kept for others, now.
  uint64_t cached_bytes;
  /// Blocks allocated from the driver or returned to it.
  uint64_t driver_calls;
  /// With a `memory_limit`: bytes of constants that were read from the file,
  /// and how often a thread, or a launch on a device, has waited for some.
  uint64_t read_bytes;
  uint64_t faults;
  /// With a `memory_limit`: the memory that holds constants, now and at most.
  uint64_t constant_bytes;
  uint64_t peak_constant_bytes;
} dyn_memory_stats_t;

/// Fills `*out_stats`; with zeros on the CPU without `memory_limit`.
DYN_API dyn_status_t dyn_context_memory_stats(const dyn_context_t *context,
                                              dyn_memory_stats_t *out_stats);
/// Counts of a context on the guesses of a router (docs/Profiles.md).
typedef struct dyn_guess_stats {
  size_t struct_size;
  const char *key;  ///< of the router, for the life of the artifact
  uint64_t calls;   ///< that could guess
  uint64_t guesses; ///< calls that guessed
  uint64_t rows;    ///< that were guessed, or should have been
  uint64_t right;   ///< of the rows: guessed, computed beside the router, taken
  uint32_t is_on;   ///< whether calls guess at present
  uint32_t reserved;
} dyn_guess_stats_t;

/// Fills `*out_stats` for a router, which are numbered from 0. All counts are
/// zero for routers that are not guessed. Fails with INVALID_ARGUMENT if the
/// artifact has no such router.
DYN_API dyn_status_t dyn_context_guess_stats(const dyn_context_t *context,
                                             uint32_t router,
                                             dyn_guess_stats_t *out_stats);
/// Returns memory that no execution uses to the device's driver. Waits for all
/// work on the device, that of other programs included.
DYN_API void dyn_context_trim(const dyn_context_t *context);

/// The library that moves rows between the devices of ranks.
typedef struct dyn_exchange_info {
  size_t struct_size;
  const char *library; ///< "libnccl.so.2", "" for none; lent
  const char *reason;  ///< why there is none, "" if there is one; lent
  uint64_t version;    ///< of the library, 22809 for 2.28.9; 0 for none
} dyn_exchange_info_t;

/// Fills `*out_info`.
DYN_API dyn_status_t dyn_context_exchange_info(const dyn_context_t *context,
                                               dyn_exchange_info_t *out_info);

/// The GEMM library of a context.
typedef struct dyn_gemm_info {
  size_t struct_size;
  uint64_t kernels;    ///< GEMMs of the program that may use a library
  const char *library; ///< "libcublasLt.so.13", "" for none; lent
  const char *reason;  ///< why there is none, "" if there is one; lent
  uint64_t version;    ///< of the library, 130100 for 13.1.0; 0 for none
  uint64_t table_size; ///< problems whose algorithm is known
  uint64_t tuned;      ///< of these, tuned by this context
} dyn_gemm_info_t;

/// Fills `*out_info`.
DYN_API dyn_status_t dyn_context_gemm_info(const dyn_context_t *context,
                                           dyn_gemm_info_t *out_info);
/// Writes the algorithms that were read or tuned to a file, for `gemm_table`
/// of later contexts with the same library on the same device. UNSUPPORTED
/// without a library, IO_ERROR if the file cannot be written; no incomplete
/// file is left then.
DYN_API dyn_status_t dyn_context_write_gemms(const dyn_context_t *context,
                                             const char *path);

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

typedef struct dyn_execution_options {
  size_t struct_size;
  /// Non-zero to measure the time of each kernel, at about 50 ns per launch.
  uint32_t profile;
  uint32_t reserved;
} dyn_execution_options_t;

/// Makes an execution. Retains the context. `options` may be null. Memory is
/// allocated by the first call and kept; a call that needs no more than an
/// earlier one allocates none.
DYN_API dyn_status_t dyn_execution_create(
    dyn_context_t *context, const dyn_execution_options_t *options,
    dyn_execution_t **out_execution);
/// The execution must be in no call when its last reference is released. The
/// release waits for asynchronous calls, so a stream of the host must still
/// exist.
DYN_API void dyn_execution_retain(dyn_execution_t *execution);
DYN_API void dyn_execution_release(dyn_execution_t *execution);

/// A tensor: dense, in row-major order, aligned to its element type.
typedef struct dyn_tensor {
  void *data;           ///< may be null if there are no elements
  const int64_t *shape; ///< `rank` sizes; may be null if rank is 0
  uint32_t dtype;       ///< dyn_dtype_t
  uint32_t rank;
  uint32_t device; ///< dyn_device_kind_t
  /// Number of the device: of inputs the context's. On the CPU it is 0 in
  /// outputs, and ignored in inputs.
  int32_t device_ordinal;
} dyn_tensor_t;

/// Allocates memory for output `output` of a call: at least `bytes` bytes,
/// which is never 0, aligned to the element type at least. Called once for each
/// output, in the thread that runs the call; `shape` is lent for that time.
/// Null fails the call with OUT_OF_MEMORY. The memory stays the host's, even if
/// the call fails.
typedef void *(*dyn_output_fn)(void *user, uint32_t output, dyn_dtype_t dtype,
                               uint32_t rank, const int64_t *shape,
                               uint64_t bytes);

typedef struct dyn_call_options {
  size_t struct_size;
  uint32_t entry; ///< index of the entry to run
  /// Maximum number of threads of a launch; 0 for the pool's quota.
  uint32_t max_threads;
  uint64_t seed; ///< of the model's random numbers
  /// Nanoseconds after which the call ends with DEADLINE_EXCEEDED, 0 for never.
  /// Checked between kernels: a call may be late by the duration of one.
  uint64_t timeout_ns;
  /// The call ends with CANCELLED when the integer becomes non-zero; any
  /// thread, or a signal handler, may write it while the call runs. Null for
  /// never. Checked between kernels.
  const volatile int32_t *cancel;
  /// Allocates outputs; null for memory of the execution's own.
  dyn_output_fn output;
  void *output_user;
  /// Recording to which this call is added, or null. Lent for the call; the
  /// recording retains the artifact.
  dyn_trace_t *trace;
  /// Device in whose memory outputs are placed (dyn_device_kind_t): the CPU, or
  /// the context's device. `output` allocates memory of it.
  uint32_t output_device;
  /// Non-zero for a call that returns when its work is queued: work queued
  /// later on the same stream sees the outputs, which must be placed on the
  /// device then. Inputs on the device must stay unchanged until the work is
  /// done; those in host memory are lent for the call only. The call waits if
  /// the host needs a data-dependent size or condition of the model, if the
  /// previous call's inputs are still being copied, and if it is traced or
  /// recorded. Errors are reported by dyn_execution_wait.
  uint32_t asynchronous;
} dyn_call_options_t;

/// Runs an entry. `inputs` has one tensor per input, in the signature's order;
/// they are lent for the call and not written. Inputs are checked against the
/// signature before anything runs. On a device, inputs may lie in its memory,
/// aligned to 16 bytes, or in host memory, from which they are copied.
///
/// Fills outputs[i] for each output. Data is allocated by options->output if
/// given; else it is lent by the execution until its next call or its end.
/// Shapes are lent by the execution in both cases. `options` may be null.
///
/// The same inputs and seed give the same bits at every call on the same
/// instruction set, with any number of threads.
///
/// Fails with INVALID_ARGUMENT, OUT_OF_MEMORY, DATA_ERROR, CANCELLED,
/// DEADLINE_EXCEEDED, BUSY, DEVICE_ERROR or INTERNAL; `outputs` is then
/// untouched.
DYN_API dyn_status_t dyn_execution_run(dyn_execution_t *execution,
                                       const dyn_call_options_t *options,
                                       const dyn_tensor_t *inputs,
                                       uint32_t input_count,
                                       dyn_tensor_t *outputs,
                                       uint32_t output_count);

/// Waits for the asynchronous calls since the last wait; does nothing if there
/// were none. DATA_ERROR if one of them had an error in its data: the first in
/// program order of all of them, which an asynchronous call that had to wait
/// has returned as well. DEVICE_ERROR if a kernel has failed, BUSY in a call.
DYN_API dyn_status_t dyn_execution_wait(dyn_execution_t *execution);

/// The execution's context, lent.
DYN_API dyn_context_t *dyn_execution_context(const dyn_execution_t *execution);

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Totals over the calls of an execution since it was made or last reset.
typedef struct dyn_stats {
  size_t struct_size;
  uint64_t calls;
  uint64_t failed_calls;
  uint64_t launches;          ///< kernels run
  uint64_t parallel_launches; ///< of these, on several threads or streams
  uint64_t time_ns;           ///< in dyn_execution_run
  uint64_t kernel_time_ns;    ///< of this, in kernels; 0 unless profiled
  uint64_t flops;
  uint64_t bytes;
  /// Requests for memory to the system, the driver or the heap. Zero in warm
  /// calls.
  uint64_t allocations;
  uint64_t arena_bytes;      ///< held for intermediate results, now
  uint64_t arena_bytes_used; ///< of these, used by the last call
  uint64_t scratch_bytes;    ///< held for threads' scratch, now
  uint64_t output_bytes;     ///< held for outputs of the execution's own, now
  // On a device other than the CPU:
  uint64_t copies_to_device;
  uint64_t copies_to_host;
  /// Waits of the host for the device: one per call that is not asynchronous,
  /// in dyn_execution_wait, and where the host needs a data-dependent size or
  /// condition of the model.
  uint64_t device_waits;
  /// Launches that the GEMM library has computed, and those large enough for it
  /// that the artifact's kernels have computed: there is no library, or it has
  /// no algorithm.
  uint64_t library_launches;
  uint64_t library_misses;
  /// Launches with non-temporal stores (see `stream_from`).
  uint64_t streamed_launches;
  /// Bytes of exchanges with other ranks that went through the memory of the
  /// host on their way from and to a device.
  uint64_t staged_bytes;
  /// The same of exchanges that a library moved from device to device.
  uint64_t direct_bytes;
} dyn_stats_t;

/// Fills `*out_stats`. The execution must be idle, or BUSY.
DYN_API dyn_status_t dyn_execution_stats(dyn_execution_t *execution,
                                         dyn_stats_t *out_stats);

typedef struct dyn_kernel_stats {
  size_t struct_size;
  const char *name; ///< lent by the artifact
  const char *kind; ///< lent by the artifact
  uint64_t launches;
  uint64_t time_ns; ///< 0 unless profiled
  uint64_t flops;
  uint64_t bytes;
} dyn_kernel_stats_t;

/// Fills `*out_stats` with the totals of kernel `kernel`, which is below
/// dyn_context_kernel_count().
DYN_API dyn_status_t dyn_execution_kernel_stats(dyn_execution_t *execution,
                                                uint32_t kernel,
                                                dyn_kernel_stats_t *out_stats);

/// Sets all totals to zero. Memory is kept.
DYN_API dyn_status_t dyn_execution_reset_stats(dyn_execution_t *execution);

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

typedef struct dyn_trace_options {
  size_t struct_size;
  /// Maximum number of events, 0 for 65536. Later ones are counted and dropped.
  /// They take address space at once, and memory only when recorded.
  uint64_t max_events;
} dyn_trace_options_t;

/// Makes an empty recording. `options` may be null. Several executions may add
/// to one recording at the same time.
DYN_API dyn_status_t dyn_trace_create(const dyn_trace_options_t *options,
                                      dyn_trace_t **out_trace);

/// Writes the recording in the Trace Event Format, which chrome://tracing and
/// ui.perfetto.dev open. Calls may be adding to it: the events that are
/// complete by then are written. IO_ERROR if the file cannot be written; no
/// incomplete file is left then. Links are followed, and a device or pipe is
/// written to directly.
DYN_API dyn_status_t dyn_trace_write(dyn_trace_t *trace, const char *path);

/// Events that are kept, and events that were dropped.
DYN_API uint64_t dyn_trace_events(const dyn_trace_t *trace);
DYN_API uint64_t dyn_trace_dropped(const dyn_trace_t *trace);

DYN_API void dyn_trace_retain(dyn_trace_t *trace);
DYN_API void dyn_trace_release(dyn_trace_t *trace);

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

// A profile counts which paths the routers of a model send cells through
// (docs/Profiles.md). While one records, the calls of all executions of the
// process add to it; a separate thread does the counting. Otherwise a router
// costs a few nanoseconds. Results do not depend on it.
//
// DYN_PROFILE=FILE in the environment starts a profile with the first context,
// which is written when the process ends and every minute; DYN_PROFILE_RAW=FILE
// sets its raw_path. In file names, "%p" is the number of the process, which
// distinguishes forked children; without it, children record and write nothing.
// "%%" is a '%'. Relative names are resolved in the folder in which the process
// is when the profile is made.

typedef struct dyn_profile_options {
  size_t struct_size;
  /// Length of the shortest time window of counts, 0 for 1000. When the windows
  /// outgrow `table_bytes`, pairs of them are merged.
  uint64_t window_ms;
  /// Memory for the counts of one router, 0 for 2 MiB. If two windows with
  /// tables of pairs and transitions do not fit, these tables are left out.
  uint64_t table_bytes;
  /// Memory for decisions that wait to be counted, 0 for 16 MiB. When it is
  /// full, the thread that runs a call counts them.
  uint64_t queue_bytes;
  /// Destination of the profile when it stops; null for none.
  const char *path;
  /// Interval at which it is also written to `path` while it records; 0 for
  /// never.
  uint64_t write_ms;
  /// File to which every single decision is written; null for none.
  const char *raw_path;
} dyn_profile_options_t;

/// Makes an empty profile. `options` may be null. IO_ERROR if `path` or
/// `raw_path` cannot be written.
DYN_API dyn_status_t dyn_profile_create(const dyn_profile_options_t *options,
                                        dyn_profile_t **out_profile);

/// Records calls that begin from now on, until dyn_profile_stop, and keeps the
/// profile alive so long. BUSY if this or another profile of the process
/// records, other than a model's.
DYN_API dyn_status_t dyn_profile_start(dyn_profile_t *profile);

/// Stops recording calls that begin from now on; calls that already run still
/// add to it. Writes the options' `path`: IO_ERROR if that fails, or if a
/// decision could not be written to `raw_path`. Does nothing if the profile
/// does not record. It may be started again and keeps its counts.
DYN_API dyn_status_t dyn_profile_stop(dyn_profile_t *profile);

/// Writes the counts so far, at any time. IO_ERROR if the file cannot be
/// written; no incomplete file is left then.
DYN_API dyn_status_t dyn_profile_write(dyn_profile_t *profile,
                                       const char *path);

/// Decisions recorded: rows of all routers of all calls.
DYN_API uint64_t dyn_profile_decisions(dyn_profile_t *profile);
/// Routers of calls that were not recorded for lack of memory.
DYN_API uint64_t dyn_profile_lost(const dyn_profile_t *profile);

DYN_API void dyn_profile_retain(dyn_profile_t *profile);
DYN_API void dyn_profile_release(dyn_profile_t *profile);

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

// A model is a set of artifacts of the same program and weights: the first one,
// for all sizes, and variants, for one size or compiled with another profile.
// They share one file of constants (dyn-compile --share-weights). A call takes
// an execution of the newest variant that permits its sizes, those for some
// sizes first, and gives it back. Variants are added and dropped between calls
// and at any time; one that is dropped is unloaded after its last call.
//
//   dyn_execution_t *execution;
//   dyn_model_take(model, 0, inputs, 2, &execution);
//   dyn_execution_run(execution, &options, inputs, 2, outputs, 1);
//   ... outputs that the execution lends ...
//   dyn_model_give(model, execution);

/// Describes a variant that is to be compiled. Lent for the call.
typedef struct dyn_recompile_request {
  size_t struct_size;
  const char *reason;   ///< for people
  const char *artifact; ///< the first one, which has the weights
  const char *output;   ///< path to which the variant is to be written
  const char *profile;  ///< file of a profile of routes, or null
  const char *const
      *dims; ///< sizes to fix: "batch=8", as for dyn-compile --dim
  uint32_t dim_count;
  uint32_t reserved;
  /// Becomes non-zero when the result is not wanted any more.
  const volatile int32_t *cancel;
} dyn_recompile_request_t;

/// Writes a variant. Called in a thread of the model, which runs no calls. A
/// result other than 0 is a failure, which the report tells. Must not release
/// the model's last reference.
typedef int32_t (*dyn_recompile_fn)(void *user,
                                    const dyn_recompile_request_t *request);

/// How a model chooses its variants.
typedef enum dyn_model_mode {
  /// The host does.
  DYN_MODEL_MANUAL = 0,
  /// Sizes that take much of the time of calls are compiled statically, in the
  /// background, and such a variant is kept if it is measurably faster
  /// (docs/Runtime.md). Calls never wait.
  DYN_MODEL_AUTO = 1,
} dyn_model_mode_t;

typedef struct dyn_model_options {
  size_t struct_size;
  /// Of the contexts of all variants; copied. Null for the default.
  const dyn_context_options_t *context;
  /// Folder of the file of constants, null for the artifact's own folder.
  const char *sidecar_folder;
  /// Command that compiles variants, up to a null pointer: {"dyn-compile",
  /// "model.onnx", NULL}. It gets further arguments: `-o` and
  /// `--share-weights=`, and `--profile=` and `--dim` as needed. It runs as a
  /// child process at a low priority, within the limits below. Null for none.
  const char *const *compiler;
  /// Compiles variants instead, or null.
  dyn_recompile_fn recompile;
  void *user;
  /// Existing folder in which variants are compiled; null for TMPDIR or /tmp.
  /// Nothing stays there.
  const char *work_folder;
  // Limits of a compilation as a child process:
  uint64_t cpu_seconds; ///< processor time, 0 for 600 s
  uint64_t wall_ms;     ///< 0 for 30 minutes
  uint64_t file_bytes;  ///< of each file that it writes, 0 for 4 GiB
  /// Non-zero to measure the time of each kernel.
  uint32_t profile;
  /// Non-zero to compile again when the routes of calls have drifted from what
  /// the running variant was compiled for (docs/Profiles.md). A profile of the
  /// process records; if none does, one of the model's, which gives way to
  /// dyn_profile_start. A forked child does not.
  uint32_t reoptimise;
  double drift_threshold; ///< 0 for 0.1
  uint64_t window_ms;     ///< interval of checks and decisions, 0 for 10 s
  uint32_t mode;          ///< dyn_model_mode_t
  uint32_t reserved;
  // Of the automatic mode:
  uint64_t hot_ms; ///< time in calls from which a size is hot, 0 for 10 s
  /// Free bytes of memory below which there are no static variants, 0 for 1/16
  /// of those that the process may use.
  uint64_t memory_floor;
} dyn_model_options_t;

/// Makes a model of its first artifact, which stays. Retains it. `options` may
/// be null. Fails as dyn_context_create does.
DYN_API dyn_status_t dyn_model_create(dyn_artifact_t *artifact,
                                      const dyn_model_options_t *options,
                                      dyn_model_t **out_model);
DYN_API void dyn_model_retain(dyn_model_t *model);
/// Releasing the last reference cancels a compilation. Executions that are
/// still taken stay valid and are released by dyn_execution_release.
DYN_API void dyn_model_release(dyn_model_t *model);

/// Adds the artifact at `path` and writes its number to `*out_number`, unless
/// that is null. One for all sizes replaces an earlier one. The file may be
/// deleted afterwards. INVALID_ARGUMENT, with both artifacts' names, if it has
/// another signature, permits sizes that the first one refuses, or does not
/// share the weights; else fails as loading and dyn_context_create do.
DYN_API dyn_status_t dyn_model_add(dyn_model_t *model, const char *path,
                                   uint32_t *out_number);
/// Drops a variant: no call takes it from now on. INVALID_ARGUMENT if there is
/// none of this number, or it is 0, the first artifact.
DYN_API dyn_status_t dyn_model_drop(dyn_model_t *model, uint32_t number);

/// Takes an execution for a call of `entry` with these inputs, of which only
/// the shapes are read. Inputs that no variant permits take the first artifact,
/// whose call reports what is wrong. Never waits for a compilation. Fails as
/// dyn_execution_create does.
DYN_API dyn_status_t dyn_model_take(dyn_model_t *model, uint32_t entry,
                                    const dyn_tensor_t *inputs,
                                    uint32_t input_count,
                                    dyn_execution_t **out_execution);
/// Gives it back, with its outputs.
DYN_API void dyn_model_give(dyn_model_t *model, dyn_execution_t *execution);

/// Begins to compile a variant, which is added when it is complete. A compiler
/// that fails, crashes or exceeds a limit changes nothing but the report.
/// `reason` and `profile` may be null, `dims` are sizes to fix. UNSUPPORTED if
/// the model has no compiler, BUSY while another variant is compiled.
DYN_API dyn_status_t dyn_model_recompile(dyn_model_t *model, const char *reason,
                                         const char *profile,
                                         const char *const *dims,
                                         uint32_t dim_count);
/// Waits until no variant is being compiled.
DYN_API dyn_status_t dyn_model_wait(dyn_model_t *model);

/// Reports what the model did and why: a JSON object with the members
/// "artifact", "ms" since it was made, "compiling", "compilations", "failures",
/// "variants" (with "number", "calls", "id", "reason" and "guards" on sizes),
/// "events", the number of all events, and "last_events" (with "ms", "what",
/// "variant" and "detail"); with `reoptimise` also a member of this name, with
/// the "threshold", "windows" that must exceed it in sequence, "paused" while
/// no other compilation may begin, and "routers" (with "key", and of the last
/// window "rows", "drift" and "chance", and "windows_above"). In the automatic
/// mode also "auto", with "why", "hot_ms" and "sizes" (with "entry", "dims",
/// the "share" of the calls of late, "calls", "ms", "state", "variant" and
/// "why", where a size has repeated). Lent until the next report in this
/// thread.
DYN_API dyn_status_t dyn_model_report(dyn_model_t *model,
                                      const char **out_report);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_RUNTIME_H
