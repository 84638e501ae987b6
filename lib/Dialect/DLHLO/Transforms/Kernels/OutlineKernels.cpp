//===- OutlineKernels.cpp - Makes kernels of fusions ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "Dialect/DLHLO/Transforms/Buffers/Sites.h"
#include "RegionHash.h"
#include "SharedSizes.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

/// The size symbols of a fusion and their names in the kernel. Symbols that are
/// always equal have one name.
class KernelSymbols {
public:
  KernelSymbols(FusionOp fusion, const SymbolicDims &dims) : dims(dims) {
    AttrTypeWalker walker;
    walker.addWalk([&](dhlo::DimsAttr names) {
      for (StringAttr name : names.getNames())
        add(name);
    });
    walker.addWalk([&](dhlo::DimExprAttr expr) {
      if (expr.isSymbol())
        add(expr.getName());
    });
    for (Type type : fusion.getBody().getArgumentTypes())
      walker.walk(type);
    fusion.getBody().walk([&](Operation *op) {
      for (NamedAttribute attr : op->getAttrs())
        walker.walk(attr.getValue());
      for (Type type : op->getResultTypes())
        walker.walk(type);
    });
  }

  /// Renames all symbols in a kernel's body.
  void rename(Operation *kernel) const {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](dhlo::DimsAttr attr) -> Attribute {
      SmallVector<StringAttr> renamed;
      for (StringAttr name : attr.getNames())
        renamed.push_back(names.find(name)->second);
      return dhlo::DimsAttr::get(attr.getContext(), renamed);
    });
    replacer.addReplacement(
        [&](dhlo::DimExprAttr expr) -> std::pair<Attribute, WalkResult> {
          return {rename(expr), WalkResult::skip()};
        });
    replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  /// Declares the symbols at the builder's insertion point. Returns the sizes
  /// that a launch must pass: those of the symbols without a definition.
  SmallVector<Attribute> declare(OpBuilder &builder, Location loc,
                                 const SymbolTable &module) const {
    SmallVector<Attribute> bound;
    for (auto &[expanded, symbol] : symbols) {
      StringAttr name = names.find(symbol)->second;
      auto expr = dhlo::getSymbolDim(symbol);
      auto declared = module.lookup<dhlo::DimOp>(symbol);
      dhlo::DimExpr definition = getDefinition(declared, expanded);
      if (definition) {
        dhlo::DimOp::create(builder, loc, name, definition,
                            declared.getMinAttr(), declared.getMaxAttr(),
                            declared.getMultipleOfAttr(), dhlo::DimExpr(),
                            declared.getLikelyAttr());
        continue;
      }
      bound.push_back(expr);
      SymbolicDims::Range range = dims.getRange(expr);
      int64_t multiple = dims.getMultipleOf(expr);
      SmallVector<int64_t> likely = dims.getLikely(expr);
      int64_t unbounded = std::numeric_limits<int64_t>::max();
      dhlo::DimOp::create(
          builder, loc, name, dhlo::DimExpr(),
          builder.getI64IntegerAttr(std::max<int64_t>(range.min, 0)),
          range.max == unbounded ? IntegerAttr()
                                 : builder.getI64IntegerAttr(range.max),
          multiple > 1 ? builder.getI64IntegerAttr(multiple) : IntegerAttr(),
          dhlo::DimExpr(),
          likely.empty() ? DenseI64ArrayAttr()
                         : builder.getDenseI64ArrayAttr(likely));
    }
    return bound;
  }

private:
  void add(StringAttr name) {
    if (names.contains(name))
      return;
    auto expanded = dims.expand(dhlo::getSymbolDim(name));
    auto [entry, isNew] = symbols.insert({expanded, name});
    names[name] = isNew ? StringAttr::get(name.getContext(),
                                          "d" + Twine(symbols.size() - 1))
                        : names[entry->second];
  }

  dhlo::DimExpr rename(dhlo::DimExpr expr) const {
    return dhlo::substitute(expr, [&](StringAttr name) {
      return dhlo::getSymbolDim(names.find(name)->second);
    });
  }

  /// Replaces atoms of a size that are sizes of the kernel by their symbols.
  dhlo::DimExpr nameAtoms(dhlo::DimExpr expanded) const {
    return dhlo::substituteAtoms(expanded, [&](dhlo::DimExpr atom) {
      auto known = symbols.find(atom);
      return known == symbols.end() ? atom : dhlo::getSymbolDim(known->second);
    });
  }

  /// Factors a size into other sizes of the kernel and a remaining factor.
  /// Without it a kernel with rows of 2 * h * w elements, where h and w are not
  /// sizes of inputs, would not know that the result [64, h, w] has 32 rows.
  dhlo::DimExpr nameFactors(dhlo::DimExpr expanded, StringAttr name) const {
    dhlo::DimExpr product = dhlo::getConstDim(name.getContext(), 1);
    dhlo::DimExpr rest = expanded;
    for (bool changes = true; changes;) {
      changes = false;
      for (auto &[size, symbol] : symbols) {
        if (symbol == name || size.isConst())
          continue;
        dhlo::DimExpr quotient = dhlo::floorDiv(rest, size);
        if (dhlo::mul(quotient, size) != rest)
          continue;
        product = dhlo::mul(product, dhlo::getSymbolDim(symbol));
        rest = quotient;
        changes = !rest.isConst();
      }
    }
    return dhlo::mul(product, rest);
  }

  /// The definition of a symbol over other symbols of the kernel, by their
  /// names in it, if there is one: as declared, else expanded, with named
  /// atoms, or factored. Definitions are acyclic: a symbol that is defined by
  /// another one has more factors or terms, or a larger coefficient.
  dhlo::DimExpr getDefinition(dhlo::DimOp declared,
                              dhlo::DimExpr expanded) const {
    if (!declared || !declared.getDefinitionAttr())
      return {};
    for (dhlo::DimExpr expr :
         {declared.getDefinitionAttr(), expanded, nameAtoms(expanded),
          nameFactors(expanded, declared.getSymNameAttr())}) {
      bool visible = true;
      dhlo::walkSymbols(expr, [&](StringAttr name) {
        visible &= names.contains(name) && name != declared.getSymNameAttr();
      });
      if (visible)
        return rename(expr);
    }
    return {};
  }

  const SymbolicDims &dims;
  /// Expanded size -> symbol, in order of appearance.
  llvm::MapVector<dhlo::DimExpr, StringAttr> symbols;
  /// Symbol -> name in the kernel.
  llvm::DenseMap<StringAttr, StringAttr> names;
};

