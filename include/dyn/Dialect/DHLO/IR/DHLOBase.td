//===- DHLOBase.td - The dhlo dialect and its type constraints ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_BASE
#define DYN_DHLO_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def DHLO_Dialect : Dialect {
  let name = "dhlo";
  let cppNamespace = "::dyn::dhlo";
  let summary = "tensors with symbolic sizes";
  let description = [{
    `dhlo` represents a model as importers produce it: a static-rank tensor
    program in value semantics whose sizes may be symbols.

    ```
      ONNX, PyTorch ...  ->  dhlo  ->  dlhlo (fusions, kernels, buffers)
    ```

    **Symbolic sizes.** Each dynamic size of a tensor type has a name, which is
    part of the type's encoding, one name per `?` in order:

    ```mlir
    dhlo.dim @B in [1, 64]
    dhlo.dim @S in [1, 512] likely [128]
    dhlo.dim @T = @B * @S
    func.func @main(%x: tensor<?x?x384xf32, #dhlo.dims<B, S>>)
        -> tensor<?x384xf32, #dhlo.dims<T>> {
      %0 = dhlo.reshape %x : (tensor<?x?x384xf32, #dhlo.dims<B, S>>)
          -> tensor<?x384xf32, #dhlo.dims<T>>
      return %0 : tensor<?x384xf32, #dhlo.dims<T>>
    }
    ```

    Types only contain names; every fact and expression is in a declaration
    (`dhlo.dim`), so a new fact never changes a type. Declarations are in the
    nearest symbol table: the module, or a kernel.

    A symbol gets its value exactly once. It is *defined* by an expression over
    other symbols, or *bound*: by the entry function's arguments, or by an
    operation with a data-dependent size (`dhlo.bind`, `dhlo.nonzero`,
    `dhlo.while`; interface `BindsDims`). A symbol may be used after the
    operation that binds it, in its region.

    **Sizes are attributes.** Slice bounds, pad widths and the like are size
    expressions over symbols, `[@S - 1, 3 * @B]`. Sizes that an exporter
    computed with small integer tensors become expressions; those that really
    depend on data enter through `dhlo.bind`. So no pass has to look through
    shape tensors.

    **Types.** Elements are f64, f32, f16, bf16, signless integers (read as
    signed), unsigned integers (`ui8`) and `i1` for booleans. Sizes of zero are
    legal. Broadcasting is explicit (`dhlo.broadcast`).

    **Data errors.** An index out of range, an integer division by zero and the
    like have a defined result and set the call's error word; operations that
    can do so are marked with `MayFail` and are not speculatable.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Name of the function argument and result attribute that holds the
    /// source model's name of an input or output.
    static constexpr llvm::StringLiteral kNameAttr = "dhlo.name";
    /// Unit attribute of the functions that hosts may call.
    static constexpr llvm::StringLiteral kEntryAttr = "dhlo.entry";
    /// Dictionary attribute of the module: metadata of the source model.
    static constexpr llvm::StringLiteral kMetadataAttr = "dhlo.metadata";
    /// LoadAttr of an operation on groups: their loads in a profile.
    static constexpr llvm::StringLiteral kLoadAttr = "dhlo.load";
    /// Unit attribute of an operation on groups whose weights are fetched when
    /// the groups are known.
    static constexpr llvm::StringLiteral kPreloadAttr = "dhlo.preload";
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let hasConstantMaterializer = 1;
}

//===----------------------------------------------------------------------===//
// Type constraints
//===----------------------------------------------------------------------===//

def DHLO_SInt : AnyTypeOf<[I8, I16, I32, I64], "signed integer">;
def DHLO_UInt : AnyTypeOf<[UI8, UI16, UI32, UI64], "unsigned integer">;
def DHLO_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "integer">;
def DHLO_Float : AnyTypeOf<[F16, BF16, F32, F64], "float">;
def DHLO_Number : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64,
                             F16, BF16, F32, F64], "number">;
def DHLO_Element : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64,
                              F16, BF16, F32, F64], "element">;

/// Every dynamic size has a name, see `#dhlo.dims`.
def DHLO_HasNamedSizes : CPred<[{
    ::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape() ||
    ::llvm::isa_and_nonnull<::dyn::dhlo::DimsAttr>(
        ::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())}]>;

class DHLO_TensorOf<list<Type> elements>
    : RankedTensorOf<elements, [DHLO_HasNamedSizes],
                     "ranked tensor with named dynamic sizes">;

def DHLO_Tensor : DHLO_TensorOf<[DHLO_Element]>;
def DHLO_NumberTensor : DHLO_TensorOf<[DHLO_Number]>;
def DHLO_FloatTensor : DHLO_TensorOf<[DHLO_Float]>;
def DHLO_WideFloatTensor : DHLO_TensorOf<[F32, F64]>;
def DHLO_IntTensor : DHLO_TensorOf<[DHLO_Int]>;
def DHLO_IntOrBoolTensor : DHLO_TensorOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def DHLO_BoolTensor : DHLO_TensorOf<[I1]>;
def DHLO_IndexTensor : DHLO_TensorOf<[I32, I64]>;
/// A boolean. Its type need not be written.
def DHLO_Condition : Type<0DTensorOf<[I1]>.predicate, "scalar boolean",
                          "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;

#endif // DYN_DHLO_BASE
