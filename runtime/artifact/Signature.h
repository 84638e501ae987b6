//===- Signature.h - The signature of an entry: checks and text -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_SIGNATURE_H
#define DYN_RUNTIME_ARTIFACT_SIGNATURE_H

#include "Status.h"

#include <string>
#include <vector>

namespace dyn::rt {

/// A port of the signature with its text.
class Port {
public:
  explicit Port(const dyn_port_t &port);

  const dyn_port_t &desc() const { return *port; }
  const std::string &text() const { return words; }
  dyn_port_info_t info() const;

private:
  const dyn_port_t *port;
  std::vector<int64_t> extents;
  std::vector<const char *> sizes;
  std::string words; ///< "f32[batch, 3, 2 * s + 1]"
};

/// The device whose memory a tensor is in.
struct DeviceId {
  dyn_device_kind_t device;
  int32_t ordinal; ///< 0 on the CPU
};

/// An entry of a validated descriptor. Immutable.
class Signature {
public:
  explicit Signature(const dyn_entry_t &entry);

  const dyn_entry_t &desc() const { return *entry; }
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// Checks the inputs of a call and binds the symbols: writes their values to
  /// `dims` and the data of the inputs to `data`. A symbol is bound by the
  /// first axis, in order of inputs, whose size it is; later ones must agree.
  /// Data is in host memory or on `deviceId`. Messages contain the input and
  /// axis, the expected and the actual value. Allocates nothing.
  dyn_status_t bind(const dyn_tensor_t *tensors, uint32_t count,
                    DeviceId deviceId, int64_t *dims, const void **data) const;

private:
  dyn_status_t checkCount(uint32_t count) const;
  dyn_status_t checkTensor(const Port &port, const dyn_tensor_t &tensor,
                           DeviceId deviceId) const;
  dyn_status_t bindAxis(uint32_t input, uint32_t axis, int64_t size,
                        int64_t *dims) const;
  dyn_status_t checkRange(const Port &port, uint32_t axis, int32_t dim,
                          int64_t value) const;
  dyn_status_t checkExpressions(const dyn_tensor_t *tensors,
                                const int64_t *dims) const;

  const dyn_entry_t *entry;
  std::vector<Port> inputPorts, outputPorts;
  /// The input and axis that bind each symbol.
  struct Binder {
    uint32_t input, axis;
  };
  std::vector<Binder> binders;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_SIGNATURE_H
