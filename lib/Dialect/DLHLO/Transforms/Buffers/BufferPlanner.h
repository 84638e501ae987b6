//===- BufferPlanner.h - Converts entries over tensors to buffers ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_BUFFERPLANNER_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_BUFFERPLANNER_H

#include "MemoryPlan.h"
#include "ProbeTable.h"
#include "ShapeProgram.h"

#include "Dialect/DLHLO/Transforms/Kernels/LaunchSizes.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Dialect/Dist/IR/Dist.h"

#include "mlir/IR/IRMapping.h"

namespace dyn::dlhlo {

struct BufferPlannerOptions {
  /// Let values with disjoint lifetimes share memory.
  bool reuse = true;
  /// Bytes between slots of an arena; if not zero, memory without a live value
  /// is poisoned.
  int64_t redZone = 0;
};

/// Rewrites one entry. The pass dlhlo-plan-buffers describes the steps.
class BufferPlanner {
public:
  BufferPlanner(const SymbolicDims &dims, mlir::SymbolTable &symbols,
                LaunchSizes &launchSizes, SiteTable &sites, ProbeTable &probes,
                BufferPlannerOptions options)
      : dims(dims), symbols(symbols), launchSizes(launchSizes), sites(sites),
        probes(probes), options(options), comparer(dims),
        shape(dims, symbols, sites), builder(symbols.getOp()->getContext()),
        bufferType(BufferType::get(builder.getContext())) {}

  /// Replaces the entry by a `dlhlo.entry` and a function over buffers. Fails
  /// after emitting a diagnostic.
  llvm::LogicalResult plan(mlir::func::FuncOp entry);

  /// Statistics of the pass.
  unsigned numSegments = 0, numValues = 0, numSlots = 0;

private:
  /// The destination of a value that leaves its block: an output of the entry,
  /// or a loop-carried value with its arena.
  struct Destination {
    int64_t output = -1;
    mlir::Value arena;
  };

  /// The operations of a block up to one that ends a segment.
  using Segment = llvm::ArrayRef<mlir::Operation *>;

  /// The arenas of a block. Values that no later segment reads lie in `local`,
  /// which all segments share; any other value has its own arena, which is free
  /// again after the last operation of the block that reads it.
  struct Arenas {
    struct Lease {
      int64_t arena;
      dhlo::DimExpr bytes;
      mlir::Operation *end; ///< null: the block's end
    };
    std::optional<int64_t> local;
    llvm::SmallVector<Lease> leases, free;
  };

  /// Inlines the launches of each `dlhlo.launch_many` and records that they run
  /// together.
  void unpackLaunches(mlir::func::FuncOp entry);
  llvm::LogicalResult planBlock(mlir::Block &block);
  llvm::LogicalResult planSegment(Segment segment);
  /// Computes the sizes that the segment needs, at its start.
  llvm::LogicalResult computeSizes(Segment segment);
  /// Emits the checks of an operation's sizes that no analysis has proven.
  llvm::LogicalResult checkSizes(mlir::Operation *op);
  /// Reserves arenas, outputs and carried values of the segment.
  llvm::LogicalResult reserveMemory(Segment segment);
  /// Reserves an arena, with a view for each value.
  llvm::LogicalResult reserveArena(Segment segment, int64_t arena,
                                   const MemoryPlan &memory);
  int64_t makeArena() {
    maxArenas = std::max(maxArenas, arenas + 1);
    return arenas++;
  }
  /// An arena for a value that later segments read: a free one that had this
  /// size, or any free one, or a new one.
  int64_t leaseArena(mlir::Value value, dhlo::DimExpr bytes);
  /// Frees the arenas whose values are not read from `next` on.
  void endLeases(mlir::Operation *next);
  /// Reserves an arena for a loop-carried value.
  mlir::Value reserveCarried(mlir::Value value, mlir::Value arena);

  llvm::LogicalResult planOp(mlir::Operation *op);
  llvm::LogicalResult planLaunch(LaunchOp launch);
  llvm::LogicalResult planFromDims(dhlo::FromDimsOp op);
  llvm::LogicalResult planBind(dhlo::BindOp bind);
  /// Binds a symbol to the value of an operation, and ends the call if the
  /// value contradicts the declaration. If the value is that of one of `exprs`,
  /// only the facts that these do not imply are checked.
  llvm::LogicalResult bindSize(mlir::Operation *op, mlir::StringAttr symbol,
                               mlir::Value value,
                               llvm::ArrayRef<dhlo::DimExpr> exprs = {});
  llvm::LogicalResult planExchange(dist::ExchangeStartOp start);
  llvm::LogicalResult planProbe(dhlo::ProbeOp probe);
  llvm::LogicalResult planGuess(dhlo::GuessOp guess);
  llvm::LogicalResult planGuessed(dhlo::GuessedOp guessed);
  /// The number of the router with a key, if it has a probe.
  llvm::FailureOr<int64_t> getRouter(mlir::Operation *op, mlir::StringAttr key);
  /// Ends the call unless values of the types `given`, which a branch or a loop
  /// passes on, have the types `expected`, where `names` stand for `exprs`.
  llvm::LogicalResult checkHandedOn(mlir::Operation *op,
                                    mlir::TypeRange expected,
                                    mlir::ArrayAttr names,
                                    mlir::ArrayAttr exprs,
                                    mlir::TypeRange given);
  llvm::LogicalResult planIf(dhlo::IfOp op);
  llvm::LogicalResult planWhile(dhlo::WhileOp loop);

  /// A boolean or an integer that a kernel computed.
  mlir::Value loadScalar(mlir::Location loc, mlir::Value tensor,
                         mlir::Type type);
  mlir::Value getBuffer(mlir::Value tensor) { return buffers.lookup(tensor); }
  mlir::Value getIndex(mlir::Location loc, int64_t value);
  /// Sets the destination of a value that a block's terminator uses. Reports
  /// values that no operation of the block may write there.
  llvm::LogicalResult setDestination(mlir::OpOperand &use,
                                     Destination destination);

  const SymbolicDims &dims;
  mlir::SymbolTable &symbols;
  LaunchSizes &launchSizes;
  SiteTable &sites;
  ProbeTable &probes;
  BufferPlannerOptions options;
  SizeComparer comparer;
  ShapeProgram shape;
  mlir::OpBuilder builder;
  BufferType bufferType;
  mlir::IRMapping buffers;
  llvm::DenseMap<mlir::Value, Destination> destinations;
  /// Results that lie where another value was.
  llvm::DenseMap<mlir::Value, mlir::Value> updated;
  /// For a launch that runs together with others, the first and the last of
  /// them.
  llvm::DenseMap<mlir::Operation *,
                 std::pair<mlir::Operation *, mlir::Operation *>>
      together;
  /// For the first of such launches, their chains, if they have some.
  llvm::DenseMap<mlir::Operation *, mlir::DenseI64ArrayAttr> chains;
  /// The operation that contains the launches planned last.
  DispatchManyOp many;
  /// With red zones: a value's bytes, and the values that an operation is the
  /// last to read.
  llvm::DenseMap<mlir::Value, mlir::Value> valueBytes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastReads;
  /// The number of arenas in use here, and its maximum.
  int64_t arenas = 0, maxArenas = 0;
  /// The arenas of the block that is being planned.
  Arenas current;
};

/// Whether an operation gives sizes as data and all users only bind symbols,
/// which the shape program computes without the data.
bool isOnlyBound(mlir::Operation *op);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_BUFFERPLANNER_H
