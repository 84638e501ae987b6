// What a profile says of routers beside their loads, and files that are no profile.
// RUN: split-file %s %t
// RUN: dyn-opt %t/model.mlir -cell-apply-profile=file=%t/counts.json 2>%t.log | FileCheck %t/model.mlir
// RUN: FileCheck %t/model.mlir --check-prefix=SAYS < %t.log
// RUN: dyn-opt %t/model.mlir -cell-apply-profile=file=%t/raw.json 2>&1 | FileCheck %t/model.mlir --check-prefix=RAW
// RUN: not dyn-opt %t/model.mlir -cell-apply-profile=file=%t/version.json 2>&1 | FileCheck %t/model.mlir --check-prefix=VERSION
// RUN: not dyn-opt %t/model.mlir -cell-apply-profile=file=%t/none.json 2>&1 | FileCheck %t/model.mlir --check-prefix=NONE
// RUN: not dyn-opt %t/model.mlir -cell-apply-profile=file=%t/text.json 2>&1 | FileCheck %t/model.mlir --check-prefix=TEXT

//--- model.mlir
// VERSION: error: {{.*}}version.json: expected a profile of version 1, found 2
// NONE: error: {{.*}}none.json: not a profile: expected an array 'routers'
// TEXT: error: {{.*}}text.json: not a profile:

// Decisions that were logged one by one count as well.
// RAW: remark: router 'plain': 3 rows of 1 calls
// RAW: {{\{.*}}dhlo.load = #dhlo.load<rows = 3, shares = [341, 683, 0]>}

// A key that is found twice is used once, with the first counts.
// SAYS: warning: {{.*}}counts.json: router 'plain': found twice
// SAYS: warning: {{.*}}counts.json: router 'order': window 1: expected a time after that of the window before

dhlo.dim @N

// CHECK-LABEL: func.func @main(
func.func @main(%n: tensor<?x1xi64, #dhlo.dims<N>>, %given: !cell.routes<@N, 3, @N>) {
  // Neither has a fingerprint. The largest remainder gets a 1024th, of equal ones the first;
  // a mean call has 3.5 rows.
  // SAYS: remark: router 'plain': 7 rows of 2 calls
  // CHECK: {{\{.*}}dhlo.load = #dhlo.load<rows = 4, shares = [439, 439, 146]>}
  %0 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "plain" %0 : !cell.routes<@N, 3, @N>
  // Which router came before, and transitions from it, may have changed.
  // SAYS: remark: router 'moved': 4 rows of 1 calls
  // CHECK: {{\{.*}}dhlo.load = #dhlo.load<rows = 4, shares = [1024, 0, 0]>}
  %1 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "moved" %1 {after = "plain", fingerprint = "aa"} : !cell.routes<@N, 3, @N>
  // A fingerprint on one side alone is another one.
  // SAYS: warning: router 'unsigned' of the profile is refused: fingerprint: 'aa' in the program, '' in
  // SAYS: warning: router 'signed' of the profile is refused: fingerprint: '' in the program, 'aa' in
  // CHECK-NOT: dhlo.load
  %2 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "unsigned" %2 {fingerprint = "aa"} : !cell.routes<@N, 3, @N>
  cell.probe "signed" %2 : !cell.routes<@N, 3, @N>
  // Rows of no calls are not counts of anything.
  // SAYS: remark: router 'idle': no rows in the profile
  cell.probe "idle" %2 : !cell.routes<@N, 3, @N>
  // Routes from elsewhere have no router here, and what the profile has for them is no surprise.
  cell.probe "given" %given : !cell.routes<@N, 3, @N>
  // SAYS-NOT: router 'given'
  // SAYS: warning: {{.*}}counts.json: router 'gone': the program has none
  return
}

//--- counts.json
{"dyn_profile": 1, "lost": 3, "unknown": [], "routers": [
  {"key": "plain", "paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 2, "cells": 7, "dropped": 0, "hottest": 3, "load": [3,3,1]}]},
  {"key": "plain", "paths": 3, "window_ms": 1000, "windows": []},
  {"key": "order", "paths": 3, "window_ms": 1000, "windows": [
    {"at": 2, "calls": 1, "cells": 1, "dropped": 0, "hottest": 1, "load": [1,0,0]},
    {"at": 2, "calls": 1, "cells": 1, "dropped": 0, "hottest": 1, "load": [1,0,0]}]},
  {"key": "moved", "paths": 3, "fingerprint": "aa", "after": "gone", "after_paths": 2, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 5, "dropped": 1, "hottest": 4, "load": [4,0,0], "transitions": [[1,0,4]]}]},
  {"key": "unsigned", "paths": 3, "window_ms": 1000, "windows": []},
  {"key": "signed", "paths": 3, "fingerprint": "aa", "window_ms": 1000, "windows": []},
  {"key": "idle", "paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 0, "cells": 0, "dropped": 0, "hottest": 0, "load": [2,0,0]}]},
  {"key": "given", "paths": 3, "window_ms": 1000, "windows": []},
  {"key": "gone", "paths": 2, "window_ms": 1000, "windows": []}]}
//--- raw.json
{"dyn_profile_raw":1}
{"router":0,"paths":3,"key":"plain"}
{"router":0,"ms":1767225600123,"call":0,"choices":1,"chosen":[0,1,1]}
//--- version.json
{"dyn_profile": 2, "routers": []}
//--- none.json
{"dyn_profile": 1}
//--- text.json
{"dyn_profile": 1,
