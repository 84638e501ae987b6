//===- WeightsTest.cpp - Mapped files of weights --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/Weights.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <sys/stat.h>

using namespace dyn;
using testing::HasSubstr;

namespace {

/// A folder `model` with the file `w.bin` (the letters a to j), a folder `deep`
/// in it, and beside it the file `secret`.
class WeightsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("weights", root));
    ASSERT_FALSE(llvm::sys::fs::create_directories(path("model/deep")));
    write("model/w.bin", "abcdefghij");
    write("model/deep/v.bin", "0123");
    write("secret", "hidden");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> joined(root);
    llvm::sys::path::append(joined, name);
    return std::string(joined);
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << text;
    ASSERT_FALSE(error);
  }
  /// The bytes, or the message in angle brackets.
  std::string read(WeightFiles &files, llvm::StringRef file, uint64_t offset,
                   uint64_t length) {
    auto bytes = files.getBytes(file, offset, length);
    if (!bytes)
      return "<" + llvm::toString(bytes.takeError()) + ">";
    return std::string(bytes->begin(), bytes->end());
  }

  llvm::SmallString<128> root;
};

TEST_F(WeightsTest, ReadsParts) {
  WeightFiles files(path("model"));
  EXPECT_EQ(read(files, "w.bin", 0, 10), "abcdefghij");
  EXPECT_EQ(read(files, "w.bin", 3, 2), "de");
  EXPECT_EQ(read(files, "w.bin", 10, 0), "");
  EXPECT_EQ(read(files, "deep/v.bin", 1, 3), "123");
  EXPECT_EQ(read(files, "./w.bin", 9, 1), "j");
  EXPECT_EQ(files.getFolder(), path("model"));
}

TEST_F(WeightsTest, BytesStay) {
  WeightFiles files(path("model"));
  auto first = files.getBytes("w.bin", 0, 10);
  ASSERT_TRUE(bool(first));
  EXPECT_EQ(read(files, "deep/v.bin", 0, 4), "0123");
  auto again = files.getBytes("w.bin", 0, 10);
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(first->data(), again->data());
}

TEST_F(WeightsTest, RefusesWhatIsNotThere) {
  WeightFiles files(path("model"));
  EXPECT_EQ(read(files, "w.bin", 8, 3),
            "<weights in 'w.bin': expected 3 bytes at offset 8, and the file "
            "has 10>");
  EXPECT_THAT(read(files, "w.bin", 11, 0), HasSubstr("and the file has 10"));
  EXPECT_THAT(read(files, "w.bin", UINT64_MAX, 2),
              HasSubstr("and the file has 10"));
  EXPECT_THAT(read(files, "w.bin", 2, UINT64_MAX),
              HasSubstr("and the file has 10"));
  EXPECT_THAT(read(files, "none", 0, 1), HasSubstr("cannot open it"));
  EXPECT_THAT(read(files, "", 0, 1), HasSubstr("expected the name of a file"));
}

TEST_F(WeightsTest, RefusesWhatLeavesTheFolder) {
  WeightFiles files(path("model"));
  constexpr auto message = "the name leaves the model's folder";
  EXPECT_THAT(read(files, "../secret", 0, 1), HasSubstr(message));
  EXPECT_THAT(read(files, "deep/../../secret", 0, 1), HasSubstr(message));
  EXPECT_THAT(read(files, path("secret"), 0, 1), HasSubstr(message));
  ASSERT_FALSE(llvm::sys::fs::create_link(path("secret"), path("model/link")));
  EXPECT_THAT(read(files, "link", 0, 1), HasSubstr(message));
  ASSERT_FALSE(llvm::sys::fs::create_link(path(""), path("model/up")));
  EXPECT_THAT(read(files, "up/secret", 0, 1), HasSubstr(message));
}

TEST_F(WeightsTest, TakesWhatOnlySeemsToLeaveIt) {
  WeightFiles files(path("model"));
  EXPECT_EQ(read(files, path("model/w.bin"), 0, 1), "a");
  ASSERT_FALSE(
      llvm::sys::fs::create_link(path("model/w.bin"), path("model/alias")));
  EXPECT_EQ(read(files, "alias", 0, 1), "a");
  write("model/a..b", "x");
  EXPECT_EQ(read(files, "a..b", 0, 1), "x");
}

TEST_F(WeightsTest, RefusesWhatIsNoFile) {
  WeightFiles files(path("model"));
  EXPECT_THAT(read(files, "deep", 0, 1), HasSubstr("expected a regular file"));
  // A pipe without a writer must not block the compiler.
  ASSERT_EQ(::mkfifo(path("model/pipe").c_str(), 0600), 0);
  EXPECT_THAT(read(files, "pipe", 0, 1), HasSubstr("expected a regular file"));
}

TEST_F(WeightsTest, RefusesAFolderThatIsNotThere) {
  WeightFiles files(path("nowhere"));
  EXPECT_THAT(read(files, "w.bin", 0, 1), HasSubstr("cannot find the folder"));
}

} // namespace
