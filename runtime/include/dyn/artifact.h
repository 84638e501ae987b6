//===- artifact.h - The contract between compiled code and the runtime ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header depends on nothing but <stdint.h>. The compiler writes these
// structures into an ELF shared object; the runtime reads them. Neither side
// includes anything else of the other, so this file is the whole interface and
// is treated like a file format: fields are only ever appended, every struct's
// size is asserted below, and a change of meaning raises the version.
//
// An artifact exports one symbol, the function `dyn_artifact` of type
// dyn_artifact_query_fn, and imports none. Compiled code requests memory,
// threads and outputs from the process through dyn_services.
//
//   file:   [ ELF image | padding | constants, page aligned | trailer ]
//                                  or, above a limit, in a sidecar file, which
//                                  ends with a trailer as well
//
// Several artifacts of one model may share a file of constants: each has an id
// of its own and names that of the file. Constants that the file lacks follow
// the image.
//
// Code that must change together with it: lib/Target/DescriptorEmitter (writer
// of the descriptor), lib/Conversion/DLHLOToLLVM (callers of dyn_services),
// lib/Codegen (kernels) and runtime/artifact (reader).
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ARTIFACT_H
#define DYN_ARTIFACT_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYN_ARTIFACT_VERSION 12u
#define DYN_ARTIFACT_SYMBOL "dyn_artifact"
#define DYN_TRAILER_MAGIC "dyntrail"
/// The magic of versions before 9, whose trailers had no digest and 40 bytes.
#define DYN_OLD_TRAILER_MAGIC "dynconst"
#define DYN_MAX_RANK 12
#define DYN_MAX_LAUNCHES 64
#define DYN_CONSTANT_ALIGNMENT 64
#define DYN_PAGE 4096

/// Element types. The values are part of the file format.
typedef enum dyn_dtype {
  DYN_BOOL = 1, ///< one byte, 0 or 1
  DYN_I8 = 2,
  DYN_I16 = 3,
  DYN_I32 = 4,
  DYN_I64 = 5,
  DYN_U8 = 6,
  DYN_U16 = 7,
  DYN_U32 = 8,
  DYN_U64 = 9,
  DYN_F16 = 10,
  DYN_BF16 = 11,
  DYN_F32 = 12,
  DYN_F64 = 13
} dyn_dtype_t;

/// Instruction sets that kernels are compiled for, in ascending order of
/// preference. The runtime picks the highest that the processor supports and
/// the artifact holds code for.
typedef enum dyn_isa {
  DYN_ISA_X86_64_V2 = 0, ///< SSE4.2
  DYN_ISA_X86_64_V3 = 1, ///< AVX2, FMA, F16C
  DYN_ISA_X86_64_V4 = 2, ///< AVX-512 F, BW, CD, DQ, VL
  /// The same and AVX-512 VNNI. A level that extends another one holds code
  /// only of the kernels that gain from it; the others run the code of the base
  /// level.
  DYN_ISA_X86_64_V4_VNNI = 3,
  DYN_ISA_X86_64_V4_BF16 = 4, ///< the same and AVX-512 BF16
  DYN_ISA_X86_64_V4_AMX = 5,  ///< the same and AMX of bytes and of bf16
  DYN_ISA_COUNT = 6
} dyn_isa_t;

/// Kinds of devices. The values are part of the file format.
typedef enum dyn_device_kind {
  DYN_DEVICE_CPU = 0,
  DYN_DEVICE_CUDA = 1
} dyn_device_kind_t;

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

/// A symbolic size of an entry's signature and its declared facts.
typedef struct dyn_dim {
  const char *name;
  int64_t min;         ///< minimum legal value
  int64_t max;         ///< maximum legal value, INT64_MAX if unbounded
  int64_t multiple_of; ///< every legal value is a multiple of it; at least 1
  int64_t likely;      ///< a value that is likely, or -1
} dyn_dim_t;

