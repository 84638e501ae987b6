//===- EmulationTest.h - Tests that run kernels on the emulator -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_EMULATION_EMULATIONTEST_H
#define DYN_TEST_UNIT_EMULATION_EMULATIONTEST_H

#include "EmulatedKernel.h"

#include "gtest/gtest.h"

#include <random>

namespace dyn {

class EmulationTest : public testing::Test {
protected:
  /// A buffer of the device with random numbers of magnitude about one.
  float *makeInput(int64_t count) {
    auto *values = static_cast<float *>(device.allocate(4 * count));
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < count; ++i)
      values[i] = normal(random);
    device.markWritten(values, 4 * count);
    return values;
  }
  template <typename T> T *makeOutput(int64_t count) {
    return static_cast<T *>(device.allocate(sizeof(T) * count));
  }
  /// Runs, and expects no report.
  void run(EmulatedKernel &kernel, llvm::ArrayRef<void *> buffers,
           llvm::ArrayRef<int64_t> dims) {
    EXPECT_TRUE(kernel.run(device, buffers, dims));
    expectNoReports();
  }
  void expectNoReports() {
    for (const emu::Report &report : device.getReports())
      ADD_FAILURE() << report.describe();
    device.clearReports();
  }

  emu::Device device;
  std::mt19937 random{42};
};

} // namespace dyn

#endif // DYN_TEST_UNIT_EMULATION_EMULATIONTEST_H
