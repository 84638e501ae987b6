// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v9 -verify-diagnostics

// expected-error @below {{expected the instruction set v2, v3, v4, v4-vnni, v4-bf16 or v4-amx, found 'v9'}}
module {
}
