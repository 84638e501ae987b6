//===- Image.cpp - The code of an artifact, loaded ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Clock.h"
#include "Pages.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mutex>
#include <pthread.h>

using namespace dyn::rt;

/// Held wherever an object is loaded or unloaded: load() first asks whether a
/// name is loaded and then loads the object by it, and another thread may
/// unload that object in between. The lock of the loader itself covers one
/// call.
static std::mutex loaderMutex;

/// No thread forks while the mutex is held, so that it is free in a child.
static std::unique_lock<std::mutex> lockLoader() {
  auto unlock = [] { loaderMutex.unlock(); };
  static const int installed =
      ::pthread_atfork([] { loaderMutex.lock(); }, unlock, unlock);
  (void)installed;
  return std::unique_lock<std::mutex>(loaderMutex);
}

Image::~Image() {
  auto lock = lockLoader();
  if (handle)
    ::dlclose(handle);
}

dyn_status_t Image::open(const File &file) {
  DYN_RETURN_IF_FAILED(readSegments(file));
  DYN_RETURN_IF_FAILED(checkDigest(file));
  DYN_RETURN_IF_FAILED(load(file));
  return DYN_STATUS_OK;
}

/// The loader trusts the headers and maps the ranges that they state, and a
/// page beyond the end of the file faults when it is touched. So the headers
/// are checked first.
dyn_status_t Image::readSegments(const File &file) {
  const char *path = file.path().c_str();
  Elf64_Ehdr header;
  if (file.size() < sizeof(header))
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is not an artifact: expected an ELF shared object, found "
                "a file of %llu bytes",
                path, (unsigned long long)file.size());
  DYN_RETURN_IF_FAILED(file.read(0, &header, sizeof(header)));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is not an artifact: expected an ELF shared object", path);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is for another machine: expected x86-64", path);
  if (header.e_type != ET_DYN)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is not an artifact: expected an ELF shared object, found "
                "ELF type %u",
                path, unsigned(header.e_type));
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return fail(DYN_STATUS_BAD_ARTIFACT, "'%s' has a damaged ELF header", path);

  std::vector<Elf64_Phdr> table(header.e_phnum);
  DYN_RETURN_IF_FAILED(file.read(header.e_phoff, table.data(),
                                 table.size() * sizeof(Elf64_Phdr)));
  for (const Elf64_Phdr &entry : table) {
    if (entry.p_type != PT_LOAD)
      continue;
    if (!file.contains(entry.p_offset, entry.p_filesz))
      return fail(DYN_STATUS_BAD_ARTIFACT,
                  "'%s' is truncated: a segment ends at byte %llu, the file at "
                  "byte %llu",
                  path, (unsigned long long)(entry.p_offset + entry.p_filesz),
                  (unsigned long long)file.size());
    // All bytes of a segment may be read.
    if (entry.p_vaddr > UINT64_MAX - entry.p_memsz || !(entry.p_flags & PF_R))
      return fail(DYN_STATUS_BAD_ARTIFACT, "'%s' has a damaged ELF header",
                  path);
    segments.push_back({entry.p_vaddr, entry.p_memsz, entry.p_offset,
                        entry.p_filesz, (entry.p_flags & PF_X) != 0});
  }
  return DYN_STATUS_OK;
}

dyn_status_t Image::checkDigest(const File &file) const {
  const char *path = file.path().c_str();
  dyn_trailer_t trailer;
  DYN_RETURN_IF_FAILED(file.readTrailer(trailer));
  if (trailer.image_bytes > file.size() - sizeof(trailer))
    return fail(
        DYN_STATUS_BAD_ARTIFACT,
        "'%s' is damaged: expected an image of %llu bytes, found a file "
        "of %llu",
        path, (unsigned long long)trailer.image_bytes,
        (unsigned long long)file.size());
  // Bytes beyond the image are not covered by the digest, and are not loaded.
  for (const Segment &segment : segments)
    if (segment.fileBytes > trailer.image_bytes ||
        segment.fileOffset > trailer.image_bytes - segment.fileBytes)
      return fail(DYN_STATUS_BAD_ARTIFACT, "'%s' has a damaged ELF header",
                  path);
  // Read, not mapped: a file that is truncated meanwhile must not cause a
  // fault.
  uint64_t digest = trailer.image_bytes;
  std::vector<uint8_t> piece(std::min<uint64_t>(trailer.image_bytes, 1 << 16));
  for (uint64_t at = 0; at < trailer.image_bytes; at += piece.size()) {
    piece.resize(std::min<uint64_t>(trailer.image_bytes - at, piece.size()));
    DYN_RETURN_IF_FAILED(file.read(at, piece.data(), piece.size()));
    digest = dyn_image_digest(digest, piece.data(), piece.size());
  }
  if (digest != trailer.image_digest)
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is damaged: its image is not the one that was compiled",
                path);
  return DYN_STATUS_OK;
}

