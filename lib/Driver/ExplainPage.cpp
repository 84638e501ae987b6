//===- ExplainPage.cpp - The explanation of a compilation as a page -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The page is complete without its script, except for values: formulas,
// reasons, facts and constants are text. Elements with the attribute data-tree
// hold a formula as JSON; the script fills their elements of class "value" and
// sets the widths of bars. Names come from model files, so all text must go
// through `escape`.

#include "dyn/Driver/ExplainPage.h"

#include "ExplainReader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dyn;
using namespace llvm;

extern const char kExplainStyle[], kExplainScript[];

namespace {
class Page {
public:
  Page(raw_ostream &os, const json::Object &root) : os(os), root(root) {}

  void print(StringRef title);

private:
  void printControls();
  void printEntry(const json::Object &entry);
  void printCard(StringRef label, StringRef unit, const json::Object *formula);
  void printLaunch(const json::Object &launch, size_t number);
  void printKernel(const json::Object &kernel);
  void printConstants();
  void printDerivedSizes();
  void printOperations(const json::Object &parent, StringRef member);
  void printFormula(const json::Value &tree, bool isFactor = false);
  void printDefinition(StringRef term, StringRef text);

  /// Names of operations without the prefix "dhlo.".
  static StringRef shorten(StringRef operation) {
    operation.consume_front("dhlo.");
    return operation;
  }
  static std::string escape(StringRef text) {
    std::string escaped;
    raw_string_ostream stream(escaped);
    printHTMLEscaped(text, stream);
    return escaped;
  }
  /// The attribute `name` with a formula's tree; empty without a formula.
  static std::string getTree(StringRef name, const json::Object *formula) {
    const json::Value *tree = formula ? formula->get("tree") : nullptr;
    if (!tree)
      return "";
    return (" " + name + "=\"" + escape(formatv("{0}", *tree).str()) + "\"")
        .str();
  }
  /// The index and the object of a kernel; the number of kernels and null if
  /// there is none of this name.
  std::pair<size_t, const json::Object *> getKernel(StringRef name) const {
    SmallVector<const json::Object *> kernels = getObjects(root, "kernels");
    for (auto [i, kernel] : enumerate(kernels))
      if (getText(*kernel, "name") == name)
        return {i, kernel};
    return {kernels.size(), nullptr};
  }
  /// A member of a kernel, escaped.
  static std::string getMember(const json::Object *kernel, StringRef member) {
    return kernel ? escape(getText(*kernel, member)) : "";
  }
  int64_t getConstantBytes() const {
    int64_t bytes = 0;
    for (const json::Object *constant : getObjects(root, "constants"))
      bytes += getNumber(*constant, "bytes");
    return bytes;
  }

