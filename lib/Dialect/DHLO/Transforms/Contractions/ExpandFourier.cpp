//===- ExpandFourier.cpp - The forms of Fourier transforms ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Angles are reduced to one turn by whole numbers, which f64 holds exactly, so
// that their cosines and sines are exact to f64 for any length.

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "dyn/Dialect/DHLO/Analysis/FourierChoice.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

namespace dyn::dhlo {
#define GEN_PASS_DEF_EXPANDFOURIERPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

/// Up to so many elements, a matmul takes less time.
static constexpr int64_t kMostOfMatmul = 24;
/// Elements of a constant from which others are computed, at most.
static constexpr int64_t kMostOfConstant = 1 << 16;

namespace {

/// A complex tensor; the imaginary part is null for real numbers.
struct Parts {
  Value real, imaginary;
};

class Expander {
public:
  Expander(FftOp op, DimBuilder &symbols)
      : b(op, symbols), op(op), axis(op.getAxis()),
        length(b.getDims().expand(op.getLength())) {}

  Parts multiply();
  Parts convolve();
  Value getRoots();

private:
  Type getElement() {
    return TensorBuilder::typeOf(op.getReal()).getElementType();
  }
  DimExpr constant(int64_t v) { return getConstDim(b.getContext(), v); }
  Value fill(double v, Value like) {
    Type element = TensorBuilder::typeOf(like).getElementType();
    return b.fill(b.getFloatAttr(element, v), TensorBuilder::sizesOf(like));
  }
  Value iota(int64_t along, ArrayRef<DimExpr> sizes);
  Value add(Value x, Value y) { return AddOp::create(b, x, y); }
  Value sub(Value x, Value y) { return SubOp::create(b, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(b, x, y); }
  Value negate(Value x) { return NegOp::create(b, x); }

  /// exp(2 pi i turns / period), where `turns` are whole numbers of f64.
  Parts getPowers(Value turns, DimExpr period);
  Value isEnd(Value index);
  /// The operand; imaginary parts that are not read are zero.
  Parts getOperand();
  Value slice(Value x, DimExpr start, DimExpr size);
  Value pad(Value x, DimExpr size);
  Value concat(Value x, Value y, int64_t along);
  /// Sums along the axis of elements times rows of a matrix.
  Value dot(Value x, Value matrix);
  /// Multiplied by a vector along the axis.
  Parts scale(Parts x, Parts vector);
  Parts transform(Parts x, bool isInverse);
  /// The operand as complex numbers, all of them.
  Parts getWhole();

  TensorBuilder b;
  FftOp op;
  int64_t axis;
  DimExpr length;
};

} // namespace

/// 0, 1, ... along an axis, in f64: a constant if it is known and not long, so
/// that all that is computed from it is a constant.
Value Expander::iota(int64_t along, ArrayRef<DimExpr> sizes) {
  RankedTensorType type = b.getTensorType(sizes, b.getF64Type());
  auto count = getConstantValue(b.getDims().expand(sizes[along]));
  if (!count || *count > kMostOfConstant)
    return IotaOp::create(
        b, type, along, b.getArrayAttr({static_cast<Attribute>(constant(0))}),
        b.getArrayAttr({static_cast<Attribute>(constant(1))}));
  SmallVector<double> numbers(*count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  Value vector = ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(*count, b.getF64Type()),
                                ArrayRef<double>(numbers)));
  return BroadcastOp::create(b, type, vector, b.getDenseI64ArrayAttr({along}));
}

Parts Expander::getPowers(Value turns, DimExpr period) {
  Value n = b.convert(b.fillSize(period, turns), b.getF64Type());
  Value whole = FloorOp::create(b, DivOp::create(b, turns, n));
  Value rest = sub(turns, mul(whole, n));
  Value angle = DivOp::create(b, mul(rest, fill(2 * M_PI, rest)), n);
  return {CosOp::create(b, angle), SinOp::create(b, angle)};
}

Value Expander::slice(Value x, DimExpr start, DimExpr size) {
  Sizes sizes = TensorBuilder::sizesOf(x), starts(sizes.size(), constant(0));
  sizes[axis] = size;
  starts[axis] = start;
  SmallVector<Attribute> from(starts.begin(), starts.end());
  return SliceOp::create(b, b.getTensorType(sizes, getElement()), x,
                         b.getArrayAttr(from),
                         SmallVector<int64_t>(sizes.size(), 1));
}

Value Expander::pad(Value x, DimExpr size) {
  Sizes sizes = TensorBuilder::sizesOf(x);
  SmallVector<Attribute> low(sizes.size(), constant(0)), high = low;
  high[axis] = dhlo::sub(size, sizes[axis]);
  sizes[axis] = size;
  Value zero = ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get({}, getElement()),
                                b.getZeroAttr(getElement())));
  return PadOp::create(b, b.getTensorType(sizes, getElement()), x, zero,
                       PadMode::Constant, b.getArrayAttr(low),
                       b.getArrayAttr(high));
}

