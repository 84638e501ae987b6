//===- File.cpp - A file open for reading ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dyn::rt;

File::~File() {
  if (handle >= 0)
    ::close(handle);
}

dyn_status_t File::open(const std::string &path) {
  name = path;
  // Opening a pipe would block until there is a writer.
  handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0)
    return fail(DYN_STATUS_NOT_FOUND, "cannot open '%s': %s", path.c_str(),
                std::strerror(errno));
  struct stat info;
  if (::fstat(handle, &info) != 0)
    return fail(DYN_STATUS_NOT_FOUND, "cannot read '%s': %s", path.c_str(),
                std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail(DYN_STATUS_NOT_FOUND, "'%s' is not a regular file",
                path.c_str());
  length = uint64_t(info.st_size);
  return DYN_STATUS_OK;
}

dyn_status_t File::read(uint64_t offset, void *buffer, uint64_t bytes) const {
  if (!contains(offset, bytes))
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is truncated: expected at least %llu bytes, found %llu",
                name.c_str(), (unsigned long long)(offset + bytes),
                (unsigned long long)length);
  auto *next = static_cast<char *>(buffer);
  while (bytes > 0) {
    ssize_t got = ::pread(handle, next, bytes, off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return fail(DYN_STATUS_BAD_ARTIFACT, "cannot read '%s': %s", name.c_str(),
                  got < 0 ? std::strerror(errno) : "unexpected end");
    next += got;
    offset += uint64_t(got);
    bytes -= uint64_t(got);
  }
  return DYN_STATUS_OK;
}

dyn_status_t File::readTrailer(dyn_trailer_t &trailer) const {
  const uint64_t oldBytes = 40;
  char oldMagic[sizeof(trailer.magic)] = {};
  if (length >= oldBytes)
    DYN_RETURN_IF_FAILED(read(length - oldBytes, oldMagic, sizeof(oldMagic)));
  if (std::memcmp(oldMagic, DYN_OLD_TRAILER_MAGIC, sizeof(oldMagic)) == 0)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is of an older version: this runtime reads version %u",
                name.c_str(), DYN_ARTIFACT_VERSION);
  trailer = {};
  if (length >= sizeof(trailer))
    DYN_RETURN_IF_FAILED(
        read(length - sizeof(trailer), &trailer, sizeof(trailer)));
  if (std::memcmp(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic)) != 0)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is truncated or damaged: it does not end with a trailer",
                name.c_str());
  return DYN_STATUS_OK;
}
