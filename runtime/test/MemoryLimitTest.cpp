//===- MemoryLimitTest.cpp - Memory that a process may have ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLimit.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace dyn::rt;
namespace fs = std::filesystem;

namespace {
const uint64_t kNone = UINT64_MAX;

/// Files as the system would show them to a process in some control groups.
class MemoryLimitTest : public ::testing::Test {
protected:
  MemoryLimitTest() {
    char name[] = "/tmp/dyn-limit-XXXXXX";
    folder = ::mkdtemp(name);
  }
  ~MemoryLimitTest() override { fs::remove_all(folder); }

  void write(const std::string &name, const std::string &text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  /// The line of a hierarchy that is mounted at a folder.
  std::string mounted(const std::string &root, const std::string &at,
                      const std::string &kind) {
    return "35 31 0:32 " + root + " " + (folder / at).string() +
           " rw,relatime shared:9 - " + kind + "\n";
  }
  MemoryLimit ask() { return MemoryLimit::ofGroups(folder); }

  fs::path folder;
};
} // namespace

TEST_F(MemoryLimitTest, IsNoneWithoutGroups) {
  MemoryLimit limit = ask();
  EXPECT_EQ(limit.apply(1000, 500), 1500u);
  write("cgroup", "0::/\n");
  write("mountinfo", mounted("/", "v2", "cgroup2 cgroup2 rw"));
  EXPECT_EQ(ask().apply(1000, 500), 1500u);
}

TEST_F(MemoryLimitTest, IsTheLeastOfVersion2) {
  write("cgroup", "0::/jobs/7\n");
  write("mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" +
                         mounted("/", "v2", "cgroup2 cgroup2 rw,nsdelegate"));
  write("v2/jobs/7/memory.max", "max\n");
  write("v2/jobs/memory.max", "700\n");
  write("v2/jobs/7/memory.swap.max", "100\n");
  write("v2/jobs/memory.swap.max", "max\n");
  // The limit of another group.
  write("v2/jobs/8/memory.max", "1\n");
  MemoryLimit limit = ask();
  EXPECT_EQ(limit.memory, 700u);
  EXPECT_EQ(limit.swap, 100u);
  EXPECT_EQ(limit.apply(1000, 500), 800u);
  EXPECT_EQ(limit.apply(600, 50), 650u);
}

TEST_F(MemoryLimitTest, IsTheLeastOfVersion1) {
  write("cgroup", "9:name=systemd:/other\n4:cpu,memory:/jobs/7\n0::/\n");
  write("mountinfo", mounted("/", "cpu", "cgroup cgroup rw,cpuset") +
                         mounted("/", "v1", "cgroup cgroup rw,cpu,memory"));
  write("cpu/jobs/7/memory.limit_in_bytes", "1\n");
  write("v1/memory.limit_in_bytes", "9223372036854771712\n");
  write("v1/jobs/7/memory.limit_in_bytes", "800\n");
  write("v1/jobs/7/memory.memsw.limit_in_bytes", "900\n");
  MemoryLimit limit = ask();
  EXPECT_EQ(limit.memory, 800u);
  EXPECT_EQ(limit.both, 900u);
  EXPECT_EQ(limit.apply(1000, 500), 900u);
  EXPECT_EQ(limit.apply(1000, 50), 850u);
}

/// The view of a container: its group is the root of the mount, and other names
/// of it are paths outside.
TEST_F(MemoryLimitTest, IsOfTheGroupThatIsMounted) {
  write("mountinfo", mounted("/docker/my\\040box", "v2", "cgroup2 cgroup rw"));
  write("v2/memory.max", "300\n");
  write("v2/inner/memory.max", "200\n");
  write("cgroup", "0::/docker/my box/inner\n");
  EXPECT_EQ(ask().memory, 200u);
  write("cgroup", "0::/docker/my box\n");
  EXPECT_EQ(ask().memory, 300u);
  write("cgroup", "0::/docker/my boxes\n");
  EXPECT_EQ(ask().memory, 300u);
  write("cgroup", "0::/../..\n");
  EXPECT_EQ(ask().memory, 300u);
}

TEST_F(MemoryLimitTest, IsNotWhatNoNumberSays) {
  write("cgroup", "0::/a\n");
  write("mountinfo",
        "\nshort\n35 31 0:32 /\n" + mounted("/", "v2", "cgroup2 cgroup2 rw"));
  write("v2/a/memory.max", "12 kB\n");
  EXPECT_EQ(ask().memory, kNone);
}

TEST(MemoryLimit, IsAtMostTheMachines) {
  uint64_t memory = usableMemory();
  EXPECT_GT(memory, uint64_t(1) << 20);
  EXPECT_LT(memory, uint64_t(1) << 60);
}
