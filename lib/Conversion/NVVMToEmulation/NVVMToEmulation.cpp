//===- NVVMToEmulation.cpp - Code of a GPU as code of the host ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/NVVMToEmulation/NVVMToEmulation.h"

#include "Bf16Bits.h"
#include "dyn/emulated.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>

namespace dyn {
#define GEN_PASS_DEF_CONVERTNVVMTOEMULATIONPASS
#include "dyn/Conversion/NVVMToEmulation/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

static constexpr unsigned kSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);

namespace {
/// Rewrites the body of one kernel.
class Emulation {
public:
  explicit Emulation(LLVM::LLVMFuncOp function)
      : b(function.getContext()), function(function),
        layout(DataLayout::closest(function)) {}

  LogicalResult run();
  /// Of a block.
  int64_t getSharedBytes() const { return sharedBytes; }
  /// The operations that call the emulator: pairs of name and location.
  ArrayRef<Attribute> getSites() const { return sites; }

private:
  /// Assigns each shared variable that the kernel uses an offset in the block's
  /// memory.
  void placeShared();
  LogicalResult rewrite(Operation *op);

  Value constant(int64_t v, unsigned bits = 32) {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits), v);
  }
  Type getPointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  /// The address `bytes` bytes after another one.
  Value offset(Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    return LLVM::GEPOp::create(
        b, loc, getPointer(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  }
  Value loadField(Value base, size_t at, Type type) {
    return LLVM::LoadOp::create(b, loc, type, offset(base, at));
  }
  Value loadRegister(size_t offset, unsigned axis) {
    return loadField(thread, offset + sizeof(uint32_t) * axis, b.getI32Type());
  }
  /// Calls a service with the thread, the number of a new site and `args`.
  Value call(Operation *op, size_t service, Type result, ArrayRef<Value> args);
  /// An array on the thread's stack.
  Value makeArray(Type element, int64_t count);
  /// One that holds `values`.
  Value makeArray(Type element, ValueRange values);
  LogicalResult rewriteMma(NVVM::MmaOp mma);
  LogicalResult rewriteLoadMatrix(NVVM::LdMatrixOp load);
  LogicalResult rewriteCopy(NVVM::CpAsyncOp copy);
  /// The generic address that `address`, of another space, is a cast of, to be
  /// used instead of it. Null after an error.
  Value takeGeneric(Operation *op, Value address);
  /// Whether an address is in the parameters or the thread's own stack.
  bool isPrivate(Value address);
  void emitAccess(Operation *op, Value address, Type type,
                  std::optional<uint64_t> alignment, dyn_emu_access_t access);

  OpBuilder b;
  Location loc = UnknownLoc::get(b.getContext());
  LLVM::LLVMFuncOp function;
  DataLayout layout;
  llvm::StringMap<int64_t> sharedOffsets;
  int64_t sharedBytes = 0;
  Value thread;
  SmallVector<Attribute> sites;
};
} // namespace

/// A location as messages show it: the model's name for the operation, or file,
/// line and column.
static std::string describe(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string text = describe(part); !text.empty())
        return text;
  if (auto site = dyn_cast<CallSiteLoc>(loc))
    return describe(site.getCallee());
  return "";
}

Value Emulation::call(Operation *op, size_t service, Type result,
                      ArrayRef<Value> args) {
  Value table =
      loadField(thread, offsetof(dyn_emu_thread_t, ops), getPointer());
  SmallVector<Value> operands = {loadField(table, service, getPointer()),
                                 thread, constant(sites.size())};
  llvm::append_range(operands, args);
  sites.push_back(b.getStrArrayAttr(
      {op->getName().getStringRef(), describe(op->getLoc())}));
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(b.getContext()),
      SmallVector<Type>(ValueRange(operands).drop_front().getTypes()));
  auto called = LLVM::CallOp::create(b, loc, type, operands);
  return result ? called.getResult() : Value();
}

bool Emulation::isPrivate(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op))
      return true;
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      return false;
    address = op->getOperand(0);
  }
  return address == function.getArgument(0);
}

