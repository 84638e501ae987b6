//===- FourierKernels.cpp - Fourier transforms of columns -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A pass divides transforms of n elements by a factor r (Stockham): elements
// that are n / r apart are transformed together, multiplied by powers of a root
// of order n, and are r transforms of n / r elements after that. Their results
// are written so that the last pass leaves all in order. Columns, and what
// passes have divided, are lanes of vectors, and so each element is computed by
// the same operations, whichever columns are beside its own.

#include "Codegen/CPU/Single/FourierKernels.h"

#include "Codegen/CPU/Gemm/Transposing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace dyn;

class FourierKernels::Emitter {
public:
  Emitter(CodeBuilder &b, const FourierKernels &kernels)
      : b(b), element(kernels.element),
        type(VectorType::get({kernels.lanes}, kernels.element)),
        bytes(kernels.element.getIntOrFloatBitWidth() / 8),
        isFused(kernels.isFused) {}

  void emitTransform(ValueRange args);
  void emitTranspose(ValueRange args);

private:
  /// A pass over columns of `left` elements, with all numbers in bytes but for
  /// the steps.
  struct Pass {
    Parts from, to, roots;
    Value apart;    ///< number of elements of a transform after it
    Value run;      ///< bytes that are computed in the same way
    Value rootStep; ///< of a root of order `left`
  };

  Value addFloat(Value x, Value y) {
    return arith::AddFOp::create(b.builder(), b.getLoc(), x, y);
  }
  Value subFloat(Value x, Value y) {
    return arith::SubFOp::create(b.builder(), b.getLoc(), x, y);
  }
  Value mulFloat(Value x, Value y) {
    return arith::MulFOp::create(b.builder(), b.getLoc(), x, y);
  }
  Value number(double v) {
    OpBuilder &builder = b.builder();
    return arith::ConstantOp::create(
        builder, b.getLoc(),
        DenseElementsAttr::get(
            type, static_cast<Attribute>(builder.getFloatAttr(element, v))));
  }
  Parts add(Parts x, Parts y) {
    return {addFloat(x.real, y.real), addFloat(x.imaginary, y.imaginary)};
  }
  Parts sub(Parts x, Parts y) {
    return {subFloat(x.real, y.real), subFloat(x.imaginary, y.imaginary)};
  }
  /// x * factor + y, for a real factor.
  Parts addTimes(Parts x, Value factor, Parts y) {
    return {b.multiplyAdd(x.real, factor, y.real, isFused),
            b.multiplyAdd(x.imaginary, factor, y.imaginary, isFused)};
  }
  /// x - i y and x + i y.
  Parts subTurned(Parts x, Parts y) {
    return {addFloat(x.real, y.imaginary), subFloat(x.imaginary, y.real)};
  }
  Parts addTurned(Parts x, Parts y) {
    return {subFloat(x.real, y.imaginary), addFloat(x.imaginary, y.real)};
  }
  /// x times the conjugate of `root`.
  Parts divide(Parts x, Parts root) {
    Value real = b.multiplyAdd(x.real, root.real,
                               mulFloat(x.imaginary, root.imaginary), isFused);
    Value imaginary = subFloat(mulFloat(x.imaginary, root.real),
                               mulFloat(x.real, root.imaginary));
    return {real, imaginary};
  }
  Parts load(Parts from, Value offset, Type as) {
    return {b.load(as, b.offset(from.real, offset)),
            b.load(as, b.offset(from.imaginary, offset))};
  }
  void store(Parts x, Parts to, Value offset) {
    b.store(x.real, b.offset(to.real, offset));
    b.store(x.imaginary, b.offset(to.imaginary, offset));
  }
  /// Power `index` of the root, in all lanes.
  Parts loadRoot(const Pass &pass, Value index) {
    Parts root = load(pass.roots, b.mul(index, bytes), element);
    return {b.splat(type, root.real), b.splat(type, root.imaginary)};
  }
  void forVectors(Value end, llvm::function_ref<void(Value)> body) {
    b.forLoop(b.constant(0), end, b.constant(type.getNumElements() * bytes),
              body);
  }

  SmallVector<Parts> emitFour(ArrayRef<Parts> x);
  SmallVector<Parts> emitOdd(ArrayRef<Parts> x);
  void emitPass(const Pass &pass, int64_t factor);
  void emitAnyPass(const Pass &pass, Value factor);

  CodeBuilder &b;
  Type element;
  VectorType type;
  int64_t bytes;
  bool isFused;
};

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

SmallVector<Parts> FourierKernels::Emitter::emitFour(ArrayRef<Parts> x) {
  Parts even = add(x[0], x[2]), evenApart = sub(x[0], x[2]);
  Parts odd = add(x[1], x[3]), oddApart = sub(x[1], x[3]);
  return {add(even, odd), subTurned(evenApart, oddApart), sub(even, odd),
          addTurned(evenApart, oddApart)};
}

