//===- KernelCacheTest.cpp - Entries that are found, lost and removed -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/KernelEntry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <thread>

using namespace dyn;
namespace fs = llvm::sys::fs;

namespace {

CacheKey getKey(int number) { return getCacheKey(std::to_string(number)); }

/// A folder that is removed with the fixture.
class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("dyn-test", folder));
    options.folder = (folder + "/cache").str();
    options.pruneInterval = std::chrono::seconds(0);
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string getPath(int number) const {
    return options.folder + "/llvmcache-" +
           llvm::toHex(getKey(number), /*LowerCase=*/true);
  }
  std::string read(int number) const {
    std::ifstream file(getPath(number), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(int number, const std::string &bytes) const {
    std::ofstream(getPath(number), std::ios::binary) << bytes;
  }
  /// The contents of an entry, "none" without one.
  static std::string lookup(const KernelCache &cache, int number) {
    std::optional<ObjectCode> found = cache.lookup(getKey(number));
    return found ? std::string(found->begin(), found->end()) : "none";
  }
  void setAge(const std::string &path, std::chrono::hours age) const {
    int fd = -1;
    ASSERT_FALSE(fs::openFileForWrite(path, fd, fs::CD_OpenExisting));
    ASSERT_FALSE(fs::setLastAccessAndModificationTime(
        fd, std::chrono::system_clock::now() - age));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true);
  }

  llvm::SmallString<128> folder;
  KernelCacheOptions options;
};

TEST_F(KernelCacheTest, FindsWhatWasInserted) {
  KernelCache cache(options);
  EXPECT_EQ(lookup(cache, 1), "none");
  cache.insert(getKey(1), "code");
  cache.insert(getKey(2), "");
  EXPECT_EQ(lookup(cache, 1), "code");
  EXPECT_EQ(lookup(cache, 2), "");
  EXPECT_EQ(lookup(cache, 3), "none");
  EXPECT_EQ(lookup(KernelCache(options), 1), "code");
  EXPECT_EQ(cache.getProblem(), "");
}

TEST_F(KernelCacheTest, ReplacesWhatIsDamaged) {
  KernelCache cache(options);
  cache.insert(getKey(1), "code");
  const std::string whole = read(1);
  ASSERT_FALSE(whole.empty());
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    write(1, damaged);
    EXPECT_EQ(lookup(cache, 1), "none") << "byte " << i;
    write(1, whole.substr(0, i));
    EXPECT_EQ(lookup(cache, 1), "none") << "first " << i << " bytes";
  }
  write(1, whole + "e");
  EXPECT_EQ(lookup(cache, 1), "none");
  cache.insert(getKey(1), "code");
  EXPECT_EQ(lookup(cache, 1), "code");
}

// The checksum of the contents is right, but it is other code.
TEST_F(KernelCacheTest, TakesNoEntryOfAnotherKey) {
  KernelCache cache(options);
  cache.insert(getKey(1), "code");
  write(2, read(1));
  EXPECT_EQ(lookup(cache, 2), "none");
}

TEST_F(KernelCacheTest, DoesWithoutAFolder) {
  std::ofstream(options.folder) << "a file";
  KernelCache cache(options);
  EXPECT_EQ(lookup(cache, 1), "none");
  cache.insert(getKey(1), "code");
  std::string problem = cache.getProblem();
  EXPECT_NE(problem, "");
  // It is not tried again, although it would be possible now.
  fs::remove(options.folder);
  cache.insert(getKey(1), "code");
  EXPECT_EQ(lookup(cache, 1), "none");
  EXPECT_EQ(cache.getProblem(), problem);
  cache.prune();
}

/// A write that fails in the middle, as on a full disk, leaves nothing behind.
TEST_F(KernelCacheTest, KeepsNoPartOfAnEntry) {
  KernelCache cache(options);
  cache.insert(getKey(1), "code");
  // Files may not grow beyond this limit. The signal would end the program.
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit low = {/*rlim_cur=*/1000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  cache.insert(getKey(2), std::string(2000, 'c'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(cache.getProblem(), "");
  EXPECT_EQ(lookup(cache, 1), "code");
  EXPECT_EQ(lookup(cache, 2), "none");
  std::error_code error;
  int files = 0;
  for (fs::directory_iterator file(options.folder, error), end;
       file != end && !error; file.increment(error))
    ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(KernelCacheTest, ServesManyWritersAndReaders) {
  const std::string code(1 << 16, 'c');
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int writer = 0; writer < 4; ++writer)
    threads.emplace_back([&] {
      KernelCache cache(options);
      for (int i = 0; i < 50; ++i) {
        std::string found = lookup(cache, i % 3);
        wrong += found != "none" && found != code;
        cache.insert(getKey(i % 3), code);
        wrong += lookup(cache, i % 3) != code;
      }
      wrong += !cache.getProblem().empty();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(KernelCacheTest, RemovesWhatWasNotUsedForLongest) {
  options.maxBytes = 2500;
  KernelCache cache(options);
  for (int i = 0; i < 4; ++i) {
    cache.insert(getKey(i), std::string(1000, 'c'));
    setAge(getPath(i), std::chrono::hours(8 - i));
  }
  lookup(cache, 0);
  cache.prune();
  EXPECT_NE(lookup(cache, 0), "none");
  EXPECT_EQ(lookup(cache, 1), "none");
  EXPECT_EQ(lookup(cache, 2), "none");
  EXPECT_NE(lookup(cache, 3), "none");
}

TEST_F(KernelCacheTest, RemovesWhatIsOldAndWhatKilledWritersLeft) {
  KernelCache cache(options);
  cache.insert(getKey(1), "code");
  cache.insert(getKey(2), "code");
  std::string left = options.folder + "/llvmcache-tmp-0123456789ab";
  std::ofstream(left) << "a part";
  std::string other = options.folder + "/notes";
  std::ofstream(other) << "not an entry";
  for (const std::string &path : {getPath(1), left, other})
    setAge(path, std::chrono::hours(31 * 24));
  cache.prune();
  EXPECT_EQ(lookup(cache, 1), "none");
  EXPECT_EQ(lookup(cache, 2), "code");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
}

TEST(KernelEntryTest, ReadsWhatItWrites) {
  KernelEntry entry;
  entry.helpers = {{"mk_1x2", getKey(1)}, {"copy_row", getKey(10)}};
  // Bytes that look like the lines before them.
  llvm::StringRef object("\nmk\n\0", 5);
  entry.object.assign(object.begin(), object.end());
  ObjectCode bytes = entry.toBytes();
  std::optional<KernelEntry> read =
      KernelEntry::fromBytes({bytes.data(), bytes.size()});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->helpers.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(read->helpers[i].name, entry.helpers[i].name);
    EXPECT_EQ(read->helpers[i].key, entry.helpers[i].key);
  }
  EXPECT_EQ(read->object, entry.object);
}

TEST(KernelEntryTest, RefusesOtherBytes) {
  for (llvm::StringRef bytes : {"", "code", "mk\n", "mk\nshort\n"})
    EXPECT_FALSE(KernelEntry::fromBytes(bytes)) << bytes.str();
}

} // namespace
