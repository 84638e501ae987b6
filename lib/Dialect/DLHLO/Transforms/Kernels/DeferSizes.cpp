//===- DeferSizes.cpp - Leaves data-dependent sizes to kernels ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "DeferredSizes.h"
#include "Dialect/DLHLO/Transforms/Buffers/MemoryPlan.h"
#include "Dialect/DLHLO/Transforms/Buffers/Sites.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"
#include "LaunchSizes.h"
#include "RegionHash.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_DEFERSIZESPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;

namespace {

//===----------------------------------------------------------------------===//
// Kernels that read sizes
//===----------------------------------------------------------------------===//

/// Rewrites a launch so that its kernel reads deferred sizes.
class LaunchRewriter {
public:
  LaunchRewriter(LaunchOp launch, const DeferredSizes &sizes,
                 const llvm::MapVector<StringAttr, dhlo::BindOp> &binds,
                 const SymbolicDims &dims, const SymbolTable &symbols)
      : launch(launch), sizes(sizes), binds(binds), dims(dims),
        kernel(symbols.lookup<KernelOp>(launch.getKernel()).clone()),
        builder(kernel.getBody()) {
    for (auto dim : kernel.getBody().getOps<dhlo::DimOp>())
      builder.setInsertionPointAfter(dim);
  }

  /// The kernel, which is not inserted anywhere yet.
  KernelOp rewriteKernel() {
    for (auto [dim, expr] : llvm::zip_equal(
             kernel.getDims(), launch.getDims().getAsRange<DimExpr>()))
      rewriteDim(dim, dims.expand(expr));
    llvm::append_range(given, others);
    for (auto &[name, source] : found)
      bind(name, source);
    return kernel;
  }

  void rewriteLaunch(StringRef name) {
    OpBuilder b(launch);
    SmallVector<Value> inputs(launch.getInputs());
    SmallVector<Attribute> sites;
    for (auto &[name, source] : found) {
      inputs.push_back(source.getValue());
      sites.push_back(getSite(source));
    }
    llvm::append_range(sites, launch.getSites());
    auto other =
        LaunchOp::create(b, launch.getLoc(), launch.getResultTypes(), name,
                         b.getArrayAttr(given), inputs, b.getArrayAttr(sites));
    other->setDiscardableAttrs(launch->getDiscardableAttrDictionary());
    launch.replaceAllUsesWith(other.getResults());
    launch.erase();
  }

private:
  /// Rewrites a dim of the kernel whose value at the launch is `expr`.
  void rewriteDim(dhlo::DimOp dim, DimExpr expr) {
    StringAttr name = dim.getSymNameAttr();
    if (!sizes.isIn(expr)) {
      given.push_back(expr);
      names.try_emplace(expr, name);
    } else if (expr.isSymbol()) {
      given.push_back(expr);
      names[expr] = name;
      found.push_back({name, binds.lookup(expr.getName())});
    } else {
      dim.setDefinitionAttr(dhlo::substitute(
          expr, [&](StringAttr symbol) { return getSymbol(symbol); }));
    }
  }

  /// The kernel's name for one of the launch's sizes.
  DimExpr getSymbol(StringAttr symbol) {
    DimExpr outer = dhlo::getSymbolDim(symbol);
    StringAttr &name = names[outer];
    if (!name) {
      unsigned number = 0;
      do
        name = builder.getStringAttr("s" + Twine(number++));
      while (SymbolTable::lookupSymbolIn(kernel, name));
      SymbolicDims::Range range = dims.getRange(outer);
      bool isBounded = range.max != std::numeric_limits<int64_t>::max();
      dhlo::DimOp::create(
          builder, kernel.getLoc(), name, DimExpr(),
          builder.getI64IntegerAttr(std::max<int64_t>(range.min, 0)),
          isBounded ? builder.getI64IntegerAttr(range.max) : IntegerAttr(),
          IntegerAttr(), DimExpr(), DenseI64ArrayAttr());
      others.push_back(outer);
      if (sizes.contains(symbol))
        found.push_back({name, binds.lookup(symbol)});
    }
    return dhlo::getSymbolDim(name);
  }

