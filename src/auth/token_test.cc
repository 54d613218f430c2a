#include "auth/token.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace ty::auth {
namespace {

constexpr TokenKind kKinds[] = {TokenKind::Personal, TokenKind::Session, TokenKind::SignIn};

TEST(Token, EachKindHasItsShape) {
  for (const TokenKind kind : kKinds) {
    const FreshToken token = make_token(kind);
    const std::string& text = token.text.reveal();
    EXPECT_TRUE(text.starts_with(prefix_of(kind)));
    EXPECT_EQ(text.size(), prefix_of(kind).size() + 38);
    EXPECT_EQ(token_kind(text), kind);
    EXPECT_EQ(token.hash, token_hash(text));
    EXPECT_EQ(token.hash.size(), 64u);
    EXPECT_EQ(kind_from_word(to_word(kind)), kind);
    EXPECT_TRUE(text.ends_with(token.hint.substr(token.hint.size() - 4)));
  }
  EXPECT_EQ(kind_from_word("other"), std::nullopt);
}

TEST(Token, NoTwoAreAlike) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i)
    EXPECT_TRUE(seen.insert(make_token(TokenKind::Personal).text.reveal()).second);
}

TEST(Token, TheHashIsPlainSha256) {
  EXPECT_EQ(token_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Token, OneWrongCharacterIsNoticedBeforeAnyLookUp) {
  EXPECT_TRUE(rc::check([] {
    std::string text = make_token(TokenKind::Personal).text.reveal();
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto other = *rc::gen::arbitrary<char>();
    RC_PRE(other != text[at]);
    text[at] = other;
    RC_ASSERT(!token_kind(text));
  }));
}

TEST(Token, NoTextFromOutsideConfusesTheCheck) {
  EXPECT_TRUE(rc::check([](const std::string& tail) {
    RC_ASSERT(!token_kind(tail));
    RC_ASSERT(!token_kind("ty_" + tail));
  }));
}

TEST(Token, SameSecretIsEquality) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    RC_ASSERT(same_secret(a, b) == (a == b));
    RC_ASSERT(same_secret(a, std::string(a)));
  }));
}

TEST(Token, LivesUntilItsEndOrItsRevocation) {
  const Time now = from_millis(1'700'000'000'000);
  EXPECT_TRUE(check_alive(TokenKind::Personal, {.created_at = now}, now + std::chrono::years{50}));
  const TokenTimes day{.created_at = now, .expires_at = now + 24h};
  EXPECT_TRUE(check_alive(TokenKind::Session, day, now + 24h - 1ms));
  const auto expired = check_alive(TokenKind::Session, day, now + 24h);
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, Errc::Unauthenticated);
  EXPECT_NE(expired.error().message.text().find("sign in again"), std::string::npos);

  TokenTimes used = day;
  used.revoked_at = now + 1h;
  const auto twice = check_alive(TokenKind::SignIn, used, now + 1h);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message.code, "sign_in_link_used");
}

TEST(Token, AUsedSessionMovesItsEndButNotOnEveryRequest) {
  const Time start = from_millis(1'700'000'000'000);
  const Time end = start + kSessionLife;
  EXPECT_EQ(extended_session(end, start + 1min), std::nullopt);
  EXPECT_EQ(extended_session(end, start + 24h), start + 24h + kSessionLife);
}

TEST(Token, TheLinkKeepsItsSecretBehindTheHash) {
  EXPECT_EQ(sign_in_link("http://127.0.0.1:8080/", Secret("tyl_x")),
            "http://127.0.0.1:8080/signin#tyl_x");
}

TEST(Scopes, HigherOnesImplyLower) {
  EXPECT_EQ(Scopes{Scope::Write}.str(), "read write");
  EXPECT_EQ(Scopes::all().str(), "read write admin");
  EXPECT_TRUE(Scopes::all().covers(Scopes{Scope::Write}));
  EXPECT_FALSE(Scopes{Scope::Read}.covers(Scopes{Scope::Write}));
  EXPECT_FALSE(Scopes{}.has(Scope::Read));
}

TEST(Scopes, ReadTheirOwnSpellingAndRefuseOthers) {
  for (const Scopes scopes : {Scopes{Scope::Read}, Scopes{Scope::Write}, Scopes::all()}) {
    EXPECT_EQ(*parse_scopes(scopes.str()), scopes);
  }
  EXPECT_EQ(*parse_scopes(" admin,,read "), Scopes::all());
  EXPECT_EQ(*parse_scopes(std::vector<std::string>{"write"}), Scopes{Scope::Write});
  EXPECT_FALSE(parse_scopes(""));
  EXPECT_FALSE(parse_scopes(std::vector<std::string>{}));
  const auto unknown = parse_scopes("root");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.text().find("read, write or admin"), std::string::npos);
}

}  // namespace
}  // namespace ty::auth
