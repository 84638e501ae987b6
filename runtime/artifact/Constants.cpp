//===- Constants.cpp - The constants of an artifact, mapped ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "Pages.h"
#include "RedZones.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace dyn::rt;

Constants::~Constants() {
  if (!area)
    return;
  redzones::lift(area, length);
  ::munmap(area, length);
}

/// Reserves the addresses of the whole area, whose parts lie in two files.
dyn_status_t Constants::reserve(uint64_t bytes, const std::string &path) {
  void *reserved = ::mmap(nullptr, bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "cannot reserve %llu bytes for the constants of '%s': %s",
                (unsigned long long)bytes, path.c_str(), std::strerror(errno));
  area = reserved;
  length = bytes;
  return DYN_STATUS_OK;
}

dyn_status_t Constants::open(const dyn_descriptor_t &root, const File &artifact,
                             const std::string &folder) {
  uint64_t own = 0; // where the artifact's own constants begin
  if (root.constants_bytes)
    DYN_RETURN_IF_FAILED(reserve(root.constants_bytes, artifact.path()));
  if (root.sidecar) {
    File sidecar;
    dyn_status_t status = sidecar.open(folder + "/" + root.sidecar);
    if (status != DYN_STATUS_OK) {
      std::string reason = dyn_last_error();
      return fail(status, "'%s' needs its sidecar: %s", artifact.path().c_str(),
                  reason.c_str());
    }
    DYN_RETURN_IF_FAILED(map(sidecar, root.weights, 0, root.weights_bytes));
    own = (root.weights_bytes + DYN_PAGE - 1) / DYN_PAGE * DYN_PAGE;
  }
  if (root.constants_bytes > own)
    DYN_RETURN_IF_FAILED(
        map(artifact, root.id, own, root.constants_bytes - own));
  data.resize(root.constant_count);
  redzones::limit(area, 0, length);
  for (uint32_t i = 0; i < root.constant_count; ++i) {
    char *begin = static_cast<char *>(area) + root.constants[i].offset;
    redzones::limit(begin, root.constants[i].bytes, root.constants[i].bytes);
    data[i] = begin;
  }
  for (uint32_t i = 0; i < root.program_count; ++i)
    for (uint32_t j = 0; j < root.programs[i].constant_count; ++j) {
      const dyn_constant_t &constant = root.programs[i].constants[j];
      redzones::lift(static_cast<char *>(area) + constant.offset,
                     constant.bytes);
    }
  return DYN_STATUS_OK;
}

dyn_status_t Constants::map(const File &file, const uint8_t *id, uint64_t at,
                            uint64_t bytes) {
  const char *path = file.path().c_str();
  dyn_trailer_t trailer;
  DYN_RETURN_IF_FAILED(file.readTrailer(trailer));
  if (std::memcmp(trailer.id, id, sizeof(trailer.id)) != 0)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "the constants in '%s' are of another compilation than the "
                "code",
                path);
  if (trailer.bytes != bytes || trailer.offset % DYN_PAGE != 0 ||
      !file.contains(trailer.offset, trailer.bytes) ||
      trailer.offset + trailer.bytes > file.size() - sizeof(trailer))
    return fail(
        DYN_STATUS_BAD_ARTIFACT,
        "'%s' is damaged: expected %llu bytes of constants, found "
        "%llu at byte %llu of %llu",
        path, (unsigned long long)bytes, (unsigned long long)trailer.bytes,
        (unsigned long long)trailer.offset, (unsigned long long)file.size());
  if (trailer.bytes == 0)
    return DYN_STATUS_OK;
  void *mapped =
      ::mmap(static_cast<char *>(area) + at, bytes, PROT_READ,
             MAP_PRIVATE | MAP_FIXED, file.descriptor(), off_t(trailer.offset));
  if (mapped == MAP_FAILED)
    return fail(DYN_STATUS_OUT_OF_MEMORY, "cannot map '%s': %s", path,
                std::strerror(errno));
  sources.push_back({file.path(), trailer, at});
  return DYN_STATUS_OK;
}

void Constants::populateLike(const Constants &other) const {
  for (const Source &mine : sources) {
    auto isSame = [&](const Source &theirs) {
      return std::memcmp(&mine.trailer, &theirs.trailer,
                         sizeof(mine.trailer)) == 0;
    };
    auto shared =
        std::find_if(other.sources.begin(), other.sources.end(), isSame);
    if (shared == other.sources.end())
      populatePages(at(mine.at), mine.trailer.bytes);
    else
      populatePagesLike(other.at(shared->at), at(mine.at), mine.trailer.bytes);
  }
}

dyn_status_t Constants::openStore(Store &store, uint64_t rate) const {
  store.setRate(rate);
  for (const Source &source : sources) {
    File file;
    DYN_RETURN_IF_FAILED(file.open(source.path));
    dyn_trailer_t trailer;
    DYN_RETURN_IF_FAILED(file.readTrailer(trailer));
    if (std::memcmp(&trailer, &source.trailer, sizeof(trailer)) != 0)
      return fail(DYN_STATUS_BAD_ARTIFACT,
                  "'%s' was replaced after the artifact was loaded, so that a "
                  "context with memory_limit cannot read its constants",
                  source.path.c_str());
    DYN_RETURN_IF_FAILED(store.add(file.descriptor(), source.path, source.at,
                                   trailer.offset, trailer.bytes));
  }
  return DYN_STATUS_OK;
}
