//===- CodeCount.cpp - The instructions of a kernel's code ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/CodeCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

/// Ranges of work items that are walked. A prime, so that they do not all begin
/// at an edge of an image or matrix, whose sizes here are mostly powers of two.
static constexpr int64_t kRanges = 7;
/// Iterations of a loop whose number depends on data, and of a while loop at
/// most.
static constexpr int64_t kUnknownTrips = 16, kMaxTrips = 64;
/// The fields of dyn_geometry_t in artifact.h that are read.
enum GeometryField { kItems = 0, kGrain = 1, kFlops = 3, kBytes = 4 };

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

// Costs in instructions of which a core does several in a cycle.
static constexpr double kIndex = 0.25, kDivision = 10, kFunction = 16;
/// An integer division by a constant, and by another number.
static constexpr double kKnownDivisor = 3, kUnknownDivisor = 20;
/// A lane of a vector is written or read: one unit of a core can.
static constexpr double kLane = 3;

/// The widest vector among the operands and results, or null.
static VectorType getVector(Operation *op) {
  VectorType widest;
  auto visit = [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    auto getBits = [](VectorType type) {
      return type.getNumElements() * type.getElementTypeBitWidth();
    };
    if (vector && vector.getElementType().isIntOrFloat() &&
        (!widest || getBits(vector) > getBits(widest)))
      widest = vector;
  };
  llvm::for_each(op->getOperandTypes(), visit);
  llvm::for_each(op->getResultTypes(), visit);
  return widest;
}

/// The instructions of an operation, by its name.
static double countInstructions(Operation *op, int64_t vectorBits) {
  VectorType vector = getVector(op);
  double registers = 1, lanes = 1;
  if (vector) {
    lanes = vector.getNumElements();
    registers =
        std::max(1.0, lanes * vector.getElementTypeBitWidth() / vectorBits);
  }
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("arith.") &&
      (name.contains("divsi") || name.contains("divui") ||
       name.starts_with("arith.rem"))) {
    bool isKnown = op->getOperand(1).getDefiningOp<arith::ConstantOp>();
    return lanes * (isKnown ? kKnownDivisor : kUnknownDivisor);
  }
  bool isArithmetic = isa<arith::ArithDialect>(op->getDialect());
  bool isIndex = !vector && isArithmetic &&
                 llvm::none_of(op->getResultTypes(), llvm::IsaPred<FloatType>);
  double other = isIndex                                    ? kIndex
                 : isa<math::MathDialect>(op->getDialect()) ? kFunction
                                                            : 1;
  return registers *
         llvm::StringSwitch<double>(name)
             // Loads and multiply-adds repeat an element for free.
             .Cases({"arith.constant", "arith.bitcast", "vector.broadcast"}, 0)
             .Cases({"llvm.getelementptr", "llvm.mlir.addressof"}, 0)
             .Cases({"arith.divf", "math.sqrt"}, kDivision)
             .Cases({"math.fma", "math.absf", "math.floor"}, 1)
             .Cases({"math.ceil", "math.roundeven", "math.copysign"}, 1)
             .Cases({"vector.insert", "vector.extract"}, kLane / registers)
             .Cases({"vector.from_elements", "llvm.intr.masked.gather"},
                    kLane * lanes / registers)
             .Case("vector.reduction", 1 + kLane / registers)
             .Default(other);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {
class CodeWalker {
public:
  explicit CodeWalker(int64_t vectorBits) : vectorBits(vectorBits) {}

  /// Forgets all values; counts stay.
  void forget() {
    numbers.clear();
    addresses.clear();
    memory.clear();
  }
  void setNumber(Value value, std::optional<int64_t> number) {
    if (number)
      numbers[value] = *number;
    else
      numbers.erase(value);
  }
  std::optional<int64_t> getNumber(Value value) const {
    auto it = numbers.find(value);
    return it == numbers.end() ? std::nullopt : std::optional(it->second);
  }
  /// Field `i`, of eight bytes, of what `pointer` points to.
  int64_t &field(Value pointer, int64_t i) { return memory[{pointer, 8 * i}]; }

  /// Counts a function, or a block, `weight` times.
  void walkFunction(func::FuncOp function, double weight);

  CodeCount count;
  llvm::DenseMap<Attribute, double> byLocation;
  /// Instructions under notes, and the notes, by their text.
  std::map<std::pair<StringRef, StringRef>, std::pair<double, ElementNote>>
      byNote;

private:
  using Address = std::pair<Value, int64_t>;

  void walk(Block &block, double weight);
  void walkOp(Operation *op, double weight);
  void walkFor(scf::ForOp loop, double weight);
  void walkIf(scf::IfOp branch, double weight);
  void walkWhile(scf::WhileOp loop, double weight);
  void walkCall(func::CallOp call, double weight);
  void compute(Operation *op);

  void add(Operation *op, double instructions);
  Address getAddress(Value pointer) const {
    auto it = addresses.find(pointer);
    return it == addresses.end() ? Address(pointer, 0) : it->second;
  }
  /// The facts that are known of `from` are known of `to`.
  void copy(ValueRange from, ValueRange to);

  int64_t vectorBits;
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<Value, Address> addresses;
  /// Integers in memory, by the base of their address and the offset in bytes.
  llvm::DenseMap<Address, int64_t> memory;
  std::optional<ElementNote> note;
  /// Of the call that is walked, if one is: kernels share what they call.
  LocationAttr caller;
};
} // namespace

