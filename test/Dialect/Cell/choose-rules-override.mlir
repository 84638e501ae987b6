// Rules of users, and what they get wrong.
// RUN: split-file %s %t
// RUN: dyn-opt %t/model.mlir -cell-choose-rules=rules='b=speculate:after:1:0,b=preload:majority:2,*=speculate:majority:0' 2>%t.log | FileCheck %t/model.mlir
// RUN: FileCheck %t/model.mlir --check-prefix=SAYS < %t.log
// RUN: dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:early,*=leave' 2>/dev/null | FileCheck %t/model.mlir --check-prefix=EARLY
// RUN: dyn-opt %t/model.mlir -cell-choose-rules=rules='a=preload,*=fuse' 2>/dev/null | FileCheck %t/model.mlir --check-prefix=BEST
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a' 2>&1 | FileCheck %t/model.mlir --check-prefix=FORM
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=guess' 2>&1 | FileCheck %t/model.mlir --check-prefix=ACTION
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:often' 2>&1 | FileCheck %t/model.mlir --check-prefix=KIND
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=leave:majority' 2>&1 | FileCheck %t/model.mlir --check-prefix=NONE
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:majority:x' 2>&1 | FileCheck %t/model.mlir --check-prefix=NUMBER
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:early:1' 2>&1 | FileCheck %t/model.mlir --check-prefix=ALONE
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='d=leave' 2>&1 | FileCheck %t/model.mlir --check-prefix=KEY
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:majority:2' 2>&1 | FileCheck %t/model.mlir --check-prefix=PATH
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='a=speculate:after:1' 2>&1 | FileCheck %t/model.mlir --check-prefix=BEFORE
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='b=speculate:after:1' 2>&1 | FileCheck %t/model.mlir --check-prefix=TABLE
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='b=speculate' 2>&1 | FileCheck %t/model.mlir --check-prefix=PROFILE
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules=rules='c=speculate:majority:0' 2>&1 | FileCheck %t/model.mlir --check-prefix=CAPACITY
// RUN: not dyn-opt %t/model.mlir -cell-choose-rules='rules=a=speculate:majority:0 invariant=false' 2>&1 | FileCheck %t/model.mlir --check-prefix=LIBRARY
// RUN: not dyn-opt %t/empty.mlir -cell-choose-rules=rules='a=leave' 2>&1 | FileCheck %t/model.mlir --check-prefix=EMPTY

//--- empty.mlir
//--- model.mlir
// FORM: error: rules of routes: expected KEY=ACTION, found 'a'
// ACTION: error: rules of routes: expected fuse, speculate, preload or leave, found 'guess'
// KIND: error: rules of routes: expected majority, after or early, found 'often'
// NONE: error: rules of routes: expected no prediction after leave, found 'majority'
// NUMBER: error: rules of routes: expected the number of a path, found 'x'
// ALONE: error: rules of routes: expected no paths of an early prediction, found '1'
// KEY: error: rules of routes: there is no router 'd'; there are 'a', 'b', 'c'
// PATH: error: rules of routes: router 'a': expected a path below 2, found 2
// BEFORE: error: rules of routes: router 'a': no router before it chooses one path of each of its cells, as it does
// TABLE: error: rules of routes: router 'b': expected a path for each of 2 of 'a', found 1
// PROFILE: error: rules of routes: router 'b': there is no such prediction in a profile
// CAPACITY: error: rules of routes: router 'c': it has a capacity, so its choices are not predicted
// LIBRARY: error: rules of routes: router 'a': a library computes other bits for other numbers of rows, so it is not speculated
// EMPTY: error: rules of routes: there is no router 'a'; the program has none

dhlo.dim @N
func.func @main(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  // SAYS: remark: router 'a': speculate: by a rule: majority (path 0), right for 50.0 %
  // CHECK: key = "a"
  // CHECK: cell.speculate = #cell.prediction<majority, share = 512, paths = [0]>
  // EARLY: cell.speculate = #cell.prediction<early, share = 1024>
  // EARLY-NOT: cell.speculate =
  // BEST: cell.preload = #cell.prediction<majority, share = 1000, paths = [1]>
  // BEST-NOT: cell.preload =
  %0 = cell.route(%n) key = "a" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>]}
  cell.probe "a" %0 : !cell.routes<@N, 2, @N>
  // SAYS: remark: router 'b': speculate, preload: by a rule: after 'a', right for {{.*}}: majority (path 2), right for
  // CHECK: key = "b"
  // CHECK: cell.preload = #cell.prediction<majority, share = 341, paths = [2]>, cell.speculate = #cell.prediction<after of "a", share = 341, paths = [1, 0]>
  %1 = cell.route(%n) key = "b" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "b" %1 {after = "a"} : !cell.routes<@N, 3, @N>
  // SAYS: remark: router 'c': leave: by a rule that does not apply: it has a capacity, so its choices are not predicted
  // CHECK: key = "c"
  // CHECK-NOT: cell.speculate
  %2 = cell.route(%n) capacity = <@N ceildiv 2> key = "c" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "c" %2 : !cell.routes<@N, 3, @N>
  return
}