  /// Binds a dim of the kernel to the value that `source` binds: after all
  /// declarations, and so before any operation that may fail.
  void bind(StringAttr name, dhlo::BindOp source) {
    BlockArgument argument = kernel.getBody().front().addArgument(
        source.getValue().getType(), source.getLoc());
    dhlo::BindOp::create(builder, source.getLoc(), FlatSymbolRefAttr::get(name),
                         argument);
  }

  LaunchOp launch;
  const DeferredSizes &sizes;
  const llvm::MapVector<StringAttr, dhlo::BindOp> &binds;
  const SymbolicDims &dims;
  KernelOp kernel;
  OpBuilder builder;
  /// The names of the launch's sizes in the kernel.
  llvm::DenseMap<DimExpr, StringAttr> names;
  SmallVector<Attribute> given, others;
  /// Dims that the kernel reads from its data, and the operations that bound
  /// them.
  SmallVector<std::pair<StringAttr, dhlo::BindOp>> found;
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct DeferSizesPass : dlhlo::impl::DeferSizesPassBase<DeferSizesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto &dims = getAnalysis<SymbolicDims>();
    SymbolTable symbols(module);
    DeferredSizes sizes(dims);
    llvm::MapVector<StringAttr, dhlo::BindOp> binds;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](dhlo::BindOp bind) {
        auto dim = symbols.lookup<dhlo::DimOp>(bind.getSymbol());
        sizes.add(dim);
        binds[dim.getSymNameAttr()] = bind;
      });
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](dhlo::FromDimsOp op) {
        if (isForKernels(op) && readsSizes(op, sizes))
          computeByKernel(op, symbols);
      });
    LaunchSizes launches(symbols);
    for (auto function : module.getOps<func::FuncOp>()) {
      function.walk(
          [&](Operation *op) { keepNeeded(op, dims, launches, sizes); });
      keepVast(function, dims, sizes);
    }
    keepUnbounded(module, dims, sizes);
    for (auto &[symbol, bind] : binds)
      if (!isReadBeside(bind, sizes))
        sizes.erase(symbol);
    numKept += llvm::count_if(
        binds, [&](auto &bind) { return !sizes.contains(bind.first); });
    if (sizes.empty())
      return markAllAnalysesPreserved();

    DimBuilder builder(dims);
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](dhlo::ProbeOp probe) {
        padProbe(probe, builder, symbols, sizes);
      });
    rewriteLaunches(module, binds, dims, symbols, sizes);
    for (auto dim : module.getOps<dhlo::DimOp>())
      redefine(dim, dims, sizes);
    for (auto &[symbol, bind] : binds)
      if (sizes.contains(symbol)) {
        bind.erase();
        ++numDeferred;
      }
  }

