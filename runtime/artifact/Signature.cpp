//===- Signature.cpp - The signature of an entry: checks and text ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "SizeExpression.h"
#include "Types.h"

using namespace dyn::rt;

Port::Port(const dyn_port_t &port) : port(&port) {
  words = dyn_dtype_name(dyn_dtype_t(port.dtype));
  words += '[';
  for (uint32_t axis = 0; axis < port.rank; ++axis) {
    const dyn_size_t &size = port.sizes[axis];
    extents.push_back(size.extent);
    sizes.push_back(size.text);
    if (axis)
      words += ", ";
    words += size.text;
  }
  words += ']';
}

dyn_port_info_t Port::info() const {
  dyn_port_info_t info = {};
  info.name = port->name;
  info.dtype = dyn_dtype_t(port->dtype);
  info.rank = port->rank;
  info.extents = extents.data();
  info.sizes = sizes.data();
  info.text = words.c_str();
  return info;
}

Signature::Signature(const dyn_entry_t &entry)
    : entry(&entry), binders(entry.dim_count, {UINT32_MAX, 0}) {
  for (uint32_t i = 0; i < entry.input_count; ++i)
    inputPorts.emplace_back(entry.inputs[i]);
  for (uint32_t i = 0; i < entry.output_count; ++i)
    outputPorts.emplace_back(entry.outputs[i]);
  for (uint32_t i = 0; i < entry.input_count; ++i)
    for (uint32_t axis = 0; axis < entry.inputs[i].rank; ++axis) {
      const dyn_size_t &size = entry.inputs[i].sizes[axis];
      if (size.extent < 0 && size.dim >= 0 &&
          binders[size.dim].input == UINT32_MAX)
        binders[size.dim] = {i, axis};
    }
}

dyn_status_t Signature::bind(const dyn_tensor_t *tensors, uint32_t count,
                             DeviceId deviceId, int64_t *dims,
                             const void **data) const {
  if (count != entry->input_count)
    return checkCount(count);
  if (count && !tensors)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "inputs is null");
  bool hasExpressions = false;
  for (uint32_t i = 0; i < count; ++i) {
    const Port &port = inputPorts[i];
    const dyn_tensor_t &tensor = tensors[i];
    DYN_RETURN_IF_FAILED(checkTensor(port, tensor, deviceId));
    for (uint32_t axis = 0; axis < tensor.rank; ++axis) {
      const dyn_size_t &expected = port.desc().sizes[axis];
      int64_t size = tensor.shape[axis];
      if (expected.extent >= 0) {
        if (size != expected.extent)
          return fail(DYN_STATUS_INVALID_ARGUMENT,
                      "input '%s', axis %u: expected %lld in %s, got %lld",
                      port.desc().name, axis, (long long)expected.extent,
                      port.text().c_str(), (long long)size);
      } else if (expected.dim >= 0) {
        DYN_RETURN_IF_FAILED(bindAxis(i, axis, size, dims));
      } else {
        hasExpressions = true;
      }
    }
    data[i] = tensor.data;
  }
  return hasExpressions ? checkExpressions(tensors, dims) : DYN_STATUS_OK;
}

dyn_status_t Signature::checkCount(uint32_t count) const {
  std::string names;
  for (const Port &port : inputPorts)
    names += (names.empty() ? " (" : ", ") + std::string(port.desc().name);
  if (!names.empty())
    names += ')';
  return fail(DYN_STATUS_INVALID_ARGUMENT,
              "entry '%s' takes %u inputs%s, got %u", entry->name,
              entry->input_count, names.c_str(), count);
}

