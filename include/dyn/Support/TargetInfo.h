//===- TargetInfo.h - The machine that code is generated for --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The numbers of a machine that decisions of the compiler rest on: sizes of
// caches, and thresholds that were measured. Sizes that an algorithm or the
// form of an instruction determines stand where they are used.
//
// Defaults: caches are those of a Sapphire Rapids, the machine of most
// measurements (machine A of docs/Benchmarks.md, and the RFCs that fields
// name); a GPU is an A100. Numbers decide how long a kernel takes; those of
// rows also the order of their sums.
//
// A file of JSON overrides numbers, in the form that `toJson` writes:
//
//   {"cpu": {"l2Bytes": 1310720, "registers": {"isa": "v4", "gemmRows": 12}},
//    "gpu": {"multiprocessors": 132}}
//
// Registers are those of "isa", or of every instruction set without it.

#ifndef DYN_SUPPORT_TARGETINFO_H
#define DYN_SUPPORT_TARGETINFO_H

#include "dyn/Support/Isa.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace dyn {

/// The registers of an instruction set, and the tiles that fill them. Tiles
/// were found by measurement: of those that fit the registers, with at least
/// twice the latency of a multiply-add in accumulators, and the fewest loads
/// (RFC 4, RFC 7).
struct RegisterInfo {
  explicit RegisterInfo(Isa isa);

  /// Facts of the instruction set, which no file overrides.
  Isa isa;
  int64_t vectorBits;      ///< of a vector register
  int64_t vectorRegisters; ///< number
  bool hasFma;             ///< fused multiply-add, 16-bit float conversions
  bool hasMasks;           ///< loads and stores of every element type

  /// MR: rows of a GEMM's tile for large M, at most; rows up to which one tile
  /// computes all of M; panels of 16 columns of a tile for large M.
  int64_t gemmRows = 0, gemmSingleRows = 0, gemmPanels = 0;
  /// Panels of a tile that holds all rows, by the number of rows; entry 0 is
  /// unused. No file overrides them.
  llvm::SmallVector<int64_t> gemmSmallPanels;
  /// Rows up to which a tile reads B faster than the L2 cache supplies it.
  int64_t gemmSlowRows = 0;
  /// Rows of a GEMM from which tiles read packed rows, 0 if never, and rows and
  /// panels of such tiles.
  int64_t gemmPackedFrom = 0, gemmPackedRows = 0, gemmPackedPanels = 0;
  /// Rows and panels of a tile of bytes without an instruction for them.
  int64_t byteGemmRows = 0, byteGemmPanels = 0;
  /// Channels of the result of a tile of a convolution with channels first, at
  /// most.
  int64_t planeChannels = 0;
};

/// Instructions for each vector of elements, of which fusion decides whether a
/// kernel computes a value again rather than to load it. Adding takes one, as
/// does a load from the L1 cache.
struct ElementCosts {
  /// A function such as exp, a division, a square root.
  int64_t function = 16;
  /// The indices of elements that only move.
  int64_t movement = 1;
  /// Storing an intermediate result, and loading it in another kernel.
  int64_t roundTrip = 3;
};

/// The choice of a layout and an algorithm for a network of convolutions.
/// Percents are of the time of the definition's multiply-adds in full vectors.
struct ConvolutionInfo {
  /// Channels of the input of a convolution that may keep channels first, at
  /// most: the image rows of all channels that one result row reads, and the
  /// filters of a few result channels, stay in the L1 cache (RFC 2).
  int64_t planeInputChannels = 64;
  /// Channels of input and result from which Winograd's algorithm saves time,
  /// with channels last and with channels first (RFC 3).
  int64_t winogradChannels = 16, winogradLineChannels = 8;
  /// Time of F(4, 3) along the image height, which takes half of the
  /// multiply-adds.
  int64_t winogradLinePercent = 65;
  /// Time without F(4x4, 3x3), of that with it: it takes a quarter of them.
  int64_t winogradGainPercent = 250;
  /// Time with channels last, if one vector holds all channels: a register tile
  /// needs a load for each multiply-add.
  int64_t singleVectorPercent = 150;
  /// Time with channels last, of that with channels first, from which a network
  /// keeps them first: a smaller gain is not worth a change of layout.
  int64_t keepFirstPercent = 120;
};

/// A processor.
struct CpuInfo {
  explicit CpuInfo(Isa isa) : registers(isa) {}

  /// Bytes of a cache line.
  static constexpr int64_t kLineBytes = 64;

  // Rates of a core. No code depends on them, only what is said of it
  // (SlowKernels.h), so no file overrides them.
  /// Vector instructions, multiply-adds among them, in a cycle.
  static constexpr int64_t kVectorPorts = 2;
  /// Instructions of a mix of loads, arithmetic and stores in a cycle.
  static constexpr int64_t kInstructionsPerCycle = 3;
  /// Bytes, read and written, of a copy out of cache in a cycle: 17 to 27 GB/s
  /// (docs/Benchmarks.md, machine C).
  static constexpr int64_t kCopyBytesPerCycle = 8;

  /// Bytes of the L1 and the L2 cache of a core (RFC 4, "Figures").
  int64_t l1Bytes = 48 << 10;
  int64_t l2Bytes = 2 << 20;
  /// Bytes of a way of the L1 cache, 64 sets of a line: addresses so far apart
  /// share a set.
  int64_t l1WayBytes = 4096;

