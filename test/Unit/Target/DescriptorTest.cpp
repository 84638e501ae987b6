//===- DescriptorTest.cpp - Descriptions of lowered modules ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Descriptor.h"

#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/artifact.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

using namespace dyn;
using namespace mlir;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class DescriptorTest : public testing::Test {
protected:
  DescriptorTest() {
    context.loadDialect<dhlo::DHLODialect, dlhlo::DLHLODialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
    return module;
  }
  ArtifactDescription describe(StringRef text, uint64_t redZone = 0) {
    ArtifactDescription description;
    OwningOpRef<ModuleOp> module = parse(text);
    if (module) {
      EXPECT_TRUE(succeeded(
          describeModule(*module, {Isa::V3, Isa::V4}, description, redZone)));
    }
    return description;
  }
  /// The description of an entry with an output of these sizes.
  EntryDescription describeOutput(StringRef symbols, StringRef type) {
    auto description = describe(
        ("dhlo.dim @B in [1, 64]\ndhlo.dim @S in [2, 512]\n" + symbols +
         "\ndlhlo.entry @main calls \"f\" : (tensor<?x?xf32, "
         "#dhlo.dims<B, S>>) -> tensor<" +
         type + "> inputs [\"x\"] outputs [\"y\"] dims [@B, @S] arenas 0")
            .str());
    EXPECT_EQ(description.entries.size(), 1u);
    return description.entries.empty() ? EntryDescription()
                                       : description.entries[0];
  }

  /// Computes a size as the runtime does.
  static int64_t run(ArrayRef<int64_t> code, ArrayRef<int64_t> dims) {
    std::vector<int64_t> stack;
    auto floorDiv = [](int64_t a, int64_t b) {
      return a / b - (a % b != 0 && (a < 0) != (b < 0));
    };
    for (size_t i = 0; i != code.size(); ++i) {
      if (code[i] == DYN_SIZE_CONST || code[i] == DYN_SIZE_DIM) {
        int64_t word = code[++i];
        stack.push_back(code[i - 1] == DYN_SIZE_DIM ? dims[word] : word);
        continue;
      }
      int64_t b = stack.back();
      stack.pop_back();
      int64_t &a = stack.back();
      switch (code[i]) {
      case DYN_SIZE_ADD:
        a += b;
        break;
      case DYN_SIZE_MUL:
        a *= b;
        break;
      case DYN_SIZE_FLOORDIV:
        a = floorDiv(a, b);
        break;
      case DYN_SIZE_CEILDIV:
        a = -floorDiv(-a, b);
        break;
      case DYN_SIZE_MOD:
        a -= floorDiv(a, b) * b;
        break;
      case DYN_SIZE_MIN:
        a = std::min(a, b);
        break;
      case DYN_SIZE_MAX:
        a = std::max(a, b);
        break;
      case DYN_SIZE_BROADCAST:
        a = a == 1 ? b : a;
        break;
      }
    }
    EXPECT_EQ(stack.size(), 1u);
    return stack.back();
  }

  MLIRContext context;
};

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

TEST_F(DescriptorTest, FactsOfSymbols) {
  auto description = describe(R"(
    dhlo.dim @B in [1, 64] multiple_of 8 likely [16, 32]
    dhlo.dim @S
    dlhlo.entry @main calls "f"
        : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<4xi1>
        inputs ["x"] outputs ["y"] dims [@S, @B] arenas 3)");
  ASSERT_EQ(description.entries.size(), 1u);
  const EntryDescription &entry = description.entries[0];
  EXPECT_EQ(entry.name, "main");
  EXPECT_EQ(entry.function, "f");
  EXPECT_EQ(entry.arenas, 3u);
  ASSERT_EQ(entry.dims.size(), 2u);
  // In the order in which the function takes them.
  const DimDescription &s = entry.dims[0], &b = entry.dims[1];
  EXPECT_EQ(s.name, "S");
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, INT64_MAX);
  EXPECT_EQ(s.multipleOf, 1);
  EXPECT_EQ(s.likely, -1);
  EXPECT_EQ(b.name, "B");
  EXPECT_EQ(b.min, 8);
  EXPECT_EQ(b.max, 64);
  EXPECT_EQ(b.multipleOf, 8);
  EXPECT_EQ(b.likely, 16);
  ASSERT_EQ(entry.inputs[0].sizes.size(), 2u);
  EXPECT_EQ(entry.inputs[0].sizes[0].dim, 1);
  EXPECT_EQ(entry.inputs[0].sizes[1].dim, 0);
  EXPECT_EQ(entry.outputs[0].dtype, uint32_t(DYN_BOOL));
}

