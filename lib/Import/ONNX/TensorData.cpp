//===- TensorData.cpp - Elements of ONNX tensors --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"
#include "ElementCount.h"
#include "Wire.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

/// The maximum sizes of tensors that are constants: their values matter to
/// folding and shape arithmetic.
static constexpr uint64_t kMaxConstantBytes = 256;
static constexpr uint64_t kMaxIntegerConstantBytes = 1024;
/// Elements that are not plain bytes in a file can only be constants.
static constexpr uint64_t kMaxTypedBytes = 16 << 20;

Type onnx::getElementType(MLIRContext *context, int32_t dataType) {
  auto integer = [&](unsigned width) {
    return IntegerType::get(context, width);
  };
  auto unsignedInteger = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (static_cast<DataType>(dataType)) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::UInt8:
    return unsignedInteger(8);
  case DataType::Int8:
    return integer(8);
  case DataType::UInt16:
    return unsignedInteger(16);
  case DataType::Int16:
    return integer(16);
  case DataType::Int32:
    return integer(32);
  case DataType::Int64:
    return integer(64);
  case DataType::Bool:
    return integer(1);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::UInt32:
    return unsignedInteger(32);
  case DataType::UInt64:
    return unsignedInteger(64);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  default:
    return {};
  }
}

StringRef onnx::getDataTypeName(int32_t dataType) {
  static constexpr StringLiteral names[] = {
      "undefined",      "float",        "uint8",          "int8",
      "uint16",         "int16",        "int32",          "int64",
      "string",         "bool",         "float16",        "double",
      "uint32",         "uint64",       "complex64",      "complex128",
      "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1"};
  if (dataType < 0 || static_cast<size_t>(dataType) >= std::size(names))
    return "unknown";
  return names[dataType];
}

/// Bytes of one element in a file; booleans take one.
static unsigned getElementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

