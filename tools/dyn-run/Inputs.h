//===- Inputs.h - Inputs from the command line ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_INPUTS_H
#define DYN_TOOLS_RUN_INPUTS_H

#include "Program.h"

namespace dyn::run {

/// Makes the inputs of a program, in its order.
///
/// `specs` are NAME=FILE.npy, NAME=random:2x3 or NAME=random:2x3:LO:HI;
/// `archive` is a .npz file or empty; a spec overrides the archive. A scalar's
/// shape is empty: NAME=random: alone.
///
/// Random floats are normal, or uniform in [LO, HI); integers and booleans are
/// uniform in [LO, HI), by default [0, 2), which is legal for a mask and for an
/// index of most tables. They depend on `seed` and the input's name. It is an
/// error unless LO < HI and the range is of finite numbers of the port's type.
///
/// Files whose elements do not have the port's type are converted from floats
/// to a float or from integers to an integer; the runtime checks the rest.
llvm::Expected<std::vector<Tensor>>
makeInputs(llvm::ArrayRef<PortDescription> ports,
           llvm::ArrayRef<std::string> specs, llvm::StringRef archive,
           uint64_t seed);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_INPUTS_H
