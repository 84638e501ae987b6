//===- Contraction.cpp - Matmuls of ONNX ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

Value onnx::matmul(OpContext &c, Value lhs, Value rhs) {
  Emitter &e = c.e;
  if (!lhs || !rhs)
    return {};
  if (e.rank(lhs) == 0 || e.rank(rhs) == 0)
    return e.fail("expected operands of rank at least 1");
  bool lhsIsVector = e.rank(lhs) == 1, rhsIsVector = e.rank(rhs) == 1;
  if (rhsIsVector)
    return e.dot(lhs, rhs, 0, {e.rank(lhs) - 1}, {0});
  if (lhsIsVector) {
    Value row = matmul(c, e.unsqueeze(lhs, {0}), rhs);
    return row ? e.squeeze(row, {e.rank(row) - 2}) : row;
  }
  int64_t lhsRank = e.rank(lhs), rhsRank = e.rank(rhs);
  // All rows of the LHS are multiplied by one matrix in one matmul.
  auto batchOfRhs = llvm::to_vector(llvm::seq<int64_t>(0, rhsRank - 2));
  if (rhsRank <= lhsRank && llvm::all_of(batchOfRhs, [&](int64_t axis) {
        return e.isOne(e.dim(rhs, axis));
      }))
    return e.dot(lhs, e.squeeze(rhs, batchOfRhs), 0, {lhsRank - 1}, {0});
  int64_t batch = std::max(lhsRank, rhsRank) - 2;
  auto batchSizes = [&](Value v) {
    Sizes sizes = e.sizes(v);
    sizes.resize(sizes.size() - 2);
    sizes.insert(sizes.begin(), batch - sizes.size(), e.size(1));
    return sizes;
  };
  Sizes left = batchSizes(lhs), right = batchSizes(rhs), both;
  for (auto [l, r] : llvm::zip_equal(left, right)) {
    DimExpr size = e.broadcastSize(l, r);
    if (!size)
      return e.fail("batch sizes " + Twine(l.getValue()) + " and " +
                    Twine(r.getValue()) + " cannot be broadcast");
    both.push_back(size);
  }
  auto expand = [&](Value v) {
    Sizes sizes = both;
    sizes.push_back(e.dim(v, e.rank(v) - 2));
    sizes.push_back(e.dim(v, e.rank(v) - 1));
    return e.broadcastTo(v, sizes);
  };
  return e.dot(expand(lhs), expand(rhs), batch, {batch + 1}, {batch});
}

Value onnx::gemm(OpContext &c) {
  Emitter &e = c.e;
  Value a = c.in(0), b = c.in(1);
  double alpha = c.getFloat("alpha", 1), beta = c.getFloat("beta", 1);
  bool transA = c.getInt("transA", 0) != 0, transB = c.getInt("transB", 0) != 0;
  // Of opset 6; later ones always broadcast C.
  c.ignore({"broadcast"});
  if (!a || !b)
    return {};
  if (e.rank(a) != 2 || e.rank(b) != 2)
    return e.fail("expected matrices");
  Value y = e.dot(a, b, 0, {transA ? 0 : 1}, {transB ? 1 : 0});
  Value bias = beta == 0 ? Value() : c.optional(2);
  // The factors of integers may be fractions.
  Type type = e.elementType(a);
  if (isa<IntegerType>(type) && (alpha != 1 || beta != 1)) {
    y = e.convert(y, e.builder.getF64Type());
    bias = e.convert(bias, e.builder.getF64Type());
  }
  if (alpha != 1)
    y = e.mul(y, alpha);
  if (bias)
    y = e.add(y, beta == 1 ? bias : e.mul(bias, beta));
  return e.convert(y, type);
}

