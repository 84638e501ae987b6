//===- SidecarTest.cpp - Files of constants that do not fit ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace dyn::test;
namespace fs = std::filesystem;

namespace {
/// An artifact in a folder of its own, where its sidecar is changed.
class SidecarTest : public ::testing::Test {
protected:
  SidecarTest() {
    char name[] = "/tmp/dyn-sidecar-XXXXXX";
    folder = ::mkdtemp(name);
    fs::copy_file(artifactPath("zoo_sidecar.so"), folder / "m.so");
    std::ostringstream contents;
    contents
        << std::ifstream(artifactPath("zoo.weights"), std::ios::binary).rdbuf();
    weights = contents.str();
    std::memcpy(&trailer, &weights[weights.size() - sizeof(trailer)],
                sizeof(trailer));
  }
  ~SidecarTest() override { fs::remove_all(folder); }

  fs::path sidecar() const { return folder / "zoo.weights"; }
  void write(const std::string &contents) {
    fs::remove_all(sidecar());
    std::ofstream(sidecar(), std::ios::binary) << contents;
  }
  /// The sidecar with another trailer.
  void writeTrailer(const dyn_trailer_t &changed) {
    std::string contents = weights;
    std::memcpy(&contents[contents.size() - sizeof(changed)], &changed,
                sizeof(changed));
    write(contents);
  }
  dyn_status_t load() {
    dyn_artifact_t *made = nullptr;
    dyn_status_t status =
        dyn_artifact_load((folder / "m.so").c_str(), nullptr, &made);
    artifact.reset(made);
    return status;
  }
  /// Expects a failure, whose message has "F" for the folder.
  void expectFailure(dyn_status_t status, const std::string &message) {
    EXPECT_EQ(load(), status);
    EXPECT_EQ(artifact, nullptr);
    std::string found = dyn_last_error();
    for (size_t at; (at = found.find(folder.string())) != std::string::npos;)
      found.replace(at, folder.string().size(), "F");
    EXPECT_EQ(found, message);
  }
  std::string damagedAt(uint64_t bytes, uint64_t offset) const {
    return "'F/zoo.weights' is damaged: expected 4096 bytes of constants, "
           "found " +
           std::to_string(bytes) + " at byte " + std::to_string(offset) +
           " of " + std::to_string(weights.size());
  }

  /// A call reads the constants of the loaded artifact.
  void expectConstants(float first = 32) {
    Context context = makeContext(artifact.get());
    Execution execution = makeExecution(context.get());
    dyn_tensor_t output = {};
    ASSERT_EQ(run(execution.get(), "gather", {Value::of<int64_t>({0})}, output),
              DYN_STATUS_OK);
    EXPECT_EQ(elements<float>(output),
              (std::vector<float>{first, first + 1, first + 2, first + 3}));
  }

  fs::path folder;
  std::string weights;
  dyn_trailer_t trailer;
  Artifact artifact;
};
} // namespace

TEST_F(SidecarTest, LoadsFromBesideTheArtifact) {
  write(weights);
  ASSERT_EQ(load(), DYN_STATUS_OK) << dyn_last_error();
  expectConstants();
}

/// The constants are mapped: removing or replacing the file later changes
/// nothing for who has loaded it.
/// Several artifacts share a sidecar, and have further constants of their own.
TEST_F(SidecarTest, MayBeSharedByVariants) {
  write(weights);
  for (int variant : {1, 3, 4}) {
    std::string name = "zoo_variant" + std::to_string(variant) + ".so";
    fs::remove(folder / "m.so");
    fs::copy_file(artifactPath(name), folder / "m.so");
    ASSERT_EQ(load(), DYN_STATUS_OK) << dyn_last_error();
    expectConstants(16 * variant);
  }
  fs::remove(sidecar());
  EXPECT_EQ(load(), DYN_STATUS_NOT_FOUND);
}

TEST_F(SidecarTest, OwnConstantsAreOfTheArtifact) {
  write(weights);
  std::ostringstream contents;
  contents << std::ifstream(artifactPath("zoo_variant1.so"), std::ios::binary)
                  .rdbuf();
  std::string file = contents.str();
  file[file.size() - sizeof(trailer) + offsetof(dyn_trailer_t, id)] ^= 1;
  fs::remove(folder / "m.so");
  std::ofstream(folder / "m.so", std::ios::binary) << file;
  expectFailure(DYN_STATUS_BAD_ARTIFACT,
                "the constants in 'F/m.so' are of another compilation than the "
                "code");
}

TEST_F(SidecarTest, IsKeptOnceItIsLoaded) {
  write(weights);
  ASSERT_EQ(load(), DYN_STATUS_OK);
  write(std::string(weights.size(), '\0'));
  expectConstants();
}

