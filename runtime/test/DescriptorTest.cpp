//===- DescriptorTest.cpp - Every member of a descriptor out of range -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// FaultTest has artifacts that a compiler could have got wrong. Here members of
// a descriptor that is right are changed one by one, up to the values that are
// just allowed.

#include "DescriptorEditor.h"

#include <functional>
#include <set>
#include <unistd.h>

using namespace dyn::test;

namespace {
/// A path of the test's own; a file that is replaced while an older one is
/// loaded must not be the same file.
class DescriptorTest : public ::testing::Test {
protected:
  DescriptorTest() {
    char name[] = "/tmp/dyn-descriptor-XXXXXX";
    folder = ::mkdtemp(name);
    path = folder + "/m.so";
  }
  ~DescriptorTest() override {
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
  }

  dyn_status_t tryLoad(const std::string &file, Artifact &artifact) {
    ::unlink(path.c_str());
    std::ofstream(path, std::ios::binary) << file;
    dyn_artifact_t *made = nullptr;
    dyn_status_t status = dyn_artifact_load(path.c_str(), nullptr, &made);
    artifact.reset(made);
    return status;
  }

  using Edit = std::function<void(DescriptorEditor &)>;
  /// The message about the artifact "faulty_grain.so", of which all members but
  /// a number that no load reads are right, when it is changed; "" if it loads.
  std::string edit(const Edit &change,
                   const std::string &artifact = "faulty_grain.so") {
    DescriptorEditor editor(artifact);
    change(editor);
    Artifact loaded;
    dyn_status_t status = tryLoad(editor.getFile(), loaded);
    EXPECT_EQ(status == DYN_STATUS_OK, loaded != nullptr);
    if (status == DYN_STATUS_OK)
      return "";
    EXPECT_EQ(status, DYN_STATUS_BAD_ARTIFACT);
    std::string message = dyn_last_error();
    const std::string start = "'" + path + "' is damaged: ";
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(std::min(start.size(), message.size()));
  }
  /// A pointer to a string, outside of the image.
  template <typename Find> std::string lose(Find find) {
    return edit([&](DescriptorEditor &editor) {
      editor.pointAt(find(editor.get()), DescriptorEditor::kNowhere);
    });
  }

  std::string folder, path;
};
} // namespace

/// The right descriptor loads, so that what the other tests find is due to what
/// they change.
TEST_F(DescriptorTest, Unchanged) {
  EXPECT_EQ(edit([](DescriptorEditor &) {}), "");
  EXPECT_EQ(edit([](DescriptorEditor &) {}, "zoo.so"), "");
  EXPECT_EQ(edit([](DescriptorEditor &) {}, "device.so"), "");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(DescriptorTest, NamesOutsideTheImage) {
  using Root = const dyn_descriptor_t;
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.producer; }),
            "the producer is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.metadata; }),
            "the metadata is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.entries[0].name; }),
            "the name of entry 0 is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.entries[0].dims[0].name; }),
            "the name of size 0 of entry 0 is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.kernels[0].name; }),
            "the name of kernel 0 is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.kernels[0].kind; }),
            "the kind of kernel 0 is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.sites[0].op; }),
            "site 0 is not a string of the image");
  EXPECT_EQ(lose([](Root &r) -> auto & { return r.constants[0].name; }),
            "the name of constant 0 is not a string of the image");
  for (const char *dyn_router_t::*name :
       {&dyn_router_t::key, &dyn_router_t::label, &dyn_router_t::cell,
        &dyn_router_t::fingerprint})
    EXPECT_EQ(lose([&](Root &r) -> auto & { return r.routers[0].*name; }),
              "a name of router 0 is not a string of the image");
  EXPECT_EQ(
      lose([](Root &r) -> auto & { return r.programs[0].kernels[0].name; }),
      "the name of kernel 0 of program 0 is not a string of the image");
  EXPECT_EQ(
      lose([](Root &r) -> auto & { return r.programs[0].kernels[0].kind; }),
      "the kind of kernel 0 of program 0 is not a string of the image");
  EXPECT_EQ(
      lose([](Root &r) -> auto & { return r.programs[0].images[0].chips; }),
      "the chips of image 0 of program 0 is not a string of the image");
}