void CodeWalker::copy(ValueRange from, ValueRange to) {
  struct Known {
    std::optional<int64_t> number;
    Address address;
  };
  SmallVector<Known> known;
  for (Value value : from)
    known.push_back({getNumber(value), getAddress(value)});
  for (auto [value, fact] : llvm::zip_equal(to, known)) {
    setNumber(value, fact.number);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      addresses[value] = fact.address;
  }
}

void CodeWalker::add(Operation *op, double instructions) {
  count.instructions += instructions;
  byLocation[caller ? caller : LocationAttr(op->getLoc())] += instructions;
  if (!note)
    return;
  count.elementInstructions += instructions;
  auto [it, isNew] = byNote.try_emplace({note->operation, note->reason},
                                        std::pair(0.0, *note));
  it->second.first += instructions;
}

/// Folds integer arithmetic.
void CodeWalker::compute(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Value result = op->getResult(0);
  numbers.erase(result);
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      !isa<IntegerType, IndexType>(result.getType()))
    return;
  auto getConstant = [&](Value value) -> Attribute {
    std::optional<int64_t> number = getNumber(value);
    if (!number || !isa<IntegerType, IndexType>(value.getType()))
      return {};
    unsigned width = value.getType().isIndex()
                         ? 64
                         : value.getType().getIntOrFloatBitWidth();
    return IntegerAttr::get(value.getType(),
                            APInt(width, *number, /*isSigned=*/false,
                                  /*implicitTrunc=*/true));
  };
  auto operands = llvm::map_to_vector(op->getOperands(), getConstant);
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return;
  if (auto value = dyn_cast<Value>(folded[0]))
    return setNumber(result, getNumber(value));
  auto number = dyn_cast<IntegerAttr>(cast<Attribute>(folded[0]));
  if (!number || number.getValue().getBitWidth() > 64)
    return;
  bool isFlag = result.getType().isInteger(1);
  setNumber(result, isFlag ? int64_t(number.getValue().getZExtValue())
                           : number.getValue().getSExtValue());
}

void CodeWalker::walkFor(scf::ForOp loop, double weight) {
  auto lower = getNumber(loop.getLowerBound());
  auto upper = getNumber(loop.getUpperBound());
  auto step = getNumber(loop.getStep());
  bool isKnown = lower && upper && step && *step > 0;
  count.isExact &= isKnown;
  int64_t trips = !isKnown          ? kUnknownTrips
                  : *upper > *lower ? llvm::divideCeil(*upper - *lower, *step)
                                    : 0;
  Block *body = loop.getBody();
  copy(loop.getInitArgs(), loop.getRegionIterArgs());
  auto visit = [&](int64_t trip, double times) {
    setNumber(loop.getInductionVar(), lower && step
                                          ? std::optional(*lower + trip * *step)
                                          : std::nullopt);
    walk(*body, weight * times);
    copy(body->getTerminator()->getOperands(), loop.getRegionIterArgs());
  };
  if (trips > 0)
    visit(0, 1);
  if (trips > 1)
    visit(trips / 2, trips - 1);
  copy(loop.getRegionIterArgs(), loop.getResults());
  // The comparison and the branch.
  add(loop, weight * trips);
}

void CodeWalker::walkIf(scf::IfOp branch, double weight) {
  // A test of data rarely fails, and where lanes may diverge they rarely do.
  bool holds = getNumber(branch.getCondition()).value_or(1) != 0;
  Region &region = holds ? branch.getThenRegion() : branch.getElseRegion();
  add(branch, weight);
  if (region.empty())
    return;
  walk(region.front(), weight);
  copy(region.front().getTerminator()->getOperands(), branch.getResults());
}