void Emulation::emitAccess(Operation *op, Value address, Type type,
                           std::optional<uint64_t> alignment,
                           dyn_emu_access_t access) {
  // Constants in the code are not memory of the device.
  if (isPrivate(address) || address.getDefiningOp<LLVM::AddressOfOp>())
    return;
  // As on the device, an access is as wide as its alignment allows.
  int64_t bytes = layout.getTypeSize(type);
  int64_t wide = std::min<int64_t>(
      bytes, alignment.value_or(layout.getTypeABIAlignment(type)));
  for (int64_t done = 0; done < bytes; done += wide) {
    Value at = offset(address, done);
    call(op, offsetof(dyn_emu_ops_t, access), Type(),
         {at, constant(wide), constant(access)});
  }
}

static dyn_emu_shuffle_t getMode(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::idx:
    return DYN_EMU_SHUFFLE_IDX;
  case NVVM::ShflKind::up:
    return DYN_EMU_SHUFFLE_UP;
  case NVVM::ShflKind::down:
    return DYN_EMU_SHUFFLE_DOWN;
  case NVVM::ShflKind::bfly:
    return DYN_EMU_SHUFFLE_BFLY;
  }
  llvm_unreachable("all kinds are listed");
}

Value Emulation::makeArray(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(b, loc, getPointer(),
                                LLVM::LLVMArrayType::get(element, count),
                                constant(1));
}

