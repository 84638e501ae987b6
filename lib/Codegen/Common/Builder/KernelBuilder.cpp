//===- KernelBuilder.cpp - Builds the functions of a kernel ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/KernelBuilder.h"

#include "Codegen/Common/Builder/VectorDivision.h"
#include "Codegen/Common/Builder/WorkerLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;
using dhlo::DimExprKind;

SmallVector<Operation *> dyn::getErrorSites(dlhlo::KernelOp kernel) {
  SmallVector<Operation *> sites;
  for (Operation &op : kernel.getBody().front())
    if (dhlo::mayFail(&op))
      sites.push_back(&op);
  return sites;
}

Type dyn::getStorageType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

Type dyn::getComputeType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

KernelBuilder::KernelBuilder(dlhlo::KernelOp kernel,
                             FunctionOpInterface function,
                             const KernelFrame &frame, const SymbolicDims &dims,
                             const CodegenOptions &options)
    : ImplicitLocOpBuilder(kernel.getLoc(), kernel.getContext()),
      kernel(kernel), function(function),
      entry(&function.getFunctionBody().front()), frame(frame), dims(dims),
      options(options) {
  setInsertionPointToEnd(entry);
  // The operations of the frame come first.
  if (!entry->empty())
    head = &entry->back();
}

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

/// Emits a value at the head of the function, where it dominates all uses.
Value KernelBuilder::atHead(llvm::function_ref<Value()> create) {
  OpBuilder::InsertionGuard guard(*this);
  if (head)
    setInsertionPointAfter(head);
  else
    setInsertionPointToStart(entry);
  Value result = create();
  if (Operation *op = result.getDefiningOp())
    if (op->getBlock() == entry && (!head || head->isBeforeInBlock(op)))
      head = op;
  return result;
}

