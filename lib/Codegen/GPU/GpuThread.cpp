//===- GpuThread.cpp - A thread, its warp and its block -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuThread.h"

#include "GpuSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;

/// Casts a generic address to a memory space.
static Value castTo(KernelBuilder &b, NVVM::NVVMMemorySpace space,
                    Value generic) {
  auto type =
      LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(space));
  return LLVM::AddrSpaceCastOp::create(b, type, generic);
}

Value GpuThread::getBlock() {
  return arith::ExtUIOp::create(b, b.getI64Type(),
                                NVVM::BlockIdXOp::create(b, b.getI32Type()));
}

Value GpuThread::getThread() {
  return arith::ExtUIOp::create(b, b.getI64Type(),
                                NVVM::ThreadIdXOp::create(b, b.getI32Type()));
}

Value GpuThread::getNumber() {
  return b.value(
      b.add(b.mul(getBlock(), b.constant(kBlockThreads)), getThread()));
}

Value GpuThread::shuffle(Value v, NVVM::ShflKind kind, int64_t lane) {
  Type type = v.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width), word = b.getI32Type();
  auto constant = [&](int64_t n) {
    return arith::ConstantIntOp::create(b, word, n);
  };
  auto exchangeWord = [&](Value x) -> Value {
    return NVVM::ShflOp::create(
        b, word, /*thread_mask=*/constant(-1), x, constant(lane),
        /*mask_and_clamp=*/constant(kind == NVVM::ShflKind::up ? 0 : 31), kind,
        UnitAttr());
  };
  Value raw = arith::BitcastOp::create(b, bits, v);
  Value result;
  if (width == 64) {
    Value shift = arith::ConstantIntOp::create(b, bits, 32);
    auto half = [&](Value x) -> Value {
      return arith::ExtUIOp::create(
          b, bits, exchangeWord(arith::TruncIOp::create(b, word, x)));
    };
    Value high = half(arith::ShRUIOp::create(b, raw, shift));
    result = arith::OrIOp::create(b, half(raw),
                                  arith::ShLIOp::create(b, high, shift));
  } else if (width == 32) {
    result = exchangeWord(raw);
  } else {
    result = arith::TruncIOp::create(
        b, bits, exchangeWord(arith::ExtUIOp::create(b, word, raw)));
  }
  return arith::BitcastOp::create(b, type, result);
}

Value GpuThread::exchange(Value v, int64_t distance) {
  return shuffle(v, NVVM::ShflKind::bfly, distance);
}

Value GpuThread::getFromBelow(Value v, int64_t distance) {
  return shuffle(v, NVVM::ShflKind::up, distance);
}

Value GpuThread::getFromLane(Value v, int64_t lane) {
  return shuffle(v, NVVM::ShflKind::idx, lane);
}

Value GpuThread::scanWarp(Value v) {
  OpFoldResult lane = b.rem(getThread(), b.constant(kWarp));
  for (int64_t distance = 1; distance < kWarp; distance *= 2) {
    Value sum = arith::AddIOp::create(b, v, getFromBelow(v, distance));
    Value hasBelow =
        b.cmp(arith::CmpIPredicate::sge, lane, b.constant(distance));
    v = arith::SelectOp::create(b, hasBelow, sum, v);
  }
  return v;
}

GpuThread::Scan GpuThread::scan(Value v) {
  constexpr int64_t kWarps = kBlockThreads / kWarp;
  Type type = b.getI64Type();
  Value sums = getShared(type, kWarps), sum = scanWarp(v);
  OpFoldResult thread = getThread(), width = b.constant(kWarp);
  OpFoldResult warp = b.div(thread, width);
  Value isLast = b.cmp(arith::CmpIPredicate::eq, b.rem(thread, width),
                       b.constant(kWarp - 1));
  b.ifThen(isLast, [&] { b.store(sum, sums, warp, type, 1); });
  barrier();
  OpFoldResult before = b.sub(sum, v), total = b.constant(0);
  for (int64_t i = 0; i < kWarps; ++i) {
    Value part = b.load(sums, b.constant(i), type, 1);
    Value isBelow = b.cmp(arith::CmpIPredicate::slt, b.constant(i), warp);
    before = b.add(before, b.select(isBelow, part, b.constant(0)));
    total = b.add(total, part);
  }
  // The next scan overwrites the values just read.
  barrier();
  return {b.value(before), b.value(total)};
}

