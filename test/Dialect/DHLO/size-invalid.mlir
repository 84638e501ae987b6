// RUN: dyn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'dhlo.dim' op expected a least value of at least 0, found -1}}
dhlo.dim @N in [-1, 4]

// -----

// expected-error @+1 {{'dhlo.dim' op expected a maximum of at least 5, found 4}}
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
dhlo.dim @C
dhlo.dim @D
dhlo.dim @E
dhlo.dim @F
dhlo.dim @G
dhlo.dim @H
dhlo.dim @N0 = @A + @B + @C + @D + @E + @F + @G + @H
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
// expected-error @+1 {{'dhlo.dim' op expected a definition of at most 4096 terms once the definitions of its sizes are put in, found 108900}}
dhlo.dim @N3 = @N2 * @N2

// -----

dhlo.dim @A
dhlo.dim @B
dhlo.dim @C
dhlo.dim @D
dhlo.dim @E
dhlo.dim @F
dhlo.dim @G
dhlo.dim @H
dhlo.dim @N0 = @A + @B + @C + @D + @E + @F + @G + @H
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
// expected-error @+1 {{'dhlo.dim' op expected a bound of at most 4096 terms once the definitions of its sizes are put in, found 11880}}
dhlo.dim @N6 in [0, ?] at_most @N2 * @N1

// -----

// Powers of a sum of two have few terms.
dhlo.dim @A
dhlo.dim @B
dhlo.dim @N0 = @A + @B
dhlo.dim @N1 = @N0 * @N0
dhlo.dim @N2 = @N1 * @N1
dhlo.dim @N3 = @N2 * @N2
dhlo.dim @N4 = @N3 * @N3

// -----

// Each has the one before twice.
dhlo.dim @N
dhlo.dim @N0 = max(@N floordiv 3, @N mod 7) + 1
dhlo.dim @N1 = max(@N0 floordiv 3, @N0 mod 7) + 1
dhlo.dim @N2 = max(@N1 floordiv 3, @N1 mod 7) + 1
dhlo.dim @N3 = max(@N2 floordiv 3, @N2 mod 7) + 1
dhlo.dim @N4 = max(@N3 floordiv 3, @N3 mod 7) + 1
dhlo.dim @N5 = max(@N4 floordiv 3, @N4 mod 7) + 1
dhlo.dim @N6 = max(@N5 floordiv 3, @N5 mod 7) + 1
dhlo.dim @N7 = max(@N6 floordiv 3, @N6 mod 7) + 1
dhlo.dim @N8 = max(@N7 floordiv 3, @N7 mod 7) + 1
dhlo.dim @N9 = max(@N8 floordiv 3, @N8 mod 7) + 1
dhlo.dim @N10 = max(@N9 floordiv 3, @N9 mod 7) + 1
dhlo.dim @N11 = max(@N10 floordiv 3, @N10 mod 7) + 1
dhlo.dim @N12 = max(@N11 floordiv 3, @N11 mod 7) + 1
dhlo.dim @N13 = max(@N12 floordiv 3, @N12 mod 7) + 1
dhlo.dim @N14 = max(@N13 floordiv 3, @N13 mod 7) + 1
dhlo.dim @N15 = max(@N14 floordiv 3, @N14 mod 7) + 1
dhlo.dim @N16 = max(@N15 floordiv 3, @N15 mod 7) + 1
dhlo.dim @N17 = max(@N16 floordiv 3, @N16 mod 7) + 1
// expected-error @+1 {{'dhlo.dim' op expected a definition of at most 1048576 constants and symbols once the definitions of its sizes are put in, found 1572862}}
dhlo.dim @N18 = max(@N17 floordiv 3, @N17 mod 7) + 1
