//===- Pages.h - Pages of files, mapped before they are used --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page fault takes a microsecond or more also where the page is in memory and
// only this mapping of it is new. On systems before Linux 5.14 these functions
// do nothing.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_PAGES_H
#define DYN_RUNTIME_SYSTEM_PAGES_H

#include <cstdint>

namespace dyn::rt {

/// Maps all pages of a range that may be read.
void populatePages(const void *begin, uint64_t bytes);

/// Maps those pages that are mapped in another range of the same file. The rest
/// may be more than memory holds.
void populatePagesLike(const void *other, const void *begin, uint64_t bytes);

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_PAGES_H