  raw_ostream &os;
  const json::Object &root;
};
} // namespace

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// 1234567 as 1 234 567, with narrow spaces.
static std::string groupDigits(int64_t number) {
  std::string digits = std::to_string(number), grouped;
  for (auto [i, digit] : enumerate(digits)) {
    if (i && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-')
      grouped += "&#8239;";
    grouped += digit;
  }
  return grouped;
}

void Page::printFormula(const json::Value &tree, bool isFactor) {
  if (auto number = tree.getAsInteger()) {
    os << groupDigits(*number);
    return;
  }
  if (auto name = tree.getAsString()) {
    os << "<var>" << escape(*name) << "</var>";
    return;
  }
  const json::Array *array = tree.getAsArray();
  if (!array || array->empty())
    return;
  StringRef kind = array->front().getAsString().value_or("");
  ArrayRef<json::Value> operands =
      ArrayRef(array->data() + 1, array->size() - 1);
  if (kind == "mul") {
    bool isOne = operands[0].getAsInteger() == 1;
    for (size_t i = isOne; i < operands.size(); ++i) {
      if (i > size_t(isOne))
        os << "&#8239;&#183;&#8239;";
      size_t power = 1;
      while (i + 1 < operands.size() && operands[i] == operands[i + 1])
        ++i, ++power;
      printFormula(operands[i], /*isFactor=*/true);
      if (power > 1)
        os << "<sup>" << power << "</sup>";
    }
    return;
  }
  if (kind == "add") {
    // The constant comes first in the tree, but last on the page.
    bool hasConstant = operands[0].getAsInteger().has_value();
    os << (isFactor ? "(" : "");
    for (size_t i = hasConstant; i < operands.size(); ++i) {
      os << (i > size_t(hasConstant) ? " + " : "");
      printFormula(operands[i]);
    }
    if (hasConstant)
      os << " + " << groupDigits(*operands[0].getAsInteger());
    os << (isFactor ? ")" : "");
    return;
  }
  auto printOperands = [&](StringRef separator, bool areFactors) {
    for (auto [i, operand] : enumerate(operands)) {
      os << (i ? separator : "");
      printFormula(operand, areFactors);
    }
  };
  if (kind == "floordiv" || kind == "ceildiv") {
    bool isFloor = kind == "floordiv";
    os << (isFloor ? "&#8970;" : "&#8968;");
    printOperands(" / ", true);
    os << (isFloor ? "&#8971;" : "&#8969;");
    return;
  }
  os << kind << '(';
  printOperands(", ", false);
  os << ')';
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void Page::printOperations(const json::Object &parent, StringRef member) {
  os << "<span class=\"ops\">";
  for (StringRef operation : getTexts(parent, member))
    os << "<code>" << escape(shorten(operation)) << "</code> ";
  os << "</span>";
}

void Page::printControls() {
  os << "<form id=\"controls\"><fieldset><legend>Sizes</legend>\n";
  for (const json::Object *size : getObjects(root, "sizes")) {
    if (size->getObject("definition"))
      continue;
    auto max = size->getInteger("max");
    int64_t min = getNumber(*size, "min");
    int64_t value = size->getInteger("value").value_or(
        size->getInteger("estimate").value_or(min));
    std::string name = escape(getText(*size, "name"));
    os << "<label><span>" << name
       << "</span><input type=\"number\" data-size=\"" << name << "\" min=\""
       << min << "\" value=\"" << value << '"';
    if (max)
      os << " max=\"" << *max << '"';
    if (auto multiple = size->getInteger("multiple_of"))
      os << " step=\"" << *multiple << '"';
    os << "><small>"
       << (max ? formatv("{0} to {1}", min, *max).str()
               : formatv("{0} or more", min).str());
    if (auto *bound = size->getObject("at_most"))
      os << ", at most " << escape(getText(*bound, "text"));
    if (auto multiple = size->getInteger("multiple_of"))
      os << ", a multiple of " << *multiple;
    os << "</small></label>\n";
  }
  os << "</fieldset><fieldset><legend>Machine</legend>\n"
        "<label><span>peak, GF/s</span><input type=\"number\" id=\"peak\" "
        "value=\"100\" min=\"1\"><small><code>dyn-run --stats</code> "
        "measures</small></label>\n"
        "<label><span>copy, GB/s</span><input type=\"number\" id=\"copy\" "
        "value=\"20\" min=\"1\"><small>both</small></label>\n"
        "</fieldset></form>\n";
}

void Page::printCard(StringRef label, StringRef unit,
                     const json::Object *formula) {
  os << "<div class=\"card\"" << getTree("data-tree", formula)
     << " data-unit=\"" << unit << "\"><h3>" << label
     << "</h3><output class=\"value\"></output>";
  if (formula && formula->get("tree")) {
    os << "<details><summary>formula</summary><p class=\"formula\">";
    printFormula(*formula->get("tree"));
    os << "</p></details>";
  }
  os << "</div>\n";
}

void Page::printLaunch(const json::Object &launch, size_t number) {
  StringRef name = getText(launch, "kernel");
  auto [index, kernel] = getKernel(name);
  std::string kind = getMember(kernel, "kind");
  os << "<tr class=\"launch\" data-kernel=\"" << index << '"'
     << getTree("data-flops", launch.getObject("flops"))
     << getTree("data-bytes", launch.getObject("bytes")) << "><td>" << number
     << "</td><td class=\"location\">" << escape(getText(launch, "location"));
  if (auto within = launch.getString("within"))
    os << " <em>in a " << *within << "</em>";
  if (int64_t list = getNumber(launch, "together"))
    os << " <em>together " << list << "</em>";
  os << "</td><td><a href=\"#kernel-" << index << "\"><b class=\"dot " << kind
     << "\"></b>" << escape(name) << "</a> <small>"
     << getMember(kernel, "reason")
     << "</small></td><td class=\"number flops\"></td><td class=\"number "
        "bytes\"></td><td class=\"number intensity\"></td><td class=\"number\" "
        "title=\"";
  for (StringRef constant : getTexts(launch, "constants"))
    os << escape(constant) << ' ';
  os << "\" data-amount=\"" << getNumber(launch, "constant_bytes")
     << "\"></td><td class=\"share\"><i class=\"bar " << kind
     << "\"></i></td></tr>\n";
}

void Page::printEntry(const json::Object &entry) {
  os << "<section class=\"entry\"><h2>Entry <code>"
     << escape(getText(entry, "name")) << "</code></h2>\n<dl>";
  for (auto [member, term] :
       {std::pair("inputs", "inputs"), {"outputs", "outputs"}}) {
    os << "<dt>" << term << "</dt><dd>";
    for (const json::Object *port : getObjects(entry, member))
      os << "<code><b>" << escape(getText(*port, "name")) << "</b> "
         << escape(getText(*port, "type")) << "</code><br>";
    os << "</dd>\n";
  }
  os << "</dl>\n<div class=\"cards\">\n";
  printCard("Operations", "F", entry.getObject("flops"));
  printCard("Bytes moved", "B", entry.getObject("bytes"));
  printCard("Time at the roofline", "s", nullptr);
  printCard("Memory of activations", "B", entry.getObject("peak"));
  os << "</div>\n";
  if (int64_t controlled = getNumber(entry, "controlled"))
    os << "<p class=\"note\">"
       << countOf(controlled, "launch is", "launches are")
       << " in loops and branches and counted once each.</p>\n";

  SmallVector<const json::Object *> sequence = getObjects(entry, "sequence");
  os << "<h3>Where the time goes</h3>\n<p class=\"note\">At least so long a "
        "kernel takes: its operations at the peak rate, or its bytes at the "
        "copy rate, whichever is more. Hatched bars wait for memory.</p>\n"
        "<ol class=\"shares\"></ol>\n<h3>In their order</h3>\n"
        "<div class=\"strip\">";
  for (const json::Object *launch : sequence) {
    StringRef name = getText(*launch, "kernel");
    auto [index, kernel] = getKernel(name);
    os << "<a href=\"#kernel-" << index << "\" class=\"bar "
       << getMember(kernel, "kind") << "\" title=\"" << escape(name) << " at "
       << escape(getText(*launch, "location")) << "\"></a>";
  }
  // Lists longer than a page are collapsed.
  os << "</div>\n<details" << (sequence.size() <= 40 ? " open" : "")
     << "><summary>" << countOf(sequence.size(), "launch", "launches")
     << "</summary>\n<table><thead><tr><th>#</th><th>location in the "
        "model</th><th>kernel</th><th>operations</th><th>bytes</th>"
        "<th>F/B</th><th>constants</th><th>share of time</th></tr></thead>"
        "<tbody>\n";
  for (auto [i, launch] : enumerate(sequence))
    printLaunch(*launch, i + 1);
  os << "</tbody></table></details></section>\n";
}

void Page::printDefinition(StringRef term, StringRef text) {
  os << "<dt>" << term << "</dt><dd>" << text << "</dd>\n";
}

void Page::printKernel(const json::Object &kernel) {
  size_t index = getKernel(getText(kernel, "name")).first;
  StringRef kind = getText(kernel, "kind");
  os << "<article class=\"kernel\" id=\"kernel-" << index << "\" data-kernel=\""
     << index << "\" data-name=\"" << escape(getText(kernel, "name"))
     << "\" data-kind=\"" << escape(kind) << "\"><h3><b class=\"dot "
     << escape(kind) << "\"></b>" << escape(getText(kernel, "name"))
     << " <small>" << escape(kind) << ", "
     << countOf(getNumber(kernel, "launches"), "launch", "launches")
     << "</small></h3>\n<dl>";
  printDefinition("why", escape(getText(kernel, "reason")));
  std::string slow = describeSlowCode(kernel);
  if (!slow.empty())
    printDefinition("slow",
                    "<strong class=\"slow\">" + escape(slow) + "</strong>");
  os << "<dt>operations</dt><dd>";
  printOperations(kernel, "operations");
  os << "</dd>\n<dt>operands</dt><dd class=\"types\">";
  for (StringRef type : getTexts(kernel, "operands"))
    os << "<code>" << escape(type) << "</code> ";
  os << "&#8594; ";
  for (StringRef type : getTexts(kernel, "results"))
    os << "<code>" << escape(type) << "</code> ";
  os << "</dd>\n";
  if (const json::Object *launch = kernel.getObject("launch"))
    for (auto [member, term] : {std::pair("flops", "operations of a launch"),
                                {"bytes", "bytes of a launch"}})
      if (const json::Object *formula = launch->getObject(member)) {
        os << "<dt>" << term << "</dt><dd class=\"formula\">";
        printFormula(*formula->get("tree"));
        os << "</dd>\n";
      }
  os << "<dt>rests on</dt><dd><ul class=\"facts\">";
  for (const json::Object *fact : getObjects(kernel, "facts")) {
    os << "<li>" << escape(getText(*fact, "text"));
    SmallVector<StringRef> is = getTexts(*fact, "is");
    if (!is.empty())
      os << " <small>(here " << escape(join(is, " or ")) << ")</small>";
    os << "</li>";
  }
  std::string constants = describeConstantSizes(kernel);
  if (!constants.empty())
    os << "<li>" << constants << "</li>";
  os << "</ul></dd>\n";
  if (!getObjects(root, "isas").empty()) {
    os << "<dt>versions</dt><dd>";
    for (const json::Object *isa : getObjects(root, "isas"))
      os << "<span class=\"isa\">" << getText(*isa, "name") << " <small>"
         << describeIsa(*isa) << "</small></span> ";
    os << "</dd>";
  }
  os << "</dl></article>\n";
}

void Page::printConstants() {
  SmallVector<const json::Object *> constants = getObjects(root, "constants");
  os << "<section id=\"constants\"><h2>Constants</h2>\n<details><summary>"
     << countOf(constants.size(), "constant", "constants") << ", "
     << groupDigits(getConstantBytes())
     << " bytes</summary>\n<table><thead><tr><th>name</th><th>type</th>"
        "<th>bytes</th><th>how it is made</th></tr></thead><tbody>\n";
  for (const json::Object *constant : constants) {
    os << "<tr><td>" << escape(getText(*constant, "name")) << "</td><td><code>"
       << escape(getText(*constant, "type"))
       << "</code></td><td class=\"number\">"
       << groupDigits(getNumber(*constant, "bytes")) << "</td><td>";
    printOperations(*constant, "recipe");
    os << "</td></tr>\n";
  }
  os << "</tbody></table></details></section>\n";
}

void Page::printDerivedSizes() {
  SmallVector<const json::Object *> sizes = getObjects(root, "sizes");
  erase_if(sizes, [](const json::Object *size) {
    return !size->getObject("definition");
  });
  if (sizes.empty())
    return;
  os << "<section id=\"sizes\"><h2>Sizes that follow from others</h2>\n"
        "<table><thead><tr><th>size</th><th>is</th><th>here</th></tr></thead>"
        "<tbody>\n";
  for (const json::Object *size : sizes) {
    const json::Object *definition = size->getObject("definition");
    std::string name = escape(getText(*size, "name"));
    os << "<tr data-size=\"" << name << '"' << getTree("data-tree", definition)
       << "><td><var>" << name << "</var></td><td class=\"formula\">";
    printFormula(*definition->get("tree"));
    os << "</td><td class=\"number\"><output class=\"value\"></output></td>"
          "</tr>\n";
  }
  os << "</tbody></table></section>\n";
}

void Page::print(StringRef title) {
  // Nothing is loaded from anywhere, even if a name contains markup.
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << escape(title) << " by dyn</title>\n<style>" << kExplainStyle
     << "</style></head><body>\n<header><h1>" << escape(title) << "</h1>\n<p>"
     << countOf(getObjects(root, "kernels").size(), "kernel", "kernels")
     << ", each for";
  for (const json::Object *isa : getObjects(root, "isas"))
    os << " <span class=\"isa\">" << getText(*isa, "name") << "</span>";
  SmallVector<const json::Object *> constants = getObjects(root, "constants");
  os << "; " << countOf(constants.size(), "constant", "constants") << ", "
     << groupDigits(getConstantBytes()) << " bytes</p>\n";
  printControls();
  os << "</header>\n<main>\n";
  for (const json::Object *entry : getObjects(root, "entries"))
    printEntry(*entry);
  os << "<section id=\"kernels\"><h2>Kernels</h2>\n";
  for (const json::Object *kernel : getObjects(root, "kernels"))
    printKernel(*kernel);
  os << "</section>\n";
  SmallVector<const json::Object *> routers = getObjects(root, "routers");
  if (!routers.empty())
    os << "<section id=\"routers\"><h2>Routers</h2>\n";
  for (const json::Object *router : routers)
    os << "<p><code>" << escape(getText(*router, "router"))
       << "</code>: " << escape(getText(*router, "rule")) << ": "
       << escape(getText(*router, "why")) << "</p>\n";
  if (!routers.empty())
    os << "</section>\n";
  printConstants();
  printDerivedSizes();
  os << "</main>\n<script>" << kExplainScript << "</script></body></html>\n";
}

void dyn::printExplanationPage(raw_ostream &os, StringRef title,
                               const json::Value &explanation) {
  if (const json::Object *root = explanation.getAsObject())
    Page(os, *root).print(title);
}
