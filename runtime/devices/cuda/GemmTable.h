//===- GemmTable.h - Tuned GEMM algorithms --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_GEMMTABLE_H
#define DYN_RUNTIME_DEVICES_CUDA_GEMMTABLE_H

#include "Status.h"

#include "dyn/cublas_lt.h"

#include <array>
#include <map>
#include <string>

namespace dyn::rt {

/// The problem: all inputs to the choice of an algorithm. Numbers, so that
/// tables are readable; those of types and activations are artifact.h's.
struct GemmKey {
  enum Field {
    Batch,
    Rows,
    Columns,
    Depth,
    FactorType,
    ResultType,
    Activation,
    HasBias,
    HasAddend,
    LeftTransposed,
    RightTransposed,
    Alignment, ///< bytes, the minimum over the buffers; at most 256
    NumFields
  };
  std::array<int64_t, NumFields> fields = {};

  int64_t operator[](Field field) const { return fields[field]; }
  int64_t &operator[](Field field) { return fields[field]; }
  bool operator<(const GemmKey &other) const { return fields < other.fields; }
};

/// The algorithm that was found for a problem.
struct TunedGemm {
  dyn_cublas_algorithm_t algorithm;
  uint64_t time; ///< nanoseconds, when it was tuned
};

/// The algorithms of problems, for one version of a library on one device.
class GemmTable {
public:
  GemmTable(uint64_t library, const char *device)
      : library(library), device(device) {}

  /// Adds the problems of a file. NOT_FOUND, BAD_ARTIFACT if it is damaged,
  /// UNSUPPORTED if it is of another library or device; on failure the table is
  /// unchanged.
  dyn_status_t read(const char *path);
  dyn_status_t write(const char *path) const;

  const TunedGemm *find(const GemmKey &key) const {
    auto it = gemms.find(key);
    return it == gemms.end() ? nullptr : &it->second;
  }
  void add(const GemmKey &key, const TunedGemm &gemm) { gemms[key] = gemm; }
  size_t size() const { return gemms.size(); }

private:
  using Gemms = std::map<GemmKey, TunedGemm>;
  dyn_status_t parse(const char *path, const std::string &text,
                     Gemms &out) const;

  uint64_t library;
  std::string device;
  Gemms gemms;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_GEMMTABLE_H
