//===- EmulatorTest.cpp - Kernels with and without faults -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include "gtest/gtest.h"

#include <array>
#include <numeric>

using namespace dyn::emu;

namespace {

//===----------------------------------------------------------------------===//
// Kernels, as the compiler would write them
//===----------------------------------------------------------------------===//

/// The parameters of every kernel here.
struct Params {
  uint32_t *in;
  uint32_t *out;
  uint32_t count;
};

struct Self {
  dyn_emu_thread_t *t;

  uint32_t thread() const { return t->tid[0]; }
  uint32_t global() const { return t->ctaid[0] * t->ntid[0] + t->tid[0]; }
  uint32_t *shared() const { return static_cast<uint32_t *>(t->shared); }
  template <typename T> T load(uint32_t site, const T *at) const {
    t->ops->access(t, site, at, sizeof(T), DYN_EMU_LOAD);
    return *at;
  }
  template <typename T> void store(uint32_t site, T value, T *at) const {
    t->ops->access(t, site, at, sizeof(T), DYN_EMU_STORE);
    *at = value;
  }
  void add(uint32_t site, uint32_t value, uint32_t *at) const {
    t->ops->access(t, site, at, sizeof *at, DYN_EMU_ATOMIC);
    *at += value;
  }
  void barrier(uint32_t site) const { t->ops->barrier(t, site); }
  uint32_t shuffle(uint32_t site, uint32_t mode, uint32_t value, uint32_t lane,
                   uint32_t clamp = 31, uint32_t mask = ~0u) const {
    return t->ops->shuffle(t, site, mode, mask, value, lane, clamp);
  }
  /// The results of one matrix or of four.
  std::array<uint32_t, 4> loadMatrices(uint32_t site, const void *row,
                                       uint32_t count,
                                       bool transposes = false) const {
    std::array<uint32_t, 4> results = {};
    t->ops->load_matrices(t, site, row, count, transposes, results.data());
    return results;
  }
  /// A copy of a word, or of as many of its bytes as are valid.
  void copy(uint32_t site, uint32_t *to, const uint32_t *from,
            uint32_t valid = 4) const {
    t->ops->copy(t, site, to, from, 4, valid);
  }
  void commit() const { t->ops->commit(t, 3); }
  void wait(uint32_t pending) const { t->ops->wait(t, 3, pending); }
};

const dyn_emu_site_t kSites[] = {
    {"first", "/a"}, {"second", "/b"}, {"third", "/c"}, {"fourth", "/d"}};

/// The kernel of a function of (Params, Self) without captures.
template <typename Fn> dyn_emu_kernel_t makeKernel(Fn, uint32_t shared = 0) {
  dyn_emu_fn entry = [](const void *params, dyn_emu_thread_t *thread) {
    auto *fn = static_cast<Fn *>(nullptr);
    (*fn)(*static_cast<const Params *>(params), Self{thread});
  };
  return {"kernel", entry, sizeof(Params), shared, 4, 0, kSites};
}

class EmulatorTest : public testing::Test {
protected:
  /// `count` words: 0, 1, 2, ...
  uint32_t *makeInput(uint32_t count) {
    auto *words = static_cast<uint32_t *>(device.allocate(4 * count));
    std::iota(words, words + count, 0);
    device.markWritten(words, 4 * count);
    return words;
  }
  uint32_t *makeOutput(uint32_t count) {
    return static_cast<uint32_t *>(device.allocate(4 * count));
  }
  template <typename Fn>
  bool run(Fn fn, uint32_t blocks, uint32_t threads, const Params &params,
           uint32_t shared = 0) {
    return device.launch(makeKernel(fn, shared), blocks, threads, &params);
  }
  /// Expects exactly one report, of this fault at this site.
  void expectFault(Fault fault, const char *op) {
    ASSERT_EQ(device.getReports().size(), 1u);
    EXPECT_EQ(device.getReports()[0].fault, fault)
        << device.getReports()[0].describe();
    EXPECT_EQ(device.getReports()[0].op, op);
  }

  Device device;
};

//===----------------------------------------------------------------------===//
// Without faults
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTest, BlocksCoverTheGrid) {
  Params params = {makeInput(1000), makeOutput(1000), 1000};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.global();
        if (i < p.count)
          self.store(1, self.load(0, p.in + i) + 1, p.out + i);
      },
      4, 256, params));
  EXPECT_TRUE(device.getReports().empty());
  for (uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(params.out[i], i + 1);
}