/// Cosines are the same for elements k and r - k, and sines are the opposite:
/// sums and differences of such pairs give pairs of results.
SmallVector<Parts> FourierKernels::Emitter::emitOdd(ArrayRef<Parts> x) {
  int64_t factor = x.size();
  SmallVector<Parts> sums, differences, y(factor);
  y[0] = x[0];
  for (int64_t k = 1; k <= factor / 2; ++k) {
    sums.push_back(add(x[k], x[factor - k]));
    differences.push_back(sub(x[k], x[factor - k]));
    y[0] = add(y[0], sums.back());
  }
  for (int64_t j = 1; j <= factor / 2; ++j) {
    Parts even = x[0], odd;
    for (int64_t k = 1; k <= factor / 2; ++k) {
      double angle = 2 * M_PI * static_cast<double>(j * k % factor) /
                     static_cast<double>(factor);
      Value sine = number(std::sin(angle));
      Parts d = differences[k - 1];
      even = addTimes(sums[k - 1], number(std::cos(angle)), even);
      odd = k == 1 ? Parts{mulFloat(d.real, sine), mulFloat(d.imaginary, sine)}
                   : addTimes(d, sine, odd);
    }
    y[j] = subTurned(even, odd);
    y[factor - j] = addTurned(even, odd);
  }
  return y;
}

void FourierKernels::Emitter::emitPass(const Pass &pass, int64_t factor) {
  Value stride = b.mul(pass.apart, pass.run);
  b.forLoop(pass.apart, [&](Value p) {
    SmallVector<Parts> roots(factor);
    for (int64_t j = 1; j < factor; ++j)
      roots[j] = loadRoot(pass, b.mul(b.mul(p, pass.rootStep), j));
    Value first = b.mul(p, pass.run), target = b.mul(first, factor);
    forVectors(pass.run, [&](Value t) {
      SmallVector<Parts> x, y;
      for (int64_t k = 0; k < factor; ++k)
        x.push_back(
            load(pass.from, b.add(b.add(first, t), b.mul(stride, k)), type));
      if (factor == 2)
        y = {add(x[0], x[1]), sub(x[0], x[1])};
      else
        y = factor == 4 ? emitFour(x) : emitOdd(x);
      for (int64_t j = 0; j < factor; ++j)
        store(j == 0 ? y[j] : divide(y[j], roots[j]), pass.to,
              b.add(b.add(target, t), b.mul(pass.run, j)));
    });
  });
}

/// The same as emitOdd, with sums and differences in the memory of the
/// elements.
void FourierKernels::Emitter::emitAnyPass(const Pass &pass, Value factor) {
  Value zero = b.constant(0), one = b.constant(1);
  Value stride = b.mul(pass.apart, pass.run);
  Value end = b.add(b.div(factor, 2), 1);
  Value rootOfFactor = b.mul(pass.apart, pass.rootStep);
  auto emit = [&](Value p, Value t) {
    Value first = b.add(b.mul(p, pass.run), t);
    Value target = b.add(b.mul(b.mul(p, pass.run), factor), t);
    auto source = [&](Value k) { return b.add(first, b.mul(stride, k)); };
    Parts x = load(pass.from, first, type);
    SmallVector<Value> sum = b.forLoop(
        one, end, one, {x.real, x.imaginary}, [&](Value k, ValueRange old) {
          Value other = source(b.sub(factor, k));
          Parts low = load(pass.from, source(k), type);
          Parts high = load(pass.from, other, type);
          Parts both = add(low, high);
          store(both, pass.from, source(k));
          store(sub(low, high), pass.from, other);
          Parts next = add({old[0], old[1]}, both);
          return SmallVector<Value>{next.real, next.imaginary};
        });
    store({sum[0], sum[1]}, pass.to, target);
    b.forLoop(one, end, one, [&](Value j) {
      Value none = b.zero(type);
      SmallVector<Value> sums = b.forLoop(
          one, end, one, {x.real, x.imaginary, none, none, zero},
          [&](Value k, ValueRange old) {
            Value turn = b.add(old[4], j);
            turn = b.select(b.lt(turn, factor), turn, b.sub(turn, factor));
            Parts root = loadRoot(pass, b.mul(turn, rootOfFactor));
            Parts low = load(pass.from, source(k), type);
            Parts high = load(pass.from, source(b.sub(factor, k)), type);
            Parts even = addTimes(low, root.real, {old[0], old[1]});
            Parts odd = addTimes(high, root.imaginary, {old[2], old[3]});
            return SmallVector<Value>{even.real, even.imaginary, odd.real,
                                      odd.imaginary, turn};
          });
      Parts even = {sums[0], sums[1]}, odd = {sums[2], sums[3]};
      auto finish = [&](Parts y, Value number) {
        Value power = b.mul(b.mul(p, pass.rootStep), number);
        store(divide(y, loadRoot(pass, power)), pass.to,
              b.add(target, b.mul(pass.run, number)));
      };
      finish(subTurned(even, odd), j);
      finish(addTurned(even, odd), b.sub(factor, j));
    });
  };
  b.forLoop(pass.apart, [&](Value p) {
    forVectors(pass.run, [&](Value t) { emit(p, t); });
  });
}

