//===- SingleSchedules.h - Schedules of single operations -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_SINGLE_SINGLESCHEDULES_H
#define DYN_LIB_CODEGEN_CPU_SINGLE_SINGLESCHEDULES_H

#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Problems/SingleOperation.h"

namespace dyn {

/// sort and top_k: a segment along the axis is an item.
std::unique_ptr<Schedule> createSortSchedule(mlir::Operation *op);
/// top_k of a few elements: a segment is an item.
std::unique_ptr<Schedule> createSelectionSchedule(dhlo::TopKOp op);
/// top_k of a few elements, and sort of few: adjacent segments are vectors.
std::unique_ptr<Schedule> createColumnSelectionSchedule(mlir::Operation *op);
/// cumulative: a vector of adjacent segments is an item.
std::unique_ptr<Schedule> createCumulativeSchedule(dhlo::CumulativeOp op);
/// scatter_nd and scatter_elements.
std::unique_ptr<Schedule> createScatterSchedule(mlir::Operation *op);
/// lstm: a few rows of the batch in one direction are an item.
std::unique_ptr<Schedule> createLstmSchedule(dhlo::LstmOp op);

/// find_nonzero: a run of elements is an item.
std::unique_ptr<Schedule> createNonzeroSchedule(dlhlo::FindNonzeroOp op);

/// group: one item.
std::unique_ptr<Schedule> createGroupSchedule(dhlo::GroupOp op);

/// suppress: a list is an item.
std::unique_ptr<Schedule> createSuppressSchedule(dhlo::SuppressOp op);

/// fft: a row is an item, or 16 columns.
std::unique_ptr<Schedule> createFourierSchedule(dhlo::FftOp op);

/// Whether the operand and the result are the kernel's own; others are loops at
/// each element.
bool hasWindowSchedule(dhlo::ReduceWindowOp op);
std::unique_ptr<Schedule> createWindowSchedule(dhlo::ReduceWindowOp op);

/// The same for a resize that changes an axis.
bool hasResizeSchedule(dhlo::ResizeOp op, const SymbolicDims &dims);
std::unique_ptr<Schedule> createResizeSchedule(dhlo::ResizeOp op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SINGLE_SINGLESCHEDULES_H
