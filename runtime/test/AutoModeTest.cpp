//===- AutoModeTest.cpp - For which sizes there are static variants -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoMode.h"
#include "Artifact.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace dyn::rt;

namespace {

constexpr uint64_t kMs = 1000000;

class AutoModeTest : public ::testing::Test {
protected:
  AutoModeTest() {
    dyn_artifact_t *loaded = nullptr;
    EXPECT_EQ(dyn_artifact_load(DYN_TEST_ARTIFACTS "/zoo.so", nullptr, &loaded),
              DYN_STATUS_OK);
    artifact = Ref<dyn_artifact>::adopt(loaded);
    EXPECT_EQ(dyn_artifact_find_entry(loaded, "gather", &entry), DYN_STATUS_OK);
    mode = std::make_unique<AutoMode>(artifact->entries(), /*hotMs=*/10);
  }
  /// Calls with n indices, each of so many nanoseconds. A variant that is
  /// measured takes `ratio` of that.
  void call(int64_t n, int times, uint64_t nanoseconds, double ratio = 1) {
    for (int i = 0; i < times; ++i) {
      dyn_tensor_t input = {nullptr, &n, DYN_I64, 1, DYN_DEVICE_CPU, 0};
      uint64_t number = mode->beginCall(entry, &input, 1);
      bool isStatic = variant && n == size && !mode->skips(variant);
      mode->choose(!isStatic);
      time += nanoseconds;
      // Noise of 10 %, the same for both.
      double noise = 0.95 + 0.1 * double(random() % 1000) / 1000;
      mode->endCall(
          number, isStatic ? variant : 0,
          uint64_t(double(nanoseconds) * noise * (isStatic ? ratio : 1)));
    }
  }
  std::vector<AutoMode::Decision> decide(bool memoryIsShort = false) {
    return mode->decide(time, memoryIsShort, /*isCompiling=*/false);
  }
  /// Makes a size hot and expects that it is compiled for, as a variant.
  void compile(int64_t n) {
    call(n, 200, kMs);
    std::vector<AutoMode::Decision> decisions = decide();
    ASSERT_EQ(decisions.size(), 1u);
    ASSERT_EQ(decisions[0].kind, AutoMode::Decision::Compile);
    ASSERT_EQ(decisions[0].request.dims,
              std::vector<std::string>{"n=" + std::to_string(n)});
    mode->finishCompilation(decisions[0].request.sizes, ++variant, "", time,
                            kMs);
    size = n;
  }
  void expectOne(AutoMode::Decision::Kind kind, const std::string &reason,
                 bool memoryIsShort = false) {
    std::vector<AutoMode::Decision> decisions = decide(memoryIsShort);
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_EQ(decisions[0].kind, kind);
    EXPECT_EQ(decisions[0].variant, variant);
    EXPECT_NE(decisions[0].reason.find(reason), std::string::npos)
        << decisions[0].reason;
  }
  std::string report() {
    char *text = nullptr;
    size_t length = 0;
    std::FILE *file = ::open_memstream(&text, &length);
    mode->writeReport(file);
    std::fclose(file);
    std::string result(text, length);
    std::free(text);
    return result;
  }
  void expectReport(const std::string &part) {
    EXPECT_NE(report().find(part), std::string::npos) << report();
  }

  Ref<dyn_artifact> artifact;
  uint32_t entry = 0, variant = 0;
  int64_t size = 0;
  uint64_t time = 1;
  std::minstd_rand random{7};
  std::unique_ptr<AutoMode> mode;
};

TEST_F(AutoModeTest, SizesThatNeverRepeatAreNotHot) {
  for (int64_t n = 0; n < 20000; ++n) {
    call(n, 1, 100 * kMs);
    if (n % 100 == 0) {
      EXPECT_TRUE(decide().empty());
    }
  }
  EXPECT_EQ(report(), "{\"why\":\"all sizes run dynamic: none is hot\","
                      "\"hot_ms\":10,\"sizes\":[]}");
}

TEST_F(AutoModeTest, RareSizesAreNotHot) {
  for (int64_t n = 0; n < 20000; ++n)
    call(n % 30 ? 1000 + n : 7, 1, 100 * kMs);
  EXPECT_TRUE(decide().empty());
}

TEST_F(AutoModeTest, SizesOfLittleTimeAreNotHot) {
  call(7, 1000, 1000);
  EXPECT_TRUE(decide().empty());
  call(7, 10000, 1000);
  EXPECT_EQ(decide().size(), 1u);
  expectReport("\"state\":\"compiling\"");
}

TEST_F(AutoModeTest, AHotSizeAmongManyIsFound) {
  for (int64_t n = 0; n < 2000; ++n)
    call(n % 4 ? 1000 + n : 7, 1, kMs);
  std::vector<AutoMode::Decision> decisions = decide();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].request.dims, std::vector<std::string>{"n=7"});
  EXPECT_EQ(decisions[0].reason.find("n=7: 2"), 0u) << decisions[0].reason;
}