private:
  /// Whether no host reads sizes as data.
  static bool isForKernels(Operation *op) {
    return llvm::all_of(op->getUsers(), [](Operation *user) {
      return isView(user) ? isForKernels(user)
                          : llvm::isa<LaunchOp, dhlo::GuessedOp>(user);
    });
  }

  static bool readsSizes(dhlo::FromDimsOp op, const DeferredSizes &sizes) {
    return llvm::any_of(op.getExprs().getAsRange<DimExpr>(),
                        [&](DimExpr expr) { return sizes.isIn(expr); });
  }

  /// A kernel can read the sizes that it writes as data, the host would have to
  /// wait for them.
  static void computeByKernel(dhlo::FromDimsOp op, SymbolTable &symbols) {
    OpBuilder b(op.getContext());
    Location loc = op.getLoc();
    auto kernel = KernelOp::create(b, loc, "sizes", FusionKind::Loop);
    b.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
    SmallVector<Attribute> given, exprs;
    for (auto expr : op.getExprs().getAsRange<DimExpr>()) {
      if (expr.isConst()) {
        exprs.push_back(expr);
        continue;
      }
      StringAttr name = b.getStringAttr("d" + Twine(given.size()));
      dhlo::DimOp::create(b, loc, name, DimExpr(), b.getI64IntegerAttr(0),
                          IntegerAttr(), IntegerAttr(), DimExpr(),
                          DenseI64ArrayAttr());
      given.push_back(expr);
      exprs.push_back(dhlo::getSymbolDim(name));
    }
    YieldOp::create(b, loc,
                    ValueRange(dhlo::FromDimsOp::create(
                        b, loc, op.getType(), b.getArrayAttr(exprs))));
    auto module = llvm::cast<ModuleOp>(symbols.getOp());
    auto kernels = module.getOps<KernelOp>();
    symbols.insert(kernel, Block::iterator(*kernels.begin()));
    b.setInsertionPoint(op);
    auto launch = LaunchOp::create(b, loc, TypeRange(op.getType()),
                                   kernel.getSymName(), b.getArrayAttr(given),
                                   ValueRange(), b.getArrayAttr({}));
    op.replaceAllUsesWith(launch.getResult(0));
    op.erase();
  }

  /// Keeps sizes on the host that it needs for an operation.
  void keepNeeded(Operation *op, const SymbolicDims &dims,
                  LaunchSizes &launches, DeferredSizes &sizes) {
    auto keep = [&](DimExpr expr) { sizes.eraseIn(expr); };
    auto keepChecked = [&](ArrayRef<dhlo::SizeCheck> checks) {
      for (dhlo::SizeCheck check : checks) {
        if (dhlo::isProven(check, dims))
          continue;
        keep(check.lhs);
        keep(check.rhs);
      }
      return success();
    };
    if (auto launch = llvm::dyn_cast<LaunchOp>(op)) {
      for (auto [size, maker] : launches.getSizes(launch))
        if (mayBeNegative(size, dims))
          keep(size);
      return (void)launches.visitChecks(launch, [&](Operation *, auto checks) {
        return keepChecked(checks);
      });
    }
    if (isView(op)) {
      (void)keepChecked(dhlo::getUnprovenSizes(op, dims));
      if (!isBoundedView(op, dims, sizes))
        for (Type type :
             {op->getOperand(0).getType(), op->getResult(0).getType()})
          keep(dims.getNumElements(llvm::cast<RankedTensorType>(type)));
      return;
    }
    // Launches together need no more than each of them does.
    if (llvm::isa<LaunchManyOp>(op) ||
        llvm::isa_and_present<LaunchManyOp>(op->getParentOp()))
      return;
    if (llvm::isa<dhlo::BindOp, dhlo::ProbeOp>(op))
      return;
    AttrTypeWalker walker;
    walker.addWalk([&](dhlo::DimsAttr names) {
      for (StringAttr name : names.getNames())
        keep(dhlo::getSymbolDim(name));
    });
    walker.addWalk([&](dhlo::DimExprAttr expr) { keep(expr); });
    walker.walk(op->getAttrDictionary());
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        walker.walk(type);
  }

  /// Whether a view is still a view if all sizes are replaced by upper bounds.
  static bool isBoundedView(Operation *view, const SymbolicDims &dims,
                            const DeferredSizes &sizes) {
    auto getMost = [&](Value value) {
      return sizes.getMost(
          dims.getNumElements(llvm::cast<RankedTensorType>(value.getType())));
    };
    DimExpr from = getMost(view->getOperand(0));
    DimExpr to = getMost(view->getResult(0));
    return from && to &&
           (llvm::isa<dhlo::ReshapeOp>(view) ? dims.isEqual(to, from)
                                             : dims.isAtMost(to, from));
  }

  /// Keeps sizes on the host if values would take much more memory at the upper
  /// bound than any other value takes: numbers of elements that multiply
  /// several such sizes, and values `kRoom` times as large as the largest.
  void keepVast(func::FuncOp function, const SymbolicDims &dims,
                DeferredSizes &sizes) {
    constexpr int64_t kRoom = 4;
    SmallVector<DimExpr> found;
    int64_t largest = 1;
    auto visit = [&](Type type) {
      auto tensor = llvm::dyn_cast<RankedTensorType>(type);
      // Entries have names for all sizes, but other functions need not.
      if (!tensor || llvm::is_contained(dhlo::getDims(tensor), DimExpr()))
        return;
      DimExpr bytes = getByteSize(tensor, dims);
      if (sizes.isIn(bytes))
        found.push_back(dims.expand(bytes));
      else
        largest = std::max(largest, dims.getEstimate(bytes));
    };
    llvm::for_each(function.getArgumentTypes(), visit);
    function.walk([&](LaunchOp launch) {
      llvm::for_each(launch.getResultTypes(), visit);
    });
    for (DimExpr bytes : found) {
      DimExpr most = sizes.getMost(bytes);
      if (most && !sizes.isGemm(bytes) &&
          dims.getEstimate(most) / kRoom <= largest)
        continue;
      sizes.eraseIn(bytes);
    }
  }

  /// Keeps sizes on the host on which sizes without a bound depend.
  void keepUnbounded(ModuleOp module, const SymbolicDims &dims,
                     DeferredSizes &sizes) {
    for (auto dim : module.getOps<dhlo::DimOp>()) {
      DimExpr definition = dim.getDefinitionAttr();
      if (definition && !sizes.getMost(definition))
        sizes.eraseIn(definition);
    }
  }

  /// Whether a launch that runs whenever a size is bound reads it, and so
  /// checks the declaration.
  bool isReadBeside(dhlo::BindOp bind, const DeferredSizes &sizes) {
    auto isRead = [&](LaunchOp launch) {
      return llvm::any_of(launch.getDims().getAsRange<DimExpr>(),
                          [&](DimExpr expr) {
                            bool isFound = false;
                            sizes.visit(expr, [&](StringAttr name) {
                              isFound |= name == bind.getSymbolAttr().getAttr();
                            });
                            return isFound;
                          });
    };
    Block &block = *bind->getBlock();
    return llvm::any_of(block.getOps<LaunchOp>(), isRead) ||
           llvm::any_of(block.getOps<LaunchManyOp>(), [&](LaunchManyOp many) {
             return llvm::any_of(many.getBody().getOps<LaunchOp>(), isRead);
           });
  }

  /// Pads the operands of a probe with a deferred number of cells to the upper
  /// bound, and marks the padding.
  void padProbe(dhlo::ProbeOp probe, DimBuilder &builder, SymbolTable &symbols,
                const DeferredSizes &sizes) {
    for (OpOperand &operand : probe->getOpOperands()) {
      auto type = llvm::cast<RankedTensorType>(operand.get().getType());
      DimExpr cells = dhlo::getDim(type, 0);
      if (!sizes.isIn(cells))
        continue;
      OpBuilder b(probe);
      Location loc = probe.getLoc();
      DimExpr most = sizes.getMost(cells);
      SmallVector<DimExpr> shape = dhlo::getDims(type);
      shape[0] = most;
      auto launch = LaunchOp::create(
          b, loc,
          TypeRange(builder.getTensorType(shape, type.getElementType())),
          createPadding(type, symbols), b.getArrayAttr({most, cells}),
          operand.get(), b.getArrayAttr({}));
      operand.set(launch.getResult(0));
    }
  }

  /// The kernel that pads seats, or an order, with DYN_NO_CELL.
  StringRef createPadding(RankedTensorType type, SymbolTable &symbols) {
    constexpr int64_t kNoCell = -2;
    Location loc = symbols.getOp()->getLoc();
    OpBuilder b(type.getContext());
    auto kernel = KernelOp::create(b, loc, "pad_cells", FusionKind::Loop);
    auto getType = [&](StringRef name) {
      SmallVector<DimExpr> shape = dhlo::getDims(type);
      shape[0] = dhlo::getSymbolDim(b.getStringAttr(name));
      return dhlo::getTensorType(shape, type.getElementType());
    };
    Block &body = kernel.getBody().emplaceBlock();
    body.addArgument(getType("d1"), loc);
    b.setInsertionPointToStart(&body);
    for (StringRef name : {"d0", "d1"})
      dhlo::DimOp::create(b, loc, b.getStringAttr(name), DimExpr(),
                          b.getI64IntegerAttr(0), IntegerAttr(), IntegerAttr(),
                          DimExpr(), DenseI64ArrayAttr());
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value none = dhlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalar, APInt(64, kNoCell, true)));
    SmallVector<Attribute> low(type.getRank(),
                               dhlo::getConstDim(type.getContext(), 0));
    SmallVector<Attribute> high = low;
    high[0] = dhlo::sub(dhlo::getSymbolDim(b.getStringAttr("d0")),
                        dhlo::getSymbolDim(b.getStringAttr("d1")));
    Value padded = dhlo::PadOp::create(
        b, loc, getType("d0"), body.getArgument(0), none,
        dhlo::PadMode::Constant, b.getArrayAttr(low), b.getArrayAttr(high));
    YieldOp::create(b, loc, padded);
    auto module = llvm::cast<ModuleOp>(symbols.getOp());
    auto kernels = module.getOps<KernelOp>();
    symbols.insert(kernel, Block::iterator(*kernels.begin()));
    return kernel.getSymName();
  }

  void rewriteLaunches(ModuleOp module,
                       const llvm::MapVector<StringAttr, dhlo::BindOp> &binds,
                       const SymbolicDims &dims, SymbolTable &symbols,
                       const DeferredSizes &sizes) {
    SmallVector<LaunchOp> launches;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](LaunchOp launch) {
        if (llvm::any_of(launch.getDims().getAsRange<DimExpr>(),
                         [&](DimExpr expr) { return sizes.isIn(expr); }))
          launches.push_back(launch);
      });
    KernelPool kernels;
    for (LaunchOp launch : launches) {
      LaunchRewriter rewriter(launch, sizes, binds, dims, symbols);
      KernelOp original = symbols.lookup<KernelOp>(launch.getKernel());
      KernelOp kernel = rewriter.rewriteKernel();
      if (KernelOp other = kernels.findOrAdd(kernel)) {
        kernel.erase();
        kernel = other;
      } else {
        symbols.insert(kernel, std::next(Block::iterator(original)));
        ++numKernels;
      }
      rewriter.rewriteLaunch(kernel.getSymName());
      if (SymbolTable::symbolKnownUseEmpty(original, module))
        symbols.erase(original);
    }
  }

  /// From here on, the entry uses a size's upper bound for the size.
  void redefine(dhlo::DimOp dim, const SymbolicDims &dims,
                const DeferredSizes &sizes) {
    DimExpr value = dim.getDefinitionAttr()
                        ? DimExpr(dim.getDefinitionAttr())
                        : dhlo::getSymbolDim(dim.getSymNameAttr());
    if (!sizes.isIn(value)) {
      // A size on the host is compared with a bound that the host can compute.
      if (DimExpr bound = dim.getAtMostAttr(); bound && sizes.isIn(bound))
        dim.setAtMostAttr(sizes.getMost(bound));
      return;
    }
    dim.setDefinitionAttr(dims.expand(sizes.getMost(value)));
    dim.removeMinAttr();
    dim.removeMaxAttr();
    dim.removeMultipleOfAttr();
    dim.removeAtMostAttr();
  }
};

} // namespace