Value Expander::concat(Value x, Value y, int64_t along) {
  Sizes sizes = TensorBuilder::sizesOf(x);
  sizes[along] = dhlo::add(sizes[along], TensorBuilder::sizesOf(y)[along]);
  Type element = TensorBuilder::typeOf(x).getElementType();
  return ConcatOp::create(b, b.getTensorType(sizes, element), ValueRange{x, y},
                          along);
}

Value Expander::dot(Value x, Value matrix) {
  int64_t rank = TensorBuilder::typeOf(x).getRank();
  SmallVector<int64_t> toEnd, back(rank);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      toEnd.push_back(i);
  toEnd.push_back(axis);
  for (auto [i, from] : llvm::enumerate(toEnd))
    back[from] = i;
  x = b.transpose(x, toEnd);
  Sizes sizes = TensorBuilder::sizesOf(x);
  sizes.back() = TensorBuilder::sizesOf(matrix)[0];
  Value y = DotGeneralOp::create(
      b, b.getTensorType(sizes, getElement()), x, matrix, /*batch=*/int64_t(0),
      ArrayRef<int64_t>{rank - 1}, ArrayRef<int64_t>{1});
  return b.transpose(y, back);
}

/// A sine is the cosine of a quarter turn less. Quarters are exact, too.
Value Expander::getRoots() {
  Sizes sizes = {constant(2), op.getLength()};
  Value index = iota(1, sizes), part = iota(0, sizes);
  Value n = b.convert(b.fillSize(op.getLength(), index), b.getF64Type());
  Value turns = sub(index, mul(part, mul(n, fill(0.25, n))));
  Value angle = DivOp::create(b, mul(turns, fill(2 * M_PI, turns)), n);
  return b.convert(CosOp::create(b, angle), getElement());
}

/// Whether element `index` of a half is no conjugate of another: the first one,
/// and that in the middle.
Value Expander::isEnd(Value index) {
  Value n = b.convert(b.fillSize(op.getLength(), index), b.getF64Type());
  return OrOp::create(b, b.compare(CompareDirection::EQ, index, fill(0, index)),
                      b.compare(CompareDirection::EQ, add(index, index), n));
}