void CodeWalker::walkWhile(scf::WhileOp loop, double weight) {
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  copy(loop.getInits(), before->getArguments());
  for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
    walk(*before, weight);
    auto condition = cast<scf::ConditionOp>(before->getTerminator());
    copy(condition.getArgs(), after->getArguments());
    std::optional<int64_t> holds = getNumber(condition.getCondition());
    count.isExact &= holds.has_value();
    if (!holds.value_or(trip < kUnknownTrips))
      break;
    walk(*after, weight);
    copy(after->getTerminator()->getOperands(), before->getArguments());
  }
  copy(after->getArguments(), loop.getResults());
}

void CodeWalker::walkCall(func::CallOp call, double weight) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!function || function.isExternal())
    return;
  copy(call.getOperands(), function.getArguments());
  LocationAttr outer = caller;
  if (!caller)
    caller = call.getLoc();
  walkFunction(function, weight);
  caller = outer;
}

void CodeWalker::walkFunction(func::FuncOp function, double weight) {
  std::optional<ElementNote> outer = note;
  if (!note)
    note = ElementNote::get(function);
  walk(function.getFunctionBody().front(), weight);
  note = outer;
}

void CodeWalker::walk(Block &block, double weight) {
  std::optional<ElementNote> outer = note;
  for (Operation &op : block) {
    if (!outer)
      note = ElementNote::get(&op);
    walkOp(&op, weight);
    note = outer;
  }
}

void CodeWalker::walkOp(Operation *op, double weight) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { walkFor(loop, weight); })
      .Case([&](scf::IfOp branch) { walkIf(branch, weight); })
      .Case([&](scf::WhileOp loop) { walkWhile(loop, weight); })
      .Case([&](func::CallOp call) { walkCall(call, weight); })
      .Default([&](Operation *op) {
        add(op, weight * countInstructions(op, vectorBits));
        compute(op);
      });
  if (auto address = dyn_cast<LLVM::GEPOp>(op)) {
    auto [base, offset] = getAddress(address.getBase());
    ArrayRef<int32_t> indices = address.getRawConstantIndices();
    std::optional<int64_t> index;
    if (indices.size() == 1 && address.getElemType().isIntOrFloat())
      index = indices[0] == LLVM::GEPOp::kDynamicIndex
                  ? getNumber(address.getDynamicIndices()[0])
                  : std::optional<int64_t>(indices[0]);
    Address result = {address, 0};
    if (index)
      result = {base,
                offset +
                    *index *
                        (address.getElemType().getIntOrFloatBitWidth() / 8)};
    addresses[address] = result;
  } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    auto it = memory.find(getAddress(load.getAddr()));
    if (it != memory.end() && isa<IntegerType>(load.getType()))
      setNumber(load, it->second);
    addresses.erase(load);
  } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    Address address = getAddress(store.getAddr());
    if (auto number = getNumber(store.getValue()))
      memory[address] = *number;
    else
      memory.erase(address);
  }
}

std::optional<CodeCount> dyn::countCode(func::FuncOp geometry,
                                        func::FuncOp body,
                                        ArrayRef<int64_t> dims,
                                        int64_t vectorBits) {
  CodeWalker walker(vectorBits);
  auto setDims = [&](Value pointer) {
    for (auto [i, size] : llvm::enumerate(dims))
      walker.field(pointer, i) = size;
  };
  setDims(geometry.getArgument(0));
  walker.walkFunction(geometry, 0);
  Value out = geometry.getArgument(1);
  int64_t items = walker.field(out, kItems);
  int64_t grain = walker.field(out, kGrain);
  walker.count = {walker.field(out, kFlops), walker.field(out, kBytes)};
  walker.byLocation.clear();
  walker.byNote.clear();
  if (items <= 0)
    return std::nullopt;

  // As long as those of a few threads: some schedules work once for a range.
  int64_t length =
      std::clamp<int64_t>(std::max(grain, items / kRanges), 1, items);
  int64_t ranges = std::min(kRanges, items / length);
  double weight = double(items) / double(length * ranges);
  for (int64_t range = 0; range < ranges; ++range) {
    int64_t begin = range * length;
    walker.forget();
    setDims(body.getArgument(1));
    walker.setNumber(body.getArgument(2), begin);
    walker.setNumber(body.getArgument(3), begin + length);
    walker.walkFunction(body, weight);
  }

  double most = 0;
  for (auto [location, instructions] : walker.byLocation)
    if (instructions > most) {
      most = instructions;
      walker.count.hottest = cast<LocationAttr>(location);
    }
  most = 0;
  for (auto &[text, counted] : walker.byNote)
    if (counted.first > most) {
      most = counted.first;
      walker.count.note = counted.second;
    }
  return walker.count;
}