/// Each warp's sum by a butterfly, all of them through shared memory.
void sumBlock(const Params &p, Self self, bool hasBarrier) {
  uint32_t sum = self.load(0, p.in + self.thread());
  for (uint32_t distance = 16; distance > 0; distance /= 2)
    sum += self.shuffle(1, DYN_EMU_SHUFFLE_BFLY, sum, distance);
  if (self.thread() % 32 == 0)
    self.store(2, sum, self.shared() + self.thread() / 32);
  if (hasBarrier)
    self.barrier(3);
  if (self.thread() > 0)
    return;
  uint32_t total = 0;
  for (uint32_t warp = 0; warp < 8; ++warp)
    total += self.load(3, self.shared() + warp);
  self.store(3, total, p.out);
}

TEST_F(EmulatorTest, AThousandThreadsMeetAtBarriers) {
  Params params = {makeInput(1024), makeOutput(1024), 1024};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        for (int step = 0; step < 8; ++step) {
          self.store(0, i + step, self.shared() + i);
          self.barrier(1);
          uint32_t next = self.load(2, self.shared() + (i + 1) % p.count);
          self.barrier(3);
          if (step == 7)
            self.store(2, next, p.out + i);
        }
      },
      2, 1024, params, 4096));
  // Two blocks wrote the same address.
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(params.out[0], 8u);
}

TEST_F(EmulatorTest, WarpsAndSharedMemoryReduce) {
  Params params = {makeInput(256), makeOutput(1), 256};
  EXPECT_TRUE(run([](const Params &p, Self s) { sumBlock(p, s, true); }, 1, 256,
                  params, 32));
  EXPECT_TRUE(device.getReports().empty());
  EXPECT_EQ(params.out[0], 255u * 128);
}

TEST_F(EmulatorTest, ShufflesAreThoseOfPtx) {
  Params params = {nullptr, makeOutput(6 * 32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t lane = self.thread(), *out = p.out + lane;
        auto ask = [&](uint32_t mode, uint32_t b, uint32_t clamp) {
          self.store(1, self.shuffle(0, mode, lane, b, clamp), out);
          out += 32;
        };
        ask(DYN_EMU_SHUFFLE_IDX, 5, 31);
        ask(DYN_EMU_SHUFFLE_UP, 1, 0);
        ask(DYN_EMU_SHUFFLE_DOWN, 1, 31);
        ask(DYN_EMU_SHUFFLE_BFLY, 3, 31);
        // Segments of 8 lanes.
        ask(DYN_EMU_SHUFFLE_IDX, 5, 24 << 8 | 31);
        ask(DYN_EMU_SHUFFLE_DOWN, 1, 24 << 8 | 31);
      },
      1, 32, params));
  EXPECT_TRUE(device.getReports().empty());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(params.out[lane], 5u);
    EXPECT_EQ(params.out[32 + lane], lane == 0 ? 0 : lane - 1);
    EXPECT_EQ(params.out[64 + lane], lane == 31 ? 31 : lane + 1);
    EXPECT_EQ(params.out[96 + lane], lane ^ 3);
    EXPECT_EQ(params.out[128 + lane], lane / 8 * 8 + 5);
    EXPECT_EQ(params.out[160 + lane], lane % 8 == 7 ? lane : lane + 1);
  }
}

TEST_F(EmulatorTest, MatricesAreThoseOfPtx) {
  constexpr uint32_t kWords = 8 * 4; // of a matrix: rows of eight halves
  device.countAccesses();
  for (uint32_t count : {1, 2, 4}) {
    // 16-bit numbers, one after the other.
    Params params = {nullptr, makeOutput(32 * 8), count};
    EXPECT_TRUE(run(
        [](const Params &p, Self self) {
          uint32_t lane = self.thread();
          for (uint32_t i = lane; i < kWords * p.count; i += 32)
            self.store(0, 2 * i | (2 * i + 1) << 16, self.shared() + i);
          self.barrier(1);
          // Only the first lanes have an address.
          uint32_t *row =
              lane < 8 * p.count ? self.shared() + 4 * lane : nullptr;
          std::array<uint32_t, 4> plain = self.loadMatrices(2, row, p.count),
                                  turned =
                                      self.loadMatrices(2, row, p.count, true);
          for (uint32_t i = 0; i < p.count; ++i) {
            self.store(3, plain[i], p.out + lane * 8 + i);
            self.store(3, turned[i], p.out + lane * 8 + 4 + i);
          }
        },
        1, 32, params, 4 * kWords * count));
    EXPECT_TRUE(device.getReports().empty());
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t first = 64 * i, g = lane / 4, t = 2 * (lane % 4);
        uint32_t at = first + 8 * g + t, turned = first + 8 * t + g;
        EXPECT_EQ(params.out[lane * 8 + i], at | (at + 1) << 16);
        EXPECT_EQ(params.out[lane * 8 + 4 + i], turned | (turned + 8) << 16);
      }
    // Eight consecutive rows lie in 32 banks.
    for (const AccessCount &counted : device.getCounts())
      if (counted.op == "third") {
        EXPECT_EQ(counted.accesses, 2u);
        EXPECT_EQ(counted.units, 2 * count);
        EXPECT_EQ(counted.least, 2 * count);
      }
  }
}

