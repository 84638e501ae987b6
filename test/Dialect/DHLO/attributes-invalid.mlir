// RUN: dyn-opt %s -split-input-file -verify-diagnostics
// Text that is no attribute of the dialect.

// expected-error @+1 {{expected '<'}}
func.func private @dims() attributes {a = #dhlo.dims}

// -----

// expected-error @+1 {{expected valid keyword or string}}
func.func private @dims() attributes {a = #dhlo.dims<@N>}

// -----

// expected-error @+1 {{expected '>'}}
func.func private @dims() attributes {a = #dhlo.dims<N M>}

// -----

// expected-error @+1 {{expected one name for each dynamic size, found 2 names for 1 dynamic sizes}}
func.func private @dims_c1(tensor<?x4xf32, #dhlo.dims<N, M>>)

// -----

// expected-error @+1 {{expected one name for each dynamic size, found 1 names for 0 dynamic sizes}}
func.func private @dims_c1_static(tensor<4xf32, #dhlo.dims<N>>)

// -----

// expected-error @+1 {{expected one name for each dynamic size, found 0 names for 1 dynamic sizes}}
func.func private @dims_c1_none(tensor<?xf32, #dhlo.dims<>>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @weight() attributes {a = #dhlo.weight<"m", offset = 0>}

// -----

// expected-error @+2 {{expected ::dyn::dhlo::ReduceKind to be one of: sum, prod, max, min, and, or}}
// expected-error @+1 {{failed to parse DHLO_ReduceKindAttr parameter 'value' which is to be a `::dyn::dhlo::ReduceKind`}}
func.func private @enumeration() attributes {a = #dhlo<reduce_kind mean>}

// -----

func.func @direction(%x: tensor<4xf32>) {
  // expected-error @+2 {{custom op 'dhlo.compare' expected ::dyn::dhlo::CompareDirection to be one of: eq, ne, lt, le, gt, ge}}
  // expected-error @+1 {{custom op 'dhlo.compare' failed to parse DHLO_CompareDirectionAttr parameter 'value' which is to be a `::dyn::dhlo::CompareDirection`}}
  %0 = dhlo.compare less %x, %x : tensor<4xf32> -> tensor<4xi1>
  return
}
