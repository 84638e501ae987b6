//===- Recurrent.cpp - Recurrent operators of ONNX ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Loops.h"
#include "Quantization.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using dhlo::CompareDirection;
using llvm::Twine;

namespace {

/// A function of gates or states, by its name in lower case.
struct Activation {
  StringRef name;
  /// The number of parameters: alpha, or alpha and beta.
  unsigned parameters = 0;
  double alpha = 0, beta = 0;

  Value apply(Emitter &e, Value x) const;
};

/// All activations, with the defaults of their parameters.
constexpr Activation kActivations[] = {
    {"sigmoid"},
    {"tanh"},
    {"relu"},
    {"softsign"},
    {"softplus"},
    {"leakyrelu", 1, 0.01},
    {"thresholdedrelu", 1, 1},
    {"elu", 1, 1},
    {"affine", 2, 1, 0},
    {"scaledtanh", 2, 1, 1},
    {"hardsigmoid", 2, 0.2, 0.5},
};

Value Activation::apply(Emitter &e, Value x) const {
  if (name == "sigmoid")
    return e.unary<dhlo::LogisticOp>(x);
  if (name == "tanh")
    return e.unary<dhlo::TanhOp>(x);
  if (name == "softsign")
    return softsign(e, x);
  if (name == "softplus")
    return softplus(e, x);
  if (name == "leakyrelu")
    return leakyRelu(e, x, alpha);
  if (name == "thresholdedrelu")
    return thresholdedRelu(e, x, alpha);
  if (name == "elu")
    return elu(e, x, alpha);
  if (name == "affine")
    return e.add(e.mul(x, alpha), beta);
  if (name == "scaledtanh")
    return e.mul(e.unary<dhlo::TanhOp>(e.mul(x, beta)), alpha);
  if (name == "hardsigmoid")
    return hardSigmoid(e, x, alpha, beta);
  return e.maximum(x, 0.0);
}

/// The common part of LSTM, GRU and RNN. Tensors are sequence first; a node
/// with layout 1 is transposed before and after.
class Recurrence {
public:
  Recurrence(OpContext &c, int64_t gates) : c(c), e(c.e), gates(gates) {}

  /// With `areIntegers`, weights [directions, in, gates * H] are integers with
  /// scales and zero points from input 8 on.
  bool read(ArrayRef<StringRef> defaultActivations, bool areIntegers = false);
  bool hasDefaultActivations() const { return isDefault; }

  /// Returns each direction's results of `step`, which computes the next states
  /// from x W^T + b of a step, the recurrent weights and the states.
  using Step = llvm::function_ref<SmallVector<Value>(
      int64_t direction, Value input, ArrayRef<Value> states)>;
  /// Runs all directions; sets Y and the last states.
  LogicalResult run(unsigned numStates, ArrayRef<Value> initial,
                    bool addsRecurrentBias, Step step);
  LogicalResult importLstm();

  Value activate(int64_t direction, unsigned i, Value x);
  /// Part `gate` of [..., gates * H].
  Value gate(Value x, int64_t i) {
    return x ? e.sliceAxis(x, e.rank(x) - 1,
                           dhlo::mul(e.dims.expand(hidden), i), hidden)
             : x;
  }
  /// x R^T for the recurrent weights of a direction, all gates.
  Value recur(int64_t direction, Value h) {
    return recur(direction, h, 0, gates);
  }
  /// The same for `count` gates from `first` on.
  Value recur(int64_t direction, Value h, int64_t first, int64_t count) {
    Value weights = ofDirection(recurrent, direction);
    DimExpr size = e.dims.expand(hidden);
    if (count != gates)
      weights = e.sliceAxis(weights, 0, dhlo::mul(size, first),
                            dhlo::mul(size, count));
    return e.dot(h, weights, 0, {1}, {1});
  }
  /// The second half of a direction's bias; null without bias.
  Value recurrentBias(int64_t direction) {
    if (!bias)
      return {};
    DimExpr half = dhlo::mul(e.dims.expand(hidden), gates);
    return e.sliceAxis(ofDirection(bias, direction), 0, half, half);
  }
  Value ofDirection(Value x, int64_t direction) {
    return e.squeeze(e.sliceAxis(x, 0, e.size(direction), e.size(1)), {0});
  }

