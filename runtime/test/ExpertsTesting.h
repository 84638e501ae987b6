//===- ExpertsTesting.h - Tests of limits for constants -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_EXPERTSTESTING_H
#define DYN_RUNTIME_TEST_EXPERTSTESTING_H

#include "Testing.h"

#include <filesystem>

namespace dyn::test {

/// Of artifacts/experts.c: paths, the bytes of each, and those of the constant
/// before them.
constexpr int64_t kPaths = 64, kPathBytes = 256 * 1024, kBefore = 128 * 1024;

/// The artifact whose constants have 16 MiB, in a folder of its own.
class ExpertsTest : public ::testing::Test {
protected:
  ExpertsTest() {
    char name[] = "/tmp/dyn-residency-XXXXXX";
    folder = ::mkdtemp(name);
    for (const char *file : {"experts.so", "experts.weights"})
      std::filesystem::copy_file(artifactPath(file), folder / file);
    artifact = load(folder / "experts.so");
  }
  ~ExpertsTest() override {
    ::unsetenv("DYN_MEMORY_LIMIT");
    std::filesystem::remove_all(folder);
  }

  dyn_memory_stats_t stats() {
    dyn_memory_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    EXPECT_EQ(dyn_context_memory_stats(context.get(), &stats), DYN_STATUS_OK);
    return stats;
  }
  /// The offsets of a router that gives a row to each of these paths.
  static Value rowsOf(const std::vector<int64_t> &paths) {
    std::vector<int64_t> offsets(kPaths + 1);
    for (int64_t path : paths)
      offsets[size_t(path) + 1] = 1;
    for (size_t i = 0; i < kPaths; ++i)
      offsets[i + 1] += offsets[i];
    return Value::of(offsets);
  }

  std::filesystem::path folder;
  Artifact artifact;
  Context context;
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_EXPERTSTESTING_H
