//===- ParseProfile.cpp - Reads profiles ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace dyn;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

llvm::Error dyn::makeProfileError(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// Whether brackets nest deeper than any profile's do.
static bool nestsTooDeep(llvm::StringRef text) {
  int depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString && c == '\\')
      ++i;
    else if (c == '"')
      isString = !isString;
    else if (!isString && (c == '[' || c == '{') && ++depth > kMostNesting)
      return true;
    else if (!isString && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

llvm::Expected<Value> dyn::parseJson(llvm::StringRef text) {
  // The parser is recursive.
  if (nestsTooDeep(text))
    return makeProfileError("expected brackets at most " +
                            llvm::Twine(kMostNesting) + " deep");
  return llvm::json::parse(text);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

bool MemberReader::fail(const llvm::Twine &what) {
  if (problem.empty())
    problem = what.str();
  return false;
}

bool MemberReader::read(llvm::StringRef name, uint64_t &number, uint64_t most) {
  const Value *value = object.get(name);
  std::optional<uint64_t> found = value ? value->getAsUINT64() : std::nullopt;
  if (!found || *found > most)
    return fail("expected a number '" + name + "'" +
                (most == UINT64_MAX ? llvm::Twine("")
                                    : " of at most " + llvm::Twine(most)));
  number = *found;
  return true;
}

bool MemberReader::read(llvm::StringRef name, uint32_t &number, uint32_t most) {
  uint64_t wide = 0;
  bool isGood = read(name, wide, most);
  number = wide;
  return isGood;
}

bool MemberReader::read(llvm::StringRef name, int64_t &number) {
  std::optional<int64_t> found = object.getInteger(name);
  if (!found || *found > kMostTime || *found < -kMostTime)
    return fail("expected an integer '" + name + "' of at most " +
                llvm::Twine(kMostTime) + " either way");
  number = *found;
  return true;
}

bool MemberReader::readOptional(llvm::StringRef name, std::string &text) {
  const Value *value = object.get(name);
  if (!value)
    return true;
  std::optional<llvm::StringRef> found = value->getAsString();
  if (!found)
    return fail("expected a string '" + name + "'");
  text = found->str();
  return true;
}

const Array *MemberReader::readArray(llvm::StringRef name) {
  const Array *array = object.getArray(name);
  if (!array)
    fail("expected an array '" + name + "'");
  return array;
}

bool dyn::readIdentity(MemberReader &members, ProfileRouter &router) {
  members.readOptional("key", router.key);
  if (members.problem.empty() && router.key.empty())
    return members.fail("expected a string 'key'");
  members.readOptional("label", router.label);
  members.readOptional("cell", router.cell);
  members.readOptional("fingerprint", router.fingerprint);
  members.readOptional("after", router.after);
  if (!members.read("paths", router.paths, kMostPaths))
    return false;
  if (router.paths == 0)
    return members.fail("expected at least one path");
  return members.problem.empty();
}

//===----------------------------------------------------------------------===//
// Windows and routers
//===----------------------------------------------------------------------===//

/// Reads an optional table with paths less than `rows` and `columns`.
static bool readTable(MemberReader &members, llvm::StringRef name,
                      uint32_t rows, uint32_t columns, PathTable &table) {
  if (!members.object.get(name))
    return true;
  const Array *entries = members.readArray(name);
  if (!entries)
    return false;
  for (const auto &[i, value] : llvm::enumerate(*entries)) {
    const Array *triple = value.getAsArray();
    std::optional<uint64_t> numbers[3];
    if (triple && triple->size() == 3)
      for (int j = 0; j < 3; ++j)
        numbers[j] = (*triple)[j].getAsUINT64();
    if (!numbers[0] || !numbers[1] || !numbers[2])
      return members.fail("'" + name + "' " + llvm::Twine(i) +
                          ": expected two paths and a number");
    if (*numbers[0] >= rows || *numbers[1] >= columns)
      return members.fail(
          "'" + name + "' " + llvm::Twine(i) + ": expected paths below " +
          llvm::Twine(rows) + " and " + llvm::Twine(columns) + ", found " +
          llvm::Twine(*numbers[0]) + " and " + llvm::Twine(*numbers[1]));
    uint64_t &sum = table[{uint32_t(*numbers[0]), uint32_t(*numbers[1])}];
    if (*numbers[2] > kMostCount - sum)
      return members.fail("'" + name + "' " + llvm::Twine(i) +
                          ": expected a number of at most " +
                          llvm::Twine(kMostCount));
    sum += *numbers[2];
  }
  return true;
}

static bool readWindow(MemberReader &members, const ProfileRouter &router,
                       ProfileWindow &window) {
  const Array *load = nullptr;
  if (!members.read("at", window.at) ||
      !members.read("calls", window.calls, kMostCount) ||
      !members.read("cells", window.cells, kMostCount) ||
      !members.read("dropped", window.dropped, kMostCount) ||
      !members.read("hottest", window.hottest, kMostCount) ||
      !(load = members.readArray("load")))
    return false;
  if (load->size() != router.paths)
    return members.fail("expected a load of " + llvm::Twine(router.paths) +
                        " paths, found " + llvm::Twine(load->size()));
  for (const Value &value : *load) {
    std::optional<uint64_t> rows = value.getAsUINT64();
    if (!rows || *rows > kMostCount)
      return members.fail("expected numbers of rows in 'load'");
    window.load.push_back(*rows);
  }
  return readTable(members, "pairs", router.paths, router.paths,
                   window.pairs) &&
         readTable(members, "transitions", router.afterPaths, router.paths,
                   window.transitions);
}

static bool readRouter(MemberReader &members, ProfileRouter &router) {
  if (!readIdentity(members, router) ||
      (!router.after.empty() &&
       !members.read("after_paths", router.afterPaths, kMostPaths)) ||
      !members.read("window_ms", router.windowMs, kMostWindowMs))
    return false;
  if (router.windowMs == 0)
    return members.fail("expected windows of at least 1 ms");
  const Array *windows = members.readArray("windows");
  if (!windows)
    return false;
  for (const auto &[i, value] : llvm::enumerate(*windows)) {
    auto failWindow = [&](const llvm::Twine &what) {
      return members.fail("window " + llvm::Twine(i) + ": " + what);
    };
    const Object *object = value.getAsObject();
    if (!object)
      return failWindow("expected an object");
    MemberReader inner(*object);
    ProfileWindow window;
    if (!readWindow(inner, router, window))
      return failWindow(inner.problem);
    if (!router.windows.empty() && router.windows.back().at >= window.at)
      return failWindow("expected a time after that of the window before");
    router.windows.push_back(std::move(window));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

llvm::Expected<RouteProfile> dyn::parseProfile(llvm::StringRef text,
                                               llvm::StringRef name,
                                               ProfileProblems &problems,
                                               uint64_t rawWindowMs) {
  if (text.starts_with("{\"dyn_profile_raw\""))
    return parseRawProfile(text, name, problems, rawWindowMs);
  llvm::Expected<Value> parsed = parseJson(text);
  if (!parsed)
    return makeProfileError(
        name + ": not a profile: " + llvm::toString(parsed.takeError()));
  const Object *root = parsed->getAsObject();
  if (!root || !root->get("dyn_profile"))
    return makeProfileError(name +
                            ": not a profile: expected a member 'dyn_profile'");
  if (root->getInteger("dyn_profile") != kProfileVersion)
    return makeProfileError(
        name + ": expected a profile of version " +
        llvm::Twine(kProfileVersion) + ", found " +
        llvm::formatv("{0}", *root->get("dyn_profile")).str());
  const Array *routers = root->getArray("routers");
  if (!routers)
    return makeProfileError(name +
                            ": not a profile: expected an array 'routers'");
  RouteProfile profile;
  if (const Value *lost = root->get("lost"))
    profile.lost = lost->getAsUINT64().value_or(0);
  llvm::StringSet<> keys;
  for (const auto &[i, value] : llvm::enumerate(*routers)) {
    ProfileRouter router;
    std::string location = (name + ": router " + llvm::Twine(i)).str();
    const Object *object = value.getAsObject();
    if (!object) {
      problems.push_back(location + ": expected an object");
      continue;
    }
    MemberReader members(*object);
    if (!readRouter(members, router)) {
      if (!router.key.empty())
        location = (name + ": router '" + router.key + "'").str();
      problems.push_back(location + ": " + members.problem);
      continue;
    }
    if (!keys.insert(router.key).second) {
      problems.push_back(
          (name + ": router '" + router.key + "': found twice").str());
      continue;
    }
    profile.routers.push_back(std::move(router));
  }
  return profile;
}

llvm::Expected<RouteProfile> dyn::readProfile(llvm::StringRef path,
                                              ProfileProblems &problems,
                                              uint64_t rawWindowMs) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return makeProfileError("cannot read '" + path +
                            "': " + buffer.getError().message());
  return parseProfile((*buffer)->getBuffer(), path, problems, rawWindowMs);
}