/// Instructions of a size expression, in postfix order. An instruction is one
/// word, and DYN_SIZE_CONST and DYN_SIZE_DIM are followed by one operand word.
/// Division and remainder round towards minus infinity; a division by zero
/// makes the size unknown, which the runtime reports as a mismatch.
typedef enum dyn_size_op {
  DYN_SIZE_CONST = 0, ///< push the operand
  DYN_SIZE_DIM = 1,   ///< push the value of dims[operand]
  DYN_SIZE_ADD = 2,
  DYN_SIZE_MUL = 3,
  DYN_SIZE_FLOORDIV = 4,
  DYN_SIZE_CEILDIV = 5,
  DYN_SIZE_MOD = 6,
  DYN_SIZE_MIN = 7,
  DYN_SIZE_MAX = 8,
  DYN_SIZE_BROADCAST = 9 ///< b if a is 1, else a
} dyn_size_op_t;

/// One size of a tensor in the signature: static, a symbol, or an expression.
typedef struct dyn_size {
  int64_t extent;      ///< the static size, or -1
  int32_t dim;         ///< index into dyn_entry.dims of a bare symbol, or -1
  uint32_t code_words; ///< length of `code`; 0 if static, symbol or unknown
  const int64_t *code; ///< postfix expression over the entry's dims
  const char *text;    ///< how messages print it: "32", "batch", "2 * s + 1"
} dyn_size_t;

/// An input or output. Data is dense, in row-major order.
typedef struct dyn_port {
  const char *name;
  uint32_t dtype; ///< dyn_dtype_t
  uint32_t rank;
  const dyn_size_t *sizes; ///< `rank` of them
} dyn_port_t;

//===----------------------------------------------------------------------===//
// Calls from the runtime into compiled code
//===----------------------------------------------------------------------===//

/// The state of one call. Opaque to compiled code.
typedef struct dyn_call dyn_call_t;

/// How a launch is divided, filled by a kernel's geometry function.
typedef struct dyn_geometry {
  int64_t items;         ///< the work is the range [0, items)
  int64_t grain;         ///< fewest items worth handing to a thread, >= 1
  int64_t scratch_bytes; ///< per thread, 64-byte aligned, uninitialised
  int64_t flops;         ///< floating-point operations of the whole launch
  int64_t bytes;         ///< bytes that must be read or written at least once
  /// If not 0, the last `results` buffers are written in order: item i writes
  /// the bytes [i * item_bytes, (i + 1) * item_bytes) of each of them, as far
  /// as they lie below `result_bytes`, at or above which no item begins, and
  /// reads nothing there that another item has written. The runtime may then
  /// let a range of items write to scratch instead, and copy their results with
  /// non-temporal stores.
  int64_t results;
  int64_t item_bytes;
  int64_t result_bytes;
} dyn_geometry_t;

/// Words of dyn_worker_t.kept.
#define DYN_WORKER_KEPT 2

/// The state of the thread and call that a kernel body runs in.
typedef struct dyn_worker {
  void *scratch; ///< geometry.scratch_bytes bytes, or null if none asked for
  /// Error word of the call, UINT64_MAX while there is no error. A kernel that
  /// meets a data error stores the atomic minimum of the word and `site_base +
  /// its own site number`, and continues with a defined value, so that the
  /// first error in program order is reported with any number of threads.
  uint64_t *error;
  uint64_t site_base;
  uint64_t seed; ///< seed of the call, for counter-based random numbers
  /// State that the body keeps from one range of items to this thread's next
  /// one in the same launch: scratch is as the body left it, and these words
  /// describe its contents. -1 before a thread's first range.
  int64_t kept[DYN_WORKER_KEPT];
} dyn_worker_t;

/// Fills `*geometry` for a launch with these dims.
typedef void (*dyn_geometry_fn)(const int64_t *dims, dyn_geometry_t *geometry);

