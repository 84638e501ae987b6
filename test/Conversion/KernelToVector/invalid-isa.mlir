// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v9 -verify-diagnostics

// expected-error @below {{expected the instruction set v2, v3 or v4, found 'v9'}}
module {
}
