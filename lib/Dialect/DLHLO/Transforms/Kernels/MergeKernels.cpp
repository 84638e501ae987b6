//===- MergeKernels.cpp - Merges kernels that differ in numbers -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A loop that an exporter has unrolled, over classes or over the steps of an
// algorithm, becomes many kernels that differ in a start of a slice, in a size
// or in an integer. Compiled once, these numbers are sizes and inputs of the
// launch:
//
//   kernel          numbers        as sizes of the launch
//   @slice          64, 0          d0 = 64, d1 = 0
//   @slice_1        63, 1          d0 = 63, d1 = 1
//   @slice_2        62, 2          and in the kernel: d1 = 64 - d0
//
// A number that follows from another one in all kernels is defined by it, so
// that what was provable of the kernels remains so.

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "Dialect/DLHLO/Transforms/Constants/ConstantTable.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "mlir/IR/Verifier.h"

#include <map>
#include <numeric>

namespace dyn::dlhlo {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

/// Fewer kernels keep their numbers. With constant sizes code is up to 7 %
/// faster (MixNet, with 44 slices), so that they go only where there are many.
static constexpr size_t kLeastKernels = 8;
static constexpr size_t kLeastKernelsOfSizes = 48;

namespace {

/// Visits the numbers of a kernel, always in the same order.
struct NumberVisitor {
  /// Maps a constant size above 1.
  llvm::function_ref<dhlo::DimExpr(dhlo::DimExpr)> mapSize;
  /// Maps a constant start of a slice or width of a pad.
  llvm::function_ref<dhlo::DimExpr(dhlo::DimExpr)> mapStart;
  llvm::function_ref<void(Value, Type)> setType;
  llvm::function_ref<void(Operation *, StringAttr, Attribute)> setAttr;
  /// Visits a scalar integer.
  llvm::function_ref<void(dhlo::ConstantOp)> visitInteger;

  void visit(KernelOp kernel) {
    Block &body = kernel.getBody().front();
    for (Value argument : body.getArguments())
      visitType(argument);
    for (Operation &op : llvm::make_early_inc_range(body)) {
      auto constant = llvm::dyn_cast<dhlo::ConstantOp>(op);
      if (constant && constant.getType().getRank() == 0 &&
          constant.getType().getElementType().isInteger(64)) {
        visitInteger(constant);
        continue;
      }
      for (Value result : op.getResults())
        visitType(result);
      bool hasStarts = llvm::isa<dhlo::SliceOp, dhlo::PadOp>(op);
      for (NamedAttribute attr : llvm::to_vector(op.getAttrs()))
        setAttr(&op, attr.getName(),
                hasStarts ? mapList(attr.getValue()) : attr.getValue());
    }
  }

private:
  void visitType(Value value) {
    auto type = llvm::cast<RankedTensorType>(value.getType());
    if (type.getEncoding() && !llvm::isa<dhlo::DimsAttr>(type.getEncoding()))
      return setType(value, type);
    SmallVector<dhlo::DimExpr> sizes = dhlo::getDims(type);
    // Axes of size 1 are repeated, or are none in a reshape.
    for (dhlo::DimExpr &size : sizes)
      if (size.isConst() && size.getValue() > 1)
        size = mapSize(size);
    setType(value, dhlo::getTensorType(sizes, type.getElementType()));
  }

