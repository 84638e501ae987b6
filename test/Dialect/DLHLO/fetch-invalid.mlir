// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @range_c1(%o: tensor<3xi64>) {
  // expected-error @+1 {{expected no negative path, offset or bytes, found 0, -1, 4}}
  dlhlo.fetch %o [#dlhlo.range<@w, path = 0, offset = -1, bytes = 4>] : tensor<3xi64>
  return
}

// -----

func.func @fetch_c1(%o: tensor<1xi64>) {
  // expected-error @+1 {{expected a vector of at least two offsets, found 'tensor<1xi64>'}}
  dlhlo.fetch %o [] : tensor<1xi64>
  return
}

// -----

func.func @fetch_c1_rank(%o: tensor<3x3xi64>) {
  // expected-error @+1 {{expected a vector of at least two offsets, found 'tensor<3x3xi64>'}}
  dlhlo.fetch %o [] : tensor<3x3xi64>
  return
}

// -----

func.func @fetch_c2(%o: tensor<3xi64>) {
  // expected-error @+1 {{expected paths below 2, found 2}}
  dlhlo.fetch %o [#dlhlo.range<@w, path = 2, offset = 0, bytes = 4>] : tensor<3xi64>
  return
}

// -----

func.func @fetch_c3(%o: tensor<3xi64>) {
  // expected-error @+1 {{expected the symbol of a constant, found @w}}
  dlhlo.fetch %o [#dlhlo.range<@w, path = 0, offset = 0, bytes = 4>] : tensor<3xi64>
  return
}

// -----

dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @fetch_c3_bytes(%o: tensor<3xi64>) {
  // expected-error @+1 {{expected a range of the 16 bytes of @w, found 12 bytes from 8}}
  dlhlo.fetch %o [#dlhlo.range<@w, path = 0, offset = 8, bytes = 12>] : tensor<3xi64>
  return
}
