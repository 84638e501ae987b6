//===- Winograd.h - Convolutions of 3 x 3 with fewer multiplications ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// F(4x4, 3x3) of Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks" (2016). A tile of 4 x 4 results needs 6 x 6 inputs d:
//
//   Y = A^T [ (G g G^T) . (B^T d B) ] A
//
// The multiplication in the middle is elementwise, and over channels it becomes
// 36 GEMMs: 36 multiplications instead of 144 directly. G is applied to the
// filter when constants are packed; A and B are in the kernels.
//
// The matrices evaluate and interpolate polynomials at 0, infinity and four
// more points. The usual +-1, +-2 lose about four bits in f32 compared with a
// direct sum; +-3/4, +-3/2 lose two (Barabasz et al., "Error Analysis and
// Improving the Accuracy of Winograd Convolution for Deep Neural Networks",
// 2020).

#ifndef DYN_SUPPORT_WINOGRAD_H
#define DYN_SUPPORT_WINOGRAD_H

#include <cstdint>

namespace dyn::winograd {

/// Results and inputs of a tile along an axis, and elements of the filter.
inline constexpr int64_t kResults = 4, kInputs = 6, kWindow = 3;
/// The number of GEMMs.
inline constexpr int64_t kTransformed = kInputs * kInputs;

/// The points are 0, a, -a, b, -b and infinity.
inline constexpr double kA = 0.75, kB = 1.5;
inline constexpr double kA2 = kA * kA, kB2 = kB * kB;

/// G: row p holds the powers of point p over its distances to the others.
inline constexpr double kFilter[kInputs][kWindow] = {
    {1 / (kA2 * kB2), 0, 0},
    {1 / (2 * kA2 * (kA2 - kB2)), kA / (2 * kA2 * (kA2 - kB2)),
     1 / (2 * (kA2 - kB2))},
    {1 / (2 * kA2 * (kA2 - kB2)), -kA / (2 * kA2 * (kA2 - kB2)),
     1 / (2 * (kA2 - kB2))},
    {1 / (2 * kB2 * (kB2 - kA2)), kB / (2 * kB2 * (kB2 - kA2)),
     1 / (2 * (kB2 - kA2))},
    {1 / (2 * kB2 * (kB2 - kA2)), -kB / (2 * kB2 * (kB2 - kA2)),
     1 / (2 * (kB2 - kA2))},
    {0, 0, 1}};

} // namespace dyn::winograd

#endif // DYN_SUPPORT_WINOGRAD_H