/// The last byte of a segment that is not zero: a string that begins there has
/// no end in the image, and whoever reads it reads on.
TEST_F(DescriptorTest, NameWithoutEnd) {
  DescriptorEditor editor("faulty_grain.so");
  Elf64_Ehdr header;
  const std::string file = editor.getFile();
  std::memcpy(&header, file.data(), sizeof(header));
  int found = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, &file[header.e_phoff + i * sizeof(segment)],
                sizeof(segment));
    if (segment.p_type != PT_LOAD || segment.p_memsz != segment.p_filesz ||
        file[segment.p_offset + segment.p_filesz - 1] == 0)
      continue;
    ++found;
    editor.pointAt(editor.get().producer,
                   int64_t(segment.p_vaddr + segment.p_memsz - 1));
    Artifact artifact;
    EXPECT_EQ(tryLoad(editor.getFile(), artifact), DYN_STATUS_BAD_ARTIFACT);
    EXPECT_EQ(dyn_last_error(),
              "'" + path +
                  "' is damaged: the producer is not a string of the image");
  }
  if (!found)
    GTEST_SKIP() << "every segment ends with a zero";
}

//===----------------------------------------------------------------------===//
// Numbers, at their limits
//===----------------------------------------------------------------------===//

TEST_F(DescriptorTest, BoundsOfSizes) {
  const char *impossible = "size 0 of entry 0 has impossible bounds";
  auto dim = [&](int64_t min, int64_t max, int64_t multipleOf) {
    return edit([&](DescriptorEditor &editor) {
      const dyn_dim_t &dim = editor.get().entries[0].dims[0];
      editor.set(dim.min, min);
      editor.set(dim.max, max);
      editor.set(dim.multiple_of, multipleOf);
    });
  };
  EXPECT_EQ(dim(0, 0, 1), "");
  EXPECT_EQ(dim(INT64_MAX, INT64_MAX, INT64_MAX), "");
  EXPECT_EQ(dim(-1, 5, 1), impossible);
  EXPECT_EQ(dim(INT64_MIN, 5, 1), impossible);
  EXPECT_EQ(dim(1, 0, 1), impossible);
  EXPECT_EQ(dim(0, -1, 1), impossible);
  EXPECT_EQ(dim(0, 5, 0), impossible);
  EXPECT_EQ(dim(0, 5, -4), impossible);
}

TEST_F(DescriptorTest, ElementTypesOfPorts) {
  auto dtype = [&](uint32_t value) {
    return edit([&](DescriptorEditor &editor) {
      editor.set(editor.get().entries[0].inputs[0].dtype, value);
    });
  };
  for (uint32_t value = DYN_BOOL; value <= DYN_F64; ++value)
    EXPECT_EQ(dtype(value), "");
  for (uint32_t value : {0u, uint32_t(DYN_F64) + 1, UINT32_MAX})
    EXPECT_EQ(dtype(value),
              "input 0 of entry 0 has element type " + std::to_string(value));
}

TEST_F(DescriptorTest, RanksOfPorts) {
  // With axes that the tables have, and with more than any port may have.
  EXPECT_EQ(edit([](DescriptorEditor &editor) {
              editor.set(editor.get().entries[0].inputs[0].rank, 1u);
            }),
            "");
  EXPECT_EQ(edit([](DescriptorEditor &editor) {
              editor.set(editor.get().entries[0].inputs[0].rank,
                         uint32_t(DYN_MAX_RANK) + 1);
            }),
            "input 0 of entry 0 has rank 13");
}

