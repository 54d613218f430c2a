#include "net/multipart.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "net/sse.h"

namespace ty::net {
namespace {

namespace asio = boost::asio;

struct Part {
  PartHead head;
  std::string data;
};

/// Feeds the bytes in pieces of `step` and collects the parts.
Result<std::vector<Part>> parse(std::string_view bytes, std::string boundary, std::size_t step) {
  MultipartParser parser(std::move(boundary));
  std::vector<Part> parts;
  for (;;) {
    TY_TRY(const auto event, parser.next());
    switch (event.what) {
      case MultipartParser::What::NeedMore: {
        const std::string_view piece = bytes.substr(0, step);
        bytes.remove_prefix(piece.size());
        if (piece.empty()) {
          parser.feed_end();
        } else {
          parser.feed(piece);
        }
        break;
      }
      case MultipartParser::What::PartBegin:
        parts.push_back({parser.part(), {}});
        break;
      case MultipartParser::What::Data:
        parts.back().data += event.data;
        break;
      case MultipartParser::What::PartEnd:
        break;
      case MultipartParser::What::End:
        return parts;
    }
  }
}

const std::string kForm =
    "ignored preamble\r\n--B\r\n"
    "Content-Disposition: form-data; name=\"job\"; filename=\"C:\\\\tmp\\\\job.yaml\"\r\n"
    "Content-Type: text/yaml\r\n\r\n"
    "name: x\r\n--Bad\r\n"
    "\r\n--B \t\r\n"
    "content-disposition: form-data; name=code; filename=\"../../etc/passwd\"\r\n\r\n"
    "\r\n--B\r\n\r\nno head\r\n--B--\r\nepilogue";

TEST(Multipart, IsTheSameHoweverTheBytesAreCut) {
  // `\r\n--Bad` begins like the delimiter but has no line end after it.
  const std::string form = [] {
    std::string text = kForm;
    text.replace(text.find("--Bad"), 5, "--Xad");
    return text;
  }();
  for (std::size_t step = 1; step < form.size(); ++step) {
    const auto parts = parse(form, "B", step);
    ASSERT_TRUE(parts) << step << ": " << parts.error().message;
    ASSERT_EQ(parts->size(), 3u);
    EXPECT_EQ((*parts)[0].head.name, "job");
    EXPECT_EQ((*parts)[0].head.filename, "job.yaml");
    EXPECT_EQ((*parts)[0].head.content_type, "text/yaml");
    EXPECT_EQ((*parts)[0].data, "name: x\r\n--Xad\r\n");
    EXPECT_EQ((*parts)[1].head.name, "code");
    EXPECT_EQ((*parts)[1].head.filename, "passwd");
    EXPECT_EQ((*parts)[1].data, "");
    EXPECT_EQ((*parts)[2].data, "no head");
  }
}

TEST(Multipart, SaysWhatIsWrong) {
  EXPECT_EQ(parse("nothing here", "B", 5).error().message.text(),
            "the multipart body is malformed: its boundary never appears");
  EXPECT_EQ(parse("--B\r\nA: b\r\n\r\ndata", "B", 5).error().message.text(),
            "the multipart body is malformed: it ends inside a part");
  EXPECT_EQ(parse("--B\r\nno colon\r\n\r\ndata\r\n--B--", "B", 5).error().message.text(),
            "the multipart body is malformed: a header line of a part has no colon");
  EXPECT_FALSE(parse(kForm, "B", 7));  // `--Bad`
  std::string many;
  for (int i = 0; i < 70; ++i) many += "--B\r\n\r\n\r\n";
  EXPECT_FALSE(parse(many + "--B--", "B", 100));
  EXPECT_FALSE(parse("--B\r\n" + std::string(20'000, 'x'), "B", 100));
}

TEST(Multipart, FindsTheBoundary) {
  EXPECT_EQ(*multipart_boundary("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(*multipart_boundary("Multipart/Form-Data; charset=utf-8; Boundary=\"a b;c\""), "a b;c");
  EXPECT_FALSE(multipart_boundary("multipart/form-data"));
  EXPECT_FALSE(multipart_boundary("text/yaml; boundary=x"));
  EXPECT_FALSE(multipart_boundary("multipart/form-data; boundary=" + std::string(80, 'x')));
}

RC_GTEST_PROP(Multipart, WhatAFormSaysIsWhatAReaderGets, (std::vector<std::string> texts)) {
  MultipartForm form;
  for (const auto& text : texts) form.add_text("name", text);
  RC_PRE(texts.size() < 60u);
  std::string wire;
  for (const auto& part : form.finish()) wire += std::get<std::string>(part);
  const auto step = *rc::gen::inRange<std::size_t>(1, 100);
  const auto parts = parse(wire, *multipart_boundary(form.content_type()), step);
  RC_ASSERT(parts.has_value());
  RC_ASSERT(parts->size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) RC_ASSERT((*parts)[i].data == texts[i]);
}

RC_GTEST_PROP(Multipart, NoiseNeverBreaksTheParser, (std::string noise)) {
  (void)parse("--B\r\n" + noise, "B", *rc::gen::inRange<std::size_t>(1, 20));
}

TEST(MultipartReader, SkipsPartsNobodyRead) {
  asio::io_context io;
  auto work = []() -> asio::awaitable<void> {
    MultipartForm form;
    form.add_text("first", std::string(100'000, 'x'));
    form.add_text("second", "yes");
    std::string wire;
    for (const auto& part : form.finish()) wire += std::get<std::string>(part);
    Request request;
    const auto body = text_body(wire);
    request.source = body.get();
    request.headers.add("Content-Type", form.content_type());
    auto reader = MultipartReader::open(request);
    EXPECT_TRUE(reader);
    auto part = co_await reader->next_part();
    EXPECT_EQ((*part)->name, "first");
    const auto too_much = co_await reader->read_all(1000);
    EXPECT_EQ(too_much.error().code, Errc::TooLarge);
    part = co_await reader->next_part();
    EXPECT_EQ((*part)->name, "second");
    const auto text = co_await reader->read_all(1000);
    EXPECT_EQ(*text, "yes");
    part = co_await reader->next_part();
    EXPECT_FALSE(part->has_value());
  };
  asio::co_spawn(io, work(), [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
}

TEST(Sse, SurvivesAnyCut) {
  const std::vector<SseEvent> events = {
      {"7", "job.running", "{\"a\":1}"}, {"8", "", "two\nlines"}, {"8", "x", ""}};
  std::string wire;
  for (const auto& event : events) {
    wire += to_wire(event);
    wire += kSseHeartbeat;
  }
  wire += "data\r\ndata: crlf\r\n\r\n";
  for (std::size_t step = 1; step < wire.size(); ++step) {
    SseParser parser;
    std::vector<SseEvent> seen;
    for (std::size_t at = 0; at < wire.size(); at += step) {
      parser.feed(std::string_view(wire).substr(at, step));
      while (auto event = parser.next()) seen.push_back(*event);
    }
    ASSERT_EQ(seen.size(), 4u) << step;
    EXPECT_EQ(seen[0], events[0]);
    EXPECT_EQ(seen[1], events[1]);
    EXPECT_EQ(seen[2], events[2]);
    EXPECT_EQ(seen[3].data, "\ncrlf");
    EXPECT_EQ(parser.last_id(), "8");
  }
}

}  // namespace
}  // namespace ty::net
