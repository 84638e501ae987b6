//===- EntryLowering.cpp - Entries as calls of the runtime ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"

#include "FrameLayout.h"

#include "dyn/Dialect/DLHLO/IR/Chains.h"
#include "dyn/Dialect/Dist/IR/Dist.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

static Value createInt(OpBuilder &b, Location loc, unsigned bits,
                       int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits), value);
}

static Type getPointer(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

/// The address `bytes` after `base`.
static Value createOffset(OpBuilder &b, Location loc, Value base,
                          LLVM::GEPArg bytes) {
  return LLVM::GEPOp::create(b, loc, getPointer(b), b.getI8Type(), base, bytes);
}

static Value createLoad(OpBuilder &b, Location loc, Type type, Value base,
                        int32_t bytes) {
  if (bytes)
    base = createOffset(b, loc, base, bytes);
  return LLVM::LoadOp::create(b, loc, type, base);
}

static void createStore(OpBuilder &b, Location loc, Value value, Value base,
                        int32_t bytes) {
  if (bytes)
    base = createOffset(b, loc, base, bytes);
  LLVM::StoreOp::create(b, loc, value, base);
}

/// Writes values, eight bytes each, into an array.
static void storeArray(OpBuilder &b, Location loc, ValueRange values,
                       Value array) {
  for (auto [i, value] : llvm::enumerate(values))
    createStore(b, loc, value, array, int32_t(8 * i));
}

/// The address of a global array of these words, which begins with `name`.
static Value createGlobalArray(OpBuilder &b, Operation *op, StringRef name,
                               ArrayRef<int64_t> words) {
  Location loc = op->getLoc();
  auto module = op->getParentOfType<ModuleOp>();
  std::string symbol;
  for (unsigned i = 0; symbol.empty() || module.lookupSymbol(symbol); ++i)
    symbol = (name + "." + Twine(i)).str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), words.size());
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, symbol,
                           b.getI64TensorAttr(words));
  }
  return LLVM::AddressOfOp::create(b, loc, getPointer(b), symbol);
}

ModuleIndex::ModuleIndex(ModuleOp module) {
  for (auto kernel : module.getOps<dlhlo::KernelOp>())
    kernels.insert({kernel.getSymNameAttr(), kernels.size()});
  for (auto constant : module.getOps<dlhlo::ConstantOp>())
    constants.insert({constant.getSymNameAttr(), constants.size()});
}