TEST_F(DescriptorTest, ExtentsAndSymbolsOfAxes) {
  const char *wrong = "axis 0 of input 0 of entry 0 has a size out of range";
  auto size = [&](int64_t extent, int32_t dim) {
    return edit([&](DescriptorEditor &editor) {
      const dyn_size_t &size = editor.get().entries[0].inputs[0].sizes[0];
      editor.set(size.extent, extent);
      editor.set(size.dim, dim);
    });
  };
  EXPECT_EQ(size(-1, 0), "");
  EXPECT_EQ(size(-2, 0), wrong);
  EXPECT_EQ(size(INT64_MIN, 0), wrong);
  EXPECT_EQ(size(-1, -2), wrong);
  EXPECT_EQ(size(-1, INT32_MIN), wrong);
  EXPECT_EQ(size(-1, 1), wrong);
  EXPECT_EQ(size(-1, INT32_MAX), wrong);
}

/// A symbol is bound by an axis whose whole size it is. An axis that has an
/// extent as well is not one.
TEST_F(DescriptorTest, AxisThatBindsNothing) {
  DescriptorEditor editor("faulty_grain.so");
  editor.set(editor.get().entries[0].inputs[0].sizes[0].extent, int64_t(4));
  Artifact artifact;
  EXPECT_EQ(tryLoad(editor.getFile(), artifact), DYN_STATUS_BAD_ARTIFACT);
  EXPECT_EQ(dyn_last_error(),
            "'" + path +
                "', entry 'main': the size 'n' cannot be bound: expected an "
                "input that has it as the whole size of an axis");
}

TEST_F(DescriptorTest, ExpressionsOfAxes) {
  const char *unsound =
      "axis 1 of input 0 of entry 0 has an unsound expression";
  auto words = [&](uint32_t count) {
    return edit([&](DescriptorEditor &editor) {
      editor.set(editor.get().entries[0].inputs[0].sizes[1].code_words, count);
    });
  };
  EXPECT_EQ(words(2), ""); // the symbol alone
  EXPECT_EQ(words(1), unsound);
  EXPECT_EQ(words(3), unsound);
  EXPECT_EQ(words(4), unsound);
  EXPECT_EQ(words(0), "axis 1 of input 0 of entry 0 has no size");
  EXPECT_EQ(words(UINT32_MAX),
            "the table of code of axis 1 of input 0 of entry 0 (4294967295) "
            "lies outside the image");
}

TEST_F(DescriptorTest, NumbersOfArenasAndArguments) {
  const uint32_t most = 1u << 16;
  auto set = [&](auto find, uint32_t value) {
    return edit([&](DescriptorEditor &editor) {
      editor.set(find(editor.get()), value);
    });
  };
  using Root = const dyn_descriptor_t;
  auto arenas = [](Root &r) -> auto & { return r.entries[0].arena_count; };
  EXPECT_EQ(set(arenas, most), "");
  EXPECT_EQ(set(arenas, most + 1), "entry 0 has 65537 arenas");
  auto buffers = [](Root &r) -> auto & { return r.kernels[0].buffer_count; };
  EXPECT_EQ(set(buffers, most), "");
  EXPECT_EQ(set(buffers, most + 1), "kernel 0 has 65537 buffers and 0 sizes");
  auto dims = [](Root &r) -> auto & { return r.kernels[0].dim_count; };
  EXPECT_EQ(set(dims, most), "");
  EXPECT_EQ(set(dims, most + 1), "kernel 0 has 0 buffers and 65537 sizes");
  auto onDevice = [](Root &r) -> auto & {
    return r.programs[0].kernels[0].dim_count;
  };
  EXPECT_EQ(set(onDevice, most), "");
  EXPECT_EQ(set(onDevice, most + 1),
            "kernel 0 of program 0 has 2 buffers and 65537 sizes");
}

