//===- Zip.cpp - Zip archives, as far as .npz needs them ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout: for each file a local header and its bytes, then a directory with an
// entry for each file, then an end record with the directory's offset. Numbers
// are little endian. A 16- or 32-bit field of all ones means that the number is
// in a Zip64 record.
//
//===----------------------------------------------------------------------===//

#include "Zip.h"

#include "llvm/Support/EndianStream.h"

#include <optional>
#include <zlib.h>

using namespace dyn::run;
using llvm::StringRef;

namespace {
constexpr uint32_t localMagic = 0x04034b50;
constexpr uint32_t directoryMagic = 0x02014b50;
constexpr uint32_t endMagic = 0x06054b50;
constexpr uint32_t end64Magic = 0x06064b50;
constexpr uint32_t end64LocatorMagic = 0x07064b50;
constexpr uint16_t zip64Extra = 1;
constexpr uint16_t stored = 0, deflated = 8;

/// Reads numbers front to back; past the end they are zero and an error flag is
/// set.
class Reader {
public:
  explicit Reader(StringRef bytes) : bytes(bytes) {}
  template <typename T> T take() {
    StringRef part = takeBytes(sizeof(T));
    if (part.size() < sizeof(T))
      return T();
    return llvm::support::endian::read<T, llvm::endianness::little>(
        part.data());
  }
  StringRef takeBytes(uint64_t count) {
    if (count > bytes.size()) {
      good = false;
      count = bytes.size();
    }
    StringRef part = bytes.take_front(count);
    bytes = bytes.drop_front(count);
    return part;
  }
  bool empty() const { return bytes.empty(); }
  bool ok() const { return good; }

private:
  StringRef bytes;
  bool good = true;
};

/// An entry of the directory.
struct Entry {
  StringRef name;
  uint16_t method = 0;
  uint32_t sum = 0;
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};
} // namespace

static llvm::Error invalid(const llvm::Twine &what) {
  return llvm::createStringError("not a valid .npz file: " + what);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Replaces the fields that are all ones by those of the Zip64 record.
static void readExtra(StringRef extra, Entry &entry) {
  Reader records(extra);
  while (!records.empty()) {
    uint16_t tag = records.take<uint16_t>();
    Reader record(records.takeBytes(records.take<uint16_t>()));
    if (tag != zip64Extra)
      continue;
    for (uint64_t *field : {&entry.size, &entry.packed, &entry.offset})
      if (*field == UINT32_MAX)
        *field = record.take<uint64_t>();
  }
}

static llvm::Expected<Entry> readEntry(Reader &directory) {
  Entry entry;
  if (directory.take<uint32_t>() != directoryMagic)
    return invalid("its directory is damaged");
  directory.takeBytes(6); // versions, flags
  entry.method = directory.take<uint16_t>();
  directory.takeBytes(4); // time
  entry.sum = directory.take<uint32_t>();
  entry.packed = directory.take<uint32_t>();
  entry.size = directory.take<uint32_t>();
  uint16_t nameLength = directory.take<uint16_t>();
  uint16_t extraLength = directory.take<uint16_t>();
  uint16_t commentLength = directory.take<uint16_t>();
  directory.takeBytes(8); // disk, attributes
  entry.offset = directory.take<uint32_t>();
  entry.name = directory.takeBytes(nameLength);
  readExtra(directory.takeBytes(extraLength), entry);
  directory.takeBytes(commentLength);
  if (!directory.ok())
    return invalid("its directory is truncated");
  return entry;
}

static llvm::Expected<std::string> inflateBytes(StringRef packed,
                                                const Entry &entry) {
  // Deflate compresses at most 1032 to 1, so a larger claim is false and would
  // only waste memory.
  if (entry.size / 1032 > packed.size())
    return invalid("'" + entry.name + "' claims an impossible size");
  std::string contents(entry.size, '\0');
  z_stream stream = {};
  const int rawDeflate = -MAX_WBITS;
  if (inflateInit2(&stream, rawDeflate) != Z_OK)
    return invalid("zlib is not available");
  // zlib counts in 32 bits: it is fed in parts.
  const uint64_t part = 1u << 30;
  uint64_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    uint64_t inNow = std::min<uint64_t>(part, packed.size() - in);
    uint64_t outNow = std::min<uint64_t>(part, contents.size() - out);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + in));
    stream.avail_in = uInt(inNow);
    stream.next_out = reinterpret_cast<Bytef *>(contents.data() + out);
    stream.avail_out = uInt(outNow);
    status = inflate(&stream, Z_NO_FLUSH);
    in += inNow - stream.avail_in;
    out += outNow - stream.avail_out;
    if (status == Z_OK && inNow == stream.avail_in &&
        outNow == stream.avail_out)
      break; // no progress
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out != contents.size())
    return invalid("'" + entry.name + "' cannot be unpacked");
  return contents;
}

