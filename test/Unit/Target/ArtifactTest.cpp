//===- ArtifactTest.cpp - Artifacts as hosts see them ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The entries are of a few instructions, in place of lowered models.

#include "dyn/Target/Artifact.h"

#include "Compilation.h"
#include "Files.h"

#include "dyn/Target/ConstantsFile.h"
#include "dyn/artifact.h"

#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

#include <dlfcn.h>

using namespace dyn;
using namespace mlir;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// An entry that returns 7, and a constant of four bytes of the file `w`.
constexpr StringLiteral kModel = R"(
  dhlo.dim @N in [2, 100]
  dlhlo.constant @w : tensor<4xi8> {
    %0 = dhlo.weight <"w", offset = 0, length = 4, key = "w"> : tensor<4xi8>
    dlhlo.yield %0 : tensor<4xi8>
  }
  dlhlo.entry @main calls "f"
      : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
      inputs ["x"] outputs ["y"] dims [@N] arenas 2
  llvm.func @f(%frame: !llvm.ptr) -> i32 {
    %0 = llvm.mlir.constant(7 : i32) : i32
    llvm.return %0 : i32
  }
)";

class ArtifactTest : public testing::Test {
protected:
  ArtifactTest() {
    test::prepareCompilation(context);
    folder.write("w", "good");
  }

  /// The message of a failure, or "".
  std::string write(uint64_t sidecarLimit = 256) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(kModel, &context);
    EXPECT_TRUE(module);
    ArtifactOptions options;
    options.isas = {Isa::V2};
    options.sidecarLimit = sidecarLimit;
    options.weightsFolder = folder.getPath("");
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    TimingScope timing;
    bool isWritten = succeeded(writeArtifact(
        *module, /*device=*/{}, folder.getPath("m.so"), options, timing));
    EXPECT_EQ(isWritten, message.empty());
    return message;
  }

  MLIRContext context;
  test::Folder folder;
};

TEST_F(ArtifactTest, HostsReadTheDescriptor) {
  ASSERT_EQ(write(), "");
  void *image = dlopen(folder.getPath("m.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  auto *query = reinterpret_cast<dyn_artifact_query_fn>(
      dlsym(image, DYN_ARTIFACT_SYMBOL));
  ASSERT_TRUE(query);
  EXPECT_EQ(query(DYN_ARTIFACT_VERSION - 1), nullptr);
  const dyn_descriptor_t *descriptor = query(DYN_ARTIFACT_VERSION);
  ASSERT_TRUE(descriptor);
  EXPECT_EQ(query(DYN_ARTIFACT_VERSION + 1), descriptor);
  EXPECT_EQ(descriptor->struct_size, sizeof(dyn_descriptor_t));
  EXPECT_EQ(descriptor->version, DYN_ARTIFACT_VERSION);
  EXPECT_THAT(descriptor->producer, testing::StartsWith("dyn "));
  EXPECT_EQ(descriptor->sidecar, nullptr);
  EXPECT_EQ(descriptor->kernels, nullptr);
  std::optional<Identity> id = readId(folder.getPath("m.so"));
  ASSERT_TRUE(id);
  EXPECT_EQ(memcmp(descriptor->id, id->data(), id->size()), 0);

  ASSERT_EQ(descriptor->constant_count, 1u);
  EXPECT_STREQ(descriptor->constants[0].name, "w");
  EXPECT_EQ(descriptor->constants[0].bytes, 4u);
  ASSERT_EQ(descriptor->entry_count, 1u);
  const dyn_entry_t &entry = descriptor->entries[0];
  EXPECT_STREQ(entry.name, "main");
  EXPECT_EQ(entry.arena_count, 2u);
  ASSERT_EQ(entry.dim_count, 1u);
  EXPECT_STREQ(entry.dims[0].name, "N");
  EXPECT_EQ(entry.dims[0].min, 2);
  EXPECT_EQ(entry.dims[0].max, 100);
  ASSERT_EQ(entry.input_count, 1u);
  EXPECT_STREQ(entry.inputs[0].name, "x");
  ASSERT_EQ(entry.inputs[0].rank, 2u);
  EXPECT_EQ(entry.inputs[0].sizes[0].dim, 0);
  EXPECT_EQ(entry.inputs[0].sizes[1].extent, 4);
  EXPECT_EQ(entry.outputs[0].dtype, uint32_t(DYN_I64));
  dyn_frame_t frame = {};
  EXPECT_EQ(entry.fn(&frame), 7);
  dlclose(image);
}

TEST_F(ArtifactTest, ConstantsFollowTheImage) {
  ASSERT_EQ(write(), "");
  std::string file = folder.read("m.so");
  dyn_trailer_t trailer;
  ASSERT_GE(file.size(), sizeof(trailer));
  memcpy(&trailer, &file[file.size() - sizeof(trailer)], sizeof(trailer));
  EXPECT_EQ(trailer.offset % DYN_PAGE, 0u);
  EXPECT_EQ(trailer.bytes, 4u);
  EXPECT_EQ(trailer.offset + trailer.bytes + sizeof(trailer), file.size());
  EXPECT_EQ(file.substr(trailer.offset, 4), "good");
  // The image is what it was when its digest was computed.
  ASSERT_LE(trailer.image_bytes, trailer.offset);
  EXPECT_EQ(dyn_image_digest(trailer.image_bytes,
                             reinterpret_cast<const uint8_t *>(file.data()),
                             trailer.image_bytes),
            trailer.image_digest);
}

/// Image, sidecar and the sidecar's name agree on the id.
TEST_F(ArtifactTest, SidecarsHaveTheIdOfTheArtifact) {
  ASSERT_EQ(write(/*sidecarLimit=*/3), "");
  std::optional<Identity> id = readId(folder.getPath("m.so"));
  ASSERT_TRUE(id);
  std::string sidecar = getSidecarName("m.so", *id);
  EXPECT_THAT(folder.list(), ElementsAre("m.so", sidecar, "w"));
  EXPECT_EQ(readId(folder.getPath(sidecar)), id);
  EXPECT_EQ(folder.read(sidecar).substr(0, 4), "good");
  EXPECT_THAT(folder.read("m.so"), HasSubstr(sidecar));
}

TEST_F(ArtifactTest, EqualModelsAreEqualFiles) {
  ASSERT_EQ(write(), "");
  std::string first = folder.read("m.so");
  ASSERT_EQ(write(), "");
  EXPECT_EQ(folder.read("m.so"), first);
  // Other constants are another artifact, with the same code.
  folder.write("w", "bad!");
  std::optional<Identity> id = readId(folder.getPath("m.so"));
  ASSERT_EQ(write(), "");
  EXPECT_NE(readId(folder.getPath("m.so")), id);
  EXPECT_EQ(folder.read("m.so").size(), first.size());
}

/// The image is complete when the constants fail, yet no file changes.
TEST_F(ArtifactTest, FailuresLeaveTheOldFiles) {
  for (uint64_t limit : {256, 3}) {
    ASSERT_EQ(write(limit), "");
    std::set<std::string> files = folder.list();
    std::string before = folder.read("m.so");
    folder.write("w", "bad");
    EXPECT_NE(write(limit), "");
    EXPECT_EQ(folder.list(), files);
    EXPECT_EQ(folder.read("m.so"), before);
    folder.write("w", "good");
  }
}

} // namespace