void GpuThread::barrier() { NVVM::Barrier0Op::create(b); }

Value GpuThread::getShared(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  Operation *function = b.getFunction();
  b.setInsertionPoint(function);
  int64_t number = 0;
  SymbolTable symbols(function->getParentOp());
  auto name = [&] {
    return (b.getFunction().getName() + "$shared" + Twine(number)).str();
  };
  while (symbols.lookup(name()))
    ++number;
  auto global = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(type, count), /*isConstant=*/false,
      LLVM::Linkage::Internal, name(), Attribute(),
      CodegenOptions::kDeviceAlignment,
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  b.setInsertionPointToStart(&b.getFunction().getFunctionBody().front());
  Value shared = LLVM::AddressOfOp::create(b, global);
  return LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), shared);
}

Value GpuThread::loadShared(Value shared, OpFoldResult index, Type type,
                            int64_t lanes) {
  int64_t bytes = lanes * type.getIntOrFloatBitWidth() / 8;
  return LLVM::LoadOp::create(
      b, KernelBuilder::laneType(type, lanes), b.address(shared, index, type),
      std::min(bytes, CodegenOptions::kDeviceAlignment));
}

void GpuThread::storeShared(Value v, Value shared, OpFoldResult index) {
  Type type = v.getType();
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  int64_t lanes = vector ? vector.getNumElements() : 1;
  int64_t bytes = lanes * element.getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(b, v, b.address(shared, index, element),
                        std::min(bytes, CodegenOptions::kDeviceAlignment));
}

SmallVector<Value> GpuThread::loadMatrices(Value row, int64_t count,
                                           bool transposes) {
  MLIRContext *context = b.getContext();
  Type word = b.getI32Type();
  Type type = word;
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(context,
                                            SmallVector<Type>(count, word));
  Value loaded = NVVM::LdMatrixOp::create(
      b, type, castTo(b, NVVM::NVVMMemorySpace::Shared, row),
      b.getI32IntegerAttr(count),
      NVVM::MMALayoutAttr::get(context, transposes ? NVVM::MMALayout::col
                                                   : NVVM::MMALayout::row),
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltTypeAttr::get(context, NVVM::LdStMatrixEltType::B16));
  if (count == 1)
    return {loaded};
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
  return words;
}

void GpuThread::copyAsync(Value to, Value from, int64_t bytes, Value isInside) {
  auto constant = [&](int64_t n) {
    return arith::ConstantIntOp::create(b, b.getI32Type(), n);
  };
  Value valid =
      arith::SelectOp::create(b, isInside, constant(bytes), constant(0));
  // 16-byte copies bypass the L1 cache.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, castTo(b, NVVM::NVVMMemorySpace::Shared, to),
                          castTo(b, NVVM::NVVMMemorySpace::Global, from),
                          static_cast<uint32_t>(bytes), cache, valid);
}

void GpuThread::commitCopies() { NVVM::CpAsyncCommitGroupOp::create(b); }

void GpuThread::waitForCopies(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, static_cast<uint32_t>(pending));
}

Value GpuThread::emitStored(Value isInside, Type element, int64_t lanes,
                            llvm::function_ref<Value()> emit) {
  Type storage = getStorageType(element);
  Type number = b.getIntegerType(storage.getIntOrFloatBitWidth());
  Type bits = KernelBuilder::laneType(number, lanes);
  return b.ifElse(
      isInside, bits,
      [&]() -> Value {
        Value stored = b.toStorage(emit(), element);
        return storage.isInteger()
                   ? stored
                   : arith::BitcastOp::create(b, bits, stored).getResult();
      },
      [&] { return b.number(0, number, lanes); });
}
