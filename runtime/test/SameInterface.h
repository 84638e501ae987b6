//===- SameInterface.h - Our words for a library against its header -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_SAMEINTERFACE_H
#define DYN_RUNTIME_TEST_SAMEINTERFACE_H

#include <type_traits>

#define SAME(ours, theirs)                                                     \
  static_assert(int(ours) == int(theirs), #theirs " is another number")

namespace dyn::test {

/// Whether a value can be passed or returned instead of another: pointers for
/// pointers, structs and numbers for those of one size.
template <typename Ours, typename Theirs> constexpr bool isLike() {
  if (std::is_void_v<Theirs>)
    return std::is_void_v<Ours>;
  else
    return std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
           std::is_class_v<Ours> == std::is_class_v<Theirs> &&
           sizeof(Ours) == sizeof(Theirs);
}
template <typename Ours, typename Theirs> struct IsLike;
template <typename R, typename... Ps, typename S, typename... Qs>
struct IsLike<R(Ps...), S(Qs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ps) == sizeof...(Qs))
      return isLike<R, S>() && (isLike<Ps, Qs>() && ...);
    return false;
  }();
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_SAMEINTERFACE_H