/// A size is a number, a symbol, or code: exactly one of them.
TEST_F(DescriptorTest, KindsOfSizes) {
  EntryDescription entry = describeOutput(
      "dhlo.dim @T = @B * @S\ndhlo.dim @U = @S\ndhlo.dim @V = 0 * @S + 7",
      "5x?x?x?x?xf16, #dhlo.dims<B, T, U, V>");
  ASSERT_EQ(entry.outputs.size(), 1u);
  EXPECT_EQ(entry.outputs[0].dtype, uint32_t(DYN_F16));
  const auto &sizes = entry.outputs[0].sizes;
  ASSERT_EQ(sizes.size(), 5u);
  struct Expected {
    int64_t extent;
    int32_t dim;
    bool hasCode;
    const char *text;
  } expected[] = {{5, -1, false, "5"},
                  {-1, 0, false, "B"},
                  {-1, -1, true, "B * S"},
                  {-1, 1, false, "S"},
                  {7, -1, false, "7"}};
  for (auto [size, it] : llvm::zip_equal(sizes, expected)) {
    EXPECT_EQ(size.extent, it.extent) << it.text;
    EXPECT_EQ(size.dim, it.dim) << it.text;
    EXPECT_EQ(!size.code.empty(), it.hasCode) << it.text;
    EXPECT_EQ(size.text, it.text);
  }
}

/// Nothing binds it before the call: its name is all that is known.
TEST_F(DescriptorTest, SizesThatDataDetermine) {
  EntryDescription entry =
      describeOutput("dhlo.dim @K in [0, 9]\ndhlo.dim @L = @K * @S",
                     "?x?xf32, #dhlo.dims<K, L>");
  for (const SizeDescription &size : entry.outputs[0].sizes) {
    EXPECT_EQ(size.extent, -1);
    EXPECT_EQ(size.dim, -1);
    EXPECT_THAT(size.code, IsEmpty());
  }
  EXPECT_EQ(entry.outputs[0].sizes[0].text, "K");
  EXPECT_EQ(entry.outputs[0].sizes[1].text, "L");
}

/// Code computes what the expression says, of each operation.
TEST_F(DescriptorTest, CodeComputesSizes) {
  auto ceilDiv = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  struct Case {
    const char *text;
    std::function<int64_t(int64_t, int64_t)> value;
  } cases[] = {
      {"3 * @B + @S + 5", [](int64_t b, int64_t s) { return 3 * b + s + 5; }},
      {"2 * @B * @S * @S - @B",
       [](int64_t b, int64_t s) { return 2 * b * s * s - b; }},
      {"(@S - 7) floordiv 4 + 9",
       [](int64_t, int64_t s) { return (s - 7 + 400) / 4 - 100 + 9; }},
      {"@S ceildiv @B", [&](int64_t b, int64_t s) { return ceilDiv(s, b); }},
      {"@S mod 5 + 1", [](int64_t, int64_t s) { return s % 5 + 1; }},
      {"min(@B, @S, 9)",
       [](int64_t b, int64_t s) { return std::min({b, s, int64_t(9)}); }},
      {"max(2 * @B, @S)",
       [](int64_t b, int64_t s) { return std::max(2 * b, s); }},
  };
  for (const Case &it : cases) {
    EntryDescription entry =
        describeOutput((llvm::Twine("dhlo.dim @T = ") + it.text).str(),
                       "?xf32, #dhlo.dims<T>");
    ASSERT_EQ(entry.outputs.size(), 1u) << it.text;
    const std::vector<int64_t> &code = entry.outputs[0].sizes[0].code;
    ASSERT_FALSE(code.empty()) << it.text;
    for (int64_t b : {1, 2, 7, 64})
      for (int64_t s : {2, 3, 9, 512})
        EXPECT_EQ(run(code, {b, s}), it.value(b, s))
            << it.text << " of " << b << " and " << s;
  }
}

/// Of sizes that broadcast; others have no value.
TEST_F(DescriptorTest, CodeOfBroadcasts) {
  EntryDescription entry =
      describeOutput("dhlo.dim @T = broadcast(@B, @S - 1)", "?xf32, "
                                                            "#dhlo.dims<T>");
  ASSERT_EQ(entry.outputs.size(), 1u);
  const std::vector<int64_t> &code = entry.outputs[0].sizes[0].code;
  ASSERT_FALSE(code.empty());
  EXPECT_EQ(run(code, {1, 2}), 1);
  EXPECT_EQ(run(code, {1, 9}), 8);
  EXPECT_EQ(run(code, {7, 2}), 7);
  EXPECT_EQ(run(code, {8, 9}), 8);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

constexpr StringLiteral kEntry = R"(
  dlhlo.entry @main calls "f" : () -> tensor<4xf32>
      inputs [] outputs ["y"] dims [] arenas 0
)";

/// A constant of these bytes of a file.
std::string makeConstant(StringRef name, int64_t offset, int64_t bytes) {
  std::string type = "tensor<" + std::to_string(bytes) + "xi8>";
  return ("dlhlo.constant @" + name + " : " + type +
          " {\n%0 = dhlo.weight <\"w\", offset = " + llvm::Twine(offset) +
          ", length = " + llvm::Twine(bytes) + ", key = \"" + name +
          "\"> : " + type + "\ndlhlo.yield %0 : " + type + "\n}\n")
      .str();
}

