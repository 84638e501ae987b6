//===- ExplainPage.cpp - Plans as a page for a browser --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The words of printPlan, and a timeline of the ranks that is an image of the
// page. There is no script: titles of the timeline's parts name their layers.

#include "dyn/Plan/Explain.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::plan;
using namespace llvm;

static constexpr StringLiteral kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Plan</title><style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em; }
pre { font: 13px/1.4 ui-monospace, monospace; }
svg { width: 100%; background: #f4f4f4; }
text { font-size: 10px; }
.wait { fill: #c9c9c9; }
</style></head><body>
)";

/// Pixels of the timeline.
static constexpr double kWidth = 1200, kRow = 16, kNames = 60;

static std::string escape(StringRef text) {
  std::string escaped;
  raw_string_ostream os(escaped);
  printHTMLEscaped(text, os);
  return escaped;
}

static void printTimeline(raw_ostream &os, const json::Object &root) {
  const json::Array &layers = *root.getArray("layers");
  size_t ranks = root.getArray("ranks")->size();
  double seconds = root.getNumber("seconds").value_or(0);
  double scale = seconds > 0 ? (kWidth - kNames) / seconds : 0;
  os << formatv("<svg viewBox=\"0 0 {0} {1}\">\n", kWidth, kRow * ranks);
  for (size_t rank = 0; rank < ranks; ++rank)
    os << formatv("<text x=\"2\" y=\"{0}\">rank {1}</text>\n",
                  kRow * (rank + 0.75), rank);
  for (const json::Value &value : *root.getArray("timeline")) {
    const json::Array &span = *value.getAsArray();
    double rank = *span[0].getAsNumber(), begin = *span[3].getAsNumber();
    double end = *span[4].getAsNumber();
    int64_t layer = *span[1].getAsInteger(), part = *span[2].getAsInteger();
    bool isWait = *span[5].getAsBoolean();
    StringRef name =
        layers[layer].getAsObject()->getString("name").value_or("");
    // Micro-batches have colours of their own.
    std::string look =
        isWait ? "class=\"wait\""
               : formatv("fill=\"hsl({0} 60% 55%)\"", part * 47 % 360).str();
    os << formatv(
        "<rect x=\"{0:F2}\" y=\"{1}\" width=\"{2:F2}\" height=\"{3}\" "
        "{4}><title>{5}{6} {7}, micro-batch {8}</title></rect>\n",
        kNames + begin * scale, kRow * rank + 1, (end - begin) * scale,
        kRow - 2, look, isWait ? "waits for " : "", layer, escape(name), part);
  }
  os << "</svg>\n";
}

void dyn::plan::printPlanPage(raw_ostream &os, const json::Value &plan) {
  std::string words;
  raw_string_ostream stream(words);
  printPlan(stream, plan);
  os << kHead << "<h1>Timeline</h1>\n";
  printTimeline(os, *plan.getAsObject());
  os << "<h1>Plan</h1>\n<pre>" << escape(words) << "</pre>\n</body></html>\n";
}
