// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// Size expressions in their normal form: what is equal as a polynomial prints the same.

// Sums and products.

// CHECK-LABEL: @e0() attributes {expr = #dhlo.expr<0>}
func.func private @e0() attributes {expr = #dhlo.expr<0>}
// CHECK-LABEL: @e1() attributes {expr = #dhlo.expr<-7>}
func.func private @e1() attributes {expr = #dhlo.expr<-7>}
// CHECK-LABEL: @e2() attributes {expr = #dhlo.expr<@S>}
func.func private @e2() attributes {expr = #dhlo.expr<@S>}
// CHECK-LABEL: @e3() attributes {expr = #dhlo.expr<@S>}
func.func private @e3() attributes {expr = #dhlo.expr<@S + 0>}
// CHECK-LABEL: @e4() attributes {expr = #dhlo.expr<@S>}
func.func private @e4() attributes {expr = #dhlo.expr<1 * @S>}
// CHECK-LABEL: @e5() attributes {expr = #dhlo.expr<0>}
func.func private @e5() attributes {expr = #dhlo.expr<0 * @S>}
// CHECK-LABEL: @e6() attributes {expr = #dhlo.expr<2 * @S>}
func.func private @e6() attributes {expr = #dhlo.expr<@S + @S>}
// CHECK-LABEL: @e7() attributes {expr = #dhlo.expr<@S * @S>}
func.func private @e7() attributes {expr = #dhlo.expr<@S * @S>}
// CHECK-LABEL: @e8() attributes {expr = #dhlo.expr<0>}
func.func private @e8() attributes {expr = #dhlo.expr<@S - @S>}
// CHECK-LABEL: @e9() attributes {expr = #dhlo.expr<-1 * @S>}
func.func private @e9() attributes {expr = #dhlo.expr<-@S>}
// CHECK-LABEL: @e10() attributes {expr = #dhlo.expr<-1 * @S + 3>}
func.func private @e10() attributes {expr = #dhlo.expr<3 - @S>}
// CHECK-LABEL: @e11() attributes {expr = #dhlo.expr<@S - 1>}
func.func private @e11() attributes {expr = #dhlo.expr<@S -1>}
// CHECK-LABEL: @e12() attributes {expr = #dhlo.expr<2 * @B * @S + 1>}
func.func private @e12() attributes {expr = #dhlo.expr<1 + @B * 2 * @S>}
// CHECK-LABEL: @e13() attributes {expr = #dhlo.expr<-1 * @B + @B * @S + @S - 1>}
func.func private @e13() attributes {expr = #dhlo.expr<(@B + 1) * (@S - 1)>}
// CHECK-LABEL: @e14() attributes {expr = #dhlo.expr<@B - @S>}
func.func private @e14() attributes {expr = #dhlo.expr<@S + @B - 2 * @S>}
// CHECK-LABEL: @e15() attributes {expr = #dhlo.expr<-1 * @S>}
func.func private @e15() attributes {expr = #dhlo.expr<@S * 2 - @S * 3>}
// CHECK-LABEL: @e16() attributes {expr = #dhlo.expr<9223372036854775807>}
func.func private @e16() attributes {expr = #dhlo.expr<9223372036854775807>}
// CHECK-LABEL: @e17() attributes {expr = #dhlo.expr<-9223372036854775808>}
func.func private @e17() attributes {expr = #dhlo.expr<-9223372036854775808>}
// CHECK-LABEL: @e18() attributes {expr = #dhlo.expr<@S - 9223372036854775807>}
func.func private @e18() attributes {expr = #dhlo.expr<@S - 9223372036854775807>}
// CHECK-LABEL: @e19() attributes {expr = #dhlo.expr<@S>}
func.func private @e19() attributes {expr = #dhlo.expr<(((@S)))>}
// CHECK-LABEL: @e20() attributes {expr = #dhlo.expr<2 * @"a b">}
func.func private @e20() attributes {expr = #dhlo.expr<@"a b" * 2>}

// Division.

// CHECK-LABEL: @e21() attributes {expr = #dhlo.expr<@S>}
func.func private @e21() attributes {expr = #dhlo.expr<@S floordiv 1>}
// CHECK-LABEL: @e22() attributes {expr = #dhlo.expr<3>}
func.func private @e22() attributes {expr = #dhlo.expr<7 floordiv 2>}
// CHECK-LABEL: @e23() attributes {expr = #dhlo.expr<-4>}
func.func private @e23() attributes {expr = #dhlo.expr<-7 floordiv 2>}
// CHECK-LABEL: @e24() attributes {expr = #dhlo.expr<7 floordiv -2>}
func.func private @e24() attributes {expr = #dhlo.expr<7 floordiv -2>}
// CHECK-LABEL: @e25() attributes {expr = #dhlo.expr<4>}
func.func private @e25() attributes {expr = #dhlo.expr<7 ceildiv 2>}
// CHECK-LABEL: @e26() attributes {expr = #dhlo.expr<-3>}
func.func private @e26() attributes {expr = #dhlo.expr<-7 ceildiv 2>}
// CHECK-LABEL: @e27() attributes {expr = #dhlo.expr<1>}
func.func private @e27() attributes {expr = #dhlo.expr<7 mod 3>}
// CHECK-LABEL: @e28() attributes {expr = #dhlo.expr<2>}
func.func private @e28() attributes {expr = #dhlo.expr<-7 mod 3>}
// CHECK-LABEL: @e29() attributes {expr = #dhlo.expr<7 mod -3>}
func.func private @e29() attributes {expr = #dhlo.expr<7 mod -3>}
// CHECK-LABEL: @e30() attributes {expr = #dhlo.expr<0>}
func.func private @e30() attributes {expr = #dhlo.expr<@S mod 1>}
// CHECK-LABEL: @e31() attributes {expr = #dhlo.expr<0>}
func.func private @e31() attributes {expr = #dhlo.expr<4 * @S mod 2>}
// CHECK-LABEL: @e32() attributes {expr = #dhlo.expr<1>}
func.func private @e32() attributes {expr = #dhlo.expr<(2 * @S + 1) mod 2>}
// CHECK-LABEL: @e33() attributes {expr = #dhlo.expr<@S floordiv 2>}
func.func private @e33() attributes {expr = #dhlo.expr<@S floordiv 2>}
// CHECK-LABEL: @e34() attributes {expr = #dhlo.expr<(@S + 1) floordiv 2>}
func.func private @e34() attributes {expr = #dhlo.expr<@S ceildiv 2>}
// CHECK-LABEL: @e35() attributes {expr = #dhlo.expr<@S mod 2>}
func.func private @e35() attributes {expr = #dhlo.expr<@S mod 2>}
// CHECK-LABEL: @e36() attributes {expr = #dhlo.expr<2 * @S>}
func.func private @e36() attributes {expr = #dhlo.expr<4 * @S floordiv 2>}
// CHECK-LABEL: @e37() attributes {expr = #dhlo.expr<2 * @S + 3>}
func.func private @e37() attributes {expr = #dhlo.expr<(4 * @S + 6) floordiv 2>}
// CHECK-LABEL: @e38() attributes {expr = #dhlo.expr<(@H + 1) floordiv 2>}
func.func private @e38() attributes {expr = #dhlo.expr<(@H - 1) floordiv 2 + 1>}
// CHECK-LABEL: @e39() attributes {expr = #dhlo.expr<@B>}
func.func private @e39() attributes {expr = #dhlo.expr<@B * @S floordiv @S>}
// CHECK-LABEL: @e40() attributes {expr = #dhlo.expr<@B>}
func.func private @e40() attributes {expr = #dhlo.expr<@B * @S ceildiv @S>}
// CHECK-LABEL: @e41() attributes {expr = #dhlo.expr<0>}
func.func private @e41() attributes {expr = #dhlo.expr<@B * @S mod @S>}
// CHECK-LABEL: @e42() attributes {expr = #dhlo.expr<@S floordiv @B>}
func.func private @e42() attributes {expr = #dhlo.expr<@S floordiv @B>}
// CHECK-LABEL: @e43() attributes {expr = #dhlo.expr<@S ceildiv @B>}
func.func private @e43() attributes {expr = #dhlo.expr<@S ceildiv @B>}
// CHECK-LABEL: @e44() attributes {expr = #dhlo.expr<@S floordiv 6>}
func.func private @e44() attributes {expr = #dhlo.expr<@S floordiv 2 floordiv 3>}
// CHECK-LABEL: @e45() attributes {expr = #dhlo.expr<2 * (@S floordiv 2)>}
func.func private @e45() attributes {expr = #dhlo.expr<2 * (@S floordiv 2)>}

// Minimum, maximum, broadcast.

// CHECK-LABEL: @e46() attributes {expr = #dhlo.expr<5>}
func.func private @e46() attributes {expr = #dhlo.expr<max(3, 5)>}
// CHECK-LABEL: @e47() attributes {expr = #dhlo.expr<3>}
func.func private @e47() attributes {expr = #dhlo.expr<min(3, 5)>}
// CHECK-LABEL: @e48() attributes {expr = #dhlo.expr<@S>}
func.func private @e48() attributes {expr = #dhlo.expr<max(@S)>}
// CHECK-LABEL: @e49() attributes {expr = #dhlo.expr<@S>}
func.func private @e49() attributes {expr = #dhlo.expr<max(@S, @S)>}
// CHECK-LABEL: @e50() attributes {expr = #dhlo.expr<min(@B, @S)>}
func.func private @e50() attributes {expr = #dhlo.expr<min(@S, @B)>}
// CHECK-LABEL: @e51() attributes {expr = #dhlo.expr<max(1, @B, @S)>}
func.func private @e51() attributes {expr = #dhlo.expr<max(@B, max(1, @S))>}
// CHECK-LABEL: @e52() attributes {expr = #dhlo.expr<max(7, @B, @S)>}
func.func private @e52() attributes {expr = #dhlo.expr<max(@S, 2, 7, @B)>}
// CHECK-LABEL: @e53() attributes {expr = #dhlo.expr<min(4, @S)>}
func.func private @e53() attributes {expr = #dhlo.expr<min(@S, min(@S, 4), 9)>}
// CHECK-LABEL: @e54() attributes {expr = #dhlo.expr<@S>}
func.func private @e54() attributes {expr = #dhlo.expr<broadcast(1, @S)>}
// CHECK-LABEL: @e55() attributes {expr = #dhlo.expr<@S>}
func.func private @e55() attributes {expr = #dhlo.expr<broadcast(@S, 1)>}
// CHECK-LABEL: @e56() attributes {expr = #dhlo.expr<4>}
func.func private @e56() attributes {expr = #dhlo.expr<broadcast(4, 4)>}
// CHECK-LABEL: @e57() attributes {expr = #dhlo.expr<1>}
func.func private @e57() attributes {expr = #dhlo.expr<broadcast(1, 1)>}
// CHECK-LABEL: @e58() attributes {expr = #dhlo.expr<broadcast(@M, @N)>}
func.func private @e58() attributes {expr = #dhlo.expr<broadcast(@M, @N)>}
// CHECK-LABEL: @e59() attributes {expr = #dhlo.expr<@N>}
func.func private @e59() attributes {expr = #dhlo.expr<broadcast(@N, @N)>}
// CHECK-LABEL: @e60() attributes {expr = #dhlo.expr<4>}
func.func private @e60() attributes {expr = #dhlo.expr<broadcast(@S, 4)>}
// CHECK-LABEL: @e61() attributes {expr = #dhlo.expr<2 * max(1, @S) + 1>}
func.func private @e61() attributes {expr = #dhlo.expr<2 * max(@S, 1) + 1>}
// CHECK-LABEL: @e62() attributes {expr = #dhlo.expr<min(@S, @S + 1)>}
func.func private @e62() attributes {expr = #dhlo.expr<min(@S + 1, @S)>}
// CHECK-LABEL: @e63() attributes {expr = #dhlo.expr<max(1, @S floordiv 2) mod 3>}
func.func private @e63() attributes {expr = #dhlo.expr<max(@S floordiv 2, 1) mod 3>}

// Quotients and divisors that fit no number stay as they are.

// CHECK-LABEL: @e64() attributes {expr = #dhlo.expr<(-9223372036854775808 * @N) floordiv -1>}
func.func private @e64() attributes {expr = #dhlo.expr<(-9223372036854775808 * @N) floordiv -1>}
// CHECK-LABEL: @e65() attributes {expr = #dhlo.expr<(-9223372036854775808 * @N) mod -1>}
func.func private @e65() attributes {expr = #dhlo.expr<(-9223372036854775808 * @N) mod -1>}
// CHECK-LABEL: @e66() attributes {expr = #dhlo.expr<(@N floordiv 4294967296) floordiv 4294967296>}
func.func private @e66() attributes {expr = #dhlo.expr<(@N floordiv 4294967296) floordiv 4294967296>}