/// Computes items [begin, end) of a launch. Buffers are first the operands,
/// then the results. Disjoint ranges may run at the same time, in any order.
typedef void (*dyn_kernel_fn)(void *const *buffers, const int64_t *dims,
                              int64_t begin, int64_t end, dyn_worker_t *worker);

/// A kernel, with one function for each instruction set, or null.
typedef struct dyn_kernel {
  const char *name;
  const char *kind; ///< fusion kind, for traces: "loop", "contraction", ...
  uint32_t buffer_count; ///< at most 2^16
  uint32_t dim_count;    ///< likewise
  dyn_geometry_fn geometry[DYN_ISA_COUNT];
  dyn_kernel_fn body[DYN_ISA_COUNT];
} dyn_kernel_t;

/// One of the kernels that services.launch_many runs.
typedef struct dyn_launch {
  uint32_t kernel;
  /// From 1 on: the launches of a chain run in their order. 0 for a launch that
  /// waits for no other; either all launches of a list have a chain, or none.
  uint32_t chain;
  void *const *buffers;
  const int64_t *dims;
  uint64_t site_base;
} dyn_launch_t;

/// Bytes of a constant that the rows of a path read.
typedef struct dyn_range {
  uint32_t constant; ///< index into the program's constants
  uint32_t path;
  uint64_t offset; ///< from the start of the constant
  uint64_t bytes;
} dyn_range_t;

/// In dyn_services_t.probe, marks seats that belong to no cell.
#define DYN_NO_CELL (-2)

