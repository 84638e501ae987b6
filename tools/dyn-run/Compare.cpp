//===- Compare.cpp - Compares outputs with expected ones ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace dyn::run;

namespace {
/// The element with the largest error, as a multiple of max|b|.
struct Worst {
  int64_t index = -1;
  double error = -1;
  int64_t wrong = 0; ///< elements that are not close
};
} // namespace

static double largestFinite(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    if (double value = std::fabs(tensor.value(i)); std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

/// The smallest tolerance at which `a` is close to `b`.
static double errorOf(double a, double b, double largest) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  if (!std::isfinite(a) || !std::isfinite(b))
    return INFINITY;
  // Computed in a wider range, so that neither the difference nor the sum is
  // infinite.
  long double scale = std::fabs((long double)b) + largest;
  return scale > 0 ? double(std::fabs((long double)a - b) / scale) : INFINITY;
}

static Worst findWorst(const Tensor &found, const Tensor &expected,
                       double tolerance) {
  Worst worst;
  bool exact = !expected.isFloat();
  double largest = exact ? 0 : largestFinite(expected);
  for (int64_t i = 0, e = expected.numElements(); i < e; ++i) {
    double error;
    if (!exact) {
      error = errorOf(found.value(i), expected.value(i), largest);
    } else {
      // Not compared as doubles: an i64 has more digits.
      size_t size = dyn_dtype_size(expected.dtype());
      bool equal = std::equal(found.data() + i * int64_t(size),
                              found.data() + (i + 1) * int64_t(size),
                              expected.data() + i * int64_t(size));
      error = equal ? 0 : INFINITY;
    }
    if (!(error <= (exact ? 0 : tolerance)))
      ++worst.wrong;
    if (error > worst.error) {
      worst.error = error;
      worst.index = i;
    }
  }
  return worst;
}

/// Compares one pair of tensors and prints a line.
static bool compareOne(const Tensor &found, const NamedTensor &named,
                       double tolerance, llvm::raw_ostream &os) {
  const Tensor &expected = named.tensor;
  os << named.name << ": ";
  bool sameKind = found.dtype() == expected.dtype() ||
                  (found.isFloat() && expected.isFloat());
  if (!sameKind || found.shape() != expected.shape()) {
    os << "not close: expected " << expected.type() << ", got " << found.type()
       << '\n';
    return false;
  }
  Worst worst = findWorst(found, expected, tolerance);
  if (worst.wrong == 0) {
    os << "close";
    if (expected.isFloat() && worst.index >= 0)
      os << " (worst error " << llvm::format("%.2g", worst.error) << " of "
         << llvm::format("%.2g", tolerance) << ")";
    os << '\n';
    return true;
  }
  os << "not close: " << worst.wrong << " of " << expected.numElements()
     << " elements, worst at " << expected.position(worst.index)
     << ": expected " << llvm::format("%.9g", expected.value(worst.index))
     << ", got " << llvm::format("%.9g", found.value(worst.index));
  if (std::isfinite(worst.error))
    os << " (error " << llvm::format("%.2g", worst.error) << " of "
       << llvm::format("%.2g", tolerance) << ")";
  os << '\n';
  return false;
}

bool dyn::run::compare(llvm::ArrayRef<NamedTensor> outputs,
                       llvm::ArrayRef<NamedTensor> expected, double tolerance,
                       llvm::raw_ostream &os) {
  bool allClose = true;
  for (const NamedTensor &wanted : expected) {
    auto found = llvm::find_if(outputs, [&](const NamedTensor &output) {
      return output.name == wanted.name;
    });
    if (found == outputs.end()) {
      os << wanted.name << ": not close: there is no output of this name\n";
      allClose = false;
      continue;
    }
    allClose &= compareOne(found->tensor, wanted, tolerance, os);
  }
  if (expected.empty()) {
    os << "nothing to compare with\n";
    return false;
  }
  return allClose;
}