Value Emulation::makeArray(Type element, ValueRange values) {
  Value array = makeArray(element, values.size());
  for (auto [i, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(b, loc, value, offset(array, 4 * i));
  return array;
}

LogicalResult Emulation::rewriteMma(NVVM::MmaOp mma) {
  NVVM::MMATypes type =
      mma.getMultiplicandAPtxType().value_or(NVVM::MMATypes::b1);
  NVVM::MMAShapeAttr shape = mma.getShapeAttr();
  bool isKnown = shape.getM() == 16 && shape.getN() == 8 &&
                 shape.getK() == 16 &&
                 (type == NVVM::MMATypes::f16 || type == NVVM::MMATypes::bf16);
  Type f32 = b.getF32Type();
  if (!isKnown || mma.getOperandC().getTypes().front() != f32)
    return mma.emitError("cannot be emulated: expected m16n8k16 of f16 or bf16 "
                         "with sums of f32");
  Value d = makeArray(f32, mma.getOperandC());
  call(mma, offsetof(dyn_emu_ops_t, mma), Type(),
       {constant(type == NVVM::MMATypes::f16 ? DYN_EMU_MMA_F16
                                             : DYN_EMU_MMA_BF16),
        makeArray(b.getI32Type(), mma.getOperandA()),
        makeArray(b.getI32Type(), mma.getOperandB()), d, d});
  Value result = LLVM::PoisonOp::create(b, loc, mma.getType());
  for (int64_t i = 0; i < 4; ++i)
    result = LLVM::InsertValueOp::create(
        b, loc, result, LLVM::LoadOp::create(b, loc, f32, offset(d, 4 * i)), i);
  mma.replaceAllUsesWith(result);
  mma.erase();
  return success();
}

Value Emulation::takeGeneric(Operation *op, Value address) {
  auto cast = address.getDefiningOp<LLVM::AddrSpaceCastOp>();
  if (cast)
    return cast.getArg();
  op->emitError("cannot be emulated: expected memory to be used by a cast of "
                "its generic address");
  return nullptr;
}

LogicalResult Emulation::rewriteLoadMatrix(NVVM::LdMatrixOp load) {
  NVVM::LdStMatrixShapeAttr shape = load.getShape();
  if (shape.getM() != 8 || shape.getN() != 8 ||
      load.getEltType() != NVVM::LdStMatrixEltType::B16)
    return load.emitError("cannot be emulated: expected matrices of 8 x 8 "
                          "elements of 16 bits");
  Value row = takeGeneric(load, load.getPtr());
  if (!row)
    return failure();
  int64_t count = load.getNum();
  Type word = b.getI32Type();
  Value results = makeArray(word, count);
  bool transposes = load.getLayout() == NVVM::MMALayout::col;
  call(load, offsetof(dyn_emu_ops_t, load_matrices), Type(),
       {row, constant(count), constant(transposes), results});
  auto read = [&](int64_t i) -> Value {
    return LLVM::LoadOp::create(b, loc, word, offset(results, 4 * i));
  };
  Value result = read(0);
  if (count > 1) {
    Value all = LLVM::PoisonOp::create(b, loc, load.getType());
    for (int64_t i = 0; i < count; ++i)
      all = LLVM::InsertValueOp::create(b, loc, all, i == 0 ? result : read(i),
                                        i);
    result = all;
  }
  load.replaceAllUsesWith(result);
  load.erase();
  return success();
}

LogicalResult Emulation::rewriteCopy(NVVM::CpAsyncOp copy) {
  Value to = takeGeneric(copy, copy.getDst());
  Value from = to ? takeGeneric(copy, copy.getSrc()) : Value();
  if (!from)
    return failure();
  Value bytes = constant(copy.getSize());
  call(copy, offsetof(dyn_emu_ops_t, copy), Type(),
       {to, from, bytes, copy.getCpSize() ? copy.getCpSize() : bytes});
  copy.erase();
  return success();
}

LogicalResult Emulation::rewrite(Operation *op) {
  b.setInsertionPoint(op);
  loc = op->getLoc();
  Type word = b.getI32Type();
  auto replace = [&](Value result) {
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  };
  auto readRegister = [&](size_t offset, unsigned axis) {
    return replace(loadRegister(offset, axis));
  };
  constexpr size_t tid = offsetof(dyn_emu_thread_t, tid),
                   ctaid = offsetof(dyn_emu_thread_t, ctaid),
                   ntid = offsetof(dyn_emu_thread_t, ntid),
                   nctaid = offsetof(dyn_emu_thread_t, nctaid);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](NVVM::ThreadIdXOp) { return readRegister(tid, 0); })
      .Case([&](NVVM::ThreadIdYOp) { return readRegister(tid, 1); })
      .Case([&](NVVM::BlockIdXOp) { return readRegister(ctaid, 0); })
      .Case([&](NVVM::BlockIdYOp) { return readRegister(ctaid, 1); })
      .Case([&](NVVM::BlockDimXOp) { return readRegister(ntid, 0); })
      .Case([&](NVVM::GridDimXOp) { return readRegister(nctaid, 0); })
      .Case([&](NVVM::Barrier0Op) {
        call(op, offsetof(dyn_emu_ops_t, barrier), Type(), {});
        op->erase();
        return success();
      })
      .Case([&](NVVM::ShflOp shuffle) {
        return replace(call(op, offsetof(dyn_emu_ops_t, shuffle), word,
                            {constant(getMode(shuffle.getKind())),
                             shuffle.getThreadMask(), shuffle.getVal(),
                             shuffle.getOffset(), shuffle.getMaskAndClamp()}));
      })
      .Case([&](NVVM::MmaOp mma) { return rewriteMma(mma); })
      .Case([&](NVVM::LdMatrixOp load) { return rewriteLoadMatrix(load); })
      .Case([&](NVVM::CpAsyncOp copy) { return rewriteCopy(copy); })
      .Case([&](NVVM::CpAsyncCommitGroupOp) {
        call(op, offsetof(dyn_emu_ops_t, commit), Type(), {});
        op->erase();
        return success();
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp waiting) {
        call(op, offsetof(dyn_emu_ops_t, wait), Type(),
             {constant(waiting.getN())});
        op->erase();
        return success();
      })
      .Case([&](LLVM::LoadOp load) {
        emitAccess(op, load.getAddr(), load.getType(), load.getAlignment(),
                   DYN_EMU_LOAD);
        return success();
      })
      .Case([&](LLVM::StoreOp store) {
        emitAccess(op, store.getAddr(), store.getValue().getType(),
                   store.getAlignment(), DYN_EMU_STORE);
        return success();
      })
      .Case([&](LLVM::AtomicRMWOp atomic) {
        emitAccess(op, atomic.getPtr(), atomic.getType(), atomic.getAlignment(),
                   DYN_EMU_ATOMIC);
        return success();
      })
      .Case([&](LLVM::AddressOfOp address) -> LogicalResult {
        auto it = sharedOffsets.find(address.getGlobalName());
        if (it == sharedOffsets.end())
          return success();
        Value shared =
            loadField(thread, offsetof(dyn_emu_thread_t, shared), getPointer());
        Value at = offset(shared, it->second);
        // Pointers of the host have one space.
        for (Operation *user :
             llvm::make_early_inc_range(address->getResult(0).getUsers())) {
          if (!isa<LLVM::AddrSpaceCastOp>(user))
            return user->emitError("cannot be emulated: expected shared memory "
                                   "to be used by its generic address");
          user->getResult(0).replaceAllUsesWith(at);
          user->erase();
        }
        op->erase();
        return success();
      })
      .Default([&](Operation *) -> LogicalResult {
        if (isa<NVVM::NVVMDialect>(op->getDialect()))
          return op->emitError("cannot be emulated: no row for this operation");
        return success();
      });
}

