// RUN: dyn-opt %s --dist-propagate=segments=6 --verify-diagnostics

// expected-error @+1 {{expected a power of two segments, found 6}}
module {
}
