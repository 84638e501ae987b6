// RUN: dyn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'dhlo.dim' op expected a least value of at least 0, found -1}}
dhlo.dim @N in [-1, 4]

// -----

// expected-error @+1 {{'dhlo.dim' op expected a greatest value of at least 5, found 4}}
dhlo.dim @N in [5, 4]

// -----

// expected-error @+1 {{'dhlo.dim' op expected a divisor of at least 1, found 0}}
dhlo.dim @N multiple_of 0

// -----

func.func @weight_c1_static() {
  // expected-error @+1 {{'dhlo.weight' op expected static sizes, found 'tensor<?xf32, #dhlo.dims<N>>'}}
  %0 = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

func.func @weight_c1_length() {
  // expected-error @+1 {{'dhlo.weight' op expected a reference to 16 bytes, found 12}}
  %0 = dhlo.weight <"m", offset = 0, length = 12, key = "w"> : tensor<4xf32>
  return
}

// -----

// 2^59 + 1 elements of four bytes are four bytes, if the product wraps.
func.func @weight_c1_wraps() {
  // expected-error @+1 {{'dhlo.weight' op expected a reference to 2305843009213693956 bytes, found 4}}
  %0 = dhlo.weight <"m", offset = 0, length = 4, key = "w"> : tensor<576460752303423489xf32>
  return
}

// -----

func.func @weight_c1_large() {
  // expected-error @+1 {{'dhlo.weight' op expected a number of bytes that fits 64 bits, found 'tensor<4294967296x4294967296xf32>'}}
  %0 = dhlo.weight <"m", offset = 0, length = 0, key = "w"> : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @from_dims_c1_rank() {
  // expected-error @+1 {{'dhlo.from_dims' op expected a scalar or a vector of static size, found 'tensor<1x2xi64>'}}
  %0 = dhlo.from_dims [1, 2] : tensor<1x2xi64>
  return
}

// -----

func.func @from_dims_c1_count() {
  // expected-error @+1 {{'dhlo.from_dims' op expected 3 size expressions, found 2}}
  %0 = dhlo.from_dims [1, 2] : tensor<3xi64>
  return
}

// -----

func.func @tensor_names(%x: tensor<?xf32>) {
  // expected-error @+1 {{'dhlo.neg' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<?xf32>'}}
  %0 = dhlo.neg %x : tensor<?xf32>
  return
}

// -----

// expected-error @+1 {{expected one name for each dynamic size, found 1 names for 2 dynamic sizes}}
func.func private @dims_c1(tensor<?x?xf32, #dhlo.dims<N>>)

// -----

// Sizes that are squares of one another: each has twice as many factors.
dhlo.dim @N0
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
dhlo.dim @N3 = @N2 * @N2
dhlo.dim @N4 = @N3 * @N3
dhlo.dim @N5 = @N4 * @N4
dhlo.dim @N6 = @N5 * @N5
// expected-error @+1 {{'dhlo.dim' op expected a definition of at most 64 factors in a term once the definitions of its sizes are put in, found 128}}
dhlo.dim @N7 = @N6 * @N6

// -----

// Squares of sums have more terms, too.
dhlo.dim @A
dhlo.dim @B
dhlo.dim @N0 = @A + @B
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
dhlo.dim @N3 = @N2 * @N2
// expected-error @+1 {{'dhlo.dim' op expected a definition of at most 4096 terms once the definitions of its sizes are put in, found 65536}}
dhlo.dim @N4 = @N3 * @N3

// -----

dhlo.dim @A
dhlo.dim @B
dhlo.dim @N0 = @A + @B
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
dhlo.dim @N3 = @N2 * @N2 * @N0
// expected-error @+1 {{'dhlo.dim' op expected a bound of at most 4096 terms once the definitions of its sizes are put in, found 262144}}
dhlo.dim @N6 in [0, ?] at_most @N3 * @N3