DenseElementsAttr TensorData::makeElements(RankedTensorType type,
                                           ArrayRef<char> bytes) {
  Type elementType = type.getElementType();
  if (elementType.isInteger(1)) {
    SmallVector<bool> values;
    values.reserve(bytes.size());
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  // A splat is stored once.
  unsigned size = getElementBytes(elementType);
  bool splat = !bytes.empty();
  for (size_t i = size; splat && i < bytes.size(); i += size)
    splat = std::memcmp(bytes.data(), bytes.data() + i, size) == 0;
  return DenseElementsAttr::getFromRawBuffer(
      type, splat ? bytes.take_front(size) : bytes);
}

mlir::Attribute TensorData::get(const Tensor &tensor, RankedTensorType &type,
                                std::string &error) {
  Type elementType = getElementType(context, tensor.dataType);
  if (!elementType) {
    error = ("element type " + getDataTypeName(tensor.dataType) +
             " is not supported")
                .str();
    return {};
  }
  int64_t elements = 1;
  for (int64_t dim : tensor.dims)
    if (!countElements(dim, elements)) {
      error = ("expected sizes of at least 0 with a product of at most 2^40, "
               "found " +
               Twine(dim))
                  .str();
      return {};
    }
  if (llvm::is_contained(tensor.dims, 0))
    elements = 0;
  type = RankedTensorType::get(tensor.dims, elementType);
  unsigned elementBytes = getElementBytes(elementType);
  uint64_t length = static_cast<uint64_t>(elements) * elementBytes;

  Source source;
  if (!locate(tensor, length, elementBytes, source, error))
    return {};
  if (elements != 0 && !source.bytes.data())
    return readTyped(tensor, type, error);
  uint64_t limit =
      elementType.isInteger() ? kMaxIntegerConstantBytes : kMaxConstantBytes;
  if (length <= limit)
    return makeElements(
        type, ArrayRef<char>(source.bytes.data(), source.bytes.size()));
  return dhlo::WeightAttr::get(context, StringAttr::get(context, source.file),
                               source.offset, length,
                               StringAttr::get(context, tensor.name));
}

StringRef TensorData::getFloats(const Tensor &tensor) {
  int64_t elements = 1;
  for (int64_t dim : tensor.dims)
    if (!countElements(dim, elements))
      return {};
  Source source;
  std::string error;
  bool isKnown =
      tensor.dataType == static_cast<int32_t>(DataType::Float) &&
      locate(tensor, elements * sizeof(float), sizeof(float), source, error);
  return isKnown ? source.bytes : StringRef();
}

/// Finds elements that are stored as plain bytes; `source` is left without
/// bytes if they are encoded otherwise.
bool TensorData::locate(const Tensor &tensor, uint64_t length,
                        unsigned elementBytes, Source &source,
                        std::string &error) {
  if (tensor.external)
    return locateExternal(tensor, length, source, error);
  StringRef whole = model.buffer->getBuffer();
  StringRef bytes;
  if (tensor.raw) {
    bytes = *tensor.raw;
  } else {
    // Field 4 is float_data, 10 double_data.
    // Packed floats are the bytes that a weight needs, if contiguous.
    uint32_t number = 0;
    if (tensor.dataType == static_cast<int32_t>(DataType::Float))
      number = 4;
    if (tensor.dataType == static_cast<int32_t>(DataType::Double))
      number = 10;
    WireReader reader(tensor.message);
    unsigned pieces = 0;
    for (WireField field; reader.next(field);)
      if (number && field.number == number) {
        ++pieces;
        bytes = field.type == WireType::Bytes ? field.bytes : StringRef();
      }
    if (pieces != 1 || !bytes.data() || length == 0)
      return true;
  }
  if (bytes.size() != length) {
    error = ("expected " + Twine(length) + " bytes of elements, found " +
             Twine(bytes.size()))
                .str();
    return false;
  }
  source = {model.file, static_cast<uint64_t>(bytes.data() - whole.data()),
            bytes};
  return true;
}

bool TensorData::locateExternal(const Tensor &tensor, uint64_t length,
                                Source &source, std::string &error) {
  StringRef location;
  uint64_t offset = 0, stated = length;
  for (auto [key, value] : tensor.externalData) {
    if (key == "location")
      location = value;
    if ((key == "offset" && value.getAsInteger(10, offset)) ||
        (key == "length" && value.getAsInteger(10, stated))) {
      error = ("expected a number of bytes as the external data's " + key +
               ", found '" + value + "'")
                  .str();
      return false;
    }
  }
  if (stated != length) {
    error = ("expected " + Twine(length) + " bytes of external data, found " +
             Twine(stated))
                .str();
    return false;
  }
  llvm::MemoryBuffer *file = open(location, error);
  if (!file)
    return false;
  if (offset > file->getBufferSize() ||
      length > file->getBufferSize() - offset) {
    error = ("external data is truncated: expected " + Twine(length) +
             " bytes at offset " + Twine(offset) + " of '" + location +
             "', which has " + Twine(file->getBufferSize()) + " bytes")
                .str();
    return false;
  }
  source = {location, offset, file->getBuffer().substr(offset, length)};
  return true;
}

llvm::MemoryBuffer *TensorData::open(StringRef location, std::string &error) {
  auto refuse = [&](const Twine &why) {
    error = ("external data '" + location + "' " + why).str();
    return nullptr;
  };
  auto it = files.find(location);
  if (it != files.end())
    return it->second.get();
  namespace path = llvm::sys::path;
  namespace fs = llvm::sys::fs;
  bool climbs =
      llvm::any_of(llvm::make_range(path::begin(location), path::end(location)),
                   [](StringRef part) { return part == ".."; });
  if (location.empty() || path::is_absolute(location) || climbs ||
      location.contains('\0'))
    return refuse("leaves the model's folder");
  SmallString<128> full(model.folder.empty() ? "." : model.folder);
  SmallString<128> realFolder, realFile;
  fs::real_path(full, realFolder);
  path::append(full, location);
  if (std::error_code code = fs::real_path(full, realFile))
    return refuse("cannot be opened: " + code.message());
  // A link may also leave the folder.
  realFolder += path::get_separator();
  if (!StringRef(realFile).starts_with(StringRef(realFolder).starts_with("//")
                                           ? "/"
                                           : StringRef(realFolder)))
    return refuse("leaves the model's folder");
  if (!fs::is_regular_file(realFile))
    return refuse("is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(full, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return refuse("cannot be opened: " + buffer.getError().message());
  return (files[location] = std::move(*buffer)).get();
}

/// Elements in a typed field, one by one.
DenseElementsAttr TensorData::readTyped(const Tensor &tensor,
                                        RankedTensorType type,
                                        std::string &error) {
  unsigned elementBytes = getElementBytes(type.getElementType());
  auto elements = static_cast<uint64_t>(type.getNumElements());
  uint64_t length = elements * elementBytes;
  // An element takes at least a byte of the file.
  if (elements > tensor.message.size()) {
    error = ("expected " + Twine(elements) + " elements, found fewer").str();
    return {};
  }
  if (length > kMaxTypedBytes) {
    error = ("expected raw data for a tensor of " + Twine(length) +
             " bytes; save the model with raw data")
                .str();
    return {};
  }
  // float_data, int64_data, double_data, uint64_data and, for all types of at
  // most 32 bits but f32 and ui32, int32_data: 16-bit floats are their bits.
  uint32_t number;
  switch (static_cast<DataType>(tensor.dataType)) {
  case DataType::Float:
    number = 4;
    break;
  case DataType::Int64:
    number = 7;
    break;
  case DataType::Double:
    number = 10;
    break;
  case DataType::UInt32:
  case DataType::UInt64:
    number = 11;
    break;
  default:
    number = 5;
    break;
  }
  std::vector<char> bytes;
  bytes.reserve(length);
  uint64_t found = 0;
  // Hosts are little endian, as the files are.
  auto append = [&](uint64_t value) {
    if (++found <= elements)
      bytes.insert(bytes.end(), reinterpret_cast<char *>(&value),
                   reinterpret_cast<char *>(&value) + elementBytes);
  };
  WireReader reader(tensor.message);
  bool ok = true;
  for (WireField field; ok && reader.next(field);) {
    if (field.number != number)
      continue;
    bool fixed = number == 4 || number == 10;
    if (!fixed) {
      ok = forEachVarint(field, append);
    } else if (field.type == WireType::Bytes) {
      ok = field.bytes.size() % elementBytes == 0;
      for (size_t i = 0; ok && i < field.bytes.size(); i += elementBytes) {
        uint64_t value = 0;
        std::memcpy(&value, field.bytes.data() + i, elementBytes);
        append(value);
      }
    } else {
      ok = field.type == (number == 4 ? WireType::Fixed32 : WireType::Fixed64);
      append(field.value);
    }
  }
  if (!ok || found != elements) {
    error = ("expected " + Twine(elements) + " elements, found " + Twine(found))
                .str();
    return {};
  }
  return makeElements(type, bytes);
}