//===----------------------------------------------------------------------===//
// Prologue
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp dyn::createEntryFunction(func::FuncOp source, bool isDevice,
                                          EntryFrame &frame) {
  Location loc = source.getLoc();
  OpBuilder b(source);
  Type pointer = getPointer(b);
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), pointer);
  auto function = LLVM::LLVMFuncOp::create(b, loc, source.getSymName(), type);
  Block *prologue = function.addEntryBlock(b);
  Value argument = prologue->getArgument(0);

  size_t buffers = 1, sizes = 1, launches = 1;
  bool fetches = false, expects = false, guesses = false, exchanges = false;
  source.walk([&](Operation *op) {
    if (auto many = llvm::dyn_cast<dlhlo::DispatchManyOp>(op)) {
      size_t manyBuffers = 0, manySizes = 0, manyLaunches = 0;
      for (auto dispatch : many.getBody().getOps<dlhlo::DispatchOp>()) {
        manyBuffers += dispatch.getBuffers().size();
        manySizes += dispatch.getDims().size();
        ++manyLaunches;
      }
      buffers = std::max(buffers, manyBuffers);
      sizes = std::max(sizes, manySizes);
      launches = std::max(launches, manyLaunches);
    } else if (auto dispatch = llvm::dyn_cast<dlhlo::DispatchOp>(op)) {
      buffers = std::max<size_t>(buffers, dispatch.getBuffers().size());
      sizes = std::max<size_t>(sizes, dispatch.getDims().size());
    } else if (auto output = llvm::dyn_cast<dlhlo::OutputOp>(op)) {
      sizes = std::max<size_t>(sizes, output.getSizes().size());
    }
    exchanges |= llvm::isa<dist::BufferStartOp>(op);
    guesses |= llvm::isa<dlhlo::GuessOp, dlhlo::GuessedOp>(op);
    if (auto fetch = llvm::dyn_cast<dlhlo::FetchOp>(op))
      (fetch.getPredicted() ? expects : fetches) = true;
  });

  b.setInsertionPointToStart(prologue);
  auto allocate = [&](Type element, size_t count) -> Value {
    return LLVM::AllocaOp::create(b, loc, pointer, element,
                                  createInt(b, loc, 64, count));
  };
  frame.bufferArray = allocate(pointer, buffers);
  frame.sizeArray = allocate(b.getI64Type(), sizes);
  Value services = createLoad(b, loc, pointer, argument, layout::kServices);
  frame.call = createLoad(b, loc, pointer, argument, layout::kCall);
  frame.constants = createLoad(b, loc, pointer, argument, layout::kConstants);
  frame.reserve = createLoad(b, loc, pointer, services, layout::kReserve);
  frame.output = createLoad(b, loc, pointer, services, layout::kOutput);
  frame.launch = createLoad(b, loc, pointer, services, layout::kLaunch);
  frame.fail = createLoad(b, loc, pointer, services, layout::kFail);
  frame.check = createLoad(b, loc, pointer, services, layout::kCheck);
  frame.probe = createLoad(b, loc, pointer, services, layout::kProbe);
  if (launches > 1) {
    frame.launchArray =
        allocate(b.getI64Type(), launches * (layout::kLaunchSize / 8));
    frame.launchMany =
        createLoad(b, loc, pointer, services, layout::kLaunchMany);
  }

  if (fetches)
    frame.fetch = createLoad(b, loc, pointer, services, layout::kFetch);
  if (guesses) {
    frame.guess = createLoad(b, loc, pointer, services, layout::kGuess);
    frame.guessed = createLoad(b, loc, pointer, services, layout::kGuessed);
  }
  if (expects)
    frame.expect = createLoad(b, loc, pointer, services, layout::kExpect);
  if (exchanges) {
    frame.exchangeStart =
        createLoad(b, loc, pointer, services, layout::kExchangeStart);
    frame.exchangeWait =
        createLoad(b, loc, pointer, services, layout::kExchangeWait);
  }
  if (isDevice) {
    frame.element = allocate(b.getI64Type(), 1);
    frame.read = createLoad(b, loc, pointer, services, layout::kRead);
    frame.write = createLoad(b, loc, pointer, services, layout::kWrite);
  }

  // Arguments: first the inputs, then the dims.
  Value inputs = createLoad(b, loc, pointer, argument, layout::kInputs);
  Value dims = createLoad(b, loc, pointer, argument, layout::kDims);
  Block *body = &source.front();
  unsigned numInputs = 0;
  for (BlockArgument arg : body->getArguments()) {
    bool isInput = llvm::isa<dlhlo::BufferType>(arg.getType());
    unsigned position = isInput ? numInputs++ : arg.getArgNumber() - numInputs;
    Value value = createLoad(b, loc, isInput ? pointer : b.getI64Type(),
                             isInput ? inputs : dims, 8 * position);
    arg.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, loc, arg.getType(), value)
            .getResult(0));
  }
  body->eraseArguments(0, body->getNumArguments());
  function.getBody().getBlocks().splice(function.getBody().end(),
                                        source.getBody().getBlocks());
  LLVM::BrOp::create(b, loc, body);

  frame.exit = b.createBlock(&function.getBody(), function.getBody().end(),
                             b.getI32Type(), loc);
  LLVM::ReturnOp::create(b, loc, frame.exit->getArgument(0));
  source.erase();
  return function;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