Parts Expander::getOperand() {
  Parts x = {op.getReal(), op.getImaginary()};
  if (op.getResultImaginary())
    return x;
  Value index = iota(axis, TensorBuilder::sizesOf(x.imaginary));
  x.imaginary = b.select(isEnd(index), b.fillZero(x.imaginary), x.imaginary);
  return x;
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

Parts Expander::multiply() {
  DimExpr rows = TensorBuilder::sizesOf(op.getResult())[axis];
  DimExpr columns = TensorBuilder::sizesOf(op.getReal())[axis];
  Value column = iota(1, {rows, columns});
  auto [cosine, sine] =
      getPowers(mul(iota(0, {rows, columns}), column), op.getLength());
  if (!op.getResultImaginary()) {
    // Each element counts for its conjugate, too, except the ends.
    Value weight = b.select(isEnd(column), fill(1, column), fill(2, column));
    cosine = mul(cosine, weight);
    sine = mul(sine, weight);
  }
  if (op.getInverse())
    sine = negate(sine);
  cosine = b.convert(cosine, getElement());
  sine = b.convert(sine, getElement());
  auto [real, imaginary] = getOperand();
  Parts y = {dot(real, cosine), Value()};
  if (imaginary)
    y.real = add(y.real, dot(imaginary, sine));
  if (!op.getResultImaginary())
    return y;
  y.imaginary = dot(real, sine);
  y.imaginary = imaginary ? sub(dot(imaginary, cosine), y.imaginary)
                          : negate(y.imaginary);
  return y;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Parts Expander::scale(Parts x, Parts vector) {
  auto spread = [&](Value part) -> Value {
    return BroadcastOp::create(b, TensorBuilder::typeOf(x.real), part,
                               b.getDenseI64ArrayAttr({axis}));
  };
  Value c = spread(vector.real), s = spread(vector.imaginary);
  if (!x.imaginary)
    return {mul(x.real, c), mul(x.real, s)};
  return {sub(mul(x.real, c), mul(x.imaginary, s)),
          add(mul(x.real, s), mul(x.imaginary, c))};
}

Parts Expander::transform(Parts x, bool isInverse) {
  Type type = x.real.getType();
  auto fft = FftOp::create(b, type, type, x.real, x.imaginary, Value(), axis,
                           isInverse, /*half=*/false);
  return {fft.getResult(), fft.getResultImaginary()};
}

Parts Expander::getWhole() {
  Parts x = getOperand();
  if (op.getResultImaginary())
    return x;
  // The rest are the conjugates, in reverse.
  int64_t rest = (length.getValue() - 1) / 2;
  auto join = [&](Value part, bool isConjugate) {
    Value other = slice(part, constant(1), constant(rest));
    other = ReverseOp::create(b, other.getType(), other,
                              b.getDenseI64ArrayAttr({axis}));
    return concat(part, isConjugate ? negate(other) : other, axis);
  };
  return {join(x.real, false), join(x.imaginary, true)};
}

Parts Expander::convolve() {
  // j k = (j^2 + k^2 - (k - j)^2) / 2, so with c[k] = exp(-pi i k^2 / n), the
  // result is c[k] times the convolution of x[j] c[j] and the conjugates of c.
  // Squares are reduced to less than two turns of n.
  int64_t n = length.getValue();
  int64_t wide = llvm::PowerOf2Ceil(2 * n - 1);
  Value k = iota(0, {constant(n)});
  auto getChirp = [&](Value index) {
    Parts powers = getPowers(mul(index, index), constant(2 * n));
    return Parts{b.convert(powers.real, getElement()),
                 b.convert(powers.imaginary, getElement())};
  };
  Parts chirp = getChirp(k);
  Parts filter;
  {
    // Element k and element `wide` - k are those of k, the others are zero.
    Value i = iota(0, {constant(wide)});
    Value distance =
        MinimumOp::create(b, i, sub(fill(static_cast<double>(wide), i), i));
    Value isUsed = b.compare(CompareDirection::LT, distance,
                             fill(static_cast<double>(n), i));
    // The transform back is divided by the number of elements.
    double factor = 1 / static_cast<double>(wide);
    Parts values = getChirp(b.select(isUsed, distance, fill(0, i)));
    auto mask = [&](Value part) {
      part = mul(part, fill(factor, part));
      return b.select(isUsed, part, fill(0, part));
    };
    auto type = cast<RankedTensorType>(values.real.getType());
    auto fft = FftOp::create(b, type, type, mask(values.real),
                             mask(values.imaginary), Value(), 0, false, false);
    filter = {fft.getResult(), fft.getResultImaginary()};
  }
  Parts conjugate = {chirp.real, negate(chirp.imaginary)};
  Parts x = getWhole();
  // The inverse is the transform of exchanged parts, exchanged.
  auto exchange = [&](Parts p) {
    if (!op.getInverse())
      return p;
    Value zero = p.imaginary ? Value() : fill(0, p.real);
    return Parts{p.imaginary ? p.imaginary : zero, p.real};
  };
  Parts y = scale(exchange(x), conjugate);
  y = {pad(y.real, constant(wide)), pad(y.imaginary, constant(wide))};
  y = transform(scale(transform(y, false), filter), true);
  auto cut = [&](Value part) { return slice(part, constant(0), constant(n)); };
  y = exchange(scale({cut(y.real), cut(y.imaginary)}, conjugate));
  if (!op.getResultImaginary())
    return {y.real, Value()};
  if (!op.getHalf())
    return y;
  DimExpr half = TensorBuilder::sizesOf(op.getResult())[axis];
  return {slice(y.real, constant(0), half),
          slice(y.imaginary, constant(0), half)};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The largest prime factor.
static int64_t getLargestPrime(int64_t n) {
  int64_t largest = 1;
  for (int64_t f = 2; n > 1; ++f) {
    if (f * f > n)
      return std::max(largest, n);
    for (; n % f == 0; n /= f)
      largest = f;
  }
  return largest;
}

namespace {
struct ExpandFourierPass
    : dhlo::impl::ExpandFourierPassBase<ExpandFourierPass> {
  using ExpandFourierPassBase::ExpandFourierPassBase;

  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    // A convolution contains transforms.
    for (auto ops = collectOps<FftOp>(getOperation()); !ops.empty();
         ops = collectOps<FftOp>(getOperation())) {
      llvm::erase_if(ops, [](FftOp op) { return op.getRoots(); });
      if (ops.empty())
        return;
      for (FftOp op : ops)
        expand(op, symbols);
    }
  }

private:
  void expand(FftOp op, DimBuilder &symbols) {
    Expander expander(op, symbols);
    auto n = getConstantValue(symbols.getDims().expand(op.getLength()));
    if (device || (n && *n <= kMostOfMatmul)) {
      replace(op, expander.multiply());
      ++numMultiplied;
    } else if (n && getLargestPrime(*n) > kMostSummedPrime) {
      replace(op, expander.convolve());
      ++numConvolved;
    } else {
      op.getRootsMutable().assign(expander.getRoots());
      ++numRooted;
    }
  }

  void replace(FftOp op, Parts parts) {
    op.getResult().replaceAllUsesWith(parts.real);
    if (op.getResultImaginary())
      op.getResultImaginary().replaceAllUsesWith(parts.imaginary);
    op.erase();
  }
};
} // namespace
