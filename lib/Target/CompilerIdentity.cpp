//===- CompilerIdentity.cpp - Which build of the compiler this is ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/CompilerIdentity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <elf.h>
#include <link.h>

using namespace dyn;
using llvm::StringRef;

/// The build id in a segment of notes; "" if it has none.
static StringRef findBuildId(StringRef notes, uint64_t alignment) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof(note));
    uint64_t begin = llvm::alignTo(sizeof(note) + note.n_namesz, alignment);
    uint64_t end = llvm::alignTo(begin + note.n_descsz, alignment);
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof(note), note.n_namesz) ==
            StringRef(ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
      return notes.substr(begin, note.n_descsz);
    notes = notes.drop_front(std::min<uint64_t>(end, notes.size()));
  }
  return "";
}

static StringRef findBuildId(const dl_phdr_info &object) {
  for (const ElfW(Phdr) &segment :
       llvm::ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    auto *begin =
        reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr);
    StringRef id = findBuildId({begin, segment.p_memsz},
                               std::max<uint64_t>(segment.p_align, 4));
    if (!id.empty())
      return id;
  }
  return "";
}

namespace {
struct Objects {
  std::vector<CacheKey> digests;
  bool isComplete = true;
};
} // namespace

static int addObject(dl_phdr_info *object, size_t, void *data) {
  auto &objects = *static_cast<Objects *>(data);
  StringRef name = object->dlpi_name;
  // The kernel's own functions, which change with the system.
  if (name.contains("vdso"))
    return 0;
  if (StringRef id = findBuildId(*object); !id.empty()) {
    objects.digests.push_back(getCacheKey(id));
    return 0;
  }
  auto file =
      llvm::MemoryBuffer::getFile(name.empty() ? "/proc/self/exe" : name,
                                  /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  objects.isComplete &= bool(file);
  if (file)
    objects.digests.push_back(getCacheKey((*file)->getBuffer()));
  return 0;
}

std::optional<CacheKey> dyn::getCompilerIdentity() {
  static const std::optional<CacheKey> identity =
      []() -> std::optional<CacheKey> {
    Objects objects;
    dl_iterate_phdr(addObject, &objects);
    if (!objects.isComplete)
      return std::nullopt;
    llvm::sort(objects.digests);
    return getCacheKey({reinterpret_cast<const char *>(objects.digests.data()),
                        objects.digests.size() * sizeof(CacheKey)});
  }();
  return identity;
}
