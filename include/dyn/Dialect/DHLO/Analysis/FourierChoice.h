//===- FourierChoice.h - Algorithms of Fourier transforms -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_ANALYSIS_FOURIERCHOICE_H
#define DYN_DIALECT_DHLO_ANALYSIS_FOURIERCHOICE_H

#include <cstdint>

namespace dyn {

/// The largest prime factor of a number of elements whose terms are summed one
/// by one. A number with a larger one is transformed by a convolution: three
/// transforms of twice to four times the length take less time. A pass asks for
/// a known number (dhlo-expand-fourier), and a kernel for one that calls know.
inline constexpr int64_t kMostSummedPrime = 127;

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_FOURIERCHOICE_H
