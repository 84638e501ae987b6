// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @probe_c1(%offsets: tensor<1xi64>, %seats: tensor<4x2xi64>) {
  // expected-error @+1 {{'dhlo.probe' op expected a static number of at least two offsets, found 'tensor<1xi64>'}}
  dhlo.probe "a" (%offsets, %seats) : tensor<1xi64>, tensor<4x2xi64>
  return
}

// -----

func.func @probe_c2(%offsets: tensor<3xi64>, %seats: tensor<4xi64>) {
  // expected-error @+1 {{'dhlo.probe' op expected seats of rank 2, found rank 1}}
  dhlo.probe "a" (%offsets, %seats) : tensor<3xi64>, tensor<4xi64>
  return
}

// -----

func.func @probe_c3(%offsets: tensor<3xi64>, %seats: tensor<4x2xi64>, %order: tensor<5xi64>) {
  // expected-error @+1 {{'dhlo.probe' op expected size 4 at axis 0 of order, found 5}}
  dhlo.probe "a" (%offsets, %seats, %order) : tensor<3xi64>, tensor<4x2xi64>, tensor<5xi64>
  return
}

// -----

// expected-error @+1 {{expected at least one share, and no negative number}}
func.func private @load_c1() attributes {a = #dhlo.load<rows = 1, shares = [1025, -1]>}

// -----

// expected-error @+1 {{expected at least one share, and no negative number}}
func.func private @load_c1_rows() attributes {a = #dhlo.load<rows = -1, shares = [1024]>}

// -----

// expected-error @+1 {{expected shares that sum to 1024, found 1023}}
func.func private @load_c2() attributes {a = #dhlo.load<rows = 1, shares = [1000, 23]>}

// -----

// expected-error @+1 {{expected shares that sum to 1024}}
func.func private @load_c2_wraps() attributes {a = #dhlo.load<rows = 1, shares = [9223372036854775807, 1]>}
