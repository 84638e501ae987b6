//===- dyn-profile.cpp - Shows, merges, compares and uses profiles --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "dyn/Support/ToolOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace dyn;
namespace cl = llvm::cl;

namespace {
cl::OptionCategory category("dyn-profile options");
cl::SubCommand showCommand("show", "Print profiles in words");
cl::SubCommand mergeCommand("merge", "Sum profiles and raw decisions");
cl::SubCommand diffCommand("diff", "Print how far two profiles are apart");
cl::SubCommand plotCommand("plot", "Draw a profile as a plot in SVG");
cl::SubCommand placeCommand("place", "Print which rank should hold which path");

struct CommandLine {
  cl::list<std::string> files{
      cl::Positional,
      cl::desc("<profiles or raw decisions; - is the input>"),
      cl::sub(showCommand),
      cl::sub(mergeCommand),
      cl::sub(diffCommand),
      cl::sub(plotCommand),
      cl::sub(placeCommand),
      cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Where to write to"),
                              cl::value_desc("file"),
                              cl::init("-"),
                              cl::sub(showCommand),
                              cl::sub(mergeCommand),
                              cl::sub(diffCommand),
                              cl::sub(plotCommand),
                              cl::sub(placeCommand),
                              cl::cat(category)};
  cl::list<std::string> routers{"router",
                                cl::desc("Only this router; may be repeated"),
                                cl::value_desc("key"),
                                cl::sub(showCommand),
                                cl::sub(mergeCommand),
                                cl::sub(diffCommand),
                                cl::sub(plotCommand),
                                cl::sub(placeCommand),
                                cl::cat(category)};
  cl::opt<bool> strict{"strict",
                       cl::desc("Fail if any router is refused"),
                       cl::sub(showCommand),
                       cl::sub(mergeCommand),
                       cl::sub(diffCommand),
                       cl::sub(plotCommand),
                       cl::sub(placeCommand),
                       cl::cat(category)};
  cl::opt<uint64_t> windowMs{
      "window-ms",
      cl::desc("Length of the windows for raw decisions"),
      cl::value_desc("ms"),
      cl::init(1000),
      cl::sub(showCommand),
      cl::sub(mergeCommand),
      cl::sub(diffCommand),
      cl::sub(plotCommand),
      cl::sub(placeCommand),
      cl::cat(category)};
  cl::opt<unsigned> maxWindows{
      "max-windows",
      cl::desc("Windows of a router in the result; beyond that their length "
               "doubles"),
      cl::value_desc("n"),
      cl::init(64),
      cl::sub(mergeCommand),
      cl::cat(category)};
  cl::opt<unsigned> ranks{"ranks",
                          cl::desc("Ranks among which paths are divided"),
                          cl::value_desc("n"),
                          cl::init(2),
                          cl::sub(placeCommand),
                          cl::cat(category)};
  cl::opt<double> moveTime{
      "move-time",
      cl::desc("Time that a row takes to another rank, over that on its path"),
      cl::value_desc("ratio"),
      cl::init(1),
      cl::sub(placeCommand),
      cl::cat(category)};
  cl::opt<unsigned> top{"top",
                        cl::desc("Pairs and transitions to print of a router"),
                        cl::value_desc("n"),
                        cl::init(8),
                        cl::sub(showCommand),
                        cl::cat(category)};
  cl::opt<double> failAbove{
      "fail-above",
      cl::desc("Fail if any load, pairs or transitions are further apart, "
               "from 0 to 1"),
      cl::value_desc("distance"),
      cl::init(1),
      cl::sub(diffCommand),
      cl::cat(category)};
};

class Tool {
public:
  explicit Tool(const CommandLine &options) : options(options) {}

  llvm::Error run();

private:
  llvm::Error checkFiles(size_t least, size_t most);
  llvm::Expected<RouteProfile> read(llvm::StringRef path);
  /// Reads and merges all files.
  llvm::Expected<RouteProfile> readAll();
  llvm::Error diff(llvm::raw_ostream &os);
  llvm::Error print(llvm::raw_ostream &os);
  /// Prints the problems since the last call.
  void warn();

  const CommandLine &options;
  ProfileProblems problems;
  bool hasRefused = false;
};
} // namespace

void Tool::warn() {
  for (const std::string &problem : problems)
    llvm::WithColor::warning(llvm::errs(), "dyn-profile")
        << problem << "; refused\n";
  hasRefused |= !problems.empty();
  problems.clear();
}