void Emulation::placeShared() {
  function.walk([&](LLVM::AddressOfOp address) {
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
        function, address.getGlobalNameAttr());
    if (!global || global.getAddrSpace() != kSharedSpace ||
        sharedOffsets.contains(global.getSymName()))
      return;
    int64_t alignment = global.getAlignment().value_or(
        layout.getTypeABIAlignment(global.getGlobalType()));
    sharedBytes = llvm::alignTo(sharedBytes, alignment);
    sharedOffsets[global.getSymName()] = sharedBytes;
    sharedBytes += layout.getTypeSize(global.getGlobalType());
  });
}

LogicalResult Emulation::run() {
  if (failed(replaceBf16(function)))
    return failure();
  placeShared();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {getPointer(), getPointer()});
  function.setFunctionType(type);
  function.removeArgAttrsAttr();
  thread = function.getBody().addArgument(getPointer(), function.getLoc());
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  // A cast of an address is erased with it.
  llvm::erase_if(ops,
                 [](Operation *op) { return isa<LLVM::AddrSpaceCastOp>(op); });
  for (Operation *op : ops)
    if (op != function && failed(rewrite(op)))
      return failure();
  function.walk([](LLVM::AddrSpaceCastOp cast) {
    if (cast.use_empty())
      cast.erase();
  });
  return success();
}

namespace {
struct ConvertNVVMToEmulationPass
    : dyn::impl::ConvertNVVMToEmulationPassBase<ConvertNVVMToEmulationPass> {
  void runOnOperation() override {
    for (auto module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(convert(module)))
        return signalPassFailure();
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    DataLayout layout(module);
    Builder b(&getContext());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      auto params = function.getArgAttrOfType<TypeAttr>(
          0, LLVM::LLVMDialect::getByValAttrName());
      Emulation emulation(function);
      if (failed(emulation.run()))
        return failure();
      function->removeAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
      function->removeAttr(NVVM::NVVMDialect::getReqntidAttrName());
      function->removeAttr(NVVM::NVVMDialect::getMinctasmAttrName());
      function->setAttr("dyn.sites", b.getArrayAttr(emulation.getSites()));
      function->setAttr("dyn.shared_bytes",
                        b.getI64IntegerAttr(emulation.getSharedBytes()));
      function->setAttr(
          "dyn.param_bytes",
          b.getI64IntegerAttr(layout.getTypeSize(params.getValue())));
      ++numKernels;
      numSites += emulation.getSites().size();
    }
    Operation *last = module;
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      auto global = dyn_cast<LLVM::GlobalOp>(op);
      if (global && global.getAddrSpace() == kSharedSpace)
        continue;
      op.moveAfter(last);
      last = &op;
    }
    module.erase();
    return success();
  }
};
} // namespace
