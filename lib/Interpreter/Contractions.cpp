//===- Contractions.cpp - Contractions and convolutions -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

// Each result element is one chain of fused multiply-adds over ascending k,
// from zero. Chains of adjacent elements run in parallel, which changes no bit
// and lets the compiler use the processor's vectors.

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Without the processor's instruction, std::fma is a function call.
#define DYN_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define DYN_CLONES
#endif

/// sums[i] = fma(x, y[i], sums[i]).
DYN_CLONES static void accumulate(float *sums, float x, const float *y,
                                  int64_t count) {
  for (int64_t i = 0; i != count; ++i)
    sums[i] = std::fma(x, y[i], sums[i]);
}
DYN_CLONES static void accumulate(double *sums, double x, const double *y,
                                  int64_t count) {
  for (int64_t i = 0; i != count; ++i)
    sums[i] = std::fma(x, y[i], sums[i]);
}
/// Integers are summed modulo 2^64, from which any narrower sum follows.
static void accumulate(uint64_t *sums, uint64_t x, const uint64_t *y,
                       int64_t count) {
  for (int64_t i = 0; i != count; ++i)
    sums[i] += x * y[i];
}

/// out[m][n] = sum over k of x[m][k] * y[k][n].
template <typename A>
static void multiply(const A *x, const A *y, A *out, int64_t m, int64_t k,
                     int64_t n) {
  // Parts of a row stay in the L1 cache.
  const int64_t part = 1024;
  std::fill(out, out + m * n, A(0));
  for (int64_t start = 0; start < n; start += part)
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != k; ++j)
        accumulate(out + i * n + start, x[i * k + j], y + j * n + start,
                   std::min(part, n - start));
}

/// The type of sums of products of T.
template <typename T>
using SumType = std::conditional_t<isFloatElement<T>, ComputeType<T>, uint64_t>;

/// The elements of a tensor as A, in the order of `permutation`.
template <typename A>
static std::vector<A> gatherElements(const Tensor &tensor,
                                     ArrayRef<int64_t> permutation) {
  std::vector<A> elements;
  elements.reserve(tensor.getNumElements());
  if (tensor.getNumElements() == 0)
    return elements;
  SmallVector<int64_t> strides = getStrides(tensor.getSizes()), sizes, steps;
  for (int64_t axis : permutation) {
    sizes.push_back(tensor.getSize(axis));
    steps.push_back(strides[axis]);
  }
  SmallVector<int64_t> index(sizes.size());
  dispatchNumber(tensor.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    ArrayRef<T> in = tensor.getData<T>();
    do {
      int64_t offset = 0;
      for (auto [at, step] : llvm::zip(index, steps))
        offset += at * step;
      elements.push_back(A(ComputeType<T>(in[offset])));
    } while (increment(index, sizes));
  });
  return elements;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// Sizes of a convolution, with named axes.
struct Geometry {
  LogicalResult initialize(dhlo::Convolves op, const Tensor &input,
                           const Tensor &filter, Evaluator &state);

  /// The offset in the input for filter position `tap` at output position
  /// `out`, or -1 for a zero.
  int64_t getInputOffset(ArrayRef<int64_t> out, ArrayRef<int64_t> tap) const;

  SmallVector<int64_t> input, window, output; // spatial sizes
  SmallVector<int64_t> inputStrides;          // spatial strides
  SmallVector<int64_t> low, strides, inputDilation, filterDilation;
  int64_t batch, channels, filters, groups;
  int64_t channelStride, batchStride;
};
} // namespace

