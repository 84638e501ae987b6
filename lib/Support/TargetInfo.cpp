//===- TargetInfo.cpp - The machine that code is generated for ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/TargetInfo.h"

#include "dyn/artifact.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dyn;
using llvm::json::Object;
using llvm::json::Value;

static_assert(GpuInfo::kBlockThreads == DYN_DEVICE_THREADS,
              "the runtime launches blocks of this size");

RegisterInfo::RegisterInfo(Isa isa)
    : isa(isa), vectorBits(getVectorBits(isa)),
      vectorRegisters(hasAvx512(isa) ? 32 : 16), hasFma(dyn::hasFma(isa)),
      hasMasks(hasAvx512(isa)) {
  switch (isa) {
  case Isa::V4Amx:
  case Isa::V4Bf16:
  case Isa::V4Vnni:
  case Isa::V4:
    gemmRows = 13;
    gemmSingleRows = 14;
    gemmPanels = 2;
    gemmSmallPanels = {0, 2, 2, 4, 4, 4, 4, 3, 3};
    gemmSlowRows = 4;
    gemmPackedFrom = 128;
    gemmPackedRows = 8;
    gemmPackedPanels = 3;
    byteGemmRows = 10;
    byteGemmPanels = 2;
    planeChannels = 13;
    return;
  case Isa::V3:
    gemmRows = gemmSingleRows = 6;
    gemmPanels = 1;
    gemmSmallPanels = {0, 4, 2, 1};
    gemmSlowRows = 2;
    byteGemmRows = 4;
    byteGemmPanels = 1;
    planeChannels = 6;
    return;
  case Isa::V2:
    gemmRows = gemmSingleRows = 2;
    gemmPanels = 1;
    gemmSmallPanels = {0, 2};
    gemmSlowRows = 1;
    byteGemmRows = 2;
    byteGemmPanels = 1;
    planeChannels = 2;
    return;
  }
}

//===----------------------------------------------------------------------===//
// Names and limits
//===----------------------------------------------------------------------===//

namespace {
/// The values that a number may have.
struct Limits {
  int64_t least, most;
  bool isPowerOfTwo = false;
};
} // namespace

/// No size of a cache or a kernel is near it, and two can be multiplied.
static constexpr int64_t kMost = int64_t(1) << 30;

// `visit` is called with a name and a number with its limits, or with a fact.
// Limits of a number may depend on the numbers before it.

template <typename Visit>
static void visitFields(RegisterInfo &r, Visit &visit) {
  visit.fact("vectorBits", r.vectorBits);
  visit.fact("vectorRegisters", r.vectorRegisters);
  visit.fact("hasFma", r.hasFma);
  visit.fact("hasMasks", r.hasMasks);
  // A tile of all rows is as high as any of `gemmSmallPanels`, and the lowest
  // of several tiles is at most one row higher.
  int64_t small = r.gemmSmallPanels.size() - 1;
  visit.number("gemmRows", r.gemmRows, {small, 2 * small + 1});
  visit.number("gemmSingleRows", r.gemmSingleRows,
               {r.gemmRows, r.gemmRows + 1});
  // Scratch has room for rows of four panels.
  visit.number("gemmPanels", r.gemmPanels, {1, 4});
  visit.number("gemmSlowRows", r.gemmSlowRows, {0, r.gemmRows});
  if (r.gemmPackedFrom > 0) {
    visit.number("gemmPackedRows", r.gemmPackedRows, {1, 16});
    visit.number("gemmPackedPanels", r.gemmPackedPanels, {2, 3});
    // The last tile overlaps the one before.
    visit.number("gemmPackedFrom", r.gemmPackedFrom, {r.gemmPackedRows, kMost});
  }
  visit.number("byteGemmRows", r.byteGemmRows, {1, 32});
  visit.number("byteGemmPanels", r.byteGemmPanels, {1, 4});
  visit.number("planeChannels", r.planeChannels, {1, 32});
}

template <typename Visit>
static void visitFields(ElementCosts &costs, Visit &visit) {
  visit.number("functionCost", costs.function, {0, 1 << 20});
  visit.number("movementCost", costs.movement, {0, 1 << 20});
  visit.number("roundTripCost", costs.roundTrip, {0, 1 << 20});
}

template <typename Visit>
static void visitFields(ConvolutionInfo &info, Visit &visit) {
  visit.number("planeInputChannels", info.planeInputChannels, {0, 4096});
  // A panel is a vector of channels, and transforms of rows have some to work
  // on.
  visit.number("winogradChannels", info.winogradChannels, {16, kMost});
  visit.number("winogradLineChannels", info.winogradLineChannels, {8, kMost});
  visit.number("winogradLinePercent", info.winogradLinePercent, {1, 10000});
  visit.number("winogradGainPercent", info.winogradGainPercent, {1, 10000});
  visit.number("singleVectorPercent", info.singleVectorPercent, {1, 10000});
  visit.number("keepFirstPercent", info.keepFirstPercent, {0, 10000});
}

