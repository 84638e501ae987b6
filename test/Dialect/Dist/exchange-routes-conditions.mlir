// RUN: dyn-opt %s --split-input-file --dist-exchange-routes --verify-diagnostics | FileCheck %s

// Paths stay on all ranks where more than the rows of single paths is read.
// CHECK-NOT: dist.placement
// CHECK-NOT: dist.exchange_start

dhlo.dim @N
func.func @region(%p: tensor<i1>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<3xi64>
    attributes {dist.part = #dist.part<"region", rank = 0, ranks = 2>} {
  %y = dhlo.if %p -> (tensor<3xi64>) {
    // expected-remark @+1 {{paths stay on all ranks: the router is in a region}}
    %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
    ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
    } {dist.placement = array<i64: 0, 1>}
    %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
    dhlo.yield %o : tensor<3xi64>
  } else {
    %z = dhlo.constant dense<0> : tensor<3xi64>
    dhlo.yield %z : tensor<3xi64>
  }
  return %y : tensor<3xi64>
}

// -----

dhlo.dim @N
func.func @used_in_region(%p: tensor<i1>, %x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it is in a region}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = dhlo.if %p -> (tensor<?x4xf32, #dhlo.dims<N>>) {
    // expected-note @+1 {{at this 'cell.combine'}}
    %c = cell.combine %rows, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
    dhlo.yield %c : tensor<?x4xf32, #dhlo.dims<N>>
  } else {
    dhlo.yield %x : tensor<?x4xf32, #dhlo.dims<N>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @selected(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it reads the routes}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  // expected-note @+1 {{at this 'cell.select'}}
  %s = cell.select %r from(%r) rows(%x) : (!cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %s : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @offsets(%ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<3xi64>
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it reads where rows of paths are}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %o = cell.offsets %r : !cell.routes<@N, 2, @N> -> tensor<3xi64>
  // expected-note @+1 {{at this 'dhlo.neg'}}
  %y = dhlo.neg %o : tensor<3xi64>
  return %y : tensor<3xi64>
}

// -----

dhlo.dim @N
func.func @combined(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it combines other rows than those of cells}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  // expected-note @+1 {{at this 'cell.combine'}}
  %y = cell.combine %x, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
func.func @switched(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it takes other rows than those of cells}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  // expected-note @+1 {{at this 'cell.switch'}}
  %y = cell.switch %r counts [@K0, @K1] (%x)
      : (!cell.routes<@N, 2, @N>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @others(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>)
    -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it reads other rows than those of cells}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-note @+1 {{at this 'dhlo.add'}}
  %s = dhlo.add %rows, %x : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %s, %r last : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %y : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @mixed(%x: tensor<?x4xf32, #dhlo.dims<N>>, %ids: tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<4xf32>
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-remark @+1 {{paths stay on all ranks: it mixes rows}}
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {dist.placement = array<i64: 0, 1>}
  %rows = cell.dispatch %x, %r : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // expected-note @+1 {{at this 'dhlo.reduce'}}
  %y = dhlo.reduce sum %rows axes = [0] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
