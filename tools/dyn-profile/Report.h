//===- Report.h - What dyn-profile says of profiles -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_PROFILE_REPORT_H
#define DYN_TOOLS_PROFILE_REPORT_H

#include "dyn/Profile/RouteProfile.h"

namespace dyn {

/// Prints each router in words: its load as a histogram, its `top` most
/// frequent pairs and transitions, and how it drifts from window to window.
void showProfile(llvm::raw_ostream &os, const RouteProfile &profile,
                 unsigned top);

/// Prints how far routers are apart that two profiles have in common, and
/// returns the most of it. Routers that do not match are problems.
double diffProfiles(llvm::raw_ostream &os, const RouteProfile &before,
                    const RouteProfile &after, llvm::StringRef beforeName,
                    llvm::StringRef afterName, ProfileProblems &problems);

/// Draws each router as a picture in SVG: load, transitions and drift.
void plotProfile(llvm::raw_ostream &os, const RouteProfile &profile);

} // namespace dyn

#endif // DYN_TOOLS_PROFILE_REPORT_H