namespace {

LogicalResult importMatMul(OpContext &c) {
  return c.result(matmul(c, c.in(0), c.in(1)));
}

LogicalResult importGemm(OpContext &c) { return c.result(gemm(c)); }

/// Integers minus their zero point, as i32. A vector of zero points has one for
/// each index along `axis`.
Value withoutZero(OpContext &c, Value x, Value zero, int64_t axis) {
  Type i32 = c.e.builder.getI32Type();
  Value wide = c.e.convert(x, i32);
  if (!zero || !x)
    return wide;
  if (c.e.rank(zero) == 1 && !c.e.isOne(c.e.dim(zero, 0))) {
    Sizes sizes(c.e.rank(x), c.e.size(1));
    sizes[axis] = c.e.dim(zero, 0);
    zero = c.e.reshape(zero, sizes);
  } else if (c.e.rank(zero) == 1) {
    zero = c.e.reshape(zero, {});
  }
  return c.e.sub(wide, c.e.convert(zero, i32));
}

LogicalResult importMatMulInteger(OpContext &c) {
  Value a = c.in(0), b = c.in(1);
  if (!a || !b)
    return failure();
  return c.result(matmul(
      c,
      withoutZero(c, a, c.optional(2), std::max<int64_t>(c.e.rank(a) - 2, 0)),
      withoutZero(c, b, c.optional(3), c.e.rank(b) - 1)));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// A tensor whose axes have names, one character each; those of an ellipsis
/// are the characters from 1 on.
struct Labelled {
  Value value;
  SmallVector<char> labels;
};

class Einsum {
public:
  explicit Einsum(OpContext &c) : c(c), e(c.e) {}

  LogicalResult run();

private:
  bool readTerm(StringRef text, Value value, Labelled &term);
  /// Sums over the labels that are not needed any more.
  void sumUnneeded(Labelled &term, llvm::function_ref<bool(char)> needed);
  Labelled multiply(Labelled lhs, Labelled rhs,
                    llvm::function_ref<bool(char)> needed);
  /// Axes in the order of `labels`.
  Value arrange(const Labelled &term, ArrayRef<char> labels);

  OpContext &c;
  Emitter &e;
  int64_t ellipsis = 0;
};

bool Einsum::readTerm(StringRef text, Value value, Labelled &term) {
  term.value = value;
  text = text.trim();
  size_t dots = text.find("...");
  auto named = static_cast<int64_t>(text.size());
  if (dots != StringRef::npos)
    named -= 3;
  int64_t free = e.rank(value) - named;
  if (free < 0 || (dots == StringRef::npos && free != 0) || free > 24)
    return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      // Aligned at the end over all operands.
      for (int64_t j = 0; j < free; ++j)
        term.labels.push_back(static_cast<char>(24 - free + j + 1));
      ellipsis = std::max(ellipsis, free);
      i += 2;
      continue;
    }
    if (!llvm::isAlpha(text[i]))
      return false;
    term.labels.push_back(text[i]);
  }
  // Diagonals: the second axis of a label is compared with the first.
  for (size_t i = 0; i < term.labels.size(); ++i)
    for (size_t j = i + 1; j < term.labels.size(); ++j) {
      if (term.labels[i] != term.labels[j])
        continue;
      Type i64 = e.builder.getI64Type();
      Sizes sizes = e.sizes(term.value);
      Value isDiagonal =
          e.compare(dhlo::CompareDirection::EQ, e.iota(i, sizes, i64),
                    e.iota(j, sizes, i64));
      term.value = e.reduce(dhlo::ReduceKind::Sum,
                            e.select(isDiagonal, term.value,
                                     e.constant(e.elementType(term.value), 0)),
                            {static_cast<int64_t>(j)});
      term.labels.erase(term.labels.begin() + j--);
    }
  return true;
}

void Einsum::sumUnneeded(Labelled &term,
                         llvm::function_ref<bool(char)> needed) {
  SmallVector<int64_t> axes;
  SmallVector<char> kept;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (needed(label))
      kept.push_back(label);
    else
      axes.push_back(i);
  }
  term = {e.reduce(dhlo::ReduceKind::Sum, term.value, axes), kept};
}

Value Einsum::arrange(const Labelled &term, ArrayRef<char> labels) {
  SmallVector<int64_t> permutation;
  for (char label : labels)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return e.transpose(term.value, permutation);
}