TEST_F(DescriptorTest, Routers) {
  auto router = [&](uint32_t paths, int32_t after, uint32_t index = 0) {
    return edit(
        [&](DescriptorEditor &editor) {
          editor.set(editor.get().routers[index].paths, paths);
          editor.set(editor.get().routers[index].after, after);
        },
        "zoo.so");
  };
  EXPECT_EQ(router(1, -1), "");
  EXPECT_EQ(router(1u << 20, -1), "");
  EXPECT_EQ(router((1u << 20) + 1, -1), "router 0 has 1048577 paths");
  EXPECT_EQ(router(4, -2), "router 0 comes after router -2");
  EXPECT_EQ(router(4, 0), "router 0 comes after router 0");
  EXPECT_EQ(router(4, 1, 2), "");
  EXPECT_EQ(router(4, 2, 2), "router 2 comes after router 2");
  EXPECT_EQ(router(4, INT32_MAX, 2), "router 2 comes after router 2147483647");
}

/// The area ends at a multiple of what constants are aligned to, and an empty
/// constant may lie at its end.
TEST_F(DescriptorTest, ConstantsAtTheEndOfTheirArea) {
  const char *outside = "constant 1 lies outside the constants area";
  auto constant = [&](uint64_t offset, uint64_t bytes) {
    return edit(
        [&](DescriptorEditor &editor) {
          ASSERT_EQ(editor.get().constants_bytes, 4096u);
          editor.set(editor.get().constants[1].offset, offset);
          editor.set(editor.get().constants[1].bytes, bytes);
        },
        "zoo.so");
  };
  EXPECT_EQ(constant(4096 - 64, 64), "");
  EXPECT_EQ(constant(4096, 0), "");
  EXPECT_EQ(constant(0, 4096), "");
  EXPECT_EQ(constant(4096 - 64, 65), outside);
  EXPECT_EQ(constant(4096, 1), outside);
  EXPECT_EQ(constant(4096 + 64, 0), outside);
  EXPECT_EQ(constant(0, 4097), outside);
  EXPECT_EQ(constant(32, 1), outside);
  EXPECT_EQ(constant(uint64_t(0) - 64, 128), outside);
}

TEST_F(DescriptorTest, Counts) {
  using Root = const dyn_descriptor_t;
  auto many = [&](auto find, uint32_t count = UINT32_MAX) {
    return edit([&](DescriptorEditor &editor) {
      editor.set(find(editor.get()), count);
    });
  };
  const std::string outside = " (4294967295) lies outside the image";
  EXPECT_EQ(many([](Root &r) -> auto & { return r.entry_count; }),
            "the table of entries" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.kernel_count; }),
            "the table of kernels" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.site_count; }),
            "the table of sites" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.constant_count; }),
            "the table of constants" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.router_count; }),
            "the table of routers" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.program_count; }),
            "the table of programs" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.entries[0].input_count; }),
            "the table of inputs of entry 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.entries[0].dim_count; }),
            "the table of sizes of entry 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.programs[0].entry_count; }),
            "the table of entries of program 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.programs[0].kernel_count; }),
            "the table of kernels of program 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.programs[0].image_count; }),
            "the table of images of program 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & { return r.programs[0].site_count; }),
            "the table of sites of program 0" + outside);
  EXPECT_EQ(many([](Root &r) -> auto & {
              return r.programs[0].kernels[0].version_count;
            }),
            "the table of versions of kernel 0 of program 0" + outside);
  // Without sites, constants and routers there is nothing to find wrong.
  EXPECT_EQ(many([](Root &r) -> auto & { return r.site_count; }, 0), "");
  EXPECT_EQ(many([](Root &r) -> auto & { return r.constant_count; }, 0), "");
  EXPECT_EQ(many([](Root &r) -> auto & { return r.router_count; }, 0), "");
  EXPECT_EQ(many([](Root &r) -> auto & { return r.program_count; }, 0), "");
}