TEST_F(EmulatorTest, RowsOfMatricesInFewBanks) {
  device.countAccesses();
  Params params = {nullptr, nullptr, 0};
  EXPECT_TRUE(run(
      [](const Params &, Self self) {
        for (uint32_t i = 0; i < 32; ++i)
          self.store(0, i, self.shared() + 32 * i + self.thread());
        self.barrier(1);
        // Rows are 32 banks apart.
        self.loadMatrices(2, self.shared() + 32 * self.thread(), 4);
      },
      1, 32, params, 4 << 10));
  EXPECT_EQ(device.getCounts().back().op, "third");
  EXPECT_EQ(device.getCounts().back().units, 32u);
  EXPECT_EQ(device.getCounts().back().least, 4u);
}

TEST_F(EmulatorTest, CopiesComeAtTheWait) {
  constexpr uint32_t kSteps = 10;
  device.countAccesses();
  Params params = {makeInput(64 * kSteps), makeOutput(64), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t *stages = self.shared(), sum = 0, i = self.thread();
        // The source of odd steps is empty: zeros, and no access.
        auto copy = [&](uint32_t step) {
          bool hasSource = step % 2 == 0;
          self.copy(0, stages + step % 3 * 64 + i,
                    hasSource ? p.in + step * 64 + i : nullptr,
                    hasSource ? 4 : 0);
        };
        for (uint32_t step = 0; step < 2; ++step) {
          copy(step);
          self.commit();
        }
        for (uint32_t step = 0; step < kSteps; ++step) {
          self.wait(1);
          self.barrier(1);
          if (step + 2 < kSteps)
            copy(step + 2);
          self.commit();
          sum += self.load(2, stages + step % 3 * 64 + 63 - i);
        }
        self.store(3, sum, p.out + i);
      },
      1, 64, params, 3 * 64 * 4));
  EXPECT_TRUE(device.getReports().empty());
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(params.out[i], 5 * (63 - i) + 64 * (0 + 2 + 4 + 6 + 8));
  for (const AccessCount &count : device.getCounts())
    if (count.op == "first") {
      EXPECT_EQ(count.accesses, 2 * (count.isShared ? kSteps : kSteps / 2));
      EXPECT_EQ(count.units, count.least);
    }
}

//===----------------------------------------------------------------------===//
// Several streams
//===----------------------------------------------------------------------===//

/// Work of streams on one word.
class StreamsTest : public EmulatorTest {
protected:
  enum Access { Read, Write, Add };
  /// Work of a stream that is ordered after `known`.
  void work(const int &stream, Access access, const StreamClock &known = {}) {
    device.beginWork(&stream, known);
    if (access == Read)
      run([](const Params &p, Self self) { self.load(0, p.in); }, 1, 1, params);
    if (access == Write)
      run([](const Params &p, Self self) { self.store(1, 1u, p.in); }, 1, 1,
          params);
    if (access == Add)
      run(
          [](const Params &p, Self self) {
            self.t->ops->access(self.t, 2, p.in, 4, DYN_EMU_ATOMIC);
          },
          1, 1, params);
    device.endWork();
  }
  StreamClock behind(const int &stream) {
    StreamClock clock;
    device.addWork(clock, &stream);
    return clock;
  }
  void expectRace(const char *op) {
    expectFault(Fault::Race, op);
    ASSERT_EQ(device.getReports().size(), 1u);
    EXPECT_EQ(device.getReports()[0].detail,
              "4 bytes at 0, with 'kernel' of another stream, which no event "
              "orders");
    device.clearReports();
  }

