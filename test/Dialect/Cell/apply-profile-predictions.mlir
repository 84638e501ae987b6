// What a profile predicts, and what it does not.
// RUN: split-file %s %t
// RUN: dyn-opt %t/model.mlir -cell-apply-profile=file=%t/counts.json 2>/dev/null | FileCheck %t/model.mlir

//--- model.mlir
dhlo.dim @N
dhlo.dim @N2 = 2 * @N
dhlo.dim @N3 = 3 * @N

func.func @main(%n: tensor<?x1xi64, #dhlo.dims<N>>, %n2: tensor<?x2xi64, #dhlo.dims<N>>, %m: tensor<?x3xi1, #dhlo.dims<N>>) {
  // CHECK: key = "first"
  // CHECK: {cell.predictions = [#cell.prediction<majority, share = 682, paths = [1]>], dhlo.load
  %0 = cell.route(%n) key = "first" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "first" %0 : !cell.routes<@N, 3, @N>

  // From path 0 most cells go to path 1, from path 1 to path 0, from path 2 none came: that is
  // followed by the path of most rows. Half of the cells follow, more than are on one path.
  // CHECK: key = "second"
  // CHECK: [#cell.prediction<majority, share = 426, paths = [3]>, #cell.prediction<after of "first", share = 512, paths = [1, 0, 3]>]
  %1 = cell.route(%n) key = "second" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "second" %1 {after = "first"} : !cell.routes<@N, 4, @N>

  // Two paths a cell: two are predicted, and transitions do not say which.
  // CHECK: key = "pairs"
  // CHECK: [#cell.prediction<majority, share = 819, paths = [0, 2]>], dhlo.load
  %2 = cell.route(%n2) key = "pairs" : (tensor<?x2xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N2> {
  ^bb0(%a: tensor<?x2xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x2xi64, #dhlo.dims<N>>
  }
  cell.probe "pairs" %2 {after = "second"} : !cell.routes<@N, 3, @N2>

  // A mask: as many paths as a cell has on average, if it has any. Half of the cells have none.
  // CHECK: key = "mask"
  // CHECK: [#cell.prediction<majority, share = 512, paths = [1, 2]>], dhlo.load
  %3 = cell.route(%m) key = "mask" : (tensor<?x3xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N3> {
  ^bb0(%a: tensor<?x3xi1, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x3xi1, #dhlo.dims<N>>
  }
  cell.probe "mask" %3 : !cell.routes<@N, 3, @N3>

  // One path: what is right is that a cell takes it.
  // CHECK: key = "door"
  // CHECK: [#cell.prediction<majority, share = 256, paths = [0]>], dhlo.load
  %4 = cell.route(%n) key = "door" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 1, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "door" %4 {after = "first"} : !cell.routes<@N, 1, @N>

  // Which cells a capacity drops depends on all of them.
  // CHECK: key = "capacity"
  // CHECK-NOT: cell.predictions
  %5 = cell.route(%n) capacity = <@N ceildiv 2> key = "capacity" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "capacity" %5 {after = "first"} : !cell.routes<@N, 3, @N>

  // Transitions from another router, or one with other paths.
  // CHECK: key = "moved"
  // CHECK: [#cell.prediction<majority, share = 1024, paths = [0]>], dhlo.load
  %6 = cell.route(%n) key = "moved" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "moved" %6 {after = "second"} : !cell.routes<@N, 3, @N>
  // CHECK: key = "grown"
  // CHECK: [#cell.prediction<majority, share = 1024, paths = [0]>], dhlo.load
  %7 = cell.route(%n) key = "grown" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "grown" %7 {after = "first"} : !cell.routes<@N, 3, @N>
  return
}

//--- counts.json
{"dyn_profile": 1, "lost": 0, "routers": [
  {"key": "first", "paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 2, "cells": 12, "dropped": 0, "hottest": 8, "load": [4,8,0]}]},
  {"key": "second", "paths": 4, "after": "first", "after_paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 2, "cells": 12, "dropped": 0, "hottest": 6, "load": [3,3,1,5],
     "transitions": [[0,1,3],[0,3,1],[1,0,3],[1,2,1],[1,3,3]]}]},
  {"key": "pairs", "paths": 3, "after": "second", "after_paths": 4, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 5, "dropped": 0, "hottest": 4, "load": [4,2,4], "pairs": [[0,2,5]],
     "transitions": [[0,0,10]]}]},
  {"key": "mask", "paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 8, "dropped": 4, "hottest": 4, "load": [0,4,4], "pairs": [[1,2,4]]}]},
  {"key": "door", "paths": 1, "after": "first", "after_paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 8, "dropped": 6, "hottest": 2, "load": [2], "transitions": [[0,0,2]]}]},
  {"key": "capacity", "paths": 3, "after": "first", "after_paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 8, "dropped": 0, "hottest": 8, "load": [8,0,0], "transitions": [[0,0,8]]}]},
  {"key": "moved", "paths": 3, "after": "first", "after_paths": 3, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 8, "dropped": 0, "hottest": 8, "load": [8,0,0], "transitions": [[0,0,8]]}]},
  {"key": "grown", "paths": 3, "after": "first", "after_paths": 2, "window_ms": 1000, "windows": [
    {"at": 1, "calls": 1, "cells": 8, "dropped": 0, "hottest": 8, "load": [8,0,0], "transitions": [[0,0,8]]}]}]}