/// Services that the runtime provides to an entry function. Null pointers and
/// non-zero results mean that the call has failed and a message is recorded;
/// the entry returns the status at once.
typedef struct dyn_services {
  uint32_t struct_size;
  uint32_t reserved;
  /// Memory of arena `arena`, at least `bytes` long, 64-byte aligned, valid
  /// until the next reserve of the same arena in the same call (which need not
  /// keep the contents) or the end of the call. A negative size is refused.
  void *(*reserve)(dyn_call_t *call, uint32_t arena, int64_t bytes);
  /// Memory for output `index`, whose sizes are now determined. At most once
  /// per output and call. Dense, 64-byte aligned unless the host's allocator
  /// returns less; kernels assume the alignment of the element type only.
  void *(*output)(dyn_call_t *call, uint32_t index, const int64_t *sizes);
  /// Runs a kernel over all its items. Returns a dyn_status_t; checks
  /// cancellation and the deadline.
  int32_t (*launch)(dyn_call_t *call, uint32_t kernel, void *const *buffers,
                    const int64_t *dims, uint64_t site_base);
  /// Reports the data error of `site` with the offending value (a negative
  /// size, say). Returns the status that the entry must return.
  int32_t (*fail)(dyn_call_t *call, uint64_t site, int64_t value);
  /// Checks the error word: returns the pending error's status, or 0. Called
  /// before host code uses data that a kernel computed.
  int32_t (*check)(dyn_call_t *call);
  /// Passes the routes of router `router` to the profile that records the call,
  /// if there is one: the rows of path p are offsets[p] up to offsets[p + 1].
  /// `seats` has `choices` seats for each of `cells` cells: the cell's rows,
  /// ascending, then -1. The i-th group of `choices` seats is that of cell
  /// order[i], or of cell i if `order` is null. Groups at the end that begin
  /// with DYN_NO_CELL belong to no cell: their number is known on the device
  /// only. Returns 0: a call never fails because it is recorded.
  int32_t (*probe)(dyn_call_t *call, uint32_t router, const int64_t *offsets,
                   const int64_t *seats, const int64_t *order, int64_t cells,
                   int64_t choices);
  /// Runs up to DYN_MAX_LAUNCHES kernels, each over all its items, in any order
  /// or at the same time: none writes memory that another one reads or writes,
  /// unless both are of one chain. Otherwise as `launch`.
  int32_t (*launch_many)(dyn_call_t *call, uint32_t count,
                         const dyn_launch_t *launches);
  /// In a program for a device: copies `bytes` bytes of a buffer to host memory
  /// when all kernels launched so far have run, and waits for it. Returns a
  /// dyn_status_t.
  int32_t (*read)(dyn_call_t *call, void *to, const void *from, int64_t bytes);
  /// In a program for a device: copies host memory, which may be reused when
  /// this returns, to a buffer, before kernels that are launched later run.
  int32_t (*write)(dyn_call_t *call, void *to, const void *from, int64_t bytes);
  /// Announces that kernels launched from now on read those of the ranges whose
  /// path p has rows: offsets[p] < offsets[p + 1]. Ranges are in the order in
  /// which they are read. Null offsets are for all of them. No other kernel of
  /// the entry reads the constants, in parts that are not announced. No result
  /// depends on it. Returns a dyn_status_t: a program for a device may wait for
  /// the offsets.
  int32_t (*fetch)(dyn_call_t *call, const int64_t *offsets, uint32_t count,
                   const dyn_range_t *ranges);
  /// 1 if paths of router `router` run by a guess in this call, else 0. A guess
  /// pays where at least `pays_from` 1024ths of its rows are right. No result
  /// depends on it.
  int64_t (*guess)(dyn_call_t *call, uint32_t router, uint32_t pays_from);
  /// Counts the rows of a router, of its guess, and those that the guess lacks:
  /// the last of the offsets, of which there is one more than paths. Returns 0.
  int32_t (*guessed)(dyn_call_t *call, uint32_t router, const int64_t *routes,
                     const int64_t *guess, const int64_t *rest);
  /// The same of ranges that kernels may read, by a prediction.
  int32_t (*expect)(dyn_call_t *call, const int64_t *offsets, uint32_t count,
                    const dyn_range_t *ranges);
  /// Begins an exchange of `rows` with the `count` ranks `among`, this one
  /// included. `sends` and `receives` hold two numbers for each of them, the
  /// first row and the one after the last, of `rows` and of `result`. They lie
  /// where rows and result do, in the memory of the program's device. The
  /// service reads them at once; rows and result stay with the exchange until
  /// exchange_wait. Rows of the result that are in no range become zeros. A
  /// range that is out of its buffer is the data error of `site`, and numbers
  /// of rows that differ between two ranks that of the next one. Returns the
  /// exchange's number, or -1 if the call has failed.
  int64_t (*exchange_start)(dyn_call_t *call, uint32_t count,
                            const int64_t *among, const void *rows,
                            int64_t row_count, void *result,
                            int64_t result_count, int64_t row_bytes,
                            const int64_t *sends, const int64_t *receives,
                            uint64_t site);
  /// Ends an exchange. Returns a dyn_status_t.
  int32_t (*exchange_wait)(dyn_call_t *call, int64_t exchange);
} dyn_services_t;

/// Arguments of an entry function. The runtime has checked the inputs against
/// the signature before it calls the function.
typedef struct dyn_frame {
  const dyn_services_t *services;
  dyn_call_t *call;
  const void *const *inputs;    ///< data of each input
  const int64_t *dims;          ///< value of each of dyn_entry.dims
  const void *const *constants; ///< data of each of dyn_descriptor.constants
} dyn_frame_t;

/// Runs a model. Returns a dyn_status_t.
typedef int32_t (*dyn_entry_fn)(const dyn_frame_t *frame);

//===----------------------------------------------------------------------===//
// The descriptor
//===----------------------------------------------------------------------===//

