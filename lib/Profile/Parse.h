//===- Parse.h - Code that readers of profiles share ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_PROFILE_PARSE_H
#define DYN_LIB_PROFILE_PARSE_H

#include "dyn/Profile/RouteProfile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace dyn {

inline constexpr int64_t kProfileVersion = 1;
/// Limits that valid profiles are far from: no sum of two profiles overflows,
/// and no number in a file causes a large allocation.
inline constexpr uint32_t kMostPaths = 1 << 20;
inline constexpr uint64_t kMostRouters = 1 << 20;
inline constexpr uint64_t kMostCount = uint64_t(1) << 56;
inline constexpr uint64_t kMostWindowMs = uint64_t(1) << 46;
inline constexpr int64_t kMostTime = int64_t(1) << 46;
inline constexpr int kMostNesting = 64;

llvm::Error makeProfileError(const llvm::Twine &message);

/// Parses a text of JSON, unless it nests deeper than profiles do.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// Reads members of an object. After the first unexpected one, `problem`
/// describes it.
struct MemberReader {
  explicit MemberReader(const llvm::json::Object &object) : object(object) {}

  /// Records a problem, if it is the first; returns false.
  bool fail(const llvm::Twine &what);
  bool read(llvm::StringRef name, uint64_t &number, uint64_t most = UINT64_MAX);
  bool read(llvm::StringRef name, uint32_t &number, uint32_t most);
  bool read(llvm::StringRef name, int64_t &number);
  bool readOptional(llvm::StringRef name, std::string &text);
  const llvm::json::Array *readArray(llvm::StringRef name);

  const llvm::json::Object &object;
  std::string problem;
};

/// Reads the identity of a router.
bool readIdentity(MemberReader &members, ProfileRouter &router);

llvm::Expected<RouteProfile> parseRawProfile(llvm::StringRef text,
                                             llvm::StringRef name,
                                             ProfileProblems &problems,
                                             uint64_t windowMs);

} // namespace dyn

#endif // DYN_LIB_PROFILE_PARSE_H