  Params params = {makeInput(1), nullptr, 1};
  int first = 0, second = 0;
};

TEST_F(StreamsTest, NothingOrdersThem) {
  work(first, Write);
  work(second, Read);
  expectRace("first");
  work(second, Write);
  expectRace("second");
  // The last reader counts, though it is ordered after the write before.
  work(first, Read, behind(second));
  work(second, Write);
  expectRace("second");
}

TEST_F(StreamsTest, AnEventOrdersThem) {
  work(first, Write);
  StreamClock clock = behind(first);
  work(second, Read, clock);
  EXPECT_TRUE(device.getReports().empty());
  // Work behind the event is not before its wait.
  work(first, Write, behind(second));
  work(second, Read, clock);
  expectRace("first");
}

TEST_F(StreamsTest, TheHostOrdersThem) {
  work(first, Write);
  device.forgetWork(behind(first));
  work(second, Write);
  EXPECT_TRUE(device.getReports().empty());
}

TEST_F(StreamsTest, ReadersAndAtomicsAreNoRace) {
  work(first, Read);
  work(second, Read);
  device.forgetWork(behind(first));
  work(first, Add, behind(second));
  work(second, Add);
  EXPECT_TRUE(device.getReports().empty());
  work(first, Read);
  expectRace("first");
}

TEST_F(StreamsTest, CopiesAreWork) {
  uint32_t word = 0;
  device.beginWork(&first, {});
  device.write(params.in, &word, 4);
  device.endWork();
  work(second, Read);
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(device.getReports()[0].detail,
            "4 bytes at 0, with 'copy to the device' of another stream, which "
            "no event orders");
  device.clearReports();
  device.beginWork(&first, {});
  device.read(&word, params.in, 4);
  device.endWork();
  EXPECT_TRUE(device.getReports().empty());
  work(second, Write);
  ASSERT_EQ(device.getReports().size(), 1u);
  device.clearReports();
  auto *other = static_cast<uint32_t *>(device.allocate(4));
  device.beginWork(&first, {});
  device.copy(other, device, params.in, 4);
  device.endWork();
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(device.getReports()[0].describe(),
            "race in kernel 'copy on the device': 4 bytes, with 'kernel' of "
            "another stream, which no event orders");
}

TEST_F(EmulatorTest, CopiesEndWithTheBlock) {
  Params params = {makeInput(32), makeOutput(1), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        self.copy(0, self.shared() + self.thread(), p.in + self.thread());
      },
      1, 32, params, 4 * 32));
  // No copy is under way any more.
  EXPECT_TRUE(run([](const Params &p,
                     Self self) { self.store(0, 1u, p.in + self.thread()); },
                  1, 32, params));
  EXPECT_TRUE(device.getReports().empty());
}

TEST_F(EmulatorTest, AtomicsDoNotRace) {
  Params params = {nullptr, makeInput(1), 0};
  EXPECT_TRUE(run([](const Params &p, Self self) { self.add(0, 1, p.out); }, 8,
                  64, params));
  EXPECT_TRUE(device.getReports().empty());
  EXPECT_EQ(params.out[0], 512u);
}

TEST_F(EmulatorTest, AdjacentBytesDoNotRace) {
  Params params = {nullptr, makeOutput(16), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        auto *bytes = reinterpret_cast<uint8_t *>(p.out);
        self.store(0, uint8_t(self.thread()), bytes + self.thread());
      },
      1, 64, params));
  EXPECT_TRUE(device.getReports().empty());
}

TEST_F(EmulatorTest, MemoryIsLimitedAndComesBack) {
  Limits limits;
  limits.memoryBytes = 1024;
  Device small(limits);
  void *first = small.allocate(1000);
  ASSERT_TRUE(first);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, 0u);
  EXPECT_FALSE(small.allocate(100));
  small.release(first);
  EXPECT_TRUE(small.allocate(1024));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST_F(EmulatorTest, MissingBarrier) {
  Params params = {makeInput(256), makeOutput(1), 256};
  run([](const Params &p, Self s) { sumBlock(p, s, false); }, 1, 256, params,
      32);
  // The first thread reads words that others will write, and they write words
  // that it read.
  std::vector<Fault> faults;
  for (const Report &report : device.getReports())
    faults.push_back(report.fault);
  EXPECT_EQ(faults, (std::vector<Fault>{Fault::Uninitialized, Fault::Race}));
  EXPECT_EQ(device.getReports()[1].describe(),
            "race in kernel 'kernel' at third (/c), block 0, thread 32, with "
            "fourth (/d), thread 0: 4 bytes at 4");
}