dyn_status_t Signature::checkTensor(const Port &port,
                                    const dyn_tensor_t &tensor,
                                    DeviceId deviceId) const {
  const char *name = port.desc().name;
  const char *type = port.text().c_str();
  if (tensor.dtype != port.desc().dtype)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s': expected %s, got elements of %s", name, type,
                dyn_dtype_name(dyn_dtype_t(tensor.dtype)));
  if (tensor.rank != port.desc().rank)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s': expected rank %u, %s, got rank %u", name,
                port.desc().rank, type, tensor.rank);
  if (tensor.device != DYN_DEVICE_CPU) {
    if (tensor.device != uint32_t(deviceId.device))
      return fail(DYN_STATUS_UNSUPPORTED,
                  "input '%s': expected a tensor in the CPU's memory%s, got "
                  "device %u",
                  name,
                  deviceId.device == DYN_DEVICE_CPU ? "" : " or the device's",
                  tensor.device);
    if (tensor.device_ordinal != deviceId.ordinal)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "input '%s': expected a tensor of device %d, got one of "
                  "device %d",
                  name, int(deviceId.ordinal), int(tensor.device_ordinal));
  }
  if (tensor.rank && !tensor.shape)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "input '%s': the shape is null",
                name);
  for (uint32_t axis = 0; axis < tensor.rank; ++axis)
    if (tensor.shape[axis] < 0)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "input '%s', axis %u: the size %lld is negative", name, axis,
                  (long long)tensor.shape[axis]);
  std::optional<int64_t> bytes =
      tensorBytes(tensor.dtype, tensor.rank, tensor.shape);
  if (!bytes)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s': the number of bytes does not fit in 63 bits",
                name);
  if (*bytes && !tensor.data)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s' is missing: expected %s, got null", name, type);
  size_t alignment = dyn_dtype_size(dyn_dtype_t(tensor.dtype));
  if (reinterpret_cast<uintptr_t>(tensor.data) % alignment != 0)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s': expected data aligned to %zu bytes, got %p", name,
                alignment, tensor.data);
  return DYN_STATUS_OK;
}

dyn_status_t Signature::bindAxis(uint32_t input, uint32_t axis, int64_t size,
                                 int64_t *dims) const {
  const Port &port = inputPorts[input];
  int32_t dim = port.desc().sizes[axis].dim;
  const Binder &binder = binders[dim];
  if (binder.input == input && binder.axis == axis) {
    dims[dim] = size;
    return checkRange(port, axis, dim, size);
  }
  if (size != dims[dim])
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s', axis %u: expected %s = %lld as in input '%s', "
                "axis %u, got %lld",
                port.desc().name, axis, entry->dims[dim].name,
                (long long)dims[dim], inputPorts[binder.input].desc().name,
                binder.axis, (long long)size);
  return DYN_STATUS_OK;
}

dyn_status_t Signature::checkRange(const Port &port, uint32_t axis, int32_t dim,
                                   int64_t value) const {
  const dyn_dim_t &declared = entry->dims[dim];
  if (value < declared.min || value > declared.max) {
    if (declared.max == INT64_MAX)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "input '%s', axis %u: expected %s of at least %lld, got %lld",
                  port.desc().name, axis, declared.name,
                  (long long)declared.min, (long long)value);
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s', axis %u: expected %s in [%lld, %lld], got %lld",
                port.desc().name, axis, declared.name, (long long)declared.min,
                (long long)declared.max, (long long)value);
  }
  if (value % declared.multiple_of != 0)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "input '%s', axis %u: expected %s to be a multiple of %lld, "
                "got %lld",
                port.desc().name, axis, declared.name,
                (long long)declared.multiple_of, (long long)value);
  return DYN_STATUS_OK;
}

/// Expressions are checked last, when every symbol is bound.
dyn_status_t Signature::checkExpressions(const dyn_tensor_t *tensors,
                                         const int64_t *dims) const {
  for (uint32_t i = 0; i < entry->input_count; ++i) {
    const dyn_port_t &port = entry->inputs[i];
    for (uint32_t axis = 0; axis < port.rank; ++axis) {
      const dyn_size_t &size = port.sizes[axis];
      if (size.extent >= 0 || size.dim >= 0)
        continue;
      std::optional<int64_t> expected = evaluate(size, dims);
      if (!expected)
        return fail(DYN_STATUS_INVALID_ARGUMENT,
                    "input '%s', axis %u: %s has no value at these sizes, got "
                    "%lld",
                    port.name, axis, size.text,
                    (long long)tensors[i].shape[axis]);
      if (*expected != tensors[i].shape[axis])
        return fail(DYN_STATUS_INVALID_ARGUMENT,
                    "input '%s', axis %u: expected %s = %lld, got %lld",
                    port.name, axis, size.text, (long long)*expected,
                    (long long)tensors[i].shape[axis]);
    }
  }
  return DYN_STATUS_OK;
}
