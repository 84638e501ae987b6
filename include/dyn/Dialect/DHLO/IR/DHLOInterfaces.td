//===- DHLOInterfaces.td - Interfaces of dhlo -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_INTERFACES
#define DYN_DHLO_INTERFACES

include "mlir/IR/OpBase.td"

def DHLO_BindsDims : OpInterface<"BindsDims"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    An operation that binds size symbols to values from data. The symbols may be
    used after it, in its block and nested regions. Such an operation ends a
    segment: sizes that depend on its symbols are unknown before it.
  }];
  let methods = [
    InterfaceMethod<"Symbols that get their value here.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getBoundDims">,
    InterfaceMethod<"Symbols that get a value each time that a region is entered; "
                    "they may be used in the regions.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getRegionDims", (ins), [{}], [{
        return {};
      }]>
  ];
}

def DHLO_InfersSizes : OpInterface<"InfersSizes"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    An operation whose operands and attributes determine sizes of its results.
    The rules are in `Inference.h`, for code that creates operations; the
    verifier compares constants, and `dhlo-verify-dims` uses all facts.
  }];
  let methods = [
    InterfaceMethod<"Sizes of each result; null where the result's type decides. "
                    "Called on operations that satisfy their other constraints.",
      "::llvm::SmallVector<::llvm::SmallVector<::dyn::dhlo::DimExpr>>",
      "inferSizes">
  ];
}

def DHLO_MapsIndices : OpInterface<"MapsIndices"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    An operation that says which elements of its operands an element of its
    first result is computed from. Analyses of cells and rows, iteration spaces
    and slices ask `getIndexingMap` of `IndexingMap.h`, which knows elementwise
    operations, too.
  }];
  let methods = [
    InterfaceMethod<"The index on each axis of a tensor operand.",
      "::dyn::dhlo::IndexingMap", "getIndexingMap", (ins "unsigned":$operand)>
  ];
}

def DHLO_PermutesAxes : OpInterface<"PermutesAxes"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    An operation that does the same to tensors whose axes are in another order:
    only the attributes that speak of axes differ. Passes on layouts move
    transposes over such operations, and over elementwise ones.
  }];
  let methods = [
    InterfaceMethod<"Changes the attributes so that axis i of the tensors is what "
                    "axis `permutation[i]` was. Types are left to the caller.",
      "void", "permuteAxes", (ins "::llvm::ArrayRef<int64_t>":$permutation)>
  ];
}

def DHLO_NormalizesRows : OpInterface<"NormalizesRows"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    An operation that normalises rows of its first operand: each element of the
    result depends on all elements of its row.
  }];
  let methods = [
    InterfaceMethod<"The only axis, or the first one, along which the elements of "
                    "a row lie.",
      "uint64_t", "getAxis">
  ];
}

def DHLO_Convolves : OpInterface<"Convolves"> {
  let cppNamespace = "::dyn::dhlo";
  let description = [{
    A convolution, with one filter for all images or one for each group of
    images. Methods without a description are those of the operations;
    `ConvolutionAxes.h` has the axes of the tensors.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::TypedValue<::mlir::RankedTensorType>",
      "getInput">,
    InterfaceMethod<"", "::mlir::TypedValue<::mlir::RankedTensorType>",
      "getFilter">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getFilterMutable">,
    InterfaceMethod<"", "::mlir::TypedValue<::mlir::RankedTensorType>",
      "getResult">,
    InterfaceMethod<"", "::dyn::dhlo::Layout", "getLayout">,
    InterfaceMethod<"", "void", "setLayout", (ins "::dyn::dhlo::Layout":$layout)>,
    InterfaceMethod<"", "::llvm::ArrayRef<int64_t>", "getStrides">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getLow">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getHigh">,
    InterfaceMethod<"", "::llvm::ArrayRef<int64_t>", "getInputDilation">,
    InterfaceMethod<"", "::llvm::ArrayRef<int64_t>", "getFilterDilation">,
    InterfaceMethod<"", "int64_t", "getGroups">,
    InterfaceMethod<"Where groups of images begin and end, each with a filter "
                    "along the first axis of the operand; null if one filter is "
                    "for all images.",
      "::mlir::Value", "getImageOffsets", (ins), [{}], [{
        return {};
      }]>
  ];
  let extraClassDeclaration = [{
    /// The result's type.
    ::mlir::RankedTensorType getType() { return getResult().getType(); }
  }];
}

/// Marks operations that compute each result element from the operand
/// elements at the same index: all operands and results have the same sizes.
def DHLO_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations that can set the error word for some data.
def DHLO_MayFail : NativeOpTrait<"MayFail"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks elementwise operations whose elements take at least the time of a
/// division, so that it may be better to load them than to compute them again
/// for each user.
def DHLO_Expensive : NativeOpTrait<"Expensive"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks those of the expensive operations whose elements take the time of
/// several divisions, and that are frequent in models: schedules divide the
/// work of a kernel by it.
def DHLO_Transcendental : NativeOpTrait<"Transcendental"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations that only move elements: each element of the result is an
/// element of an operand.
def DHLO_Movement : NativeOpTrait<"Movement"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks movements all of whose elements are those of one operand, the only
/// one.
def DHLO_MovesOneOperand : NativeOpTrait<"MovesOneOperand"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations whose elements are those of the first operand that the
/// indices in the second one choose.
def DHLO_Gathers : NativeOpTrait<"Gathers"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations whose elements are functions of attributes, sizes and their
/// index alone: no memory, file or seed is read.
def DHLO_Generated : NativeOpTrait<"Generated"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations each of whose elements combines several elements of the
/// first operand into one.
def DHLO_Reduction : NativeOpTrait<"Reduction"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations that process each segment of the first operand, the
/// elements along one axis, as a whole and in order.
def DHLO_AlongSegments : NativeOpTrait<"AlongSegments"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks sums of products over axes of the first two operands.
def DHLO_Contraction : NativeOpTrait<"Contraction"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks the four operations of arithmetic on two operands.
def DHLO_Arithmetic : NativeOpTrait<"Arithmetic"> {
  let cppNamespace = "::dyn::dhlo";
}

/// Marks operations on floats whose elements are integers.
def DHLO_Rounding : NativeOpTrait<"Rounding"> {
  let cppNamespace = "::dyn::dhlo";
}

#endif // DYN_DHLO_INTERFACES