LogicalResult Geometry::initialize(dhlo::Convolves op, const Tensor &in,
                                   const Tensor &filter, Evaluator &state) {
  dhlo::ConvolutionAxes axes(op);
  int64_t spatial = axes.spatial;
  input.assign(in.getSizes().slice(axes.firstSpatial, spatial));
  window.assign(filter.getSizes().slice(axes.filterSpatial, spatial));
  SmallVector<int64_t> allStrides = getStrides(in.getSizes());
  inputStrides.assign(ArrayRef(allStrides).slice(axes.firstSpatial, spatial));
  batch = in.getSize(0);
  batchStride = allStrides[0];
  channels = in.getSize(axes.channel);
  channelStride = allStrides[axes.channel];
  filters = filter.getSize(axes.filterNumber);
  groups = op.getGroups();
  strides.assign(op.getStrides());
  inputDilation.assign(op.getInputDilation());
  filterDilation.assign(op.getFilterDilation());
  FailureOr<SmallVector<int64_t>> lows = state.evaluateDims(op, op.getLow());
  FailureOr<SmallVector<int64_t>> highs = state.evaluateDims(op, op.getHigh());
  if (failed(lows) || failed(highs))
    return failure();
  low = *lows;
  int64_t perGroup = filter.getSize(axes.filterChannel);
  if (perGroup * groups != channels)
    return emitSizeMismatch(op, "the input's channels", perGroup * groups,
                            channels);
  if (filters % groups != 0)
    return op.emitOpError("expected a multiple of ")
           << groups << " filters, found " << filters;
  for (int64_t i = 0; i != spatial; ++i) {
    int64_t dilated = (input[i] - 1) * inputDilation[i] + 1;
    int64_t span = filterDilation[i] * (window[i] - 1) + 1;
    int64_t room = dilated + low[i] + (*highs)[i] - span;
    output.push_back(llvm::divideFloorSigned(room, strides[i]) + 1);
    if (output.back() < 0)
      return op.emitOpError("expected a filter of at most ")
             << room + span << " elements along spatial axis " << i
             << ", found " << span;
  }
  return success();
}

int64_t Geometry::getInputOffset(ArrayRef<int64_t> out,
                                 ArrayRef<int64_t> tap) const {
  int64_t offset = 0;
  for (size_t i = 0; i != out.size(); ++i) {
    int64_t position =
        out[i] * strides[i] + tap[i] * filterDilation[i] - low[i];
    if (position < 0 || position % inputDilation[i] != 0 ||
        position / inputDilation[i] >= input[i])
      return -1;
    offset += position / inputDilation[i] * inputStrides[i];
  }
  return offset;
}

/// Convolves one image and group: out[filter][position], by a matrix of the
/// input for each filter position and channel (im2col) at each output position.
template <typename A>
static void convolveGroup(const Geometry &geometry, const A *image,
                          const A *filter, A *out) {
  int64_t perGroup = geometry.channels / geometry.groups;
  int64_t filters = geometry.filters / geometry.groups;
  int64_t taps = product(geometry.window);
  int64_t depth = taps * perGroup, positions = product(geometry.output);
  if (positions == 0)
    return;
  // As many positions at a time as give a matrix of moderate size.
  int64_t block = std::clamp<int64_t>((1 << 20) / std::max<int64_t>(depth, 1),
                                      16, std::max<int64_t>(positions, 16));
  std::vector<A> columns(depth * block), sums(filters * block);
  SmallVector<int64_t> start(geometry.output.size());
  for (int64_t first = 0; first < positions; first += block) {
    int64_t count = std::min(block, positions - first);
    SmallVector<int64_t> at = start;
    for (int64_t p = 0; p != count; ++p) {
      if (taps) {
        SmallVector<int64_t> tap(geometry.window.size());
        int64_t row = 0;
        do {
          int64_t offset = geometry.getInputOffset(at, tap);
          for (int64_t c = 0; c != perGroup; ++c, ++row)
            columns[row * count + p] =
                offset < 0 ? A(0) : image[offset + c * geometry.channelStride];
        } while (increment(tap, geometry.window));
      }
      increment(at, geometry.output);
    }
    start = at;
    multiply(filter, columns.data(), sums.data(), filters, depth, count);
    for (int64_t f = 0; f != filters; ++f)
      std::copy_n(sums.data() + f * count, count, out + f * positions + first);
  }
}

