//===- IdentityTest.cpp - Ids of artifacts, and where they stand ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Identity.h"

#include "Compilation.h"
#include "Files.h"

#include "dyn/Target/ConstantsFile.h"
#include "dyn/artifact.h"

#include <sys/stat.h>

using namespace dyn;

namespace {

/// An image with a constant of `bytes` bytes that are all 3, called `name`.
ObjectCode makeImage(llvm::StringRef name, size_t bytes) {
  std::string type = "[" + std::to_string(bytes) + " x i8]";
  std::string values;
  for (size_t i = 0; i != bytes; ++i)
    values += i ? ", i8 3" : "i8 3";
  std::string text = "target triple = \"x86_64-unknown-linux-gnu\"\n@\"" +
                     name.str() + "\" = constant " + type + " [" + values +
                     "]\n";
  return test::emitText(text, Isa::V2);
}

Identity makeId(uint8_t value) {
  Identity id;
  id.fill(value);
  return id;
}

TEST(IdentityTest, DigestsDistinguish) {
  char bytes[] = {0, 0, 1};
  llvm::ArrayRef<char> all(bytes);
  EXPECT_EQ(getDigest(all), getDigest(all));
  EXPECT_NE(getDigest(all), getDigest(all.drop_front()));
  EXPECT_NE(getDigest(all.take_front(1)), getDigest(all.take_front(2)));
  EXPECT_NE(getDigest({}), Identity());
}

TEST(IdentityTest, TheIdIsWrittenIntoTheDescriptorAlone) {
  ObjectCode before = makeImage(kDescriptorSymbol, sizeof(dyn_descriptor_t));
  ObjectCode after = before;
  std::optional<Identity> id = identifyImage(after, {});
  ASSERT_TRUE(id);
  size_t changed = 0;
  for (size_t i = 0; i != before.size(); ++i)
    changed += before[i] != after[i];
  EXPECT_GT(changed, 0u);
  EXPECT_LE(changed, sizeof(Identity));
  llvm::StringRef written(reinterpret_cast<const char *>(id->data()),
                          id->size());
  llvm::StringRef image(after.data(), after.size());
  size_t at = image.find(written);
  ASSERT_NE(at, llvm::StringRef::npos);
  // The field stands behind two words of 32 bits in the descriptor.
  EXPECT_EQ(image.substr(at - 9, 9), llvm::StringRef("\0\3\3\3\3\3\3\3\3", 9));
}

/// A program that is compiled again is the same one; its constants are a part
/// of it, in their order.
TEST(IdentityTest, IdsAreOfImageAndConstants) {
  auto identify = [](llvm::ArrayRef<Identity> constants, size_t bytes) {
    ObjectCode image = makeImage(kDescriptorSymbol, bytes);
    return identifyImage(image, constants);
  };
  size_t bytes = sizeof(dyn_descriptor_t);
  Identity a = makeId(1), b = makeId(2);
  EXPECT_EQ(identify({a, b}, bytes), identify({a, b}, bytes));
  EXPECT_NE(identify({a, b}, bytes), identify({b, a}, bytes));
  EXPECT_NE(identify({a}, bytes), identify({a, a}, bytes));
  EXPECT_NE(identify({}, bytes), identify({}, bytes + 1));
}

/// An image names the file of its constants before it is identified.
TEST(IdentityTest, TheIdOfWeightsIsAPartOfTheImage) {
  ObjectCode a = makeImage(kDescriptorSymbol, sizeof(dyn_descriptor_t));
  ObjectCode b = a, none = makeImage("other", sizeof(dyn_descriptor_t));
  EXPECT_FALSE(nameWeights(none, makeId(5)));
  ASSERT_TRUE(nameWeights(a, makeId(5)));
  ASSERT_TRUE(nameWeights(b, makeId(6)));
  EXPECT_NE(a, b);
  EXPECT_NE(identifyImage(a, {}), identifyImage(b, {}));
}

TEST(IdentityTest, OtherImagesHaveNone) {
  ObjectCode none, text, other = makeImage("other", sizeof(dyn_descriptor_t));
  llvm::append_range(text, llvm::StringRef("no image"));
  // The descriptor would end behind its section.
  ObjectCode shorter =
      makeImage(kDescriptorSymbol, sizeof(dyn_descriptor_t) - 1);
  for (ObjectCode *image : {&none, &text, &other, &shorter})
    EXPECT_EQ(identifyImage(*image, {}), std::nullopt);
}

TEST(IdentityTest, NamesOfSidecars) {
  EXPECT_EQ(getSidecarName("m.so", makeId(0xab)),
            "m.so.abababababababababababababababab.weights");
  // The place for an id is as long as an id.
  EXPECT_EQ(getSidecarName("m.so").size(),
            getSidecarName("m.so", makeId(0xff)).size());
}

class TrailerTest : public testing::Test {
protected:
  /// The bytes of a trailer with an id of 7s.
  static std::string makeTrailer(const char *magic = DYN_TRAILER_MAGIC) {
    dyn_trailer_t trailer = {};
    memcpy(trailer.magic, magic, sizeof(trailer.magic));
    memset(trailer.id, 7, sizeof(trailer.id));
    return std::string(reinterpret_cast<const char *>(&trailer),
                       sizeof(trailer));
  }
  std::optional<Identity> readBack(llvm::StringRef bytes) {
    return readId(folder.write("f", bytes));
  }

  test::Folder folder;
};

TEST_F(TrailerTest, TheLastBytesOfAFile) {
  EXPECT_EQ(readBack(makeTrailer()), makeId(7));
  EXPECT_EQ(readBack("code" + makeTrailer()), makeId(7));
  EXPECT_EQ(readBack(makeTrailer() + "more"), std::nullopt);
}

TEST_F(TrailerTest, FilesWithoutOne) {
  EXPECT_EQ(readBack(""), std::nullopt);
  EXPECT_EQ(readBack(makeTrailer().substr(1)), std::nullopt);
  EXPECT_EQ(readBack(makeTrailer("dyntrai!")), std::nullopt);
  // Of an older version, which has another form.
  EXPECT_EQ(readBack(makeTrailer(DYN_OLD_TRAILER_MAGIC)), std::nullopt);
}

TEST_F(TrailerTest, WhatIsNoFile) {
  EXPECT_EQ(readId(folder.getPath("none")), std::nullopt);
  EXPECT_EQ(readId(folder.getPath(".")), std::nullopt);
  // Opened, it would wait for a writer.
  std::string pipe = folder.getPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(readId(pipe), std::nullopt);
}

} // namespace
