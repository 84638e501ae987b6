//===- Random.cpp - Random numbers from a counter -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace dyn;

// The map from element to number is part of the description of `dhlo.rng`.

using Words = std::array<uint32_t, 4>;

/// Philox4x32 with ten rounds (Salmon et al., "Parallel random numbers: as easy
/// as 1, 2, 3", 2011).
static Words philox(Words counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round != 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key0, uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key1,
               uint32_t(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

namespace {
/// The numbers of one operation.
class Generator {
public:
  Generator(uint64_t seed, uint64_t stream) : seed(seed), stream(stream) {}

  Words getBlock(uint64_t index) const {
    return philox({uint32_t(index), uint32_t(index >> 32), uint32_t(stream),
                   uint32_t(stream >> 32)},
                  uint32_t(seed), uint32_t(seed >> 32));
  }

  /// A float in [0, 1) for element i.
  float getUniform(int64_t i) const { return toUnit(getBlock(i / 4)[i % 4]); }

  /// A double in [0, 1) for element i.
  double getUniform64(int64_t i) const {
    Words words = getBlock(i / 2);
    uint64_t bits = uint64_t(words[i % 2 * 2 + 1]) << 32 | words[i % 2 * 2];
    return double(bits >> 11) * 0x1p-53;
  }

  /// A double from the standard normal distribution for element i.
  double getNormal(int64_t i) const {
    Words words = getBlock(i / 4);
    uint32_t first = words[i % 4 / 2 * 2], second = words[i % 4 / 2 * 2 + 1];
    // In (0, 1], so that its logarithm is finite.
    double u = (double(first >> 8) + 1) * 0x1p-24;
    double radius = std::sqrt(-2 * std::log(u));
    double angle = 2 * M_PI * double(toUnit(second));
    return radius * (i % 2 ? std::sin(angle) : std::cos(angle));
  }

private:
  static float toUnit(uint32_t word) { return float(word >> 8) * 0x1p-24f; }

  uint64_t seed, stream;
};
} // namespace

template <> LogicalResult dyn::evaluate(dhlo::RngOp op, Evaluator &state) {
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  Generator generator(op.getSeed() ? uint64_t(*op.getSeed())
                                   : state.getOptions().seed,
                      op.getStream());
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  // The type of the program decides, not that of this run, so that an
  // evaluation in f64 has the same numbers.
  bool isDouble = cast<RankedTensorType>(op.getType()).getElementType().isF64();
  auto get = [&](int64_t i) -> double {
    if (op.getKind() == dhlo::RngKind::Normal) {
      double normal = generator.getNormal(i);
      return isDouble ? std::fma(normal, high, low)
                      : std::fma(float(normal), float(high), float(low));
    }
    if (isDouble) {
      double value = std::fma(generator.getUniform64(i), high - low, low);
      return value < high ? value : low;
    }
    float value =
        std::fma(generator.getUniform(i), float(high) - float(low), float(low));
    return value < float(high) ? value : float(low);
  };
  dispatchFloat(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (size_t i = 0; i != out.size(); ++i)
      out[i] = T(ComputeType<T>(get(i)));
  });
  return state.set(op, op.getResult(), *result);
}