static LogicalResult evaluateConvolution(dhlo::Convolves op, Evaluator &state) {
  const Tensor &input = state.get(op.getInput());
  const Tensor &filter = state.get(op.getFilter());
  Geometry geometry;
  if (failed(geometry.initialize(op, input, filter, state)))
    return failure();
  // Without groups of images, one filter is for all.
  SmallVector<int64_t> starts = {0, geometry.batch};
  if (Value value = op.getImageOffsets()) {
    const Tensor &offsets = state.get(value);
    if (offsets.getNumElements() != filter.getSize(0) + 1)
      return emitSizeMismatch(op, "the offsets", filter.getSize(0) + 1,
                              offsets.getNumElements());
    starts = readOffsets(op, offsets, geometry.batch, state);
  }
  bool isFirst = op.getLayout() == dhlo::Layout::ChannelsFirst;
  SmallVector<int64_t> sizes = {geometry.batch};
  if (isFirst)
    sizes.push_back(geometry.filters);
  llvm::append_range(sizes, geometry.output);
  if (!isFirst)
    sizes.push_back(geometry.filters);
  FailureOr<Tensor> result = state.allocate(op, input.getElementType(), sizes);
  if (failed(result))
    return failure();
  // The filters as matrices [filter][position, channel].
  dhlo::ConvolutionAxes axes(op);
  auto filterOrder = llvm::to_vector(llvm::seq<int64_t>(0, axes.filterGroups));
  filterOrder.push_back(axes.filterNumber);
  for (int64_t i = 0; i != axes.spatial; ++i)
    filterOrder.push_back(axes.filterSpatial + i);
  filterOrder.push_back(axes.filterChannel);
  SmallVector<int64_t> inputOrder =
      llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));

  int64_t positions = product(geometry.output);
  int64_t perGroup = geometry.filters / geometry.groups;
  dispatchFloat(input.getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using A = SumType<T>;
    std::vector<A> images = gatherElements<A>(input, inputOrder);
    std::vector<A> weights = gatherElements<A>(filter, filterOrder);
    std::vector<A> sums(perGroup * positions);
    MutableArrayRef<T> out = result->getMutableData<T>();
    int64_t perImage = geometry.filters * positions;
    std::fill_n(out.begin(), starts.front() * perImage, T(A(0)));
    std::fill(out.begin() + starts.back() * perImage, out.end(), T(A(0)));
    int64_t ranges = starts.size() - 1;
    int64_t rangeWeights = ranges ? int64_t(weights.size()) / ranges : 0;
    int64_t groupWeights = geometry.groups ? rangeWeights / geometry.groups : 0;
    int64_t range = 0;
    for (int64_t n = starts.front(); n < starts.back(); ++n) {
      while (n >= starts[range + 1])
        ++range;
      for (int64_t g = 0; g != geometry.groups; ++g) {
        int64_t channel = g * (geometry.channels / geometry.groups);
        convolveGroup<A>(geometry,
                         images.data() + n * geometry.batchStride +
                             channel * geometry.channelStride,
                         weights.data() + range * rangeWeights +
                             g * groupWeights,
                         sums.data());
        for (int64_t f = 0; f != perGroup; ++f)
          for (int64_t p = 0; p != positions; ++p) {
            int64_t to = g * perGroup + f;
            out[isFirst ? (n * geometry.filters + to) * positions + p
                        : (n * positions + p) * geometry.filters + to] =
                T(sums[f * positions + p]);
          }
      }
    }
  });
  return state.set(op, op.getResult(), *result);
}

template <>
LogicalResult dyn::evaluate(dhlo::ConvolutionOp op, Evaluator &state) {
  return evaluateConvolution(op, state);
}

template <>
LogicalResult dyn::evaluate(dhlo::GroupedConvolutionOp op, Evaluator &state) {
  return evaluateConvolution(op, state);
}

//===----------------------------------------------------------------------===//
// Grouped dot
//===----------------------------------------------------------------------===//

