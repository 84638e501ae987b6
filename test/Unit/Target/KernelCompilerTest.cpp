//===- KernelCompilerTest.cpp - Kernels to object code --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/KernelCompiler.h"

#include "Compilation.h"
#include "Files.h"

#include "dyn/Target/Descriptor.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"

#include "gmock/gmock.h"

using namespace dyn;
using namespace mlir;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A loop, and a GEMM of bytes, which VNNI has an instruction for.
constexpr StringLiteral kKernels = R"(
  dlhlo.kernel @negate loop {
  ^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
    dhlo.dim @d0
    %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<d0>>
    dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
  }
  dlhlo.kernel @bytes contraction {
  ^bb0(%x: tensor<4x64xui8>,
       %w: tensor<64x32xi8,
                  #dlhlo.packed<panels16x4, batch = 0, rows = 1>>):
    %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1]
        rhs_contract = [0]
        : (tensor<4x64xui8>,
           tensor<64x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>)
          -> tensor<4x32xi32>
    dlhlo.yield %0 : tensor<4x32xi32>
  }
)";

class KernelCompilerTest : public testing::Test {
protected:
  KernelCompilerTest() {
    test::prepareCompilation(context);
    module = parseSourceString<ModuleOp>(kKernels, &context);
    EXPECT_TRUE(module);
  }

  std::vector<ObjectCode> compile(ArrayRef<Isa> isas) {
    TimingScope timing;
    auto objects = compileKernels(*module, isas, EmitOptions(), timing);
    EXPECT_TRUE(succeeded(objects));
    return succeeded(objects) ? std::move(*objects) : std::vector<ObjectCode>();
  }

  /// The functions that an object defines for others.
  static std::vector<std::string> getFunctions(const ObjectCode &object) {
    using namespace llvm::object;
    std::vector<std::string> names;
    auto file = ObjectFile::createELFObjectFile(
        {StringRef(object.data(), object.size()), "object"});
    EXPECT_TRUE(bool(file));
    if (!file) {
      llvm::consumeError(file.takeError());
      return names;
    }
    for (SymbolRef symbol : (*file)->symbols())
      if (llvm::cantFail(symbol.getType()) == SymbolRef::ST_Function &&
          (llvm::cantFail(symbol.getFlags()) & SymbolRef::SF_Global))
        names.push_back(llvm::cantFail(symbol.getName()).str());
    llvm::sort(names);
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// In the order of instruction sets, then of kernels, with the symbols that the
/// descriptor names. Functions that kernels share are in other objects.
TEST_F(KernelCompilerTest, ObjectsDefineWhatTheDescriptorNames) {
  std::vector<std::string> bodies;
  std::set<std::string> all;
  for (const ObjectCode &object : compile({Isa::V2, Isa::V3}))
    for (const std::string &name : getFunctions(object)) {
      EXPECT_TRUE(all.insert(name).second) << name;
      if (StringRef(name).contains(".body."))
        bodies.push_back(name);
    }
  EXPECT_THAT(bodies, ElementsAre(getBodySymbol("negate", Isa::V2),
                                  getBodySymbol("bytes", Isa::V2),
                                  getBodySymbol("negate", Isa::V3),
                                  getBodySymbol("bytes", Isa::V3)));
  for (Isa isa : {Isa::V2, Isa::V3})
    for (StringRef kernel : {"negate", "bytes"})
      EXPECT_THAT(all, Contains(getGeometrySymbol(kernel, isa)));
}

TEST_F(KernelCompilerTest, ThreadsDoNotChangeBytes) {
  std::vector<ObjectCode> alone = compile({Isa::V3, Isa::V4});
  context.enableMultithreading();
  EXPECT_EQ(compile({Isa::V3, Isa::V4}), alone);
}

TEST_F(KernelCompilerTest, TheModuleIsNotChanged) {
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  std::string before = print();
  compile({Isa::V3});
  EXPECT_EQ(print(), before);
}

/// An extension has code only of kernels that gain from it, unless the artifact
/// lacks the level that would run the others.
TEST_F(KernelCompilerTest, ExtensionsHaveFewerKernels) {
  auto lower = [&](Isa isa, ArrayRef<Isa> isas) {
    TimingScope timing;
    auto lowered = lowerKernels(*module, isa, isas, EmitOptions(), timing);
    EXPECT_TRUE(lowered);
    std::vector<std::string> kernels;
    if (lowered)
      for (auto nested : lowered->getOps<ModuleOp>())
        for (StringRef kernel : {"negate", "bytes"})
          if (nested.lookupSymbol((kernel + ".body").str()))
            kernels.push_back(kernel.str());
    return kernels;
  };
  EXPECT_THAT(lower(Isa::V4, {Isa::V4, Isa::V4Vnni}),
              ElementsAre("negate", "bytes"));
  EXPECT_THAT(lower(Isa::V4Vnni, {Isa::V4, Isa::V4Vnni}), ElementsAre("bytes"));
  EXPECT_THAT(lower(Isa::V4Vnni, {Isa::V3, Isa::V4Vnni}),
              ElementsAre("negate", "bytes"));
}

TEST_F(KernelCompilerTest, BadTargetInfoIsTold) {
  test::Folder folder;
  EmitOptions options;
  options.targetInfo = folder.write("t.json", R"({"cpu": {"l2Bytes": 1}})");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  TimingScope timing;
  EXPECT_TRUE(failed(compileKernels(*module, {Isa::V3}, options, timing)));
  EXPECT_THAT(message, HasSubstr("t.json: 'cpu.l2Bytes': expected an integer "
                                 "from 65536 to "));
}

} // namespace
