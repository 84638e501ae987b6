//===- DescriptorEmitter.cpp - The descriptor as LLVM IR ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Descriptor.h"

#include "dyn/Target/Identity.h"
#include "dyn/artifact.h"
#include "dyn/emulated.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace dyn;

namespace {

/// Builds constants of the structs of artifact.h. Each function writes the
/// fields of one struct in order; the struct types are anonymous and laid out
/// by LLVM with C's rules for the target, which the asserts of artifact.h pin.
class Emitter {
public:
  explicit Emitter(llvm::Module &module)
      : module(module), context(module.getContext()),
        pointer(llvm::PointerType::getUnqual(context)) {}

  void emit(const ArtifactDescription &description) {
    llvm::Constant *root = structure({
        i32(sizeof(dyn_descriptor_t)),
        i32(DYN_ARTIFACT_VERSION),
        llvm::ConstantDataArray::get(context,
                                     llvm::ArrayRef<uint8_t>(Identity())),
        text(description.producer),
        text(description.metadata),
        i32(description.entries.size()),
        i32(description.kernels.size()),
        i32(description.sites.size()),
        i32(description.constants.size()),
        array(description.entries, &Emitter::entry),
        array(description.kernels, &Emitter::kernel),
        array(description.sites, &Emitter::site),
        array(description.constants, &Emitter::constant),
        i64(description.constantsBytes),
        description.sidecar.empty() ? null() : text(description.sidecar),
        i32(description.routers.size()),
        i32(description.programs.size()),
        array(description.routers, &Emitter::router),
        array(description.programs, &Emitter::program),
        llvm::ConstantDataArray::get(context,
                                     llvm::ArrayRef<uint8_t>(Identity())),
        i64(description.weightsBytes),
    });
    emitQuery(global(root, kDescriptorSymbol));
  }

private:
  llvm::Constant *i32(uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  }
  llvm::Constant *i64(uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(pointer); }

  llvm::Constant *structure(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }

  llvm::Constant *global(llvm::Constant *value, llvm::StringRef name) {
    return new llvm::GlobalVariable(
        module, value->getType(),
        /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, value, name);
  }

  llvm::Constant *text(llvm::StringRef value) {
    return global(llvm::ConstantDataArray::getString(context, value),
                  "dyn.text");
  }

  template <typename T>
  llvm::Constant *array(const std::vector<T> &items,
                        llvm::Constant *(Emitter::*build)(const T &)) {
    if (items.empty())
      return null();
    llvm::SmallVector<llvm::Constant *> values;
    for (const T &item : items)
      values.push_back((this->*build)(item));
    auto *type = llvm::ArrayType::get(values.front()->getType(), values.size());
    return global(llvm::ConstantArray::get(type, values), "dyn.array");
  }

  llvm::Constant *size(const SizeDescription &size) {
    llvm::Constant *code =
        size.code.empty()
            ? null()
            : global(llvm::ConstantDataArray::get(
                         context,
                         llvm::ArrayRef(reinterpret_cast<const uint64_t *>(
                                            size.code.data()),
                                        size.code.size())),
                     "dyn.code");
    return structure({i64(size.extent), i32(static_cast<uint32_t>(size.dim)),
                      i32(size.code.size()), code, text(size.text)});
  }
  llvm::Constant *port(const PortDescription &port) {
    return structure({text(port.name), i32(port.dtype), i32(port.sizes.size()),
                      array(port.sizes, &Emitter::size)});
  }
  llvm::Constant *dim(const DimDescription &dim) {
    return structure({text(dim.name), i64(dim.min), i64(dim.max),
                      i64(dim.multipleOf), i64(dim.likely)});
  }
  llvm::Constant *entry(const EntryDescription &entry) {
    return structure(
        {text(entry.name), i32(entry.inputs.size()), i32(entry.outputs.size()),
         i32(entry.dims.size()), i32(entry.arenas),
         array(entry.inputs, &Emitter::port),
         array(entry.outputs, &Emitter::port), array(entry.dims, &Emitter::dim),
         function(entry.function),
         entry.partOf.empty() ? null() : text(entry.partOf), i32(entry.rank),
         i32(entry.ranks), i32(entry.constants.size()), i32(0),
         array(entry.constants, &Emitter::number)});
  }
  llvm::Constant *kernel(const KernelDescription &kernel) {
    llvm::SmallVector<llvm::Constant *> geometries, bodies;
    for (Isa isa : kAllIsas) {
      bool present = kernel.isas[static_cast<int>(isa)];
      geometries.push_back(
          present ? function(getGeometrySymbol(kernel.name, isa)) : null());
      bodies.push_back(present ? function(getBodySymbol(kernel.name, isa))
                               : null());
    }
    auto *table = llvm::ArrayType::get(pointer, DYN_ISA_COUNT);
    return structure({text(kernel.name), text(kernel.kind), i32(kernel.buffers),
                      i32(kernel.dims),
                      llvm::ConstantArray::get(table, geometries),
                      llvm::ConstantArray::get(table, bodies)});
  }
  llvm::Constant *site(const SiteDescription &site) {
    return structure(
        {i32(site.kind), i32(0), text(site.op), text(site.location)});
  }
  llvm::Constant *constant(const ConstantDescription &constant) {
    return structure({text(constant.name), i64(constant.offset),
                      i64(constant.bytes), text(constant.recipe)});
  }