template <typename Op> class EntryPattern : public OpConversionPattern<Op> {
public:
  EntryPattern(const LLVMTypeConverter &types, const EntryFrame &frame,
               const ModuleIndex &index)
      : OpConversionPattern<Op>(types, &types.getContext()), frame(frame),
        index(index) {}

protected:
  /// Calls a function of the runtime, with the call of the model as first
  /// argument.
  Value callRuntime(OpBuilder &b, Location loc, Type result, Value function,
                    ArrayRef<Value> args) const {
    SmallVector<Value> operands = {function, frame.call};
    operands.append(args.begin(), args.end());
    auto type = LLVM::LLVMFunctionType::get(
        result,
        SmallVector<Type>(ValueRange(operands).drop_front().getTypes()));
    return LLVM::CallOp::create(b, loc, type, operands).getResult();
  }

  /// Branches to the exit with `status` if `condition` holds. The insertion
  /// point moves to a new block.
  void exitIf(ConversionPatternRewriter &b, Location loc, Value condition,
              Value status) const {
    Block *here = b.getInsertionBlock();
    Block *next = b.splitBlock(here, b.getInsertionPoint());
    b.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(b, loc, condition, frame.exit, status, next,
                           ValueRange());
    b.setInsertionPointToStart(next);
  }

  void exitIfFailed(ConversionPatternRewriter &b, Location loc,
                    Value status) const {
    Value zero = createInt(b, loc, 32, 0);
    Value failed =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, status, zero);
    exitIf(b, loc, failed, status);
  }

  /// Memory of the runtime is null if the call has failed; the runtime has
  /// recorded the status, and any nonzero one will do.
  void exitIfNull(ConversionPatternRewriter &b, Location loc,
                  Value memory) const {
    Value null = LLVM::ZeroOp::create(b, loc, getPointer(b));
    Value isNull =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, memory, null);
    exitIf(b, loc, isNull, createInt(b, loc, 32, 1));
  }

  const EntryFrame &frame;
  const ModuleIndex &index;
};

/// dlhlo.reserve -> services.reserve
struct ReservePattern : EntryPattern<dlhlo::ReserveOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::ReserveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value arena =
        LLVM::TruncOp::create(b, loc, b.getI32Type(), adaptor.getArena());
    Value memory = callRuntime(b, loc, getPointer(b), frame.reserve,
                               {arena, adaptor.getBytes()});
    exitIfNull(b, loc, memory);
    b.replaceOp(op, memory);
    return success();
  }
};

/// dlhlo.output -> services.output
struct OutputPattern : EntryPattern<dlhlo::OutputOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::OutputOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    storeArray(b, loc, adaptor.getSizes(), frame.sizeArray);
    Value memory =
        callRuntime(b, loc, getPointer(b), frame.output,
                    {createInt(b, loc, 32, op.getIndex()), frame.sizeArray});
    exitIfNull(b, loc, memory);
    b.replaceOp(op, memory);
    return success();
  }
};

/// dlhlo.dispatch -> services.launch
struct DispatchPattern : EntryPattern<dlhlo::DispatchOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::DispatchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    int64_t kernel = index.kernels.lookup(op.getKernelAttr().getAttr());
    storeArray(b, loc, adaptor.getBuffers(), frame.bufferArray);
    storeArray(b, loc, adaptor.getDims(), frame.sizeArray);
    Value status =
        callRuntime(b, loc, b.getI32Type(), frame.launch,
                    {createInt(b, loc, 32, kernel), frame.bufferArray,
                     frame.sizeArray, createInt(b, loc, 64, op.getSiteBase())});
    exitIfFailed(b, loc, status);
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.dispatch_many -> services.launch_many
struct DispatchManyPattern : EntryPattern<dlhlo::DispatchManyOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::DispatchManyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value buffers = frame.bufferArray, sizes = frame.sizeArray;
    int32_t count = 0;
    DenseI64ArrayAttr chains = dlhlo::getChains(op);
    for (auto dispatch : op.getBody().getOps<dlhlo::DispatchOp>()) {
      SmallVector<Value> addresses, dims;
      if (failed(b.getRemappedValues(dispatch.getBuffers(), addresses)) ||
          failed(b.getRemappedValues(dispatch.getDims(), dims)))
        return failure();
      storeArray(b, loc, addresses, buffers);
      storeArray(b, loc, dims, sizes);
      int64_t chain = chains ? chains[count] : 0;
      int32_t at = layout::kLaunchSize * count++;
      auto store = [&](Value value, int32_t field) {
        createStore(b, loc, value, frame.launchArray, at + field);
      };
      int64_t kernel = index.kernels.lookup(dispatch.getKernelAttr().getAttr());
      store(createInt(b, loc, 32, kernel), layout::kLaunchKernel);
      store(createInt(b, loc, 32, chain), layout::kLaunchChain);
      store(buffers, layout::kLaunchBuffers);
      store(sizes, layout::kLaunchDims);
      store(createInt(b, loc, 64, dispatch.getSiteBase()),
            layout::kLaunchSiteBase);
      buffers = createOffset(b, loc, buffers, int32_t(8 * addresses.size()));
      sizes = createOffset(b, loc, sizes, int32_t(8 * dims.size()));
    }
    Value status =
        callRuntime(b, loc, b.getI32Type(), frame.launchMany,
                    {createInt(b, loc, 32, count), frame.launchArray});
    exitIfFailed(b, loc, status);
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.check -> services.check
struct CheckPattern : EntryPattern<dlhlo::CheckOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::CheckOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    exitIfFailed(b, loc, callRuntime(b, loc, b.getI32Type(), frame.check, {}));
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.probe -> services.probe
struct ProbePattern : EntryPattern<dlhlo::ProbeOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::ProbeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> args = {createInt(b, loc, 32, op.getIndex())};
    llvm::append_range(args, adaptor.getBuffers());
    if (args.size() == 3)
      args.push_back(LLVM::ZeroOp::create(b, loc, getPointer(b)));
    args.append({adaptor.getCells(), adaptor.getChoices()});
    callRuntime(b, loc, b.getI32Type(), frame.probe, args);
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.fetch -> services.fetch, or expect, of an array of dyn_range_t
struct FetchPattern : EntryPattern<dlhlo::FetchOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::FetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value count = createInt(b, loc, 32, op.getRanges().size());
    Value offsets = adaptor.getOffsets();
    if (!offsets)
      offsets = LLVM::ZeroOp::create(b, loc, getPointer(b));
    callRuntime(b, loc, b.getI32Type(),
                op.getPredicted() ? frame.expect : frame.fetch,
                {offsets, count, createRanges(b, op)});
    b.eraseOp(op);
    return success();
  }