  OpContext &c;
  Emitter &e;
  int64_t gates;
  int64_t directions = 1;
  Value x, weights, recurrent, bias, lengths;
  DimExpr hidden;

private:
  bool readActivations(ArrayRef<StringRef> defaults);
  Value readIntegers(Value matrix, unsigned scaleInput);
  Value toBatchFirst(Value v) {
    return v && layout == 1 ? e.transpose(v, {1, 0, 2}) : v;
  }

  StringRef direction;
  SmallVector<Activation> activations;
  bool isDefault = true;
  double clip = 0;
  int64_t layout = 0;
};

/// Alphas and betas are those of the functions that have them, in order.
bool Recurrence::readActivations(ArrayRef<StringRef> defaults) {
  SmallVector<StringRef> names;
  for (int64_t i = 0; i < directions; ++i)
    names.append(defaults.begin(), defaults.end());
  SmallVector<StringRef> stated(names);
  if (const NodeAttribute *given = c.attr("activations");
      given && !given->strings.empty())
    stated.assign(given->strings.begin(), given->strings.end());
  // Exporters write those of both directions for one.
  if (stated.size() < names.size()) {
    (void)c.error("expected " + Twine(defaults.size()) +
                  " activations for each direction");
    return false;
  }
  auto alphas = c.getFloats("activation_alpha").value_or(ArrayRef<float>());
  auto betas = c.getFloats("activation_beta").value_or(ArrayRef<float>());
  auto take = [](ArrayRef<float> &values, double &parameter) {
    if (values.empty())
      return;
    parameter = values.front();
    values = values.drop_front();
  };
  for (auto [name, byDefault] : llvm::zip(stated, names)) {
    const Activation *known =
        llvm::find_if(kActivations, [name = name](const Activation &a) {
          return name.equals_insensitive(a.name);
        });
    if (known == std::end(kActivations)) {
      (void)c.error("activation '" + name + "' is not supported");
      return false;
    }
    isDefault &= name.equals_insensitive(byDefault);
    Activation activation = *known;
    if (activation.parameters > 0)
      take(alphas, activation.alpha);
    if (activation.parameters > 1)
      take(betas, activation.beta);
    activations.push_back(activation);
  }
  return true;
}

Value Recurrence::readIntegers(Value matrix, unsigned scaleInput) {
  Value scale = c.in(scaleInput), zero = c.in(scaleInput + 1);
  if (!matrix || !scale || !zero)
    return {};
  // One for each direction, or for each of its columns.
  auto spread = [&](Value v) {
    Sizes sizes = e.sizes(v);
    sizes.resize(2, e.size(1));
    return e.reshape(v, {sizes[0], e.size(1), sizes[1]});
  };
  Value centred = centre(c, matrix, spread(zero), e.builder.getI32Type());
  return e.transpose(
      e.mul(e.convert(centred, e.elementType(scale)), spread(scale)),
      {0, 2, 1});
}

bool Recurrence::read(ArrayRef<StringRef> defaultActivations,
                      bool areIntegers) {
  x = c.in(0);
  weights = areIntegers ? readIntegers(c.in(1), 8) : c.in(1);
  recurrent = areIntegers ? readIntegers(c.in(2), 10) : c.in(2);
  bias = c.optional(3);
  lengths = c.has(4) ? e.index(c.in(4)) : Value();
  if (!x || !weights || !recurrent)
    return false;
  direction = c.getString("direction", "forward");
  clip = c.getFloat("clip", 0);
  layout = c.getInt("layout", 0);
  c.ignore({"hidden_size", "output_sequence"});
  directions = direction == "bidirectional" ? 2 : 1;
  if (direction != "forward" && direction != "reverse" && directions != 2) {
    (void)c.error("expected direction forward, reverse or bidirectional, "
                  "found '" +
                  direction + "'");
    return false;
  }
  if (e.rank(x) != 3 || e.rank(weights) != 3 || e.rank(recurrent) != 3 ||
      (bias && e.rank(bias) != 2)) {
    (void)c.error("expected input and weights of rank 3, and a bias of rank 2");
    return false;
  }
  hidden = e.dim(recurrent, 2);
  if (!readActivations(defaultActivations))
    return false;
  if (layout == 1)
    x = e.transpose(x, {1, 0, 2});
  isDefault &= clip == 0;
  return true;
}

Value Recurrence::activate(int64_t dir, unsigned i, Value v) {
  if (clip > 0)
    v = e.minimum(e.maximum(v, -clip), clip);
  return activations[dir * (activations.size() / directions) + i].apply(e, v);
}

LogicalResult Recurrence::run(unsigned numStates, ArrayRef<Value> initial,
                              bool addsRecurrentBias, Step step) {
  Type type = e.elementType(x);
  DimExpr steps = e.dim(x, 0), batch = e.dim(x, 1);
  Sizes stateSizes{batch, hidden}, rowSizes{steps, batch, hidden};
  SmallVector<Value> rows;
  SmallVector<SmallVector<Value>> last(numStates);
  for (int64_t dir = 0; dir < directions; ++dir) {
    bool isReverse = direction == "reverse" || dir == 1;
    // Terms that do not depend on the state are computed for all steps at once.
    Value inputs = e.dot(x, ofDirection(weights, dir), 0, {2}, {1});
    if (bias) {
      DimExpr half = dhlo::mul(e.dims.expand(hidden), gates);
      inputs = e.add(inputs,
                     e.sliceAxis(ofDirection(bias, dir), 0, e.size(0), half));
      if (addsRecurrentBias)
        inputs = e.add(inputs, recurrentBias(dir));
    }
    SmallVector<Value> states;
    for (unsigned i = 0; i < numStates; ++i) {
      Value init = i < initial.size() ? initial[i] : Value();
      states.push_back(init ? ofDirection(toBatchFirst(init), dir)
                            : e.full(type, 0, stateSizes));
    }
    states.push_back(e.full(type, 0, rowSizes));
    SmallVector<Value> result =
        emitCountedLoop(c, steps, states, [&](Value at, ArrayRef<Value> old) {
          Value row = at;
          if (isReverse)
            row = e.sub(e.sub(e.fromSize(steps), at), 1.0);
          SmallVector<Value> next =
              step(dir, readRow(c, inputs, row), old.drop_back());
          if (next.size() != numStates || llvm::is_contained(next, Value()))
            return SmallVector<Value>();
          Value shown = next.front();
          if (lengths) {
            // Past a sequence's length its states are unchanged and its rows
            // are zero.
            Value isInside = e.unsqueeze(
                e.compare(CompareDirection::LT,
                          e.convert(row, e.elementType(lengths)), lengths),
                {1});
            if (!isInside)
              return SmallVector<Value>();
            shown = e.select(isInside, shown, e.constant(type, 0));
            for (auto [value, before] : llvm::zip(next, old))
              value = e.select(isInside, value, before);
          }
          next.push_back(writeRow(c, old.back(), row, shown));
          return next;
        });
    if (result.empty())
      return failure();
    rows.push_back(e.unsqueeze(result.back(), {1}));
    for (unsigned i = 0; i < numStates; ++i)
      last[i].push_back(e.unsqueeze(result[i], {0}));
  }
  Value all = e.concat(rows, 1);
  c.out(0, layout == 1 && all ? e.transpose(all, {2, 0, 1, 3}) : all);
  for (unsigned i = 0; i < numStates; ++i)
    c.out(i + 1, toBatchFirst(e.concat(last[i], 0)));
  return success(all != nullptr);
}

LogicalResult Recurrence::importLstm() {
  Value hidden0 = toBatchFirst(c.optional(5));
  Value cell0 = toBatchFirst(c.optional(6));
  // [T, B, D, 4H], for all steps and directions at once.
  Value projected = e.dot(x, weights, 0, {2}, {2});
  if (bias && projected) {
    DimExpr half = dhlo::mul(e.dims.expand(hidden), gates);
    projected = e.add(projected, e.add(e.sliceAxis(bias, 1, e.size(0), half),
                                       e.sliceAxis(bias, 1, half, half)));
  }
  Value columns = e.transpose(recurrent, {0, 2, 1});
  if (!projected || !columns)
    return failure();
  auto kind = directions == 2          ? dhlo::RnnDirection::Bidirectional
              : direction == "reverse" ? dhlo::RnnDirection::Reverse
                                       : dhlo::RnnDirection::Forward;
  Type type = e.elementType(x);
  DimExpr d = e.size(directions), batch = e.dim(x, 1);
  Type last = e.type({d, batch, hidden}, type);
  auto lstm = dhlo::LstmOp::create(
      e.builder, e.loc, e.type({e.dim(x, 0), d, batch, hidden}, type), last,
      last, kind, projected, columns, hidden0, cell0, lengths);
  Value all = lstm.getHiddens();
  c.out(0, layout == 1 ? e.transpose(all, {2, 0, 1, 3}) : all);
  c.out(1, toBatchFirst(lstm.getLastHidden()));
  c.out(2, toBatchFirst(lstm.getLastCell()));
  return success();
}

template <bool areIntegers> LogicalResult importLstm(OpContext &c) {
  Recurrence r(c, 4);
  if (c.getInt("input_forget", 0) != 0)
    return c.error("input_forget is not supported");
  if (!r.read({"Sigmoid", "Tanh", "Tanh"}, areIntegers))
    return failure();
  Value peepholes = c.optional(7);
  if (r.hasDefaultActivations() && !peepholes)
    return r.importLstm();
  Emitter &e = c.e;
  return r.run(
      2, {c.optional(5), c.optional(6)}, /*addsRecurrentBias=*/true,
      [&](int64_t dir, Value input, ArrayRef<Value> states) {
        Value h = states[0], cell = states[1];
        // Gates in the order i, o, f, c; peepholes in the order i, o, f.
        Value all = e.add(input, r.recur(dir, h));
        auto peep = [&](Value gate, Value seen, int64_t i) {
          return peepholes
                     ? e.add(gate,
                             e.mul(r.gate(r.ofDirection(peepholes, dir), i),
                                   seen))
                     : gate;
        };
        Value in = r.activate(dir, 0, peep(r.gate(all, 0), cell, 0));
        Value forget = r.activate(dir, 0, peep(r.gate(all, 2), cell, 2));
        Value fresh = r.activate(dir, 1, r.gate(all, 3));
        Value next = e.add(e.mul(forget, cell), e.mul(in, fresh));
        Value out = r.activate(dir, 0, peep(r.gate(all, 1), next, 1));
        return SmallVector<Value>{e.mul(out, r.activate(dir, 2, next)), next};
      });
}

LogicalResult importGru(OpContext &c) {
  Recurrence r(c, 3);
  bool linearBeforeReset = c.getInt("linear_before_reset", 0) != 0;
  if (!r.read({"Sigmoid", "Tanh"}))
    return failure();
  Emitter &e = c.e;
  return r.run(
      1, {c.optional(5)}, /*addsRecurrentBias=*/false,
      [&](int64_t dir, Value input, ArrayRef<Value> states) {
        Value h = states[0], bias = r.recurrentBias(dir);
        auto biased = [&](Value v, int64_t i) {
          return bias ? e.add(v, r.gate(bias, i)) : v;
        };
        // Gates in the order z, r, h. The last one may read another state.
        Value all = r.recur(dir, h, 0, linearBeforeReset ? 3 : 2);
        Value update = r.activate(
            dir, 0, e.add(r.gate(input, 0), biased(r.gate(all, 0), 0)));
        Value reset = r.activate(
            dir, 0, e.add(r.gate(input, 1), biased(r.gate(all, 1), 1)));
        Value recurred;
        if (linearBeforeReset) {
          recurred = e.mul(reset, biased(r.gate(all, 2), 2));
        } else {
          recurred = biased(r.recur(dir, e.mul(reset, h), 2, 1), 2);
        }
        Value fresh = r.activate(dir, 1, e.add(r.gate(input, 2), recurred));
        Value one = e.constant(e.elementType(h), 1);
        return SmallVector<Value>{
            e.add(e.mul(e.sub(one, update), fresh), e.mul(update, h))};
      });
}

LogicalResult importRnn(OpContext &c) {
  Recurrence r(c, 1);
  if (!r.read({"Tanh"}))
    return failure();
  return r.run(1, {c.optional(5)}, /*addsRecurrentBias=*/true,
               [&](int64_t dir, Value input, ArrayRef<Value> states) {
                 return SmallVector<Value>{r.activate(
                     dir, 0, c.e.add(input, r.recur(dir, states[0])))};
               });
}

} // namespace

void onnx::registerRecurrent(OpRegistry &r) {
  r.add("LSTM", 1, importLstm<false>);
  r.add(kMicrosoft, "DynamicQuantizeLSTM", {1, importLstm<true>});
  r.add("GRU", 3, importGru);
  r.add("RNN", 1, importRnn);
}
