//===- SitesTest.cpp - Messages of data errors ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include "gtest/gtest.h"

using namespace dyn::rt;

namespace {
const dyn_site_t table[] = {
    {DYN_SITE_SIZE_MISMATCH, 0, "dhlo.broadcast of N and 2 * seq.1", "/add"},
    {DYN_SITE_INDEX, 0, "dhlo.gather", "/ids of N"},
};
const Sites sites{table, 2};

std::string report(uint64_t index) {
  dyn_dim_t dims[4] = {};
  const char *names[] = {"N", "seq", "seq.1", "M"};
  for (int i = 0; i < 4; ++i)
    dims[i].name = names[i];
  dyn_entry_t entry = {};
  entry.dim_count = 4;
  entry.dims = dims;
  const int64_t values[] = {3, 5, 7, 9};
  const int64_t got = 14;
  EXPECT_EQ(sites.report(index, &got, &entry, values), DYN_STATUS_DATA_ERROR);
  return dyn_last_error();
}
} // namespace

/// The message has both sizes by name, and those of the call by value.
TEST(Sites, TellBothSizes) {
  EXPECT_EQ(report(0), "dhlo.broadcast of N and 2 * seq.1 at '/add': sizes "
                       "that must agree differ: got 14, where N = 3, seq.1 = "
                       "7");
  EXPECT_EQ(report(1),
            "dhlo.gather at '/ids of N': index out of range: got 14");
}

/// A kernel records no value.
TEST(Sites, TellWhatIsKnown) {
  EXPECT_EQ(sites.reportWord(0), DYN_STATUS_DATA_ERROR);
  EXPECT_STREQ(dyn_last_error(), "dhlo.broadcast of N and 2 * seq.1 at '/add': "
                                 "sizes that must agree differ");
  EXPECT_EQ(sites.reportWord(UINT64_MAX), DYN_STATUS_OK);
}