/// A spelling of `path` for each number: its binary digits, as "/." and "/"
/// before the name of the file.
static std::string spell(std::string path, uint64_t number) {
  for (size_t folderEnd = path.rfind('/'); number; number /= 2)
    path.insert(folderEnd, number % 2 ? "/." : "/");
  return path;
}

/// The loader identifies objects by name before it does by file: a model that
/// is compiled again while the old one is loaded would resolve to the old one.
/// An image that differs from the file is therefore loaded once more under
/// another spelling of its path. A second spelling may return the same object
/// because it was loaded under both, while another one had its name. If a
/// spelling that nobody has used returns it as well, it is the file, which was
/// written to since it was loaded.
dyn_status_t Image::load(const File &file) {
  const char *path = file.path().c_str();
  char *resolved = ::realpath(path, nullptr);
  if (!resolved)
    return fail(errno == ENOMEM ? DYN_STATUS_OUT_OF_MEMORY
                                : DYN_STATUS_NOT_FOUND,
                "cannot resolve '%s': %s", path, std::strerror(errno));
  const std::string name = resolved;
  std::free(resolved);

  auto lock = lockLoader();
  std::vector<void *> others;
  for (bool isUnused = false;;) {
    std::string spelling = spell(name, isUnused ? now() : others.size());
    void *known = ::dlopen(spelling.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (known)
      ::dlclose(known);
    handle = ::dlopen(spelling.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return fail(DYN_STATUS_BAD_ARTIFACT, "cannot load '%s': %s", path,
                  ::dlerror());
    dyn_status_t status = findDescriptor(path);
    bool current = false;
    if (status == DYN_STATUS_OK)
      status = isCurrent(file, current);
    if (status == DYN_STATUS_OK && current)
      return DYN_STATUS_OK;
    // An object that was loaded before may have other segments than the file.
    if (status != DYN_STATUS_OK && !known)
      return status;
    bool wasFound =
        std::find(others.begin(), others.end(), handle) != others.end();
    others.push_back(handle);
    ::dlclose(handle);
    handle = nullptr;
    if (!known || isUnused)
      break;
    isUnused = wasFound;
  }
  return fail(
      DYN_STATUS_BAD_ARTIFACT,
      "'%s' was overwritten while it was loaded: write new artifacts to "
      "a new file and rename it",
      path);
}

dyn_status_t Image::findDescriptor(const char *path) {
  struct link_map *map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
    return fail(DYN_STATUS_INTERNAL, "cannot find '%s' in memory", path);
  base = map->l_addr;

  void *symbol = ::dlsym(handle, DYN_ARTIFACT_SYMBOL);
  if (!symbol || !containsCode(symbol))
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is not an artifact: it does not export "
                "'" DYN_ARTIFACT_SYMBOL "'",
                path);
  root = reinterpret_cast<dyn_artifact_query_fn>(symbol)(DYN_ARTIFACT_VERSION);
  if (!root)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' needs a newer runtime: this one reads artifacts up to "
                "version %u",
                path, DYN_ARTIFACT_VERSION);
  if (!contains(root, offsetof(dyn_descriptor_t, producer)))
    return fail(DYN_STATUS_BAD_ARTIFACT,
                "'%s' is damaged: the descriptor lies outside the image", path);
  return DYN_STATUS_OK;
}

dyn_status_t Image::isCurrent(const File &file, bool &current) const {
  const Segment *segment = find(root->id);
  uint64_t offset = reinterpret_cast<uint64_t>(root->id) - base;
  current = false;
  if (!segment || offset - segment->address >= segment->fileBytes)
    return DYN_STATUS_OK;
  uint8_t id[sizeof(root->id)];
  DYN_RETURN_IF_FAILED(file.read(
      offset - segment->address + segment->fileOffset, id, sizeof(id)));
  current = std::memcmp(id, root->id, sizeof(id)) == 0;
  return DYN_STATUS_OK;
}

void Image::populate() const {
  for (const Segment &segment : segments)
    populatePages(reinterpret_cast<const void *>(base + segment.address),
                  segment.bytes);
}

const Image::Segment *Image::find(const void *pointer) const {
  uint64_t address = reinterpret_cast<uint64_t>(pointer) - base;
  for (const Segment &segment : segments)
    if (address - segment.address < segment.bytes)
      return &segment;
  return nullptr;
}

bool Image::contains(const void *pointer, uint64_t bytes) const {
  const Segment *segment = find(pointer);
  if (!segment)
    return false;
  uint64_t address = reinterpret_cast<uint64_t>(pointer) - base;
  return bytes <= segment->bytes - (address - segment->address);
}

bool Image::containsCode(const void *pointer) const {
  const Segment *segment = find(pointer);
  return segment && segment->code;
}

bool Image::containsString(const char *text) const {
  const Segment *segment = find(text);
  if (!segment)
    return false;
  uint64_t address = reinterpret_cast<uint64_t>(text) - base;
  return std::memchr(text, 0, segment->bytes - (address - segment->address));
}
