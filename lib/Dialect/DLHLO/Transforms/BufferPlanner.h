//===- BufferPlanner.h - From an entry over tensors to one over buffers
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERPLANNER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERPLANNER_H

#include "MemoryPlan.h"
#include "ProbeTable.h"
#include "ShapeProgram.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/IR/IRMapping.h"

namespace dyn::dlhlo {

struct BufferPlannerOptions {
  /// Let values whose lifetimes do not meet share memory.
  bool reuse = true;
  /// Bytes between places in an arena; memory without a value is poisoned if
  /// there are any.
  int64_t redZone = 0;
};

/// Rewrites one entry. The steps are told at the pass dlhlo-plan-buffers.
class BufferPlanner {
public:
  BufferPlanner(const SymbolicDims &dims, mlir::SymbolTable &symbols,
                SiteTable &sites, ProbeTable &probes,
                BufferPlannerOptions options)
      : dims(dims), symbols(symbols), sites(sites), probes(probes),
        options(options), shape(dims, symbols, sites),
        builder(symbols.getOp()->getContext()),
        bufferType(BufferType::get(builder.getContext())) {}

  /// Replaces the entry by a `dlhlo.entry` and a function over buffers. Fails
  /// after emitting a diagnostic.
  llvm::LogicalResult plan(mlir::func::FuncOp entry);

  /// What the pass counts.
  unsigned numSegments = 0, numValues = 0, numSlots = 0;

private:
  /// Where a value is written that leaves its block: an output of the entry, or
  /// a carried value of a loop with its arena.
  struct Destination {
    int64_t output = -1;
    mlir::Value arena;
  };

  /// The operations of a block up to one that ends a segment.
  using Segment = llvm::ArrayRef<mlir::Operation *>;

  /// The arenas of a block. What no later segment reads lies in `local`, which
  /// all segments share; any other value has an arena of its own, which is free
  /// again behind the last operation of the block that reads it.
  struct Arenas {
    struct Lease {
      int64_t arena;
      dhlo::DimExpr bytes;
      mlir::Operation *end; ///< null: the block's end
    };
    std::optional<int64_t> local;
    llvm::SmallVector<Lease> leases, free;
  };

  /// Puts the launches of each `dlhlo.launch_many` into its place and notes
  /// that they run together.
  void unpackLaunches(mlir::func::FuncOp entry);
  llvm::LogicalResult planBlock(mlir::Block &block);
  llvm::LogicalResult planSegment(Segment segment);
  /// Sizes that the segment needs, at its head.
  llvm::LogicalResult computeSizes(Segment segment);
  /// What an operation needs of sizes and no analysis has shown.
  llvm::LogicalResult checkSizes(mlir::Operation *op);
  /// Arenas, outputs and carried values of the segment.
  llvm::LogicalResult reserveMemory(Segment segment);
  /// Memory of an arena, with a view for each value.
  llvm::LogicalResult reserveArena(Segment segment, int64_t arena,
                                   const MemoryPlan &memory);
  int64_t makeArena() {
    maxArenas = std::max(maxArenas, arenas + 1);
    return arenas++;
  }
  /// An arena for a value that later segments read: one that is free and was of
  /// this size, or any that is free, or a new one.
  int64_t leaseArena(mlir::Value value, dhlo::DimExpr bytes);
  /// Frees the arenas whose values no operation from `next` on reads.
  void endLeases(mlir::Operation *next);
  /// Memory of an arena of its own for a value that a loop carries.
  mlir::Value reserveCarried(mlir::Value value, mlir::Value arena);

  llvm::LogicalResult planOp(mlir::Operation *op);
  llvm::LogicalResult planLaunch(LaunchOp launch);
  llvm::LogicalResult planFromDims(dhlo::FromDimsOp op);
  llvm::LogicalResult planBind(dhlo::BindOp bind);
  /// Gives a symbol the value that an operation binds it to, and ends the call
  /// if that is not as declared. Where the value is that of one of `exprs`,
  /// only what these leave open is asked.
  llvm::LogicalResult bindSize(mlir::Operation *op, mlir::StringAttr symbol,
                               mlir::Value value,
                               llvm::ArrayRef<dhlo::DimExpr> exprs = {});
  llvm::LogicalResult planProbe(dhlo::ProbeOp probe);
  /// Ends the call unless values of the types `given`, which a branch or a loop
  /// hands on, are of the types `expected`, where `names` stand for `exprs`.
  llvm::LogicalResult checkHandedOn(mlir::Operation *op,
                                    mlir::TypeRange expected,
                                    mlir::ArrayAttr names,
                                    mlir::ArrayAttr exprs,
                                    mlir::TypeRange given);
  llvm::LogicalResult planIf(dhlo::IfOp op);
  llvm::LogicalResult planWhile(dhlo::WhileOp loop);

  /// A truth value or integer that a kernel computed.
  mlir::Value loadScalar(mlir::Location loc, mlir::Value tensor,
                         mlir::Type type);
  mlir::Value getBuffer(mlir::Value tensor) { return buffers.lookup(tensor); }
  mlir::Value getIndex(mlir::Location loc, int64_t value);
  /// Declares where the values that a block's terminator takes are written.
  /// Reports those that no operation of the block may write there.
  llvm::LogicalResult setDestination(mlir::OpOperand &use, Destination place);

  const SymbolicDims &dims;
  mlir::SymbolTable &symbols;
  SiteTable &sites;
  ProbeTable &probes;
  BufferPlannerOptions options;
  ShapeProgram shape;
  mlir::OpBuilder builder;
  BufferType bufferType;
  mlir::IRMapping buffers;
  llvm::DenseMap<mlir::Value, Destination> destinations;
  /// The first and the last of the launches that one runs together with.
  llvm::DenseMap<mlir::Operation *,
                 std::pair<mlir::Operation *, mlir::Operation *>>
      together;
  /// What the launches that have been planned last run in.
  DispatchManyOp many;
  /// With red zones: a value's bytes, and the values that an operation is the
  /// last to read.
  llvm::DenseMap<mlir::Value, mlir::Value> valueBytes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastReads;
  /// Arenas in use here, and the most in use anywhere.
  int64_t arenas = 0, maxArenas = 0;
  /// Those of the block that is being planned.
  Arenas current;
};

/// The value whose bytes another is a view of.
mlir::Value getViewSource(mlir::Value value);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERPLANNER_H