template <typename Visit> static void visitFields(CpuInfo &cpu, Visit &visit) {
  visit.fact("lineBytes", CpuInfo::kLineBytes);
  // Smaller L1 caches have no room for several narrow rows.
  visit.number("l1Bytes", cpu.l1Bytes, {8 << 10, kMost});
  visit.number("l1WayBytes", cpu.l1WayBytes, {512, 1 << 20, true});
  visit.number("l2Bytes", cpu.l2Bytes, {64 << 10, kMost});
  visit.number("grainWork", cpu.grainWork, {1, kMost});
  visit.number("flopsPerByte", cpu.flopsPerByte, {1, 4096});
  visit.number("slowFlopsPerByte", cpu.slowFlopsPerByte, {1, 4096});
  visit.number("gemmItems", cpu.gemmItems, {1, kMost});
  visit.number("groupedGemmTiles", cpu.groupedGemmTiles, {1, kMost});
  visit.number("groupedGemmUnitRows", cpu.groupedGemmUnitRows, {1, 4096});
  visit.number("launchManyCost", cpu.launchManyCost, {0, kMost});
  visit.number("gemmChunkRows", cpu.gemmChunkRows, {1, kMost});
  visit.number("gemmBlockDepth", cpu.gemmBlockDepth, {16, kMost});
  // So many panels are full tiles of packed rows, and tiles that are a panel
  // narrower.
  visit.number("gemmPackPanels", cpu.gemmPackPanels, {4, kMost});
  visit.number("gemmPackFewPanels", cpu.gemmPackFewPanels, {4, kMost});
  visit.number("gemmPackFewRows", cpu.gemmPackFewRows, {1, kMost});
  visit.number("convolutionGroupBytes", cpu.convolutionGroupBytes, {1, kMost});
  visit.number("convolutionBlockPixels", cpu.convolutionBlockPixels,
               {1, 1 << 16});
  visit.number("planeCopyBytes", cpu.planeCopyBytes, {1, kMost});
  visit.number("winogradTiles", cpu.winogradTiles, {1, 1024});
  visitFields(cpu.convolution, visit);
  visit.number("rowFewColumns", cpu.rowFewColumns, {16, 64});
  visit.number("rowNarrowColumns", cpu.rowNarrowColumns,
               {cpu.rowFewColumns + 1, 256});
  visit.number("rowNarrowIfCheapColumns", cpu.rowNarrowIfCheapColumns,
               {cpu.rowFewColumns + 1, 256});
  visit.number("rowInOrderColumns", cpu.rowInOrderColumns, {0, kMost});
  visit.number("rowInOrderIfBusyColumns", cpu.rowInOrderIfBusyColumns,
               {0, kMost});
  visit.number("rowOperandsAhead", cpu.rowOperandsAhead, {0, 1 << 20});
  visit.number("rowResultsAhead", cpu.rowResultsAhead, {0, 1 << 20});
  visit.number("gatherRowsAhead", cpu.gatherRowsAhead, {0, 4096});
  visit.number("gatherBytesAhead", cpu.gatherBytesAhead, {0, 4096});
  visitFields(cpu.elements, visit);
}

template <typename Visit> static void visitFields(GpuInfo &gpu, Visit &visit) {
  visit.fact("warp", GpuInfo::kWarp);
  visit.fact("blockThreads", GpuInfo::kBlockThreads);
  visit.number("multiprocessors", gpu.multiprocessors, {1, 4096});
  // A block that is launched without an attribute has no more.
  visit.number("sharedBytes", gpu.sharedBytes, {16 << 10, 48 << 10});
  visit.number("gemmStages", gpu.gemmStages, {2, 8});
  visit.number("rowHeldElements", gpu.rowHeldElements, {1, 128});
  visitFields(gpu.elements, visit);
  visitFields(gpu.convolution, visit);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Writes fields to a stream, in their order.
struct FieldWriter {
  template <typename T> void fact(llvm::StringRef name, T value) {
    json.attribute(name, value);
  }
  void number(llvm::StringRef name, int64_t value, Limits) {
    json.attribute(name, value);
  }

  llvm::json::OStream &json;
};
} // namespace

