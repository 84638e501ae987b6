// RUN: dyn-opt %s -split-input-file -cell-speculate -verify-diagnostics | FileCheck %s

// Each reason why paths do not run before their router has chosen, beside a case where they do.


// A row of each path depends on its cell alone.
// CHECK-LABEL: func.func @plain(
// CHECK:         cell.select
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @plain(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{paths run by a prediction before this router has chosen: #cell.prediction<majority, share = 1000, paths = [1]>}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Kernels compute floats of 16 bits with 32, and round them where they end.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @narrow(%x: tensor<?x4xf16, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: 'dhlo.tanh' computes floats below 32 bits, whose bits depend on what is fused}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf16, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf16, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf16, #dhlo.dims<N>>) -> tensor<?x4xf16, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf16, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf16, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf16, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf16, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf16, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf16, #dhlo.dims<N>>
}

// -----

// Which rows a capacity drops is known last.
// CHECK-LABEL: func.func @capacity(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @capacity(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: which rows its capacity drops depends on all cells}}
  %r = cell.route(%ids) capacity = <3> : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Nothing to run.
// CHECK-LABEL: func.func @no_switch(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_switch(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: no switch runs paths by its routes}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %rows, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows that are no cells.
// CHECK-LABEL: func.func @no_dispatch(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_dispatch(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  // expected-remark @+2 {{paths do not run before their router has chosen}}
  // expected-note @+1 {{because of 'cell.switch': its rows are not dispatched from cells}}
  %y = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A path that computes rows from others.
// CHECK-LABEL: func.func @mixes(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @mixes(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @+1 {{because of 'dhlo.softmax': it mixes rows}}
    %0 = dhlo.softmax %a axis = 0 : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Or from their position.
// CHECK-LABEL: func.func @position(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @position(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @+1 {{because of 'dhlo.iota': it mixes rows}}
    %p = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x4xf32, #dhlo.dims<K1>>
    %0 = dhlo.add %a, %p : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A path that may fail on rows of others: an index of these.
// CHECK-LABEL: func.func @fails(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @fails(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @+1 {{because of 'dhlo.convert': it may fail on rows of other paths}}
    %i = dhlo.convert %a : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xi64, #dhlo.dims<K1>>
    %0 = dhlo.convert %i : (tensor<?x4xi64, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A branch on data.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @branch(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>, %p: tensor<i1>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @+1 {{because of 'dhlo.if': it has regions}}
    %0 = dhlo.if %p -> (tensor<?x4xf32, #dhlo.dims<K1>>) {
      dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
    } else {
      dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
    }
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A number of rows with declared facts.
// CHECK-LABEL: func.func @counted(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1 in [0, 7]
func.func @counted(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+2 {{paths do not run before their router has chosen}}
  // expected-note @+1 {{because of 'cell.switch': facts are declared of a path's number of rows}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The router of a prediction, which must be before.
// CHECK-LABEL: func.func @no_before(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_before(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: no router 'b' is always before it}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<after of "b", share = 9, paths = [1, 0]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Its number of paths.
// CHECK-LABEL: func.func @before_paths(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @before_paths(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %b = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "b" %b : !cell.routes<@N, 3, @N>
  // expected-remark @+1 {{no path runs before this router has chosen: the prediction is by 2 paths, and router 'b' has 3}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<after of "b", share = 9, paths = [1, 0]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Its cells.
// CHECK-LABEL: func.func @before_cells(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @before_cells(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>, %j: tensor<4x1xi64>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %b = cell.route(%j) : (tensor<4x1xi64>) -> !cell.routes<4, 2, 4> {
  ^bb0(%i: tensor<4x1xi64>):
    cell.choose %i : tensor<4x1xi64>
  }
  cell.probe "b" %b : !cell.routes<4, 2, 4>
  // expected-remark @+1 {{no path runs before this router has chosen: router 'b' has other cells}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<after of "b", share = 9, paths = [1, 0]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The router reads nothing that was computed from earlier cells.
// CHECK-LABEL: func.func @no_earlier(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @no_earlier(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: no earlier value of its cells is known}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<early, share = 9>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// A router that may fail where it would not.
// CHECK-LABEL: func.func @early_fails(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @early_fails(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{no path runs before this router has chosen: the router may fail on earlier values}}
  %r = cell.route(%x) : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<N>>):
    %v = dhlo.reduce max %a axes = [1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %j = dhlo.convert %v : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %i = dhlo.reshape %j : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<early, share = 9>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Routers inside of a path are followed: each row still depends on its cell alone.
// CHECK-LABEL: func.func @nested(
// CHECK:         cell.select
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
dhlo.dim @L1
func.func @nested(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{paths run by a prediction before this router has chosen: #cell.prediction<majority, share = 1000, paths = [1]>}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %s = cell.route(%a) : (tensor<?x4xf32, #dhlo.dims<K1>>) -> !cell.routes<@K1, 2, @K1> {
    ^bb0(%b: tensor<?x4xf32, #dhlo.dims<K1>>):
      %m = dhlo.reduce max %b axes = [1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?xf32, #dhlo.dims<K1>>
      %n = dhlo.slice %b starts = [0, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x2xf32, #dhlo.dims<K1>>
      %v = dhlo.arg_reduce max %n axis = 1 : (tensor<?x2xf32, #dhlo.dims<K1>>) -> tensor<?xi64, #dhlo.dims<K1>>
      %i = dhlo.reshape %v : (tensor<?xi64, #dhlo.dims<K1>>) -> tensor<?x1xi64, #dhlo.dims<K1>>
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %c = cell.dispatch %a, %s : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %d = cell.switch %s counts [@L0, @L1] (%c) : (!cell.routes<@K1, 2, @K1>, tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>> {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L0>>):
      %1 = dhlo.tanh %e : tensor<?x4xf32, #dhlo.dims<L0>>
      dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<L0>>
    }, {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L1>>):
      dhlo.yield %e : tensor<?x4xf32, #dhlo.dims<L1>>
    }
    %0 = cell.combine %d, %s last : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Rows of an inner router are not cells, even if they are as many.
// CHECK-LABEL: func.func @nested_order(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
dhlo.dim @L1
func.func @nested_order(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %s = cell.route(%a) : (tensor<?x4xf32, #dhlo.dims<K1>>) -> !cell.routes<@K1, 2, @K1> {
    ^bb0(%b: tensor<?x4xf32, #dhlo.dims<K1>>):
      %m = dhlo.reduce max %b axes = [1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?xf32, #dhlo.dims<K1>>
      %n = dhlo.slice %b starts = [0, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x2xf32, #dhlo.dims<K1>>
      %v = dhlo.arg_reduce max %n axis = 1 : (tensor<?x2xf32, #dhlo.dims<K1>>) -> tensor<?xi64, #dhlo.dims<K1>>
      %i = dhlo.reshape %v : (tensor<?xi64, #dhlo.dims<K1>>) -> tensor<?x1xi64, #dhlo.dims<K1>>
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %c = cell.dispatch %a, %s : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %d = cell.switch %s counts [@L0, @L1] (%c) : (!cell.routes<@K1, 2, @K1>, tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>> {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L0>>):
      %1 = dhlo.tanh %e : tensor<?x4xf32, #dhlo.dims<L0>>
      dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<L0>>
    }, {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L1>>):
      dhlo.yield %e : tensor<?x4xf32, #dhlo.dims<L1>>
    }
    %f = cell.combine %d, %s last : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    // expected-note @+1 {{because of 'dhlo.add': it reads rows of another router}}
    %0 = dhlo.add %f, %d : tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// An inner capacity depends on all rows.
// CHECK-LABEL: func.func @nested_capacity(
// CHECK-NOT:     cell.select
// CHECK:         return
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
dhlo.dim @L1
func.func @nested_capacity(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-remark @+1 {{paths do not run before their router has chosen}}
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    // expected-note @+1 {{because of 'cell.route': it has a capacity}}
    %s = cell.route(%a) capacity = <1> : (tensor<?x4xf32, #dhlo.dims<K1>>) -> !cell.routes<@K1, 2, @K1> {
    ^bb0(%b: tensor<?x4xf32, #dhlo.dims<K1>>):
      %m = dhlo.reduce max %b axes = [1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?xf32, #dhlo.dims<K1>>
      %n = dhlo.slice %b starts = [0, 0] strides = [1, 1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x2xf32, #dhlo.dims<K1>>
      %v = dhlo.arg_reduce max %n axis = 1 : (tensor<?x2xf32, #dhlo.dims<K1>>) -> tensor<?xi64, #dhlo.dims<K1>>
      %i = dhlo.reshape %v : (tensor<?xi64, #dhlo.dims<K1>>) -> tensor<?x1xi64, #dhlo.dims<K1>>
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %c = cell.dispatch %a, %s : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %d = cell.switch %s counts [@L0, @L1] (%c) : (!cell.routes<@K1, 2, @K1>, tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>> {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L0>>):
      %1 = dhlo.tanh %e : tensor<?x4xf32, #dhlo.dims<L0>>
      dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<L0>>
    }, {
    ^bb0(%e: tensor<?x4xf32, #dhlo.dims<L1>>):
      dhlo.yield %e : tensor<?x4xf32, #dhlo.dims<L1>>
    }
    %0 = cell.combine %d, %s last : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 2, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Routers inside of a path that choose among constants, none included, do not fail on other rows.
// CHECK-LABEL: func.func @nested_constants(
// CHECK:         cell.select
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @L0
func.func @nested_constants(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  // expected-remark @+1 {{paths run by a prediction before this router has chosen: #cell.prediction<majority, share = 1000, paths = [1]>}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    %s = cell.route(%a) : (tensor<?x4xf32, #dhlo.dims<K1>>) -> !cell.routes<@K1, 1, @K1> {
    ^bb0(%b: tensor<?x4xf32, #dhlo.dims<K1>>):
      %m = dhlo.reduce max %b axes = [1] : (tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?xf32, #dhlo.dims<K1>>
      %p = dhlo.compare ge %m, %m : tensor<?xf32, #dhlo.dims<K1>> -> tensor<?xi1, #dhlo.dims<K1>>
      %c0 = dhlo.constant dense<0> : tensor<i64>
      %c1 = dhlo.constant dense<-1> : tensor<i64>
      %b0 = dhlo.broadcast %c0 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<K1>>
      %b1 = dhlo.broadcast %c1 axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<K1>>
      %w = dhlo.select %p, %b0, %b1 : tensor<?xi1, #dhlo.dims<K1>>, tensor<?xi64, #dhlo.dims<K1>>
      %i = dhlo.reshape %w : (tensor<?xi64, #dhlo.dims<K1>>) -> tensor<?x1xi64, #dhlo.dims<K1>>
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K1>>
    }
    %b = cell.dispatch %a, %s : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 1, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    %z = cell.switch %s counts [@L0] (%b) : (!cell.routes<@K1, 1, @K1>, tensor<?x4xf32, #dhlo.dims<K1>>) -> tensor<?x4xf32, #dhlo.dims<K1>> {
    ^bb0(%d: tensor<?x4xf32, #dhlo.dims<L0>>):
      %0 = dhlo.tanh %d : tensor<?x4xf32, #dhlo.dims<L0>>
      dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<L0>>
    }
    %1 = cell.combine %z, %s last : (tensor<?x4xf32, #dhlo.dims<K1>>, !cell.routes<@K1, 1, @K1>) -> tensor<?x4xf32, #dhlo.dims<K1>>
    dhlo.yield %1 : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}