/// Moves `op` and its producers, in the order of operands, before `end`.
void moveWithOperands(Operation *op, Operation *end,
                      llvm::SmallPtrSetImpl<Operation *> &moved) {
  if (!op || op->getBlock() != end->getBlock() || !moved.insert(op).second)
    return;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value operand : op->getOperands())
    moveWithOperands(operand.getDefiningOp(), end, moved);
  for (Value value : captured)
    moveWithOperands(value.getDefiningOp(), end, moved);
  if (op != end)
    op->moveBefore(end);
}

/// Orders the operations of a fusion by data flow alone, so that fusions are
/// equal even if their order in the model differs.
void sortOperations(Block &body) {
  llvm::SmallPtrSet<Operation *, 16> moved;
  moveWithOperands(body.getTerminator(), body.getTerminator(), moved);
}

/// Orders the inputs of a fusion by their first uses.
void sortInputs(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  llvm::SetVector<BlockArgument> order;
  auto add = [&](Value value) {
    auto argument = llvm::dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body)
      order.insert(argument);
  };
  body.walk([&](Operation *op) { llvm::for_each(op->getOperands(), add); });
  llvm::for_each(body.getArguments(), add);

  unsigned numInputs = order.size();
  SmallVector<Value> inputs;
  for (BlockArgument argument : order) {
    inputs.push_back(fusion.getInputs()[argument.getArgNumber()]);
    argument.replaceAllUsesWith(
        body.addArgument(argument.getType(), argument.getLoc()));
  }
  body.eraseArguments(0, numInputs);
  fusion.getInputsMutable().assign(inputs);
}

/// Names a kernel after its most characteristic operations.
std::string getKernelName(FusionOp fusion) {
  SmallVector<StringRef> parts;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    // Most kernels have them. Another list would rename kernels of artifacts.
    if (llvm::isa<dhlo::ConstantOp, dhlo::BroadcastOp, dhlo::ReshapeOp>(op))
      continue;
    StringRef part = op.getName().stripDialect();
    if (!llvm::is_contained(parts, part))
      parts.push_back(part);
  }
  if (parts.empty())
    return "copy";
  if (parts.size() > 4) {
    parts[3] = parts.back();
    parts.resize(4);
  }
  return llvm::join(parts, "_");
}

struct OutlineKernelsPass
    : dlhlo::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<FusionOp> fusions;
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](FusionOp fusion) { fusions.push_back(fusion); });
    if (fusions.empty())
      return markAllAnalysesPreserved();

    // Kernels have declarations of their own.
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    SymbolTable symbols(module);
    KernelPool kernels;
    for (FusionOp fusion : fusions)
      outline(fusion, dims, symbols, kernels);
  }

private:
  void outline(FusionOp fusion, const SymbolicDims &dims, SymbolTable &symbols,
               KernelPool &kernels) {
    auto function = fusion->getParentOfType<func::FuncOp>();
    sortOperations(fusion.getBody().front());
    sortInputs(fusion);
    std::string name = getKernelName(fusion);
    SmallVector<Attribute> sites = getSites(fusion.getBody());
    KernelSymbols sizes(fusion, dims);

    OpBuilder builder(function);
    auto kernel =
        KernelOp::create(builder, fusion.getLoc(), name, fusion.getKind());
    if (Attribute reason = fusion->getAttr(kReasonAttr))
      kernel->setAttr(kReasonAttr, reason);
    kernel.getBody().takeBody(fusion.getBody());
    sizes.rename(kernel);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Attribute> bound =
        sizes.declare(builder, fusion.getLoc(), symbols);
    nameSharedSizes(kernel);

    if (KernelOp other = kernels.findOrAdd(kernel)) {
      kernel.erase();
      kernel = other;
      ++numMerged;
    } else {
      kernel->remove();
      symbols.insert(kernel, Block::iterator(function));
      ++numKernels;
    }

    builder.setInsertionPoint(fusion);
    auto launch =
        LaunchOp::create(builder, fusion.getLoc(), fusion.getResultTypes(),
                         kernel.getSymName(), builder.getArrayAttr(bound),
                         fusion.getInputs(), builder.getArrayAttr(sites));
    fusion.replaceAllUsesWith(launch.getResults());
    fusion.erase();
  }
};

} // namespace
