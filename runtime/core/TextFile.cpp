//===- TextFile.cpp - Text files that appear whole or not at all ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextFile.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace dyn::rt;

TextFile::~TextFile() {
  if (!file)
    return;
  std::fclose(file);
  ::unlink(temporary.c_str());
}

dyn_status_t TextFile::failed(int reason) const {
  return fail(DYN_STATUS_IO_ERROR, "cannot write '%s': %s", path.c_str(),
              std::strerror(reason));
}

dyn_status_t TextFile::open() {
  // Of this process alone: several may write to one place at once.
  temporary = path + "." + std::to_string(::getpid()) + ".partial";
  file = std::fopen(temporary.c_str(), "we");
  return file ? DYN_STATUS_OK : failed(errno);
}

dyn_status_t TextFile::commit() {
  bool bad = std::ferror(file) != 0;
  bad |= std::fclose(file) != 0;
  file = nullptr;
  if (!bad && std::rename(temporary.c_str(), path.c_str()) == 0)
    return DYN_STATUS_OK;
  int reason = errno;
  ::unlink(temporary.c_str());
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
