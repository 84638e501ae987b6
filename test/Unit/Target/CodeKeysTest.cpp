//===- CodeKeysTest.cpp - Differences that keys of code show, and not -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/CodeKeys.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/RegisterAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace mlir;
using namespace dyn;

namespace {

/// A kernel whose constant has as many elements as are often not printed.
std::string makeKernel(StringRef name, StringRef location,
                       StringRef last = "1.0", StringRef most = "64") {
  std::string elements;
  for (int i = 0; i < 31; ++i)
    elements += "0.5, ";
  return ("dlhlo.kernel @" + name +
          R"( loop {
  ^bb0(%x: tensor<?x32xf32, #dhlo.dims<d0>>):
    dhlo.dim @d0 in [1, )" +
          most + R"(]
    %c = dhlo.constant dense<[)" +
          elements + last + R"(]> : tensor<32xf32>
    %0 = dhlo.broadcast %c axes = [1] : (tensor<32xf32>) -> tensor<?x32xf32, #dhlo.dims<d0>>
    %1 = dhlo.add %x, %0 : tensor<?x32xf32, #dhlo.dims<d0>> loc(")" +
          location + R"(")
    dlhlo.yield %1 : tensor<?x32xf32, #dhlo.dims<d0>>
  })")
      .str();
}

class CodeKeysTest : public testing::Test {
protected:
  CodeKeysTest() : cache({}) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    options.cache = &cache;
  }

  /// The key of the first kernel of a module; its hexadecimal digits.
  std::string getKey(const std::string &text, Isa isa = Isa::V3) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    std::optional<CodeKeys> keys = CodeKeys::create(options);
    EXPECT_TRUE(module && keys);
    if (!module || !keys)
      return "";
    return llvm::toHex(
        keys->getKey(*module->getOps<dlhlo::KernelOp>().begin(), isa));
  }

  MLIRContext context;
  KernelCache cache;
  EmitOptions options;
};

TEST_F(CodeKeysTest, NamesPlacesAndOtherKernelsDoNotMatter) {
  std::string key = getKey(makeKernel("add", "a"));
  EXPECT_EQ(key, getKey(makeKernel("add", "a")));
  EXPECT_EQ(key, getKey(makeKernel("sum", "b")));
  EXPECT_EQ(key, getKey(makeKernel("add", "a") + "\n" +
                        makeKernel("other", "a", "2.0")));
}

TEST_F(CodeKeysTest, CodeAndTargetMatter) {
  std::string text = makeKernel("add", "a");
  std::string key = getKey(text);
  EXPECT_NE(key, getKey(makeKernel("add", "a", "2.0")));
  EXPECT_NE(key, getKey(makeKernel("add", "a", "1.0", "65")));
  EXPECT_NE(key, getKey(text, Isa::V4));
  options.optLevel = 1;
  EXPECT_NE(key, getKey(text));
}

TEST_F(CodeKeysTest, ContentsOfTheTargetsFileMatter) {
  std::string text = makeKernel("add", "a");
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("dyn-test", "json", path));
  std::string without = getKey(text);
  options.targetInfo = path.str().str();
  std::string empty = getKey(text);
  std::ofstream(path.c_str()) << "{}";
  std::string full = getKey(text);
  EXPECT_NE(without, empty);
  EXPECT_NE(empty, full);
  llvm::sys::fs::remove(path);
  EXPECT_FALSE(CodeKeys::create(options)) << "the file is gone";
}

TEST_F(CodeKeysTest, SanitizedCodeHasNoKey) {
  options.sanitizeAddress = true;
  EXPECT_FALSE(CodeKeys::create(options));
}

// Last: options of the command line stay.
TEST_F(CodeKeysTest, OptionsOfPrintingDoNotMatter) {
  std::string one = makeKernel("add", "a"), two = makeKernel("add", "a", "2.0");
  std::string key = getKey(one);
  registerAsmPrinterCLOptions();
  const char *arguments[] = {"test", "--mlir-elide-elementsattrs-if-larger=2",
                             "--mlir-print-debuginfo",
                             "--mlir-print-skip-regions",
                             "--mlir-print-local-scope"};
  llvm::cl::ParseCommandLineOptions(std::size(arguments), arguments);
  EXPECT_EQ(key, getKey(one));
  EXPECT_NE(key, getKey(two));
}

} // namespace
