//===- LoadTest.cpp - Files that are artifacts, and files that are not ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace dyn::test;

namespace {
std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

/// A file with one bit flipped.
std::string flipped(std::string file, size_t at) {
  file[at] ^= 1;
  return file;
}

/// Each test has its own folder.
class LoadTest : public ::testing::Test {
protected:
  LoadTest() {
    char name[] = "/tmp/dyn-load-XXXXXX";
    folder = ::mkdtemp(name);
  }
  ~LoadTest() override {
    std::string command = "rm -rf '" + folder + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  std::string write(const std::string &name, const std::string &contents) {
    std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  /// Expects a failure to load, whose message follows the path.
  void expectFailure(const std::string &path, dyn_status_t status,
                     const std::string &message) {
    dyn_artifact_t *artifact = reinterpret_cast<dyn_artifact_t *>(1);
    EXPECT_EQ(dyn_artifact_load(path.c_str(), nullptr, &artifact), status);
    EXPECT_EQ(artifact, nullptr);
    std::string found = dyn_last_error();
    for (size_t at; (at = found.find(folder)) != std::string::npos;)
      found.replace(at, folder.size(), "F");
    for (std::string built = DYN_TEST_ARTIFACTS;
         found.find(built) != std::string::npos;)
      found.replace(found.find(built), built.size(), "A");
    EXPECT_EQ(found, message);
  }

  std::string folder;
  const std::string zoo = readAll(artifactPath("zoo.so"));
};
} // namespace

TEST_F(LoadTest, DescribesItself) {
  Artifact artifact = load(artifactPath("zoo.so"));
  dyn_artifact_info_t info = {sizeof(info)};
  ASSERT_EQ(dyn_artifact_info(artifact.get(), &info), DYN_STATUS_OK);
  EXPECT_EQ(info.path, artifactPath("zoo.so"));
  EXPECT_STREQ(info.producer, "by hand");
  EXPECT_STREQ(info.id, "7a6f6f206f6620746573747301020304");
  EXPECT_EQ(info.entry_count, 16u);
  EXPECT_EQ(info.constant_bytes, 4096u);
}

TEST_F(LoadTest, NoFile) {
  expectFailure(folder + "/none.so", DYN_STATUS_NOT_FOUND,
                "cannot open 'F/none.so': No such file or directory");
  expectFailure(folder, DYN_STATUS_NOT_FOUND, "'F' is not a regular file");
  // It never has a writer.
  std::string pipe = folder + "/pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expectFailure(pipe, DYN_STATUS_NOT_FOUND,
                "'F/pipe.so' is not a regular file");
}

/// Messages that are too long are truncated between characters.
TEST_F(LoadTest, LongNames) {
  for (std::string name : {"", "x", "xy"}) {
    for (int i = 0; i < 1000; ++i)
      name += "\u4e2d"; // three bytes
    dyn_artifact_t *artifact = nullptr;
    EXPECT_EQ(dyn_artifact_load(name.c_str(), nullptr, &artifact),
              DYN_STATUS_NOT_FOUND);
    std::string message = dyn_last_error();
    EXPECT_EQ(message.substr(0, 13), "cannot open '");
    EXPECT_GE(message.size(), 2040u);
    EXPECT_EQ(name.substr(0, message.size() - 13), message.substr(13));
    EXPECT_EQ((message.size() - 13 - name.find("\u4e2d")) % 3, 0u);
  }
}

TEST_F(LoadTest, NoElf) {
  expectFailure(write("empty.so", ""), DYN_STATUS_BAD_ARTIFACT,
                "'F/empty.so' is not an artifact: expected an ELF shared "
                "object, found a file of 0 bytes");
  expectFailure(write("text.so", std::string(100, 'x')),
                DYN_STATUS_BAD_ARTIFACT,
                "'F/text.so' is not an artifact: expected an ELF shared "
                "object");
}

TEST_F(LoadTest, OtherElf) {
  std::string changed = zoo;
  changed[18] = char(183); // e_machine: AArch64
  expectFailure(write("arm.so", changed), DYN_STATUS_UNSUPPORTED,
                "'F/arm.so' is for another machine: expected x86-64");
  changed = zoo;
  changed[16] = 1; // e_type: relocatable
  expectFailure(write("object.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/object.so' is not an artifact: expected an ELF shared "
                "object, found ELF type 1");
  changed = zoo;
  changed[54] = 8; // e_phentsize
  expectFailure(write("header.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/header.so' has a damaged ELF header");
  expectFailure(artifactPath("faulty_symbol.so"), DYN_STATUS_BAD_ARTIFACT,
                "'A/faulty_symbol.so' is not an artifact: it does not export "
                "'dyn_artifact'");
}

/// A segment that is loaded but not readable would fault.
TEST_F(LoadTest, UnreadableSegment) {
  std::string changed = zoo;
  auto *header = reinterpret_cast<Elf64_Ehdr *>(changed.data());
  auto *table =
      reinterpret_cast<Elf64_Phdr *>(changed.data() + header->e_phoff);
  int segments = 0;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (table[i].p_type != PT_LOAD)
      continue;
    ++segments;
    table[i].p_flags &= ~uint32_t(PF_R);
    expectFailure(write("closed.so", sealed(changed)), DYN_STATUS_BAD_ARTIFACT,
                  "'F/closed.so' has a damaged ELF header");
    table[i].p_flags |= PF_R;
  }
  EXPECT_GT(segments, 1);
}

TEST_F(LoadTest, EveryTruncationIsFound) {
  // Mapping a page beyond the end of a file is a fault when it is touched, so
  // no truncated file may run.
  for (size_t length = 0; length < zoo.size(); length += 97) {
    std::string path = write("short.so", zoo.substr(0, length));
    dyn_artifact_t *artifact = nullptr;
    EXPECT_EQ(dyn_artifact_load(path.c_str(), nullptr, &artifact),
              DYN_STATUS_BAD_ARTIFACT)
        << length;
    EXPECT_EQ(artifact, nullptr);
    ::unlink(path.c_str());
  }
}

TEST_F(LoadTest, DamagedTrailer) {
  std::string changed = flipped(zoo, zoo.size() - 56); // magic
  expectFailure(write("magic.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/magic.so' is truncated or damaged: it does not end with a "
                "trailer");
  changed = flipped(zoo, zoo.size() - 48); // id
  expectFailure(write("id.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "the constants in 'F/id.so' are of another compilation than "
                "the code");
  changed = flipped(zoo, zoo.size() - 24); // bytes
  expectFailure(write("bytes.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/bytes.so' is damaged: expected 4096 bytes of constants, "
                "found 4097 at byte " +
                    std::to_string(zoo.size() - 56 - 4096) + " of " +
                    std::to_string(zoo.size()));
  changed = flipped(zoo, zoo.size() - 32); // offset
  EXPECT_EQ(zoo.size() % 4096, 56u);
  dyn_artifact_t *artifact = nullptr;
  EXPECT_EQ(dyn_artifact_load(write("offset.so", changed).c_str(), nullptr,
                              &artifact),
            DYN_STATUS_BAD_ARTIFACT);
}

/// A damaged image could do anything, and is therefore not loaded: none of its
/// code runs, whichever byte is damaged.
TEST_F(LoadTest, DamagedImage) {
  dyn_trailer_t trailer;
  std::memcpy(&trailer, &zoo[zoo.size() - sizeof(trailer)], sizeof(trailer));
  for (uint64_t at = 0; at < trailer.image_bytes; at += 211) {
    std::string changed = zoo;
    changed[at] ^= 1 << at % 8;
    dyn_artifact_t *artifact = nullptr;
    EXPECT_NE(dyn_artifact_load(write("image.so", changed).c_str(), nullptr,
                                &artifact),
              DYN_STATUS_OK)
        << at;
    ::unlink((folder + "/image.so").c_str());
  }
  std::string changed = flipped(zoo, trailer.image_bytes / 2);
  expectFailure(write("image.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/image.so' is damaged: its image is not the one that was "
                "compiled");
  changed = flipped(zoo, zoo.size() - 8); // image_digest
  expectFailure(write("digest.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/digest.so' is damaged: its image is not the one that was "
                "compiled");
  changed = flipped(zoo, zoo.size() - 9); // image_bytes
  expectFailure(write("size.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/size.so' is damaged: expected an image of " +
                    std::to_string(trailer.image_bytes + (uint64_t(1) << 56)) +
                    " bytes, found a file of " + std::to_string(zoo.size()));
  changed = zoo;
  changed[changed.size() - 16] = 0;
  changed[changed.size() - 15] = 1;
  expectFailure(write("short.so", changed), DYN_STATUS_BAD_ARTIFACT,
                "'F/short.so' has a damaged ELF header");
}

TEST_F(LoadTest, OlderVersion) {
  std::string old = zoo.substr(0, zoo.size() - sizeof(dyn_trailer_t));
  old += DYN_OLD_TRAILER_MAGIC + std::string(32, 'x');
  expectFailure(write("old.so", old), DYN_STATUS_UNSUPPORTED,
                "'F/old.so' is of an older version: this runtime reads version "
                "12");
}

TEST_F(LoadTest, Sidecar) {
  Artifact artifact = load(artifactPath("zoo_sidecar.so"));
  Context context = makeContext(artifact.get());
  Execution execution = makeExecution(context.get());
  dyn_tensor_t output = {};
  ASSERT_EQ(run(execution.get(), "gather", {Value::of<int64_t>({1})}, output),
            DYN_STATUS_OK);
  EXPECT_EQ(elements<float>(output), (std::vector<float>{36, 37, 38, 39}));
}

TEST_F(LoadTest, SidecarElsewhere) {
  std::string path = write("m.so", readAll(artifactPath("zoo_sidecar.so")));
  expectFailure(path, DYN_STATUS_NOT_FOUND,
                "'F/m.so' needs its sidecar: cannot open 'F/zoo.weights': No "
                "such file or directory");
  dyn_load_options_t options = {sizeof(options), DYN_TEST_ARTIFACTS};
  dyn_artifact_t *artifact = nullptr;
  EXPECT_EQ(dyn_artifact_load(path.c_str(), &options, &artifact),
            DYN_STATUS_OK);
  dyn_artifact_release(artifact);
}

TEST_F(LoadTest, DamagedSidecar) {
  std::string path = write("m.so", readAll(artifactPath("zoo_sidecar.so")));
  std::string weights = readAll(artifactPath("zoo.weights"));
  write("zoo.weights", weights.substr(0, 20));
  expectFailure(path, DYN_STATUS_BAD_ARTIFACT,
                "'F/zoo.weights' is truncated or damaged: it does not end with "
                "a trailer");
  write("zoo.weights", weights.substr(1));
  expectFailure(path, DYN_STATUS_BAD_ARTIFACT,
                "'F/zoo.weights' is damaged: expected 4096 bytes of constants, "
                "found 4096 at byte 0 of 4151");
}

/// A model that is compiled again while the old one runs is loaded as the new
/// one.
TEST_F(LoadTest, ReplacedFileIsLoadedAgain) {
  std::string path = write("m.so", zoo);
  Artifact old = load(path);
  std::string other = zoo;
  size_t count = 0;
  for (size_t at = 0;
       (at = other.find("zoo of tests\x01", at)) != std::string::npos;
       ++at, ++count)
    other[at] = 'Z';
  ASSERT_EQ(count, 2u); // image and trailer
  ::unlink(path.c_str());
  write("m.so", sealed(other));
  Artifact fresh = load(path);
  dyn_artifact_info_t info = {sizeof(info)};
  ASSERT_EQ(dyn_artifact_info(fresh.get(), &info), DYN_STATUS_OK);
  EXPECT_EQ(std::string(info.id).substr(0, 4), "5a6f");
  ASSERT_EQ(dyn_artifact_info(old.get(), &info), DYN_STATUS_OK);
  EXPECT_EQ(std::string(info.id).substr(0, 4), "7a6f");
}

TEST_F(LoadTest, ManyVersionsAtOnce) {
  std::string file = zoo;
  const char *id = "zoo of tests\x01";
  const size_t inImage = file.find(id), inTrailer = file.rfind(id);
  std::vector<Artifact> versions;
  for (uint8_t version = 0; version < 70; ++version) {
    file[inImage] = file[inTrailer] = char(version);
    ::unlink((folder + "/m.so").c_str());
    versions.push_back(load(write("m.so", sealed(file))));
    ASSERT_NE(versions.back(), nullptr);
  }
  for (uint8_t version = 0; version < 70; ++version) {
    dyn_artifact_info_t info = {sizeof(info)};
    ASSERT_EQ(dyn_artifact_info(versions[version].get(), &info), DYN_STATUS_OK);
    EXPECT_EQ(std::stoi(std::string(info.id).substr(0, 2), nullptr, 16),
              int(version));
  }
}

/// The loader knows an object by all names under which it was loaded.
TEST_F(LoadTest, VersionsThatTakeNamesOfOthers) {
  std::string file = zoo;
  const char *id = "zoo of tests\x01";
  const size_t inImage = file.find(id), inTrailer = file.rfind(id);
  auto loadVersion = [&](char version) {
    file[inImage] = file[inTrailer] = version;
    ::unlink((folder + "/m.so").c_str());
    Artifact loaded = load(write("m.so", sealed(file)));
    dyn_artifact_info_t info = {sizeof(info)};
    EXPECT_EQ(dyn_artifact_info(loaded.get(), &info), DYN_STATUS_OK);
    const std::string digits = {'6', char(version - 'a' + '1')};
    EXPECT_EQ(std::string(info.id).substr(0, 2), digits);
    return loaded;
  };
  Artifact first = loadVersion('a');
  Artifact second = loadVersion('b');
  first.reset();
  // Now under the name of the first one, too.
  Artifact again = load(folder + "/m.so");
  Artifact third = loadVersion('c');
  EXPECT_TRUE(third);
}

/// Its segments may have other addresses.
TEST_F(LoadTest, ReplacedByAnotherModel) {
  std::string grain = readAll(artifactPath("faulty_grain.so"));
  for (auto [first, second] : {std::pair(grain, zoo), std::pair(zoo, grain)}) {
    std::string path = write("m.so", first);
    Artifact old = load(path);
    ::unlink(path.c_str());
    write("m.so", second);
    Artifact fresh = load(path);
    dyn_artifact_info_t before = {sizeof(before)}, after = {sizeof(after)};
    ASSERT_EQ(dyn_artifact_info(old.get(), &before), DYN_STATUS_OK);
    ASSERT_EQ(dyn_artifact_info(fresh.get(), &after), DYN_STATUS_OK);
    EXPECT_NE(before.kernel_count, after.kernel_count);
  }
}

TEST_F(LoadTest, OverwrittenFileIsRefused) {
  std::string path = write("m.so", zoo);
  Artifact old = load(path);
  std::string other = zoo;
  other[other.rfind("zoo of tests\x01")] = 'Z';
  size_t inImage = other.find("zoo of tests\x01");
  other[inImage] = 'Z';
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file << sealed(other);
  file.close();
  // The pages of the loaded image may or may not reflect the file: the artifact
  // loads as the new one or is refused, and is never a mixture.
  dyn_artifact_t *fresh = nullptr;
  dyn_status_t status = dyn_artifact_load(path.c_str(), nullptr, &fresh);
  EXPECT_TRUE(status == DYN_STATUS_OK || status == DYN_STATUS_BAD_ARTIFACT);
  dyn_artifact_release(fresh);
}

TEST_F(LoadTest, UnloadsWithTheLastReference) {
  std::string path = write("gone.so", zoo);
  auto loaded = [&] {
    void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle)
      ::dlclose(handle);
    return handle != nullptr;
  };
  Artifact artifact = load(path);
  Context context = makeContext(artifact.get());
  Execution execution = makeExecution(context.get());
  artifact.reset();
  context.reset();
  dyn_tensor_t output = {};
  EXPECT_TRUE(loaded());
  EXPECT_EQ(run(execution.get(), "steps", {Value::scalar<int64_t>(3)}, output),
            DYN_STATUS_OK);
  execution.reset();
  EXPECT_FALSE(loaded());
}

TEST_F(LoadTest, LoadsAndUnloadsAtOnce) {
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int64_t round = 0; round < 50; ++round) {
        Artifact artifact = load(artifactPath("zoo.so"));
        Context context = makeContext(artifact.get());
        Execution execution = makeExecution(context.get());
        if (round % 2)
          artifact.reset();
        dyn_tensor_t output = {};
        Value x = Value::iota<float>({2, 100 + round}, float(i));
        ASSERT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
        EXPECT_EQ(elements<float>(output)[3], 2 * float(i + 3));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// A child loads and unloads, whatever another thread of its parent was doing.
TEST_F(LoadTest, ForksWhileAnotherThreadLoads) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  Artifact idle = load(artifactPath("zoo_sidecar.so"));
  std::atomic<bool> stops{false};
  std::thread loader([&] {
    while (!stops)
      load(artifactPath("zoo.so"));
  });
  for (int i = 0; i < 50; ++i) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(5);
      idle.reset();
      load(artifactPath("zoo.so"));
      ::_exit(HasFailure());
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stops = true;
  loader.join();
}

/// Number of a file's pages that are in memory, because they were read or
/// written.
static size_t countResidentPages(const std::string &path, size_t bytes) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void *data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED)
    return SIZE_MAX;
  std::vector<unsigned char> pages(bytes / size_t(::sysconf(_SC_PAGESIZE)));
  int failed = ::mincore(data, bytes, pages.data());
  ::munmap(data, bytes);
  return failed ? SIZE_MAX : size_t(std::count(pages.begin(), pages.end(), 1));
}

/// Loading maps the constants and reads none of them: 8 GB, in a sparse file.
TEST_F(LoadTest, LargeConstantsLoadAtOnce) {
  const uint64_t bytes = uint64_t(8) << 30;
  std::string image = readAll(artifactPath("zoo_sidecar.so"));
  size_t descriptor =
      image.find("zoo of tests\x01") - offsetof(dyn_descriptor_t, id);
  for (size_t member : {offsetof(dyn_descriptor_t, constants_bytes),
                        offsetof(dyn_descriptor_t, weights_bytes)})
    std::memcpy(&image[descriptor + member], &bytes, sizeof(bytes));
  std::string path = write("big.so", sealed(image));

  dyn_trailer_t trailer = {};
  std::memcpy(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic));
  std::memcpy(trailer.id,
              &image[descriptor + offsetof(dyn_descriptor_t, weights)],
              sizeof(trailer.id));
  trailer.bytes = bytes;
  write("zoo.weights", "");
  std::fstream weights(folder + "/zoo.weights",
                       std::ios::binary | std::ios::in | std::ios::out);
  weights.seekp(std::streamoff(bytes));
  weights.write(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  weights.close();

  Artifact artifact = load(path);
  EXPECT_LT(countResidentPages(folder + "/zoo.weights", bytes), 100u);
}

/// A profile distinguishes artifacts by their routers, not by their ids.
TEST_F(LoadTest, OneIdAndOtherRouters) {
  std::string few = zoo;
  const uint32_t one = 1;
  std::memcpy(
      &few[few.find("zoo of tests\x01") - offsetof(dyn_descriptor_t, id) +
           offsetof(dyn_descriptor_t, router_count)],
      &one, sizeof(one));
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  dyn_profile_t *created = nullptr;
  ASSERT_EQ(dyn_profile_create(&options, &created), DYN_STATUS_OK);
  Profile profile(created);
  ASSERT_EQ(dyn_profile_start(created), DYN_STATUS_OK);
  for (const std::string &file : {sealed(few), zoo}) {
    Artifact artifact = load(write(std::to_string(file == zoo), file));
    Context context = makeContext(artifact.get());
    Execution execution = makeExecution(context.get());
    dyn_tensor_t output = {};
    Value ids = Value::of<int64_t>({0, 3}, {2, 1});
    EXPECT_EQ(run(execution.get(), "route", {ids}, output),
              file == zoo ? DYN_STATUS_OK : DYN_STATUS_INTERNAL);
  }
  EXPECT_EQ(dyn_profile_stop(created), DYN_STATUS_OK);
  EXPECT_EQ(dyn_profile_decisions(created), 6u);
}

TEST_F(LoadTest, NullArguments) {
  dyn_artifact_t *artifact = nullptr;
  EXPECT_FAILURE(dyn_artifact_load(nullptr, nullptr, &artifact),
                 DYN_STATUS_INVALID_ARGUMENT, "path is null");
  EXPECT_FAILURE(dyn_artifact_load("x", nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_artifact is null");
  dyn_artifact_release(nullptr);
  dyn_artifact_retain(nullptr);
}

TEST_F(LoadTest, OptionsOfOtherVersions) {
  dyn_artifact_t *artifact = nullptr;
  dyn_load_options_t none = {};
  EXPECT_FAILURE(dyn_artifact_load("x", &none, &artifact),
                 DYN_STATUS_INVALID_ARGUMENT,
                 "dyn_load_options_t.struct_size is 0: expected "
                 "sizeof(dyn_load_options_t)");
  struct {
    dyn_load_options_t known;
    uint64_t added;
  } newer = {{sizeof(newer), nullptr}, 0};
  std::string path = artifactPath("zoo.so");
  EXPECT_EQ(dyn_artifact_load(path.c_str(), &newer.known, &artifact),
            DYN_STATUS_OK);
  dyn_artifact_release(artifact);
  newer.added = 1;
  EXPECT_FAILURE(dyn_artifact_load(path.c_str(), &newer.known, &artifact),
                 DYN_STATUS_UNSUPPORTED,
                 "dyn_load_options_t sets an option that version 0.1.0 of the "
                 "runtime does not know");
}