TEST_F(EmulatorTest, StaleTile) {
  Params params = {makeInput(64), makeOutput(64), 2};
  run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        for (uint32_t step = 0; step < p.count; ++step) {
          self.store(0, i, self.shared() + i);
          self.barrier(1);
          self.store(3, self.load(2, self.shared() + (i ^ 1)), p.out + i);
          // A barrier is missing here.
        }
      },
      1, 64, params, 256);
  // The first thread overwrites the word that the second one will read.
  ASSERT_FALSE(device.getReports().empty());
  EXPECT_EQ(device.getReports()[0].fault, Fault::Race);
  EXPECT_EQ(device.getReports()[0].op, "third");
  EXPECT_EQ(device.getReports()[0].otherOp, "first");
}

TEST_F(EmulatorTest, StoreOffByOneIsNotDone) {
  Params params = {makeInput(64), makeOutput(63), 64};
  uint32_t *behind = params.out + 63;
  *behind = 12345;
  EXPECT_FALSE(run([](const Params &p,
                      Self self) { self.store(1, 7u, p.out + self.thread()); },
                   1, 64, params));
  expectFault(Fault::OutOfBounds, "second");
  EXPECT_EQ(*behind, 12345u);
  // The device still works.
  device.clearReports();
  params.out = makeOutput(64);
  EXPECT_TRUE(run([](const Params &p,
                     Self self) { self.store(1, 7u, p.out + self.thread()); },
                  1, 64, params));
  EXPECT_TRUE(device.getReports().empty());
}

TEST_F(EmulatorTest, AddressOfNothing) {
  Params params = {nullptr, nullptr, 0};
  EXPECT_FALSE(run(
      [](const Params &p, Self self) { self.load(2, p.in + self.thread()); }, 1,
      32, params));
  expectFault(Fault::OutOfBounds, "third");
}

TEST_F(EmulatorTest, FreedMemory) {
  Params params = {makeInput(64), makeOutput(64), 0};
  device.release(params.in);
  EXPECT_FALSE(run(
      [](const Params &p, Self self) { self.load(0, p.in + self.thread()); }, 1,
      32, params));
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(device.getReports()[0].fault, Fault::OutOfBounds);
}

// Addresses that are reserved have memory only where it is mapped.
TEST_F(EmulatorTest, AddressesWithoutMemory) {
  constexpr size_t kBlock = 65536;
  auto *base = static_cast<uint32_t *>(device.reserve(4 * kBlock));
  auto at = [&](size_t block) { return base + block * kBlock / 4; };
  uint64_t handle = device.create(kBlock);
  ASSERT_TRUE(device.map(at(1), kBlock, handle));
  EXPECT_FALSE(device.map(at(2), kBlock, handle)); // it is mapped
  EXPECT_EQ(device.getMapped(), kBlock);
  auto copy = [](const Params &params, Self self) {
    self.store(1, self.load(0, params.in), params.out);
  };
  const char *text = "addresses that are reserved, but not mapped";
  auto expectNoMemory = [&](size_t block) {
    EXPECT_FALSE(run(copy, 1, 1, {at(block), makeOutput(1), 1}));
    expectFault(Fault::OutOfBounds, "first");
    EXPECT_EQ(device.getReports()[0].detail, text);
    device.clearReports();
  };
  expectNoMemory(1); // not before access is permitted
  ASSERT_TRUE(device.permitAccess(at(1), kBlock));
  const uint32_t word = 7;
  ASSERT_TRUE(device.write(at(1), &word, sizeof(word)));
  EXPECT_TRUE(run(copy, 1, 1, {at(1), makeOutput(1), 1}));
  expectNoMemory(2);
  expectNoMemory(0);

  // Elsewhere, its contents are lost.
  EXPECT_FALSE(device.unreserve(base));
  ASSERT_TRUE(device.unmap(at(1), kBlock));
  expectNoMemory(1);
  ASSERT_TRUE(device.map(at(2), kBlock, handle));
  ASSERT_TRUE(device.permitAccess(at(2), kBlock));
  EXPECT_TRUE(run(copy, 1, 1, {at(2), makeOutput(1), 1}));
  expectFault(Fault::Uninitialized, "first");
  // Memory that is given back stays until it is unmapped.
  EXPECT_TRUE(device.destroy(handle));
  EXPECT_FALSE(device.destroy(handle));
  EXPECT_EQ(device.getMapped(), kBlock);
  EXPECT_TRUE(device.unmap(at(2), kBlock));
  EXPECT_EQ(device.getMapped(), 0u);
  EXPECT_FALSE(device.unmap(at(2), kBlock));
  EXPECT_TRUE(device.unreserve(base));
}