TEST_F(AutoModeTest, AFasterVariantIsKept) {
  compile(7);
  call(7, 40, kMs, 0.9);
  EXPECT_TRUE(decide().empty());
  expectReport("\"why\":\"all sizes run dynamic so far: a static variant is "
               "being tried\"");
  call(7, 80, kMs, 0.9);
  expectOne(AutoMode::Decision::Keep, "), faster in 4");
  expectReport("\"state\":\"kept\"");
  expectReport("some sizes have static variants, which are faster");
}

TEST_F(AutoModeTest, OneThatIsNotFasterIsDropped) {
  compile(7);
  call(7, 120, kMs);
  expectOne(AutoMode::Decision::Drop, "not faster: ");
  expectReport("\"state\":\"rejected\"");
  expectReport("all sizes run dynamic: no static variant was faster");
  // It is not compiled again.
  variant = 0;
  call(7, 20000, kMs);
  EXPECT_TRUE(decide().empty());
}

TEST_F(AutoModeTest, NoisePassesSeldom) {
  int kept = 0;
  for (int i = 0; i < 300; ++i) {
    Trial trial;
    while (!trial.isComplete())
      trial.add(trial.takeTurn(), kMs + random() % kMs);
    kept += trial.wins();
  }
  EXPECT_LE(kept, 2);
}

TEST_F(AutoModeTest, ASizeThatLeavesLosesItsVariant) {
  compile(7);
  call(7, 120, kMs, 0.5);
  expectOne(AutoMode::Decision::Keep, "faster");
  for (int64_t n = 0; n < 30000; ++n)
    call(1000 + n, 1, kMs);
  expectOne(AutoMode::Decision::Drop, "the size has left");
  EXPECT_EQ(report().find("kept"), std::string::npos);
}

TEST_F(AutoModeTest, ShortMemory) {
  compile(7);
  call(7, 120, kMs, 0.5);
  expectOne(AutoMode::Decision::Keep, "faster");
  expectOne(AutoMode::Decision::Drop, "memory is short", true);
  call(7, 1000, kMs);
  EXPECT_TRUE(decide(true).empty());
}

TEST_F(AutoModeTest, AFailedCompilationIsNotRepeated) {
  call(7, 200, kMs);
  std::vector<AutoMode::Decision> decisions = decide();
  ASSERT_EQ(decisions.size(), 1u);
  mode->finishCompilation(decisions[0].request.sizes, 0, "no disk", time, kMs);
  expectReport("\"why\":\"the compilation failed: no disk\"");
  expectReport("all sizes run dynamic: no static variant could be compiled");
  call(7, 20000, kMs);
  EXPECT_TRUE(decide().empty());
}

TEST_F(AutoModeTest, CompilationsAreSpacedOut) {
  // Two sizes, of which none is faster: a twentieth of the time compiles.
  compile(7);
  call(7, 90, kMs / 100);
  expectOne(AutoMode::Decision::Drop, "not faster");
  variant = 0;
  uint64_t begin = time;
  mode->finishCompilation(0, 0, "", time, 100 * kMs);
  while (decide().empty())
    call(9, 10, kMs);
  EXPECT_GE(time - begin, 2000 * kMs);
}

TEST_F(AutoModeTest, TheHostHasItsSay) {
  compile(7);
  mode->forget(variant);
  expectReport("\"why\":\"the host dropped the variant\"");
  call(9, 2000, kMs);
  std::vector<AutoMode::Decision> decisions = decide();
  ASSERT_EQ(decisions.size(), 1u);
  mode->cancelCompilation(decisions[0].request.sizes);
  call(9, 200, kMs);
  EXPECT_EQ(decide().size(), 1u);
}

} // namespace