/// A program of a device has the artifact's signatures. Here it has an entry
/// with other ones.
TEST_F(DescriptorTest, SignatureOfAProgram) {
  auto withEntry = [&](uint32_t index) {
    return edit(
        [&](DescriptorEditor &editor) {
          const dyn_descriptor_t &root = editor.get();
          ASSERT_LT(index, root.entry_count);
          editor.set(root.entry_count, 1u);
          editor.set(root.programs[0].entry_count, 1u);
          editor.point(root.programs[0].entries, &root.entries[index]);
        },
        "device.so");
  };
  EXPECT_EQ(withEntry(0), "");
  int others = 0;
  DescriptorEditor editor("device.so");
  const dyn_entry_t *entries = editor.get().entries;
  for (uint32_t i = 1; i < editor.get().entry_count; ++i)
    if (entries[i].input_count != entries[0].input_count) {
      ++others;
      EXPECT_EQ(withEntry(i), "entry 0 of program 0 has another signature");
    }
  EXPECT_GT(others, 0);
}

TEST_F(DescriptorTest, Gemms) {
  using Gemm = const dyn_gemm_t;
  auto gemm = [&](auto find, uint32_t value) {
    return edit([&](DescriptorEditor &editor) {
      editor.set(find(*editor.get().programs[0].kernels[0].gemm), value);
    });
  };
  const std::string what = "the GEMM of kernel 0 of program 0 has ";
  for (uint32_t dtype = 0; dtype <= DYN_F64 + 1; ++dtype) {
    bool isFactor = dtype == DYN_F32 || dtype == DYN_F16 || dtype == DYN_BF16;
    std::string expected =
        isFactor ? "" : what + "element type " + std::to_string(dtype);
    EXPECT_EQ(gemm([](Gemm &g) -> auto & { return g.factor_dtype; }, dtype),
              expected);
    EXPECT_EQ(gemm([](Gemm &g) -> auto & { return g.result_dtype; }, dtype),
              expected);
  }
  // Not all buffers may be missing.
  for (uint32_t dyn_gemm_t::*buffer :
       {&dyn_gemm_t::left, &dyn_gemm_t::right, &dyn_gemm_t::result}) {
    auto find = [&](Gemm &g) -> auto & { return g.*buffer; };
    EXPECT_EQ(gemm(find, 1), "");
    EXPECT_EQ(gemm(find, 2), what + "buffer 2");
    EXPECT_EQ(gemm(find, DYN_NO_BUFFER), what + "buffer 4294967295");
  }
  for (uint32_t dyn_gemm_t::*buffer :
       {&dyn_gemm_t::bias, &dyn_gemm_t::addend}) {
    auto find = [&](Gemm &g) -> auto & { return g.*buffer; };
    EXPECT_EQ(gemm(find, 1), "");
    EXPECT_EQ(gemm(find, 2), what + "buffer 2");
    EXPECT_EQ(gemm(find, DYN_NO_BUFFER), "");
  }
  for (uint32_t activation = 0; activation < 4; ++activation)
    EXPECT_EQ(gemm([](Gemm &g) -> auto & { return g.activation; }, activation),
              activation < 3 ? "" : what + "activation 3");
}

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

/// Reads all that an artifact says of itself.
static void describe(const dyn_artifact_t *artifact) {
  dyn_artifact_info_t info = {sizeof(info)};
  ASSERT_EQ(dyn_artifact_info(artifact, &info), DYN_STATUS_OK);
  size_t length = std::strlen(info.producer) + std::strlen(info.metadata);
  for (uint32_t i = 0; i < info.entry_count; ++i) {
    dyn_entry_info_t entry = {sizeof(entry)};
    ASSERT_EQ(dyn_artifact_entry(artifact, i, &entry), DYN_STATUS_OK);
    dyn_port_info_t port = {sizeof(port)};
    for (uint32_t j = 0; j < entry.input_count; ++j) {
      ASSERT_EQ(dyn_artifact_input(artifact, i, j, &port), DYN_STATUS_OK);
      length += std::strlen(port.name) + std::strlen(port.text);
    }
    for (uint32_t j = 0; j < entry.output_count; ++j) {
      ASSERT_EQ(dyn_artifact_output(artifact, i, j, &port), DYN_STATUS_OK);
      length += std::strlen(port.name) + std::strlen(port.text);
    }
    dyn_dim_info_t dim = {sizeof(dim)};
    for (uint32_t j = 0; j < entry.dim_count; ++j) {
      ASSERT_EQ(dyn_artifact_dim(artifact, i, j, &dim), DYN_STATUS_OK);
      length += std::strlen(dim.name);
    }
  }
  EXPECT_GT(length, 0u);
}

