//===- Plot.cpp - A profile as an image -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One SVG with a row of three panels for each router: the load of its paths,
// the transitions to them, and the drift of its load over time. Names come from
// files, so all text must go through `escape`.

#include "Report.h"

#include "dyn/Profile/Drift.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace dyn;
using llvm::format;

namespace {

constexpr double kPanel = 240, kGap = 60, kHead = 46, kRow = kPanel + 100;
constexpr double kWidth = 3 * kPanel + 4 * kGap;
/// A heat map of more paths has elements too small to tell apart; adjacent ones
/// are merged.
constexpr uint32_t kMostColumns = 96;

class Plot {
public:
  explicit Plot(llvm::raw_ostream &os) : os(os) {}

  void draw(const RouteProfile &profile);

private:
  void drawRouter(const ProfileRouter &router, double top);
  void drawLoad(const ProfileWindow &sum, double left, double top);
  void drawTransitions(const ProfileRouter &router, const ProfileWindow &sum,
                       double left, double top);
  void drawDrift(const ProfileRouter &router, const ProfileWindow &sum,
                 double left, double top);

  void drawFrame(double left, double top, const llvm::Twine &title);
  void drawText(double x, double y, llvm::StringRef kind,
                const llvm::Twine &text);
  void drawBox(double x, double y, double width, double height,
               llvm::StringRef color, const llvm::Twine &title);
  static std::string escape(const llvm::Twine &text) {
    std::string escaped;
    llvm::raw_string_ostream stream(escaped);
    llvm::printHTMLEscaped(text.str(), stream);
    return escaped;
  }
  static std::string getPercent(double part) {
    std::string text;
    llvm::raw_string_ostream(text) << format("%.1f%%", 100 * part);
    return text;
  }

  llvm::raw_ostream &os;
};

} // namespace

void Plot::drawText(double x, double y, llvm::StringRef kind,
                    const llvm::Twine &text) {
  os << format("<text x=\"%.1f\" y=\"%.1f\"", x, y) << " class=\"" << kind
     << "\">" << escape(text) << "</text>\n";
}

void Plot::drawBox(double x, double y, double width, double height,
                   llvm::StringRef color, const llvm::Twine &title) {
  os << format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x,
               y, width, height)
     << " fill=\"" << color << "\"><title>" << escape(title)
     << "</title></rect>\n";
}

void Plot::drawFrame(double left, double top, const llvm::Twine &title) {
  drawText(left, top - 8, "panel", title);
  os << format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
               "class=\"frame\"/>\n",
               left, top, kPanel, kPanel);
}

void Plot::drawLoad(const ProfileWindow &sum, double left, double top) {
  drawFrame(left, top, "load of each path");
  std::vector<double> shares = sum.getShares();
  double most = std::max(*llvm::max_element(shares), 1e-300);
  double width = kPanel / shares.size();
  for (auto [path, share] : llvm::enumerate(shares)) {
    double height = kPanel * share / most;
    drawBox(left + path * width + width * 0.05, top + kPanel - height,
            width * 0.9, height, "#3b6fb6",
            "path " + llvm::Twine(path) + ": " + getPercent(share));
  }
  // The share of every path if all loads were equal.
  double even = top + kPanel - kPanel / (most * shares.size());
  os << format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.2f\" y2=\"%.2f\" "
               "class=\"even\"/>\n",
               left, left + kPanel, even, even);
  drawText(left - 6, top + 10, "tick end", getPercent(most));
  drawText(left, top + kPanel + 16, "tick", "path 0");
  drawText(left + kPanel, top + kPanel + 16, "tick end",
           llvm::Twine(shares.size() - 1));
}

/// White to dark blue.
static std::string getHeat(double part) {
  std::string color;
  auto mix = [&](int from, int to) {
    return int(from + (to - from) * std::sqrt(part) + 0.5);
  };
  llvm::raw_string_ostream(color)
      << format("#%02x%02x%02x", mix(255, 16), mix(255, 56), mix(255, 112));
  return color;
}