private:
  /// The address of a global array, three words for each range.
  Value createRanges(ConversionPatternRewriter &b, dlhlo::FetchOp op) const {
    SmallVector<int64_t> words;
    for (auto range : op.getRanges().getAsRange<dlhlo::RangeAttr>()) {
      int64_t constant = index.constants.lookup(range.getConstant().getAttr());
      words.append({constant | range.getPath() << 32, range.getOffset(),
                    range.getBytes()});
    }
    return createGlobalArray(b, op, "dyn.ranges", words);
  }
};

/// dlhlo.guess -> services.guess
struct GuessPattern : EntryPattern<dlhlo::GuessOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::GuessOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    b.replaceOp(op, callRuntime(b, loc, b.getI64Type(), frame.guess,
                                {createInt(b, loc, 32, op.getIndex()),
                                 createInt(b, loc, 32, op.getPaysFrom())}));
    return success();
  }
};

/// dlhlo.guessed -> services.guessed
struct GuessedPattern : EntryPattern<dlhlo::GuessedOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::GuessedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    callRuntime(b, loc, b.getI32Type(), frame.guessed,
                {createInt(b, loc, 32, op.getIndex()), adaptor.getRoutes(),
                 adaptor.getGuess(), adaptor.getRest()});
    b.eraseOp(op);
    return success();
  }
};

/// dist.buffer_start -> services.exchange_start
struct BufferStartPattern : EntryPattern<dist::BufferStartOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dist::BufferStartOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value among = createGlobalArray(b, op, "dyn.ranks", op.getAmong());
    Value request = callRuntime(
        b, loc, b.getI64Type(), frame.exchangeStart,
        {createInt(b, loc, 32, op.getAmong().size()), among, adaptor.getRows(),
         adaptor.getRowCount(), adaptor.getResult(), adaptor.getResultCount(),
         adaptor.getRowBytes(), adaptor.getSends(), adaptor.getReceives(),
         createInt(b, loc, 64, op.getSite())});
    Value failed = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt,
                                        request, createInt(b, loc, 64, 0));
    exitIf(b, loc, failed, createInt(b, loc, 32, 1));
    b.replaceOp(op, request);
    return success();
  }
};

/// dist.buffer_wait -> services.exchange_wait
struct BufferWaitPattern : EntryPattern<dist::BufferWaitOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dist::BufferWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    exitIfFailed(b, loc,
                 callRuntime(b, loc, b.getI32Type(), frame.exchangeWait,
                             {adaptor.getRequest()}));
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.fail_if -> services.fail in a block of its own
struct FailIfPattern : EntryPattern<dlhlo::FailIfOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::FailIfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Block *here = b.getInsertionBlock();
    Block *next = b.splitBlock(here, b.getInsertionPoint());
    Block *failure = b.createBlock(next);
    Value status =
        callRuntime(b, loc, b.getI32Type(), frame.fail,
                    {createInt(b, loc, 64, op.getSite()), adaptor.getValue()});
    LLVM::BrOp::create(b, loc, status, frame.exit);
    b.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(b, loc, adaptor.getCondition(), failure, next);
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.view -> llvm.getelementptr
struct ViewPattern : EntryPattern<dlhlo::ViewOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, createOffset(b, op.getLoc(), adaptor.getBase(),
                                 adaptor.getOffset()));
    return success();
  }
};

