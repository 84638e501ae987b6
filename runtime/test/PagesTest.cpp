//===- PagesTest.cpp - Pages of files, mapped before they are used --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pages.h"

#include "Testing.h"

#include "dyn/artifact.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace dyn::rt;

namespace {

/// A fault maps up to 16 pages around it, of which those at the ends may map as
/// many in another area.
constexpr uint64_t kAround = 16, kApart = 2 * kAround, kPages = 4 * kApart;

class PagesTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (dyn::test::sanitized)
      GTEST_SKIP() << "a sanitizer has pages of its own";
    char name[] = "/tmp/dyn-pages-test-XXXXXX";
    file = ::mkstemp(name);
    ASSERT_GE(file, 0);
    ::unlink(name);
    ASSERT_EQ(::ftruncate(file, kPages * DYN_PAGE), 0);
    for (char *&area : areas) {
      void *mapped =
          ::mmap(nullptr, kPages * DYN_PAGE, PROT_READ, MAP_PRIVATE, file, 0);
      ASSERT_NE(mapped, MAP_FAILED);
      area = static_cast<char *>(mapped);
    }
    // Brings the file into memory.
    char page[DYN_PAGE] = {};
    for (uint64_t i = 0; i < kPages; ++i)
      ASSERT_EQ(::pwrite(file, page, sizeof(page), off_t(i * DYN_PAGE)),
                ssize_t(sizeof(page)));
  }
  ~PagesTest() override {
    for (char *area : areas)
      if (area)
        ::munmap(area, kPages * DYN_PAGE);
    ::close(file);
  }
  /// Whether reading a page of an area faults.
  bool faults(int area, uint64_t page) {
    auto count = [] {
      rusage usage = {};
      ::getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_minflt + usage.ru_majflt;
    };
    long before = count();
    (void)*const_cast<volatile char *>(areas[area] + page * DYN_PAGE);
    return count() != before;
  }

  int file = -1;
  char *areas[2] = {};
};

TEST_F(PagesTest, MapsARange) {
  EXPECT_TRUE(faults(1, 0)) << "the count works";
  populatePages(areas[0] + kAround * DYN_PAGE + 1, DYN_PAGE);
  EXPECT_FALSE(faults(0, kAround));
  EXPECT_FALSE(faults(0, kAround + 1));
  populatePages(areas[0], 0);
  EXPECT_TRUE(faults(0, 0));
}

TEST_F(PagesTest, MapsWhatIsMappedElsewhere) {
  EXPECT_TRUE(faults(0, 0));
  EXPECT_TRUE(faults(0, 2 * kApart));
  populatePagesLike(areas[0], areas[1], kPages * DYN_PAGE);
  EXPECT_FALSE(faults(1, 0));
  EXPECT_FALSE(faults(1, 2 * kApart));
  EXPECT_TRUE(faults(1, kApart));
  EXPECT_TRUE(faults(1, 3 * kApart));
}

} // namespace