TEST_F(DescriptorTest, OffsetsOfConstants) {
  std::string text = kEntry.str() + makeConstant("a", 0, 1) +
                     makeConstant("b", 100, 64) + makeConstant("c", 200, 65) +
                     makeConstant("d", 300, 8);
  auto getOffsets = [](const ArtifactDescription &description) {
    std::vector<uint64_t> offsets;
    for (const ConstantDescription &constant : description.constants)
      offsets.push_back(constant.offset);
    return offsets;
  };
  ArtifactDescription description = describe(text);
  EXPECT_THAT(getOffsets(description), ElementsAre(0, 64, 128, 256));
  EXPECT_EQ(description.constantsBytes, 256u + 8);
  // Free bytes follow each of them, where accesses are checked.
  ArtifactDescription checked = describe(text, 64);
  EXPECT_THAT(getOffsets(checked), ElementsAre(0, 128, 256, 448));
  EXPECT_EQ(checked.constantsBytes, 448u + 8 + 64);
}

/// A device's constant has the bytes of the CPU's with the same recipe, even by
/// another name; others follow behind all of the CPU's.
TEST_F(DescriptorTest, ProgramsShareConstants) {
  ArtifactDescription description = describe(
      kEntry.str() + makeConstant("a", 0, 100) + makeConstant("b", 100, 8));
  OwningOpRef<ModuleOp> device =
      parse(kEntry.str() + makeConstant("b", 100, 8) +
            makeConstant("c", 300, 8) + makeConstant("a", 0, 100));
  ASSERT_TRUE(device);
  ASSERT_TRUE(
      succeeded(describeProgram(*device, DYN_DEVICE_CUDA, description)));
  ASSERT_EQ(description.programs.size(), 1u);
  EXPECT_EQ(description.programs[0].device, uint32_t(DYN_DEVICE_CUDA));
  const auto &constants = description.programs[0].constants;
  ASSERT_EQ(constants.size(), 3u);
  EXPECT_EQ(constants[0].owner, ConstantDescription::Owner::Cpu);
  EXPECT_EQ(constants[0].offset, description.constants[1].offset);
  EXPECT_EQ(constants[1].owner, ConstantDescription::Owner::Own);
  EXPECT_EQ(constants[1].offset, 192u);
  EXPECT_EQ(constants[2].owner, ConstantDescription::Owner::Cpu);
  EXPECT_EQ(constants[2].offset, description.constants[0].offset);
  EXPECT_EQ(description.constantsBytes, 192u + 8);
}

//===----------------------------------------------------------------------===//
// Kernels and routers
//===----------------------------------------------------------------------===//

TEST_F(DescriptorTest, Kernels) {
  auto description = describe(kEntry.str() + R"(
    dlhlo.kernel @k loop {
    ^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>, %y: tensor<?xf32, #dhlo.dims<d2>>):
      dhlo.dim @d0
      dhlo.dim @d1 = 2 * @d0
      dhlo.dim @d2
      %0 = dhlo.neg %x : tensor<?xf32, #dhlo.dims<d0>>
      dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
    })");
  ASSERT_EQ(description.kernels.size(), 1u);
  const KernelDescription &kernel = description.kernels[0];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.kind, "loop");
  // Operands, then results; a dim with a definition is not passed.
  EXPECT_EQ(kernel.buffers, 3u);
  EXPECT_EQ(kernel.dims, 2u);
  EXPECT_THAT(kernel.isas, ElementsAre(false, true, true, false, false, false));
}

TEST_F(DescriptorTest, SymbolsNameTheInstructionSet) {
  EXPECT_EQ(getBodySymbol("k", Isa::V4Vnni), "k.body.v4-vnni");
  EXPECT_EQ(getGeometrySymbol("k", Isa::V3), "k.geometry.v3");
}

/// Routers follow others by number; an absent text is empty.
TEST_F(DescriptorTest, RoutersFollowOthers) {
  auto description = describe(R"(module attributes {dlhlo.probes = [
      {key = "a", paths = 4 : i64, cell = "token"},
      {key = "b", paths = 2 : i64, after = "a", label = "experts"},
      {key = "c", paths = 3 : i64, after = "b", fingerprint = "f"},
      {key = "d", paths = 3 : i64, after = "none"}]} {)" +
                              kEntry.str() + "}");
  ASSERT_EQ(description.routers.size(), 4u);
  std::vector<int32_t> after;
  for (const RouterDescription &router : description.routers)
    after.push_back(router.after);
  EXPECT_THAT(after, ElementsAre(-1, 0, 1, -1));
  EXPECT_EQ(description.routers[0].cell, "token");
  EXPECT_EQ(description.routers[0].label, "");
  EXPECT_EQ(description.routers[1].label, "experts");
  EXPECT_EQ(description.routers[1].paths, 2u);
  EXPECT_EQ(description.routers[2].fingerprint, "f");
}

} // namespace