TEST_F(EmulatorTest, DroppedTail) {
  Params params = {makeInput(64), makeOutput(64), 63};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        if (i < p.count)
          self.store(1, i, p.out + i);
      },
      1, 64, params));
  Params next = {params.out, makeOutput(64), 64};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        self.store(1, self.load(0, p.in + i), p.out + i);
      },
      1, 64, next));
  expectFault(Fault::Uninitialized, "first");
  EXPECT_EQ(device.getReports()[0].thread, 63u);
}

TEST_F(EmulatorTest, SharedMemoryIsNewForEachBlock) {
  Params params = {nullptr, makeOutput(2), 0};
  run(
      [](const Params &p, Self self) {
        if (self.t->ctaid[0] == 0)
          self.store(0, 1u, self.shared());
        self.store(2, self.load(1, self.shared()), p.out + self.t->ctaid[0]);
      },
      2, 1, params, 4);
  expectFault(Fault::Uninitialized, "second");
  EXPECT_EQ(device.getReports()[0].block, 1u);
}

TEST_F(EmulatorTest, WrongShuffleLane) {
  Params params = {nullptr, makeOutput(32), 0};
  EXPECT_FALSE(run(
      [](const Params &, Self self) {
        if (self.thread() < 16)
          self.shuffle(0, DYN_EMU_SHUFFLE_IDX, 0, 20, 31, 0xffff);
      },
      1, 32, params));
  expectFault(Fault::Divergence, "first");
}

TEST_F(EmulatorTest, LanesApart) {
  Params params = {nullptr, makeOutput(32), 0};
  EXPECT_FALSE(run(
      [](const Params &, Self self) {
        self.shuffle(self.thread() % 2, DYN_EMU_SHUFFLE_BFLY, 0, 1);
      },
      1, 32, params));
  expectFault(Fault::Divergence, "first");
}

TEST_F(EmulatorTest, LaneOutsideOfItsMask) {
  Params params = {nullptr, makeOutput(32), 0};
  EXPECT_FALSE(run(
      [](const Params &, Self self) {
        self.shuffle(0, DYN_EMU_SHUFFLE_IDX, 0, 0, 31, 0xffff);
      },
      1, 32, params));
  expectFault(Fault::Divergence, "first");
}

TEST_F(EmulatorTest, BarriersInBranches) {
  Params params = {nullptr, makeOutput(64), 0};
  EXPECT_FALSE(run([](const Params &,
                      Self self) { self.barrier(self.thread() < 32 ? 0 : 1); },
                   1, 64, params));
  expectFault(Fault::BarrierMismatch, "second");
}

TEST_F(EmulatorTest, MisalignedVector) {
  Params params = {makeInput(64), nullptr, 0};
  EXPECT_FALSE(run(
      [](const Params &p, Self self) {
        using Vector = std::array<uint32_t, 4>;
        self.load(0, reinterpret_cast<const Vector *>(p.in + self.thread()));
      },
      1, 2, params));
  expectFault(Fault::Misaligned, "first");
}

TEST_F(EmulatorTest, BlocksRaceOnGlobalMemory) {
  Params params = {nullptr, makeOutput(1), 0};
  EXPECT_TRUE(run([](const Params &p, Self self) { self.store(0, 1u, p.out); },
                  2, 1, params));
  expectFault(Fault::Race, "first");
  // The next launch is ordered after them.
  device.clearReports();
  EXPECT_TRUE(run([](const Params &p, Self self) { self.store(0, 1u, p.out); },
                  1, 1, params));
  EXPECT_TRUE(device.getReports().empty());
}

TEST_F(EmulatorTest, CopyIsReadTooEarly) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        self.copy(0, self.shared() + i, p.in + i);
        self.commit();
        // The last group, which is the only one, may be under way still.
        self.wait(1);
        self.barrier(1);
        self.load(2, self.shared() + i);
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Race, "third");
  EXPECT_EQ(device.getReports()[0].otherOp, "first");
}

