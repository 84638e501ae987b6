//===- ElementEmitter.h - Values of a kernel body at a position -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A schedule determines the order in which positions of the result are visited;
// the ElementEmitter emits the code that computes a value at a position, by
// recursion from the value's operation to its operands, down to loads from
// buffers. Operations that move data are never executed: they are maps of
// positions.
//
// Positions. A position in a tensor is a number in mixed radix: a list of
// coordinates, most significant first, each with an extent (a size expression)
// and an index. The extents multiply to the number of elements, and this is the
// only relation between a position and a tensor. So coordinates need not be
// axes:
//
//   tensor<?x?x384xf32, #dhlo.dims<B, S>>
//     (B: b) (S: s) (384: c)        one coordinate an axis
//     (B * S * 384: i)              flat: elementwise code needs no division
//     (B * S: r) (384: c)           rows
//     (B: b) (S: s) (12: h) (32: d) finer than the axes: heads
//
// A reshape does not change the position, since the number is the same; neither
// do elementwise operations. A load only needs the sum of index times stride.
// If an operation treats an axis separately (a transposed, sliced or broadcast
// one), the coordinates are aligned with that axis: coordinates whose extents
// multiply to its size represent it, which SymbolicDims proves. Only
// coordinates that straddle axes need a division.
//
// Lanes. An index is `base + step * lane`. Code for a vector of elements
// usually starts with a step of 1 in the innermost coordinate. A load sums the
// steps of all coordinates, times strides: 1 is a vector load, 0 a scalar in
// every lane, -1 a reversed vector, a dynamic step (a size that may be 1)
// selects between these at run time, and anything else loads lane by lane.
//
// Where lanes diverge (the division above, the edge of a pad or concatenation,
// indices from data), an index is a vector, with one for each lane, and a load
// gathers. If they usually stay together, a test selects between code for that
// and code for indices that may diverge (`guarded`). Code for a device, and of
// what has loops of different lengths, goes over the lanes instead (`perLane`).
// Scalar and vector code give the same bits in any case.
//
// Within one emission, equal (value, position) pairs are computed once.

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_ELEMENTEMITTER_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_ELEMENTEMITTER_H

#include "Codegen/Common/Builder/KernelBuilder.h"

#include <map>

namespace dyn {

/// base + step * lane, or, if `base` is a vector, an index for each lane.
struct LaneIndex {
  mlir::OpFoldResult base;
  mlir::OpFoldResult step;
  /// The step is 1 or 0, but only known at run time.
  bool maybeUnit = false;
  /// Where lanes are not together, vectors of indices go on, without a guard.
  bool mayDiverge = false;

  bool isVector() const { return KernelBuilder::isVector(base); }
  /// Whether all lanes have the same index.
  bool isUniform() const {
    return !isVector() && mlir::getConstantIntValue(step) == 0;
  }
  /// Whether emitters are to compute a vector of indices rather than a guard.
  bool isApart() const { return isVector() || (mayDiverge && !isUniform()); }
};

/// One coordinate of a position: an index in [0, extent).
struct Coordinate {
  dhlo::DimExpr extent;
  LaneIndex index;
};

using Position = llvm::SmallVector<Coordinate, 4>;

class ElementEmitter {
public:
  /// Returns the value of a tensor at a position, in `lanes` lanes, or null if
  /// it is not available there: then the value is computed.
  using Provider =
      std::function<mlir::Value(const Position &position, int64_t lanes)>;

  explicit ElementEmitter(KernelBuilder &builder) : b(builder) {}

  /// Whether the emitter can compute results of this operation.
  static bool canEmit(mlir::Operation *op);

  /// The value of `tensor` at `position`, in compute type: a scalar for one
  /// lane, else a vector.
  mlir::Value emit(mlir::Value tensor, const Position &position, int64_t lanes);
  /// The same at one index per axis; lanes run along the last axis.
  mlir::Value emit(mlir::Value tensor, mlir::ValueRange index, int64_t lanes);