static llvm::Expected<std::string> readContents(StringRef archive,
                                                const Entry &entry) {
  if (entry.offset > archive.size())
    return invalid("'" + entry.name + "' lies outside the file");
  Reader local(archive.drop_front(entry.offset));
  if (local.take<uint32_t>() != localMagic)
    return invalid("'" + entry.name + "' has no header");
  local.takeBytes(22);
  uint16_t nameLength = local.take<uint16_t>();
  uint16_t extraLength = local.take<uint16_t>();
  local.takeBytes(uint64_t(nameLength) + extraLength);
  StringRef packed = local.takeBytes(entry.packed);
  if (!local.ok())
    return invalid("'" + entry.name + "' is truncated");
  llvm::Expected<std::string> contents = std::string();
  if (entry.method == stored && entry.size == entry.packed)
    contents = packed.str();
  else if (entry.method == deflated)
    contents = inflateBytes(packed, entry);
  else
    return invalid("'" + entry.name + "' is packed by method " +
                   llvm::Twine(entry.method));
  if (!contents)
    return contents;
  if (crc32_z(0, reinterpret_cast<const Bytef *>(contents->data()),
              contents->size()) != entry.sum)
    return invalid("'" + entry.name + "' is damaged");
  return contents;
}

/// The directory's bytes, located by the end record.
static llvm::Expected<StringRef> findDirectory(StringRef archive) {
  const size_t endLength = 22, locatorLength = 20;
  // A comment of any length may follow the record.
  size_t at = archive.rfind(StringRef("PK\x05\x06", 4));
  if (at == StringRef::npos || archive.size() - at < endLength)
    return invalid("it has no directory");
  Reader end(archive.drop_front(at));
  end.takeBytes(12);
  uint64_t length = end.take<uint32_t>();
  uint64_t offset = end.take<uint32_t>();
  if (at >= locatorLength) {
    Reader locator(archive.drop_front(at - locatorLength));
    if (locator.take<uint32_t>() == end64LocatorMagic) {
      locator.takeBytes(4);
      uint64_t end64At = locator.take<uint64_t>();
      if (end64At > archive.size())
        return invalid("its directory lies outside the file");
      Reader end64(archive.drop_front(end64At));
      if (end64.take<uint32_t>() != end64Magic)
        return invalid("its directory is damaged");
      end64.takeBytes(36);
      length = end64.take<uint64_t>();
      offset = end64.take<uint64_t>();
    }
  }
  if (offset > archive.size() || length > archive.size() - offset)
    return invalid("its directory lies outside the file");
  return archive.substr(offset, length);
}

