//===- Wire.cpp - Bounded reader of the protobuf wire format --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wire.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using namespace dyn::onnx;
using llvm::StringRef;

float WireField::getFloat() const {
  uint32_t bits = static_cast<uint32_t>(value);
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

bool dyn::onnx::readVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    // The tenth byte has room for one bit.
    if (shift == 63 && byte > 1)
      return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

bool WireReader::next(WireField &field) {
  if (malformed || rest.empty())
    return false;
  uint64_t tag;
  if (!readVarint(rest, tag) || (tag >> 3) == 0 || (tag >> 3) > 0x1fffffff)
    return fail();
  field = WireField();
  field.number = static_cast<uint32_t>(tag >> 3);
  switch (tag & 7) {
  case 0:
    field.type = WireType::Varint;
    return readVarint(rest, field.value) || fail();
  case 1:
    field.type = WireType::Fixed64;
    if (rest.size() < 8)
      return fail();
    field.value = llvm::support::endian::read64le(rest.data());
    rest = rest.drop_front(8);
    return true;
  case 2: {
    field.type = WireType::Bytes;
    uint64_t length;
    if (!readVarint(rest, length) || length > rest.size())
      return fail();
    field.bytes = rest.take_front(length);
    rest = rest.drop_front(length);
    return true;
  }
  case 5:
    field.type = WireType::Fixed32;
    if (rest.size() < 4)
      return fail();
    field.value = llvm::support::endian::read32le(rest.data());
    rest = rest.drop_front(4);
    return true;
  default:
    // Groups are not used by ONNX; 6 and 7 do not exist.
    return fail();
  }
}

bool dyn::onnx::forEachVarint(const WireField &field,
                              llvm::function_ref<void(uint64_t)> fn) {
  if (field.type == WireType::Varint) {
    fn(field.value);
    return true;
  }
  if (field.type != WireType::Bytes)
    return false;
  for (StringRef rest = field.bytes; !rest.empty();) {
    uint64_t value;
    if (!readVarint(rest, value))
      return false;
    fn(value);
  }
  return true;
}
