//===- TextFile.cpp - Text files that are replaced atomically -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextFile.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dyn::rt;

TextFile::~TextFile() {
  if (!file)
    return;
  std::fclose(file);
  discard();
}

void TextFile::discard() const {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

dyn_status_t TextFile::failed(int reason) const {
  return fail(DYN_STATUS_IO_ERROR, "cannot write '%s': %s", path.c_str(),
              std::strerror(reason));
}

int TextFile::resolve() {
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return errno == ENOENT ? 0 : errno;
  destination = resolved;
  std::free(resolved);
  return 0;
}

int TextFile::openFile() {
  struct stat info;
  // A pipe without a reader is an error; the writer does not wait for one.
  if (::lstat(destination.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return ::open(destination.c_str(),
                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  // Several threads may write to one path at once, as may processes that have
  // the same number in different containers.
  static std::atomic<uint32_t> number{0};
  int handle = -1;
  do {
    temporary = destination + "." + std::to_string(::getpid()) + "." +
                std::to_string(number++) + ".partial";
    handle = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0666);
  } while (handle < 0 && errno == EEXIST);
  return handle;
}

dyn_status_t TextFile::open() {
  if (int reason = resolve())
    return failed(reason);
  int handle = openFile();
  if (handle < 0)
    return failed(errno);
  ::fcntl(handle, F_SETFL, 0); // writing may block
  file = ::fdopen(handle, "w");
  if (file)
    return DYN_STATUS_OK;
  int reason = errno;
  ::close(handle);
  discard();
  return failed(reason);
}

dyn_status_t TextFile::commit() {
  errno = 0;
  bool bad = std::fflush(file) != 0 || std::ferror(file) != 0;
  bad |= std::fclose(file) != 0;
  file = nullptr;
  if (!bad && (temporary.empty() ||
               std::rename(temporary.c_str(), destination.c_str()) == 0))
    return DYN_STATUS_OK;
  int reason = errno ? errno : EIO;
  discard();
  return failed(reason);
}

void dyn::rt::writeJsonString(std::FILE *file, const char *text) {
  std::fputc('"', file);
  for (const char *c = text; *c; ++c) {
    if (*c == '"' || *c == '\\')
      std::fprintf(file, "\\%c", *c);
    else if (static_cast<unsigned char>(*c) < 0x20)
      std::fprintf(file, "\\u%04x", unsigned(*c));
    else
      std::fputc(*c, file);
  }
  std::fputc('"', file);
}
