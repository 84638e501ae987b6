//===- Variant.cpp - An artifact among those of a model -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variant.h"

#include <cstring>

using namespace dyn::rt;

bool Variant::fits(uint32_t entry, const dyn_tensor_t *inputs,
                   uint32_t count) const {
  if (entry >= guards.size())
    return false;
  for (const SizeGuard &guard : guards[entry]) {
    if (guard.input >= count || guard.axis >= inputs[guard.input].rank ||
        !inputs[guard.input].shape)
      return false;
    int64_t size = inputs[guard.input].shape[guard.axis];
    if (size < guard.min || size > guard.max || size % guard.multipleOf != 0)
      return false;
  }
  return true;
}

bool Variant::isForAllSizes() const {
  for (const std::vector<SizeGuard> &entry : guards)
    if (!entry.empty())
      return false;
  return true;
}

const uint8_t *dyn::rt::weightsOf(const dyn_descriptor_t &root) {
  return root.sidecar ? root.weights : root.id;
}

namespace {
/// Compares an entry with that of the same number.
class EntryComparison {
public:
  EntryComparison(const Signature &base, const Signature &other,
                  std::vector<SizeGuard> &guards)
      : base(base), other(other), guards(guards) {}

  std::string run() {
    const std::string entry = base.desc().name;
    if (entry != other.desc().name)
      return differ("entry", entry, other.desc().name);
    std::string where = "entry '" + entry + "', ";
    std::string found = comparePorts(where + "input", base.inputs(),
                                     other.inputs(), /*guarded=*/true);
    if (found.empty())
      found = comparePorts(where + "output", base.outputs(), other.outputs(),
                           /*guarded=*/false);
    return found;
  }

private:
  static std::string differ(const std::string &what,
                            const std::string &expected,
                            const std::string &found) {
    return what + ": expected " + expected + ", found " + found;
  }

  std::string comparePorts(const std::string &what,
                           const std::vector<Port> &expected,
                           const std::vector<Port> &found, bool guarded) {
    if (expected.size() != found.size())
      return differ(what + "s", std::to_string(expected.size()),
                    std::to_string(found.size()));
    for (uint32_t i = 0; i < expected.size(); ++i) {
      const dyn_port_t &lhs = expected[i].desc(), &rhs = found[i].desc();
      std::string name = what + " " + std::to_string(i);
      if (std::string(lhs.name) != rhs.name)
        return differ(name, lhs.name, rhs.name);
      bool same = lhs.dtype == rhs.dtype && lhs.rank == rhs.rank;
      for (uint32_t axis = 0; same && axis < lhs.rank; ++axis)
        same = compareSize(lhs.sizes[axis], rhs.sizes[axis], i, axis, guarded);
      if (!same)
        return differ(name + " '" + lhs.name + "'", expected[i].text(),
                      found[i].text());
    }
    return "";
  }

  /// Whether a size permits no value that the model's does not.
  bool compareSize(const dyn_size_t &lhs, const dyn_size_t &rhs, uint32_t input,
                   uint32_t axis, bool guarded) {
    int64_t min = 0, max = INT64_MAX, multipleOf = 1;
    const dyn_dim_t *bound =
        lhs.dim >= 0 ? &base.desc().dims[lhs.dim] : nullptr;
    if (lhs.extent >= 0)
      return rhs.extent == lhs.extent;
    if (rhs.extent >= 0) {
      min = max = rhs.extent;
    } else if (std::string(lhs.text) != rhs.text) {
      return false;
    } else if (rhs.dim >= 0) {
      const dyn_dim_t &dim = other.desc().dims[rhs.dim];
      min = dim.min;
      max = dim.max;
      multipleOf = dim.multiple_of;
      if (bound && min == bound->min && max == bound->max &&
          multipleOf == bound->multiple_of)
        return true;
    } else {
      return true; // An expression of sizes that are compared themselves.
    }
    if (bound && (min < bound->min || max > bound->max ||
                  (min == max ? min : multipleOf) % bound->multiple_of != 0))
      return false;
    if (guarded)
      guards.push_back({input, axis, min, max, multipleOf});
    return true;
  }

  const Signature &base, &other;
  std::vector<SizeGuard> &guards;
};
} // namespace

std::string dyn::rt::findGuards(const dyn_artifact &base,
                                const dyn_artifact &other,
                                std::vector<std::vector<SizeGuard>> &guards) {
  if (std::memcmp(weightsOf(base.desc()), weightsOf(other.desc()),
                  sizeof(base.desc().id)) != 0)
    return "it does not share the model's weights (dyn-compile "
           "--share-weights)";
  size_t count = base.entries().size();
  if (other.entries().size() != count)
    return "entries: expected " + std::to_string(count) + ", found " +
           std::to_string(other.entries().size());
  guards.resize(count);
  for (size_t i = 0; i < count; ++i) {
    std::string reason =
        EntryComparison(base.entries()[i], other.entries()[i], guards[i]).run();
    if (!reason.empty())
      return reason;
  }
  return "";
}
