// SPDX-License-Identifier: Apache-2.0
// Text from files in messages: what a terminal would obey is shown, what a person reads stays.
#include "src/text/printable.hpp"

#include <gtest/gtest.h>

#include "src/text/document.hpp"

namespace pegrasp {
namespace {

TEST(Printable, LettersOfAllScriptsStay) {
  for (const char* text : {"left_finger", "Finger_äöü", "палец", "指", "doigt gauche", "\U0001f916"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalWouldObeyIsShown) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("a\nb\r\t"), "a\\x0ab\\x0d\\x09");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");     // the control sequence introducer in one character
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");  // from here on right to left
  EXPECT_EQ(printable("a\u2028b"), "a\\xe2\\x80\\xa8b");  // a new line
  EXPECT_EQ(printable("\ufeffa"), "\\xef\\xbb\\xbfa");    // a byte order mark
}

TEST(Printable, BrokenUtf8IsShown) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // longer than needed
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(printable("\xc3\xa4\xc3"), "\xc3\xa4\\xc3");
}

TEST(Printable, OnceIsEnough) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = printable_line(all);
  EXPECT_EQ(printable_line(once), once);
  EXPECT_EQ(once.find('\n'), std::string::npos);
}

TEST(Printable, NamesAreCutAndMessagesAreNot) {
  const std::string name(1000, 'x');
  EXPECT_LT(printable(name).size(), 210u);
  EXPECT_EQ(printable(name).substr(200), "x...");
  EXPECT_EQ(printable_line(name), name);
}

TEST(Printable, ResolvedTextReadsBack) {
  const std::string odd = "a\x1b\"\\\u009b\u202e\U000e0041\u00e4";
  Node root;
  root.set("key", Node::of(odd));
  const std::string text = write_toml(root);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
  EXPECT_EQ(parse_toml(text, "resolved").find("key")->text, odd);
}

}  // namespace
}  // namespace pegrasp