/// dlhlo.constant_buffer -> frame.constants[index]
struct ConstantBufferPattern : EntryPattern<dlhlo::ConstantBufferOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::ConstantBufferOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    int64_t position = index.constants.lookup(op.getConstantAttr().getAttr());
    b.replaceOp(op, createLoad(b, op.getLoc(), getPointer(b), frame.constants,
                               8 * position));
    return success();
  }
};

/// dlhlo.load -> llvm.load, of a device after services.read; a boolean is a
/// byte that is not zero.
struct LoadPattern : EntryPattern<dlhlo::LoadOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    bool isBool = op.getType().isInteger(1);
    Type held = isBool ? b.getI8Type() : op.getType();
    Value address = adaptor.getBuffer();
    if (frame.read) {
      Value bytes = createInt(b, loc, 64, held.getIntOrFloatBitWidth() / 8);
      exitIfFailed(b, loc,
                   callRuntime(b, loc, b.getI32Type(), frame.read,
                               {frame.element, address, bytes}));
      address = frame.element;
    }
    Value value = createLoad(b, loc, held, address, 0);
    if (isBool)
      value = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, value,
                                   createInt(b, loc, 8, 0));
    b.replaceOp(op, value);
    return success();
  }
};

/// dlhlo.store -> a conversion and llvm.store, to a device by services.write
struct StorePattern : EntryPattern<dlhlo::StoreOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(dlhlo::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value value = adaptor.getValue();
    if (llvm::isa<FloatType>(type))
      value = LLVM::SIToFPOp::create(b, loc, type, value);
    else if (type.getIntOrFloatBitWidth() < 64)
      value = LLVM::TruncOp::create(b, loc, type, value);
    int32_t bytes = type.getIntOrFloatBitWidth() / 8;
    int32_t offset = op.getPosition() * bytes;
    Value address = createOffset(b, loc, adaptor.getBuffer(), offset);
    if (frame.write) {
      createStore(b, loc, value, frame.element, 0);
      exitIfFailed(
          b, loc,
          callRuntime(b, loc, b.getI32Type(), frame.write,
                      {address, frame.element, createInt(b, loc, 64, bytes)}));
    } else {
      createStore(b, loc, value, address, 0);
    }
    b.eraseOp(op);
    return success();
  }
};

/// dlhlo.poison, dlhlo.unpoison -> a function of AddressSanitizer
template <typename Op> struct PoisonPattern : EntryPattern<Op> {
  using EntryPattern<Op>::EntryPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr bool isPoison = std::is_same_v<Op, dlhlo::PoisonOp>;
    StringRef name = isPoison ? "__asan_poison_memory_region"
                              : "__asan_unpoison_memory_region";
    auto module = op->template getParentOfType<ModuleOp>();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {getPointer(b), b.getI64Type()});
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type);
    }
    LLVM::CallOp::create(b, op.getLoc(), type, name,
                         {adaptor.getBuffer(), adaptor.getBytes()});
    b.eraseOp(op);
    return success();
  }
};

/// return -> llvm.return of status 0
struct ReturnPattern : EntryPattern<func::ReturnOp> {
  using EntryPattern::EntryPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::ReturnOp>(op, createInt(b, op.getLoc(), 32, 0));
    return success();
  }
};

} // namespace

void dyn::populateEntryPatterns(const LLVMTypeConverter &types,
                                RewritePatternSet &patterns,
                                const EntryFrame &frame,
                                const ModuleIndex &index) {
  patterns
      .add<ReservePattern, OutputPattern, DispatchPattern, DispatchManyPattern,
           CheckPattern, ProbePattern, FetchPattern, GuessPattern,
           GuessedPattern, BufferStartPattern, BufferWaitPattern, FailIfPattern,
           ViewPattern, ConstantBufferPattern, LoadPattern, StorePattern,
           PoisonPattern<dlhlo::PoisonOp>, PoisonPattern<dlhlo::UnpoisonOp>,
           ReturnPattern>(types, frame, index);
}
