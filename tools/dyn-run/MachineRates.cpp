//===- MachineRates.cpp - The peak rates of this machine ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every thread repeats a short piece of work until a common deadline, so that
// all work at once, and keeps the shortest time of a piece: a disturbance
// lengthens some of them. The rate is the sum over the threads.

#include "MachineRates.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace dyn::run;
using Clock = std::chrono::steady_clock;

constexpr size_t kCachedBytes = size_t(1) << 20, kMemoryBytes = size_t(1) << 25;

double MachineRates::getSeconds(double flops, double bytes) const {
  double rate = bytes <= double(kCachedBytes) ? cached : memory;
  return std::max(flops / this->flops, bytes / rate);
}

/// Units of work per second of all threads. `makePiece(thread)` returns a
/// function that does `units` of work.
template <typename MakePiece>
static double measure(unsigned threads, std::chrono::milliseconds duration,
                      double units, MakePiece makePiece) {
  std::vector<double> rates(threads);
  std::atomic<unsigned> missing = threads;
  auto work = [&](unsigned thread) {
    auto piece = makePiece(thread);
    // One piece unmeasured: pages are mapped and clocks settle.
    piece();
    --missing;
    while (missing != 0)
      std::this_thread::yield();
    std::chrono::duration<double> least = std::chrono::hours(1);
    Clock::time_point end = Clock::now() + duration;
    for (Clock::time_point begin = Clock::now(), now; begin < end;
         begin = now) {
      piece();
      now = Clock::now();
      least = std::min<std::chrono::duration<double>>(least, now - begin);
    }
    rates[thread] = units / least.count();
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  double sum = rates[0];
  for (unsigned thread = 1; thread < threads; ++thread) {
    others[thread - 1].join();
    sum += rates[thread];
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Twelve chains: two units with a latency of four cycles need eight, and
// sixteen registers hold twelve. A factor below 1 avoids overflow; the
// assembler statements keep unused results alive.
constexpr int kChains = 12, kRounds = 4096;

[[gnu::target("avx512f")]] static void runAvx512() {
  __m512 sums[kChains], factor = _mm512_set1_ps(0.5f);
  for (__m512 &sum : sums)
    sum = factor;
  for (int round = 0; round < kRounds; ++round)
    for (__m512 &sum : sums) {
      sum = _mm512_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+v"(sum));
    }
}

[[gnu::target("avx2,fma")]] static void runAvx2() {
  __m256 sums[kChains], factor = _mm256_set1_ps(0.5f);
  for (__m256 &sum : sums)
    sum = factor;
  for (int round = 0; round < kRounds; ++round)
    for (__m256 &sum : sums) {
      sum = _mm256_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+x"(sum));
    }
}

static void runSse() {
  __m128 sums[kChains], factor = _mm_set1_ps(0.5f);
  for (__m128 &sum : sums)
    sum = factor;
  for (int round = 0; round < kRounds; ++round)
    for (__m128 &sum : sums) {
      sum = _mm_add_ps(_mm_mul_ps(sum, factor), factor);
      asm volatile("" : "+x"(sum));
    }
}

static double measureFlops(unsigned threads) {
  void (*run)() = runSse;
  int lanes = 4;
  if (__builtin_cpu_supports("avx512f")) {
    run = runAvx512;
    lanes = 16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    run = runAvx2;
    lanes = 8;
  }
  return measure(threads, std::chrono::milliseconds(8),
                 2.0 * lanes * kChains * kRounds,
                 [&](unsigned) { return run; });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Bytes per second, read and written, of a copy that moves `bytes`.
static double measureCopy(unsigned threads, size_t bytes,
                          std::chrono::milliseconds duration) {
  size_t part = std::max<size_t>(bytes / 2 / threads, 64);
  return measure(threads, duration, 2.0 * double(part), [&](unsigned) {
    std::shared_ptr<char[]> from(new char[part]), to(new char[part]);
    std::memset(from.get(), 1, part);
    return [=] {
      std::memcpy(to.get(), from.get(), part);
      asm volatile("" : : "r"(to.get()) : "memory");
    };
  });
}

MachineRates dyn::run::measureMachine(unsigned threads) {
  threads = std::max(threads, 1u);
  MachineRates rates;
  rates.flops = measureFlops(threads);
  rates.cached =
      measureCopy(threads, kCachedBytes, std::chrono::milliseconds(5));
  rates.memory =
      measureCopy(threads, kMemoryBytes, std::chrono::milliseconds(15));
  return rates;
}
