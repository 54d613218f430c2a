#include "base/encoding.h"

#include <gtest/gtest.h>

namespace ty {
namespace {

const std::string kBytes("\x00\x7f\x80\xff\xfb", 5);

TEST(Encoding, HexIsLowerCaseAndReadInEitherCase) {
  EXPECT_EQ(to_hex(kBytes), "007f80fffb");
  EXPECT_EQ(from_hex("007f80fffb"), kBytes);
  EXPECT_EQ(from_hex("007F80FFFB"), kBytes);
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(from_hex(""), "");
}

TEST(Encoding, WhatIsNotHexIsRefused) {
  for (const char* text : {"0", "007", "0g", "0x00", "00 ff", "-1", " 00"})
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

TEST(Encoding, Base64InItsThreeForms) {
  EXPECT_EQ(to_base64(kBytes), "AH+A//s=");
  EXPECT_EQ(to_base64(kBytes, Base64::Url), "AH-A__s=");
  EXPECT_EQ(to_base64(kBytes, Base64::UrlBare), "AH-A__s");
  for (const Base64 kind : {Base64::Standard, Base64::Url, Base64::UrlBare}) {
    for (std::size_t size = 0; size <= kBytes.size(); ++size)
      EXPECT_EQ(from_base64(to_base64(kBytes.substr(0, size), kind), kind), kBytes.substr(0, size));
  }
}

TEST(Encoding, WhatIsNotBase64IsRefused) {
  for (const char* text : {"AH+A//s", "AH-A__s=", "AH+A//s=x", "A", "AH+A /s="})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ty
