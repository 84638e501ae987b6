//===- RouteCost.h - The time of a router and of its paths ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Estimates that are good enough to compare a router with its paths, before
// fusion: operations as KernelCost.h counts them, and bytes that are read, at
// the rates of TargetInfo.h. Each operation that becomes the root of a kernel
// takes as long as a kernel at least, and is shared by threads as far as its
// work fills grains; sorts and the like by whole segments. On a device each
// kernel takes as long as a launch at least, whether it has rows or not, and
// has as many multiprocessors as its work fills.
//
// The router is all that is computed before paths for the routes alone: its
// region, and what its operands need that the cells of these paths do not, such
// as the classifier of an early exit. A path is the region of a switch, or the
// part of one path of operations on the rows of all.

#ifndef DYN_DIALECT_CELL_ANALYSIS_ROUTECOST_H
#define DYN_DIALECT_CELL_ANALYSIS_ROUTECOST_H

#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Support/TargetInfo.h"

#include "llvm/ADT/SmallBitVector.h"

namespace dyn::cell {

class RouteCost {
public:
  RouteCost(RouteOp route, const SymbolicDims &dims, const TargetInfo &target);

  /// Microseconds, and those that a device would take if all of its
  /// multiprocessors had work: what two streams cannot hide. 0 on processors.
  struct Time {
    double elapsed = 0, busy = 0;
    void operator+=(const Time &other) {
      elapsed += other.elapsed;
      busy += other.busy;
    }
  };

  /// Microseconds that some paths wait for the router of `cells` cells.
  Time getRouterTime(double cells, llvm::ArrayRef<int64_t> paths,
                     int64_t threads) const;
  /// Microseconds of a path for `rows` rows on average. Less than one row is a
  /// part of the calls with one.
  Time getPathTime(int64_t path, double rows, int64_t threads) const {
    return getTime(paths[path], rows, threads);
  }
  /// Bytes of the weights of a path.
  int64_t getPathBytes(int64_t path) const;

  /// Whether the routes have paths: a switch, or operations on rows.
  bool hasPaths() const;
  /// Whether the paths are one program with different weights, as far as it can
  /// be seen from their operations: those of a switch that
  /// `cell-stack-siblings` may stack, and those that are stacked already.
  bool areEquivalent() const { return isEquivalent; }

private:
  /// A part of the work: units of TargetInfo.h for each row, bytes of weights
  /// that are read if there is a row, how many rows of it there are for a row
  /// of the whole, the pieces of a row that threads can share, and whether it
  /// is a kernel.
  struct Part {
    double perRow, bytes, rows, pieces;
    bool isKernel;
  };
  using Work = llvm::SmallVector<Part>;

  Time getTime(const Work &work, double rows, int64_t threads) const;
  Time getDeviceTime(const Part &part, double rows, double units) const;
  double getBytes(mlir::Value value) const;
  double countPieces(mlir::Operation *op) const;
  /// Adds an operation, and those of its regions, where `unit` rows are
  /// estimated to be one of the work's times `rows`.
  void add(Work &work, mlir::Operation *op, double unit, double rows,
           double share = 1) const;
  void addSwitch(Work &work, SwitchOp op, double unit, double rows) const;
  /// Adds what a router computes outside of its region.
  void addRouterOperands(RouteOp route, double unit);
  void addRows(RouteOp route);

  const SymbolicDims &dims;
  const TargetInfo &target;
  const CpuInfo &cpu;
  Work router;
  /// The operations that operands of the router need, with the paths that need
  /// them as well.
  llvm::SmallVector<std::pair<Work, llvm::SmallBitVector>> operands;
  llvm::SmallVector<Work> paths;
  bool isEquivalent = false;
};

/// Bytes of a weight or constant, also of one that is moved or converted; 0 for
/// what is computed from inputs.
int64_t getWeightBytes(mlir::Value value);

} // namespace dyn::cell

#endif // DYN_DIALECT_CELL_ANALYSIS_ROUTECOST_H