void Plot::drawTransitions(const ProfileRouter &router,
                           const ProfileWindow &sum, double left, double top) {
  if (router.after.empty())
    return;
  drawFrame(left, top, "paths of " + router.after + " (down) to these");
  if (sum.transitions.empty()) {
    drawText(left + 10, top + 20, "tick", "no table was recorded");
    return;
  }
  uint32_t rows = std::min(router.afterPaths, kMostColumns);
  uint32_t columns = std::min(router.paths, kMostColumns);
  PathTable drawn;
  std::vector<double> leaving(rows);
  for (const auto &[paths, count] : sum.transitions.getSorted()) {
    uint32_t from = uint64_t(paths.first) * rows / router.afterPaths;
    uint32_t to = uint64_t(paths.second) * columns / router.paths;
    drawn[{from, to}] += count;
    leaving[from] += count;
  }
  double height = kPanel / rows, width = kPanel / columns;
  for (const auto &[paths, count] : drawn.getSorted()) {
    double part = count / std::max(leaving[paths.first], 1.0);
    drawBox(left + paths.second * width, top + paths.first * height, width,
            height, getHeat(part),
            llvm::Twine(paths.first) + " to " + llvm::Twine(paths.second) +
                ": " + getPercent(part) + ", " + llvm::Twine(count) + " cells");
  }
  drawText(left - 6, top + 10, "tick end", "0");
  drawText(left - 6, top + kPanel, "tick end",
           llvm::Twine(router.afterPaths - 1));
  drawText(left, top + kPanel + 16, "tick", "path 0");
  drawText(left + kPanel, top + kPanel + 16, "tick end",
           llvm::Twine(router.paths - 1));
}

void Plot::drawDrift(const ProfileRouter &router, const ProfileWindow &sum,
                     double left, double top) {
  if (router.windows.size() < 2)
    return;
  drawFrame(left, top, "drift: total variation to the whole");
  std::vector<double> shares = sum.getShares();
  int64_t first = router.windows.front().at;
  double span = router.windows.back().at - first;
  auto drawLine = [&](llvm::StringRef kind, auto getValue) {
    os << "<polyline class=\"" << kind << "\" points=\"";
    for (const ProfileWindow &window : router.windows)
      os << format("%.2f,%.2f ", left + kPanel * (window.at - first) / span,
                   top + kPanel * (1 - getValue(window)));
    os << "\"/>\n";
  };
  drawLine("chance", [&](const ProfileWindow &window) {
    return getChance(shares, window.getRows());
  });
  drawLine("drift", [&](const ProfileWindow &window) {
    return getTotalVariation(window, sum);
  });
  drawText(left - 6, top + 10, "tick end", "1");
  drawText(left - 6, top + kPanel, "tick end", "0");
  drawText(left, top + kPanel + 16, "tick",
           llvm::Twine(router.windows.size()) + " windows of " +
               llvm::Twine(router.windowMs) + " ms; dashed: chance");
}

void Plot::drawRouter(const ProfileRouter &router, double top) {
  ProfileWindow sum = router.getSum();
  drawText(kGap, top + 20, "router",
           router.key + (router.label.empty() ? "" : ", " + router.label));
  drawText(kGap, top + 38, "tick",
           llvm::Twine(sum.calls) + " calls, " + llvm::Twine(sum.cells) +
               " cells, " + llvm::Twine(sum.getRows()) + " rows");
  double panels = top + kHead + 22;
  drawLoad(sum, kGap, panels);
  drawTransitions(router, sum, 2 * kGap + kPanel, panels);
  drawDrift(router, sum, 3 * kGap + 2 * kPanel, panels);
}

void Plot::draw(const RouteProfile &profile) {
  double height = kRow * profile.routers.size() + kGap;
  os << format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
               "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
               kWidth, height, kWidth, height)
     << "<style>text{font:12px sans-serif;fill:#222}.router{font-size:15px;"
        "font-weight:bold}.panel{font-weight:bold}.tick{fill:#666;font-size:"
        "11px}.end{text-anchor:end}.frame{fill:none;stroke:#bbb}.even{stroke:"
        "#c0392b;stroke-dasharray:4 3}polyline{fill:none;stroke-width:2}"
        ".drift{stroke:#3b6fb6}.chance{stroke:#999;stroke-dasharray:4 3}"
        "</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (auto [i, router] : llvm::enumerate(profile.routers))
    drawRouter(router, kRow * i);
  os << "</svg>\n";
}

void dyn::plotProfile(llvm::raw_ostream &os, const RouteProfile &profile) {
  Plot(os).draw(profile);
}