llvm::Expected<std::vector<ZipFile>> dyn::run::readZip(StringRef archive) {
  llvm::Expected<StringRef> bytes = findDirectory(archive);
  if (!bytes)
    return bytes.takeError();
  Reader directory(*bytes);
  std::vector<ZipFile> files;
  uint64_t left = archive.size();
  while (!directory.empty()) {
    llvm::Expected<Entry> entry = readEntry(directory);
    if (!entry)
      return entry.takeError();
    llvm::Expected<std::string> contents = readContents(archive, *entry);
    if (!contents)
      return contents.takeError();
    // So all files together unpack to no more than their bytes can.
    if (entry->packed > left)
      return invalid("its files overlap");
    left -= entry->packed;
    files.push_back({entry->name.str(), std::move(*contents)});
  }
  return files;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename T> static void put(llvm::raw_ostream &stream, T value) {
  llvm::support::endian::write(stream, value, llvm::endianness::little);
}

/// Fields that a local header and a directory entry share.
static void putCommon(llvm::raw_ostream &stream, const ZipFile &file,
                      uint32_t sum, bool large, uint16_t extraLength) {
  const uint16_t version = 45, flags = 0x800 /* UTF-8 names */;
  const uint16_t midnight = 0, firstDay = 0x21; // 1 January 1980: reproducible
  uint32_t size = large ? UINT32_MAX : uint32_t(file.contents.size());
  put<uint16_t>(stream, version);
  put<uint16_t>(stream, flags);
  put<uint16_t>(stream, stored);
  put<uint16_t>(stream, midnight);
  put<uint16_t>(stream, firstDay);
  put<uint32_t>(stream, sum);
  put<uint32_t>(stream, size);
  put<uint32_t>(stream, size);
  put<uint16_t>(stream, uint16_t(file.name.size()));
  put<uint16_t>(stream, extraLength);
}

static void putZip64(llvm::raw_ostream &stream, uint64_t size,
                     const uint64_t *offset) {
  put<uint16_t>(stream, zip64Extra);
  put<uint16_t>(stream, offset ? 24 : 16);
  put<uint64_t>(stream, size);
  put<uint64_t>(stream, size);
  if (offset)
    put<uint64_t>(stream, *offset);
}

llvm::Error dyn::run::writeZip(llvm::raw_ostream &stream,
                               llvm::ArrayRef<ZipFile> files) {
  uint64_t begin = stream.tell();
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> sums;
  auto isLarge = [](uint64_t number) { return number >= UINT32_MAX; };
  for (const ZipFile &file : files) {
    if (file.name.size() > UINT16_MAX)
      return llvm::createStringError("a name of %zu characters does not fit in "
                                     "a .npz file",
                                     file.name.size());
    offsets.push_back(stream.tell() - begin);
    sums.push_back(uint32_t(
        crc32_z(0, reinterpret_cast<const Bytef *>(file.contents.data()),
                file.contents.size())));
    bool large = isLarge(file.contents.size());
    put<uint32_t>(stream, localMagic);
    putCommon(stream, file, sums.back(), large, large ? 20 : 0);
    stream << file.name;
    if (large)
      putZip64(stream, file.contents.size(), nullptr);
    stream << file.contents;
  }

  uint64_t directoryAt = stream.tell() - begin;
  for (size_t i = 0; i < files.size(); ++i) {
    bool large = isLarge(files[i].contents.size()) || isLarge(offsets[i]);
    put<uint32_t>(stream, directoryMagic);
    put<uint16_t>(stream, 45);
    putCommon(stream, files[i], sums[i], large, large ? 28 : 0);
    put<uint16_t>(stream, 0); // comment
    put<uint16_t>(stream, 0); // disk
    put<uint16_t>(stream, 0); // attributes
    put<uint32_t>(stream, 0);
    put<uint32_t>(stream, large ? UINT32_MAX : uint32_t(offsets[i]));
    stream << files[i].name;
    if (large)
      putZip64(stream, files[i].contents.size(), &offsets[i]);
  }
  uint64_t end = stream.tell() - begin;
  bool large = isLarge(end) || files.size() >= UINT16_MAX;
  if (large) {
    put<uint32_t>(stream, end64Magic);
    put<uint64_t>(stream, 44);
    put<uint16_t>(stream, 45);
    put<uint16_t>(stream, 45);
    put<uint32_t>(stream, 0);
    put<uint32_t>(stream, 0);
    put<uint64_t>(stream, files.size());
    put<uint64_t>(stream, files.size());
    put<uint64_t>(stream, end - directoryAt);
    put<uint64_t>(stream, directoryAt);
    put<uint32_t>(stream, end64LocatorMagic);
    put<uint32_t>(stream, 0);
    put<uint64_t>(stream, end);
    put<uint32_t>(stream, 1);
  }
  put<uint32_t>(stream, endMagic);
  put<uint16_t>(stream, 0);
  put<uint16_t>(stream, 0);
  uint16_t count = large ? UINT16_MAX : uint16_t(files.size());
  put<uint16_t>(stream, count);
  put<uint16_t>(stream, count);
  put<uint32_t>(stream, large ? UINT32_MAX : uint32_t(end - directoryAt));
  put<uint32_t>(stream, large ? UINT32_MAX : uint32_t(directoryAt));
  put<uint16_t>(stream, 0);
  return llvm::Error::success();
}
