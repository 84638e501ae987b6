//===- SortRecords.h - Elements that are sorted in scratch ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A record is an element's key, an unsigned integer with the order of elements,
// and its index. A key of up to 32 bits and the index are one word of 64 bits,
// as long as the index has 32 bits; else they are two words, of two arrays.
//
// Few records are sorted by their ranks: vectors of them are compared with each
// one. More are sorted by one digit of the key after the other, from the lowest
// on, without those digits that are the same in all. Both are stable: records
// with equal keys keep their order.

#ifndef DYN_LIB_CODEGEN_CPU_SINGLE_SORTRECORDS_H
#define DYN_LIB_CODEGEN_CPU_SINGLE_SORTRECORDS_H

#include "Codegen/Common/Problems/SegmentProblem.h"

namespace dyn {

class SortRecords {
public:
  /// The maximum number of records that are sorted by rank: as fast as to clear
  /// and to sum up the counters of digits.
  static constexpr int64_t kMaxRanked = 144;

  /// Two arrays of `capacity` records each, and counters. With `longSegments`
  /// an index may have more than 32 bits.
  SortRecords(const SegmentProblem &problem, mlir::OpFoldResult capacity,
              bool longSegments);

  /// Whether an index may have more than 32 bits.
  bool holdsLongSegments() const { return isWide; }
  /// Of scratch.
  mlir::OpFoldResult getBytes(KernelBuilder &b) const;
  /// One of the two arrays. A full vector may be written from its last record
  /// on.
  mlir::Value getArray(KernelBuilder &b, int64_t which) const;

  /// Writes records `at`, at + 1, ... for elements and their indices, each in
  /// several lanes.
  void store(KernelBuilder &b, mlir::Value array, mlir::OpFoldResult at,
             mlir::Value elements, mlir::Value indices, int64_t lanes) const;
  /// Writes records for the lanes in `found` of a full vector, and returns the
  /// number of the next record. Needs CodegenOptions::hasMasks.
  mlir::Value storeFound(KernelBuilder &b, mlir::Value array,
                         mlir::OpFoldResult at, mlir::Value elements,
                         mlir::Value indices, mlir::Value found) const;
  /// The element's index of a record.
  mlir::Value getIndex(KernelBuilder &b, mlir::Value array,
                       mlir::OpFoldResult at) const;
  /// Sorts the first `count` records, at least one, of array `from`. Returns
  /// the array that holds them afterwards, and the other one.
  llvm::SmallVector<mlir::Value> sort(KernelBuilder &b, mlir::Value from,
                                      mlir::Value to,
                                      mlir::OpFoldResult count) const;

private:
  mlir::OpFoldResult getArrayBytes(KernelBuilder &b) const;
  mlir::Value getCounters(KernelBuilder &b) const;
  mlir::Value getKeys(KernelBuilder &b, mlir::Value elements,
                      int64_t lanes) const;
  /// The words of records: one for both, or key and index.
  llvm::SmallVector<mlir::Value> getWords(KernelBuilder &b,
                                          mlir::Value elements,
                                          mlir::Value indices,
                                          int64_t lanes) const;
  /// The arrays of these words.
  llvm::SmallVector<mlir::Value> getArrays(KernelBuilder &b,
                                           mlir::Value array) const;
  void copy(KernelBuilder &b, mlir::Value from, mlir::OpFoldResult i,
            mlir::Value to, mlir::OpFoldResult j) const;
  mlir::Value getDigit(KernelBuilder &b, mlir::Value word,
                       mlir::OpFoldResult number) const;

  void sortByRank(KernelBuilder &b, mlir::Value from, mlir::Value to,
                  mlir::OpFoldResult count) const;
  llvm::SmallVector<mlir::Value> sortByDigits(KernelBuilder &b,
                                              mlir::Value from, mlir::Value to,
                                              mlir::OpFoldResult count) const;

  const SegmentProblem &problem;
  mlir::OpFoldResult capacity;
  /// Bits of a key.
  int64_t keyBits;
  /// Whether key and index are a word each.
  bool isWide;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SINGLE_SORTRECORDS_H