  llvm::Constant *router(const RouterDescription &router) {
    llvm::Constant *load =
        router.load.empty()
            ? null()
            : global(llvm::ConstantDataArray::get(
                         context, llvm::ArrayRef<uint32_t>(router.load)),
                     "dyn.load");
    return structure({text(router.key), text(router.label), text(router.cell),
                      text(router.fingerprint), i32(router.paths),
                      i32(static_cast<uint32_t>(router.after)), load});
  }

  llvm::Constant *program(const DeviceProgramDescription &program) {
    return structure({i32(program.device), i32(program.entries.size()),
                      i32(program.kernels.size()), i32(program.sites.size()),
                      i32(program.constants.size()), i32(program.images.size()),
                      array(program.entries, &Emitter::entry),
                      array(program.kernels, &Emitter::deviceKernel),
                      array(program.sites, &Emitter::site),
                      array(program.constants, &Emitter::constant),
                      array(program.images, &Emitter::image)});
  }
  llvm::Constant *number(const uint32_t &value) { return i32(value); }
  llvm::Constant *name(const std::string &value) { return text(value); }
  llvm::Constant *deviceKernel(const DeviceKernelDescription &kernel) {
    return structure(
        {text(kernel.name), text(kernel.kind), i32(kernel.buffers),
         i32(kernel.dims), i32(kernel.versions.size()), i32(0),
         array(kernel.versions, &Emitter::name), function(kernel.grid),
         kernel.gemm ? global(gemm(*kernel.gemm), "dyn.gemm") : null()});
  }
  llvm::Constant *gemm(const GemmDescription &gemm) {
    return structure({i32(gemm.left), i32(gemm.right), i32(gemm.result),
                      i32(gemm.bias), i32(gemm.addend), i32(gemm.factorDtype),
                      i32(gemm.resultDtype), i32(gemm.activation),
                      i32(gemm.leftTransposed), i32(gemm.rightTransposed),
                      i64(gemm.leastWork), size(gemm.batch), size(gemm.rows),
                      size(gemm.columns), size(gemm.depth)});
  }
  llvm::Constant *image(const ImageDescription &image) {
    uint64_t bytes = image.bytes.size();
    llvm::Constant *data = nullptr;
    if (image.kind == DYN_IMAGE_EMULATED) {
      llvm::Constant *magic =
          llvm::ConstantDataArray::getString(context, DYN_EMU_MAGIC);
      data = global(structure({magic, i64(image.kernels.size()),
                               array(image.kernels, &Emitter::emulatedKernel)}),
                    "dyn.emulated");
      bytes = sizeof(dyn_emu_image_t);
    } else {
      data = global(llvm::ConstantDataArray::get(
                        context, llvm::ArrayRef<uint8_t>(image.bytes)),
                    "dyn.image");
      // As fatbinary's own objects have it.
      llvm::cast<llvm::GlobalVariable>(data)->setAlignment(llvm::Align(8));
    }
    return structure(
        {i32(image.kind), i32(0), data, i64(bytes), text(image.chips)});
  }
  llvm::Constant *emulatedKernel(const EmulatedKernelDescription &kernel) {
    return structure({text(kernel.name), function(kernel.function),
                      i32(kernel.paramBytes), i32(kernel.sharedBytes),
                      i32(kernel.sites.size()), i32(0),
                      array(kernel.sites, &Emitter::emulatedSite)});
  }
  llvm::Constant *
  emulatedSite(const std::pair<std::string, std::string> &site) {
    return structure({text(site.first), text(site.second)});
  }

  /// A function of this artifact. Only its address matters here.
  llvm::Constant *function(llvm::StringRef name) {
    if (llvm::Function *known = module.getFunction(name))
      return known;
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto *declared = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, name, module);
    declared->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return declared;
  }

  /// const dyn_descriptor_t *dyn_artifact(uint32_t newest_version)
  void emitQuery(llvm::Constant *root) {
    auto *type = llvm::FunctionType::get(
        pointer, {llvm::Type::getInt32Ty(context)}, false);
    auto *query = llvm::Function::Create(
        type, llvm::GlobalValue::ExternalLinkage, DYN_ARTIFACT_SYMBOL, module);
    llvm::IRBuilder<> builder(
        llvm::BasicBlock::Create(context, "entry", query));
    llvm::Value *readable = builder.CreateICmpUGE(
        query->getArg(0), builder.getInt32(DYN_ARTIFACT_VERSION));
    builder.CreateRet(builder.CreateSelect(readable, root, null()));
  }

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::PointerType *pointer;
};

} // namespace

void dyn::emitDescriptor(llvm::Module &module,
                         const ArtifactDescription &description) {
  Emitter(module).emit(description);
}