  Attribute mapList(Attribute attr) {
    auto list = llvm::dyn_cast<ArrayAttr>(attr);
    if (!list)
      return attr;
    SmallVector<Attribute> mapped;
    for (Attribute element : list) {
      auto size = llvm::dyn_cast<dhlo::DimExprAttr>(element);
      mapped.push_back(size && size.isConst() ? mapStart(size) : element);
    }
    return ArrayAttr::get(attr.getContext(), mapped);
  }
};

/// A kernel, split into numbers and the rest.
struct Form {
  mutable KernelOp kernel;
  /// Operations, operands, attributes and types without numbers.
  std::vector<const void *> rest;
  /// Sizes, starts and widths.
  std::vector<int64_t> numbers;
  /// The sizes among them.
  std::vector<int64_t> sizes;
  std::vector<int64_t> integers;
};

/// The value of a number in each of the kernels.
using Column = std::vector<int64_t>;

bool isConstant(const Column &column) { return llvm::all_equal(column); }

/// The factor and the summand by which a column is computed from another one.
std::optional<std::pair<int64_t, int64_t>> getLine(const Column &from,
                                                   const Column &to) {
  size_t other = 0;
  while (from[other] == from[0])
    ++other;
  int64_t run = from[other] - from[0], rise = to[other] - to[0];
  if (rise % run != 0)
    return std::nullopt;
  int64_t factor = rise / run, summand = to[0] - factor * from[0];
  for (auto [x, y] : llvm::zip_equal(from, to))
    if (factor * x + summand != y)
      return std::nullopt;
  return std::pair(factor, summand);
}

Form getForm(KernelOp kernel) {
  Form form;
  form.kernel = kernel;
  auto add = [&](const void *token) { form.rest.push_back(token); };
  llvm::DenseMap<Value, size_t> indices;
  auto addIndex = [&](Value value) {
    add(reinterpret_cast<const void *>(indices.find(value)->second));
  };
  auto hole = dhlo::getSymbolDim(StringAttr::get(kernel.getContext(), "?"));
  auto mapStart = [&](dhlo::DimExpr start) {
    form.numbers.push_back(start.getValue());
    return hole;
  };
  auto mapSize = [&](dhlo::DimExpr size) {
    form.sizes.push_back(size.getValue());
    return mapStart(size);
  };
  auto setType = [&](Value, Type type) { add(type.getAsOpaquePointer()); };
  auto setAttr = [&](Operation *, StringAttr name, Attribute attr) {
    add(name.getAsOpaquePointer());
    add(attr.getAsOpaquePointer());
  };
  auto visitInteger = [&](dhlo::ConstantOp constant) {
    form.integers.push_back(
        constant.getValue().getSplatValue<APInt>().getSExtValue());
  };
  add(reinterpret_cast<const void *>(static_cast<size_t>(kernel.getKind())));
  add(kernel->getDiscardableAttrDictionary().getAsOpaquePointer());
  Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    indices.try_emplace(argument, indices.size());
  for (Operation &op : body) {
    add(op.getName().getAsOpaquePointer());
    for (Value operand : op.getOperands())
      addIndex(operand);
    for (Value result : op.getResults())
      indices.try_emplace(result, indices.size());
  }
  NumberVisitor{mapSize, mapStart, setType, setAttr, visitInteger}.visit(
      kernel);
  return form;
}

/// Whether kernels of this kind do as well with sizes that vary.
bool canMerge(KernelOp kernel) {
  switch (kernel.getKind()) {
  case FusionKind::Loop:
  case FusionKind::Row:
  case FusionKind::Column:
  case FusionKind::Transpose:
    return llvm::all_of(kernel.getBody().front(),
                        [](Operation &op) { return op.getNumRegions() == 0; });
  default:
    return false;
  }
}

/// Kernels that differ in numbers alone.
class Family {
public:
  explicit Family(ArrayRef<Form> forms) : forms(forms) {}

  /// The kernel of all, by the name of the first; null if there is none.
  KernelOp merge();
  /// Launches it in place of a kernel.
  void update(LaunchOp launch, const Form &form, ConstantTable &table) const;

private:
  /// Declares sizes for the columns that vary. False if one cannot be a size.
  bool declareSizes(KernelOp kernel);
  /// A number or an integer of each form.
  Column getColumn(std::vector<int64_t> Form::*member, size_t index) const {
    Column column;
    for (const Form &form : forms)
      column.push_back((form.*member)[index]);
    return column;
  }
  bool isInput(size_t integer) const {
    return !isConstant(getColumn(&Form::integers, integer));
  }

