//===- KernelValues.cpp - Elements of kernels: constants, loads, stores ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/KernelBuilder.h"

#include "Codegen/Common/Builder/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace dyn;

/// Elements up to so far apart are taken from vectors of all between them.
static constexpr int64_t kMaxShuffledStep = 4;

Type KernelBuilder::laneType(Type type, int64_t lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

static int64_t getLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Value KernelBuilder::splat(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(
      *this, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value KernelBuilder::number(double v, Type type, int64_t lanes) {
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(type))
    attr = getFloatAttr(floatType, v);
  else
    attr = getIntegerAttr(type, static_cast<int64_t>(v));
  if (lanes > 1)
    attr = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                  static_cast<Attribute>(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::integer(const llvm::APInt &v, Type type, int64_t lanes) {
  TypedAttr attr = getIntegerAttr(type, v);
  if (lanes > 1)
    attr = DenseElementsAttr::get(VectorType::get({lanes}, type),
                                  static_cast<Attribute>(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::fma(Value x, Value y, Value z) {
  if (options.hasFma())
    return math::FmaOp::create(*this, x, y, z);
  return arith::AddFOp::create(*this, arith::MulFOp::create(*this, x, y), z);
}

Value KernelBuilder::address(Value pointer, OpFoldResult index, Type storage) {
  if (auto known = getConstantIntValue(index)) {
    if (*known == 0)
      return pointer;
    if (llvm::isInt<31>(*known))
      return LLVM::GEPOp::create(
          *this, pointer.getType(), storage, pointer,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*known)});
  }
  return LLVM::GEPOp::create(*this, pointer.getType(), storage, pointer,
                             ArrayRef<LLVM::GEPArg>{value(index)});
}

static unsigned getStorageAlignment(Type storage) {
  return std::max(1u, storage.getIntOrFloatBitWidth() / 8);
}

int64_t KernelBuilder::getMultipleOf(OpFoldResult v) {
  // More than any alignment; 0 is a multiple of it, too.
  constexpr int64_t kMost = 64;
  if (auto known = getConstantIntValue(v))
    return std::gcd(*known, kMost);
  Value value = cast<Value>(v);
  auto it = multiples.find(value);
  if (it != multiples.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MulIOp>(op))
    return std::min(kMost, getMultipleOf(op->getOperand(0)) *
                               getMultipleOf(op->getOperand(1)));
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(getMultipleOf(op->getOperand(0)),
                    getMultipleOf(op->getOperand(1)));
  return 1;
}

unsigned KernelBuilder::getAlignment(Value buffer, OpFoldResult index,
                                     Type storage) {
  unsigned element = getStorageAlignment(storage);
  if (!options.isDevice() || !llvm::is_contained(buffers, buffer))
    return element;
  return std::gcd<unsigned>(getMultipleOf(index) * element,
                            CodegenOptions::kDeviceAlignment);
}

/// The type as which elements are loaded and stored. Where x86 has no
/// instructions for bf16, LLVM splits vectors of it through f32, by calls of
/// functions that do not exist; bits need none.
static Type getMemoryType(Type storage, bool isDevice) {
  return storage.isBF16() && !isDevice
             ? IntegerType::get(storage.getContext(), 16)
             : storage;
}

/// The same bits as another type.
static Value reinterpret(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(b, loc, type, value);
}

Value KernelBuilder::loadStored(Value buffer, OpFoldResult index, Type element,
                                int64_t lanes, Value mask) {
  Type storage = getStorageType(element);
  Type type = laneType(getMemoryType(storage, options.isDevice()), lanes);
  Value pointer = address(buffer, index, storage);
  unsigned alignment = getAlignment(buffer, index, storage);
  Value loaded;
  if (mask) {
    Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
    loaded =
        LLVM::MaskedLoadOp::create(*this, type, pointer, mask, zero, alignment);
  } else {
    loaded = LLVM::LoadOp::create(*this, type, pointer, alignment);
  }
  return reinterpret(*this, getLoc(), loaded, laneType(storage, lanes));
}

Value KernelBuilder::load(Value buffer, OpFoldResult index, Type element,
                          int64_t lanes) {
  return fromStorage(loadStored(buffer, index, element, lanes, getMask(lanes)),
                     element);
}

Value KernelBuilder::loadReversed(Value buffer, OpFoldResult index,
                                  Type element, int64_t lanes) {
  SmallVector<int64_t> order(llvm::reverse(llvm::seq(lanes)));
  auto reverse = [&](Value v) -> Value {
    return vector::ShuffleOp::create(*this, v, v, order);
  };
  // The lanes in memory are in the opposite order.
  Value mask = getMask(lanes);
  Value stored = loadStored(buffer, sub(index, constant(lanes - 1)), element,
                            lanes, mask ? reverse(mask) : mask);
  return fromStorage(reverse(stored), element);
}

void KernelBuilder::store(Value computed, Value buffer, OpFoldResult index,
                          Type element, int64_t lanes) {
  Type storage = getStorageType(element);
  Value stored =
      reinterpret(*this, getLoc(), toStorage(splat(computed, lanes), element),
                  laneType(getMemoryType(storage, options.isDevice()), lanes));
  Value pointer = address(buffer, index, storage);
  unsigned alignment = getAlignment(buffer, index, storage);
  if (Value mask = getMask(lanes))
    LLVM::MaskedStoreOp::create(*this, stored, pointer, mask, alignment);
  else
    LLVM::StoreOp::create(*this, stored, pointer, alignment);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value KernelBuilder::fromStorage(Value stored, Type element) {
  int64_t lanes = getLanes(stored.getType());
  if (element.isInteger(1))
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, stored,
                                 number(0, getI8Type(), lanes));
  if (!element.isBF16() && !element.isF16())
    return stored;
  Value wide = widenFloat(*this, stored, options.isa());
  widened[wide] = stored;
  return wide;
}

Value KernelBuilder::toStorage(Value computed, Type element) {
  int64_t lanes = getLanes(computed.getType());
  if (element.isInteger(1))
    return arith::ExtUIOp::create(*this, laneType(getI8Type(), lanes),
                                  computed);
  if (!element.isBF16() && !element.isF16())
    return computed;
  // A value that is only moved keeps its bits.
  Value stored = widened.lookup(computed);
  Type storage = laneType(getStorageType(element), lanes);
  if (stored && stored.getType() == storage)
    return stored;
  if (options.isDevice())
    return arith::TruncFOp::create(*this, storage, computed);
  return narrowFloat(*this, computed, element, options.isa());
}

Value KernelBuilder::gather(Value buffer, Value indices, Type element) {
  int64_t lanes = getLanes(indices.getType());
  Type storage = getStorageType(element);
  Type type = laneType(getMemoryType(storage, options.isDevice()), lanes);
  // A lane outside reads the same element as the first, which is inside: a mask
  // is a branch for each lane unless there is an instruction.
  if (Value mask = getMask(lanes)) {
    Value first = vector::ExtractOp::create(*this, indices, 0);
    indices = cast<Value>(select(mask, indices, first));
  }
  Value all = integer(APInt(1, 1), getI1Type(), lanes);
  Value pointers =
      LLVM::GEPOp::create(*this, VectorType::get({lanes}, buffer.getType()),
                          storage, buffer, ArrayRef<LLVM::GEPArg>{indices});
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
  Value loaded = LLVM::masked_gather::create(*this, type, pointers, all, zero,
                                             getStorageAlignment(storage));
  return fromStorage(
      reinterpret(*this, getLoc(), loaded, laneType(storage, lanes)), element);
}

/// Elements 0, `step`, 2 * `step`, ... as many as a vector has, of those that
/// consecutive vectors hold. The last of `step` vectors ends with the last
/// element, so that nothing behind it is read.
static Value takeEvery(ImplicitLocOpBuilder &b, int64_t step, int64_t lanes,
                       llvm::function_ref<Value(int64_t first)> load) {
  Value result = load(0);
  int64_t reach = (lanes - 1) * step + 1;
  for (int64_t end = lanes; end < reach; end += lanes) {
    int64_t first = std::min(end, reach - lanes);
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t at = lane * step;
      if (at < end)
        // Those of the first vector are not in their lanes yet.
        order.push_back(end == lanes ? at : lane);
      else
        order.push_back(at < first + lanes ? lanes + at - first
                                           : vector::ShuffleOp::kPoisonIndex);
    }
    result = vector::ShuffleOp::create(b, result, load(first), order);
  }
  return result;
}

Value KernelBuilder::loadStrided(Value buffer, OpFoldResult index,
                                 OpFoldResult step, Type element,
                                 int64_t lanes) {
  auto known = getConstantIntValue(step);
  if (known && *known > 1 && *known <= kMaxShuffledStep && !getMask(lanes) &&
      !options.isDevice())
    return fromStorage(takeEvery(*this, *known, lanes,
                                 [&](int64_t first) {
                                   return loadStored(
                                       buffer, add(index, constant(first)),
                                       element, lanes, /*mask=*/{});
                                 }),
                       element);
  Type storage = getStorageType(element);
  Type memory = getMemoryType(storage, options.isDevice());
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpFoldResult number = constant(lane);
    // A lane outside reads the same element as the last one inside.
    if (getMask(lanes))
      number = min(number, sub(insideCount, constant(1)));
    OpFoldResult at = add(index, mul(step, number));
    elements.push_back(LLVM::LoadOp::create(*this, memory,
                                            address(buffer, at, storage),
                                            getStorageAlignment(storage)));
  }
  Value stored = lanes == 1
                     ? elements.front()
                     : vector::FromElementsOp::create(
                           *this, VectorType::get({lanes}, memory), elements)
                           .getResult();
  return fromStorage(
      reinterpret(*this, getLoc(), stored, laneType(storage, lanes)), element);
}
