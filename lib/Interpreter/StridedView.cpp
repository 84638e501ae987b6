//===- StridedView.cpp - Strided views of bytes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedView.h"
#include "OpaqueBytes.h"

#include "Evaluator.h"

#include "dyn/Support/Panels.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Views of views
//===----------------------------------------------------------------------===//

StridedView StridedView::contiguous(ArrayRef<char> bytes,
                                    ArrayRef<int64_t> sizes,
                                    int64_t elementBytes) {
  StridedView view;
  view.bytes = bytes;
  view.elementBytes = elementBytes;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides = getStrides(sizes);
  return view;
}

bool StridedView::isContiguous() const {
  SmallVector<int64_t> expected = getStrides(sizes);
  for (auto [size, stride, step] : llvm::zip(sizes, strides, expected))
    if (size > 1 && stride != step)
      return false;
  return true;
}

std::optional<StridedView>
StridedView::reshape(ArrayRef<int64_t> newSizes) const {
  // Axes of size 1 may be added or removed. Otherwise the elements have to be
  // in order.
  StridedView view = *this;
  view.sizes.assign(newSizes.begin(), newSizes.end());
  if (isContiguous()) {
    view.strides = getStrides(newSizes);
    return view;
  }
  view.strides.assign(newSizes.size(), 0);
  size_t axis = 0;
  for (auto [i, size] : llvm::enumerate(newSizes)) {
    if (size == 1)
      continue;
    while (axis != sizes.size() && sizes[axis] == 1)
      ++axis;
    if (axis == sizes.size() || sizes[axis] != size)
      return std::nullopt;
    view.strides[i] = strides[axis++];
  }
  return view;
}

StridedView StridedView::transpose(ArrayRef<int64_t> permutation) const {
  StridedView view = *this;
  for (auto [i, axis] : llvm::enumerate(permutation)) {
    view.sizes[i] = sizes[axis];
    view.strides[i] = strides[axis];
  }
  return view;
}

StridedView StridedView::slice(ArrayRef<int64_t> starts,
                               ArrayRef<int64_t> steps,
                               ArrayRef<int64_t> newSizes) const {
  StridedView view = *this;
  view.sizes.assign(newSizes.begin(), newSizes.end());
  for (size_t axis = 0; axis != sizes.size(); ++axis) {
    view.offset += starts[axis] * strides[axis];
    view.strides[axis] *= steps[axis];
  }
  return view;
}

StridedView StridedView::reverse(ArrayRef<int64_t> axes) const {
  StridedView view = *this;
  for (int64_t axis : axes) {
    view.offset += (sizes[axis] - 1) * strides[axis];
    view.strides[axis] = -strides[axis];
  }
  return view;
}

StridedView StridedView::broadcast(ArrayRef<int64_t> axes,
                                   ArrayRef<int64_t> newSizes) const {
  StridedView view = *this;
  view.sizes.assign(newSizes.begin(), newSizes.end());
  view.strides.assign(newSizes.size(), 0);
  for (auto [i, axis] : llvm::enumerate(axes))
    view.strides[axis] = sizes[i] == 1 ? 0 : strides[i];
  return view;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Offsets of all indices of some axes, in row-major order. Since the axes of a
/// view are independent, the offset of an element is a sum of one for each
/// group of axes.
static std::vector<int64_t> getOffsets(ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> strides) {
  std::vector<int64_t> offsets = {0};
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * size);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i != size; ++i)
        next.push_back(offset + i * stride);
    offsets.swap(next);
  }
  return offsets;
}

/// Copies a matrix with strides `rowStep` and `columnStep`, in tiles, so that
/// all of each cache line that a tile touches is used.
template <typename T>
static void copyMatrix(const T *in, int64_t rows, int64_t columns,
                       int64_t rowStep, int64_t columnStep, T *out,
                       int64_t outStep) {
  const int64_t tile = 64 / sizeof(T) > 16 ? 64 / sizeof(T) : 16;
  for (int64_t row = 0; row < rows; row += tile) {
    int64_t rowEnd = std::min(rows, row + tile);
    for (int64_t column = 0; column < columns; column += tile) {
      int64_t columnEnd = std::min(columns, column + tile);
      for (int64_t i = row; i != rowEnd; ++i)
        for (int64_t j = column; j != columnEnd; ++j)
          out[i * outStep + j] = in[i * rowStep + j * columnStep];
    }
  }
}

