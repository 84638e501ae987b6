//===- Report.h - Reports of dyn-profile ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_PROFILE_REPORT_H
#define DYN_TOOLS_PROFILE_REPORT_H

#include "dyn/Profile/RouteProfile.h"

namespace dyn {

/// Prints each router as text: its load as a histogram, its `top` most frequent
/// pairs and transitions, and its drift from window to window.
void showProfile(llvm::raw_ostream &os, const RouteProfile &profile,
                 unsigned top);

/// Prints the distances between routers that two profiles have in common, and
/// returns the maximum. Routers that do not match are problems.
double diffProfiles(llvm::raw_ostream &os, const RouteProfile &before,
                    const RouteProfile &after, llvm::StringRef beforeName,
                    llvm::StringRef afterName, ProfileProblems &problems);

/// Draws an SVG image of each router: load, transitions and drift.
void plotProfile(llvm::raw_ostream &os, const RouteProfile &profile);

/// Prints, as JSON, the rank of each path of each router among so many ranks,
/// and the rows that then change rank in a mean call. `moveTime` is the time
/// that a row takes to another rank, over that on its path.
void placeProfile(llvm::raw_ostream &os, const RouteProfile &profile,
                  unsigned ranks, double moveTime);

} // namespace dyn

#endif // DYN_TOOLS_PROFILE_REPORT_H
