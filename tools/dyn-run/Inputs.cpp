//===- Inputs.cpp - Inputs from the command line --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <optional>

using namespace dyn::run;
using llvm::StringRef;

namespace {
/// SplitMix64: the same numbers on every machine, which std's distributions do
/// not guarantee.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t bits() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

private:
  uint64_t state;
};
} // namespace

static llvm::Error invalidSpec(StringRef spec, const llvm::Twine &what) {
  return llvm::createStringError("--input " + spec + ": " + what);
}

namespace {
/// The range of random elements, [low, high).
struct Range {
  double low, high;
};
} // namespace

/// Whether an element of the type holds a number, but for rounding if it is of
/// floats.
static bool holds(dyn_dtype_t dtype, double value) {
  Tensor element(dtype, {});
  if (element.isFloat()) {
    element.setValue(0, value);
    return std::isfinite(element.value(0));
  }
  if (dtype == DYN_BOOL)
    return value == 0 || value == 1;
  bool isSigned = dtype < DYN_U8;
  double bound = std::ldexp(1, 8 * int(dyn_dtype_size(dtype)) - isSigned);
  return std::trunc(value) == value && value < bound &&
         value >= (isSigned ? -bound : 0);
}

static llvm::Expected<Range> parseRange(dyn_dtype_t dtype, StringRef spec,
                                        StringRef low, StringRef high) {
  Range range;
  if (low.getAsDouble(range.low) || high.getAsDouble(range.high) ||
      !(range.low < range.high))
    return invalidSpec(spec, "expected a range LO:HI with LO < HI, got '" +
                                 low + ":" + high + "'");
  bool isFloat = Tensor(dtype, {}).isFloat();
  // HI itself is no element, and the type need not hold it.
  double last = isFloat ? range.high : range.high - 1;
  if (!std::isfinite(range.high - range.low) || !holds(dtype, range.low) ||
      !holds(dtype, last))
    return invalidSpec(spec, "expected a range of finite numbers of " +
                                 llvm::Twine(dyn_dtype_name(dtype)) +
                                 ", got '" + low + ":" + high + "'");
  return range;
}

static llvm::Expected<Tensor> makeRandom(const PortDescription &port,
                                         StringRef spec, StringRef text,
                                         uint64_t seed) {
  llvm::SmallVector<StringRef> parts, sizes;
  text.split(parts, ':');
  parts[0].split(sizes, 'x', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<int64_t> shape;
  int64_t bytes = 16;
  for (StringRef size : sizes) {
    int64_t value;
    if (size.getAsInteger(10, value) || value < 0)
      return invalidSpec(spec, "expected sizes such as 1x3x224x224, got '" +
                                   parts[0] + "'");
    if (__builtin_mul_overflow(bytes, value ? value : 1, &bytes) ||
        bytes > int64_t(1) << 42)
      return invalidSpec(spec, "the tensor is larger than memory");
    shape.push_back(value);
  }
  std::optional<Range> given;
  if (parts.size() == 3) {
    llvm::Expected<Range> parsed =
        parseRange(port.dtype, spec, parts[1], parts[2]);
    if (!parsed)
      return parsed.takeError();
    given = *parsed;
  } else if (parts.size() != 1) {
    return invalidSpec(spec, "expected random:SIZES or random:SIZES:LO:HI");
  }
  const Range range = given.value_or(Range{0, 2});
  Tensor tensor(port.dtype, shape);
  Random random(seed ^ llvm::xxh3_64bits(port.name));
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    double value;
    if (tensor.isFloat() && !given)
      value = random.normal();
    else
      value = range.low + random.uniform() * (range.high - range.low);
    tensor.setValue(i, tensor.isFloat() ? value : std::floor(value));
  }
  return tensor;
}

/// Converts between floats or between integers; other tensors are unchanged,
/// and the runtime rejects them.
static Tensor convert(Tensor tensor, dyn_dtype_t dtype) {
  Tensor converted(dtype, tensor.shape());
  if (tensor.dtype() == dtype || tensor.isFloat() != converted.isFloat())
    return tensor;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    converted.setValue(i, tensor.value(i));
  return converted;
}

llvm::Expected<std::vector<Tensor>>
dyn::run::makeInputs(llvm::ArrayRef<PortDescription> ports,
                     llvm::ArrayRef<std::string> specs, StringRef archive,
                     uint64_t seed) {
  std::vector<std::optional<Tensor>> found(ports.size());
  auto indexOf = [&](StringRef name) -> llvm::Expected<size_t> {
    for (auto [i, port] : llvm::enumerate(ports))
      if (port.name == name)
        return i;
    std::string names;
    for (const PortDescription &port : ports)
      names += (names.empty() ? "'" : ", '") + port.name + "'";
    return llvm::createStringError("there is no input '" + name +
                                   "': expected one of " + names);
  };

  if (!archive.empty()) {
    auto tensors = readNpz(archive);
    if (!tensors)
      return tensors.takeError();
    for (NamedTensor &named : *tensors) {
      llvm::Expected<size_t> index = indexOf(named.name);
      if (!index)
        return index.takeError();
      found[*index] = convert(std::move(named.tensor), ports[*index].dtype);
    }
  }
  for (StringRef spec : specs) {
    auto [name, value] = spec.split('=');
    if (name.empty() || value.empty())
      return invalidSpec(spec, "expected NAME=FILE.npy or NAME=random:SIZES");
    llvm::Expected<size_t> index = indexOf(name);
    if (!index)
      return index.takeError();
    const PortDescription &port = ports[*index];
    bool random = value.consume_front("random:");
    llvm::Expected<Tensor> tensor =
        random ? makeRandom(port, spec, value, seed) : readNpy(value);
    if (!tensor)
      return tensor.takeError();
    found[*index] = convert(std::move(*tensor), port.dtype);
  }

  std::vector<Tensor> inputs;
  for (auto [port, tensor] : llvm::zip(ports, found)) {
    if (!tensor)
      return llvm::createStringError("input '" + port.name +
                                     "' is missing: expected " + port.text);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}