Value KernelBuilder::loadField(Value pointer, int64_t offset, Type type) {
  Value address =
      LLVM::GEPOp::create(*this, pointer.getType(), getI8Type(), pointer,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(*this, type, address, /*alignment=*/8);
}

Value KernelBuilder::buffer(int64_t i) {
  if (static_cast<int64_t>(buffers.size()) <= i)
    buffers.resize(i + 1);
  if (!buffers[i])
    buffers[i] = atHead([&] {
      return loadField(frame.buffers, 8 * i,
                       LLVM::LLVMPointerType::get(getContext()));
    });
  return buffers[i];
}

Value KernelBuilder::workerField(int64_t offset, Type type) {
  return loadField(worker(), offset, type);
}

Value KernelBuilder::scratch(OpFoldResult byteOffset) {
  if (!scratchBase)
    scratchBase = atHead([&] {
      return workerField(layout::kWorkerScratch,
                         LLVM::LLVMPointerType::get(getContext()));
    });
  return address(scratchBase, byteOffset, getI8Type());
}

Value KernelBuilder::seed() {
  return workerField(layout::kWorkerSeed, getI64Type());
}

void KernelBuilder::fail(Operation *op, Value condition) {
  auto lanes = dyn_cast<VectorType>(condition.getType());
  if (lanes && inside && lanes.getNumElements() == CodegenOptions::kLanes)
    condition = arith::AndIOp::create(*this, condition, inside);
  condition = any(condition);
  int64_t site = 0;
  for (auto [index, other] : llvm::enumerate(getErrorSites(kernel)))
    if (other == op)
      site = index;
  ifThen(condition, [&] {
    Value word = workerField(layout::kWorkerError,
                             LLVM::LLVMPointerType::get(getContext()));
    Value base = workerField(layout::kWorkerSiteBase, getI64Type());
    Value number = value(add(base, constant(site)));
    LLVM::AtomicRMWOp::create(*this, LLVM::AtomicBinOp::umin, word, number,
                              LLVM::AtomicOrdering::monotonic);
  });
}

void KernelBuilder::storeFields(ArrayRef<OpFoldResult> fields) {
  for (auto [i, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(*this, value(field),
                          address(frame.out, constant(i), getI64Type()), 8);
}

//===----------------------------------------------------------------------===//
// Sizes and index arithmetic
//===----------------------------------------------------------------------===//

Value KernelBuilder::getFound(dhlo::BindOp bind) {
  auto argument = cast<BlockArgument>(bind.getValue());
  Value source = buffer(argument.getArgNumber());
  return atHead([&]() -> Value {
    Value found = loadField(
        source, 0, cast<RankedTensorType>(argument.getType()).getElementType());
    return found.getType().isInteger(64)
               ? found
               : arith::ExtSIOp::create(*this, getI64Type(), found);
  });
}

Value KernelBuilder::getLegal(dhlo::BindOp bind, OpFoldResult most) {
  Value found = getFound(bind);
  for (dhlo::DimOp dim : kernel.getDims()) {
    if (dim.getSymNameAttr() != bind.getSymbolAttr().getAttr())
      continue;
    return atHead([&] {
      OpFoldResult legal =
          max(min(found, most), constant(dim.getMin().value_or(0)));
      return value(
          sub(legal, rem(legal, constant(dim.getMultipleOf().value_or(1)))));
    });
  }
  llvm_unreachable("a size that a kernel binds is declared");
}

void KernelBuilder::checkFound() {
  for (auto bind : kernel.getBody().getOps<dhlo::BindOp>()) {
    DimExpr symbol = dhlo::getSymbolDim(bind.getSymbolAttr().getAttr());
    fail(bind, cmp(CmpIPredicate::ne, getFound(bind), size(symbol)));
  }
}

OpFoldResult KernelBuilder::size(DimExpr expr) {
  expr = dims.expand(expr);
  if (auto known = dhlo::getConstantValue(expr))
    return constant(*known);
  auto it = sizes.find(expr);
  if (it != sizes.end())
    return it->second;
  OpFoldResult result;
  if (expr.isSymbol()) {
    int64_t position = 0;
    for (auto [i, dim] : llvm::enumerate(kernel.getDims()))
      if (dim.getSymNameAttr() == expr.getName())
        position = i;
    result = atHead(
        [&] { return loadField(frame.dims, 8 * position, getI64Type()); });
    // The launch passes the upper bound of a data-dependent size.
    if (frame.buffers)
      for (auto bind : kernel.getBody().getOps<dhlo::BindOp>())
        if (bind.getSymbolAttr().getAttr() == expr.getName())
          result = getLegal(bind, result);
  } else {
    // Operands first, then the combination, all at the head.
    SmallVector<OpFoldResult> operands;
    for (unsigned i = 0; i < expr.getNumOperands(); ++i)
      operands.push_back(size(expr.getOperand(i)));
    DimExprKind kind = expr.getKind();
    result = atHead([&] {
      OpFoldResult sum;
      if (kind == DimExprKind::Add || kind == DimExprKind::Mul)
        sum = constant(expr.getValue());
      for (OpFoldResult operand : operands)
        sum = sum ? arithmetic(kind, sum, operand) : operand;
      return value(sum);
    });
  }
  sizes[expr] = result;
  if (auto computed = dyn_cast<Value>(result))
    multiples[computed] =
        std::max(getMultipleOf(computed),
                 std::gcd<int64_t>(dims.getMultipleOf(expr), 64));
  return result;
}

void KernelBuilder::assumeMultipleOf(DimExpr expr, int64_t divisor) {
  if (auto computed = dyn_cast<Value>(size(expr)))
    multiples[computed] = std::max(multiples[computed], divisor);
}

OpFoldResult KernelBuilder::size(Value tensor, int64_t axis) {
  return size(dims.getDim(tensor, axis));
}

OpFoldResult KernelBuilder::numElements(Value tensor) {
  return size(dims.getNumElements(cast<RankedTensorType>(tensor.getType())));
}

Value KernelBuilder::value(OpFoldResult v) {
  if (auto attr = dyn_cast_if_present<Attribute>(v)) {
    int64_t number = cast<IntegerAttr>(attr).getInt();
    return cached(-1, attr.getAsOpaquePointer(), nullptr, [&] {
      return arith::ConstantIntOp::create(*this, number, 64).getResult();
    });
  }
  return cast<Value>(v);
}

/// Looks up the value of the same operation in this block and those around it,
/// all of which dominate the insertion point.
Value KernelBuilder::cached(int opcode, const void *a, const void *b,
                            llvm::function_ref<Value()> create) {
  Block *current = getInsertionBlock();
  bool atEnd = getInsertionPoint() == current->end();
  for (Block *block = current; block && atEnd;) {
    auto it = cache.find({block, opcode, a, b});
    if (it != cache.end())
      return it->second;
    if (block == entry)
      break;
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  Value result = create();
  if (atEnd)
    cache[{current, opcode, a, b}] = result;
  return result;
}

bool KernelBuilder::isVector(OpFoldResult v) {
  auto value = dyn_cast_if_present<Value>(v);
  return value && isa<VectorType>(value.getType());
}

Value KernelBuilder::laneNumbers(int64_t lanes) {
  return cached(-3, reinterpret_cast<const void *>(lanes), nullptr, [&] {
    return arith::ConstantOp::create(
        *this, getI64VectorAttr(llvm::to_vector(llvm::seq(lanes))));
  });
}

std::pair<Value, Value> KernelBuilder::spread(Value a, Value b) {
  auto repeat = [&](Value v, Value like) {
    auto type = dyn_cast<VectorType>(like.getType());
    if (!type || isa<VectorType>(v.getType()))
      return v;
    int64_t lanes = type.getNumElements();
    return cached(-2, v.getAsOpaquePointer(),
                  reinterpret_cast<const void *>(lanes),
                  [&] { return splat(v, lanes); });
  };
  return {repeat(a, b), repeat(b, a)};
}

static std::optional<int64_t> known(OpFoldResult v) {
  return getConstantIntValue(v);
}

/// The divisor in place of 0: code divides by sizes of 0 before it finds that
/// there is no work.
static constexpr int64_t kInsteadOfZero = 1;

OpFoldResult KernelBuilder::arithmetic(DimExprKind kind, OpFoldResult a,
                                       OpFoldResult b) {
  auto x = known(a), y = known(b);
  bool isDivision = kind == DimExprKind::FloorDiv ||
                    kind == DimExprKind::CeilDiv || kind == DimExprKind::Mod;
  if (isDivision && y == 0)
    return arithmetic(kind, a, constant(kInsteadOfZero));
  if (x && y) {
    MLIRContext *context = getContext();
    if (auto folded = dhlo::getConstantValue(
            dhlo::combine(kind, dhlo::getConstDim(context, *x),
                          dhlo::getConstDim(context, *y))))
      return constant(*folded);
  }
  bool isCommutative = kind == DimExprKind::Add || kind == DimExprKind::Mul;
  if (x && isCommutative) {
    std::swap(a, b);
    std::swap(x, y);
  }
  switch (kind) {
  case DimExprKind::Add:
    if (y == 0)
      return a;
    break;
  case DimExprKind::Mul:
    if (y == 1)
      return a;
    if (y == 0)
      return b;
    break;
  case DimExprKind::FloorDiv:
  case DimExprKind::CeilDiv:
    if (y == 1)
      return a;
    break;
  case DimExprKind::Mod:
    if (y == 1)
      return constant(0);
    break;
  case DimExprKind::Min:
  case DimExprKind::Max:
    if (a == b)
      return a;
    break;
  default:
    break;
  }
  Value lhs = value(a), rhs = value(b);
  return cached(
      static_cast<int>(kind), lhs.getAsOpaquePointer(),
      rhs.getAsOpaquePointer(), [&]() -> Value {
        std::tie(lhs, rhs) = spread(lhs, rhs);
        switch (kind) {
        case DimExprKind::Add:
          return arith::AddIOp::create(*this, lhs, rhs);
        case DimExprKind::Mul:
          return arith::MulIOp::create(*this, lhs, rhs);
        case DimExprKind::FloorDiv:
        case DimExprKind::CeilDiv:
        case DimExprKind::Mod: {
          if (!y)
            rhs = value(max(b, constant(kInsteadOfZero)));
          if (kind == DimExprKind::CeilDiv)
            return arith::CeilDivSIOp::create(*this, lhs, rhs);
          // Intermediate size expressions may be negative; positions are not,
          // and for them the division by a constant is a shift or a
          // multiplication.
          if (kind == DimExprKind::FloorDiv)
            return arith::FloorDivSIOp::create(*this, lhs, rhs);
          Value quotient = arith::FloorDivSIOp::create(*this, lhs, rhs);
          return arith::SubIOp::create(
              *this, lhs, arith::MulIOp::create(*this, quotient, rhs));
        }
        case DimExprKind::Min:
          return arith::MinSIOp::create(*this, lhs, rhs);
        case DimExprKind::Max:
          return arith::MaxSIOp::create(*this, lhs, rhs);
        default: {
          Value isOne = cmp(arith::CmpIPredicate::eq, a, constant(1));
          return arith::SelectOp::create(*this, isOne, rhs, lhs);
        }
        }
      });
}

OpFoldResult KernelBuilder::add(OpFoldResult a, OpFoldResult b) {
  return arithmetic(DimExprKind::Add, a, b);
}
OpFoldResult KernelBuilder::mul(OpFoldResult a, OpFoldResult b) {
  return arithmetic(DimExprKind::Mul, a, b);
}
OpFoldResult KernelBuilder::ceilDiv(OpFoldResult a, OpFoldResult b) {
  // Not negative: (a + b - 1) / b.
  if (known(a) && known(b))
    return arithmetic(DimExprKind::CeilDiv, a, b);
  return div(add(a, sub(b, constant(1))), b);
}
OpFoldResult KernelBuilder::min(OpFoldResult a, OpFoldResult b) {
  return arithmetic(DimExprKind::Min, a, b);
}
OpFoldResult KernelBuilder::max(OpFoldResult a, OpFoldResult b) {
  return arithmetic(DimExprKind::Max, a, b);
}

OpFoldResult KernelBuilder::sub(OpFoldResult a, OpFoldResult b) {
  auto y = known(b);
  if (y)
    return add(a, constant(-*y));
  if (a == b)
    return constant(0);
  Value lhs = value(a), rhs = value(b);
  return cached(100, lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer(),
                [&]() -> Value {
                  std::tie(lhs, rhs) = spread(lhs, rhs);
                  return arith::SubIOp::create(*this, lhs, rhs);
                });
}

OpFoldResult KernelBuilder::div(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if ((x && y) || y == 0 || y == 1)
    return arithmetic(DimExprKind::FloorDiv, a, b);
  if (x == 0)
    return a;
  Value lhs = value(a), rhs = value(y ? b : max(b, constant(kInsteadOfZero)));
  return cached(101, lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer(),
                [&]() -> Value {
                  if (isVector(lhs))
                    return divideLanes(*this, lhs, rhs);
                  return arith::DivUIOp::create(*this, lhs, rhs);
                });
}

OpFoldResult KernelBuilder::rem(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if ((x && y) || y == 0 || y == 1)
    return arithmetic(DimExprKind::Mod, a, b);
  if (x == 0)
    return a;
  if (isVector(a))
    return sub(a, mul(div(a, b), b));
  Value lhs = value(a), rhs = value(y ? b : max(b, constant(kInsteadOfZero)));
  return cached(
      102, lhs.getAsOpaquePointer(), rhs.getAsOpaquePointer(),
      [&]() -> Value { return arith::RemUIOp::create(*this, lhs, rhs); });
}

Value KernelBuilder::cmp(arith::CmpIPredicate predicate, OpFoldResult a,
                         OpFoldResult b) {
  Value lhs = value(a), rhs = value(b);
  return cached(200 + static_cast<int>(predicate), lhs.getAsOpaquePointer(),
                rhs.getAsOpaquePointer(), [&]() -> Value {
                  std::tie(lhs, rhs) = spread(lhs, rhs);
                  return arith::CmpIOp::create(*this, predicate, lhs, rhs);
                });
}

OpFoldResult KernelBuilder::select(Value condition, OpFoldResult a,
                                   OpFoldResult b) {
  if (a == b)
    return a;
  auto [onTrue, onFalse] = spread(value(a), value(b));
  if (isa<VectorType>(condition.getType()))
    std::tie(onTrue, onFalse) = std::pair(spread(onTrue, condition).first,
                                          spread(onFalse, condition).first);
  return arith::SelectOp::create(*this, condition, onTrue, onFalse).getResult();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::loop(
    OpFoldResult lower, OpFoldResult upper, int64_t step, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, value(lower), value(upper),
                               indexConstant(step), inits);
  multiples[op.getInductionVar()] = std::gcd(getMultipleOf(lower), step);
  OpBuilder::InsertionGuard guard(*this);
  Block *block = op.getBody();
  if (inits.empty() && !block->empty())
    block->getTerminator()->erase();
  setInsertionPointToEnd(block);
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  scf::YieldOp::create(*this, next);
  return SmallVector<Value>(op.getResults());
}

void KernelBuilder::loop(OpFoldResult lower, OpFoldResult upper, int64_t step,
                         llvm::function_ref<void(Value)> body) {
  loop(lower, upper, step, ValueRange(), [&](Value iv, ValueRange) {
    body(iv);
    return SmallVector<Value>();
  });
}

void KernelBuilder::laneLoop(OpFoldResult lower, OpFoldResult upper,
                             llvm::function_ref<void(Value, int64_t)> body) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  // An empty range may have a negative length.
  OpFoldResult count = sub(upper, lower);
  if (auto n = known(count)) {
    int64_t total = std::max<int64_t>(*n, 0), full = total / kLanes * kLanes;
    OpFoldResult middle = add(lower, constant(full));
    if (full > 0)
      loop(lower, middle, kLanes, [&](Value i) { body(i, kLanes); });
    // The remainder is static: half a vector, a quarter, and so on.
    for (int64_t lanes = kLanes / 2, done = full; lanes > 0; lanes /= 2)
      if ((total - full) & lanes) {
        body(value(add(lower, constant(done))), lanes);
        done += lanes;
      }
    return;
  }
  count = max(count, constant(0));
  OpFoldResult middle = add(lower, sub(count, rem(count, constant(kLanes))));
  loop(lower, middle, kLanes, [&](Value i) { body(i, kLanes); });
  loop(middle, upper, 1, [&](Value i) { body(i, 1); });
}

void KernelBuilder::coverLanes(OpFoldResult lower, OpFoldResult upper,
                               llvm::function_ref<void(Value, int64_t)> body) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  OpFoldResult lanes = constant(kLanes), count = sub(upper, lower);
  if (auto n = known(count))
    if (*n < kLanes || *n % kLanes == 0)
      return laneLoop(lower, upper, body);
  OpFoldResult last = sub(upper, lanes);
  OpFoldResult middle =
      known(count)
          ? upper
          : select(cmp(CmpIPredicate::sge, count, lanes), upper, lower);
  loop(lower, middle, kLanes,
       [&](Value i) { body(value(min(i, last)), kLanes); });
  if (!known(count))
    loop(middle, upper, 1, [&](Value i) { body(i, 1); });
}

/// Compares the numbers of lanes with a bound.
static Value compareLanes(KernelBuilder &b, CmpIPredicate predicate,
                          OpFoldResult bound) {
  constexpr int64_t kLanes = CodegenOptions::kLanes;
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, kLanes));
  Value lane = arith::ConstantOp::create(b, b.getI32VectorAttr(numbers));
  Value narrow = arith::TruncIOp::create(b, b.getI32Type(), b.value(bound));
  return arith::CmpIOp::create(b, predicate, lane, b.splat(narrow, kLanes));
}