/// A function of the artifact that hosts may call.
typedef struct dyn_entry {
  const char *name;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t dim_count;   ///< symbols that the inputs bind
  uint32_t arena_count; ///< arenas that the function reserves, from 0
  const dyn_port_t *inputs;
  const dyn_port_t *outputs; ///< sizes may be unknown: extent, dim -1, no code
  const dyn_dim_t *dims;
  dyn_entry_fn fn;
  /// If `ranks` is not 0, this is what rank `rank` of so many runs of a model,
  /// which is called `part_of`. An artifact may hold the parts of several
  /// ranks.
  const char *part_of;
  uint32_t rank;
  uint32_t ranks;
  uint32_t constant_count;
  uint32_t reserved;
  const uint32_t *constants; ///< that it reads, ascending, of its program
} dyn_entry_t;

/// Kinds of data errors.
typedef enum dyn_site_kind {
  DYN_SITE_INDEX = 1,        ///< index out of range
  DYN_SITE_DIVISION = 2,     ///< integer division by zero
  DYN_SITE_SIZE = 3,         ///< negative or undeclared size
  DYN_SITE_CONVERSION = 4,   ///< float out of the integer's range
  DYN_SITE_SHIFT = 5,        ///< shift amount not less than the width
  DYN_SITE_SIZE_MISMATCH = 6 ///< two sizes that must agree do not
} dyn_site_kind_t;

/// A location in the model at which a data error may occur.
typedef struct dyn_site {
  uint32_t kind; ///< dyn_site_kind_t
  uint32_t reserved;
  const char *op;       ///< "dhlo.gather", "dhlo.broadcast of N and 2 * M"
  const char *location; ///< name in the source model: "/embed/Gather"
} dyn_site_t;

/// A constant: bytes in the constants area, in the layout that kernels read.
typedef struct dyn_constant {
  const char *name;
  uint64_t offset; ///< from the start of the constants area, 64-byte aligned
  uint64_t bytes;
  const char *recipe; ///< how it was made from the model's weights, as JSON
} dyn_constant_t;

/// A router whose routes can be recorded. Strings other than the key may be
/// empty.
typedef struct dyn_router {
  const char *key;         ///< identifies it, unique in an artifact
  const char *label;       ///< the model's name for its paths
  const char *cell;        ///< the kind of a cell: "token", "image"
  const char *fingerprint; ///< of the program before it, without weights
  uint32_t paths;          ///< 1 to 2^20
  int32_t after;           ///< the router before it on the same cells, or -1
  /// The share of the rows of each path that the compiler assumed, in 1024ths;
  /// null for equal shares.
  const uint32_t *load;
} dyn_router_t;

//===----------------------------------------------------------------------===//
// Programs of devices
//===----------------------------------------------------------------------===//
//
// An artifact may hold the model a second time, lowered for another device.
// There, buffers lie in device memory, kernels are functions of an image for
// the device, and everything else is as above: an entry is a host function that
// calls dyn_services.

/// Threads per block. The grid of a launch has one axis.
#define DYN_DEVICE_THREADS 256
/// 64-bit words of a dyn_worker_t up to and including its seed. A function has
/// one parameter, a block of words by value: the addresses of its buffers, its
/// sizes, and these.
#define DYN_DEVICE_WORKER_WORDS 4
/// Alignment of a device's buffers.
#define DYN_DEVICE_ALIGNMENT 16

/// How a launch on a device is divided.
typedef struct dyn_grid {
  int64_t version; ///< index of the function that runs
  int64_t blocks;  ///< 0 if there is no work
  int64_t flops;   ///< as in dyn_geometry_t
  int64_t bytes;
} dyn_grid_t;

/// Fills `*grid` for a launch with these dims. Host code.
typedef void (*dyn_grid_fn)(const int64_t *dims, dyn_grid_t *grid);

/// The activations that a GEMM library applies to sums. The values are part of
/// the file format.
typedef enum dyn_activation {
  DYN_ACTIVATION_NONE = 0,
  DYN_ACTIVATION_RELU = 1,     ///< max(x, 0)
  DYN_ACTIVATION_GELU_TANH = 2 ///< GELU, approximated by tanh
} dyn_activation_t;

#define DYN_NO_BUFFER UINT32_MAX

