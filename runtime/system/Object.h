//===- Object.h - Reference-counted handles -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_OBJECT_H
#define DYN_RUNTIME_SYSTEM_OBJECT_H

#include <atomic>
#include <cstdint>
#include <utility>

namespace dyn::rt {

/// Base of the structs behind the handles of runtime.h. It begins with one
/// reference; the last release deletes it.
template <typename Derived> class Object {
public:
  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<Derived *>(this);
  }

  /// Others may take and release references meanwhile.
  uint32_t countReferences() const {
    return references.load(std::memory_order_acquire);
  }

protected:
  Object() = default;
  ~Object() = default;
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

private:
  std::atomic<uint32_t> references{1};
};

/// A counted reference, or null.
template <typename T> class Ref {
public:
  Ref() = default;
  /// Takes over a reference that the caller owns.
  static Ref adopt(T *object) {
    Ref ref;
    ref.object = object;
    return ref;
  }
  /// Adds a reference to an object that has another owner.
  static Ref share(T *object) {
    if (object)
      object->retain();
    return adopt(object);
  }
  Ref(const Ref &other) : Ref(share(other.object)) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() {
    if (object)
      object->release();
  }

  T *get() const { return object; }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }
  explicit operator bool() const { return object; }
  /// Passes the reference to the caller.
  T *take() { return std::exchange(object, nullptr); }

private:
  T *object = nullptr;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_OBJECT_H