Value KernelBuilder::any(Value condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return vector::ReductionOp::create(*this, vector::CombiningKind::OR,
                                     condition);
}

Value KernelBuilder::lanesFrom(OpFoldResult first) {
  return compareLanes(*this, CmpIPredicate::sge, first);
}

Value KernelBuilder::lanesBelow(OpFoldResult count) {
  return compareLanes(*this, CmpIPredicate::slt, count);
}

void KernelBuilder::withLanes(OpFoldResult count,
                              llvm::function_ref<void()> body) {
  assert(options.hasMasks() && !inside && "masks, and not nested");
  inside = lanesBelow(count);
  insideCount = count;
  body();
  inside = {};
}

Value KernelBuilder::ifElse(Value condition, Type type,
                            llvm::function_ref<Value()> onTrue,
                            llvm::function_ref<Value()> onFalse) {
  auto op = scf::IfOp::create(*this, TypeRange(type), condition,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  for (auto [region, fn] : {std::pair(&op.getThenRegion(), &onTrue),
                            std::pair(&op.getElseRegion(), &onFalse)}) {
    Block *block = &region->front();
    if (!block->empty())
      block->back().erase();
    setInsertionPointToEnd(block);
    Value result = (*fn)();
    scf::YieldOp::create(*this, result);
  }
  return op.getResult(0);
}

SmallVector<Value>
KernelBuilder::valuesIf(Value condition, ValueRange otherwise,
                        llvm::function_ref<SmallVector<Value>()> onTrue) {
  auto op = scf::IfOp::create(*this, otherwise.getTypes(), condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(op.thenBlock());
  SmallVector<Value> results = onTrue();
  scf::YieldOp::create(*this, results);
  setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(*this, otherwise);
  return SmallVector<Value>(op.getResults());
}

void KernelBuilder::ifThen(Value condition, llvm::function_ref<void()> onTrue,
                           llvm::function_ref<void()> onFalse) {
  auto op = scf::IfOp::create(*this, TypeRange(), condition,
                              /*withElseRegion=*/bool(onFalse));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(op.thenBlock()->getTerminator());
  onTrue();
  if (!onFalse)
    return;
  setInsertionPoint(op.elseBlock()->getTerminator());
  onFalse();
}