  /// The minimum work of a thread, in units of about a nanosecond: flops or
  /// bytes of traffic.
  int64_t grainWork = 64 << 10;
  /// Flops that take as long as a byte: of a GEMM, and of work that waits for
  /// more than its operands.
  int64_t flopsPerByte = 16, slowFlopsPerByte = 8;
  /// Items that keep a large machine's threads busy: of a GEMM, and tiles of a
  /// grouped GEMM.
  int64_t gemmItems = 64, groupedGemmTiles = 128;
  /// Rows of a grouped GEMM that take as long as reading a block's operands.
  int64_t groupedGemmUnitRows = 16;
  /// Work up to which a kernel is launched together with others, in bytes.
  int64_t launchManyCost = 1 << 20;

  /// Rows of a chunk of a GEMM, at least, even if they do not stay in the L2
  /// cache: all panels are read again for every chunk, which costs more than
  /// reading the rows again for every group of panels (RFC 4).
  int64_t gemmChunkRows = 65;
  /// K of a block of packed rows, at most: three panels of B and a chunk of A
  /// stay in the L2 cache, at the cost of a load and a store of each tile of
  /// results per block.
  int64_t gemmBlockDepth = 1024;
  /// Panels from which rows are packed; fewer if K times the panels is at least
  /// `gemmPackFewRows`.
  int64_t gemmPackPanels = 12, gemmPackFewPanels = 5, gemmPackFewRows = 3072;

  /// Bytes of a group of a filter's panels that stay in the L2 cache beside the
  /// image rows that use them.
  int64_t convolutionGroupBytes = 400 << 10;
  /// Pixels of a block of a convolution, at least: a filter's panels are read
  /// for them.
  int64_t convolutionBlockPixels = 128;
  /// Bytes of image rows, with channels first, that are read for each few
  /// channels: in the L1 cache.
  int64_t planeCopyBytes = 28 << 10;
  /// Tiles of a block of Winograd's algorithm, at most: enough that reading the
  /// filter pays off, while a block's data stay in the cache (RFC 3).
  int64_t winogradTiles = 52;
  ConvolutionInfo convolution;

  /// Columns of a row of a few vectors, whose final reduction takes as long as
  /// the rest.
  int64_t rowFewColumns = 64;
  /// Columns of a narrow row, at most: its final reduction takes as long as
  /// some columns. Rows without functions such as exp wait for memory sooner,
  /// which comes faster to one row at a time.
  int64_t rowNarrowColumns = 256, rowNarrowIfCheapColumns = 128;
  /// Columns above which results of rows may be written by non-temporal stores,
  /// and up to which they are if functions such as exp keep a row busy.
  int64_t rowInOrderColumns = 32, rowInOrderIfBusyColumns = 256;
  /// Elements of narrow rows and of their results that are prefetched ahead:
  /// some hundred nanoseconds, in a part of the L1 cache.
  int64_t rowOperandsAhead = 2048, rowResultsAhead = 512;
  /// Rows of a gather that are prefetched ahead, and bytes of each: the core
  /// prefetches the rest by itself.
  int64_t gatherRowsAhead = 16, gatherBytesAhead = 256;

  ElementCosts elements;
  RegisterInfo registers;
};

/// A GPU.
struct GpuInfo {
  /// Threads of a warp.
  static constexpr int64_t kWarp = 32;
  /// Threads of a block: enough for any schedule so far to hide latency with
  /// several blocks on a multiprocessor. Tiles are divided among them.
  static constexpr int64_t kBlockThreads = 256;

  /// Multiprocessors of a device: an A100 has 108.
  int64_t multiprocessors = 108;
  /// Bytes of shared memory of a block of a GEMM, at most: a launch without an
  /// attribute has no more.
  int64_t sharedBytes = 48 << 10;
  /// Stages of a GEMM's copies to shared memory, at most (RFC 11).
  int64_t gemmStages = 4;
  /// Elements of operands and kept values of a row that a thread holds in
  /// registers, at most (RFC 11).
  int64_t rowHeldElements = 64;

  /// Indices are computed while threads wait for memory.
  ElementCosts elements = {.movement = 0};
  /// No device has been measured in both layouts: as processors.
  ConvolutionInfo convolution;
};

struct TargetInfo {
  /// A processor with these instructions.
  static TargetInfo forIsa(Isa isa) { return TargetInfo(isa, false); }
  /// A thread of a device. It has fused multiply-add and conversions of f16, as
  /// v3, but no instructions of x86.
  static TargetInfo forDevice() { return TargetInfo(Isa::V3, true); }
  /// A device, or a processor for what is the same with all instructions.
  static TargetInfo forProgram(bool isDevice) {
    return isDevice ? forDevice() : forIsa(Isa::V4);
  }

  Isa isa() const { return cpu.registers.isa; }
  const ElementCosts &elements() const {
    return isDevice ? gpu.elements : cpu.elements;
  }
  const ConvolutionInfo &convolution() const {
    return isDevice ? gpu.convolution : cpu.convolution;
  }

  /// All numbers, as a text of JSON.
  std::string toJson() const;
  /// Overrides numbers by those of such a text, of a file called `name`. On
  /// failure some are overridden.
  llvm::Error override(llvm::StringRef text, llvm::StringRef name);
  /// The same with the text of a file; nothing is overridden by "".
  llvm::Error overrideByFile(llvm::StringRef path);
  /// The same in a pass; an error is reported at its operation.
  llvm::LogicalResult overrideByFile(llvm::StringRef path, mlir::Operation *op);

  bool isDevice;
  CpuInfo cpu;
  GpuInfo gpu;

private:
  TargetInfo(Isa isa, bool isDevice) : isDevice(isDevice), cpu(isa) {}
};

} // namespace dyn

#endif // DYN_SUPPORT_TARGETINFO_H
