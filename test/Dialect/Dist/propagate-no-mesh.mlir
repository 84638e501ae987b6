// RUN: dyn-opt %s --dist-propagate=segments=8 --verify-diagnostics

// expected-remark @+1 {{divides no sums: there is no mesh}}
module {
}