Labelled Einsum::multiply(Labelled lhs, Labelled rhs,
                          llvm::function_ref<bool(char)> needed) {
  sumUnneeded(lhs, [&](char l) {
    return needed(l) || llvm::is_contained(rhs.labels, l);
  });
  sumUnneeded(rhs, [&](char l) {
    return needed(l) || llvm::is_contained(lhs.labels, l);
  });
  SmallVector<char> batch, sum, left, right;
  for (char label : lhs.labels) {
    if (!llvm::is_contained(rhs.labels, label))
      left.push_back(label);
    else
      (needed(label) ? batch : sum).push_back(label);
  }
  for (char label : rhs.labels)
    if (!llvm::is_contained(lhs.labels, label))
      right.push_back(label);
  auto order = [&](ArrayRef<char> first, ArrayRef<char> second) {
    SmallVector<char> labels(batch);
    labels.append(first.begin(), first.end());
    labels.append(second.begin(), second.end());
    return labels;
  };
  Value l = arrange(lhs, order(left, sum)), r = arrange(rhs, order(sum, right));
  if (!l || !r)
    return {};
  // Shared sizes of 1 are broadcast.
  auto b = static_cast<int64_t>(batch.size());
  auto s = static_cast<int64_t>(sum.size());
  auto m = static_cast<int64_t>(left.size());
  Sizes lSizes = e.sizes(l), rSizes = e.sizes(r);
  SmallVector<int64_t> lSum, rSum;
  auto match = [&](int64_t i, int64_t j) {
    DimExpr size = e.broadcastSize(lSizes[i], rSizes[j]);
    if (size)
      lSizes[i] = rSizes[j] = size;
  };
  for (int64_t i = 0; i < b; ++i)
    match(i, i);
  for (int64_t i = 0; i < s; ++i) {
    match(b + m + i, b + i);
    lSum.push_back(b + m + i);
    rSum.push_back(b + i);
  }
  SmallVector<char> labels(batch);
  labels.append(left);
  labels.append(right);
  return {
      e.dot(e.broadcastTo(l, lSizes), e.broadcastTo(r, rSizes), b, lSum, rSum),
      labels};
}

LogicalResult Einsum::run() {
  StringRef equation = c.getString("equation", "");
  auto malformed = [&] {
    return c.error("expected an equation that fits the operands, found '" +
                   equation + "'");
  };
  std::string text;
  for (char ch : equation)
    if (ch != ' ')
      text += ch;
  auto [inputs, output] = StringRef(text).split("->");
  bool isExplicit = StringRef(text).contains("->");
  SmallVector<StringRef> parts;
  inputs.split(parts, ',');
  if (parts.size() != c.numInputs())
    return malformed();
  SmallVector<Labelled> terms(parts.size());
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value value = c.in(i);
    if (!value)
      return failure();
    if (!readTerm(part, value, terms[i]))
      return malformed();
  }
  SmallVector<char> wanted;
  auto addEllipsis = [&] {
    for (int64_t i = 24 - ellipsis; i < 24; ++i)
      wanted.push_back(static_cast<char>(i + 1));
  };
  if (isExplicit) {
    for (size_t i = 0; i < output.size(); ++i) {
      if (output.substr(i).starts_with("...")) {
        addEllipsis();
        i += 2;
      } else {
        wanted.push_back(output[i]);
      }
    }
  } else {
    // Labels that occur once, in alphabetical order.
    addEllipsis();
    for (int ch = 'A'; ch <= 'z'; ++ch)
      if (llvm::isAlpha(ch) && inputs.count(static_cast<char>(ch)) == 1)
        wanted.push_back(static_cast<char>(ch));
  }
  for (auto [i, label] : llvm::enumerate(wanted)) {
    bool known = llvm::any_of(terms, [&, l = label](const Labelled &term) {
      return llvm::is_contained(term.labels, l);
    });
    if (!known || llvm::count(wanted, label) != 1)
      return malformed();
  }
  Labelled result = terms.front();
  for (size_t i = 1; i < terms.size() && result.value; ++i)
    result = multiply(result, terms[i], [&](char label) {
      return llvm::is_contained(wanted, label) ||
             llvm::any_of(ArrayRef<Labelled>(terms).drop_front(i + 1),
                          [&](const Labelled &term) {
                            return llvm::is_contained(term.labels, label);
                          });
    });
  if (!result.value)
    return failure();
  sumUnneeded(result,
              [&](char label) { return llvm::is_contained(wanted, label); });
  return c.result(result.value ? arrange(result, wanted) : Value());
}

LogicalResult importEinsum(OpContext &c) { return Einsum(c).run(); }

} // namespace

void onnx::registerContraction(OpRegistry &r) {
  r.add("MatMul", 1, importMatMul);
  r.add("Gemm", 1, importGemm);
  r.add("MatMulInteger", 10, importMatMulInteger);
  r.add("Einsum", 12, importEinsum);
}
