//===- MemoryLinkTest.cpp - Streams of bytes between two processes --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace dyn::rt;

namespace {
/// Both ends, in one process.
struct MemoryLinkTest : ::testing::Test {
  MemoryLinkTest() {
    first = MemoryLink::make(offer, file);
    second = MemoryLink::open(offer);
    file = Socket();
  }
  Socket file;
  MemoryLink::Offer offer;
  MemoryLink first, second;
};

ssize_t send(MemoryLink &link, std::string text) {
  iovec part = {text.data(), text.size()};
  return link.send(&part, 1);
}
std::string receive(MemoryLink &link, size_t most) {
  std::string text(most, ' ');
  iovec part = {text.data(), text.size()};
  ssize_t got = link.receive(&part, 1);
  text.resize(size_t(std::max<ssize_t>(got, 0)));
  return text;
}

/// The file that a descriptor leads to.
std::string nameOf(int file) {
  char target[64] = "";
  (void)!::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), target,
                    sizeof(target) - 1);
  return target;
}
} // namespace

TEST_F(MemoryLinkTest, BothWays) {
  ASSERT_TRUE(first && second);
  EXPECT_EQ(send(first, "to the second"), 13);
  EXPECT_EQ(send(second, "and back"), 8);
  EXPECT_EQ(receive(second, 6), "to the");
  EXPECT_EQ(receive(second, 100), " second");
  EXPECT_EQ(receive(first, 100), "and back");
  EXPECT_EQ(receive(first, 100), "");
  EXPECT_EQ(errno, EAGAIN);
}

/// Parts of random lengths pass the end of the ring many times, in order.
TEST_F(MemoryLinkTest, ManyTimesItsLength) {
  std::mt19937 random(7);
  uint32_t sent = 0, received = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    std::vector<uint32_t> out(random() % 300), more(random() % 3), in(400);
    for (std::vector<uint32_t> *part : {&out, &more})
      for (uint32_t &value : *part)
        value = sent++;
    iovec parts[2] = {{out.data(), 4 * out.size()},
                      {more.data(), 4 * more.size()}};
    size_t bytes = parts[0].iov_len + parts[1].iov_len;
    EXPECT_EQ(first.send(parts, 2), ssize_t(bytes));
    while (received < sent) {
      iovec part = {in.data(), 4 * (1 + random() % in.size())};
      ssize_t got = second.receive(&part, 1);
      ASSERT_GT(got, 0);
      for (ssize_t i = 0; i < got / 4; ++i)
        ASSERT_EQ(in[size_t(i)], received++);
    }
  }
}

TEST_F(MemoryLinkTest, Full) {
  std::string text(200000, 'x');
  ssize_t some = send(first, text);
  EXPECT_GT(some, 2 * 65536 - 1);
  EXPECT_LT(some, 200000);
  EXPECT_EQ(send(first, text), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(receive(second, 1000), text.substr(0, 1000));
  EXPECT_EQ(send(first, text), 1000);
}

/// Only who sleeps until something is woken, once.
TEST_F(MemoryLinkTest, Wakes) {
  send(first, "a");
  EXPECT_FALSE(first.mustWake());
  second.setAwaitsData(true);
  EXPECT_TRUE(first.mustWake());
  EXPECT_FALSE(first.mustWake());
  EXPECT_FALSE(second.mustWake());
  second.setAwaitsSpace(true);
  EXPECT_TRUE(first.mustWake());
  second.setAwaitsData(true);
  second.setAwaitsData(false);
  EXPECT_FALSE(first.mustWake());
}

/// A process that counts processes or files in another way finds other files.
TEST(MemoryLinkOfferTest, OtherFiles) {
  MemoryLink::Offer offer;
  Socket file;
  MemoryLink link = MemoryLink::make(offer, file);
  EXPECT_TRUE(MemoryLink::open(offer));
  MemoryLink::Offer other = offer;
  other.token += 2;
  EXPECT_FALSE(MemoryLink::open(other));
  other = offer;
  other.token = 0;
  EXPECT_FALSE(MemoryLink::open(other));
  other = offer;
  other.file = 0;
  EXPECT_FALSE(MemoryLink::open(other));
  other = offer;
  other.process = -1;
  EXPECT_FALSE(MemoryLink::open(other));

  // Of that name, but another size, or such that it may become shorter.
  struct stat status;
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  for (off_t size : {off_t(100), status.st_size}) {
    Socket like(::memfd_create("dyn-ranks", MFD_CLOEXEC));
    ASSERT_EQ(nameOf(like.get()), nameOf(file.get()));
    ASSERT_EQ(::ftruncate(like.get(), size), 0);
    ASSERT_EQ(::pwrite(like.get(), &offer.token, sizeof(offer.token), 0), 8);
    other = offer;
    other.file = like.get();
    EXPECT_FALSE(MemoryLink::open(other)) << size;
  }
}

/// The other process cannot take the memory away.
TEST(MemoryLinkOfferTest, KeepsItsSize) {
  MemoryLink::Offer offer;
  Socket file;
  MemoryLink link = MemoryLink::make(offer, file);
  EXPECT_EQ(::ftruncate(file.get(), 0), -1);
  EXPECT_EQ(errno, EPERM);
}
