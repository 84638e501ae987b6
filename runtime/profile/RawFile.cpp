//===- RawFile.cpp - A file of single decisions ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RawFile.h"

#include "Profile.h"
#include "TextFile.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace dyn::rt;

dyn_status_t RawFile::open(const std::string &given) {
  if (given.empty())
    return DYN_STATUS_OK;
  pattern = given;
  path = expandProcess(given);
  file = std::fopen(path.c_str(), "we");
  reason = file ? 0 : errno;
  if (file)
    std::fputs("{\"dyn_profile_raw\":1}\n", file);
  // Fails before hours of recording, not after them.
  flush();
  return check();
}

static void writeMember(std::FILE *file, const char *name,
                        const std::string &text) {
  if (text.empty())
    return;
  std::fprintf(file, ",\"%s\":", name);
  writeJsonString(file, text.c_str());
}

void RawFile::add(uint32_t number, const RouterIdentity &router, int64_t timeMs,
                  uint64_t call, const CellPaths &routes) {
  if (known.size() <= number)
    known.resize(number + 1);
  if (!known[number]) {
    known[number] = true;
    std::fprintf(file, "{\"router\":%u,\"paths\":%u", number, router.paths);
    writeMember(file, "key", router.key);
    writeMember(file, "label", router.label);
    writeMember(file, "cell", router.cell);
    writeMember(file, "fingerprint", router.fingerprint);
    writeMember(file, "after", router.after);
    std::fputs("}\n", file);
  }
  std::fprintf(file,
               "{\"router\":%u,\"ms\":%lld,\"call\":%llu,\"choices\":%lld,"
               "\"chosen\":[",
               number, (long long)timeMs, (unsigned long long)call,
               (long long)routes.choices);
  for (int64_t i = 0; i < routes.cells * routes.choices; ++i)
    std::fprintf(file, i ? ",%d" : "%d", routes.paths[i]);
  std::fputs("]}\n", file);
  noteFailure();
}

void RawFile::noteFailure() {
  if (!reason && std::ferror(file))
    reason = errno ? errno : EIO;
}

void RawFile::flush() {
  if (!file)
    return;
  std::fflush(file);
  noteFailure();
}

dyn_status_t RawFile::check() const {
  if (!reason)
    return DYN_STATUS_OK;
  return fail(DYN_STATUS_IO_ERROR, "cannot write '%s': %s", path.c_str(),
              std::strerror(reason));
}

void RawFile::close() {
  if (file)
    std::fclose(file);
  file = nullptr;
  reason = 0;
}

void RawFile::reopenInChild() {
  if (!file)
    return;
  // The buffer is empty: it was flushed before the fork.
  close();
  known.clear();
  if (tellsProcessesApart(pattern))
    open(pattern);
}
