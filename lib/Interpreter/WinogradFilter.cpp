//===- WinogradFilter.cpp - Filters for Winograd's algorithm --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WinogradFilter.h"

#include "dyn/Support/Panels.h"
#include "dyn/Support/Winograd.h"

#include "llvm/Support/MathExtras.h"

using namespace dyn;
using namespace dyn::winograd;

/// out = G in, on vectors of a panel's columns.
static void multiply(const double (&in)[kWindow][kPanelWidth],
                     double (&out)[kInputs][kPanelWidth]) {
  for (int64_t i = 0; i != kInputs; ++i)
    for (int64_t n = 0; n != kPanelWidth; ++n) {
      double sum = 0;
      for (int64_t w = 0; w != kWindow; ++w)
        sum += kFilter[i][w] * in[w][n];
      out[i][n] = sum;
    }
}

void dyn::packWinogradFilter(const StridedView &filter,
                             llvm::MutableArrayRef<char> out) {
  const float *source =
      reinterpret_cast<const float *>(filter.bytes.data()) + filter.offset;
  float *target = reinterpret_cast<float *>(out.data());
  int64_t channels = filter.sizes[2], numbers = filter.sizes[3];
  int64_t panels = llvm::divideCeil(numbers, kPanelWidth);
  llvm::ArrayRef<int64_t> strides = filter.strides;
  for (int64_t panel = 0; panel != panels; ++panel)
    for (int64_t c = 0; c != channels; ++c) {
      // Columns past the last one of the filter stay zero.
      double g[kWindow][kWindow][kPanelWidth] = {};
      int64_t width = std::min(kPanelWidth, numbers - panel * kPanelWidth);
      for (int64_t n = 0; n != width; ++n)
        for (int64_t y = 0; y != kWindow; ++y)
          for (int64_t x = 0; x != kWindow; ++x)
            g[y][x][n] =
                source[y * strides[0] + x * strides[1] + c * strides[2] +
                       (panel * kPanelWidth + n) * strides[3]];
      // By rows of the window, then by columns of the result.
      double rows[kInputs][kWindow][kPanelWidth], column[kInputs][kPanelWidth];
      for (int64_t y = 0; y != kWindow; ++y) {
        multiply(g[y], column);
        for (int64_t j = 0; j != kInputs; ++j)
          std::copy_n(column[j], kPanelWidth, rows[j][y]);
      }
      for (int64_t j = 0; j != kInputs; ++j) {
        multiply(rows[j], column);
        for (int64_t i = 0; i != kInputs; ++i) {
          int64_t matrix = (i * kInputs + j) * panels + panel;
          float *row = target + (matrix * channels + c) * kPanelWidth;
          std::copy_n(column[i], kPanelWidth, row);
        }
      }
    }
  int64_t elements = kTransformed * channels * panels * kPanelWidth;
  filter.packTo(0, 3, out.drop_front(elements * sizeof(float)));
}

void dyn::packWinogradLines(const StridedView &filters, int64_t batch,
                            llvm::MutableArrayRef<char> out) {
  // The filters consecutively, in their own layout.
  llvm::ArrayRef<int64_t> sizes(filters.sizes);
  int64_t count = 1;
  for (int64_t size : sizes.take_front(batch))
    count *= size;
  int64_t rows = sizes[batch] * sizes[batch + 1], width = sizes[batch + 3];
  std::vector<float> plain(count * rows * kWindow * width);
  filters.copyTo(
      {reinterpret_cast<char *>(plain.data()), plain.size() * sizeof(float)});
  const float *source = plain.data();
  float *target = reinterpret_cast<float *>(out.data());
  for (int64_t filter = 0; filter != count; ++filter)
    for (int64_t i = 0; i != kInputs; ++i)
      for (int64_t row = 0; row != rows; ++row)
        for (int64_t x = 0; x != width; ++x) {
          double sum = 0;
          for (int64_t y = 0; y != kWindow; ++y)
            sum += kFilter[i][y] *
                   source[((filter * rows + row) * kWindow + y) * width + x];
          *target++ = sum;
        }
}
