// RUN: dyn-opt %s -split-input-file -verify-diagnostics
// What is no size expression, and what cannot have a value.

// expected-error @+1 {{expected a size: an integer, a symbol, min, max, broadcast or a parenthesis}}
func.func private @f() attributes {expr = #dhlo.expr<>}

// -----

// expected-error @+1 {{expected a size: an integer, a symbol, min, max, broadcast or a parenthesis}}
func.func private @f() attributes {expr = #dhlo.expr<@S + *>}

// -----

// expected-error @+1 {{expected a size: an integer, a symbol, min, max, broadcast or a parenthesis}}
func.func private @f() attributes {expr = #dhlo.expr<S>}

// -----

// expected-error @+1 {{expected an operand}}
func.func private @f() attributes {expr = #dhlo.expr<max()>}

// -----

// Two sizes one after the other are not their sum.
// expected-error @+1 {{expected '>'}}
func.func private @f() attributes {expr = #dhlo.expr<@S 3>}

// -----

// expected-error @+1 {{unbalanced '(' character in pretty dialect name}}
func.func private @f() attributes {expr = #dhlo.expr<(@S + 1>}

// -----

// expected-error @+1 {{unbalanced '(' character in pretty dialect name}}
func.func private @f() attributes {expr = #dhlo.expr<min(@S, 1>}

// -----

// expected-error @+1 {{expected '<'}}
func.func private @f() attributes {expr = #dhlo.expr}

// -----

// expected-error @+1 {{expected a divisor that is not zero}}
func.func private @f() attributes {expr = #dhlo.expr<@S floordiv 0>}

// -----

// expected-error @+1 {{expected a divisor that is not zero}}
func.func private @f() attributes {expr = #dhlo.expr<@S ceildiv (@S - @S)>}

// -----

// expected-error @+1 {{expected a divisor that is not zero}}
func.func private @f() attributes {expr = #dhlo.expr<5 mod 0>}

// -----

// expected-error @+1 {{expected an integer that fits 64 bits}}
func.func private @f() attributes {expr = #dhlo.expr<9223372036854775808>}

// -----

// expected-error @+1 {{expected an integer that fits 64 bits}}
func.func private @f() attributes {expr = #dhlo.expr<-9223372036854775809>}

// -----

func.func @list() {
  // expected-error @+1 {{expected '['}}
  %0 = dhlo.from_dims @S : tensor<1xi64>
  return
}

// -----

func.func @list_end() {
  // expected-error @+1 {{expected ']'}}
  %0 = dhlo.from_dims [@S 1] : tensor<2xi64>
  return
}

// -----

// Each factor would have five times as many terms.
// expected-error @+1 {{expected a product of at most 256 terms}}
func.func private @f() attributes {expr = #dhlo.expr<(@A + @B + @C + @D + 1) * (@A + @B + @C + @D + 1) * (@A + @B + @C + @D + 1) * (@A + @B + @C + @D + 1) * (@A + @B + @C + @D + 1)>}

// -----

// Sizes within sizes take stack.
// expected-error @+1 {{expected at most 256 sizes within sizes}}
func.func private @f() attributes {expr = #dhlo.expr<min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, min(1, @S))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>}