/// The GEMM of dense matrices that a kernel computes, so that a library may
/// compute it instead: for each i < batch
///
///   result[i] = activation(left[i] * right[i] + addend[i] + bias)
///
/// in row-major order without gaps, with sums in f32. The sizes, `rows` = M,
/// `columns` = N and `depth` = K, are expressions over the kernel's dims. The
/// bias has one number per column.
typedef struct dyn_gemm {
  uint32_t left, right, result; ///< buffers of the kernel
  uint32_t bias, addend;        ///< likewise, or DYN_NO_BUFFER
  uint32_t factor_dtype;        ///< dyn_dtype_t
  uint32_t result_dtype;        ///< of the result, the bias and the addend
  uint32_t activation;          ///< dyn_activation_t
  uint32_t left_transposed;     ///< stored as K x M
  uint32_t right_transposed;    ///< stored as N x K
  /// Calls with at least this many multiply-adds use a library, if there is
  /// one.
  int64_t least_work;
  dyn_size_t batch, rows, columns, depth;
} dyn_gemm_t;

/// A kernel for a device.
typedef struct dyn_device_kernel {
  const char *name;
  const char *kind;       ///< as in dyn_kernel_t
  uint32_t buffer_count;  ///< as in dyn_kernel_t
  uint32_t dim_count;     ///< likewise
  uint32_t version_count; ///< at least 1
  uint32_t reserved;
  const char *const *versions; ///< names of functions in the image
  dyn_grid_fn grid;
  const dyn_gemm_t *gemm; ///< null if it is not a GEMM
} dyn_device_kernel_t;

/// Kinds of images. The values are part of the file format.
typedef enum dyn_image_kind {
  DYN_IMAGE_FATBIN = 1,  ///< cubins and PTX, as CUDA's fatbinary writes them
  DYN_IMAGE_EMULATED = 2 ///< a dyn_emu_image_t (emulated.h)
} dyn_image_kind_t;

/// The functions of all kernels of a program.
typedef struct dyn_image {
  uint32_t kind; ///< dyn_image_kind_t
  uint32_t reserved;
  const void *data;
  uint64_t bytes;
  const char *chips; ///< for messages: "sm_80, sm_90a"
} dyn_image_t;

/// The model for a device.
typedef struct dyn_program {
  uint32_t device;      ///< dyn_device_kind_t
  uint32_t entry_count; ///< the same number as the artifact's
  uint32_t kernel_count;
  uint32_t site_count;
  uint32_t constant_count;
  uint32_t image_count; ///< at least 1
  /// With the same signatures as the artifact's, in the same order.
  const dyn_entry_t *entries;
  const dyn_device_kernel_t *kernels;
  const dyn_site_t *sites;
  const dyn_constant_t *constants; ///< may share bytes with the artifact's
  const dyn_image_t *images;
} dyn_program_t;

//===----------------------------------------------------------------------===//
// The root
//===----------------------------------------------------------------------===//

/// The root. Lives in the image's read-only data. Entries, kernels, sites and
/// constants are those of the program for the CPU.
///
/// `metadata` is a JSON object. Hosts read its member "model", which is absent
/// or an object with the optional members "producer", "producer_version",
/// "domain", "doc", "graph", "graph_doc" (strings), "version" (an integer) and
/// "properties" (an object of strings: the source model's own metadata, in ONNX
/// its metadata_props). Other members are the compiler's.
typedef struct dyn_descriptor {
  uint32_t struct_size;
  uint32_t version; ///< DYN_ARTIFACT_VERSION of the compiler
  /// Identifies the program with its constants.
  uint8_t id[16];
  const char *producer; ///< "dyn 0.1.0"
  const char *metadata; ///< JSON, see above
  uint32_t entry_count;
  uint32_t kernel_count;
  uint32_t site_count;
  uint32_t constant_count;
  const dyn_entry_t *entries;
  const dyn_kernel_t *kernels;
  const dyn_site_t *sites;
  const dyn_constant_t *constants;
  uint64_t constants_bytes;
  /// Name of the file, beside the artifact, that holds the first constants: a
  /// sidecar, or another artifact; null if all are appended to the image. Never
  /// contains a '/'.
  const char *sidecar;
  uint32_t router_count;
  uint32_t program_count;
  const dyn_router_t *routers;
  const dyn_program_t *programs; ///< for other devices, at most one per kind
  /// The id in the trailer of the file `sidecar`; zeros without one.
  uint8_t weights[16];
  /// Bytes of the constants area that lie in that file. The rest begins at the
  /// next page of the area and is appended to the image.
  uint64_t weights_bytes;
} dyn_descriptor_t;