void FourierKernels::Emitter::emitTransform(ValueRange args) {
  Value factors = args[6], count = args[7], size = args[8], columns = args[9];
  Value one = b.constant(1);
  b.forLoop(b.constant(0), count, one,
            {one, size, args[0], args[1], args[2], args[3]},
            [&](Value i, ValueRange old) {
              Value factor =
                  b.load(one.getType(), b.offset(factors, b.mul(i, 8)));
              Value done = old[0], apart = b.div(old[1], factor);
              Pass pass = {{old[2], old[3]},
                           {old[4], old[5]},
                           {args[4], args[5]},
                           apart,
                           b.mul(b.mul(done, columns), bytes),
                           b.mul(done, args[10])};
              std::function<void(ArrayRef<int64_t>)> choose =
                  [&](ArrayRef<int64_t> known) {
                    if (known.empty())
                      return emitAnyPass(pass, factor);
                    b.ifThen(
                        b.eq(factor, b.constant(known[0])),
                        [&] { emitPass(pass, known[0]); },
                        [&] { choose(known.drop_front()); });
                  };
              choose({4, 2, 3, 5});
              return SmallVector<Value>{
                  b.mul(done, factor), apart, old[4], old[5], old[2], old[3]};
            });
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

void FourierKernels::Emitter::emitTranspose(ValueRange args) {
  Parts from = {args[0], args[1]}, to = {args[2], args[3]};
  Value rows = args[4], columns = args[5];
  int64_t lanes = type.getNumElements();
  Value zero = b.constant(0), step = b.constant(lanes);
  auto emitSquare = [&](Value row, Value column) {
    SmallVector<Value> offsets;
    for (int64_t i = 0; i < lanes; ++i)
      offsets.push_back(
          b.mul(b.add(b.mul(b.add(row, i), columns), column), bytes));
    // One part after the other: both would not fit the registers.
    for (bool isReal : {true, false}) {
      SmallVector<Value> square;
      for (Value offset : offsets) {
        Parts x = load(from, offset, type);
        if (args.size() > 6)
          x = divide(x, load({args[6], args[7]}, offset, type));
        square.push_back(isReal ? x.real : x.imaginary);
      }
      square = dyn::emitTranspose(b, std::move(square));
      for (auto [i, line] : llvm::enumerate(square)) {
        Value at = b.mul(b.add(b.mul(b.add(column, i), rows), row), bytes);
        b.store(line, b.offset(isReal ? to.real : to.imaginary, at));
      }
    }
  };
  b.forLoop(zero, rows, step, [&](Value row) {
    b.forLoop(zero, columns, step,
              [&](Value column) { emitSquare(row, column); });
  });
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

FourierKernels::FourierKernels(Operation *symbolTable, Type element,
                               const RegisterInfo &registers)
    : symbolTable(symbolTable), element(element),
      lanes(std::min<int64_t>(kColumns, registers.vectorBits /
                                            element.getIntOrFloatBitWidth())),
      isFused(registers.hasFma) {}

static std::string getName(StringRef function, Type element) {
  return (function + (element.isF64() ? "_f64" : "")).str();
}

void FourierKernels::transform(CodeBuilder &b, Parts from, Parts to,
                               const Transform &t) {
  callHelper(b, symbolTable, getName("fourier_columns", element),
             {from.real, from.imaginary, to.real, to.imaginary, t.roots.real,
              t.roots.imaginary, t.factors, t.count, t.size, t.columns,
              t.rootStep},
             [&](CodeBuilder &code, ValueRange args) {
               Emitter(code, *this).emitTransform(args);
             });
}

void FourierKernels::transpose(CodeBuilder &b, Parts from, Parts to, Value rows,
                               Value columns, Parts powers) {
  SmallVector<Value> args = {from.real,    from.imaginary, to.real,
                             to.imaginary, rows,           columns};
  if (powers.real)
    args.append({powers.real, powers.imaginary});
  StringRef name =
      powers.real ? "fourier_transpose_powers" : "fourier_transpose";
  callHelper(b, symbolTable, getName(name, element), args,
             [&](CodeBuilder &code, ValueRange args) {
               Emitter(code, *this).emitTranspose(args);
             });
}