void StridedView::copyTo(MutableArrayRef<char> out) const {
  if (out.empty())
    return;
  if (isContiguous()) {
    std::memcpy(out.data(), bytes.data() + offset * elementBytes, out.size());
    return;
  }
  int64_t rank = sizes.size();
  // Matrices of the last axis and the densest one in memory, if that is
  // another.
  int64_t dense = rank - 1;
  for (int64_t axis = 0; axis != rank; ++axis)
    if (sizes[axis] > 1 && std::abs(strides[axis]) == 1 &&
        std::abs(strides[rank - 1]) != 1)
      dense = axis;
  SmallVector<int64_t> outStrides = getStrides(sizes), outer = sizes;
  outer[dense] = outer[rank - 1] = 1;
  int64_t rows = dense == rank - 1 ? 1 : sizes[dense];
  dispatchBytes(elementBytes, [&](auto tag) {
    using T = decltype(tag);
    const T *source = reinterpret_cast<const T *>(bytes.data()) + offset;
    T *target = reinterpret_cast<T *>(out.data());
    SmallVector<int64_t> index(rank);
    do {
      int64_t from = 0, to = 0;
      for (int64_t axis = 0; axis != rank; ++axis) {
        from += index[axis] * strides[axis];
        to += index[axis] * outStrides[axis];
      }
      copyMatrix(source + from, rows, sizes[rank - 1], strides[dense],
                 strides[rank - 1], target + to, outStrides[dense]);
    } while (increment(index, outer));
  });
}

/// Offsets of matrices, and in a matrix of rows and columns.
struct StridedView::Offsets {
  std::vector<int64_t> matrices, ks, ns;
};

StridedView::Offsets StridedView::getGroupOffsets(int64_t batch,
                                                  int64_t rows) const {
  ArrayRef<int64_t> allSizes = sizes, allStrides = strides;
  auto group = [&](int64_t from, int64_t count) {
    return getOffsets(allSizes.slice(from, count),
                      allStrides.slice(from, count));
  };
  return {group(0, batch), group(batch, rows),
          group(batch + rows, sizes.size() - batch - rows)};
}

void StridedView::packTo(int64_t batch, int64_t rows,
                         MutableArrayRef<char> out) const {
  auto [matrices, ks, ns] = getGroupOffsets(batch, rows);
  int64_t K = ks.size(), N = ns.size();
  // Rows are processed in blocks, panel by panel, so that few pages of the
  // source are in use at a time.
  const int64_t block = 64;
  dispatchBytes(elementBytes, [&](auto tag) {
    using T = decltype(tag);
    const T *source = reinterpret_cast<const T *>(bytes.data()) + offset;
    T *target = reinterpret_cast<T *>(out.data());
    for (int64_t matrix : matrices) {
      for (int64_t first = 0; first < K; first += block) {
        int64_t last = std::min(K, first + block);
        for (int64_t panel = 0; panel < N; panel += kPanelWidth) {
          int64_t width = std::min(kPanelWidth, N - panel);
          T *row = target + panel * K + first * kPanelWidth;
          bool isRun = width == kPanelWidth && ns[panel + kPanelWidth - 1] ==
                                                   ns[panel] + kPanelWidth - 1;
          for (int64_t k = first; k != last; ++k, row += kPanelWidth) {
            const T *at = source + matrix + ks[k];
            if (isRun) {
              std::memcpy(row, at + ns[panel], kPanelWidth * sizeof(T));
              continue;
            }
            for (int64_t j = 0; j != width; ++j)
              row[j] = at[ns[panel + j]];
            std::fill(row + width, row + kPanelWidth, T{});
          }
        }
      }
      target += llvm::alignTo(N, kPanelWidth) * K;
    }
  });
}

void StridedView::packGroupsTo(int64_t batch, int64_t rows, int64_t group,
                               MutableArrayRef<char> out) const {
  auto [matrices, ks, ns] = getGroupOffsets(batch, rows);
  int64_t K = ks.size(), N = ns.size();
  std::fill(out.begin(), out.end(), 0);
  dispatchBytes(elementBytes, [&](auto tag) {
    using T = decltype(tag);
    const T *source = reinterpret_cast<const T *>(bytes.data()) + offset;
    T *target = reinterpret_cast<T *>(out.data());
    for (int64_t matrix : matrices)
      for (int64_t panel = 0; panel < N; panel += kPanelWidth)
        for (int64_t first = 0; first < K;
             first += group, target += kPanelWidth * group)
          for (int64_t k = first; k != std::min(K, first + group); ++k)
            for (int64_t n = panel; n != std::min(N, panel + kPanelWidth); ++n)
              target[(n - panel) * group + k - first] =
                  source[matrix + ks[k] + ns[n]];
  });
}