llvm::Expected<RouteProfile> Tool::read(llvm::StringRef path) {
  llvm::Expected<RouteProfile> profile =
      readProfile(path, problems, options.windowMs);
  warn();
  if (!profile || options.routers.empty())
    return profile;
  for (const std::string &key : options.routers)
    if (!profile->find(key))
      return llvm::createStringError("--router: '" + path +
                                     "' has no router '" + key + "'");
  llvm::erase_if(profile->routers, [&](const ProfileRouter &router) {
    return !llvm::is_contained(options.routers, router.key);
  });
  return profile;
}

llvm::Expected<RouteProfile> Tool::readAll() {
  RouteProfile all;
  for (const std::string &path : options.files) {
    llvm::Expected<RouteProfile> profile = read(path);
    if (!profile)
      return profile.takeError();
    all.merge(std::move(*profile), path, problems);
    warn();
  }
  return all;
}

llvm::Error Tool::checkFiles(size_t least, size_t most) {
  size_t count = options.files.size();
  if (count >= least && count <= most)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::Twine("expected ") +
      (least == most ? llvm::Twine(least) : "at least " + llvm::Twine(least)) +
      (most == 1 ? " file" : " files") + ", found " + llvm::Twine(count));
}

llvm::Error Tool::diff(llvm::raw_ostream &os) {
  if (!(options.failAbove >= 0 && options.failAbove <= 1))
    return llvm::createStringError("--fail-above: expected 0 to 1");
  llvm::Expected<RouteProfile> before = read(options.files[0]);
  if (!before)
    return before.takeError();
  llvm::Expected<RouteProfile> after = read(options.files[1]);
  if (!after)
    return after.takeError();
  double most = diffProfiles(os, *before, *after, options.files[0],
                             options.files[1], problems);
  warn();
  if (most <= options.failAbove)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f", most);
  return llvm::createStringError("routes are " + text +
                                 " apart, more than --fail-above");
}

llvm::Error Tool::print(llvm::raw_ostream &os) {
  if (diffCommand)
    return diff(os);
  llvm::Expected<RouteProfile> profile = readAll();
  if (!profile)
    return profile.takeError();
  if (showCommand)
    showProfile(os, *profile, options.top);
  else if (plotCommand)
    plotProfile(os, *profile);
  else if (placeCommand)
    placeProfile(os, *profile, options.ranks, options.moveTime);
  else {
    for (ProfileRouter &router : profile->routers)
      while (router.windows.size() > options.maxWindows)
        router.coarsen();
    profile->print(os);
  }
  return llvm::Error::success();
}

llvm::Error Tool::run() {
  if (!showCommand && !mergeCommand && !diffCommand && !plotCommand &&
      !placeCommand)
    return llvm::createStringError(
        "expected a command: show, merge, diff, plot or place; see --help");
  if (llvm::Error error = diffCommand    ? checkFiles(2, 2)
                          : mergeCommand ? checkFiles(1, SIZE_MAX)
                                         : checkFiles(1, 1))
    return error;
  if (options.windowMs == 0)
    return llvm::createStringError("--window-ms: expected at least 1");
  if (options.ranks == 0)
    return llvm::createStringError("--ranks: expected at least 1");
  if (!(options.moveTime >= 0 && options.moveTime <= 1e6))
    return llvm::createStringError("--move-time: expected 0 to 1e6");
  if (options.maxWindows == 0)
    return llvm::createStringError("--max-windows: expected at least 1");
  // A command that fails leaves no file behind.
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::Error error = print(os);
  if (diffCommand || !error) {
    std::error_code failure;
    llvm::ToolOutputFile file(options.output, failure, llvm::sys::fs::OF_None);
    if (failure) {
      llvm::consumeError(std::move(error));
      return llvm::createStringError("cannot write '" + options.output +
                                     "': " + failure.message());
    }
    file.os() << text;
    file.keep();
  }
  if (error)
    return error;
  if (hasRefused && options.strict)
    return llvm::createStringError("routers were refused (--strict)");
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &showCommand, &mergeCommand,
        &diffCommand, &plotCommand, &placeCommand})
    dropLibraryOptions(nullptr, *command);
  CommandLine options;
  cl::ParseCommandLineOptions(
      argc, argv,
      "dyn-profile: profiles of routes, which dyn-run --profile-out and "
      "DYN_PROFILE write\n");
  if (llvm::Error error = Tool(options).run()) {
    llvm::outs().flush();
    llvm::WithColor::error(llvm::errs(), "dyn-profile")
        << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