TEST_F(EmulatorTest, CopyOutsideOfAGroup) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        self.copy(0, self.shared() + i, p.in + i);
        self.wait(0);
        self.load(2, self.shared() + i);
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Race, "third");
}

TEST_F(EmulatorTest, CopyOfAnotherThreadWithoutABarrier) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        self.copy(0, self.shared() + i, p.in + i);
        self.commit();
        self.wait(0);
        // The lanes meet, which does not order their accesses.
        self.shuffle(1, DYN_EMU_SHUFFLE_BFLY, 0, 1);
        self.load(2, self.shared() + (i ^ 1));
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Race, "third");
}

TEST_F(EmulatorTest, SourceOfACopyIsWritten) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        uint32_t i = self.thread();
        self.copy(0, self.shared() + i, p.in + i);
        self.commit();
        // A barrier does not wait for copies.
        self.barrier(1);
        self.store(2, 0u, p.in + (i ^ 1));
        self.wait(0);
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Race, "third");
}

TEST_F(EmulatorTest, TwoCopiesToOneAddress) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        for (uint32_t step = 0; step < 2; ++step) {
          self.copy(step, self.shared() + self.thread(), p.in + step);
          self.commit();
        }
        self.wait(0);
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Race, "second");
}

TEST_F(EmulatorTest, CopyToGlobalMemory) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_FALSE(
      run([](const Params &p, Self self) { self.copy(0, p.out, p.in); }, 1, 1,
          params, 4 * 32));
  expectFault(Fault::OutOfBounds, "first");
}

TEST_F(EmulatorTest, CopyFromBehindABuffer) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_FALSE(run([](const Params &p,
                      Self self) { self.copy(0, self.shared(), p.in + 32); },
                   1, 1, params, 4 * 32));
  expectFault(Fault::OutOfBounds, "first");
}

TEST_F(EmulatorTest, MatrixAtAnOddAddress) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_FALSE(
      run([](const Params &,
             Self self) { self.loadMatrices(0, self.shared() + 2, 1); },
          1, 32, params, 4 * 32));
  expectFault(Fault::Misaligned, "first");
}

TEST_F(EmulatorTest, MatrixOfHalfAWarp) {
  Params params = {makeInput(32), makeOutput(32), 0};
  EXPECT_FALSE(run(
      [](const Params &, Self self) {
        self.store(0, 0u, self.shared() + self.thread());
        self.barrier(1);
        if (self.thread() < 16)
          self.loadMatrices(2, self.shared() + 4 * (self.thread() % 8), 1);
      },
      1, 32, params, 4 * 32));
  expectFault(Fault::Divergence, "third");
}

TEST_F(EmulatorTest, PlainAccessRacesWithAtomics) {
  Params params = {nullptr, makeInput(1), 0};
  EXPECT_TRUE(run(
      [](const Params &p, Self self) {
        if (self.thread() == 0)
          self.add(0, 1, p.out);
        else
          self.load(1, p.out);
      },
      1, 2, params));
  expectFault(Fault::Race, "second");
}

TEST_F(EmulatorTest, StackOverflow) {
  Params params = {nullptr, makeOutput(32), 0};
  EXPECT_FALSE(run(
      [](const Params &, Self self) {
        // The second thread's stack ends in a gap above the first one's.
        if (self.thread() == 0)
          return;
        constexpr size_t kBytes = Limits().stackBytes;
        auto *local = static_cast<volatile char *>(__builtin_alloca(kBytes));
        for (size_t i = 0; i < kBytes; i += 8)
          local[i] = 0;
        self.barrier(0);
      },
      1, 2, params));
  expectFault(Fault::StackOverflow, "first");
}

TEST_F(EmulatorTest, MoreThanTheDeviceHas) {
  Params params = {nullptr, makeOutput(32), 0};
  auto nothing = [](const Params &, Self) {};
  EXPECT_FALSE(run(nothing, 1, 1025, params));
  EXPECT_FALSE(run(nothing, 1, 0, params));
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(device.getReports()[0].describe(),
            "more than the device has in kernel 'kernel': 1025 threads a "
            "block, at most 1024");
  device.clearReports();
  EXPECT_FALSE(run(nothing, 1, 1, params, 1 << 20));
  ASSERT_EQ(device.getReports().size(), 1u);
}

} // namespace
