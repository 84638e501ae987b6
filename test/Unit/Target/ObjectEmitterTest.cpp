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

/// A loop as schedules write them: over items, with an address that is computed
/// from sizes in each step, an invariant division, a value that is loaded twice
/// and a bound that is a minimum.
constexpr llvm::StringLiteral kLoop = R"(
  target triple = "x86_64-unknown-linux-gnu"
  declare i64 @llvm.smin.i64(i64, i64)
  define void @f(ptr %buffers, ptr %dims, i64 %begin, i64 %end) nounwind {
    %x = load ptr, ptr %buffers
    %second = getelementptr ptr, ptr %buffers, i64 1
    %y = load ptr, ptr %second
    br label %head
  head:
    %i = phi i64 [ %begin, %0 ], [ %next, %body ]
    %more = icmp slt i64 %i, %end
    br i1 %more, label %body, label %exit
  body:
    %size = load i64, ptr %dims, !invariant.load !0
    %half = sdiv i64 %size, 2
    %row = mul i64 %i, 64
    %last = sub i64 %size, 64
    %start = call i64 @llvm.smin.i64(i64 %row, i64 %last)
    %offset = mul i64 %start, 4
    %from = getelementptr i8, ptr %x, i64 %offset
    %a = load <8 x float>, ptr %from, align 4
    %again = load <8 x float>, ptr %from, align 4
    %sum = fadd <8 x float> %a, %again
    %shifted = add i64 %offset, %half
    %to = getelementptr i8, ptr %y, i64 %shifted
    store <8 x float> %sum, ptr %to, align 4
    %next = add i64 %i, 1
    br label %head
  exit:
    ret void
  }
  !0 = !{}
)";

/// The passes for kernels leave out none that one needs.
TEST(ObjectEmitterTest, KernelsNeedFewerPasses) {
  for (Isa isa : {Isa::V2, Isa::V3, Isa::V4})
    for (int level : {0, 1, 2, 3})
      EXPECT_TRUE(test::emitText(kLoop, isa, level) ==
                  test::emitText(kLoop, isa, level, MiddlePasses::Kernel))
          << level << ", " << getIsaName(isa).str();
}

/// Artifacts of the same program have the same bytes.
TEST(ObjectEmitterTest, CodeIsDeterministic) {
  EXPECT_EQ(test::emitText(kMultiplyAdd, Isa::V3, 2),
            test::emitText(kMultiplyAdd, Isa::V3, 2));
}

} // namespace
