//===- LinkerTest.cpp - Object code and self-contained shared objects -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Linker.h"

#include "Compilation.h"

#include "dyn/Target/SymbolNames.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace dyn;

namespace {

/// Compiles LLVM IR and links it; the path is removed with the fixture.
class LinkerTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("dyn-test", "so", path));
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  ObjectCode compile(llvm::StringRef text, Isa isa = Isa::V2) {
    std::string error;
    EXPECT_TRUE(createTargetMachine(isa, EmitOptions(), error)) << error;
    return test::emitText(text, isa);
  }

  llvm::SmallString<128> path;
};

constexpr llvm::StringLiteral kAnswer = R"(
  target triple = "x86_64-unknown-linux-gnu"
  define i32 @answer() { ret i32 42 }
  define i32 @hidden() { ret i32 1 }
)";

TEST_F(LinkerTest, ExportsTheOneSymbol) {
  std::string error;
  ASSERT_TRUE(linkSharedObject({compile(kAnswer)}, "answer", path,
                               /*allowUndefined=*/false, error))
      << error;
  void *image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  auto *answer = reinterpret_cast<int (*)()>(dlsym(image, "answer"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer(), 42);
  EXPECT_FALSE(dlsym(image, "hidden"));
  dlclose(image);
}

TEST_F(LinkerTest, BringsItsOwnMemcpy) {
  std::string error;
  ObjectCode object = compile(R"(
    target triple = "x86_64-unknown-linux-gnu"
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define void @copy(ptr %to, ptr %from, i64 %n) {
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
      ret void
    }
  )");
  ASSERT_TRUE(linkSharedObject({object}, "copy", path, false, error)) << error;
  void *image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  auto *copy = reinterpret_cast<void (*)(void *, const void *, int64_t)>(
      dlsym(image, "copy"));
  char to[6] = {};
  copy(to, "hello", 6);
  EXPECT_STREQ(to, "hello");
  dlclose(image);
}

TEST_F(LinkerTest, RefusesUndefinedSymbols) {
  std::string error;
  ObjectCode object = compile(R"(
    target triple = "x86_64-unknown-linux-gnu"
    declare float @expf(float)
    define float @f(float %x) {
      %y = call float @expf(float %x)
      ret float %y
    }
  )");
  EXPECT_FALSE(linkSharedObject({object}, "f", path, false, error));
  EXPECT_NE(error.find("undefined symbol: expf"), std::string::npos) << error;
}

TEST_F(LinkerTest, LinksAgainAfterAFailure) {
  std::string error;
  EXPECT_FALSE(linkSharedObject({ObjectCode()}, "answer", path, false, error));
  EXPECT_TRUE(
      linkSharedObject({compile(kAnswer)}, "answer", path, false, error))
      << error;
}

/// Whether a string is among the names of the symbols of an image.
bool hasName(llvm::StringRef path, llvm::StringRef name) {
  auto image = llvm::MemoryBuffer::getFile(path);
  return image && (*image)->getBuffer().contains(
                      llvm::StringRef("\0", 1).str() + name.str() + '\0');
}

// Functions and tables that are called and read by the old names, too.
TEST_F(LinkerTest, FindsRenamedSymbols) {
  std::string error;
  ObjectCode object = compile(R"(
    target triple = "x86_64-unknown-linux-gnu"
    @any.table = internal constant [4 x i32] [i32 3, i32 5, i32 7, i32 9]
    define i32 @any.inner(i64 %i) noinline {
      %p = getelementptr i32, ptr @any.table, i64 %i
      %x = load i32, ptr %p
      ret i32 %x
    }
    define i32 @anyone() { ret i32 1 }
    define i32 @any.body(i64 %i) {
      %x = call i32 @any.inner(i64 %i)
      %y = add i32 %x, 1
      ret i32 %y
    }
  )");
  ASSERT_TRUE(renameSymbols(object, "any.", "add.", error)) << error;
  ASSERT_TRUE(linkSharedObject({object}, "add.body", path, false, error))
      << error;
  void *image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(image) << dlerror();
  auto *body = reinterpret_cast<int (*)(int64_t)>(dlsym(image, "add.body"));
  ASSERT_TRUE(body);
  EXPECT_EQ(body(2), 8);
  dlclose(image);
  EXPECT_TRUE(hasName(path, "add.table"));
  EXPECT_TRUE(hasName(path, "add.inner"));
  EXPECT_TRUE(hasName(path, "anyone"));
  EXPECT_FALSE(hasName(path, "any.inner"));
}

TEST_F(LinkerTest, RenamesOnlyInObjects) {
  std::string error;
  ObjectCode object;
  EXPECT_FALSE(renameSymbols(object, "any.", "add.", error));
  EXPECT_NE(error, "");
}

TEST(ObjectEmitterTest, EveryInstructionSetHasAMachine) {
  for (Isa isa : kAllIsas) {
    std::string error;
    EXPECT_TRUE(createTargetMachine(isa, EmitOptions(), error)) << error;
  }
}

} // namespace