std::string TargetInfo::toJson() const {
  TargetInfo info = *this;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  FieldWriter writer = {json};
  json.object([&] {
    json.attributeObject("cpu", [&] {
      visitFields(info.cpu, writer);
      json.attributeObject("registers", [&] {
        json.attribute("isa", getIsaName(isa()));
        visitFields(info.cpu.registers, writer);
      });
    });
    json.attributeObject("gpu", [&] { visitFields(info.gpu, writer); });
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads fields of an object. After the first unexpected one, `problem`
/// describes it.
struct FieldReader {
  FieldReader(const Object &object, llvm::StringRef part)
      : object(object), part(part) {}

  void fail(llvm::StringRef name, const llvm::Twine &expected) {
    if (!problem.empty())
      return;
    problem = ("'" + part + name + "': expected " + expected).str();
    if (const Value *value = object.get(name))
      problem += llvm::formatv(", found {0}", *value).str();
  }

  template <typename T> void fact(llvm::StringRef name, T expected) {
    known.insert(name);
    const Value *value = object.get(name);
    if (value && *value != Value(expected))
      fail(name, llvm::formatv("{0}, which is a fact", Value(expected)).str());
  }

  void number(llvm::StringRef name, int64_t &number, Limits limits) {
    known.insert(name);
    const Value *value = object.get(name);
    std::optional<int64_t> found =
        value ? value->getAsInteger() : std::optional<int64_t>(number);
    if (found && *found >= limits.least && *found <= limits.most &&
        (!limits.isPowerOfTwo || llvm::isPowerOf2_64(*found))) {
      number = *found;
      return;
    }
    std::string expected =
        llvm::formatv("{0} from {1} to {2}",
                      limits.isPowerOfTwo ? "a power of two" : "an integer",
                      limits.least, limits.most);
    // The limits follow from a number that the object has.
    if (!value)
      expected += llvm::formatv(", found {0}", number);
    fail(name, expected);
  }

  /// An object in this one, or none.
  const Object *inner(llvm::StringRef name) {
    known.insert(name);
    const Value *value = object.get(name);
    if (value && !value->getAsObject())
      fail(name, "an object");
    return value ? value->getAsObject() : nullptr;
  }

  /// Checks that there is nothing else.
  void finish() {
    llvm::SmallVector<llvm::StringRef> others;
    for (const auto &[key, value] : object)
      if (!known.contains(key))
        others.push_back(key);
    if (!others.empty())
      fail(*llvm::min_element(others),
           "a name that --print-target-info prints");
  }

  const Object &object;
  llvm::StringRef part;
  llvm::StringSet<> known;
  std::string problem;
};
} // namespace

/// Overrides numbers of registers, if they are of its instruction set. Those of
/// another one are only checked.
static std::string overrideRegisters(const Object *object,
                                     RegisterInfo &registers, bool isDevice) {
  if (!object)
    return "";
  FieldReader reader(*object, "cpu.registers.");
  reader.known.insert("isa");
  std::optional<Isa> isa = registers.isa;
  bool hasIsa = object->get("isa");
  if (hasIsa)
    isa = parseIsa(object->getString("isa").value_or(""));
  if (!isa) {
    reader.fail("isa", kIsaList);
    return reader.problem;
  }
  // A device has no registers of a processor.
  if (isDevice && !hasIsa)
    return "";
  RegisterInfo described =
      *isa == registers.isa ? registers : RegisterInfo(*isa);
  visitFields(described, reader);
  reader.finish();
  if (*isa == registers.isa && !isDevice)
    registers = described;
  return reader.problem;
}

llvm::Error TargetInfo::override(llvm::StringRef text, llvm::StringRef name) {
  auto fail = [&](const llvm::Twine &problem) {
    return llvm::createStringError("target info: " + name + ": " + problem);
  };
  llvm::Expected<Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return fail(llvm::toString(parsed.takeError()));
  const Object *root = parsed->getAsObject();
  if (!root)
    return fail("expected an object");
  FieldReader reader(*root, "");
  const Object *cpuPart = reader.inner("cpu"), *gpuPart = reader.inner("gpu");
  reader.finish();
  std::string problem = reader.problem;
  if (problem.empty() && cpuPart) {
    FieldReader fields(*cpuPart, "cpu.");
    const Object *registers = fields.inner("registers");
    visitFields(cpu, fields);
    fields.finish();
    problem = fields.problem;
    if (problem.empty())
      problem = overrideRegisters(registers, cpu.registers, isDevice);
  }
  if (problem.empty() && gpuPart) {
    FieldReader fields(*gpuPart, "gpu.");
    visitFields(gpu, fields);
    fields.finish();
    problem = fields.problem;
  }
  return problem.empty() ? llvm::Error::success() : fail(problem);
}

llvm::Error TargetInfo::overrideByFile(llvm::StringRef path) {
  if (path.empty())
    return llvm::Error::success();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("target info: " + path + ": " +
                                   buffer.getError().message());
  return override((*buffer)->getBuffer(), path);
}

llvm::LogicalResult TargetInfo::overrideByFile(llvm::StringRef path,
                                               mlir::Operation *op) {
  if (llvm::Error problem = overrideByFile(path))
    return op->emitError(llvm::toString(std::move(problem)));
  return llvm::success();
}
