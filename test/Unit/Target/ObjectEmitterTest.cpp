//===- ObjectEmitterTest.cpp - Choices that LLVM may not make -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ObjectEmitter.h"

#include "Compilation.h"
#include "Files.h"

#include "dyn/Target/Linker.h"

#include <cmath>
#include <dlfcn.h>

using namespace dyn;

namespace {

constexpr llvm::StringLiteral kMultiplyAdd = R"(
  target triple = "x86_64-unknown-linux-gnu"
  define float @f(float %x, float %y, float %z) {
    %p = fmul float %x, %y
    %s = fadd float %p, %z
    ret float %s
  }
)";

/// Fused, it would be rounded once, so that code of v2 and of v3 would differ.
TEST(ObjectEmitterTest, MultiplicationsAndAdditionsAreNotFused) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "runs code of v3";
  // x * x is 1 + 2^-11 + 2^-24, of which a float keeps the first two terms.
  float x = 1 + 0x1p-12f, z = -1 - 0x1p-11f;
  ASSERT_EQ(std::fma(x, x, z), 0x1p-24f);
  test::Folder folder;
  for (int level : {0, 1, 2, 3})
    for (Isa isa : {Isa::V2, Isa::V3}) {
      std::string path = folder.getPath("f" + std::to_string(level) +
                                        getIsaName(isa).str() + ".so");
      std::string error;
      ASSERT_TRUE(linkSharedObject({test::emitText(kMultiplyAdd, isa, level)},
                                   "f", path,
                                   /*sanitize=*/false, error))
          << error;
      void *image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      ASSERT_TRUE(image) << dlerror();
      auto *f =
          reinterpret_cast<float (*)(float, float, float)>(dlsym(image, "f"));
      EXPECT_EQ(f(x, x, z), 0.0f) << level << ", " << getIsaName(isa).str();
      dlclose(image);
    }
}

/// Artifacts of the same program have the same bytes.
TEST(ObjectEmitterTest, CodeIsDeterministic) {
  EXPECT_EQ(test::emitText(kMultiplyAdd, Isa::V3, 2),
            test::emitText(kMultiplyAdd, Isa::V3, 2));
}

} // namespace