TEST_F(SidecarTest, MayBeALink) {
  std::ofstream(folder / "elsewhere", std::ios::binary) << weights;
  fs::create_symlink("elsewhere", sidecar());
  EXPECT_EQ(load(), DYN_STATUS_OK) << dyn_last_error();
  fs::remove(folder / "elsewhere");
  expectFailure(DYN_STATUS_NOT_FOUND,
                "'F/m.so' needs its sidecar: cannot open 'F/zoo.weights': No "
                "such file or directory");
}

TEST_F(SidecarTest, IsAFile) {
  fs::create_directory(sidecar());
  expectFailure(DYN_STATUS_NOT_FOUND, "'F/m.so' needs its sidecar: "
                                      "'F/zoo.weights' is not a regular file");
  fs::remove(sidecar());
  // Opening a pipe would wait for a writer.
  ASSERT_EQ(::mkfifo(sidecar().c_str(), 0600), 0);
  expectFailure(DYN_STATUS_NOT_FOUND, "'F/m.so' needs its sidecar: "
                                      "'F/zoo.weights' is not a regular file");
}

/// Touching a page that the file does not have would be a fault, so that no
/// truncated sidecar may be mapped.
TEST_F(SidecarTest, EveryTruncationIsFound) {
  for (size_t length = 0; length < weights.size(); length += 61) {
    write(weights.substr(0, length));
    EXPECT_EQ(load(), DYN_STATUS_BAD_ARTIFACT) << length;
  }
  // Cut in the middle, with the trailer at its end.
  std::string cut = weights;
  cut.erase(1000, 64);
  write(cut);
  expectFailure(DYN_STATUS_BAD_ARTIFACT,
                "'F/zoo.weights' is damaged: expected 4096 bytes of constants, "
                "found 4096 at byte 0 of " +
                    std::to_string(cut.size()));
}

TEST_F(SidecarTest, OfAnotherCompilation) {
  for (size_t byte = 0; byte < sizeof(trailer.id); ++byte) {
    dyn_trailer_t changed = trailer;
    changed.id[byte] ^= 0x80;
    writeTrailer(changed);
    expectFailure(DYN_STATUS_BAD_ARTIFACT,
                  "the constants in 'F/zoo.weights' are of another compilation "
                  "than the code");
  }
}

TEST_F(SidecarTest, OfAnOlderVersion) {
  std::string old = weights.substr(0, 4096);
  write(old + DYN_OLD_TRAILER_MAGIC + std::string(32, '\0'));
  expectFailure(DYN_STATUS_UNSUPPORTED,
                "'F/zoo.weights' is of an older version: this runtime reads "
                "version 12");
}

/// A trailer with a wrong offset or length, also where their sum wraps around.
TEST_F(SidecarTest, OffsetOfTheConstants) {
  auto damage = [&](uint64_t offset, uint64_t bytes) {
    dyn_trailer_t changed = trailer;
    changed.offset = offset;
    changed.bytes = bytes;
    writeTrailer(changed);
    expectFailure(DYN_STATUS_BAD_ARTIFACT, damagedAt(bytes, offset));
  };
  ASSERT_EQ(trailer.offset, 0u);
  ASSERT_EQ(trailer.bytes, 4096u);
  damage(0, 4095);
  damage(0, 4097);
  damage(0, 0);
  damage(0, UINT64_MAX);
  damage(1, 4096);
  damage(64, 4096);
  damage(4096, 4096);
  damage(uint64_t(1) << 40, 4096);
  damage(uint64_t(0) - 4096, 4096);
}

/// Bytes between constants and trailer belong to nobody.
TEST_F(SidecarTest, SpaceBeforeTheTrailer) {
  std::string wide = weights;
  wide.insert(4096, std::string(1000, 'x'));
  write(wide);
  EXPECT_EQ(load(), DYN_STATUS_OK) << dyn_last_error();
}

TEST_F(SidecarTest, FolderOfTheOptions) {
  fs::create_directory(folder / "other");
  std::ofstream(folder / "other" / "zoo.weights", std::ios::binary) << weights;
  // The folder of the options comes before that of the artifact.
  write("damaged");
  dyn_artifact_t *made = nullptr;
  const std::string other = folder / "other", none = folder / "none";
  dyn_load_options_t options = {sizeof(options), other.c_str()};
  const std::string path = folder / "m.so";
  EXPECT_EQ(dyn_artifact_load(path.c_str(), &options, &made), DYN_STATUS_OK)
      << dyn_last_error();
  dyn_artifact_release(made);
  options.sidecar_folder = none.c_str();
  EXPECT_FAILURE(dyn_artifact_load(path.c_str(), &options, &made),
                 DYN_STATUS_NOT_FOUND,
                 ("'" + path + "' needs its sidecar: cannot open '" + none +
                  "/zoo.weights': No such file or directory")
                     .c_str());
  EXPECT_EQ(made, nullptr);
}
