//===- Wire.h - Bounded reader of the protobuf wire format ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A model file is read in place: a WireReader iterates over the fields of a
// message in the mapped file and returns views of it. It neither copies nor
// allocates, so a tensor's bytes are found and never touched, and every length
// is checked against the bytes that are left.

#ifndef DYN_LIB_IMPORT_ONNX_WIRE_H
#define DYN_LIB_IMPORT_ONNX_WIRE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace dyn::onnx {

enum class WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  /// The value of a Varint, Fixed64 or Fixed32, in its low bits.
  uint64_t value = 0;
  /// The content of a Bytes field: a string, a message or packed numbers.
  llvm::StringRef bytes;

  int64_t getInt() const { return static_cast<int64_t>(value); }
  float getFloat() const;
};

/// Iterates over the fields of a message.
class WireReader {
public:
  explicit WireReader(llvm::StringRef message) : rest(message) {}

  /// Reads the next field; false at the end and at an error.
  bool next(WireField &field);
  /// Whether the message was malformed up to here.
  bool failed() const { return malformed; }

private:
  bool fail() {
    malformed = true;
    return false;
  }
  llvm::StringRef rest;
  bool malformed = false;
};

/// Removes a varint from the front of `bytes`; false if it is truncated or does
/// not fit 64 bits.
bool readVarint(llvm::StringRef &bytes, uint64_t &value);

/// Calls `fn` for each integer of a repeated integer field, packed or not;
/// false if the packed bytes are malformed.
bool forEachVarint(const WireField &field,
                   llvm::function_ref<void(uint64_t)> fn);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_WIRE_H
