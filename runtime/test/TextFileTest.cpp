//===- TextFileTest.cpp - Text files that are replaced atomically ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextFile.h"

#include "gtest/gtest.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace dyn::rt;
namespace fs = std::filesystem;

namespace {
/// A folder for the files of a test.
class TextFileTest : public ::testing::Test {
protected:
  TextFileTest() {
    char name[] = "/tmp/dyn-text-XXXXXX";
    folder = ::mkdtemp(name);
  }
  ~TextFileTest() override { fs::remove_all(folder); }

  dyn_status_t write(const std::string &name, const char *text) {
    TextFile file((folder / name).c_str());
    DYN_RETURN_IF_FAILED(file.open());
    std::fputs(text, file.get());
    return file.commit();
  }
  std::string read(const std::string &name) {
    std::ostringstream text;
    text << std::ifstream(folder / name).rdbuf();
    return text.str();
  }
  /// Entries of the folder.
  int64_t count() { return std::distance(fs::directory_iterator(folder), {}); }

  fs::path folder;
};
} // namespace

TEST_F(TextFileTest, AppearsWhole) {
  ASSERT_EQ(write("f", "old"), DYN_STATUS_OK);
  {
    TextFile file((folder / "f").c_str());
    ASSERT_EQ(file.open(), DYN_STATUS_OK);
    std::fputs("new", file.get());
    std::fflush(file.get());
    EXPECT_EQ(read("f"), "old");
    ASSERT_EQ(file.commit(), DYN_STATUS_OK);
    EXPECT_EQ(read("f"), "new");
    ASSERT_EQ(file.open(), DYN_STATUS_OK);
  }
  // It was not committed.
  EXPECT_EQ(read("f"), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(TextFileTest, TwoWritersAtOnce) {
  const std::string path = folder / "f";
  TextFile first(path.c_str()), second(path.c_str());
  ASSERT_EQ(first.open(), DYN_STATUS_OK);
  ASSERT_EQ(second.open(), DYN_STATUS_OK);
  std::fputs("first", first.get());
  std::fputs("2", second.get());
  EXPECT_EQ(first.commit(), DYN_STATUS_OK);
  EXPECT_EQ(read("f"), "first");
  EXPECT_EQ(second.commit(), DYN_STATUS_OK);
  EXPECT_EQ(read("f"), "2");
  EXPECT_EQ(count(), 1);
}

/// Links are kept, and their targets are written, whether they exist or not.
TEST_F(TextFileTest, FollowsLinks) {
  std::ofstream(folder / "target") << "old";
  for (std::string name : {"target", "none"}) {
    fs::create_symlink(name, folder / ("to_" + name));
    EXPECT_EQ(write("to_" + name, "new"), DYN_STATUS_OK) << dyn_last_error();
    EXPECT_TRUE(fs::is_symlink(folder / ("to_" + name)));
    EXPECT_EQ(read(name), "new");
  }
  EXPECT_EQ(count(), 4);
}

/// Paths that are not regular files are written directly. A pipe without a
/// reader does not block the writer.
TEST_F(TextFileTest, WritesToPipes) {
  std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(write("pipe", "text"), DYN_STATUS_IO_ERROR);
  EXPECT_EQ(dyn_last_error(),
            "cannot write '" + pipe + "': No such device or address");
  int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(write("pipe", "text"), DYN_STATUS_OK) << dyn_last_error();
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof(text)), 4);
  ::close(reader);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(count(), 1);
}

TEST_F(TextFileTest, WritesToDevices) {
  fs::create_symlink("/dev/full", folder / "full");
  EXPECT_EQ(write("full", "text"), DYN_STATUS_IO_ERROR);
  EXPECT_EQ(dyn_last_error(), "cannot write '" + (folder / "full").string() +
                                  "': No space left on device");
  EXPECT_TRUE(fs::is_character_file(folder / "full"));
}

TEST_F(TextFileTest, NoDestination) {
  ASSERT_EQ(write("f", ""), DYN_STATUS_OK);
  for (auto [name, reason] : {std::pair("none/f", "No such file or directory"),
                              std::pair("f/f", "Not a directory"),
                              std::pair(".", "Is a directory")}) {
    EXPECT_EQ(write(name, ""), DYN_STATUS_IO_ERROR);
    EXPECT_EQ(dyn_last_error(),
              "cannot write '" + (folder / name).string() + "': " + reason);
  }
}
