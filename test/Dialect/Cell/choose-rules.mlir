// What is chosen for a router, and the numbers that decide.
// RUN: dyn-opt %s -cell-choose-rules -verify-diagnostics=only-expected -mlir-print-local-scope | FileCheck %s
// RUN: dyn-opt %s -cell-choose-rules=threads=1 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: dyn-opt %s -cell-choose-rules=invariant=false 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: dyn-opt %s -cell-choose-rules=device 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: dyn-opt %s -cell-choose-rules=memory-limit=1000 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: dyn-opt %s -cell-choose-rules=memory-limit=1000000000 2>&1 | FileCheck %s --check-prefix=LARGE

// SINGLE: router 'slow': leave: not speculated: there is one thread;
// LIBRARY: router 'slow': leave: not speculated: a library computes other bits for other numbers of rows;
// A path that takes no longer than its launch, which the rest needs again; and one that leaves nothing idle.
// DEVICE: remark: on devices, router 'slow': leave: not speculated: {{.*}}again 3.0, 6.5 with the whole device busy
// DEVICE: remark: on devices, router 'busy': leave: not speculated: {{.*}}beside each other 47.7 and 44.7, again 3.0, 91.3 with the whole device busy
// SMALL: router 'slow': {{.*}}preloaded by majority (path 1), right for 97.7 %; {{[0-9]+}} bytes of its paths, {{[0-9]+}} bytes of weights, limit 1000
// SMALL: router 'spread': fuse: {{.*}}not preloaded: majority (path 0), right for 25.0 %
// LARGE: router 'slow': {{.*}}not preloaded: 20971520 bytes of weights, limit 1000000000

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1

// CHECK: module attributes {cell.rules = [{router = "slow", rule = "speculate", why = "speculated by majority (path 1)
// CHECK-SAME: {router = "busy", rule = "leave"
// CHECK-SAME: {router = "exit", rule = "speculate"
// CHECK-SAME: {router = "fast", rule = "leave"
// CHECK-SAME: {router = "spread", rule = "fuse"
// CHECK-SAME: {router = "capacity", rule = "fuse", why = "not speculated: it has a capacity; not preloaded: no memory limit"}
// CHECK-SAME: {router = "unknown", rule = "leave", why = "not speculated: no profile predicts it; not preloaded: no memory limit"}
// CHECK-SAME: {router = "unused", rule = "leave", why = "not speculated: its rows are not computed with; not preloaded: no memory limit"}

// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x1024xf32, #dhlo.dims<N>>, %s: tensor<?x48000xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) {
  %w = dhlo.weight <"w.bin", offset = 0, length = 4194304, key = "w"> : tensor<1024x1024xf32>
  %w4 = dhlo.weight <"w.bin", offset = 4194304, length = 16777216, key = "w4"> : tensor<4x1024x1024xf32>
  // A router that sorts the numbers of a row, on one thread, before a path of a layer, nearly always
  // the second one.
  // expected-remark @+2 {{router 'slow': speculate: speculated by majority (path 1), right for 97.7 %}}
  // CHECK: key = "slow"
  %0 = cell.route(%s) key = "slow" : (tensor<?x48000xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x48000xf32, #dhlo.dims<N>>):
    %c0, %c1 = dhlo.sort %c axis = 1 : tensor<?x48000xf32, #dhlo.dims<N>>, tensor<?x48000xi64, #dhlo.dims<N>>
    %a = dhlo.arg_reduce max %c0 axis = 1 : (tensor<?x48000xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %i = dhlo.reshape %a : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  // CHECK: } {cell.pays_from = {{[0-9]+}} : i64, cell.predictions = {{.*}} cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>, dhlo.load
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>],
     dhlo.load = #dhlo.load<rows = 1, shares = [24, 1000]>}
  cell.probe "slow" %0 : !cell.routes<@N, 2, @N>
  %r0 = cell.dispatch %x, %0 : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %y0 = cell.switch %0 counts [@K0, @K1] (%r0) : (!cell.routes<@N, 2, @N>, tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<?x1024xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x1024xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K1>>):
    %a0 = dhlo.dot_general %a, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1024xf32, #dhlo.dims<K1>>, tensor<1024x1024xf32>) -> tensor<?x1024xf32, #dhlo.dims<K1>>
    dhlo.yield %a0 : tensor<?x1024xf32, #dhlo.dims<K1>>
  }
  // The same paths behind layers, which keep both threads busy: nothing is gained.
  // expected-remark @+2 {{router 'busy': leave: not speculated: majority (path 1), right for 97.7 %}}
  // CHECK: key = "busy"
  %b = cell.route(%x, %w) key = "busy" : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<1024x1024xf32>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x1024xf32, #dhlo.dims<N>>, %g: tensor<1024x1024xf32>):
    %c0 = dhlo.dot_general %c, %g batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<1024x1024xf32>) -> tensor<?x1024xf32, #dhlo.dims<N>>
    %a = dhlo.arg_reduce max %c0 axis = 1 : (tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %i = dhlo.reshape %a : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  // CHECK-NOT: cell.speculate
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>],
     dhlo.load = #dhlo.load<rows = 256, shares = [24, 1000]>}
  cell.probe "busy" %b : !cell.routes<@N, 2, @N>
  %rb = cell.dispatch %x, %b : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %yb = cell.switch %b counts [@K0, @K1] (%rb) : (!cell.routes<@N, 2, @N>, tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<?x1024xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x1024xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K1>>):
    %a0 = dhlo.dot_general %a, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1024xf32, #dhlo.dims<K1>>, tensor<1024x1024xf32>) -> tensor<?x1024xf32, #dhlo.dims<K1>>
    dhlo.yield %a0 : tensor<?x1024xf32, #dhlo.dims<K1>>
  }
  // An exit: what is sorted is also what leaves, but the path that goes on does not wait for it.
  // expected-remark @+3 {{router 'exit': speculate: speculated by majority (path 1), right for 97.7 %}}
  // CHECK: key = "exit"
  %e0, %e1 = dhlo.sort %s axis = 1 : tensor<?x48000xf32, #dhlo.dims<N>>, tensor<?x48000xi64, #dhlo.dims<N>>
  %e = cell.route(%e0) key = "exit" : (tensor<?x48000xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x48000xf32, #dhlo.dims<N>>):
    %a = dhlo.arg_reduce max %c axis = 1 : (tensor<?x48000xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %i = dhlo.reshape %a : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  // CHECK: } {cell.pays_from = {{[0-9]+}} : i64, cell.predictions = {{.*}} cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>, dhlo.load
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>],
     dhlo.load = #dhlo.load<rows = 1, shares = [24, 1000]>}
  cell.probe "exit" %e : !cell.routes<@N, 2, @N>
  %re = cell.dispatch %e0, %e : (tensor<?x48000xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x48000xf32, #dhlo.dims<N>>
  %se = cell.dispatch %x, %e : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %ye = cell.switch %e counts [@K0, @K1] (%re, %se) : (!cell.routes<@N, 2, @N>, tensor<?x48000xf32, #dhlo.dims<N>>, tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<?x1024xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x48000xf32, #dhlo.dims<K0>>, %b0: tensor<?x1024xf32, #dhlo.dims<K0>>):
    %a0 = dhlo.slice %a starts = [0, 0] strides = [1, 1] : (tensor<?x48000xf32, #dhlo.dims<K0>>) -> tensor<?x1024xf32, #dhlo.dims<K0>>
    dhlo.yield %a0 : tensor<?x1024xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x48000xf32, #dhlo.dims<K1>>, %b0: tensor<?x1024xf32, #dhlo.dims<K1>>):
    %a0 = dhlo.dot_general %b0, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1024xf32, #dhlo.dims<K1>>, tensor<1024x1024xf32>) -> tensor<?x1024xf32, #dhlo.dims<K1>>
    dhlo.yield %a0 : tensor<?x1024xf32, #dhlo.dims<K1>>
  }
  // The same paths behind a router that takes no time: there is nothing to hide.
  // expected-remark @+2 {{router 'fast': leave: not speculated: majority (path 1), right for 97.7 %}}
  // CHECK: key = "fast"
  %1 = cell.route(%ids) key = "fast" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  // CHECK-NOT: cell.speculate
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>],
     dhlo.load = #dhlo.load<rows = 256, shares = [24, 1000]>}
  cell.probe "fast" %1 : !cell.routes<@N, 2, @N>
  %r1 = cell.dispatch %x, %1 : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %y1 = cell.switch %1 counts [@K0, @K1] (%r1) : (!cell.routes<@N, 2, @N>, tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<?x1024xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x1024xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x1024xf32, #dhlo.dims<K1>>):
    %a0 = dhlo.dot_general %a, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1024xf32, #dhlo.dims<K1>>, tensor<1024x1024xf32>) -> tensor<?x1024xf32, #dhlo.dims<K1>>
    dhlo.yield %a0 : tensor<?x1024xf32, #dhlo.dims<K1>>
  }
  // A mixture: the majority is a quarter of the rows.
  // expected-remark @+1 {{router 'spread': fuse: not speculated: majority (path 0), right for 25.0 %}}
  %2 = cell.route(%ids) key = "spread" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%c: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.predictions = [#cell.prediction<majority, share = 256, paths = [0]>],
     dhlo.load = #dhlo.load<rows = 256, shares = [256, 256, 256, 256]>}
  cell.probe "spread" %2 : !cell.routes<@N, 4, @N>
  %r2 = cell.dispatch %x, %2 : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %o2 = cell.offsets %2 : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %y2 = dhlo.grouped_dot %r2, %w4, %o2 : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<4x1024x1024xf32>, tensor<5xi64>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  // Nothing is said of routers without a profile.
  %3 = cell.route(%ids) capacity = <@N ceildiv 2> key = "capacity" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%c: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "capacity" %3 : !cell.routes<@N, 4, @N>
  %r3 = cell.dispatch %x, %3 : (tensor<?x1024xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %o3 = cell.offsets %3 : !cell.routes<@N, 4, @N> -> tensor<5xi64>
  %y3 = dhlo.grouped_dot %r3, %w4, %o3 : (tensor<?x1024xf32, #dhlo.dims<N>>, tensor<4x1024x1024xf32>, tensor<5xi64>) -> tensor<?x1024xf32, #dhlo.dims<N>>
  %4 = cell.route(%ids) key = "unknown" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%c: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "unknown" %4 : !cell.routes<@N, 4, @N>
  // expected-remark @+1 {{router 'unused': leave: not speculated: its rows are not computed with; not preloaded: no memory limit}}
  %5 = cell.route(%ids) key = "unused" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%c: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.predictions = [#cell.prediction<majority, share = 1024, paths = [0]>],
     dhlo.load = #dhlo.load<rows = 256, shares = [1024, 0, 0, 0]>}
  cell.probe "unused" %5 : !cell.routes<@N, 4, @N>
  return
}
