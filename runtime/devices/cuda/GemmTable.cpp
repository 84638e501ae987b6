//===- GemmTable.cpp - Tuned GEMM algorithms ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The file is text: a line for the format, one for the library's version, one
// for the device, one for each problem (the fields of its key, a colon, the
// algorithm's eight words, the time), and one with the number of problems and a
// hash of all lines before it: a file that was truncated or changed is refused,
// since the library does not validate the words of an algorithm.
//
//   dyn-gemms 1
//   library 130100
//   device NVIDIA A100-SXM4-80GB
//   1 512 3072 768 11 11 2 1 0 0 0 256 : 2a 10 0 0 0 0 0 0 41250
//   end 1 8c5d3e1f90a7b264

#include "GemmTable.h"

#include "File.h"
#include "TextFile.h"

#include <cinttypes>
#include <cstring>
#include <memory>

using namespace dyn::rt;

static constexpr char kFormat[] = "dyn-gemms 1\n";
/// Maximum size of a table; a larger file is refused.
static constexpr uint64_t kMaxBytes = 64 << 20;

/// FNV-1a.
static uint64_t hash(const char *text, size_t bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes; ++i)
    value = (value ^ uint8_t(text[i])) * 0x100000001b3;
  return value;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void append(std::string &text, const char *format, uint64_t value) {
  char number[32];
  std::snprintf(number, sizeof(number), format, value);
  text += number;
}

dyn_status_t GemmTable::write(const char *path) const {
  std::string text = kFormat;
  append(text, "library %" PRIu64 "\n", library);
  text += "device " + device + "\n";
  for (const auto &[key, gemm] : gemms) {
    for (int64_t field : key.fields)
      append(text, "%" PRId64 " ", uint64_t(field));
    text += ":";
    for (uint64_t word : gemm.algorithm.data)
      append(text, " %" PRIx64, word);
    append(text, " %" PRIu64 "\n", gemm.time);
  }
  uint64_t sum = hash(text.data(), text.size());
  append(text, "end %" PRIu64, gemms.size());
  append(text, " %016" PRIx64 "\n", sum);

  TextFile file(path);
  DYN_RETURN_IF_FAILED(file.open());
  std::fwrite(text.data(), 1, text.size(), file.get());
  return file.commit();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Parses a text from its front.
class Cursor {
public:
  Cursor(const char *at, const char *end) : at(at), end(end) {}

  bool isAtEnd() const { return at == end; }
  bool skip(const char *word) {
    size_t length = std::strlen(word);
    if (size_t(end - at) < length || std::memcmp(at, word, length) != 0)
      return false;
    at += length;
    return true;
  }
  /// A number without a sign, at most 64 bits.
  bool readNumber(int base, uint64_t &value) {
    const char *begin = at;
    for (value = 0; at != end; ++at) {
      int digit = *at >= '0' && *at <= '9'                 ? *at - '0'
                  : base == 16 && *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                                                           : -1;
      if (digit < 0)
        break;
      if (__builtin_mul_overflow(value, uint64_t(base), &value) ||
          __builtin_add_overflow(value, uint64_t(digit), &value))
        return false;
    }
    return at != begin;
  }
  std::string readLine() {
    const char *begin = at;
    while (at != end && *at != '\n')
      ++at;
    std::string line(begin, at);
    if (at != end)
      ++at;
    return line;
  }

private:
  const char *at, *end;
};
} // namespace

static bool readGemm(Cursor &text, GemmKey &key, TunedGemm &gemm) {
  for (int64_t &field : key.fields) {
    uint64_t value;
    if (!text.readNumber(10, value) || value > INT64_MAX || !text.skip(" "))
      return false;
    field = int64_t(value);
  }
  if (!text.skip(":"))
    return false;
  for (uint64_t &word : gemm.algorithm.data)
    if (!text.skip(" ") || !text.readNumber(16, word))
      return false;
  return text.skip(" ") && text.readNumber(10, gemm.time) && text.skip("\n");
}

dyn_status_t GemmTable::parse(const char *path, const std::string &text,
                              Gemms &out) const {
  auto damaged = [&](const char *what) {
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is no GEMM table, or damaged: %s", path, what);
  };
  if (text.compare(0, sizeof(kFormat) - 1, kFormat) != 0)
    return damaged("it does not begin with 'dyn-gemms 1'");
  size_t last = text.rfind("\nend ");
  uint64_t count, sum;
  Cursor end(text.data() + last + 1, text.data() + text.size());
  if (last == std::string::npos || !end.skip("end ") ||
      !end.readNumber(10, count) || !end.skip(" ") ||
      !end.readNumber(16, sum) || !end.skip("\n") || !end.isAtEnd())
    return damaged("its end is missing");
  if (sum != hash(text.data(), last + 1))
    return damaged("its lines do not hash to what its end says");

  Cursor body(text.data() + sizeof(kFormat) - 1, text.data() + last + 1);
  uint64_t version;
  if (!body.skip("library ") || !body.readNumber(10, version) ||
      !body.skip("\n") || !body.skip("device "))
    return damaged("its library or device is missing");
  std::string name = body.readLine();
  if (version != library)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is for version %llu of the GEMM library: this is "
                "version %llu",
                path, (unsigned long long)version, (unsigned long long)library);
  if (name != device)
    return fail(DYN_STATUS_UNSUPPORTED, "'%s' is for '%s': this device is '%s'",
                path, name.c_str(), device.c_str());
  while (!body.isAtEnd()) {
    GemmKey key;
    TunedGemm gemm;
    if (!readGemm(body, key, gemm))
      return damaged("a line is not as it should be");
    out[key] = gemm;
  }
  return out.size() == count ? DYN_STATUS_OK
                             : damaged("it has another number of lines");
}

dyn_status_t GemmTable::read(const char *path) {
  File file;
  DYN_RETURN_IF_FAILED(file.open(path));
  if (file.size() > kMaxBytes)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is no GEMM table: it has %llu bytes", path,
                (unsigned long long)file.size());
  std::string text(file.size(), '\0');
  DYN_RETURN_IF_FAILED(file.read(0, text.data(), text.size()));
  Gemms read;
  DYN_RETURN_IF_FAILED(parse(path, text, read));
  for (const auto &[key, gemm] : read)
    gemms[key] = gemm;
  return DYN_STATUS_OK;
}
