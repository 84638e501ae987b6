//===- Constants.cpp - The constants of an artifact, mapped ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "RedZones.h"

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

dyn_status_t Constants::open(const dyn_descriptor_t &root, const File &artifact,
                             const std::string &folder) {
  if (root.sidecar) {
    File sidecar;
    dyn_status_t status = sidecar.open(folder + "/" + root.sidecar);
    if (status != DYN_STATUS_OK) {
      std::string reason = dyn_last_error();
      return fail(status, "'%s' needs its sidecar: %s", artifact.path().c_str(),
                  reason.c_str());
    }
    DYN_RETURN_IF_FAILED(map(root, sidecar));
  } else if (root.constants_bytes) {
    DYN_RETURN_IF_FAILED(map(root, artifact));
  }
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

dyn_status_t Constants::map(const dyn_descriptor_t &root, const File &file) {
  const char *path = file.path().c_str();
  dyn_trailer_t trailer;
  DYN_RETURN_IF_FAILED(file.readTrailer(trailer));
  if (std::memcmp(trailer.id, root.id, sizeof(trailer.id)) != 0)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "the constants in '%s' are of another compilation than the "
                "code",
                path);
  if (trailer.bytes != root.constants_bytes || trailer.offset % DYN_PAGE != 0 ||
      !file.contains(trailer.offset, trailer.bytes) ||
      trailer.offset + trailer.bytes > file.size() - sizeof(trailer))
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is damaged: expected %llu bytes of constants, found "
                "%llu at byte %llu of %llu",
                path, (unsigned long long)root.constants_bytes,
                (unsigned long long)trailer.bytes,
                (unsigned long long)trailer.offset,
                (unsigned long long)file.size());
  if (trailer.bytes == 0)
    return DYN_STATUS_OK;
  void *mapped = ::mmap(nullptr, trailer.bytes, PROT_READ, MAP_PRIVATE,
                        file.descriptor(), off_t(trailer.offset));
  if (mapped == MAP_FAILED)
    return fail(DYN_STATUS_OUT_OF_MEMORY, "cannot map '%s': %s", path,
                std::strerror(errno));
  area = mapped;
  length = trailer.bytes;
  return DYN_STATUS_OK;
}
