//===- Npy.cpp - NumPy's file formats -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "Zip.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <optional>

using namespace dyn::run;
using llvm::StringRef;

static const StringRef magic("\x93NUMPY", 6);

static llvm::Error invalid(const llvm::Twine &what) {
  return llvm::createStringError("not a valid .npy file: " + what);
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct TypeName {
  dyn_dtype_t dtype;
  StringRef descr;
};
} // namespace
static const TypeName typeNames[] = {
    {DYN_BOOL, "|b1"}, {DYN_I8, "|i1"},  {DYN_I16, "<i2"},  {DYN_I32, "<i4"},
    {DYN_I64, "<i8"},  {DYN_U8, "|u1"},  {DYN_U16, "<u2"},  {DYN_U32, "<u4"},
    {DYN_U64, "<u8"},  {DYN_F16, "<f2"}, {DYN_BF16, "<V2"}, {DYN_BF16, "|V2"},
    {DYN_F32, "<f4"},  {DYN_F64, "<f8"},
};

static std::optional<dyn_dtype_t> dtypeOf(StringRef descr) {
  for (const TypeName &type : typeNames)
    if (type.descr == descr)
      return type.dtype;
  return std::nullopt;
}

static StringRef descrOf(dyn_dtype_t dtype) {
  for (const TypeName &type : typeNames)
    if (type.dtype == dtype)
      return type.descr;
  return "";
}

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

/// The text after "'key':" in the header's dictionary.
static StringRef valueOf(StringRef header, StringRef key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = (llvm::Twine(quote) + key + llvm::Twine(quote)).str();
    size_t at = header.find(quoted);
    if (at == StringRef::npos)
      continue;
    StringRef rest = header.drop_front(at + quoted.size()).ltrim();
    if (rest.consume_front(":"))
      return rest.ltrim();
  }
  return "";
}

static llvm::Expected<llvm::SmallVector<int64_t>> parseShape(StringRef text) {
  if (!text.consume_front("("))
    return invalid("its header has no shape");
  StringRef inside = text.take_until([](char c) { return c == ')'; });
  llvm::SmallVector<StringRef> parts;
  inside.split(parts, ',');
  llvm::SmallVector<int64_t> shape;
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return invalid("its shape is (" + inside + ")");
    shape.push_back(size);
  }
  return shape;
}

llvm::Expected<Tensor> dyn::run::parseNpy(StringRef contents) {
  if (!contents.starts_with(magic) || contents.size() < 10)
    return invalid("it does not begin as one");
  unsigned version = static_cast<unsigned char>(contents[6]);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    return invalid("its version is " + llvm::Twine(version));
  size_t headerAt = 8 + lengthBytes;
  if (contents.size() < headerAt)
    return invalid("it is truncated");
  size_t headerLength =
      lengthBytes == 2 ? llvm::support::endian::read16le(contents.data() + 8)
                       : llvm::support::endian::read32le(contents.data() + 8);
  if (contents.size() - headerAt < headerLength)
    return invalid("it is truncated");
  StringRef header = contents.substr(headerAt, headerLength);
  StringRef data = contents.drop_front(headerAt + headerLength);

  StringRef descr = valueOf(header, "descr");
  if (!descr.consume_front("'") && !descr.consume_front("\""))
    return invalid("its header has no descr");
  descr = descr.take_until([](char c) { return c == '\'' || c == '"'; });
  std::optional<dyn_dtype_t> dtype = dtypeOf(descr);
  if (!dtype)
    return invalid("elements of type '" + descr + "' are not supported");
  llvm::Expected<llvm::SmallVector<int64_t>> shape =
      parseShape(valueOf(header, "shape"));
  if (!shape)
    return shape.takeError();

  int64_t wanted = int64_t(dyn_dtype_size(*dtype));
  bool empty = llvm::is_contained(*shape, 0);
  for (int64_t size : *shape)
    if (!empty && __builtin_mul_overflow(wanted, size, &wanted))
      return invalid("its shape is larger than memory");
  if (empty)
    wanted = 0;
  if (uint64_t(wanted) != data.size())
    return invalid("expected " + llvm::Twine(wanted) +
                   " bytes of elements, found " + llvm::Twine(data.size()));
  if (valueOf(header, "fortran_order").starts_with("True") && shape->size() > 1)
    return invalid("Fortran order is not supported");
  Tensor tensor(*dtype, *shape);
  std::memcpy(tensor.data(), data.data(), data.size());
  return tensor;
}

std::string dyn::run::formatNpy(const Tensor &tensor) {
  std::string header;
  llvm::raw_string_ostream stream(header);
  stream << "{'descr': '" << descrOf(tensor.dtype())
         << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape())
    stream << size << ", ";
  if (tensor.shape().size() > 1)
    header.resize(header.size() - 2);
  else if (tensor.shape().size() == 1)
    header.resize(header.size() - 1);
  stream << "), }";
  // The data begins at a multiple of 64 bytes.
  const size_t before = 10;
  while ((before + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  std::string contents(magic);
  contents += {1, 0, char(header.size() & 255), char(header.size() >> 8)};
  contents += header;
  contents.append(tensor.data(), size_t(tensor.numElements()) *
                                     dyn_dtype_size(tensor.dtype()));
  return contents;
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return std::move(*buffer);
}

static llvm::Error inFile(StringRef path, llvm::Error error) {
  return llvm::createStringError("'" + path +
                                 "': " + llvm::toString(std::move(error)));
}

llvm::Expected<Tensor> dyn::run::readNpy(StringRef path) {
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<Tensor> tensor = parseNpy((*buffer)->getBuffer());
  if (!tensor)
    return inFile(path, tensor.takeError());
  return tensor;
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<NamedTensor>> dyn::run::readNpz(StringRef path) {
  auto buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  auto files = readZip((*buffer)->getBuffer());
  if (!files)
    return inFile(path, files.takeError());
  std::vector<NamedTensor> tensors;
  for (const ZipFile &file : *files) {
    StringRef name = file.name;
    name.consume_back(".npy");
    llvm::Expected<Tensor> tensor = parseNpy(file.contents);
    if (!tensor)
      return inFile((path + ":" + name).str(), tensor.takeError());
    tensors.push_back({name.str(), std::move(*tensor)});
  }
  return tensors;
}

llvm::Error dyn::run::writeNpz(StringRef path,
                               llvm::ArrayRef<NamedTensor> tensors) {
  std::vector<ZipFile> files;
  for (const NamedTensor &named : tensors)
    files.push_back({named.name + ".npy", formatNpy(named.tensor)});
  return llvm::writeToOutput(
      path, [&](llvm::raw_ostream &stream) { return writeZip(stream, files); });
}