/// Addresses of the pointers that the runtime never follows: recipes of
/// constants, which are for people, and tables without elements.
static std::set<uint64_t> getUnread(const DescriptorEditor &editor) {
  const dyn_descriptor_t &root = editor.get();
  std::set<uint64_t> unread;
  auto addRecipes = [&](const dyn_constant_t *constants, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      unread.insert(editor.addressOf(&constants[i].recipe));
  };
  auto addEmpty = [&](const dyn_entry_t *entries, uint32_t count) {
    for (const dyn_entry_t *entry = entries; entry != entries + count;
         ++entry) {
      if (!entry->input_count)
        unread.insert(editor.addressOf(&entry->inputs));
      if (!entry->output_count)
        unread.insert(editor.addressOf(&entry->outputs));
      if (!entry->dim_count)
        unread.insert(editor.addressOf(&entry->dims));
      if (!entry->constant_count)
        unread.insert(editor.addressOf(&entry->constants));
    }
  };
  addRecipes(root.constants, root.constant_count);
  addEmpty(root.entries, root.entry_count);
  for (uint32_t i = 0; i < root.program_count; ++i) {
    addRecipes(root.programs[i].constants, root.programs[i].constant_count);
    addEmpty(root.programs[i].entries, root.programs[i].entry_count);
  }
  return unread;
}

TEST_F(DescriptorTest, EveryPointerIsChecked) {
  for (const char *name :
       {"zoo.so", "device.so", "ranks2.so", "faulty_grain.so"}) {
    DescriptorEditor editor(name);
    const std::set<uint64_t> unread = getUnread(editor);
    ASSERT_GT(editor.getRelocations().size(), 15u);
    for (auto [slot, relocation] : editor.getRelocations()) {
      int64_t addend = editor.getAddend(relocation);
      editor.setAddend(relocation, DescriptorEditor::kNowhere);
      Artifact artifact;
      EXPECT_EQ(tryLoad(editor.getFile(), artifact),
                unread.count(slot) ? DYN_STATUS_OK : DYN_STATUS_BAD_ARTIFACT)
          << name << ": the pointer at " << slot;
      // Within the image and not aligned, or at its very start: refused, or
      // without harm.
      for (int64_t other : {addend + 1, int64_t(0)}) {
        editor.setAddend(relocation, other);
        if (tryLoad(editor.getFile(), artifact) == DYN_STATUS_OK)
          describe(artifact.get());
      }
      editor.setAddend(relocation, addend);
    }
  }
}

/// No number of the tables, whatever its value, leads to an access out of
/// bounds: the artifact is refused or can be described.
TEST_F(DescriptorTest, NoNumberDoesHarm) {
  DescriptorEditor editor("faulty_grain.so");
  const auto &relocations = editor.getRelocations();
  // The tables lie together, as each has a pointer.
  uint64_t first = relocations.begin()->first;
  uint64_t last = relocations.rbegin()->first;
  int refused = 0, loaded = 0;
  const std::string file = editor.getFile();
  for (uint64_t address = first; address < last; address += 4) {
    // Pointers are filled in by the loader.
    if (relocations.count(address & ~uint64_t(7)))
      continue;
    uint64_t at = editor.offsetOf(address);
    for (uint32_t value : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
      std::string changed = file;
      std::memcpy(&changed[at], &value, sizeof(value));
      Artifact artifact;
      dyn_status_t status = tryLoad(sealed(changed), artifact);
      ++(status == DYN_STATUS_OK ? loaded : refused);
      if (status == DYN_STATUS_OK)
        describe(artifact.get());
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(loaded, 50);
}
