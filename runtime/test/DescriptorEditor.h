//===- DescriptorEditor.h - Artifacts with a changed descriptor -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A test reads the descriptor in memory, where the loader has resolved its
// pointers, and changes the file that it came from: numbers in place, pointers
// in the table of relocations.

#ifndef DYN_RUNTIME_TEST_DESCRIPTOREDITOR_H
#define DYN_RUNTIME_TEST_DESCRIPTOREDITOR_H

#include "Testing.h"

#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <map>
#include <sstream>

namespace dyn::test {

class DescriptorEditor {
public:
  /// An address outside of every image, relative to an image's base.
  static constexpr int64_t kNowhere = int64_t(1) << 40;

  explicit DescriptorEditor(const std::string &artifact) {
    std::ifstream in(artifactPath(artifact), std::ios::binary);
    std::ostringstream contents;
    contents << in.rdbuf();
    file = contents.str();
    handle = ::dlopen(artifactPath(artifact).c_str(), RTLD_NOW | RTLD_LOCAL);
    struct link_map *map = nullptr;
    if (!handle || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
      ADD_FAILURE() << ::dlerror();
      return;
    }
    base = map->l_addr;
    root = reinterpret_cast<dyn_artifact_query_fn>(
        ::dlsym(handle, DYN_ARTIFACT_SYMBOL))(DYN_ARTIFACT_VERSION);
    findRelocations();
  }
  ~DescriptorEditor() {
    if (handle)
      ::dlclose(handle);
  }
  DescriptorEditor(const DescriptorEditor &) = delete;
  DescriptorEditor &operator=(const DescriptorEditor &) = delete;

  const dyn_descriptor_t &get() const { return *root; }
  /// The artifact with all changes.
  std::string getFile() const { return sealed(file); }

  /// Changes a number.
  template <typename T> void set(const T &member, T value) {
    std::memcpy(&file[offsetOf(&member)], &value, sizeof(value));
  }
  /// Lets a pointer, which is not null, point elsewhere in the image.
  template <typename T> void point(T *const &member, const void *target) {
    pointAt(member, int64_t(addressOf(target)));
  }
  /// The same with an offset from the image's base.
  template <typename T> void pointAt(T *const &member, int64_t offset) {
    auto slot = relocations.find(addressOf(&member));
    ASSERT_NE(slot, relocations.end()) << "the pointer is null";
    setAddend(slot->second, offset);
  }

  /// Where the file keeps each pointer, by its own address in the image.
  const std::map<uint64_t, uint64_t> &getRelocations() const {
    return relocations;
  }
  int64_t getAddend(uint64_t relocation) const {
    int64_t addend;
    std::memcpy(&addend, &file[relocation + offsetof(Elf64_Rela, r_addend)],
                sizeof(addend));
    return addend;
  }
  void setAddend(uint64_t relocation, int64_t addend) {
    std::memcpy(&file[relocation + offsetof(Elf64_Rela, r_addend)], &addend,
                sizeof(addend));
  }
  uint64_t addressOf(const void *pointer) const {
    return reinterpret_cast<uint64_t>(pointer) - base;
  }
  /// Where the file has the byte of an address in the image.
  uint64_t offsetOf(const void *pointer) const {
    return offsetOf(addressOf(pointer));
  }
  uint64_t offsetOf(uint64_t address) const {
    for (const Elf64_Phdr &segment : getSegments())
      if (address - segment.p_vaddr < segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    ADD_FAILURE() << "the file has no byte for address " << address;
    return 0;
  }

private:
  template <typename T>
  std::vector<T> readTable(uint64_t offset, size_t count) const {
    std::vector<T> table(count);
    std::memcpy(table.data(), &file[offset], count * sizeof(T));
    return table;
  }
  std::vector<Elf64_Phdr> getSegments() const {
    Elf64_Ehdr header = readTable<Elf64_Ehdr>(0, 1)[0];
    std::vector<Elf64_Phdr> segments;
    for (const Elf64_Phdr &entry :
         readTable<Elf64_Phdr>(header.e_phoff, header.e_phnum))
      if (entry.p_type == PT_LOAD)
        segments.push_back(entry);
    return segments;
  }
  void findRelocations() {
    Elf64_Ehdr header = readTable<Elf64_Ehdr>(0, 1)[0];
    for (const Elf64_Shdr &section :
         readTable<Elf64_Shdr>(header.e_shoff, header.e_shnum)) {
      if (section.sh_type != SHT_RELA)
        continue;
      uint64_t at = section.sh_offset;
      for (const Elf64_Rela &entry :
           readTable<Elf64_Rela>(at, section.sh_size / sizeof(Elf64_Rela))) {
        if (ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE)
          relocations[entry.r_offset] = at;
        at += sizeof(Elf64_Rela);
      }
    }
  }

  std::string file;
  void *handle = nullptr;
  uint64_t base = 0;
  const dyn_descriptor_t *root = nullptr;
  std::map<uint64_t, uint64_t> relocations;
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_DESCRIPTOREDITOR_H