  ArrayRef<Form> forms;
  std::map<Column, dhlo::DimExpr> sizes;
  /// Those that a launch passes.
  std::vector<Column> passed;
};

} // namespace

bool Family::declareSizes(KernelOp kernel) {
  std::map<Column, dhlo::DimExpr> columns;
  for (size_t i = 0; i != forms[0].numbers.size(); ++i) {
    Column column = getColumn(&Form::numbers, i);
    if (isConstant(column))
      continue;
    if (*llvm::min_element(column) < 0)
      return false;
    columns.try_emplace(column);
  }
  Block &body = kernel.getBody().front();
  auto dims = body.getOps<dhlo::DimOp>();
  size_t count = llvm::range_size(dims);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (dhlo::DimOp dim : dims)
    builder.setInsertionPointAfter(dim);
  // In ascending order, so that larger numbers are defined by smaller ones.
  for (auto &[column, size] : columns) {
    auto name = builder.getStringAttr("d" + Twine(count++));
    dhlo::DimExpr definition;
    for (const Column &other : passed)
      if (auto line = getLine(other, column)) {
        definition =
            dhlo::add(dhlo::mul(sizes[other], line->first), line->second);
        break;
      }
    if (!definition)
      passed.push_back(column);
    int64_t multiple = 0;
    for (int64_t value : column)
      multiple = std::gcd(multiple, value);
    dhlo::DimOp::create(builder, kernel.getLoc(), name, definition,
                        builder.getI64IntegerAttr(*llvm::min_element(column)),
                        builder.getI64IntegerAttr(*llvm::max_element(column)),
                        multiple > 1 ? builder.getI64IntegerAttr(multiple)
                                     : IntegerAttr(),
                        dhlo::DimExpr(), DenseI64ArrayAttr());
    sizes[column] = dhlo::getSymbolDim(name);
  }
  return true;
}

KernelOp Family::merge() {
  KernelOp kernel = forms[0].kernel.clone();
  Block &body = kernel.getBody().front();
  if (!declareSizes(kernel)) {
    kernel->erase();
    return {};
  }
  size_t next = 0, nextInteger = 0;
  auto map = [&](dhlo::DimExpr size) {
    auto known = sizes.find(getColumn(&Form::numbers, next++));
    return known == sizes.end() ? size : known->second;
  };
  auto setType = [](Value value, Type type) { value.setType(type); };
  auto setAttr = [](Operation *op, StringAttr name, Attribute attr) {
    op->setAttr(name, attr);
  };
  auto visitInteger = [&](dhlo::ConstantOp constant) {
    if (!isInput(nextInteger++))
      return;
    constant.replaceAllUsesWith(
        Value(body.addArgument(constant.getType(), constant.getLoc())));
    constant.erase();
  };
  NumberVisitor{map, map, setType, setAttr, visitInteger}.visit(kernel);
  // The proofs of a verifier may need a number.
  ScopedDiagnosticHandler silence(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
  if (body.getNumArguments() > kMaxInputs || failed(verify(kernel))) {
    kernel->erase();
    return {};
  }
  return kernel;
}

void Family::update(LaunchOp launch, const Form &form,
                    ConstantTable &table) const {
  OpBuilder builder(launch);
  launch.setKernel(forms[0].kernel.getSymName());
  SmallVector<Attribute> dims(launch.getDims().getValue());
  size_t index = &form - forms.data();
  for (const Column &column : passed)
    dims.push_back(dhlo::getConstDim(launch.getContext(), column[index]));
  launch.setDimsAttr(builder.getArrayAttr(dims));
  for (auto [i, value] : llvm::enumerate(form.integers)) {
    if (!isInput(i))
      continue;
    auto type = RankedTensorType::get({}, builder.getI64Type());
    Operation *number = dhlo::ConstantOp::create(
        builder, launch.getLoc(), DenseElementsAttr::get(type, value));
    launch.getInputsMutable().append(table.get(builder, number->getResult(0)));
    number->erase();
  }
}

/// Adds the forms with equal `getKey(form)` to groups, in the order of the
/// first of each.
template <typename GetKey>
static std::vector<std::vector<Form>> groupBy(const std::vector<Form> &forms,
                                              GetKey getKey) {
  std::map<decltype(getKey(forms[0])), size_t> indices;
  std::vector<std::vector<Form>> groups;
  for (const Form &form : forms) {
    auto [entry, isNew] = indices.try_emplace(getKey(form), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[entry->second].push_back(form);
  }
  return groups;
}

/// The groups of kernels to be merged.
static std::vector<std::vector<Form>> getFamilies(ModuleOp module) {
  std::vector<Form> forms;
  for (auto kernel : module.getOps<KernelOp>())
    if (canMerge(kernel))
      forms.push_back(getForm(kernel));
  std::vector<std::vector<Form>> families;
  for (auto &equal : groupBy(forms, [](const Form &form) { return form.rest; }))
    if (equal.size() >= kLeastKernelsOfSizes)
      families.push_back(std::move(equal));
    else
      for (auto &group :
           groupBy(equal, [](const Form &form) { return form.sizes; }))
        if (group.size() >= kLeastKernels)
          families.push_back(std::move(group));
  return families;
}

namespace {
struct MergeKernelsPass : dlhlo::impl::MergeKernelsPassBase<MergeKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::vector<std::vector<Form>> families = getFamilies(module);
    if (families.empty())
      return markAllAnalysesPreserved();
    markAnalysesPreserved<SymbolicDims>();
    llvm::StringMap<SmallVector<LaunchOp>> launches;
    module.walk([&](LaunchOp launch) {
      launches[launch.getKernel()].push_back(launch);
    });
    ConstantTable table(module);
    for (const std::vector<Form> &forms : families) {
      Family family(forms);
      KernelOp merged = family.merge();
      if (!merged)
        continue;
      for (const Form &form : forms)
        for (LaunchOp launch : launches[form.kernel.getSymName()])
          family.update(launch, form, table);
      module.getBody()->getOperations().insert(forms[0].kernel->getIterator(),
                                               merged);
      for (const Form &form : forms)
        form.kernel.erase();
      numMerged += forms.size() - 1;
    }
  }
};
} // namespace
