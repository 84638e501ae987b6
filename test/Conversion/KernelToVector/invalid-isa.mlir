// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v9 -verify-diagnostics

// expected-error @below {{expected the instruction set v2, v3, v4 or v4-vnni, found 'v9'}}
module {
}