/// The exported function. Returns null if a runtime whose newest supported
/// version is `newest_version` cannot read the artifact.
typedef const dyn_descriptor_t *(*dyn_artifact_query_fn)(
    uint32_t newest_version);

/// The last bytes of an artifact, and of its sidecar. Little endian.
typedef struct dyn_trailer {
  uint8_t magic[8]; ///< DYN_TRAILER_MAGIC, without the final zero
  /// Identifies constants. In an artifact that has some of its own, its id;
  /// else, as in the sidecar, a digest of the sidecar's constants.
  uint8_t id[16];
  uint64_t offset;       ///< of the constants area in this file, page aligned
  uint64_t bytes;        ///< of the constants in this file
  uint64_t image_bytes;  ///< of the ELF image, the first of the artifact
  uint64_t image_digest; ///< dyn_image_digest of the image, from image_bytes
} dyn_trailer_t;

/// Extends a digest of the image by a piece of it. The digest begins as the
/// image's number of bytes; each piece but the last is a multiple of eight
/// bytes. A runtime checks the digest before it loads the image, since damaged
/// code could do anything. Each step is invertible, so that every change within
/// eight bytes is detected.
static inline uint64_t dyn_image_digest(uint64_t digest, const uint8_t *image,
                                        uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, image + i, bytes - i < 8 ? bytes - i : 8);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 32;
  }
  return digest;
}

#ifdef __cplusplus
#define DYN_ASSERT_SIZE(type, size)                                            \
  static_assert(sizeof(type) == (size), "layout of " #type)
#else
#define DYN_ASSERT_SIZE(type, size)                                            \
  _Static_assert(sizeof(type) == (size), "layout of " #type)
#endif
DYN_ASSERT_SIZE(dyn_dim_t, 40);
DYN_ASSERT_SIZE(dyn_size_t, 32);
DYN_ASSERT_SIZE(dyn_port_t, 24);
DYN_ASSERT_SIZE(dyn_geometry_t, 64);
DYN_ASSERT_SIZE(dyn_worker_t, 48);
DYN_ASSERT_SIZE(dyn_kernel_t, 120);
DYN_ASSERT_SIZE(dyn_launch_t, 32);
DYN_ASSERT_SIZE(dyn_range_t, 24);
DYN_ASSERT_SIZE(dyn_services_t, 128);
DYN_ASSERT_SIZE(dyn_frame_t, 40);
DYN_ASSERT_SIZE(dyn_entry_t, 88);
DYN_ASSERT_SIZE(dyn_site_t, 24);
DYN_ASSERT_SIZE(dyn_constant_t, 32);
DYN_ASSERT_SIZE(dyn_router_t, 48);
DYN_ASSERT_SIZE(dyn_grid_t, 32);
DYN_ASSERT_SIZE(dyn_gemm_t, 176);
DYN_ASSERT_SIZE(dyn_device_kernel_t, 56);
DYN_ASSERT_SIZE(dyn_image_t, 32);
DYN_ASSERT_SIZE(dyn_program_t, 64);
DYN_ASSERT_SIZE(dyn_descriptor_t, 152);
DYN_ASSERT_SIZE(dyn_trailer_t, 56);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_ARTIFACT_H