template <>
LogicalResult dyn::evaluate(dhlo::GroupedDotOp op, Evaluator &state) {
  const Tensor &lhs = state.get(op.getLhs()), &rhs = state.get(op.getRhs());
  const Tensor &offsets = state.get(op.getOffsets());
  FailureOr<Tensor> result = state.allocate(op, op.getType());
  if (failed(result))
    return failure();
  int64_t rows = lhs.getSize(0), groups = rhs.getSize(0);
  int64_t k = rhs.getSize(1), n = rhs.getSize(2);
  if (lhs.getSizes().back() != k)
    return emitSizeMismatch(op, "the last axis of lhs", k,
                            lhs.getSizes().back());
  if (offsets.getNumElements() != groups + 1)
    return emitSizeMismatch(op, "the offsets", groups + 1,
                            offsets.getNumElements());
  // A row may hold many vectors.
  int64_t vectors = product(lhs.getSizes().drop_front().drop_back());
  SmallVector<int64_t> starts = readOffsets(op, offsets, rows, state);
  auto getOrder = [](const Tensor &tensor) {
    return llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank()));
  };
  dispatchFloat(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using A = SumType<T>;
    std::vector<A> x = gatherElements<A>(lhs, getOrder(lhs));
    std::vector<A> y = gatherElements<A>(rhs, getOrder(rhs));
    std::vector<A> sums(rows * vectors * n);
    for (int64_t g = 0; g != groups; ++g) {
      int64_t first = starts[g] * vectors, end = starts[g + 1] * vectors;
      multiply(x.data() + first * k, y.data() + g * k * n,
               sums.data() + first * n, end - first, k, n);
    }
    for (auto [out, sum] : llvm::zip(result->getMutableData<T>(), sums))
      out = T(sum);
  });
  return state.set(op, op.getResult(), *result);
}

//===----------------------------------------------------------------------===//
// Dot general
//===----------------------------------------------------------------------===//

template <>
LogicalResult dyn::evaluate(dhlo::DotGeneralOp op, Evaluator &state) {
  const Tensor &lhs = state.get(op.getLhs()), &rhs = state.get(op.getRhs());
  int64_t batch = op.getBatch();
  ArrayRef<int64_t> lhsContract = op.getLhsContract();
  ArrayRef<int64_t> rhsContract = op.getRhsContract();
  // The operands as [batch, free, contracted] and [batch, contracted, free].
  SmallVector<int64_t> lhsOrder, rhsOrder, sizes;
  for (int64_t axis = 0; axis != batch; ++axis) {
    if (lhs.getSize(axis) != rhs.getSize(axis))
      return emitSizeMismatch(op, "batch axis " + Twine(axis),
                              lhs.getSize(axis), rhs.getSize(axis));
    lhsOrder.push_back(axis);
    rhsOrder.push_back(axis);
    sizes.push_back(lhs.getSize(axis));
  }
  int64_t batches = product(sizes), m = 1, n = 1, k = 1;
  for (int64_t axis = batch; axis != lhs.getRank(); ++axis)
    if (!llvm::is_contained(lhsContract, axis)) {
      lhsOrder.push_back(axis);
      sizes.push_back(lhs.getSize(axis));
      m *= lhs.getSize(axis);
    }
  for (auto [l, r] : llvm::zip_equal(lhsContract, rhsContract)) {
    if (lhs.getSize(l) != rhs.getSize(r))
      return emitSizeMismatch(op, "contracted axis " + Twine(r) + " of rhs",
                              lhs.getSize(l), rhs.getSize(r));
    k *= lhs.getSize(l);
  }
  llvm::append_range(lhsOrder, lhsContract);
  llvm::append_range(rhsOrder, rhsContract);
  for (int64_t axis = batch; axis != rhs.getRank(); ++axis)
    if (!llvm::is_contained(rhsContract, axis)) {
      rhsOrder.push_back(axis);
      sizes.push_back(rhs.getSize(axis));
      n *= rhs.getSize(axis);
    }
  FailureOr<Tensor> result =
      state.allocate(op, state.getElementType(op.getType()), sizes);
  if (failed(result))
    return failure();
  dispatchNumber(result->getElementType(), [&](auto tag) {
    using T = decltype(tag);
    using A = SumType<T>;
    std::vector<A> x = gatherElements<A>(lhs, lhsOrder);
    std::vector<A> y = gatherElements<A>(rhs, rhsOrder);
    std::vector<A> sums(m * n);
    MutableArrayRef<T> out = result->getMutableData<T>();
    for (int64_t b = 0; b != batches; ++b) {
      multiply(x.data() + b * m * k, y.data() + b * k * n, sums.data(), m, k,
               n);
      for (int64_t i = 0; i != m * n; ++i)
        out[b * m * n + i] = T(ComputeType<T>(sums[i]));
    }
  });
  return state.set(op, op.getResult(), *result);
}