  /// From now on, `provider` gives the values of `tensor`: a contraction's
  /// accumulators, a row in scratch, a reduced scalar.
  void provide(mlir::Value tensor, Provider provider);

  /// From now on, elements of `op` are those of one part along its axis: an
  /// operand of a concatenation, or what is before (0), in (1) or behind (2)
  /// the operand that is padded along its last axis.
  void setPart(mlir::Operation *op, int64_t number) { part = {op, number}; }
  /// That part, if there is one.
  std::optional<int64_t> getPart(mlir::Operation *op) const {
    return part.first == op ? std::optional(part.second) : std::nullopt;
  }

  /// Stores a result's value at a position. The position must be contiguous
  /// along the lanes.
  void store(mlir::Value value, int64_t result, const Position &position,
             int64_t lanes);

  //===--------------------------------------------------------------------===//
  // Positions
  //===--------------------------------------------------------------------===//

  /// Index `i`, the same in all lanes unless it is a vector.
  LaneIndex uniform(mlir::OpFoldResult i);
  /// Index `i`, i + 1, ...
  LaneIndex lanes(mlir::OpFoldResult i);
  /// The index of the number that the coordinates represent.
  LaneIndex join(llvm::ArrayRef<Coordinate> coordinates);
  /// A sum of indices, each times a factor.
  LaneIndex combine(dhlo::DimExpr offset,
                    llvm::ArrayRef<std::pair<LaneIndex, dhlo::DimExpr>> terms);
  /// A position with one coordinate per axis.
  Position atIndex(mlir::Value tensor, mlir::ValueRange index, int64_t lanes);

  /// Groups coordinates by the given sizes, which multiply to the product of
  /// sizes of the coordinates. If `guard` is set afterwards, the result is only
  /// valid where it is true.
  llvm::SmallVector<Position> align(const Position &position,
                                    llvm::ArrayRef<dhlo::DimExpr> sizes,
                                    int64_t lanes, mlir::Value &guard);

  /// The index of each lane, i64.
  mlir::Value toValue(const LaneIndex &index, int64_t lanes);
  /// Index of the last lane.
  mlir::OpFoldResult last(const LaneIndex &index, int64_t lanes);

  //===--------------------------------------------------------------------===//
  // For the emitters of operations
  //===--------------------------------------------------------------------===//

  KernelBuilder &getBuilder() { return b; }
  /// `together()`, or code for lanes that diverge if the guard is false.
  mlir::Value guarded(mlir::Value tensor, const Position &position,
                      int64_t lanes, mlir::Value guard,
                      llvm::function_ref<mlir::Value()> together);
  /// Whether lanes may have a vector of indices: a device has no gathers.
  bool canDiverge(int64_t lanes) {
    return lanes > 1 && !b.getOptions().isDevice();
  }
  /// One lane after the other. `reason` is that of a note; there is none if
  /// each lane is computed by vectors, and `reason` is empty.
  mlir::Value perLane(mlir::Value tensor, const Position &position,
                      int64_t lanes, llvm::StringRef reason);
  /// Elements of a buffer.
  mlir::Value loadAt(mlir::Value buffer, mlir::Type element,
                     const Position &position, int64_t lanes);
  /// Pointer to a constant's elements.
  mlir::Value getTable(dhlo::ConstantOp op);

private:
  mlir::Value compute(mlir::Value tensor, const Position &position,
                      int64_t lanes);

  KernelBuilder &b;
  llvm::DenseMap<mlir::Value, Provider> providers;
  /// Emitted values by block, tensor, lanes and position.
  std::map<std::vector<const void *>, mlir::Value> memo;
  llvm::DenseMap<mlir::Operation *, mlir::Value> tables;
  std::pair<mlir::Operation *, int64_t> part;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_ELEMENTEMITTER_H
